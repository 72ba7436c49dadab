# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# left.bash - what a run may have left on the machine: control groups, files. Others may run labs meanwhile: what is theirs is told
# by the lab's ID, which its processes have in their environment.

# of ours, by any version
groups() {
	find /sys/fs/cgroup -maxdepth 2 \( -name 'thinprobe-??????' -o -name 'thinprobe-??????[-.]*' \) 2>/dev/null | sort
}

# Is PATH, in whose name is a lab's ID, still there although nobody of that lab runs?
is_left() {	# PATH
	local id=${1##*/thinprobe-}

	id=${id#disk-}
	for _ in {1..50}; do
		[ -e "$1" ] || return 1
		if grep -qzsxF "LAB_ID=${id:0:6}" /proc/[0-9]*/environ; then return 1; fi
		sleep 0.1
	done
	[ -e "$1" ] && echo "$1 is left"
}

# small_run EXPERIMENT OPTION...: a run in setup_file, into $RUN; its status, output and errors, and the groups before and after it,
# are files of $BATS_FILE_TMPDIR. Wants not_here.bash.
small_run() {
	status=0
	groups >"$BATS_FILE_TMPDIR/groups.before"
	"$TOP/thinprobe" run "$@" -o "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" 3>&- || status=$?
	groups >"$BATS_FILE_TMPDIR/groups.after"
	echo "$status" >"$BATS_FILE_TMPDIR/status"
	[ "$status" != 4 ] || not_here "$(tail -n 1 "$BATS_FILE_TMPDIR/err")"
}

# none of those that have come between the files `groups.before` and `groups.after`
groups_left() {
	local group
	for group in $(comm -13 "$BATS_FILE_TMPDIR/groups.before" "$BATS_FILE_TMPDIR/groups.after"); do
		if is_left "$group"; then return 0; fi
	done
	return 1
}
