#!/usr/bin/env bash
# enter.sh - runs one command in a host of the lab, hands signals on to it and its exit status back.
#
# enter.sh MODE CPUS SESSION INTERRUPT TIMES FOLDER COMMAND...
#   MODE    user: as an ordinary user of a nested user namespace; root: as the host's root; probe: as root with
#           no capability but real-time priority and locked memory
#   SESSION same: stays in the driver's session; new: a session of its own (another login)
#   INTERRUPT yes: the command hears the terminal's Ctrl-C itself (foreground)
#   TIMES   the CPU time of the command is appended here at its end (two lines of `times`; -: nowhere)
# This shell itself stays outside of the host's pid namespace (nsenter --no-fork): only so can the driver
# wait for it and its children be in the host. It is the one process a started command costs.
set -u
mode=$1 cpus=$2 session=$3 interrupt=$4 times=$5 folder=$6
shift 6

chain=(setpriv --pdeathsig KILL)
case $mode in
user) chain+=(unshare --user --map-user=1000 --map-group=1000 --) ;;
probe) chain+=('--bounding-set=-all,+sys_nice,+ipc_lock' --inh-caps=-all) ;;
esac
chain+=(taskset -c "$cpus")
[ "$session" = new ] && chain+=(setsid)
# Background children of a shell ignore these; in the foreground they must not.
[ "$interrupt" = yes ] && chain+=(env "--default-signal=INT,QUIT")

# The session of a person at another machine: nothing of the caller's desktop reaches it.
unset DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS SESSION_MANAGER BASH_ENV ENV
export HOME=/tmp/home XDG_RUNTIME_DIR=/tmp/runtime TMPDIR=/tmp LC_ALL=C.UTF-8
cd -- "$folder" 2>/dev/null || cd /

child='' signalled=''
pass_on() {
	signalled=$1
	[ -z "$child" ] || kill "-$1" "$child" 2>/dev/null
}
for s in TERM INT HUP USR1 USR2; do
	# shellcheck disable=SC2064
	trap "pass_on $s" "$s"
done
# The streams are the command's; the door holds none of them open, and says nothing on how the command died.
exec {in}<&0 {out}>&1 {err}>&2 </dev/null >/dev/null 2>&1
"${chain[@]}" "$@" <&"$in" >&"$out" 2>&"$err" {in}<&- {out}>&- {err}>&- &
child=$!
exec {in}<&- {out}>&- {err}>&-
[ -z "$signalled" ] || pass_on "$signalled"	# came before there was anybody to pass it on to
while :; do
	signalled=''
	wait "$child"
	status=$?
	[ -n "$signalled" ] || break
done
# Not in a pipeline or $( ): there it would be the times of that subshell.
[ "$times" = - ] || times >>"$times"
exit "$status"
