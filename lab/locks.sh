# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# locks.sh - lock files, by which the labs and sweeps of all users of a machine keep off each other's CPUs, switches and hosts; and
# where a login keeps the records of what is to be undone.
#
# The folder of the locks is for all users, and is removed with its last file. It is used only if nobody else can take files out of
# it: a real folder of root or of our own, sticky where others may write. Only who holds the lock of a file removes it; so a
# lock counts if its file still has that name. A flock needs only a readable file: what one user has made another can lock.

# locks_private FOLDER: it is ours, no link, and nobody else may write there. locks_safe FOLDER: it is root's or ours, no link, and
# others cannot remove what is not theirs. (In a user namespace root's files seem to be nobody's: who made it has looked before.)
# Each by one look: between two, another login may have put a link or a folder of its own in its place.
locks_private() {
	local mode uid
	read -r mode uid < <(stat -c '%A %u' -- "$1" 2>/dev/null) && [[ $mode == d????-??-* && $uid == "$EUID" ]]
}
locks_safe() {
	local mode uid
	read -r mode uid < <(stat -c '%A %u' -- "$1" 2>/dev/null) && [[ $mode == @(d????-??-?|d????????[tT]) ]] || return 1
	[ "$uid" = 0 ] || [ "$uid" = "$EUID" ] || { [ "$uid" = 65534 ] && [[ $(</proc/self/uid_map) != *4294967295* ]]; }
}

# locks_folder FOLDER: makes it. 1: LOCKS_WHY. Root takes over one that another login has made where that login cannot put
# something else in its place; what it takes over is the folder that it stands in, whatever has that name by then.
locks_folder() {
	[ -e "$1" ] || [ -L "$1" ] || (umask 0 && mkdir -m 1777 -- "$1") 2>/dev/null || [ -d "$1" ] ||
		{ LOCKS_WHY="cannot make $1; set LAB_LOCKS to a folder that you own"; return 1; }
	! locks_safe "$1" || return 0
	[ "$EUID" != 0 ] || ! locks_safe "$(dirname -- "$1")" || (cd -P -- "$1" &&
		[ "$(readlink /proc/self/cwd)" = "$(readlink -f -- "$(dirname -- "$1")")/${1##*/}" ] && chown 0 . && chmod 1777 .) 2>/dev/null
	! locks_safe "$1" || return 0
	LOCKS_WHY="$1 is a link, or $(stat -c %U -- "$1" 2>/dev/null || echo somebody) can take locks out of it:"
	LOCKS_WHY+=" have root remove it; or set LAB_LOCKS to a folder that you own"
	return 1
}

# locks_open FILE: opens it as LOCK, if it is a file. Another login may put a pipe in the place of one of its own at any moment, and
# who opens that waits: so a child opens what is not ours, and we what the child has.
locks_open() {
	local mode uid pid='' open=$1
	# (in a trap, return without a number would give the status from before it)
	read -r mode uid < <(stat -c '%A %u' -- "$1" 2>/dev/null) && [[ $mode == -* ]] || return 1
	[ "$uid" = "$EUID" ] || {
		read -r pid < <(exec 2>/dev/null && timeout 2 sh -c 'exec 9<"$1" && echo $$ && exec sleep 2' sh "$1")
		open=/proc/${pid:-none}/fd/9
	}
	[ -f "$open" ] && { exec {LOCK}<"$open"; } 2>/dev/null
	mode=$?
	[ -z "$pid" ] || kill "$pid" 2>/dev/null
	return "$mode"
}

