# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# groups.sh - cpu groups and kernel switches of a lab's server. These changes do not end with the lab's processes, so a separate
# process on that machine (local/undo.sh) makes them, survives a kill -9 of the driver, and undoes them. For local.sh and ssh.sh,
# which define how that process is started: lab_undo_command sets LAB_COMMAND.

# lab_group NAME [OPTION]...: makes a cpu group that `lab_start -G NAME` starts commands in; they
# and their descendants compete there as one. 1, and the reason in LAB_WHY, where this machine does
# not give it. cgroup v1 or v2; NAME: a-z 0-9 -
#   shares=N                 weight beside other groups and logins (1024: what each of them has)
#   idle=1                   runs only when no other process wants the CPU
#   quota=PERCENT,PERIOD     no more than that part of one CPU in every period (25,100ms)
#   rt=1, rt_runtime=US      may hold real-time processes; and for no longer than this in a second (where groups have such a budget)
# lab_ungroup NAME: removes it, ending what still runs in it.
declare -gA LAB_GROUPS=()

lab_group() {
	unset "LAB_GROUPS[$1]" "LAB_IDLE[$1]"
	lab_change group "$@" || return
	LAB_GROUPS[$1]=$LAB_ANSWERED
	[[ " $* " != *" idle=1 "* ]] || LAB_IDLE[$1]=1	# lab_stop lifts it
}

lab_ungroup() {
	[ -n "${LAB_GROUPS[$1]-}" ] || return 0
	unset "LAB_GROUPS[$1]" "LAB_IDLE[$1]"
	lab_change drop "$1"
}

# lab_switch NAME [VALUE]: sets a switch of the whole machine (autogroup, delayacct: 0 or 1;
# rt_runtime: us; base_slice: ns; swappiness: 0 to 200; page_cluster: 2 to the power of it pages are
# read at once; thp: always, madvise, never; zswap: Y or N; scheduler:DISK: of its requests;
# rotational:DISK: 1 where it has one head; max_freq:CPU: kHz), or puts it back as it was. 1, and
# the reason in LAB_WHY, where that is not allowed.
lab_switch() { lab_change switch "$@"; }

# lab_change WORD...: a request to local/undo.sh; its answer in LAB_ANSWERED, or LAB_WHY. The time limit is long, since memory may
# have to be written to a disk. A later answer is not taken for that of the next request.
lab_change() {
	local answer='' i
	LAB_WHY='' LAB_ANSWERED=''
	[ "$BASHPID" = "$$" ] || die "lab_group runs in a subshell; call it in the main shell of the script"
	[ -n "${LAB_HOLDER-}" ] || die "the lab is not up; call lab_up first"
	[ -n "${LAB_UNDO-}" ] || lab_undo_start
	LAB_WHY="what makes groups and swap has ended; see $LAB_TIMES/lab.log"
	! lab_gone "$LAB_UNDO" || return	# or SIGPIPE would end the driver
	printf '%s\n' "$*" >&"$LAB_ASK"
	for ((i = 0; i < 600; i++)); do
		if read_line 0.2 "$LAB_TOLD"; then
			answer=$LINE
			[ "$LAB_LATE" -gt 0 ] || break
			LAB_LATE=$((LAB_LATE - 1)) answer=''
		else
			! lab_gone "$LAB_UNDO" || break
		fi
	done
	LAB_ANSWERED=${answer#* } LAB_WHY=${answer#* }
	[[ $answer == ok\ * ]] && return
	[ -n "$answer" ] || {
		LAB_LATE=$((LAB_LATE + 1)) LAB_WHY="'$*' is not done after two minutes"
		! lab_gone "$LAB_UNDO" || LAB_WHY="what makes groups and swap has ended at '$*'; see $LAB_TIMES/lab.log"
	}
	return 1
}

# Its input ends when the driver ends: no command in a host has the writing end.
lab_undo_start() {
	local both told LAB_COMMAND
	open_pipe both
	exec {told}<"/dev/fd/$both" {LAB_ASK}>"/dev/fd/$both" {both}>&-
	open_pipe LAB_TOLD
	lab_undo_command
	"${LAB_COMMAND[@]}" <&"$told" >&"$LAB_TOLD" 2>>"$LAB_TIMES/lab.log" {LAB_ASK}>&- {LAB_TALK}>&- {told}<&- &
	LAB_UNDO=$! LAB_LATE=0
	exec {told}<&-
}

# Undoes all changes once no process of the lab runs; called by lab_down. If that fails (swap that does not fit into memory), or
# undo.sh was killed, it is tried once more.
lab_undo_end() {
	local record
	[ -n "${LAB_UNDO-}" ] || return 0
	record=$(lab_query server records_folder "${LAB_LOCKS:-/tmp/thinprobe-locks}")/undo-$LAB_ID
	exec {LAB_ASK}>&-
	if wait_until 60 lab_gone "$LAB_UNDO"; then
		wait "$LAB_UNDO" 2>/dev/null || ! lab_query server test -e "$record" ||
			lab_undo_again "$record" >>"$LAB_TIMES/lab.log" 2>&1
	fi
	! lab_query server test -e "$record" ||
		warn "some of the changes that the lab made could not be undone" \
			"($(tail -n 1 -- "$LAB_TIMES/lab.log" 2>/dev/null)); undo them${LAB_AT_server-} with: thinprobe lab clean"
	exec {LAB_TOLD}>&-
	LAB_UNDO='' LAB_GROUPS=() LAB_IDLE=()
	lab_memory_none
}

# lab_undo_clean LOCKS RECORDS: undoes the recorded changes of labs whose undo.sh has ended; called by lab_clean. (Older versions
# had their records beside the locks.)
lab_undo_clean() {
	local f
	for f in "$2"/undo-?????? "$1"/undo-??????; do
		[ -O "$f" ] || continue
		LAB_LOCKS=$1 "$BASH" -p "$LAB_HERE/local/undo.sh" back "$f"
		[ -e "$f" ] || printf 'removed record %s\n' "$f"
	done
	[ "$1" = "$2" ] || rmdir -- "$2" 2>/dev/null
}
