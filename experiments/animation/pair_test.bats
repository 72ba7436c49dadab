#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines.
# bats file_tags=all

load ../../tests/lab/pair

@test "animation: over ssh, the bytes of a frame are counted on the clock of its window" {
	need Xvfb xauth
	pair_cell animation --protocol x11 --shows loop --draw image --no-banner --time 3 --repeat 1
	step="$RUN/cells/x11-loop-image/1/loop/step.json"
	# 3 s of 20 frames a second, and the capture knows all of that time
	[ "$(jq .frames_due "$step")" = 60 ]
	[ "$(jq '.covered_percent >= 99 and .display_wire_bytes > .frames_due * 100' "$step")" = true ]
	# remote X takes a frame as it is, each time: 100 x 100 pixels of 4 bytes
	[ "$(jq '.bytes_per_frame > 40000 and .bytes_per_frame < 60000' "$step")" = true ]
}
