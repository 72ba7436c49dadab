# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# locks.sh - lock files, by which the labs and sweeps of all users of a machine keep off each other's CPUs, switches and hosts.
#
# The folder of the locks is for all users, and is removed with its last file. Only who holds the lock of a file removes it; so a
# lock counts if its file still has that name. A flock needs only a readable file: what one user has made another can lock.

# locks_folder FOLDER: makes it.
locks_folder() { [ -d "$1" ] || (umask 0 && mkdir -m 1777 -- "$1") 2>/dev/null || [ -d "$1" ]; }

# locks_take FILE [SECONDS]: waits so long (0) for its lock; LOCK is the descriptor that holds it. 1: another has it; 2: FILE cannot
# be made or read.
locks_take() {
	local n
	for ((n = 0; n < 10; n++)); do
		locks_folder "${1%/*}"
		[ -e "$1" ] || (set -C && umask 022 && : >"$1") 2>/dev/null
		{ exec {LOCK}<"$1"; } 2>/dev/null || continue
		flock -w "${2:-0}" "$LOCK" || { exec {LOCK}<&-; return 1; }
		[ ! "$1" -ef "/proc/self/fd/$LOCK" ] || return 0
		exec {LOCK}<&-
	done
	return 2
}

# locks_tidy FOLDER: removes the files there whose lock nobody holds, and the folder if it is empty: those of ours; as root all.
# Prints what it removed.
locks_tidy() {
	local file fd
	for file in "$1"/cpu* "$1"/switch-* "$1"/pair-*; do
		[ -O "$file" ] || [ "$EUID" = 0 ] || continue
		[ -f "$file" ] && [ ! -L "$file" ] && { exec {fd}<"$file"; } 2>/dev/null || continue
		flock -n "$fd" && [ "$file" -ef "/proc/self/fd/$fd" ] && rm -f -- "$file" && printf 'removed lock %s\n' "$file"
		exec {fd}<&-
	done
	[ -d "$1" ] && [ ! -L "$1" ] && rmdir -- "$1" 2>/dev/null && printf 'removed %s\n' "$1"
	return 0
}
