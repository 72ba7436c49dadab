# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# jobs.sh - starts, waits for and ends the commands of a lab. For back-ends in which each command has a door: a child process of the
# driver that passes signals on to the command and returns its exit status.
#
# A back-end gives: lab_command [-C] [-S] [-R] [-X] [-M GROUP] ROLE COMMAND... (sets LAB_COMMAND,
# the door and its words; LAB_LINE, the connection that it takes, where there are several), lab_child
# PID (sets LAB_CHILD), lab_grouped GROUP WORD..., lab_kill PID
# (SIGKILL for the command behind a door), lab_fetch ROLE FILE (brings home what -o has named, unless lab_command says, by an
# empty LAB_AWAY, that it is here).
LAB_PIDS=() LAB_AWAY=1
declare -gA LAB_PID_OF=() LAB_BRING=() LAB_GROUP_OF=() LAB_LINE_OF=() LAB_IDLE=()

# A zombie is gone as well: it holds nothing.
lab_gone() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	stat=${stat##*) }
	[ "${stat%% *}" = Z ]
}

# lab_begin: makes the folders LAB_RUN and LAB_LOG, from here on absolute paths. Sets LAB_TIMES to LAB_LOG: this folder stays the
# same when a driver changes LAB_LOG for each cell. Called by lab_up.
lab_begin() {
	[ "$BASHPID" = "$$" ] || die "lab_up runs in a subshell; call it in the main shell of the script"
	[ -z "${LAB_HOLDER-}" ] || die "the lab is up already; call lab_down first"
	[ -n "${LAB_RUN-}" ] || die "-$EXIT_USAGE" "LAB_RUN is not set; name the run folder"
	mkdir -p -- "$LAB_RUN" || die "cannot make the run folder $LAB_RUN"
	LAB_RUN=$(cd -- "$LAB_RUN" && pwd -P)
	: "${LAB_LOG:=$LAB_RUN/log}"
	mkdir -p -- "$LAB_LOG" || die "cannot make $LAB_LOG"
	LAB_LOG=$(cd -- "$LAB_LOG" && pwd -P)
	LAB_TIMES=$LAB_LOG
	printf -v LAB_ID '%04x%02x' "$(($$ & 0xffff))" "$((RANDOM & 0xff))"
}

# lab_comes SECONDS PID COMMAND...: waits until COMMAND succeeds; 1 when it never did, or what lab_start gave PID for has ended.
lab_comes() { wait_until "$1" lab_came_or_gone "${@:2}" && ! lab_gone "$2"; }
lab_came_or_gone() { lab_gone "$1" || "${@:2}"; }

# lab_hear DEADLINE_MS WORDS [CURE]: sets LINE to the next line of the lab's holder; if none comes, ends the lab and the driver.
lab_hear() {
	local last
	stop_here	# also while a host never stops speaking
	until read_line 0.2 "$LAB_TALK"; do
		stop_here
		now_ms
		[ "$NOW_MS" -lt "$1" ] && ! lab_gone "$LAB_HOLDER" && continue
		# Its last word may have come just before its end.
		! read_line 0.2 "$LAB_TALK" || return 0
		last=$(tail -n 1 -- "$LAB_LOG/lab.log" 2>/dev/null)
		lab_down
		die "$2${last:+: $last}${3-}"
	done
}

# lab_exec [-C] [-S] [-R] [-M GROUP] ROLE COMMAND...: in the foreground; streams and exit status are the command's.
lab_exec() {
	local LAB_COMMAND
	lab_command -X "$@" || return
	"${LAB_COMMAND[@]}"
}

