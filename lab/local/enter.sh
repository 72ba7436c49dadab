#!/usr/bin/env bash
# enter.sh - runs one command in a host of the lab, hands signals on to it and its exit status back.
#
# enter.sh MODE CPUS SESSION INTERRUPT TIMES FOLDER COMMAND...
#   MODE    user: as an ordinary user of a nested user namespace; root: as the host's root
#   SESSION same: stays in the driver's session; new: a session of its own (another login)
#   INTERRUPT yes: the command hears the terminal's Ctrl-C itself (foreground)
#   TIMES   the CPU time of the command is appended here at its end (two lines of `times`; -: nowhere)
# This shell itself stays outside of the host's pid namespace (nsenter --no-fork): only so can the driver
# wait for it and its children be in the host. It is the one process a started command costs.
set -u
mode=$1 cpus=$2 session=$3 interrupt=$4 times=$5 folder=$6
shift 6

chain=(setpriv --pdeathsig KILL)
if [ "$mode" = user ]; then
	# Real root may hand out real-time priority and locked memory by limit, which needs no privilege to use.
	if [ "${LAB_ROOTLESS-1}" = 0 ]; then
		ulimit -r 99
		ulimit -l unlimited
	fi 2>/dev/null
	chain+=(unshare --user --map-user=1000 --map-group=1000 --)
fi
chain+=(taskset -c "$cpus")
[ "$session" = new ] && chain+=(setsid)
# Background children of a shell ignore these; in the foreground they must not.
[ "$interrupt" = yes ] && chain+=(env --default-signal=INT,QUIT)

# The session of a person at another machine: nothing of the caller's desktop reaches it.
unset DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS SESSION_MANAGER BASH_ENV ENV
export HOME=/tmp/home XDG_RUNTIME_DIR=/tmp/runtime TMPDIR=/tmp LC_ALL=C.UTF-8
cd -- "$folder" 2>/dev/null || cd /

exec {in}<&0
"${chain[@]}" "$@" <&"$in" {in}<&- &
child=$!
exec {in}<&- <&-
signalled=
for s in TERM INT HUP USR1 USR2; do
	# shellcheck disable=SC2064
	trap "signalled=1; kill -$s $child 2>/dev/null" $s
done
while :; do
	signalled=
	wait "$child"
	status=$?
	[ -n "$signalled" ] || break
done
# Not in a pipeline or $( ): there it would be the times of that subshell.
[ "$times" = - ] || times >>"$times"
exit "$status"
