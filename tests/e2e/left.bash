# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# left.bash - what a run may have left on the machine: control groups.

# of ours, by any version
groups() { find /sys/fs/cgroup -maxdepth 2 -name 'thinprobe-*' 2>/dev/null | sort; }

# groups_left: none of those that have come between the files `groups.before` and `groups.after` is
# ours: somebody else's may have come meanwhile, but one of ours, whose processes have ended, would
# be empty.
groups_left() {
	local group
	for group in $(comm -13 "$BATS_FILE_TMPDIR/groups.before" "$BATS_FILE_TMPDIR/groups.after"); do
		for _ in $(seq 50); do [ -d "$group" ] && [ -z "$(cat "$group/cgroup.procs" 2>/dev/null)" ] || break; sleep 0.1; done
		[ ! -d "$group" ] || [ -n "$(cat "$group/cgroup.procs")" ] || { echo "$group is left"; return 0; }
	done
	return 1
}
