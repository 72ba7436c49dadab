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
# The end of the input (the driver has ended, in whatever way), and then of the hosts, takes all of it back.
# What is to be taken back is on record before it is done, so that a lab of which even this process
# was killed is put right by `thinprobe lab clean`: undo.sh back RECORD (2: that lab is up)
#
# Environment: LAB_ID LAB_LOCKS LAB_HOSTS (pids of the hosts, if they are here); for tests LAB_PROC (a folder with `mounts` and
# `cgroup`) and LAB_SWITCHES (a folder with the switches).
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

# A record (in records_folder; read by descriptor): lines "group FOLDER", "controller FILE NAME", "switch NAME VALUE", those of
# undo_swap.sh and of undo_disk.sh, in the order of doing; "done N" strikes line N out, so that a full disk or a kill loses nothing.
# What cannot be noted is not done.
note_down() {
	append "$record" "$*" && return
	why="cannot write to $record: is the disk full?"
	return 1
}

append() { cut_tail "$1" && printf '%s\n' "$2" >>"$1"; } 2>/dev/null	# append RECORD LINE

# A line without its end is half of one, on a full disk or of a killed process: it is no line, and the next one is not glued to it.
cut_tail() {	# cut_tail RECORD
	local lines LC_ALL=C
	mapfile lines <"$1"
	[ "${#lines[@]}" = 0 ] || [[ ${lines[-1]} == *$'\n' ]] || truncate -s "-${#lines[-1]}" "$1"
}

