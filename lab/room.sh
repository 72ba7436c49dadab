# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# room.sh - is a disk full? For messages of what could not be written. Sourced.

# disk_full FOLDER: we may write there, but there is no room for 1 MiB.
disk_full() {
	local file full=1
	[ -d "$1" ] && [ -w "$1" ] || return 1
	file=$(mktemp -- "$1/.room.XXXXXX" 2>/dev/null) || return 0	# (in /tmp others could have put a link there)
	{ head -c 1048576 /dev/zero >"$file"; } 2>/dev/null || full=0
	rm -f -- "$file"
	return "$full"
}

# name_full_disk FOLDER...: prints which of them is on a full disk, and the cure; 1: none is.
name_full_disk() {
	local folder
	for folder; do ! disk_full "$folder" || { printf 'the disk of %s is full; make room there\n' "$folder"; return; }; done
	return 1
}
