# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# undo_swap.sh - swap of a lab: a loop device with direct I/O over a file on a disk, the same over a
# disk that is made slow, or zram; and a second device of the same kind and speed, to try out what
# such a device does. Part of undo.sh.
#
# What is taken back must survive a kill -9 at any point, so as much as can be undoes itself: the
# file loses its name as soon as the loop device has it, the loop device is told to let go when its
# swap ends, and slowdisk ends with its mount, which is in a namespace of its own and let go
# likewise. Swapping off is then all that is left to do. On record, in the order of doing: "folder",
# "slowdisk", "loop", "zram", "swap".
#
# Swap is the machine's: one lab at a time has one, and its label says whose it is. Environment:
# LAB_SWAP_FOLDER (where the file goes: a disk), LAB_SWAP_LOG (what slowdisk served; a file),
# TP_BIN.
SCRATCH_BYTES=$((32 << 20))
label=thinprobe$LAB_ID	# 15 characters, as many as a label takes

swap_on() { awk -v device="$1" '$1 == device { found = 1 } END { exit !found }' /proc/swaps; }
swap_label() { swaplabel "$1" 2>/dev/null | sed -n 's/^LABEL: *//p'; }

# No other lab has one: by a lock on the list of swaps itself, which is one for the machine wherever
# labs keep theirs; and by the label (a container has a list of its own).
hold_swap() {
	local device fd whose _
	exec {fd}</proc/swaps
	flock -n "$fd" || { exec {fd}<&-; why="another lab has its swap on"; return 1; }
	lock[swap]=$fd
	while read -r device _; do
		[[ $device == /dev/* ]] && whose=$(swap_label "$device") && [[ $whose == thinprobe?????? ]] || continue
		let_go swap
		why="another lab has its swap on ($device)"
		# Nobody would ever switch that off. (From within a container not every lab can be seen.)
		[ "$(readlink /proc/self/ns/pid)" != 'pid:[4026531836]' ] || grep -qzsxF "LAB_ID=${whose#thinprobe}" /proc/[0-9]*/environ ||
			why="$device is the swap of a lab that was killed; take it back with: thinprobe lab clean"
		return 1
	done </proc/swaps
}

# Sets place, backing: a folder on a disk with that much room, and what it is. (Swap in a file in memory would be no swap.)
find_place() {	# find_place BYTES [swap|disk]
	local folder type source room
	why="no folder for a ${2:-swap} file: set LAB_SWAP_FOLDER to one on a disk"
	for folder in ${LAB_SWAP_FOLDER:+"$LAB_SWAP_FOLDER"} /var/tmp /tmp; do
		read -r type source < <(df --output=fstype,source -- "$folder" 2>/dev/null | tail -n 1)
		[ -n "$type" ] && folder=$(cd -- "$folder" 2>/dev/null && pwd -P) || { why="no folder $folder"; continue; }
		case $type in
		tmpfs | ramfs | devtmpfs | nfs* | fuse* | cifs | smb* | 9p)
			why="$folder is no disk of this machine ($type); set LAB_SWAP_FOLDER to a folder that is"
			continue
			;;
		esac
		room=$(df --output=avail -B1 -- "$folder" 2>/dev/null | tail -n 1)
		# a disk that is all but full is no place for others either
		[ "${room:-0}" -ge $(($1 + $1 / 10 + (64 << 20))) ] || {
			why="$folder has not enough room for a ${2:-swap} file of $(($1 >> 20)) MiB; set LAB_SWAP_FOLDER"
			[ "${2:-swap}" = disk ] || why+=", or a smaller --swap-size"
			continue
		}
		[ -w "$folder" ] || { why="$folder may not be written to"; continue; }
		place=$folder/thinprobe-${2:-swap}-$LAB_ID
		backing="file on $type ($source), $folder"
		return 0
	done
	return 1
}

# make_swap KIND BYTES: KIND file, zram, slow:DELAY. Sets answer: the device, the second one, what is behind them.
make_swap() {
	local device='' scratch='' backing='' place='' command
	[ "$EUID" = 0 ] || { why="swap: only root may switch it on"; return 1; }
	for command in mkswap swapon swapoff swaplabel losetup; do
		command -v "$command" >/dev/null || {
			why="$command is missing: apt-get install --no-install-recommends mount util-linux"
			return 1
		}
	done
	[ -n "${lock[swap]-}" ] || hold_swap || return
	[ -z "${swap_is_on-}" ] || { why="this lab has its swap on already"; return 1; }
	no_zswap || { let_go swap; return 1; }
	case $1 in
	file | slow:*) make_loops "$1" "$2" ;;
	zram) make_zrams "$2" ;;
	*) why="no kind of swap $1"; false ;;
	esac && swap_at "$device" && drop_names && answer="$device $scratch $backing" && swap_is_on=1 && return
	local why_not=$why
	unmake_swap now
	why=$why_not
	return 1
}

