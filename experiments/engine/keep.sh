#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# keep.sh DRIVER ARGUMENT... - runs a driver and takes the signals for it.
#
# bash 5.2 runs a pending trap in the middle of parsing the next command substitution, and breaks both. A driver is full of
# command substitutions; this script has none. So this script receives the signals and then closes the pipe LAB_STOP_FD; the
# driver looks at safe places whether the pipe is at its end (lab/lib.sh, stop_here). If this shell is killed, the driver dies too.
#
# A driver that is killed cannot mark its run.json as interrupted, nor remove the locks of its CPUs: a third process does, which
# also does it if this shell is killed. The driver writes its run folder and its command into the pipe EXP_RUN_TOLD once the folder
# is made.
#
# Nor can a driver read from the terminal, since it is in a background process group. It sends USR1 to this shell, which waits for
# a line and writes into the pipe EXP_ANSWERS: "enter" for a line, "end" if none can come.
set -u
for fd in 0 1 2; do [ -e /dev/fd/$fd ] || eval "exec $fd<>/dev/null"; done
[[ $(ulimit -n) == unlimited || $(ulimit -n) -ge 64 ]] ||
	{ echo "thinprobe: only $(ulimit -n) files may be open at once here, too few; ulimit -n 1024 allows more" >&2; exit 1; }
# (bash would try for 15 s to start each of them.)
[[ $(ulimit -u) == unlimited || $(ulimit -u) -ge 1000 ]] || why=$("$TP_BIN/sink" -n 24 -t 1ms 2>&1 >/dev/null) ||
	{ echo "thinprobe: cannot start 24 processes, which a run needs at least: ${why##*: }; raise ulimit -u" >&2; exit 1; }
# Anonymous pipes, so that no signal can leave files behind. Opened for reading and writing, so that opening does not block.
exec {both}<> <(:)
exec {told}<"/dev/fd/$both" {keep}>"/dev/fd/$both" {both}>&-
exec {both}<> <(:)
exec {ended}<"/dev/fd/$both" {alive}>"/dev/fd/$both" {both}>&-
exec {both}<> <(:)
exec {over}<"/dev/fd/$both" {ends}>"/dev/fd/$both" {both}>&-
exec {answers}<> <(:)
exec {runs}<> <(:)
asked=''	# while a line is waited for: seconds between two looks at the terminal
# shellcheck disable=SC2317 # the trap calls it
tell() {
	[ -z "$keep" ] || exec {keep}>&-
	keep=''
}
trap tell TERM HUP INT
trap asked=0.2 USR1
# The driver gets its own process group, so that Ctrl-C reaches this shell only. The session, and its autogroup, stay the same.
set -m
[ -n "$keep" ] || exit 130
# Waits until this shell has ended, or says that the driver has.
clean_up() {
	local word='' run called new
	trap '' TERM HUP INT USR1 TTOU
	[ -z "$keep" ] || exec {keep}>&-
	exec {ends}>&- {told}<&- {alive}>&- {said}>&2 2>/dev/null
	read -r word <&"$over"
	[ "$word" != ended ] || exit 0
	read -r -t 2 -u "$ended" _	# the driver's children end with it
	. "${BASH_SOURCE[0]%/*}/../../lab/locks.sh"
	# A process that is killed closes its files one by one: the pipe may be at its end before the locks are free.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		locks_tidy "${LAB_LOCKS:=/tmp/thinprobe-locks}" >/dev/null
		[ -e "$LAB_LOCKS" ] || break	# (other runs may have locks there)
		sleep 0.1
	done
	if { read -r -d '' -t 0.1 run && read -r -d '' -t 0.1 called; } <&"$runs" &&
		{
			rm -f -- "$run"/*.password "$run"/*.known "$run/own-display.cookie"
			find "$run/cells" -path '*/log/*' -type l -delete	# links to logs in a guest: none may be there to resume
			:
		} &&
		new=$(jq 'select(.state == "running") | .state = "interrupted" | .reason = "the driver was killed" | .ended = (now | todate)' \
			"$run/run.json") && [ -n "$new" ] && rm -f -- "$run/run.json.new" &&
			(set -C && printf '%s\n' "$new" >"$run/run.json.new") && mv -T "$run/run.json.new" "$run/run.json"; then
		printf 'thinprobe: this run was killed, and is interrupted; go on with: %s --resume %q\n' "$called" "$run" >&"$said"
		exit 130
	fi
	echo "thinprobe: this run was killed" >&"$said"
	exit 0
}
clean_up &
cleaner=$!
EXP_KEPT=$$ LAB_STOP_FD=$told EXP_ANSWERS=$answers EXP_RUN_TOLD=$runs \
	setpriv --pdeathsig KILL "$BASH" -- "$@" {keep}>&- {ended}<&- {over}<&- {ends}>&- &
driver=$!
exec {told}<&- {alive}>&-
exec {over}<&- 2>/dev/null	# hides bash's own message about a killed job
# Answers the question if a line has come, or none can. Reads only what is there: a read that times out while a line comes loses it.
look() {
	local line=end
	if [ -n "$keep" ]; then
		read -r -t 0 || return
		! read -r -t 1 _ || line=enter
	fi
	asked=''	# before the answer: the next question may follow it at once
	echo "$line" >&"$answers"
}
# A read, not a `wait`: bash would handle a signal that comes just before `wait` only after it, and one just after would become its
# status. The read ends when the driver and its children have ended, whatever they leave running. No trap may read: in bash 5.2
# the interrupted read would lose its time limit.
while kill -0 "$driver" 2>/dev/null; do
	read -r -t "${asked:-1}" -u "$ended" _
	[ -z "$asked" ] || look
done
# A pending signal becomes the status of the first wait; the second has the driver's.
wait "$driver" || wait "$driver"
status=$?
# The driver's own status after a signal is 130.
trap '' PIPE TERM HUP INT USR1	# a wait that a signal interrupts has that signal's status
if [ "$status" -le 130 ]; then echo ended; else echo killed; fi >&"$ends"
wait "$cleaner"
[ $? != 130 ] || status=130
exit "$status"
