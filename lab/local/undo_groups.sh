# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# undo_groups.sh - groups of the cpu and of the memory controller, cgroup v1 or v2. Part of undo.sh.
#
# A group is the machine's: at the top of its controller, or the highest place that we may write to.
# thinprobe-ID-NAME is one of the cpu controller, thinprobe-ID.NAME one of the memory controller,
# thinprobe-ID.server/thinprobe-ID.NAME (the name server.NAME) one inside the server's memory. In
# cgroup v2 a process is in one group for all controllers: what shares the CPU inside the server's
# memory (thinprobe-ID.server) is a group in it, and what was there without a group is then in
# `rest` beside those.
declare -A base=() version=()

# Sets version[CONTROLLER] (1, 2) and base[CONTROLLER]: where groups can be made.
find_base() {
	local mount own folder tried=''
	[ -z "${base[$1]-}" ] || return 0
	mount=$(awk -v c="$1" '$3 == "cgroup" && $4 ~ "(^|,)" c "(,|$)" { print $2; exit }' "$LAB_PROC/mounts")
	if [ -n "$mount" ]; then
		version[$1]=1
		own=$(awk -F: -v c="$1" '$2 ~ "(^|,)" c "(,|$)" { print $3; exit }' "$LAB_PROC/cgroup")
	else
		version[$1]=2
		mount=$(awk '$3 == "cgroup2" { print $2; exit }' "$LAB_PROC/mounts")
		own=$(sed -n 's/^0:://p' "$LAB_PROC/cgroup")
	fi
	[ -n "$mount" ] || { why="no cgroups are mounted here: mount -t cgroup2 none /sys/fs/cgroup"; return 1; }
	own=${own%/}
	for folder in "$mount" "$mount${own%/*}" "$mount$own"; do
		[[ $tried != *" $folder "* ]] || continue
		tried+=" $folder "
		[ -d "$folder" ] || continue
		if [ "${version[$1]}" = 2 ] && ! give_controller "$1" "$folder"; then continue; fi
		if mkdir -- "$folder/thinprobe-$LAB_ID-try" 2>/dev/null; then
			rmdir -- "$folder/thinprobe-$LAB_ID-try"
			base[$1]=$folder
			return 0
		fi
		why="$1 groups: $folder may not be written to (as root it may)"
	done
	return 1
}

# cgroup v2: the groups below a folder get the controller, if they have not got it.
give_controller() {	# give_controller CONTROLLER FOLDER
	local file=$2/cgroup.subtree_control
	grep -qsw "$1" "$2/cgroup.controllers" || { why="cgroup v2 has no $1 controller in $2"; return 1; }
	! grep -qsw "$1" "$file" || return 0
	note_down controller "$file" "$1" || return
	put "$file" "+$1" && return
	forget_last
	why="the $1 controller is not given to groups below $2: $why"
	return 1
}

# Removes a group, with what still runs in it: all of it is ours. Its host is ending meanwhile, so it gets a moment.
remove_group() {	# remove_group FOLDER [TRIES BEFORE KILLING]: leaves `why` as it is
	local i why
	for ((i = 0; i < 200; i++)); do
		[ -d "$1" ] || return 0
		# Pages of files stay charged to a group that is gone until they leave; v1 keeps it for them.
		[ ! -e "$1/memory.force_empty" ] || [ -s "$1/cgroup.procs" ] || put "$1/memory.force_empty" 0
		[ ! -d "$1/rest" ] || rmdir -- "$1/rest" 2>/dev/null
		rmdir -- "$1" 2>/dev/null && return 0
		[ "$i" -lt "${2:-50}" ] || kill_group "$1"
		nap 0.02
	done
	return 1
}