read_record() {	# read_record RECORD: sets lines, those struck out are empty
	local i what rest
	cut_tail "$1"
	mapfile -t lines <"$1"
	for ((i = 0; i < ${#lines[@]}; i++)); do
		read -r what rest <<<"${lines[i]}"
		[ "$what" != "done" ] || { lines[i]=''; [[ ! $rest =~ ^[0-9]{1,6}$ ]] || lines[rest]=''; }
	done
}

strike_out() { append "$1" "done $2"; }	# strike_out RECORD N: if it fails, the line is taken back once more

forget_last() { truncate -s "-$(tail -n 1 "$record" | wc -c)" "$record"; }

# back_lines RECORD WORD|WORD...: takes back what these lines say, the last one first, and strikes them out. 1: some remain.
back_lines() {
	local lines i what rest failed=''
	read_record "$1"
	for ((i = ${#lines[@]} - 1; i >= 0; i--)); do
		read -r what rest <<<"${lines[i]-}"
		# What swap is on stays, as long as it is on.
		if [[ "|$2|" == *"|$what|"* ]] && { [[ "$failed" != *swap* ]] || [[ "|slowdisk|loop|zram|folder|" != *"|$what|"* ]]; }; then
			if back_line "$what" "$rest"; then strike_out "$1" "$i"; else failed+=" $what"; fi
		fi
	done
	[ -z "$failed" ]
}

# What the words after each may be; anything else was not written by us, or was cut off by a full disk.
declare -A SHAPE=(
	[group]='^/[^ ]*/thinprobe-[^ /]{6}[-.][^ /]+$' [controller]='^/[^ ]*/cgroup\.subtree_control [a-z_]+$'
	[switch]='^[a-z_]+(:[a-z0-9]+)? [A-Za-z0-9_+-]+$' [swap]='^/dev/[a-z0-9]+ thinprobe[^ ]{6}$' [zram]='^[0-9]+ [0-9a-f-]+$'
	[folder]='^/(.*/)?thinprobe-(swap|disk)-[^ /]{6}$' [loop]='^/(.*/)?thinprobe-(swap|disk)-[^ /]{6}/(file|disk/disk)$'
	[slowdisk]='^[0-9]+ /(.*/)?thinprobe-(swap|disk)-[^ /]{6}$' [takes]='^loop[0-9]+ [0-9]+$' [slow]='' )
SHAPE[slow]=${SHAPE[slowdisk]}

# in_cgroups PATH: it lies in a mounted hierarchy of groups, without a link on the way.
in_cgroups() {
	local point type
	[ "$(realpath -e -- "$1" 2>/dev/null)" = "$1" ] || return
	while read -r _ point type _; do
		[[ $type != cgroup?(2) || $1 != "$point"/* ]] || return 0
	done <"$LAB_PROC/mounts"
	return 1
}

back_line() {	# back_line WHAT WORDS: 1, when it has to be tried again
	local name=${2%% *} file value
	[[ $2 =~ ${SHAPE[${1#disk-}]} && $2 != *..* ]] || {
		echo "ignored on record, for no lab writes it: $1 ${2//[[:cntrl:]]/?}"
		return 0
	}
	case $1 in
	group)
		[ -d "$name" ] && in_cgroups "$name" || return 0
		remove_group "$name" && echo "removed group $name" && return
		echo "cannot remove group $name"
		return 1
		;;
	controller)
		in_cgroups "$name" || return 0
		# Another lab's groups would lose their settings.
		for file in "${name%/*}"/thinprobe-*; do
			[ ! -d "$file" ] || { echo "left the ${2#* } controller of ${name%/*} on: ${file##*/} is there"; return 0; }
		done
		put "$name" "-${2#* }" && echo "gave back the ${2#* } controller of ${name%/*}"
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
	while read -r what rest; do
		[ "$what" != group ] || ! [[ $rest =~ ${SHAPE[group]} ]] || ! in_cgroups "$rest" || end_group "$rest"
	done <"$1"
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

# What a request may be, before a word of it is used: bash evaluates text in arithmetic.
WORD='[A-Za-z0-9_.:,%/+-]+'
declare -A REQUEST=( [swap]="^$WORD [0-9]{1,18}$" [disk]="^$WORD [0-9]{1,18}$" [other]="^($WORD( |$))*$" )
for name in group regroup memory limit; do
	REQUEST[$name]="^$WORD( (limit|low|min|shares|swappiness|rt_runtime)=[0-9]{1,18}| (swap|idle|rt|quota)=$WORD)*$"
done

serve() {
	local line words group answer why fd i status=0 name RECORD_FD
	for _ in 1 2 3; do	# another's end may remove the folder before the record is in it
		name=$(records_folder "$LAB_LOCKS") || { why=$(tail -n 1 <<<"$name") && break; }
		name+=/undo-$LAB_ID why="cannot write $name"
		# As long as its lock is held, nobody else takes this back.
		(umask 077 && set -C && : >"$name") 2>/dev/null && record_open "$name" && why='' && break
	done
	[ -z "$why" ] || { read -r _; echo "no $why"; exit 1; }
	fd=$RECORD_FD
	record=/proc/$$/fd/$fd	# whoever clears the folder away: this is known
	while read -r line; do
		read -ra words <<<"$line"
		set -- "${words[@]:1}"
		why='' group='' answer=''
		[[ "$*" =~ ${REQUEST[${words[0]-other}]-${REQUEST[other]}} ]] || words=()
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
	# The hosts of a driver that was killed end with it.
	for fd in ${LAB_HOSTS-}; do for ((i = 0; i < 250; i++)); do [ ! -d "/proc/$fd" ] || nap 0.02; done; done
	let_scratch_go
	take_back "$record" >/dev/null && rm -f -- "$name" || status=1
	for fd in ${lock[@]+"${lock[@]}"}; do exec {fd}<&-; done
	locks_tidy "$LAB_LOCKS" >/dev/null
	rmdir -- "${name%/*}" 2>/dev/null
	return "$status"
}

case ${1-} in
serve) serve ;;
back)
	record_open "$2" || exit
	record=/proc/$$/fd/$RECORD_FD
	take_back "$record" && [ "$2" -ef "$record" ] && rm -f -- "$2"
	;;
esac
