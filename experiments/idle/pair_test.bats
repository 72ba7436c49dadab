#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines that ssh reaches.
# bats file_tags=all,alone:machine

load ../../tests/lab/pair

@test "idle: over ssh, the profile is of one CPU of the server, and names its Xvnc as the lab's" {
	need Xvnc xterm
	# Without a namespace of processes: the kernel's trace has global pids.
	PAIR_APART='' pair_cell idle --protocol vnc --loads 1 --no-desktop --time 3 --repeat 1
	cell="$RUN/cells/vnc-1/1"
	[ "$(jq '.result.cpus | length' "$cell/idleprofile.json")" = 1 ]
	[ "$(jq '.result.cpus[0].wall_s > 2.9' "$cell/idleprofile.json")" = true ]
	[ -s "$cell/culprits.tsv" ] || skip "who took the CPU cannot be seen here"
	awk -F'\t' '$3 == "own" && $4 ~ /^Xvnc/ { found = 1 } END { exit !found }' "$cell/processes.tsv"
}