kill_group() {
	local file pid
	for file in "$1/cgroup.procs" "$1"/*/cgroup.procs; do
		[ -e "$file" ] || continue
		while read -r pid; do kill -KILL "$pid"; done 2>/dev/null <"$file"
	done
}

# Nothing runs there any more: what ends gets a moment, too.
end_group() {
	local i
	for ((i = 0; i < 150; i++)); do
		[ -d "$1" ] && grep -qs . "$1/cgroup.procs" "$1/rest/cgroup.procs" || return 0
		[ "$i" -lt 50 ] || kill_group "$1"
		nap 0.02
	done
	return 1
}

# lever CONTROLLER FILE VALUE: one control file of the group that is being made.
lever() {
	put "$group/$2" "$3" && return
	[ -e "$group/$2" ] && why="$2=$3: $why" || why="$1 groups here have no $2"
	return 1
}

name_group() {	# name_group CONTROLLER NAME: sets group; the same name is the same folder
	[[ $2 =~ ^(server\.)?[a-z0-9-]+$ ]] || { why="$2 is no name of a group"; return 1; }
	find_base "$1" || return
	group=${base[$1]}/thinprobe-$LAB_ID-$2
	case $1 in
	memory) group=${base[memory]}/thinprobe-$LAB_ID.${2/./"/thinprobe-$LAB_ID."} ;;
	cpu)
		[ "${version[cpu]}" = 1 ] || [ ! -d "${base[cpu]}/thinprobe-$LAB_ID.server" ] ||
			group=${base[cpu]}/thinprobe-$LAB_ID.server/thinprobe-$LAB_ID-$2
		;;
	esac
}

# In cgroup v2 a group that has others in it may have no processes of its own.
make_rest() {	# make_rest CONTROLLER FOLDER
	local pid
	[ "${version[$1]}" = 2 ] || return 0
	[ -d "$2/rest" ] || mkdir -- "$2/rest" 2>/dev/null || { why="cannot make the group $2/rest"; return 1; }
	while grep -qs . "$2/cgroup.procs"; do
		while read -r pid; do
			put "$2/rest/cgroup.procs" "$pid" || [ ! -d "/proc/$pid" ] || {
				why="cannot move process $pid to $2/rest: $why"
				return 1
			}
		done <"$2/cgroup.procs"
	done
	give_controller "$1" "$2"
}

make_group() {	# make_group CONTROLLER NAME OPTION...: sets group
	local option
	name_group "$1" "$2" || { group=''; return 1; }
	[[ $group != */thinprobe-$LAB_ID.server/* ]] || make_rest "$1" "${group%/*}" || return
	[ ! -d "$group" ] || remove_group "$group" 0
	note_down group "$group" || return
	mkdir -- "$group" 2>/dev/null || { why="cannot make the group $group"; return 1; }
	for option in "${@:3}"; do
		"$1_option" "$option" "${option#*=}" || { remove_group "$group" 0; return 1; }
	done
}

change_group() {	# change_group CONTROLLER NAME OPTION...
	local option
	name_group "$1" "$2" || return
	[ -d "$group" ] || { why="no group $2"; return 1; }
	for option in "${@:3}"; do "$1_option" "$option" "${option#*=}" || return; done
}

drop_group() {	# drop_group CONTROLLER NAME
	name_group "$@" && { remove_group "$group" || { why="cannot remove $group"; return 1; }; }
}

# ---- of the cpu controller ----

cpu_option() {
	case $1 in
	shares=*)
		if [ "${version[cpu]}" = 1 ]; then lever cpu cpu.shares "$2"; else lever cpu cpu.weight "$((($2 * 100 + 512) / 1024))"; fi
		;;
	idle=*) lever cpu cpu.idle "$2" ;;
	quota=*) quota "$2" ;;
	rt=*) budget 700000 may ;;
	rt_runtime=*) budget "$2" must ;;
	*) why="a group has no option $1"; return 1 ;;
	esac
}

# quota PERCENT,PERIOD: that share of one CPU's time in every period.
quota() {
	local us
	[[ $1 =~ ^([1-9][0-9]{0,4}),([1-9][0-9]*)(us|ms|s)$ ]] || {
		why="quota=$1: want a share of one CPU and a period, such as 25,100ms"
		return 1
	}
	case ${BASH_REMATCH[3]} in us) us=1 ;; ms) us=1000 ;; s) us=1000000 ;; esac
	us=$((BASH_REMATCH[2] * us))
	if [ "${version[cpu]}" = 2 ]; then
		lever cpu cpu.max "$((us * BASH_REMATCH[1] / 100)) $us"
	else
		lever cpu cpu.cfs_period_us "$us" && lever cpu cpu.cfs_quota_us "$((us * BASH_REMATCH[1] / 100))"
	fi
}

# Real-time tasks need a budget of their group where the kernel keeps such (v1 with RT_GROUP_SCHED); elsewhere they need none.
budget() {
	if [ -e "$group/cpu.rt_runtime_us" ]; then
		lever cpu cpu.rt_runtime_us "$1"
	elif [ "$2" = must ]; then
		why="cpu groups here have no real-time budget (cgroup v1 with RT_GROUP_SCHED has)"
		return 1
	fi
}

# ---- of the memory controller ----

memory_option() {
	case $1 in
	limit=*) limit_group "$2" ;;
	swap=no) swap_limit none ;;
	swap=yes) swap_limit all ;;
	swappiness=*)
		[ "${version[memory]}" = 1 ] && lever memory memory.swappiness "$2" || {
			why="swappiness of a group: ${why:-cgroup v2 has only that of the machine}"
			return 1
		}
		;;
	low=* | min=*)
		[ "${version[memory]}" = 2 ] && lever memory "memory.${1%%=*}" "$2" || {
			why="memory.${1%%=*}: ${why:-cgroup v1 has no such protection (cgroup v2 has)}"
			return 1
		}
		;;
	*) why="a memory group has no option $1"; return 1 ;;
	esac
}

# So much, and no more; where that is less than what is in use, the rest has to leave first.
limit_group() {	# limit_group BYTES
	local both used i
	if [ "${version[memory]}" = 1 ]; then
		# With swap forbidden, memory and both together have the same limit, and the second is never the smaller one.
		read -r both 2>/dev/null <"$group/memory.memsw.limit_in_bytes" || both=''
		[ -z "$both" ] || [ "$both" -ge "$1" ] || lever memory memory.memsw.limit_in_bytes "$1" || return
		lever memory memory.limit_in_bytes "$1" || { does_not_fit "$1"; return 1; }
		[ -z "$both" ] || [ "$both" -ge 4611686018427387904 ] || lever memory memory.memsw.limit_in_bytes "$1"
		return
	fi
	# The kernel would end processes to get there.
	read -r used 2>/dev/null <"$group/memory.current" || used=0
	for ((i = 0; i < 20 && used > $1; i++)); do	# (at once it often gets back a part only)
		put "$group/memory.reclaim" "$((used - $1))"
		read -r used 2>/dev/null <"$group/memory.current" || used=0
	done
	[ "$used" -le "$1" ] || { why=busy; does_not_fit "$1"; return 1; }
	lever memory memory.max "$1"
}

does_not_fit() {
	[[ $why != *busy* ]] || why="its processes do not fit into $1 bytes, with the swap there is"
}

swap_limit() {	# swap_limit none|all
	local limit=-1
	if [ "${version[memory]}" = 2 ]; then
		[ ! -e "$group/memory.zswap.max" ] || put "$group/memory.zswap.max" 0	# what is swapped goes to the device
		[ "$1" = none ] && limit=0 || limit=max
		lever memory memory.swap.max "$limit"
	elif [ -e "$group/memory.memsw.limit_in_bytes" ]; then
		[ "$1" = all ] || read -r limit <"$group/memory.limit_in_bytes"
		lever memory memory.memsw.limit_in_bytes "$limit" || { does_not_fit "$limit"; return 1; }
	else
		[ "$1" = all ] || lever memory memory.swappiness 0
	fi
}
