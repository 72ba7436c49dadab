#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# enter.sh - runs one command in a host of the lab, hands signals on to it and its exit status back.
#
# enter.sh MODE CPUS SESSION INTERRUPT TIMES FOLDER COMMAND...
#   MODE    user: in a nested user namespace, as whom we are outside; user:UID: as that user outside; root: as the host's root;
#           probe, probe:UID: as root or that user, with no capability but real-time priority and locked memory
#   SESSION same: stays in the driver's session; new: a session of its own (another login)
#   INTERRUPT yes: the command hears the terminal's Ctrl-C, too (foreground)
#   TIMES   the CPU time of the command is appended here at its end (two lines of `times`; -: nowhere)
# LAB_INTO, in the environment: a group that the command joins, and this shell does not: its memory is not the host's.
# This shell itself stays outside of the host's pid namespace (nsenter --no-fork): only so can the driver
# wait for it and its children be in the host. It is the one process a started command costs.
set -u
into=${LAB_INTO-}
unset LAB_INTO
mode=$1 cpus=$2 session=$3 interrupt=$4 times=$5 folder=$6
shift 6

chain=(setpriv --pdeathsig KILL)
case $mode in
user*)
	# (A change of user clears the death signal, so it is set after that.)
	[ "$mode" = user ] || chain=(setpriv --reuid "${mode#*:}" --regid "${mode#*:}" --clear-groups "${chain[@]}" --no-new-privs)
	chain+=(unshare --user --map-user=1000 --map-group=1000 --)
	# shellcheck disable=SC2016 # another shell's
	[[ " $*" != *" /tmp/.run/"* ]] ||
		chain+=(sh -c 'for f; do case $f in /tmp/.run/*) mkdir -p -- "${f%/*}" ;; esac; done; exec "$@"' sh)
	;;
probe) chain+=('--bounding-set=-all,+sys_nice,+ipc_lock' --inh-caps=-all) ;;
probe:*)
	chain=(setpriv --reuid "${mode#*:}" --regid "${mode#*:}" --clear-groups '--inh-caps=-all,+sys_nice,+ipc_lock'
		'--ambient-caps=-all,+sys_nice,+ipc_lock' "${chain[@]}" --no-new-privs)
	;;
esac
chain+=(taskset -c "$cpus")
[ "$session" = new ] && chain+=(setsid)

# The environment of a remote session: without variables of the caller's desktop.
unset DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS SESSION_MANAGER BASH_ENV ENV
# (LAB_HOME: on a machine that is not the lab's own, where its folders are.)
export HOME=${LAB_HOME-/tmp}/home XDG_RUNTIME_DIR=${LAB_HOME-/tmp}/runtime TMPDIR=${LAB_HOME+$LAB_HOME}/tmp LC_ALL=C.UTF-8
cd -- "$folder" 2>/dev/null || cd /

child='' signalled=''
pass_on() {
	signalled=$1
	[ -z "$child" ] || case $1 in
	INT | QUIT) kill "-$1" -- "-$child" ;;	# a terminal's are for the whole group
	*) kill "-$1" "$child" ;;
	esac 2>/dev/null
}
for s in TERM INT QUIT HUP USR1 USR2; do
	# shellcheck disable=SC2064
	trap "pass_on $s" "$s"
done
${LAB_STANDS-:}	# a hook for scripts that source this file: from here on signals are passed on
# In a process group of its own (not a session: that would be another scheduling group), so that it cannot signal the driver's, and
# that in the background a Ctrl-C for the driver does not end the sessions under its hands: X servers don't ignore it though told
# to. (setsid makes one by itself, and as the leader of one it would fork.)
[ "$session" = new ] || set -m
# The streams belong to the command; the door keeps none of them open, and prints no message if the command is killed.
exec {in}<&0 {out}>&1 {err}>&2 </dev/null >/dev/null 2>&1
{
	if [ -n "$into" ]; then
		[ ! -d "$into/rest" ] || into+=/rest	# undo_groups.sh
		echo 0 >"$into/cgroup.procs" || { echo "cannot join the group $into" >&"$err"; exit 1; }
	fi
	exec "${chain[@]}" "$@"
} <&"$in" >&"$out" 2>&"$err" {in}<&- {out}>&- {err}>&- &
child=$!
set +m	# else wait also returns when the child is only stopped, and our going would end it
exec {in}<&- {out}>&- {err}>&-
[ -z "$signalled" ] || pass_on "$signalled"	# a signal that came before the command was started
while :; do
	signalled=''
	wait "$child"
	status=$?
	# 128 + SIGSTOP of one that is still there: it was stopped before set +m had its effect
	if [ "$status" = 147 ] && kill -0 "$child" 2>/dev/null; then
		[ -n "${idle-}" ] || exec {idle}<> <(:)
		read -r -t 0.05 -u "$idle"
		continue
	fi
	[ -n "$signalled" ] || break
done
# Not in a pipeline or $( ): there it would be the times of that subshell.
[ "$times" = - ] || times >>"$times"
# Where SIGINT ended the command, this script ends by it, too: only then does the calling bash treat the signal as its own.
if [ "$interrupt" = yes ] && [ "$status" = 130 ]; then
	trap - INT
	kill -INT $$
fi
exit "$status"
