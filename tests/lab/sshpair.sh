#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sshpair.sh - two machines to be reached by ssh, made of namespaces: for tests, and to compare the
# ssh back-end with the emulated lab.
#
#   sshpair.sh run COMMAND...     COMMAND runs on a third machine, which reaches both: ssh's names are tp-server and tp-client
#
#       driver (COMMAND)  10.205.1.2 --- eth0 10.205.1.1  server  eth1 10.205.0.1 ---+
#                         10.205.2.2 --- eth0 10.205.2.1  client  eth1 10.205.0.2 ---+
#                                                  100 Mbit/s, like the emulated lab
#
# sshd of the server runs on the first CPU allowed, the client's on the second. COMMAND finds
# THINPROBE_SSH_OPTIONS (-F FILE, for ssh by hand as well), SSHPAIR (the folder of all of it),
# SSHPAIR_server and SSHPAIR_client (a process in the network of each). Everything is below one
# temporary folder (what the hosts' TMPDIR is, too: server/ and client/ in it) and ends with this
# script. The logins have a bare home: what the machine's own user starts with each login (and
# writes, and waits for) is no part of a host. SSHPAIR_RATE=none: a link that is not shaped.
# SSHPAIR_ORDINARY=1, as root: the logins are an ordinary user's.
# SSHPAIR_APART=FOLDER, as root: each host has processes and a /tmp of its own and does not see what is
# in FOLDER: who takes a file or a process of the driver's machine for one of theirs finds none.
# SSHPAIR_LISTENER=1: a third host, tp-listener, at the mirror port of the switch between the two.
# shellcheck disable=SC2317 # tidy runs in a trap
set -u
PATH=$PATH:/usr/sbin:/sbin
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
die() {
	echo "sshpair: $*" >&2
	exit 1
}
need() { command -v "$1" >/dev/null || die "$1 is missing; apt-get install --no-install-recommends $2"; }

case ${1-} in
run)
	shift
	[ $# -gt 0 ] || die "run what?"
	need sshd openssh-server
	need ssh-keygen openssh-client
	need ip iproute2
	W=$(mktemp -d "${TMPDIR:-/tmp}/sshpair.XXXXXX") && chmod 755 "$W" || die "no temporary folder"
	trap 'rm -rf -- "$W"' EXIT
	trap '' INT
	trap : TERM HUP
	user=()
	[ "$(id -u)" = 0 ] || user=(--user --map-root-user)
	SSHPAIR_UID=$(id -u) SSHPAIR_USER=$(id -un) setpriv --pdeathsig TERM unshare ${user[@]+"${user[@]}"} \
		--net --mount bash "$here/sshpair.sh" inside "$W" "$@" &
	inside=$!
	while :; do
		wait "$inside"
		status=$?
		kill -0 "$inside" 2>/dev/null || break
		kill -TERM "$inside"
	done
	exit "$status"
	;;
inside) ;;
*) die "usage: sshpair.sh run COMMAND..." ;;
esac

W=$2
shift 2
read -ra cpus < <(taskset -pc $$ | sed 's/.*: //' |
	awk -F, '{ for (i = 1; i <= NF; i++) { n = split($i, e, "-"); for (c = e[1]; c <= e[n]; c++) printf "%s ", c } }')
declare -A holder=() cpu=([server]=${cpus[0]} [client]=${cpus[1]:-${cpus[0]}} [listener]=${cpus[1]:-${cpus[0]}}) listener=()
roles=(server client)
[ "${SSHPAIR_LISTENER-}" != 1 ] || roles+=(listener)
[ "$SSHPAIR_UID" = 0 ] || SSHPAIR_APART=''
[ -z "${SSHPAIR_APART-}" ] || unset LAB_LOCKS	# a folder of this machine's /tmp, which the hosts do not see
trap '' INT
tidy() {
	local role pids more
	trap '' TERM
	for role in "${roles[@]}"; do
		# sshd's children do not die with it: all that descends from it.
		pids=${listener[$role]-} more=$pids
		while [ -n "$more" ]; do
			# shellcheck disable=SC2086 # words
			more=$(for p in $more; do cat "/proc/$p/task/$p/children"; done 2>/dev/null)
			pids+=" $more"
		done
		# shellcheck disable=SC2086
		kill -KILL $pids ${holder[$role]-} 2>/dev/null
	done
}
trap tidy EXIT
trap 'exit 130' TERM

