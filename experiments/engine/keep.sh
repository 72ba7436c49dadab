#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# keep.sh DRIVER ARGUMENT... - runs a driver and takes the signals for it.
#
# bash 5.2 runs a pending trap in the middle of parsing the next command substitution, and breaks both. A driver is full of
# these; here is none. So signals come here, and the driver looks whether one has come where it is safe (lab/lib.sh, stop_here):
# the pipe LAB_STOP_FD is at its end then, as it is when this shell is gone. If this shell is killed, the driver dies with it.
set -u
# A pipe without a name, which no signal can leave behind. Open for both directions at first: opening does not wait for another.
exec {both}<> <(:)
exec {told}<"/dev/fd/$both" {keep}>"/dev/fd/$both" {both}>&-
# shellcheck disable=SC2317 # the trap calls it
tell() {
	[ -z "$keep" ] || exec {keep}>&-
	keep=''
}
trap tell TERM HUP INT
# A process group of its own: a Ctrl-C is for this shell. The session, and with it the scheduling group, stays the same.
set -m
[ -n "$keep" ] || exit 130
EXP_KEPT=$$ LAB_STOP_FD=$told setpriv --pdeathsig KILL "$BASH" -- "$@" {keep}>&- &
driver=$!
exec {told}<&-
while :; do
	wait "$driver"
	status=$?
	kill -0 "$driver" 2>/dev/null || break
done
exit "$status"
