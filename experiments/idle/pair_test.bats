#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines.
# bats file_tags=all,alone:machine

load ../../tests/lab/pair

@test "idle: over ssh, the profile is of the server there, and names what runs on it" {
	need Xvnc xterm
	# The kernel tells of pids as it knows them, not as a namespace of processes does.
	PAIR_APART='' pair_cell idle --protocol vnc --loads 1 --no-desktop --time 3 --repeat 1
	cell="$RUN/cells/vnc-1/1"
	[ "$(jq '.result.cpus | length' "$cell/idleprofile.json")" = 1 ]
	[ "$(jq '.result.cpus[0].wall_s > 2.9' "$cell/idleprofile.json")" = true ]
	[ ! -s "$cell/culprits.tsv" ] || awk -F'\t' '$3 == "own" && $4 ~ /^Xvnc/ { found = 1 } END { exit !found }' \
		"$cell/processes.tsv"
}