# sshd as root wants this folder, and packages make it at boot only.
[ "$SSHPAIR_UID" != 0 ] || [ -d /run/sshd ] || {
	mount -t tmpfs -o mode=755 run /run && mkdir -m 755 /run/sshd
} || die "cannot make /run/sshd"
ssh-keygen -q -t ed25519 -N '' -f "$W/key" && cp "$W/key.pub" "$W/authorized" || die "ssh-keygen failed"
mkdir "$W/bare"
for role in "${roles[@]}"; do mkdir -m 1777 "$W/$role" && chmod 1777 "$W/$role"; done
if [ "${SSHPAIR_ORDINARY-}" = 1 ] && [ "$SSHPAIR_UID" = 0 ]; then	# one that only these hosts know
	SSHPAIR_USER=sshpair
	{ cat /etc/passwd && printf 'sshpair:*:12345:12345::%s:/bin/bash\n' "$W/home"; } >"$W/passwd" &&
		mkdir "$W/home" && chown 12345:12345 "$W/home" &&
		chmod 644 "$W/passwd" && mount --bind "$W/passwd" /etc/passwd || die "cannot add a user"
fi
ip link set lo up
# What one host sees of the machine's files: all but what is in /tmp and in FOLDER; and this folder of ours.
# shellcheck disable=SC2016 # another shell's
apart='
	at=$(mktemp -d /run/sshpair.XXXXXX) && mount --bind "$1" "$at" && mount -t tmpfs -o mode=1777 tmp /tmp || exit
	[ ! -d "$2" ] || mount -t tmpfs -o mode=755,size=64k hidden "$2" || exit
	mkdir -p "$1" && mount --move "$at" "$1" && rmdir "$at" && mkdir -m 1777 -p /tmp/.X11-unix /tmp/.ICE-unix && : >"$1/$3.up"
	exec sleep infinity'
for role in "${roles[@]}"; do
	if [ -n "${SSHPAIR_APART-}" ]; then
		setpriv --pdeathsig KILL unshare --net --mount --pid --fork --kill-child --mount-proc \
			sh -c "$apart" sh "$W" "$SSHPAIR_APART" "$role" &
	else
		setpriv --pdeathsig KILL unshare --net sh -c ': >"$1" && exec sleep infinity' sh "$W/$role.up" &
	fi
	holder[$role]=$!
	disown
done
for role in "${roles[@]}"; do
	n=1
	until [ -e "$W/$role.up" ]; do
		[ $((n++)) -lt 3000 ] || die "the hosts do not come up"
		sleep 0.02
	done
done
on() { nsenter --net="/proc/${holder[$1]}/ns/net" -- "${@:2}"; }
# As a process of the host, too.
enter() {
	local ns=(--net="/proc/${holder[$1]}/ns/net")
	[ -z "${SSHPAIR_APART-}" ] ||
		ns+=(--mount="/proc/${holder[$1]}/ns/mnt" --pid="/proc/${holder[$1]}/ns/pid_for_children")
	exec setpriv --pdeathsig KILL nsenter "${ns[@]}" -- "${@:2}"
}

net=1
for role in "${roles[@]}"; do
	ip link add "to-$role" type veth peer name eth0 netns "${holder[$role]}" || die "cannot make a link"
	ip addr add "10.205.$net.2/24" dev "to-$role"
	ip link set "to-$role" up
	on "$role" ip addr add "10.205.$net.1/24" dev eth0
	on "$role" ip link set eth0 up
	on "$role" ip link set lo up
	net=$((net + 1))
