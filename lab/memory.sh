# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# memory.sh - a size for the memory of the lab's server, and its swap. What runs on the server is in
# one memory group with a limit, and what does not fit goes to a swap device that the lab makes.
# For local.sh and ssh.sh; as groups.sh does, it has local/undo.sh do it, and take it back.
#
# Before lab_up (a driver's --server-memory, --swap, --swap-size):
#   LAB_SERVER_MEMORY  512M; none or empty: not confined, and nothing below is there
#   LAB_SWAP           file (default), zram, slow:DELAY (2.5ms for each read), none (what does not fit is ended)
#   LAB_SWAP_SIZE      twice the server's memory, at least 256M
#   LAB_SWAP_FOLDER    a folder on the disk that a swap file goes to (/var/tmp); LAB_SWAP_LOG: a file for what a slow one served
#   LAB_RESERVE        what must stay for the rest of the machine (a tenth of it, at least 256M)
# After it:
#   LAB_MEMORY_GROUP   the server's group, a folder: for lab_query server, and for `lab_exec -R server`,
#                      whose root may read and write in it
#   LAB_MEMORY_VERSION of cgroups: 1, 2
#   LAB_SWAP_KIND      as LAB_SWAP; LAB_SWAP_DEVICE: /dev/loop3; LAB_SWAP_SCRATCH: a second device,
#                      32M, of the same kind on the same disk and as slow, filled, nobody's: for
#                      O_DIRECT (of a device lseek tells the size, fstat does not);
#                      LAB_SWAP_BACKING: what is behind them, in words
# All commands on the server are in its group, with all their descendants (its lab_exec too; neither
# what -C moves to the client's CPUs nor the door of a command). -M NAME: in another one, - in none;
# LAB_MEMORY=NAME: the same for the commands that plug-ins start.
declare -gA LAB_MEMORY_GROUPS=()
lab_memory_none() {
	LAB_MEMORY_GROUP='' LAB_MEMORY_VERSION='' LAB_SWAP_KIND='' LAB_SWAP_DEVICE='' LAB_SWAP_SCRATCH='' \
		LAB_SWAP_BACKING='' LAB_MEMORY_BYTES=''
	LAB_SWAP_BYTES='' LAB_MEMORY_GROUPS=()
}
lab_memory_none

# Of lab_up, before it waits for anything: ends the driver where the memory limit asked for cannot be had.
lab_memory_ask() {
	local SIZE
	lab_memory_none
	case ${LAB_SERVER_MEMORY-} in '' | none) return 0 ;; esac
	lab_size "$LAB_SERVER_MEMORY" && [ "$SIZE" -ge $((16 << 20)) ] ||
		die "-$EXIT_USAGE" "LAB_SERVER_MEMORY=$LAB_SERVER_MEMORY: want a size from 16M on, such as 512M"
	lab_memory_fits "$SIZE" || die "cannot limit the server to $LAB_SERVER_MEMORY of memory: $LAB_WHY"
	[ "$(lab_query server id -u)" = 0 ] || [ "${LAB_SWAP:-file}" = none ] ||
		die "-$EXIT_MISSING" "cannot limit the server to $LAB_SERVER_MEMORY and give it swap: only root may do that"
}

# Of lab_up, when the hosts are there: limits the server's memory and sets up its swap; ends the driver where that fails.
lab_memory_up() {
	local SIZE status
	case ${LAB_SERVER_MEMORY-} in '' | none) return 0 ;; esac
	lab_size "$LAB_SERVER_MEMORY"
	lab_change memory server "limit=$SIZE" ||
		die "-$EXIT_MISSING" "cannot limit the server to $LAB_SERVER_MEMORY of memory: $LAB_WHY"
	read -r LAB_MEMORY_VERSION LAB_MEMORY_GROUP <<<"$LAB_ANSWERED"
	LAB_MEMORY_BYTES=$SIZE LAB_MEMORY_GROUPS[server]=$LAB_MEMORY_GROUP
	if ! lab_swap "${LAB_SWAP:-file}"; then
		case $LAB_WHY in *"another lab"* | *room* | *"stay for"*) status=$EXIT_RUN ;; *) status=$EXIT_MISSING ;; esac
		die "-$status" "cannot set up swap (${LAB_SWAP:-file}): $LAB_WHY"
	fi
	export LAB_MEMORY_GROUP LAB_MEMORY_VERSION LAB_SWAP_KIND LAB_SWAP_DEVICE LAB_SWAP_SCRATCH
}

