# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# disk.sh - a disk of given speed for a lab's server. Part of local.sh and ssh.sh; like groups.sh it lets local/undo.sh make the
# disk, and remove it however the driver ends. Only for root, but lab_disk_own.
#
#   LAB_DISK_DEVICE    /dev/loop3; LAB_DISK_BACKING: what is behind it, in words; LAB_DISK: where it is mounted, on the server only
#   LAB_DISK_SPACE     where the server has mounts of its own for it (lab_disk_space): their namespace, and LAB_DISK_KEEPER, the
#                      LAB_PID that keeps it
lab_disk_none() { LAB_DISK_DEVICE='' LAB_DISK_BACKING='' LAB_DISK='' LAB_DISK_KIND='' LAB_DISK_SPACE='' LAB_DISK_KEEPER=''; }
lab_disk_none
# A back-end whose server shares the mounts of a machine makes others for the server here. 1: LAB_WHY.
lab_disk_space() { :; }

# lab_disk KIND SIZE FOLDER: makes it and mounts it in FOLDER (below LAB_TMP) of the server: an ext4 of
# its own. KIND: file, on a disk of the machine, past its page cache; slow, the same, and each read
# and write can be made to take a time, one after the other. 1: LAB_WHY.
lab_disk() {
	local SIZE why
	lab_size "$2" || { LAB_WHY="$2: want a size such as 1G"; return 1; }
	lab_change disk "$1" "$SIZE" || return
	read -r LAB_DISK_DEVICE LAB_DISK_BACKING <<<"$LAB_ANSWERED"
	LAB_DISK_KIND=$1
	rm -f -- "$LAB_TIMES/disk.log"	# (of an earlier one)
	# No lazy initialization and no access times, which would cause requests that are not the session's.
	# shellcheck disable=SC2016 # another shell's
	if lab_disk_space && lab_exec -R server sh -c '
		mke2fs -q -F -t ext4 -m 0 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$1" &&
			mkdir -p "$2" && mount -o noatime,nodev "$1" "$2" && chmod 755 "$2"' sh \
		"$LAB_DISK_DEVICE" "$3" </dev/null >"$LAB_TIMES/disk.log" 2>&1 && lab_change disk-hold; then
		LAB_DISK=$3
		rm -f -- "$LAB_TIMES/disk.log"
		return
	fi
	why=$(tail -n 1 -- "$LAB_TIMES/disk.log" 2>/dev/null) why=${why:-$LAB_WHY}
	LAB_DISK=$3
	lab_disk_off
	LAB_WHY="the disk cannot be mounted: $why"
	return 1
}

# lab_disk_own SIZE: the server's own disk, as it is: LAB_DISK is a folder there that has room for SIZE and goes with the lab,
# LAB_DISK_DEVICE the whole disk. 1: LAB_WHY.
lab_disk_own() {
	local SIZE
	lab_size "$1" && lab_change disk own "$SIZE" || return
	read -r LAB_DISK_DEVICE LAB_DISK LAB_DISK_BACKING <<<"$LAB_ANSWERED"
	LAB_DISK_KIND=own
}

# lab_disk_delay TIME [READ-RATE WRITE-RATE]: sets the delay of each read and write of a slow disk (0: none); with rates, such as
# 1500Kbit, a request also takes longer by its size.
lab_disk_delay() {
	LAB_WHY="the disk is not a slow one"
	[ "$LAB_DISK_KIND" = slow ] && lab_change disk-delay "$@"
}

# lab_disk_takes N: at most N requests (4 or more) are in the device at a time; the others wait before it, where a scheduler
# orders them. Set it before the device has a scheduler; it stays when it gets one.
lab_disk_takes() { lab_change disk-takes "$1"; }

# Removes the disk, which must not be in use.
lab_disk_off() {
	[ -n "$LAB_DISK_DEVICE" ] || return 0
	[ "$LAB_DISK_KIND" != slow ] || lab_change disk-delay 0
	if [ -n "$LAB_DISK_KEEPER" ]; then lab_stop "$LAB_DISK_KEEPER"
	elif [ "$LAB_DISK_KIND" != own ] && [ -n "$LAB_DISK" ]; then lab_exec -R server umount -l "$LAB_DISK" 2>/dev/null; fi
	lab_disk_none
	lab_change undisk
}

# lab_disk_counts: prints "reads read-bytes writes written-bytes", whole, of the disk since it was made.
lab_disk_counts() {
	lab_query server cat "/sys/block/${LAB_DISK_DEVICE##*/}/stat" |
		awk '{ printf "%.0f %.0f %.0f %.0f\n", $1, $3 * 512, $5, $7 * 512 }' | whole_numbers 4
}

# lab_disk_schedulers: prints the schedulers of its requests that the kernel offers, in one line. To
# set one: lab_switch scheduler:loop3 bfq
lab_disk_schedulers() {
	lab_query server cat "/sys/block/${LAB_DISK_DEVICE##*/}/queue/scheduler" | tr -d '[]'
}

# Called by lab_can.
lab_disk_can() {
	[ -z "$LAB_DISK_DEVICE" ] || return 0
	lab_change disk slow 1048576 && lab_change undisk
}