done
on server ip link add eth1 type veth peer name eth1 netns "${holder[client]}" || die "cannot make the link"
net=1
for role in server client; do
	on $role ip addr add "10.205.0.$net/24" dev eth1
	on $role ethtool -K eth1 tso off gso off gro off
	[ "${SSHPAIR_RATE-}" = none ] || on $role tc qdisc add dev eth1 root tbf rate 100mbit burst 12500 limit 625000 ||
		die "cannot shape the link"
	on $role ip link set eth1 up
	net=$((net + 1))
done

# A mirror port: what comes and goes at the server's end is sent there as well.
if [ "${SSHPAIR_LISTENER-}" = 1 ]; then
	on server ip link add mirror type veth peer name eth1 netns "${holder[listener]}" &&
		on server ip link set mirror up && on listener ip link set eth1 up &&
		on server tc qdisc add dev eth1 clsact || die "cannot make the mirror port"
	for way in ingress egress; do
		on server tc filter add dev eth1 $way matchall action mirred egress mirror dev mirror 2>/dev/null ||
			on server tc filter add dev eth1 $way protocol all u32 match u32 0 0 action mirred egress mirror dev mirror ||
			die "this kernel mirrors no packets (act_mirred)"
	done
fi

: >"$W/known"
net=1
for role in "${roles[@]}"; do
	ssh-keygen -q -t ed25519 -N '' -f "$W/$role.host" || die "ssh-keygen failed"
	cat >"$W/$role.sshd" <<EOF
Port 22022
ListenAddress 0.0.0.0
HostKey $W/$role.host
AuthorizedKeysFile $W/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
LogLevel ERROR
SetEnv TMPDIR=$W/$role HOME=$W/bare
EOF
	cat >>"$W/config" <<EOF
Host tp-$role
	HostName 10.205.$net.1
	Port 22022
	User $SSHPAIR_USER
	IdentityFile $W/key
	IdentitiesOnly yes
	UserKnownHostsFile $W/known
	GlobalKnownHostsFile /dev/null
EOF
	printf '[10.205.%s.1]:22022 %s\n' "$net" "$(cut -d' ' -f1,2 "$W/$role.host.pub")" >>"$W/known"
	as=()
	[ "$SSHPAIR_UID" = 0 ] || as=(unshare --user "--map-user=$SSHPAIR_UID" "--map-group=$(id -g)")
	enter "$role" ${as[@]+"${as[@]}"} taskset -c "${cpu[$role]}" \
		"$(command -v sshd)" -D -e -f "$W/$role.sshd" </dev/null >"$W/$role.log" 2>&1 &
	listener[$role]=$!
	disown	# what ends it is no news
	net=$((net + 1))
done
net=1
for role in "${roles[@]}"; do
	n=1
	until (exec 3<>"/dev/tcp/10.205.$net.1/22022") 2>/dev/null; do
		kill -0 "${listener[$role]}" 2>/dev/null && [ $((n++)) -lt 1200 ] ||
			die "sshd of the $role does not come up: $(tail -n 1 "$W/$role.log")"
		sleep 0.05
	done
	net=$((net + 1))
done
export SSHPAIR=$W SSHPAIR_server=${holder[server]} SSHPAIR_client=${holder[client]} THINPROBE_SSH_OPTIONS="-F $W/config"
as=()
[ "$SSHPAIR_UID" = 0 ] || as=(unshare --user "--map-user=$SSHPAIR_UID" "--map-group=$(id -g)")
trap - INT
# Like the driver of the emulated lab: not on the server's CPU.
${as[@]+"${as[@]}"} taskset -c "${cpu[client]}" "$@" &
command=$!
trap 'kill -TERM "$command" 2>/dev/null' TERM
while :; do
	wait "$command"
	status=$?
	kill -0 "$command" 2>/dev/null || break
done
exit "$status"