# Where a command of that role goes: sets `into`. Of lab_command.
lab_memory_of() {	# lab_memory_of ROLE NAME
	into=''
	[ "$1" = server ] || return 0
	case $2 in
	'') into=$LAB_MEMORY_GROUP ;;
	-) ;;
	*)
		into=${LAB_MEMORY_GROUPS[$2]-}
		[ -n "$into" ] || die "the lab has no memory group '$2'; create it with lab_memory_group"
		;;
	esac
}

# The rest of the machine keeps a reserve: 1 and LAB_WHY when BYTES more in use would touch it.
lab_memory_fits() {	# lab_memory_fits BYTES
	local total available SIZE reserve
	read -r total available < <(lab_query server cat /proc/meminfo | awk '/^MemTotal:/ { t = $2 } /^MemAvailable:/ { a = $2 }
		END { printf "%.0f %.0f\n", t * 1024, a * 1024 }' | whole_numbers 2)
	reserve=$((total / 10))
	[ "$reserve" -ge $((256 << 20)) ] || reserve=$((256 << 20))
	[ -z "${LAB_RESERVE-}" ] || { lab_size "$LAB_RESERVE" && reserve=$SIZE; }
	[ $((available - $1)) -ge "$reserve" ] && return
	LAB_WHY="$((available >> 20)) MiB of memory are available, $(($1 >> 20)) MiB are wanted,"
	LAB_WHY+=" and $((reserve >> 20)) MiB stay for the rest of the machine; a smaller one fits"
	return 1
}

# lab_memory_group NAME [limit=SIZE] [swappiness=N] [low=SIZE] [min=SIZE] [swap=no]: a group beside the server's (inside it, if
# NAME begins with "server."), its folder in LAB_MEMORY_GROUPS[NAME]. swappiness: cgroup v1 has it; low and min, protection
# from being paged out: v2 has them. 1: LAB_WHY.
# lab_memory_ungroup NAME: removes it, ending what runs in it.
lab_memory_group() {
	local name=$1 word words=() SIZE=0
	unset "LAB_MEMORY_GROUPS[$name]"
	[ "$name" != server ] || { LAB_WHY="that is the server's own name"; return 1; }
	for word in "${@:2}"; do
		case $word in
		limit=* | low=* | min=*)
			lab_size "${word#*=}" || { LAB_WHY="$word: want a size such as 128M"; return 1; }
			[[ $word != limit=* ]] || lab_memory_fits "$SIZE" || return
			word=${word%%=*}=$SIZE
			;;
		esac
		words+=("$word")
	done
	lab_change memory "$name" ${words[@]+"${words[@]}"} && LAB_MEMORY_GROUPS[$name]=${LAB_ANSWERED#* }
}

lab_memory_ungroup() {
	[ -n "${LAB_MEMORY_GROUPS[$1]-}" ] || return 0
	unset "LAB_MEMORY_GROUPS[$1]"
	lab_change forget "$1"
}

# lab_memory_limit SIZE: another size for the server. What does not fit into a smaller one goes to
# swap at once; 1, and the old size, where that is not possible.
lab_memory_limit() {
	local SIZE
	LAB_WHY="the server's memory is not confined"
	[ -n "$LAB_MEMORY_GROUP" ] || return
	LAB_WHY="$1: want a size from 16M on"
	lab_size "$1" && [ "$SIZE" -ge $((16 << 20)) ] || return
	[ "$SIZE" -le "$LAB_MEMORY_BYTES" ] || lab_memory_fits "$((SIZE - LAB_MEMORY_BYTES))" || return
	lab_change limit server "limit=$SIZE" || return
	LAB_MEMORY_BYTES=$SIZE
}

# lab_swap KIND: exchanges the swap (none, file, zram, slow:DELAY), with the session on the server
# or without. What was swapped comes back into memory first, for which the server may have more for
# a moment. 1: LAB_WHY; there is none then, and lab_memory_limit may have to be larger.
lab_swap() {
	local kind=$1 SIZE bytes wait NOW_MS end
	LAB_WHY="the server's memory is not confined"
	[ -n "$LAB_MEMORY_GROUP" ] || return
	case $kind in
	none | file | zram) ;;
	slow:*) [[ $kind =~ ^slow:[0-9]+(\.[0-9]+)?(us|ms|s)$ ]] ||
		{ LAB_WHY="$kind: want slow:DELAY, such as slow:2.5ms"; return 1; } ;;
	*) LAB_WHY="no kind of swap $kind: none, file, zram, slow:DELAY"; return 1 ;;
	esac
	bytes=$((LAB_MEMORY_BYTES * 2))
	[ "$bytes" -ge $((256 << 20)) ] || bytes=$((256 << 20))
	[ -z "${LAB_SWAP_SIZE-}" ] ||
		{ lab_size "$LAB_SWAP_SIZE" && [ "$SIZE" -ge $((1 << 20)) ] && bytes=$((SIZE >> 20 << 20)); } || {
		LAB_WHY="LAB_SWAP_SIZE=$LAB_SWAP_SIZE: want a size from 1M on"
		return 1
	}
	lab_swap_off "$kind" || return
	[ "$kind" != zram ] || lab_memory_fits "$bytes" || return
	# In memory or nowhere: the machine's own swap, where it has one, is not the server's.
	if [ "$kind" = none ]; then
		lab_change limit server "limit=$LAB_MEMORY_BYTES" swap=no || return
		LAB_SWAP_KIND=none
		return
	fi
	now_ms
	end=$((NOW_MS + ${LAB_CPU_WAIT:-300} * 1000)) wait=''
	until lab_change swap "$kind" "$bytes"; do
		now_ms
		[[ $LAB_WHY == "another lab"* ]] && [ "$NOW_MS" -lt "$end" ] && ! stopped || return
		[ -n "$wait" ] || warn "cannot set up swap yet ($LAB_WHY): waiting up to ${LAB_CPU_WAIT:-300} s"
		wait=1
		nap 0.5
	done
	read -r LAB_SWAP_DEVICE LAB_SWAP_SCRATCH LAB_SWAP_BACKING <<<"$LAB_ANSWERED"
	LAB_SWAP_KIND=$kind LAB_SWAP_BYTES=$bytes
	lab_change limit server swap=yes "limit=$LAB_MEMORY_BYTES" || return
	lab_swaps_some
}

