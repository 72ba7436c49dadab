# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# set_load.sh - sets the load of a server that is not under our control (--on attach) before the cells that need it: by the
# user's command (--set-load) or, without one, by asking a person at the terminal.
#
# An experiment calls `load_check AXIS` in exp_check, load_begin in exp_begin, `load_session AXIS` in exp_session, load_away in
# exp_end_lab.

LOAD_NOW=''	# the load that was set last; ? if that failed; empty if none was set

# Keeps the cells of a load together. A single load without a command is only a label.
load_check() {	# load_check AXIS
	local why
	[ "$ON_BACKEND" = attach ] || return 0
	APPS=own
	if ! plan_given loads && [ -z "$RESUME" ]; then
		[ -z "$SET_LOAD" ] || exp_bad "--set-load needs --loads, such as --loads 0,5,10"
		LOADS=0
	fi
	if [ -n "$SET_LOAD" ]; then
		PLAN[group]=$1
	elif [[ $LOADS == *,* ]]; then
		[ "$EXP_ONLY" = 1 ] || { [ -t 0 ] && [ -t 2 ]; } ||
			exp_bad "--loads $LOADS with --on $ON: no terminal to ask for each load; use --set-load 'ssh HOST set-load %d', or one load"
		# Changing the load takes a person's time, so all repeats of a load come in a row.
		PLAN[group]=$1 PLAN[together]=repeats
		why="a person sets them, so all repeats of a load follow each other, and what changes on the server meanwhile"
		ABSENT+=("all loads in each repeat, in random order: $why may look like an effect of the load")
	fi
}

load_begin() { [ -z "${PLAN[group]-}" ] || on_exit load_away; }

load_session() { [ "${PLAN[group]}" != "$1" ] || load_set "${P[$1]}"; }	# load_session AXIS; 1: LAB_WHY

load_set() {	# load_set LOAD; 1: LAB_WHY
	[ "$LOAD_NOW" != "$1" ] || return 0
	LOAD_NOW='?'
	if [ -n "$SET_LOAD" ]; then
		load_run "$1" || return
	else
		load_ask "set the load to $1, then press Enter" || {
			LAB_WHY="nobody has set the load to $1"
			! stopped || LAB_WHY=interrupted
			return 1
		}
		nap 1	# until the person's hand has left the keyboard
	fi
	LOAD_NOW=$1
}

# load_ask WORDS: asks the person at the terminal through keep.sh, and waits for Enter; 1: none can come.
load_ask() {
	local answer=''
	[ ! -t 1 ] || printf '\r\033[K'
	printf '%s: ' "$1" >&2
	kill -USR1 "$PPID" || return
	until stopped || read -r -t 0 -u "$EXP_ANSWERS"; do nap 0.1; done
	! stopped && read -r -u "$EXP_ANSWERS" answer && [ "$answer" = enter ]
}

# Runs the user's command, for up to --set-load-timeout; what it leaves running is the load. 1: LAB_WHY.
load_run() {	# load_run LOAD [away]; away: even if the run is told to stop
	local command=${SET_LOAD//\%d/$1} seconds=${SET_LOAD_TIMEOUT:-60} log=$RUN/log/set-load.out pid status=0 begin gap=''
	[ -z "$(tail -c 1 "$log" 2>/dev/null)" ] || gap=$'\n'	# a command may have ended in the middle of a line
	{ printf '%s# load %s: %s\n' "$gap" "$1" "$command" >>"$log"; } 2>/dev/null || log=/dev/null
	begin=$(wc -c <"$log")
	# In its own session: it cannot read from the terminal, and all that it starts is in one process group.
	"${LAB_CLOSED[@]}" setpriv --pdeathsig KILL setsid sh -c "$command" </dev/null >>"$log" 2>&1 &
	pid=$!
	if wait_until "$seconds" load_ended "$pid" "${2-}" && lab_gone "$pid"; then
		wait "$pid"
		status=$?
		[ "$status" != 0 ] || return 0
		LAB_WHY="ended with status $status: $(tail -c "+$((begin + 1))" "$log" 2>/dev/null | tail -n 1)"
	else
		LAB_WHY="took longer than $seconds s (--set-load-timeout)"
		! stopped || [ -n "${2-}" ] || LAB_WHY="was interrupted"
		kill -TERM -- "-$pid" 2>/dev/null
		wait_until 1 lab_gone "$pid" || :
		{ kill -KILL -- "-$pid"; wait "$pid"; } 2>/dev/null
	fi
	LAB_WHY="cannot set the load to $1: $command $LAB_WHY"
	LAB_WHY=${LAB_WHY%: }
	return 1
}
load_ended() { lab_gone "$1" || { [ -z "$2" ] && stopped; }; }	# load_ended PID [away]

# Removes the load, also after Ctrl-C, or tells the user how to.
load_away() {
	[ -n "$LOAD_NOW" ] || return 0
	LOAD_NOW=''
	if [ -z "$SET_LOAD" ]; then
		warn "the run is over: please set the load on the server back to 0"
	elif ! load_run 0 away; then
		warn "$LAB_WHY; check that no load is left on the server"
	fi
}
