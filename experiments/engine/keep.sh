#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# keep.sh DRIVER ARGUMENT... - runs a driver and takes the signals for it.
#
# bash 5.2 runs a pending trap in the middle of parsing the next command substitution, and breaks both. A driver is full of
# these; here is none. So signals come here, and the driver looks whether one has come where it is safe (lab/lib.sh, stop_here):
# the pipe LAB_STOP_FD is at its end then, as it is when this shell is gone. If this shell is killed, the driver dies with it.
#
# A driver that is killed cannot say so in its run.json: this shell does, of the run folder that the driver wrote into the pipe
# EXP_RUN_TOLD, with the words that call it, when it had made the folder.
#
# Nor can a driver read from its terminal: it is not in the foreground there. For USR1 this shell waits for a line, and
# says through the pipe EXP_ANSWERS that it has come (enter), or that none will (end).
set -u
# Pipes without a name, which no signal can leave behind. Open for both directions at first: opening does not wait for another.
exec {both}<> <(:)
exec {told}<"/dev/fd/$both" {keep}>"/dev/fd/$both" {both}>&-
exec {both}<> <(:)
exec {ended}<"/dev/fd/$both" {alive}>"/dev/fd/$both" {both}>&-
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
# A process group of its own: a Ctrl-C is for this shell. The session, and with it the scheduling group, stays the same.
set -m
[ -n "$keep" ] || exit 130
EXP_KEPT=$$ LAB_STOP_FD=$told EXP_ANSWERS=$answers EXP_RUN_TOLD=$runs \
	setpriv --pdeathsig KILL "$BASH" -- "$@" {keep}>&- {ended}<&- &
driver=$!
exec {told}<&- {alive}>&-
exec {said}>&2 2>/dev/null	# bash itself tells of a job that was killed
# Answers the question if a line has come, or none will. Reads only what is there: a read that times out as a line comes loses it.
look() {
	local line=end
	if [ -n "$keep" ]; then
		read -r -t 0 || return
		! read -r -t 1 _ || line=enter
	fi
	asked=''	# before the answer: the next question may follow it at once
	echo "$line" >&"$answers"
}
# Not a `wait`: a signal that comes just before it would be taken after it, and one just after it would be its status. This read is
# at its end with the driver and all that it has started; what it leaves running does not hold this shell up. No trap may read: in
# bash 5.2 the read that it interrupts would lose its time limit.
while kill -0 "$driver" 2>/dev/null; do
	read -r -t "${asked:-1}" -u "$ended" _
	[ -z "$asked" ] || look
done
# A pending signal becomes the status of the first wait; the second has the driver's.
wait "$driver" || wait "$driver"
status=$?
# It ends by itself with 130 at most.
[ "$status" -gt 130 ] || exit "$status"
if { read -r -d '' -t 0.1 run && read -r -d '' -t 0.1 called; } <&"$runs" &&
	new=$(jq 'select(.state == "running") | .state = "interrupted" | .reason = "the driver was killed" | .ended = (now | todate)' \
		"$run/run.json") && [ -n "$new" ] && printf '%s\n' "$new" >"$run/run.json.new" &&
			mv "$run/run.json.new" "$run/run.json"; then
	printf 'thinprobe: this run was killed, and is interrupted; go on with: %s --resume %q\n' "$called" "$run" >&"$said"
	exit 130
fi
echo "thinprobe: this run was killed" >&"$said"
exit "$status"