# lab_start [-C] [-S] [-R] [-G GROUP] [-M GROUP] [-i FD] [-o FILE]... ROLE NAME COMMAND...: in the
# background, output to $LAB_LOG/NAME.out and .err, sets LAB_PID: `kill` (TERM, HUP, USR1, USR2)
# reaches the command, `wait` gives its status. No -i: no input. -o: the command writes this file,
# below the run folder; it is there when lab_wait or lab_stop has returned, wherever the command
# ran. -G: in that cpu group (lab_group; default LAB_GROUP, - for none), behind the words LAB_BEFORE
# (array: such as `chrt -r 10`), with all its descendants: of what the server runs; the back-end's
# lab_grouped does that. -M: in that memory group (lab_memory_group; - for none), in place of the
# server's, where there is one (memory.sh).
lab_start() {
	local OPTIND=1 opt flags=() in='' files=() role name group=${LAB_GROUP-} LAB_COMMAND
	while getopts CSRG:M:i:o: opt; do
		case $opt in
		M) flags+=(-M "$OPTARG") ;;
		G) group=$OPTARG ;;
		i) in=$OPTARG ;;
		o) files+=("$OPTARG") ;;
		C | S | R) flags+=("-$opt") ;;
		*) return "$EXIT_USAGE" ;;
		esac
	done
	shift $((OPTIND - 1))
	role=$1 name=$2
	shift 2
	lab_command ${flags[@]+"${flags[@]}"} "$role" "$@" || return
	[ "$role" = server ] && [ -n "${group#-}${LAB_BEFORE[*]-}" ] && lab_grouped "${group#-}" ${LAB_BEFORE[@]+"${LAB_BEFORE[@]}"}
	# Emptied here, not by the child, so that lab_ready never sees an older "ready".
	{ : >"$LAB_LOG/$name.out" && : >"$LAB_LOG/$name.err"; } || die "cannot write to $LAB_LOG"
	if [ -n "$in" ]; then
		"${LAB_COMMAND[@]}" <&"$in" >>"$LAB_LOG/$name.out" 2>>"$LAB_LOG/$name.err" &
	else
		"${LAB_COMMAND[@]}" </dev/null >>"$LAB_LOG/$name.out" 2>>"$LAB_LOG/$name.err" &
	fi
	LAB_PID=$!
	LAB_PIDS+=("$LAB_PID")
	LAB_PID_OF[$name]=$LAB_PID
	LAB_BRING[$LAB_PID]='' LAB_GROUP_OF[$LAB_PID]=$group LAB_LINE_OF[$LAB_PID]=${LAB_LINE-}
	[ ${#files[@]} -eq 0 ] || [ -z "$LAB_AWAY" ] || printf -v "LAB_BRING[$LAB_PID]" '%s\037' "$role" "${files[@]}"
}

# lab_tap [-o FILE]... NAME OPTION...: the capture, as lab_start, where this lab can have one (LAB_TAP_IF is not empty). A listener
# takes what is for others.
lab_tap() {
	local OPTIND=1 opt files=() others=()
	while getopts o: opt; do files+=(-o "$OPTARG"); done
	shift $((OPTIND - 1))
	[ "${LAB_TAP[0]}" != listener ] || others=(--promiscuous)
	[ -z "${LAB_TAP_SERVER-}" ] || others+=(--server "$LAB_TAP_SERVER")
	lab_start ${files[@]+"${files[@]}"} "${LAB_TAP[@]}" "$1" "$TP_BIN/prototap" live -i "$LAB_TAP_IF" \
		${others[@]+"${others[@]}"} \
		"${@:2}" --format json
}

# Default for back-ends without groups.
lab_grouped() { die "-$EXIT_USAGE" "a server that is not under our control gets no cpu groups and priorities"; }

# lab_ready NAME SECONDS: waits for a line "ready" on the standard error of what lab_start called NAME; 1 and its
# last line when it ended before or took too long.
lab_ready() {
	local MS NOW_MS end last='' line
	seconds_ms "$2"
	now_ms
	end=$((NOW_MS + MS))
	while :; do
		lab_gone "${LAB_PID_OF[$1]:-0}" && end=0
		while IFS= read -r line || [ -n "$line" ]; do
			[ "$line" = ready ] && return 0
			[ -n "$line" ] && last=$line
		done <"$LAB_LOG/$1.err"
		now_ms
		if [ "$NOW_MS" -ge "$end" ]; then
			[ "$end" = 0 ] && line="ended before it was ready" || line="was not ready in $2 s"
			warn "$1 $line: ${last:-it printed nothing}"
			return 1
		fi
		nap 0.01
	done
}

# lab_wait PID: waits for it like `wait` and gives its status; over 128 it may still run (told to stop, or a signal ended the wait).
lab_wait() {
	local status
	if [ -n "${LAB_STOP_FD-}" ]; then
		until lab_gone "$1" || stopped; do nap 0.1; done
		stop_here
		lab_gone "$1" || return 130
	fi
	lab_status "$1"
	status=$?
	[ "$status" -gt 128 ] && lab_ours "$1" || lab_forget "$1"
	return "$status"
}

# lab_status PID: what a child ended with. Bash 5.2 takes the end of a child for that of a process substitution that had the same
# number before (of 13,000 children three, without process substitutions none of 22,905). By its table of jobs the child runs on
# then, and `wait` would never return: 255, as what it ended with is not known.
lab_status() {
	local running=''
	if lab_gone "$1"; then
		wait_until 1 lab_taken "$1"	# by bash, as soon as its end is signalled
		running=$(jobs -rp)
	fi
	if [[ $'\n'$running$'\n' == *$'\n'"$1"$'\n'* ]]; then
		disown "$1"
		return 255
	fi
	wait "$1" 2>/dev/null	# (bash would say "Killed" of one that was)
}
lab_taken() { [ ! -e "/proc/$1" ]; }

# Whether the pid is still a child of this shell: another process may have the same pid by now.
lab_ours() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
	stat=${stat##*) }
	[[ $stat == [!Z]\ $$\ * ]]
}

# lab_stop PID...: SIGTERM, up to 3 s, then SIGKILL; returns when all are gone.
lab_stop() { lab_stop_within 3 "$@"; }

lab_stop_within() {
	local seconds=$1 pid alive=() group idle='' LAB_WHY LAB_ANSWERED	# the caller's reason stays
	shift
	for pid in "$@"; do
		[ -n "$pid" ] && lab_ours "$pid" || continue
		alive+=("$pid")
		group=${LAB_GROUP_OF[$pid]:--}
		[ -z "${LAB_IDLE[$group]-}" ] || idle=$group
	done
	if [ ${#alive[@]} -gt 0 ]; then
		# Before the door is ready, a signal would end a copy of this shell, not the command.
		for pid in "${alive[@]}"; do wait_until 1 lab_door_stands "$pid"; done
		# In a group with cpu.idle it would not get the CPU time to end.
		[ -z "$idle" ] || lab_change regroup "$idle" idle=0
		kill -TERM "${alive[@]}" 2>/dev/null
		wait_until "$seconds" lab_all_gone "${alive[@]}"
		for pid in "${alive[@]}"; do
			lab_gone "$pid" && continue
			# Kill the command, not its door: the door then ends by itself, and bash prints no message about a kill.
			[ -n "${LAB_BRING[$pid]+door}" ] || disown "$pid"	# (nor of what has none)
			lab_kill "$pid"
		done
		wait_until 3 lab_all_gone "${alive[@]}"
		[ -z "$idle" ] || lab_change regroup "$idle" idle=1
	fi
	for pid in "$@"; do
		# (bash remembers the status of a job that was stopped before)
		if [ -n "$pid" ] && [[ " ${LAB_PIDS[*]-} ${alive[*]-} " == *" $pid "* ]] && lab_gone "$pid"; then
			lab_status "$pid"
			lab_died "$?" "$pid" "${alive[@]}"
		fi
		lab_forget "$pid"
	done
	return 0
}

# lab_died STATUS PID STOPPED...: sets LAB_DIED if the process was killed (SIGKILL, as when out of memory) or crashed, and is none
# of those that we have STOPPED: what was measured since was not measured beside it.
LAB_DIED=''
lab_died() {
	local name
	[[ $1 == 13[2-79] && " ${*:3} " != *" $2 "* ]] || return 0
	for name in "${!LAB_PID_OF[@]}"; do
		[ "${LAB_PID_OF[$name]}" != "$2" ] || LAB_DIED="$name ended by signal $(($1 - 128)) while it was needed"
	done
}

lab_door_stands() {	# (only what lab_start starts has a door)
	local MACHINE_CHILD
	[ -n "${LAB_BRING[$1]+door}" ] || return 0
	machine_child "$1"
	[ "$MACHINE_CHILD" != "$1" ] || lab_gone "$1"
}

lab_all_gone() {
	local pid
	for pid in "$@"; do lab_gone "$pid" || return 1; done
}

# Removes ended jobs from the list, and fetches the files that they wrote.
lab_forget() {
	local p others=() files=()
	unjoin files "${LAB_BRING[${1:-none}]-}"
	unset "LAB_BRING[${1:-none}]" "LAB_GROUP_OF[${1:-none}]" "LAB_LINE_OF[${1:-none}]"
	for p in ${files[@]+"${files[@]:1}"}; do lab_fetch "${files[0]}" "$p"; done
	for p in ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}; do [ "$p" = "$1" ] || others+=("$p"); done
	LAB_PIDS=(${others[@]+"${others[@]}"})
}

