#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cluster.sh - several hosts on one switch, made of namespaces, for tests of sweeps. Needs root.
#
#   cluster.sh [--slurm] FOLDER HOSTS COMMAND...
#
# COMMAND runs on a further machine, tp0. ssh knows the hosts as tp1, tp2, ... (THINPROBE_SSH_OPTIONS). Each has processes, a
# network, a name and a /tmp of its own; all share the other files, this checkout and FOLDER. In FOLDER/cluster (CLUSTER) N.pid
# holds the pid of host N's first process: the host dies with it. The host's port of the switch is to-N. --slurm: slurmctld on
# tp0, a slurmd on each host, and SLURM_CONF. All of it, FOLDER/cluster too, ends with this script, whatever ends it.
set -u
PATH=$PATH:/usr/sbin:/sbin
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=${here%/tests/lab}
die() {
	echo "cluster: $*" >&2
	exit 1
}
wait_for() {	# wait_for COMMAND...: at most 30 s
	local n
	for ((n = 0; n < 600; n++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.05
	done
	return 1
}

if [ "${1-}" != inside ]; then
	slurm=''
	[ "$1" != --slurm ] || { slurm=1; shift; }
	folder=$(cd -- "$1" && pwd -P) && W=$folder/cluster && mkdir -m 755 "$W" || die "cannot make $1/cluster"
	trap 'rm -rf -- "$W"' EXIT
	trap '[ -z "${inside-}" ] || kill -KILL "$inside"' TERM HUP INT
	setpriv --pdeathsig KILL unshare --net --mount --uts --pid --fork --kill-child --mount-proc \
		setpriv --pdeathsig KILL bash "$here/cluster.sh" inside "$folder" "$slurm" "${@:2}" &
	inside=$!
	while :; do
		wait "$inside"
		status=$?
		kill -0 "$inside" 2>/dev/null || exit "$status"
	done
fi

folder=$2 W=$2/cluster slurm=$3 hosts=$4
shift 4
hostname tp0
mount -t tmpfs -o mode=755 run /run && mkdir -m 755 /run/sshd /run/munge || die "cannot have a /run of its own"
ip link set lo up
ip link add switch type bridge && ip addr add 10.206.0.254/24 dev switch && ip link set switch up || die "cannot make a switch"
ssh-keygen -q -t ed25519 -N '' -f "$W/key" && cp "$W/key.pub" "$W/authorized" || die "ssh-keygen failed"
mkdir "$W/bare" "$W/locks"

if [ -n "$slurm" ]; then
	mkdir "$W/slurm" "$W/slurm/state"
	cat >"$W/slurm/slurm.conf" <<EOF_CONF
ClusterName=thinprobe
SlurmctldHost=tp0(10.206.0.254)
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=$W/slurm/state
SlurmdSpoolDir=$W/slurm/%n
SlurmctldPidFile=$W/slurm/tp0.pid
SlurmdPidFile=$W/slurm/%n.pid
SlurmctldLogFile=$W/slurm/tp0.log
SlurmdLogFile=$W/slurm/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=1
SlurmdTimeout=15
AuthInfo=cred_expire=10
KillWait=10
MinJobAge=10
NodeName=tp[1-$hosts] NodeAddr=10.206.0.[1-$hosts] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE
EOF_CONF
	export SLURM_CONF=$W/slurm/slurm.conf
	(umask 077 && head -c 128 /dev/urandom >/run/munge/key)
	munged --force --foreground --key-file=/run/munge/key --seed-file=/run/munge/seed --pid-file=/run/munge/pid \
		--log-file=/run/munge/log >"$W/slurm/munge.log" 2>&1 &
	wait_for munge -n || die "munged does not come up: $(tail -n 1 "$W/slurm/munge.log")"
fi

# A host's /tmp has only FOLDER, and the checkout if it is there.
# shellcheck disable=SC2016 # another shell's
host='
	n=$1 folder=$2 top=$3 slurm=$4
	hostname "tp$n"
	mkdir -p /run/aside/folder /run/aside/top
	mount --bind "$folder" /run/aside/folder && mount --bind "$top" /run/aside/top && mount -t tmpfs -o mode=1777 tmp /tmp &&
		mkdir -p "$folder" "$top" && mount --move /run/aside/folder "$folder" || exit
	case $top in /tmp/*) mount --move /run/aside/top "$top" ;; *) umount /run/aside/top ;; esac
	[ ! -f ~/.bashrc ] || mount --bind /dev/null ~/.bashrc	# a login has only what every login has
	ip link set lo up
	mkdir -m 1777 -p /tmp/.X11-unix /tmp/.ICE-unix
	until ip addr add "10.206.0.$n/24" dev eth0 2>/dev/null; do sleep 0.05; done
	ip link set eth0 up
	[ -z "$slurm" ] || "$(command -v slurmd)" -N "tp$n"
	exec "$(command -v sshd)" -D -e -f "$folder/cluster/$n.sshd"'
for ((n = 1; n <= hosts; n++)); do
	ssh-keygen -q -t ed25519 -N '' -f "$W/$n.host" || die "ssh-keygen failed"
	cat >"$W/$n.sshd" <<EOF_SSHD
Port 22022
HostKey $W/$n.host
AuthorizedKeysFile $W/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
LogLevel ERROR
SetEnv HOME=$W/bare
EOF_SSHD
	cat >>"$W/config" <<EOF_SSH
Host tp$n
	HostName 10.206.0.$n
	Port 22022
	User root
	IdentityFile $W/key
	IdentitiesOnly yes
	UserKnownHostsFile $W/known
	GlobalKnownHostsFile /dev/null
EOF_SSH
	printf '[10.206.0.%s]:22022 %s\n' "$n" "$(cut -d' ' -f1,2 "$W/$n.host.pub")" >>"$W/known"
	unshare --net --mount --uts --pid --fork --kill-child --mount-proc sh -c "$host" sh "$n" "$folder" "$top" "$slurm" \
		</dev/null >"$W/$n.log" 2>&1 &
	holder=$!
	disown
	first() { ! read -r first <"/proc/$holder/task/$holder/children" && [ -n "$first" ]; }
	wait_for first || die "host $n does not come up: $(tail -n 1 "$W/$n.log")"
	echo "$first" >"$W/$n.pid"
	apart() { [ "$(readlink "/proc/$first/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
	wait_for apart && ip link add "to-$n" type veth peer name eth0 netns "$first" && ip link set "to-$n" master switch up ||
		die "cannot make the link of host $n"
done
for ((n = 1; n <= hosts; n++)); do
	# shellcheck disable=SC2016 # another shell's
	wait_for timeout 1 bash -c 'exec 3<>"/dev/tcp/10.206.0.$1/22022"' sh "$n" ||
		die "sshd of host $n does not come up: $(tail -n 1 "$W/$n.log")"
done
if [ -n "$slurm" ]; then
	slurmctld -D >"$W/slurm/tp0.out" 2>&1 &
	# shellcheck disable=SC2317 # wait_for calls it
	idle() { [ "$(sinfo -h -N -t idle -o %n | sort -u | wc -l)" = "$hosts" ]; }
	wait_for idle || die "Slurm's nodes do not come up: $(sinfo -h -N; tail -n 3 "$W/slurm"/*.log)"
fi
export CLUSTER=$W THINPROBE_SSH_OPTIONS="-F $W/config" LAB_LOCKS=$W/locks LAB_SHARED_CPUS=1
"$@"