# With a swappiness of 0 the kernel drops files and ends processes, but swaps nothing.
lab_swaps_some() {
	local swappiness
	swappiness=$(lab_query server cat "$LAB_MEMORY_GROUP/memory.swappiness" /proc/sys/vm/swappiness 2>/dev/null)
	[ "${swappiness%%$'\n'*}" = 0 ] || return 0
	[ "$LAB_MEMORY_VERSION" = 1 ] && lab_change limit server swappiness=60 ||
		warn "vm.swappiness is 0, so the kernel hardly swaps; set it with: sysctl vm.swappiness=60"
}

lab_swap_off() {	# lab_swap_off NEXT
	local used why hold=hold
	[ "$1" != none ] || hold=now
	[ -n "$LAB_SWAP_DEVICE" ] || return 0
	used=$(lab_query server cat /proc/swaps | awk -v device="$LAB_SWAP_DEVICE" '$1 == device { printf "%.0f\n", $4 * 1024 }' |
		whole_numbers)
	lab_memory_fits "${used:-0}" || return
	lab_change limit server "limit=$((LAB_MEMORY_BYTES + ${used:-0} + (64 << 20)))" || return
	lab_change unswap "$hold" || {
		why=$LAB_WHY
		lab_change limit server "limit=$LAB_MEMORY_BYTES"
		LAB_WHY=$why
		return 1
	}
	LAB_SWAP_DEVICE='' LAB_SWAP_SCRATCH='' LAB_SWAP_BACKING='' LAB_SWAP_KIND=none LAB_SWAP_BYTES=''
}

