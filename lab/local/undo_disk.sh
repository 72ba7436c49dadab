# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# undo_disk.sh - a disk of a lab's own: a loop device with direct I/O over a file on a disk of the
# machine, or over slowdisk(1), whose reads and writes take a stated time. Part of undo.sh.
#
# Who mounts it does so in the namespace of a host, which ends with the lab. From then on
# (disk-hold) nothing of it has a name any more, as with swap (undo_swap.sh): the loop device lets
# go when it is unmounted, slowdisk ends when the loop device lets go of it. On record, in the order
# of doing: "disk-folder", "disk-slow", "disk-loop", "disk-takes".

# own_disk BYTES: sets answer: the disk that the machine has, the folder on it, and what it is.
own_disk() {
	local place='' backing='' name below
	find_place "$1" disk || return
	name=$(df --output=source -- "${place%/*}" | tail -n 1) && name=$(readlink -f -- "$name") && name=${name##*/}
	while :; do
		[ ! -e "/sys/class/block/$name/partition" ] || name=$(cd -P -- "/sys/class/block/$name/.." && echo "${PWD##*/}")
		below=$(ls "/sys/class/block/$name/slaves" 2>/dev/null)
		[ -n "$below" ] && [[ $below != *$'\n'* ]] || break
		name=$below
	done
	[ -d "/sys/block/$name" ] || { why="cannot tell which disk ${place%/*} is on"; return 1; }
	note_down disk-folder "$place" && mkdir -m 700 -- "$place" || { why="cannot make $place"; return 1; }
	disk_device=/dev/$name disk_place=$place answer="/dev/$name $place $backing"
}

# make_disk slow|file BYTES: sets answer: the device, what is behind it. Not formatted; a slow one takes no time yet.
make_disk() {
	local place='' backing='' file said device command slow_pid='' slow_file='' slow_control='' LAB_SWAP_LOG=''
	[ -z "${disk_device-}" ] || { why="this lab has its disk already"; return 1; }
	[ "$1" != own ] || { own_disk "$2"; return; }
	[ "$EUID" = 0 ] || { why="a disk of its own: only root may make one"; return 1; }
	for command in losetup:mount mke2fs:e2fsprogs; do
		command -v "${command%:*}" >/dev/null || {
			why="${command%:*} is missing: apt-get install --no-install-recommends ${command#*:}"
			return 1
		}
	done
	case $1 in slow | file) ;; *) why="no kind of disk $1"; return 1 ;; esac
	find_place "$2" disk || return
	note_down disk-folder "$place" || return
	mkdir -m 700 -- "$place" || { why="cannot make $place"; return 1; }
	disk_place=$place file=$place/file
	if said=$({ fallocate -l "$2" -- "$file" || dd if=/dev/zero of="$file" bs=1M count=$(($2 >> 20)) status=none; } 2>&1) &&
		chmod 600 "$file"; then
		[ "$1" = file ] || { start_slowdisk 0 disk-slow && file=$slow_file; }
	else
		why="cannot write ${place%/*}/${place##*/}/file${said:+: ${said##*: }}"
		false
	fi && note_down disk-loop "$file" && said=$(losetup --find --show --direct-io=on -- "$file" 2>&1) &&
		[ -b "$said" ] && device=$said || {
		why="${why:-cannot make a loop device${said:+: ${said##*: }}}"
		said=$why disk_control=$slow_control
		unmake_disk
		why=$said
		return 1
	}
	disk_device=$device disk_pid=$slow_pid disk_control=$slow_control
	[ "$(cat "/sys/block/${device##*/}/loop/dio" 2>/dev/null)" = 1 ] ||
		backing+=" (the loop device has no direct I/O there: reads may come from memory)"
	answer="$device $backing"
}

# It is mounted: from here on it lets go by itself.
hold_disk() {
	[ -n "${disk_device-}" ] || { why="there is no disk"; return 1; }
	losetup -d "$disk_device" 2>/dev/null
	[ -z "$disk_pid" ] || nsenter --mount="/proc/$disk_pid/ns/mnt" umount -l -- "$disk_place/disk" 2>/dev/null
	rm -rf -- "$disk_place"
}

# disk_delay TIME [READ-RATE WRITE-RATE]: of each read and each write, from now on; and, with rates, their data takes its time.
disk_delay() {
	local rate
	[ -n "${disk_control-}" ] || { why="the disk is not a slow one"; return 1; }
	[[ $1 =~ ^([0-9]+(\.[0-9]+)?(us|ms|s)|0)$ ]] || { why="$1: want a time such as 4ms"; return 1; }
	for rate in "${@:2}"; do
		[[ $rate =~ ^([0-9]+(\.[0-9]+)?[KMGkmg]?bit|none)$ ]] || { why="$rate: want a rate such as 1500Kbit, or none"; return 1; }
	done
	printf '%s\n' "delay $1" "read-rate ${2:-none}" "write-rate ${3:-none}" >&"$disk_control"
}

# disk_takes N: so many requests at a time go to the device (4 to what it takes by itself); what waits beyond these is the
# scheduler's. Only without a scheduler the kernel changes that number, and only where it is not the one that it shows: after a
# scheduler it shows all, whatever they are.
disk_takes() {
	local queue=/sys/block/${disk_device##*/}/queue most
	[ -n "${disk_device-}" ] || { why="there is no disk"; return 1; }
	put "$queue/scheduler" none || { why="the disk has no queue to set: $why"; return 1; }
	{ read -r most </sys/module/loop/parameters/hw_queue_depth || read -r most <"$queue/nr_requests"; } 2>/dev/null
	[[ $1 =~ ^[0-9]+$ ]] && [ "$1" -ge 4 ] && [ "$1" -le "$most" ] || { why="$1 requests at a time: 4 to $most"; return 1; }
	note_down disk-takes "${disk_device##*/}" "$most" || return
	set_takes "$queue" "$1"
}
set_takes() {	# set_takes QUEUE N
	put "$1/nr_requests" "$(($2 == 4 ? 5 : $2 - 1))" && put "$1/nr_requests" "$2"
}

# A device with a scheduler is in use by another process by now, and stays as it is.
back_takes() {	# back_takes DEVICE MOST
	local queue=/sys/block/$1/queue
	[[ $1 == loop* && $(cat "$queue/scheduler" 2>/dev/null) == *'[none]'* ]] || return 0
	set_takes "$queue" "$2"
}

# Takes the disk away, after the host that had it mounted has unmounted it.
unmake_disk() {
	hurry "$record" disk-slow
	back_lines "$record" 'disk-folder|disk-slow|disk-loop|disk-takes' >/dev/null || {
		why="the disk cannot be taken back${why:+: $why}"
		return 1
	}
	[ -z "${disk_control-}" ] || exec {disk_control}>&-
	disk_control='' disk_pid='' disk_device='' disk_place=''
}
