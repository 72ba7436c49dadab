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

# results_new NAME: prints the path of a new folder, results/NAME/TIME in a checkout that may be written, else in thinprobe-results
# of the current folder. 1: it cannot be made, or is another login's. Root leaves nothing in somebody's checkout, and its results
# are not for all to read.
results_new() {
	local base=${PWD%/}/thinprobe-results stamp folder n=2
	[ "$TP_CHECKOUT" = 1 ] && { [ "$EUID" != 0 ] || [ -O "$TP_HOME" ]; } && mkdir -p "$TP_HOME/results" 2>/dev/null &&
		[ -w "$TP_HOME/results" ] && folder_kept "$TP_HOME/results" && base=$TP_HOME/results
	stamp=$(date -u +%Y-%m-%dT%H-%M-%S)
	folder=$base/$1/$stamp
	{ mkdir -p "$base" && folder_kept "$base" && mkdir -p "$base/$1" && folder_kept "$base/$1"; } 2>/dev/null ||
		{ printf '%s\n' "$folder"; return 1; }
	until mkdir "${ROOT_MODE[@]}" "$folder" 2>/dev/null; do	# (others begin in the same second)
		[ -e "$folder" ] || { printf '%s\n' "$folder"; return 1; }
		folder=$base/$1/$stamp.$((n++))
	done
	printf '%s\n' "$folder"
}

# folder_made VARIABLE FOLDER: makes the folder, and sets the variable to its path. 1: it cannot be made, has a line break, or is a
# link of another login.
folder_made() {
	local folder=$2 link=$2
	while [[ $link == ?*/ ]]; do link=${link%/}; done
	[ ! -L "$link" ] || [[ $(stat -c %u -- "$link") == @(0|"$EUID") ]] || return 1
	[[ $folder == /* ]] || folder=$PWD/$folder	# (cd would read - as the previous folder)
	[[ $folder != *[[:cntrl:]]* ]] && mkdir -p "${ROOT_MODE[@]}" -- "$folder" 2>/dev/null &&
		folder=$(cd -- "$folder" && pwd) && printf -v "$1" %s "$folder"
}

# folder_lock FOLDER [SECONDS]: as lock_folder; dies where the folder cannot be locked. lock_ours WHAT: of DIR, also where another
# is under way in it.
folder_lock() {
	lock_folder "$@" && return 0
	[ $? = 1 ] || die "$LOCKS_WHY; give a folder of yours with -o DIR"
	return 1
}
lock_ours() { folder_lock "$DIR" || die "$DIR: a $1 is under way in it; wait for its end"; }

put_whole() {	# put_whole FILE: standard input becomes the file, whole or not at all (1; also if nothing came)
	{ cat >"$1.new" && [ -s "$1.new" ] && sync "$1.new" && mv "$1.new" "$1"; } 2>/dev/null && return
	rm -f "$1.new" 2>/dev/null
	return 1
}

keep() {	# keep NAME: standard input becomes DIR/NAME; otherwise the old file stays, and the sweep or comparison ends
	put_whole "$DIR/$1" ||
		die "cannot write to $DIR; make room, then: thinprobe $(basename -- "$0" .sh) --resume $(printf %q "$DIR")"
}

# folder_empty FOLDER: it has nothing but a lock, which is no link. folder_gone FOLDER: removes such a one.
folder_empty() { [ -z "$(find "$1/" -mindepth 1 ! \( -name .lock -type f \) -print -quit 2>/dev/null)" ]; }
folder_gone() { ! folder_empty "$1" || { rm -f -- "$1/.lock"; rmdir -- "$1" 2>/dev/null; }; }
