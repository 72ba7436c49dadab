#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines.
# bats file_tags=all

load ../../../../tests/lab/pair

@test "browse: over ssh, both pages are visited beside a job in a group on the server" {
	[ "$(id -u)" = 0 ] || skip "groups need root"
	need Xvnc netsurf-gtk convert xz
	pair_cell browse --scheme baseline --page plain,text --repeat 1
	[ "$(jq '.visits | length' "$RUN/cells/baseline-parallel/1/cell.json")" = 2 ]
	[ "$(jq '.job.bytes > 0' "$RUN/cells/baseline-parallel/1/cell.json")" = true ]
}
