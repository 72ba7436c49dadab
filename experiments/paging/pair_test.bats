#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Short cells on two machines that ssh reaches.
# bats file_tags=all,alone:swap

load ../../tests/lab/pair

@test "paging: over ssh, an editor is paged out on the server, and its first key takes longer than in memory" {
	[ "$(id -u)" = 0 ] || skip "memory groups and swap need root"
	need Xvnc xterm
	pair_cell paging --protocol vnc --swap file --methods cgroup,hog --sessions plain --runs 2 --repeat 1
	usable "$RUN"
	for method in cgroup hog; do
		report="$RUN/cells/vnc-file-plain-$method/1/pagein.json"
		# two runs paged out, with major faults
		[ "$(jq '[.result.runs[] | select(.state == "paged_out" and .major_faults > 0)] | length' "$report")" = 2 ]
		[ "$(jq '.result | .paged_out_ms.min > .in_memory_ms.min' "$report")" = true ]
	done
}
