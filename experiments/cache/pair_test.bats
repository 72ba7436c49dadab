#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines that ssh reaches.
# bats file_tags=all

load ../../tests/lab/pair

@test "cache: over ssh, remote X has no cache: a repeated frame costs as many bytes as a new one" {
	need Xvfb xauth
	pair_cell cache --protocol x11 --draw image --most 8 --repeat 1
	cell="$RUN/cells/x11-image/1/cell.json"
	# two points only (new frames, a loop of two): with a cache the search would have gone on
	[ "$(jq '.points | length' "$cell")" = 2 ]
	[ "$(jq '(.points[1].bytes_per_frame / .points[0].bytes_per_frame - 1 | fabs) < 0.1' "$cell")" = true ]
}