# locks_take FILE [SECONDS]: waits so long (0) for its lock; LOCK is the descriptor that holds it. 1: another has it; 2: FILE cannot
# be made or read: LOCKS_WHY.
locks_take() {
	local n
	for ((n = 0; n < 30; n++)); do
		locks_folder "${1%/*}" || continue	# (its last holder may have removed it)
		LOCKS_WHY="cannot lock $1; remove it, or set LAB_LOCKS to a folder that you own"
		[ -e "$1" ] || (set -C && umask 022 && : >"$1") 2>/dev/null
		locks_open "$1" || continue
		LOCKS_WHY=$(flock -w "${2:-0}" "$LOCK" 2>&1) ||
			{ exec {LOCK}<&-; [ -n "$LOCKS_WHY" ] || return 1; LOCKS_WHY="cannot lock $1: $LOCKS_WHY"; return 2; }
		[ ! "$1" -ef "/proc/self/fd/$LOCK" ] || return 0
		exec {LOCK}<&-
	done
	return 2
}

# locks_holders FILE: prints the logins that have it open.
locks_holders() {
	local names
	names=$(find /proc/[0-9]*/fd -lname "$1" -printf '%u\n' 2>/dev/null | sort -u | paste -sd ' ')
	printf '%s' "${names:-another login}"
}

# lock_folder FOLDER [SECONDS]: locks a folder of results, by a file in it (on NFS it has to be open for writing); LOCK and status
# as locks_take.
lock_folder() {
	{ exec {LOCK}<>"$1/.lock"; } 2>/dev/null || { LOCKS_WHY="cannot write to $1"; return 2; }
	LOCKS_WHY=$(flock -w "${2:-0}" "$LOCK" 2>&1) && return 0
	exec {LOCK}>&-
	[ -n "$LOCKS_WHY" ] || return 1
	LOCKS_WHY="$1 cannot be locked: $LOCKS_WHY"
	return 2
}

# locks_tidy FOLDER: removes the files there whose lock nobody holds, and the folder if it is empty: those of ours; as root also of
# others, 100 at a time (who makes many would hold up the end of each lab). Prints what it removed.
locks_tidy() {
	local file others=0 LOCK
	locks_safe "$1" || return 0
	for file in "$1"/cpu* "$1"/switch-* "$1"/pair-*; do
		[ -O "$file" ] || { [ "$EUID" = 0 ] && [ $((others++)) -lt 100 ]; } || continue
		locks_open "$file" || continue
		flock -n "$LOCK" && [ "$file" -ef "/proc/self/fd/$LOCK" ] && rm -f -- "$file" &&
			printf 'removed lock %s\n' "${file//[[:cntrl:]]/?}"	# (anybody makes a name)
		exec {LOCK}<&-
	done
	rmdir -- "$1" 2>/dev/null && printf 'removed %s\n' "$1"
	return 0
}

# records_folder LOCKS: prints the folder of the records of what is to be undone (local/undo.sh), which only we can write: that of
# the locks, if it is ours alone; else root's is /run/thinprobe. 1: prints why there is none.
records_folder() {
	local folder=/tmp/thinprobe-undo-$EUID
	[ -e "$1" ] || ! locks_private "$(dirname -- "$1")" || mkdir -m 755 -- "$1" 2>/dev/null
	if locks_private "$1"; then
		printf '%s\n' "$1"
		return 0
	fi
	[ "$EUID" != 0 ] || [ ! -w /run ] || folder=/run/thinprobe
	mkdir -m 700 -- "$folder" 2>/dev/null
	printf '%s\n' "$folder"
	locks_private "$folder" ||
		{ printf 'cannot use %s: it must be a folder that only you can write; remove it\n' "$folder"; return 1; }
}

# record_open FILE: opens a record for RECORD_FD and locks it. 1: it is not our own file in a safe folder; 2: its lab is up.
record_open() {
	local open status=1
	[ -f "$1" ] && [ ! -L "$1" ] && locks_safe "$(dirname -- "$1")" && { exec {RECORD_FD}<"$1"; } 2>/dev/null || return 1
	open=/proc/self/fd/$RECORD_FD
	if [ -f "$open" ] && [ -O "$open" ] && [ "$(stat -Lc %h "$open")" = 1 ]; then
		! flock -n "$RECORD_FD" || return 0
		status=2
	fi
	exec {RECORD_FD}<&-
	return $status
}
