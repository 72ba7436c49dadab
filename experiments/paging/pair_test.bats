#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines.
# bats file_tags=all,alone:swap

load ../../tests/lab/pair

@test "paging: over ssh, an editor is paged out there, and the key comes from the other machine" {
	[ "$(id -u)" = 0 ] || skip "memory groups and swap need root"
	need Xvnc xterm
	pair_cell paging --protocol vnc --swap file --methods cgroup,hog --sessions plain --runs 2 --repeat 1
	for method in cgroup hog; do
		report="$RUN/cells/vnc-file-plain-$method/1/pagein.json"
		# two in memory, two paged out, which is known by their faults
		[ "$(jq '[.result.runs[] | select(.state == "paged_out" and .major_faults > 0)] | length' "$report")" = 2 ]
		[ "$(jq '.result | .paged_out_ms.min > .in_memory_ms.min' "$report")" = true ]
	done
}
