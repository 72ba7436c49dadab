# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# folder.sh - folders of results and the files in them; for run.sh, sweep.sh and ab.sh.
. "$TP_HOME/lab/locks.sh"

# How a new folder of results is made: root's is for root alone. (One that is there keeps its mode.)
ROOT_MODE=()
[ "$EUID" != 0 ] || ROOT_MODE=(-m 700)

# folder_kept FOLDER: nobody else can take something out of it and put something else in its place: the folder, and a link to it,
# are ours or root's, and not for all to write.
folder_kept() {
	local mode uid
	while read -r mode uid; do
		[[ $uid == @(0|"$EUID") && $mode == @(l*|d???????-?|d????????[tT]) ]] || return 1
	done < <(stat -c '%A %u' -- "$1" && stat -Lc '%A %u' -- "$1") 2>/dev/null
}

# folder_safe FOLDER: root may write there: in the folder, or, where it is not there yet, in the first above it that is, and in all
# above that one, no other login can put something in the place of root's files. (With whom an ordinary user shares a folder is
# the user's affair.) KEPT: its real path, in which no link is left that could be changed; 1: FOLDER_WHY.
# No other login is the one that called sudo, since it can become root; in a user namespace, root outside of it; and the owner of a
# folder that was mounted here, if it has no account here or this is a container.
folder_safe() {
	local at=$1 mode uid gid owners=" 0 $EUID ${SUDO_UID-} " groups=" 0 ${SUDO_GID-} " all=()
	KEPT=$1 FOLDER_WHY=''
	[ "$EUID" = 0 ] || return 0
	[[ $(</proc/self/uid_map) == *4294967295* ]] || owners+='65534 ' groups+='65534 '
	[[ $at == /* ]] || at=$PWD/$at
	while [ ! -d "$at" ] && [ ! -L "$at" ]; do at=${at%/*} at=${at:-/}; done
	KEPT=$(cd -P -- "$at" 2>/dev/null && pwd) || return 1
	for ((at = 1; at < ${#KEPT}; at++)); do [ "${KEPT:at:1}" != / ] || all+=("${KEPT:0:at}"); done
	for at in / "${all[@]}" "$KEPT"; do
		read -r mode uid gid < <(stat -c '%A %u %g' -- "$at" 2>/dev/null) || return 1
		[[ $owners == *" $uid "* ]] || ! mountpoint -q -- "$at" ||
			{ getent passwd "$uid" >/dev/null && [ ! -e /.dockerenv ] && [ ! -e /run/.containerenv ]; } ||
			owners+="$uid " groups+="$gid "
		[[ $owners == *" $uid "* ]] || FOLDER_WHY="$at is of login $(stat -c %U -- "$at")"
		[[ $mode == @(d????-??-?|d????????[tT]) || ($mode == d???????-? && $groups == *" $gid "*) ]] ||
			FOLDER_WHY="others can write to $at"
		[ -z "$FOLDER_WHY" ] || return 1
	done
}

# folder_refused FOLDER: prints why nothing is written there, and the cure.
folder_refused() {
	folder_safe "$1"
	printf 'cannot make %s%s; give a folder of yours with -o DIR' "${1//[[:cntrl:]]/?}" "${FOLDER_WHY:+: $FOLDER_WHY}"
}

# results_new NAME: prints the path of a new folder, results/NAME/TIME in a checkout that may be written, else in thinprobe-results
# of the current folder. 1: it cannot be made, or is another login's. Root leaves nothing in somebody's checkout, and its results
# are not for all to read.
results_new() {
	local base=${PWD%/}/thinprobe-results stamp folder n=2
	[ "$TP_CHECKOUT" = 1 ] && { [ "$EUID" != 0 ] || [ -O "$TP_HOME" ]; } && mkdir -p "$TP_HOME/results" 2>/dev/null &&
		[ -w "$TP_HOME/results" ] && folder_kept "$TP_HOME/results" && folder_safe "$TP_HOME/results" && base=$TP_HOME/results
	stamp=$(date -u +%Y-%m-%dT%H-%M-%S)
	folder=$base/$1/$stamp
	{ folder_safe "$base" && mkdir -p "$base" && folder_kept "$base" && folder_safe "$base" && base=$KEPT &&
		mkdir -p "$base/$1" && folder_kept "$base/$1"; } 2>/dev/null ||
		{ printf '%s\n' "$folder"; return 1; }
	until mkdir "${ROOT_MODE[@]}" "$folder" 2>/dev/null; do	# (others begin in the same second)
		[ -e "$folder" ] || { printf '%s\n' "$folder"; return 1; }
		folder=$base/$1/$stamp.$((n++))
	done
	printf '%s\n' "$folder"
}

# folder_made VARIABLE FOLDER: makes the folder, and sets the variable to its path. 1: it cannot be made, has a line break, is a
# link of another login, or root may not write there.
folder_made() {
	local folder=$2 link=$2
	while [[ $link == ?*/ ]]; do link=${link%/}; done
	[ ! -L "$link" ] || [[ $(stat -c %u -- "$link") == @(0|"$EUID") ]] || return 1
	[[ $folder == /* ]] || folder=$PWD/$folder	# (cd would read - as the previous folder)
	[[ $folder != *[[:cntrl:]]* ]] && folder_safe "$folder" && mkdir -p "${ROOT_MODE[@]}" -- "$folder" 2>/dev/null &&
		folder_safe "$folder" && folder=$(cd -- "$KEPT" && pwd) && printf -v "$1" %s "$folder"
}

# folder_lock FOLDER [SECONDS]: as lock_folder; dies where the folder cannot be locked. lock_ours WHAT: of DIR, also where another
# is under way in it.
folder_lock() {
	lock_folder "$@" && return 0
	[ $? = 1 ] || die "$LOCKS_WHY; give a folder of yours with -o DIR"
	return 1
}
lock_ours() { folder_lock "$DIR" || die "$DIR: a $1 is under way in it; wait for its end"; }

# put_whole FILE: standard input becomes the file, whole or not at all (1; also if nothing came). Of two at once, one is the last.
put_whole() {
	local new=$1.new.$BASHPID
	{ rm -f -- "$new" && (set -C && exec cat >"$new") && [ -s "$new" ] && sync "$new" && mv -fT -- "$new" "$1"; } 2>/dev/null &&
		return
	rm -f -- "$new" 2>/dev/null
	return 1
}

keep() {	# keep NAME: standard input becomes DIR/NAME; otherwise the old file stays, and the sweep or comparison ends
	put_whole "$DIR/$1" ||
		die "cannot write to $DIR; make room, then: thinprobe $(basename -- "$0" .sh) --resume $(printf %q "$DIR")"
}

# folder_empty FOLDER: it has nothing but a lock, which is no link. folder_gone FOLDER: removes such a one.
folder_empty() { [ -z "$(find "$1/" -mindepth 1 ! \( -name .lock -type f \) -print -quit 2>/dev/null)" ]; }
folder_gone() { ! folder_empty "$1" || { rm -f -- "$1/.lock"; rmdir -- "$1" 2>/dev/null; }; }
