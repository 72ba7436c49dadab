#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# keeper.sh - starts every command of one role, so that all are in one session: sshd gives each of
# its channels a session (and so a scheduling group) of its own, and load in another group than the
# user's is another experiment.
#
# keeper.sh FOLDER GUARD. Reads lines from FOLDER/ask: start JOB INTERRUPT (relay.sh) | up JOB, gone
# JOB (job.sh) | kill JOB SIGNAL, end (guard.sh). Sleeps between them.
set -u
folder=$1
[ "$PPID" = "$2" ] || exit 1	# the guard died before the death signal was set
trap '' HUP INT
exec </dev/null >/dev/null 2>&1 {ask}<>"$folder/ask"
cd -- "$folder/run" || exit 1
export LAB_REMOTE=$folder LAB_HOME=$folder
declare -A pid=() standing=() early=()

while IFS=' ' read -r -u "$ask" word n signal; do
	case $word in
	up | gone) [ -n "${pid[$n]-}" ] || continue ;;&
	start)
		again=()
		[ "$signal" = no ] || again=(env --default-signal=INT --default-signal=QUIT)	# a shell's background children ignore them
		setpriv --pdeathsig KILL ${again[@]+"${again[@]}"} bash -p "$folder/lab/ssh/job.sh" "$folder" "$n" $$ {ask}>&- &
		pid[$n]=$!
		printf '%s\n' "$!" >"$folder/job/$n.pid"
		;;
	up)
		standing[$n]=1
		for signal in ${early[$n]-}; do kill "-$signal" "${pid[$n]}"; done
		unset "early[$n]"
		;;
	kill)
		# A signal that is there before the command waits for it; KILL is for the command, its door stays to tell of it.
		if [ -z "${standing[$n]-}" ]; then
			early[$n]+=" $signal"
		elif [ "$signal" = KILL ]; then
			read -r child <"/proc/${pid[$n]}/task/${pid[$n]}/children" && kill -KILL "${child%% *}"
		else
			kill "-$signal" "${pid[$n]}"
		fi
		;;
	gone)
		wait "${pid[$n]}"
		unset "pid[$n]" "standing[$n]" "early[$n]"
		;;
	end)
		[ ${#pid[@]} -eq 0 ] || kill -TERM "${pid[@]}"
		ending=1
		;;
	esac
	[ -z "${ending-}" ] || [ ${#pid[@]} -gt 0 ] || exit 0
done