# What is swapped goes to the device, not into memory once more. (cgroup v2 can say so for a group: undo_groups.sh.)
no_zswap() {
	local value file
	file=$(switch_file zswap)
	switch_value "$file" && [ "$value" = Y ] && [ "${version[memory]-}" != 2 ] || return 0
	set_switch zswap N
}

swap_at() {	# swap_at DEVICE: on it, before all others
	local said
	said=$(mkswap -L "$label" -- "$1" 2>&1) || { why="mkswap $1: ${said##*: }"; return 1; }
	note_down swap "$1" "$label" || return
	said=$(swapon -p 32767 -- "$1" 2>&1) && return
	why="swapon $1: ${said##*: }"
	return 1
}

make_loops() {	# make_loops file|slow:DELAY BYTES
	local file said part
	find_place $(($2 + SCRATCH_BYTES)) || return
	note_down folder "$place" || return
	mkdir -m 700 -- "$place" || { why="cannot make $place"; return 1; }
	file=$place/file
	# All of it at once: swap that finds the disk full loses what is written to it.
	said=$({ fallocate -l $(($2 + SCRATCH_BYTES)) -- "$file" ||
		dd if=/dev/zero of="$file" bs=1M count=$((($2 + SCRATCH_BYTES) >> 20)) status=none; } 2>&1) &&
		chmod 600 "$file" &&
		dd if=/dev/urandom of="$file" bs=1M seek="$2" oflag=seek_bytes conv=notrunc,fsync \
			count=$((SCRATCH_BYTES >> 20)) iflag=fullblock status=none 2>/dev/null || {
		why="cannot write the swap file in ${place%/*}${said:+: ${said##*: }}"
		return 1
	}
	if [[ $1 == slow:* ]]; then
		start_slowdisk "${1#slow:}" || return
		file=$slow_file
	fi
	for part in "device 0 $2" "scratch $2 $SCRATCH_BYTES"; do
		read -r part from bytes <<<"$part"
		note_down loop "$file" || return
		said=$(losetup --find --show --direct-io=on --offset "$from" --sizelimit "$bytes" -- "$file" 2>&1) && [ -b "$said" ] ||
			{ why="cannot make a loop device${said:+: ${said##*: }}"; return 1; }
		printf -v "$part" %s "$said"
	done
	[ "$(cat "/sys/block/${device##*/}/loop/dio" 2>/dev/null)" = 1 ] ||
		backing+=" (the loop device has no direct I/O there: reads may come from memory)"
	exec {scratch_fd}<"$scratch"	# who holds it keeps it, when it is told to let go
}

# From here on nothing has a name any more, and lets go by itself.
drop_names() {
	local file=$place/file
	[ -n "$place" ] || return 0
	losetup -d "$device" "$scratch" 2>/dev/null
	[ -z "${slow_pid-}" ] || nsenter --mount="/proc/$slow_pid/ns/mnt" umount -l -- "$place/disk" 2>/dev/null
	rm -rf -- "$place"
}

# A disk that takes its time for each read. It must outlive us: swap on a disk that is gone ends whoever needs it.
start_slowdisk() {	# start_slowdisk DELAY [WORD]: sets slow_pid, slow_file, slow_control; on record under that word
	local i words=() word=${2:-slowdisk}
	[ -x "${TP_BIN-}/slowdisk" ] || { why="slowdisk is not built: thinprobe setup"; return 1; }
	[ -e /dev/fuse ] || { why="this kernel has no FUSE (modprobe fuse)"; return 1; }
	mkdir -- "$place/disk" && mkfifo -m 600 -- "$place/control" || { why="cannot make $place/disk"; return 1; }
	exec {slow_control}<>"$place/control"
	[ -z "${LAB_SWAP_LOG-}" ] || words=(--log "$LAB_SWAP_LOG")
	# On record by itself before it is what it is.
	# shellcheck disable=SC2016 # another shell's
	(
		for f in "$fd" "$slow_control" ${scratch_fd:+"$scratch_fd"} "${lock[@]}"; do
			exec {f}<&-	# the locks, above all, end with us
		done
		exec setsid unshare --mount --propagation private "$BASH" -c '
			printf "%s %s %s\n" "$3" "$$" "$2" >>"$1" && exec "${@:4}"' sh "$record" "$place" "$word" \
			"$TP_BIN/slowdisk" "$place/disk" "$place/file" --read-delay "$1" \
			--control "$place/control" ${words[@]+"${words[@]}"} </dev/null >/dev/null 2>"$place/said"
	) &
	for ((i = 0; i < 500; i++)); do
		! grep -qx ready "$place/said" 2>/dev/null || break
		kill -0 "$!" 2>/dev/null || break
		nap 0.02
	done
	slow_pid=$(sed -n "s/^$word \([0-9]*\) .*/\1/p" "$record" | tail -n 1)
	slow_file=/proc/$slow_pid/root$place/disk/disk
	grep -qx ready "$place/said" && [ -e "$slow_file" ] && return
	why="slowdisk does not start: $(tail -n 1 -- "$place/said")"
	return 1
}

# swap_delay TIME: of the slow device, from now on.
swap_delay() {
	[ -n "${slow_control-}" ] || { why="the swap is not a slow one"; return 1; }
	printf 'read-delay %s\n' "$1" >&"$slow_control"
}

make_zrams() {	# make_zrams BYTES
	local part bytes algorithm
	[ -r /sys/class/zram-control/hot_add ] || { why="this kernel has no zram, or it is not loaded (modprobe zram)"; return 1; }
	for part in "device $1" "scratch $SCRATCH_BYTES"; do
		read -r part bytes <<<"$part"
		read -r zram 2>/dev/null </sys/class/zram-control/hot_add || { why="cannot make a zram device"; return 1; }
		note_down zram "$zram" "$(cat /proc/sys/kernel/random/boot_id)" || { put /sys/class/zram-control/hot_remove "$zram"; return 1; }
		put "/sys/block/zram$zram/disksize" "$bytes" || { why="zram: $why"; return 1; }
		printf -v "$part" %s "/dev/zram$zram"
	done
	algorithm=$(sed -n 's/.*\[\(.*\)\].*/\1/p' "/sys/block/zram$zram/comp_algorithm")
	backing="zram $algorithm"
	# of what compresses to about half, as a session's memory does
	perl -e 'open R, "<", "/dev/urandom"; for (1 .. $ARGV[0] / 4096) { read R, $half, 2048; print $half, "\0" x 2048 }' \
		"$SCRATCH_BYTES" 2>/dev/null |
		dd of="$scratch" bs=1M oflag=direct iflag=fullblock conv=notrunc status=none 2>/dev/null || {
		why="cannot write to $scratch"
		return 1
	}
}

unmake_swap() {	# unmake_swap [now|hold]: hold: another one is to follow, and no other lab comes between
	hurry "$record" slowdisk
	let_scratch_go
	back_lines "$record" 'folder|slowdisk|loop|zram|swap' >/dev/null || {
		why="the swap cannot be taken back${why:+: $why}"
		return 1
	}
	[ -z "${slow_control-}" ] || exec {slow_control}>&-
	slow_control='' slow_pid='' swap_is_on=''
	[ "${1-}" = hold ] || let_go swap
}

# As long as we hold the second device, the slow disk below it cannot end.
let_scratch_go() {
	[ -z "${scratch_fd-}" ] || exec {scratch_fd}<&-
	scratch_fd=''
}

# ---- what is to be taken back, line by line; a device may be somebody else's by now ----

back_swap() {	# back_swap DEVICE LABEL
	local said i
	swap_on "$1" && [ "$(swap_label "$1")" = "$2" ] || return 0
	for ((i = 0; i < 3; i++)); do
		said=$(swapoff -- "$1" 2>&1) && echo "ended swap on $1" && return
		nap 0.3
	done
	why=${said##*: }
	echo "cannot end swap on $1: $why"
	return 1
}

# Removes the zram device of a lab, if the machine has not been booted since (BOOT: its boot ID then).
back_zram() {	# back_zram NUMBER BOOT
	[ "$2" = "$(cat /proc/sys/kernel/random/boot_id)" ] && [ -d "/sys/block/zram$1" ] || return 0
	! swap_on "/dev/zram$1" || { why="/dev/zram$1 is in use"; return 1; }
	put "/sys/block/zram$1/reset" 1 && put /sys/class/zram-control/hot_remove "$1" && echo "removed /dev/zram$1" && return
	echo "cannot remove /dev/zram$1: $why"
	return 1
}

back_loop() {	# back_loop FILE: detaches the loop devices over it that were not yet told to detach by themselves
	local device
	[ -e "$1" ] || return 0
	while IFS= read -r device; do
		[ -n "$device" ] && losetup -d "$device" 2>/dev/null && echo "detached $device"
	done < <(losetup -n -O NAME -j "$1" 2>/dev/null)
	return 0
}

slowdisk_is() { [[ $1 =~ ^[0-9]+$ && -e /proc/$1 ]] && grep -qzFx -- "$2/disk" "/proc/$1/cmdline" 2>/dev/null; }

# A slow disk takes no time any more: what is on it will all be read at once.
hurry() {	# hurry RECORD slowdisk|disk-slow...: those on record under these words
	local what pid folder
	while read -r what pid folder; do
		[[ " ${*:2} " != *" $what "* ]] || ! slowdisk_is "$pid" "$folder" || kill -USR1 "$pid"
	done <"$1"
}

back_slowdisk() {	# back_slowdisk PID FOLDER
	local i
	for ((i = 0; i < 150; i++)); do
		slowdisk_is "$1" "$2" || return 0
		case $i in
		5) nsenter --mount="/proc/$1/ns/mnt" umount -l -- "$2/disk" 2>/dev/null ;;
		50) kill -TERM "$1" ;;
		100) kill -KILL "$1" ;;
		esac
		nap 0.02
	done
	return 1
}

back_folder() {
	[[ $1 == */thinprobe-@(swap|disk)-?????? ]] && [ -d "$1" ] && [ ! -L "$1" ] || return 0
	rm -rf -- "$1" && echo "removed $1"
}
