#!/usr/bin/env bash
# doctor.sh - what this machine can and cannot measure, why, and the command that would mend it.
set -u
: "${TP_HOME:=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)}"
: "${TP_CHECKOUT:=1}"
# An ordinary user's PATH often lacks the folders where ip, tc and sysctl live.
case :$PATH: in
*:/usr/sbin:*) ;;
*) PATH=$PATH:/usr/sbin:/sbin ;;
esac

missing=0 limited=0

row() {	# row yes|no|part WHAT WHY [CURE]
	printf '%-5s %-38s %s\n' "$1" "$2" "$3"
	[ "$1" = yes ] || [ -z "${4:-}" ] || printf '%-5s %-38s cure: %s\n' '' '' "$4"
	case $1 in no) missing=$((missing + 1)) ;; part) limited=$((limited + 1)) ;; esac
}

have() {
	command -v "$1" >/dev/null 2>&1
}

kernel_has() {	# is this queue discipline in the kernel? asked in a network namespace of its own
	unshare ${UNSHARE_USER:+--user --map-root-user} --net sh -c "ip link set lo up && tc qdisc add dev lo root $1" >/dev/null 2>&1
}

there() {	# a command, or a header
	case $1 in
	-) true ;;
	*.h) [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] || [ -n "$(find /usr/include -path "*/$1" -print -quit 2>/dev/null)" ] ;;
	*) have "$1" ;;
	esac
}

programs() {	# programs WHAT CLASS...: what the one list of packages says is needed for that
	local class package proof what=$1 lacking=()
	shift
	while read -r class package proof; do
		case " $* " in *" $class "*) ;; *) continue ;; esac
		there "$proof" || lacking+=("$proof (package ${package%%|*})")
	done < <(grep -v '^#' "$TP_HOME/packages")
	if [ "${#lacking[@]}" = 0 ]; then
		row yes "$what" "all there"
	elif have apt-get; then
		row no "$what" "missing: ${lacking[*]}" "thinprobe setup"
	else
		row no "$what" "missing: ${lacking[*]}" "install them by this system's means; the names are Debian's"
	fi
}

hosts() {
	if [ "$(id -u)" = 0 ]; then
		if unshare --net --pid --mount --fork true 2>/dev/null; then
			row yes "two emulated hosts" "as root, in namespaces"
		else
			row no "two emulated hosts" "this root may not make namespaces" "run outside the container, or give it CAP_SYS_ADMIN"
		fi
	elif unshare --user --map-root-user --net --pid --mount --fork true 2>/dev/null; then
		UNSHARE_USER=1
		row yes "two emulated hosts" "rootless, in a user namespace"
	elif [ "$(sysctl -n kernel.apparmor_restrict_unprivileged_userns 2>/dev/null)" = 1 ]; then
		row no "two emulated hosts" "AppArmor forbids user namespaces" "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run as root"
	else
		row no "two emulated hosts" "user namespaces are forbidden" "sudo sysctl kernel.unprivileged_userns_clone=1, or run as root"
	fi
}

processors() {
	local n
	n=$(nproc)
	if [ "$n" -ge 2 ]; then
		row yes "server and client on CPUs apart" "$n CPUs"
	else
		row part "server and client on CPUs apart" "one CPU: load on the server starves the probe; figures are upper bounds" "a machine with two CPUs"
	fi
	if [ -r /proc/self/schedstat ]; then
		row yes "run-queue wait and foreign CPU time" "/proc/PID/schedstat"
	else
		row part "run-queue wait and foreign CPU time" "this kernel keeps no schedstat"
	fi
	case $(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null) in
	1) row yes "scheduling groups (autogroup)" "on: each session is a group; recorded in every cell" ;;
	0) row yes "scheduling groups (autogroup)" "off: all processes compete alone; recorded in every cell" ;;
	*) row part "scheduling groups (autogroup)" "not in this kernel" ;;
	esac
	if chrt -f 20 true 2>/dev/null; then
		row yes "real-time priority for the probe" "SCHED_FIFO"
	else
		row part "real-time priority for the probe" "not allowed: tails of latency hold the probe's own delays" "run as root, or ulimit -r 20 by /etc/security/limits.conf"
	fi
}

network() {
	if kernel_has "tbf rate 100mbit burst 32k latency 50ms"; then
		row yes "link rate" "tbf"
	else
		row part "link rate" "no tbf in this kernel, or not allowed: the link is not shaped"
	fi
	if kernel_has "netem delay 1ms"; then
		row yes "link delay and loss" "netem"
	else
		row part "link delay and loss" "no netem in this kernel"
	fi
}

display() {
	if [ -n "${WAYLAND_DISPLAY:-}" ] || [ "${XDG_SESSION_TYPE:-}" = wayland ]; then
		row part "keys into your own desktop" "this is a Wayland session: XTest does nothing to Wayland clients" "log in with an X11 session to probe its windows; the lab has displays of its own"
	elif [ -n "${DISPLAY:-}" ]; then
		row yes "keys into your own desktop" "X11 display $DISPLAY"
	else
		row part "keys into your own desktop" "no display here; the lab has displays of its own"
	fi
}

case ${1-} in
-h | --help) echo "usage: thinprobe doctor"; exit 0 ;;
esac
[ $# = 0 ] || { echo "thinprobe: doctor takes no words" >&2; exit 2; }
echo "$(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-}"), Linux $(uname -r), $(nproc) CPUs, $(systemd-detect-virt 2>/dev/null || echo 'virtualisation unknown')"
have dpkg-query || row part "Debian or Ubuntu" "another system: packages are not installed for you" "install what is named below by hand"
[ "$TP_CHECKOUT" = 0 ] || programs "compiler and libraries" build
programs "programs" run
hosts
processors
network
display
echo
"$TP_HOME/experiments/list.sh" --protocols
if [ "$missing" -gt 0 ]; then
	exit 4
fi
[ "$limited" = 0 ] || echo "thinprobe can measure here; $limited things above are limited."
