#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# undo.sh - makes the changes of a lab that do not die with it, and takes them back: cpu and memory
# groups (undo_groups.sh), swap (undo_swap.sh), a disk of its own (undo_disk.sh), switches of the
# kernel.
#
# undo.sh serve: one request a line on standard input, one answer a line on standard output, "ok [ANSWER]" or "no WHY":
#   group NAME [shares=N] [idle=1] [quota=PERCENT,PERIOD] [rt=1] [rt_runtime=US]   makes a cpu group, answers with its folder
#   drop NAME            ends and removes it
#   memory NAME [limit=BYTES] [swap=yes|no] [swappiness=N] [low=BYTES] [min=BYTES]
#                        makes a memory group; answers "VERSION FOLDER", the cgroups' version
#   limit NAME OPTION... changes it, in the order said
#   forget NAME          ends and removes it
#   swap KIND BYTES      switches swap on (file, zram, slow:DELAY); answers "DEVICE SECOND-DEVICE WHAT IT IS"
#   unswap [hold]        switches it off again (hold: another one follows); delay TIME: of each read of the slow one
#   disk KIND BYTES      makes a disk (slow, file); answers "DEVICE WHAT IT IS"; disk-hold: it is
#                        mounted, and lets go when it is not any more; own: "DEVICE FOLDER WHAT IT IS"
#   disk-delay TIME [READ-RATE WRITE-RATE]   of each read and write of a slow one
#   disk-takes N         so many requests at a time go to it; undisk: takes it away
#   switch NAME [VALUE]  sets a switch (switch_file names them); without a value puts back what it was
# The end of the input (nobody of the lab is left, however the driver ended) takes all of it back.
# What is to be taken back is on record before it is done, so that a lab of which even this process
# was killed is put right by `thinprobe lab clean`: undo.sh back RECORD
#
# Environment: LAB_ID LAB_LOCKS; for tests LAB_PROC (a folder with `mounts` and `cgroup`) and
# LAB_SWITCHES (a folder with the switches).
set -u
trap '' TERM INT HUP	# the end of the driver is our end, not its signals
: "${LAB_LOCKS:=/tmp/thinprobe-locks}" "${LAB_PROC:=/proc/self}" "${LAB_ID:=}"
# It outlives a driver that was killed, whose locks must not.
for undo_fd in /proc/"$$"/fd/[0-9][0-9]*; do
	undo_fd=${undo_fd##*/}
	[ "$undo_fd" = 255 ] || exec {undo_fd}>&-	# 255: this file
done
undo_here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source=lab/locks.sh
. "$undo_here/../locks.sh"
# shellcheck source=lab/local/undo_groups.sh
. "$undo_here/undo_groups.sh"
# shellcheck source=lab/local/undo_swap.sh
. "$undo_here/undo_swap.sh"
# shellcheck source=lab/local/undo_disk.sh
. "$undo_here/undo_disk.sh"

exec {nap_fd}<> <(:)
nap() { read -r -t "$1" -u "$nap_fd" _; }

# put FILE VALUE: 0, or the kernel's words in `why`. (In one write: a control file takes it as a whole.)
put() {
	why=$({ printf '%s\n' "$2" >"$1"; } 2>&1) && return
	why=${why##*: }
	return 1
}

switch_file() {
	if [ -n "${LAB_SWITCHES-}" ]; then
		printf '%s' "$LAB_SWITCHES/$1"
		return
	fi
	case $1 in
	autogroup) printf /proc/sys/kernel/sched_autogroup_enabled ;;
	rt_runtime) printf /proc/sys/kernel/sched_rt_runtime_us ;;
	base_slice) printf /sys/kernel/debug/sched/base_slice_ns ;;
	delayacct) printf /proc/sys/kernel/task_delayacct ;;
	swappiness) printf /proc/sys/vm/swappiness ;;
	page_cluster) printf /proc/sys/vm/page-cluster ;;
	thp) printf /sys/kernel/mm/transparent_hugepage/enabled ;;
	zswap) printf /sys/module/zswap/parameters/enabled ;;
	scheduler:*[!a-z0-9]* | rotational:*[!a-z0-9]* | max_freq:*[!0-9]*) return 1 ;;
	scheduler:* | rotational:*) printf '/sys/block/%s/queue/%s' "${1#*:}" "${1%%:*}" ;;
	max_freq:*) printf '/sys/devices/system/cpu/cpu%s/cpufreq/scaling_max_freq' "${1#*:}" ;;
	*) return 1 ;;
	esac
}