# lab_swap_delay TIME: how long each read from the slow swap takes, from now on.
lab_swap_delay() {
	LAB_WHY="the swap is not a slow one"
	[[ $LAB_SWAP_KIND == slow:* ]] || return
	[[ $1 =~ ^[0-9]+(\.[0-9]+)?(us|ms|s)$ ]] || { LAB_WHY="$1: want a time such as 2.5ms"; return 1; }
	lab_change delay "$1" && LAB_SWAP_KIND=slow:$1
}

# lab_memory_kills [NAME]: prints how many processes of the group (the server's) the kernel has ended because its memory was full.
lab_memory_kills() {
	local group=${LAB_MEMORY_GROUPS[${1:-server}]-} n=0
	[ -z "$group" ] || n=$(lab_query server cat "$group/memory.oom_control" "$group/memory.events" 2>/dev/null |
		awk '$1 == "oom_kill" { print $2 }' | whole_numbers)
	printf '%s\n' "${n:-0}"
}

# lab_memory_facts: prints how the server's memory is confined, as JSON; null: it was not asked for.
lab_memory_facts() {
	[ -n "$LAB_MEMORY_GROUP" ] || { echo null; return; }
	lab_query server machine_memory | jq -cRn --argjson bytes "$LAB_MEMORY_BYTES" --argjson version "$LAB_MEMORY_VERSION" \
		--arg kind "${LAB_SWAP_KIND%%:*}" --arg delay "$LAB_SWAP_KIND" \
		--argjson size "${LAB_SWAP_BYTES:-null}" --arg device "$LAB_SWAP_DEVICE" --arg backing "$LAB_SWAP_BACKING" \
		--arg group "$(lab_query server cat "$LAB_MEMORY_GROUP/memory.swappiness" 2>/dev/null)" '
		def number: if test("^[0-9]+$") then tonumber elif . == "" then null else . end;
		{server_memory_bytes: $bytes, confined: true, version: $version,
		swap: {kind: $kind, size_bytes: $size, device: ($device | number), backing: ($backing | number),
			delay_ms: ($delay | capture("^slow:(?<n>[0-9.]+)(?<u>us|ms|s)$") // null
				| if . == null then null else (.n | tonumber) * {us: 0.001, ms: 1, s: 1000}[.u] end)}}
		+ ([inputs | split(" ") | {key: .[0], value: (.[1] // "" | number)}] | from_entries)
		+ (if $group == "" then {} else {swappiness: ($group | number)} end)'
}

# lab_memory_can LEVER: of lab_can, tried; 1: LAB_WHY. memory: a size for the server; swap, zram,
# slowswap: that kind of swap; evict: a group can be paged out at once; memory_low: a group can be
# protected from it.
lab_memory_can() {
	local done_=0
	LAB_WHY=''
	case $1 in
	memory) lab_memory_try limit=67108864 ;;
	memory_low) lab_memory_try low=4096 ;;
	evict)
		lab_change memory try || return
		lab_query server test -w "${LAB_ANSWERED#* }/memory.force_empty" -o -w "${LAB_ANSWERED#* }/memory.reclaim" ||
			done_=1
		lab_change forget try
		[ "$done_" = 0 ] || LAB_WHY="memory groups here have neither force_empty nor reclaim"
		return "$done_"
		;;
	swap) lab_swap_try file ;;
	zram) lab_swap_try zram ;;
	slowswap) lab_swap_try slow:1ms ;;
	esac
}

lab_memory_try() { lab_change memory try "$1" && lab_change forget try; }

lab_swap_try() {
	case $LAB_SWAP_KIND: in "${1%%:*}":*) return ;; esac	# it is on
	if [ -n "$LAB_SWAP_DEVICE" ]; then	# one kind at a time
		LAB_WHY="another kind of swap is on"
		case $1 in
		zram) lab_query server test -r /sys/class/zram-control/hot_add ;;
		slow:*) [ -x "$TP_BIN/slowdisk" ] && lab_query server test -e /dev/fuse ;;
		file) lab_has server losetup ;;
		esac
		return
	fi
	# who has to wait for another lab can have it
	if lab_change swap "$1" 1048576; then lab_change unswap; else [[ $LAB_WHY == "another lab"* ]]; fi
}
