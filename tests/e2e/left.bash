# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# left.bash - finds control groups and files that a run has left. Those of other running labs are recognized by the lab's ID, which
# a lab's processes have in their environment.

# shellcheck source=tests/busy.bash
. "${BASH_SOURCE[0]%/*}/../busy.bash"

# control groups of labs, of either version
groups() {
	find /sys/fs/cgroup -maxdepth 2 \( -name 'thinprobe-??????' -o -name 'thinprobe-??????[-.]*' \) 2>/dev/null | sort
}

# Whether PATH, which has a lab's ID in its name, is gone, or belongs to a running lab.
has_gone() {	# PATH
	local id=${1##*/thinprobe-}

	id=${id#disk-}
	[ ! -e "$1" ] || grep -qzsxF "LAB_ID=${id:0:6}" /proc/[0-9]*/environ
}

is_left() { ! soon has_gone "$1"; }	# PATH

# small_run EXPERIMENT OPTION...: a run in setup_file, into $RUN; its status, output and errors, and the groups before and after it,
# are files of $BATS_FILE_TMPDIR. Wants not_here.bash.
small_run() {
	groups >"$BATS_FILE_TMPDIR/groups.before"
	real_run "$RUN" "$TOP/thinprobe" run "$@" -o "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" 3>&-
	groups >"$BATS_FILE_TMPDIR/groups.after"
	echo "$status" >"$BATS_FILE_TMPDIR/status"
	[ "$status" != 4 ] || not_here "$(tail -n 1 "$BATS_FILE_TMPDIR/err")"
}

# fails if none of the groups that are new in `groups.after`, compared with `groups.before`, is left
groups_left() {
	local group
	for group in $(comm -13 "$BATS_FILE_TMPDIR/groups.before" "$BATS_FILE_TMPDIR/groups.after"); do
		if is_left "$group"; then return 0; fi
	done
	return 1
}