# switch_value FILE: sets value; of a list of words the one in brackets.
switch_value() {
	read -r value 2>/dev/null <"$1" || return
	[[ $value != *\[*\]* ]] || { value=${value#*\[} value=${value%%\]*}; }
}

# ---- what is to be taken back ----

# A record: lines "group FOLDER", "controller FILE NAME", "switch NAME VALUE", and those of
# undo_swap.sh, in the order of doing. What cannot be noted is not done.
note_down() {
	{ printf '%s\n' "$*" >>"$record"; } 2>/dev/null && return
	why="cannot write to $record: is the disk full?"
	return 1
}

# In place: the lock is on this very file.
write_record() {	# write_record RECORD LINE...
	local record=$1
	shift
	[ $# = 0 ] || set -- "$(printf '%s\n' "$@")"$'\n'
	printf '%s' "${1-}" >"$record"
}

forget_last() {
	local lines
	mapfile -t lines <"$record"
	write_record "$record" "${lines[@]:0:${#lines[@]}-1}"
}

# back_lines RECORD WORD|WORD...: takes back what these lines say, the last one first, and strikes them out. 1: some remain.
back_lines() {
	local lines left=() i what rest failed=''
	mapfile -t lines <"$1"
	for ((i = ${#lines[@]} - 1; i >= 0; i--)); do
		read -r what rest <<<"${lines[i]}"
		# What swap is on stays, as long as it is on.
		if [[ "|$2|" == *"|$what|"* ]] && { [[ "$failed" != *swap* ]] || [[ "|slowdisk|loop|zram|folder|" != *"|$what|"* ]]; }; then
			back_line "$what" "$rest" && continue
			failed+=" $what"
		fi
		left=("${lines[i]}" ${left[@]+"${left[@]}"})
	done
	write_record "$1" ${left[@]+"${left[@]}"}
	[ -z "$failed" ]
}

back_line() {	# back_line WHAT WORDS: 1, when it has to be tried again
	local name=${2%% *} file value
	case $1 in
	group)
		[[ $name == */thinprobe-??????[-.]* && $name != *..* && -d $name ]] || return 0
		remove_group "$name" && echo "removed group $name" && return
		echo "cannot remove group $name"
		return 1
		;;
	controller)
		value=${2#"$name"}
		[[ $name == */cgroup.subtree_control && -e $name ]] && put "$name" "-${value# }" &&
			echo "gave back the${value} controller of ${name%/*}"
		return 0
		;;
	switch)
		file=$(switch_file "$name") && switch_value "$file" && [ "$value" != "${2#* }" ] || return 0
		put "$file" "${2#* }" && echo "set $file back to ${2#* }" && return
		echo "cannot set $file back to ${2#* }: $why"
		return 1
		;;
	folder | loop | disk-folder | disk-loop) "back_${1#disk-}" "$2" ;;
	disk-slow) back_slowdisk "$name" "${2#* }" ;;
	disk-takes) back_takes "$name" "${2#* }" ;;
	swap | zram | slowdisk) "back_$1" "$name" "${2#* }" ;;
	esac
}

# Nobody runs any more before swap ends: what was swapped is theirs, and need not come back; and not at the speed of a slow disk.
take_back() {	# take_back RECORD
	local what rest
	while read -r what rest; do [ "$what" != group ] || end_group "$rest"; done <"$1"
	hurry "$1" slowdisk disk-slow
	back_lines "$1" 'group|controller|switch|swap|zram|loop|slowdisk|folder|disk-takes|disk-loop|disk-slow|disk-folder'
}

# ---- switches ----

declare -A was=() lock=()
set_switch() {	# set_switch NAME [VALUE]
	local file old value
	file=$(switch_file "$1") || { why="no switch $1"; return 1; }
	if [ $# = 1 ]; then
		[ -z "${was[$1]+there}" ] || put "$file" "${was[$1]}" || return
		[ "$1" != swappiness ] || [ -z "${was[$1]+there}" ] || groups_too "${was[$1]}"
		return 0
	fi
	switch_value "$file" || {
		[ -e "$file" ] && why="$file may not be read" || why="this kernel has no $file (or it is not mounted)"
		return 1
	}
	old=$value
	if [ -z "${was[$1]+there}" ]; then
		hold "$1" || return
		note_down switch "$1" "$old" || return
		was[$1]=$old
	fi
	put "$file" "$2" && { [ "$1" != swappiness ] || groups_too "$2"; } && return
	why="$file may not be changed: $why"
	return 1
}

# In cgroup v1 a group has taken over the machine's swappiness when it was made.
groups_too() {
	local file
	for file in "${base[memory]:-/none}/thinprobe-$LAB_ID".*/memory.swappiness; do [ ! -e "$file" ] || put "$file" "$1" || return; done
}

# Two labs that change one switch would put back each other's values.
hold() {
	locks_take "$LAB_LOCKS/switch-$1" && lock[$1]=$LOCK && return
	why="another lab has changed the switch $1"
	return 1
}

let_go() {
	local fd=${lock[$1]-}
	[ -z "$fd" ] || exec {fd}<&-
	unset "lock[$1]"
}

serve() {
	local line words group answer why fd status=0 name=$LAB_LOCKS/undo-$LAB_ID
	record=$name
	for _ in 1 2 3; do	# another's end may remove the folder before the record is in it
		locks_folder "$LAB_LOCKS" && (umask 077 && set -C && : >"$record") 2>/dev/null && break
	done
	[ -f "$record" ] || { read -r _; echo "no cannot write $record"; exit 1; }
	exec {fd}<"$record"
	flock "$fd"	# as long as it is held, nobody else takes this back
	record=/proc/$$/fd/$fd	# whoever clears the folder of locks away: this is known
	while read -r line; do
		read -ra words <<<"$line"
		set -- "${words[@]:1}"
		why='' group='' answer=''
		case ${words[0]-} in
		group) make_group cpu "$@" && answer=$group ;;
		regroup) change_group cpu "$@" ;;
		drop) drop_group cpu "$@" ;;
		memory) make_group memory "$@" && answer="${version[memory]} $group" ;;
		limit) change_group memory "$@" ;;
		forget) drop_group memory "$@" ;;
		swap) make_swap "$@" ;;
		unswap) unmake_swap "$@" ;;
		delay) swap_delay "$@" ;;
		disk) make_disk "$@" ;;
		disk-hold) hold_disk ;;
		disk-delay) disk_delay "$@" ;;
		disk-takes) disk_takes "$@" ;;
		undisk) unmake_disk ;;
		switch) set_switch "$@" ;;
		*) why="no request $line" && false ;;
		esac && echo "ok $answer" || echo "no ${why:-it failed}"
	done
	let_scratch_go
	take_back "$record" >/dev/null && rm -f -- "$name" || status=1
	for fd in ${lock[@]+"${lock[@]}"}; do exec {fd}<&-; done
	locks_tidy "$LAB_LOCKS" >/dev/null
	return "$status"
}

case ${1-} in
serve) serve ;;
back) take_back "$2" && rm -f -- "$2" ;;
esac
