#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines that ssh reaches.
# bats file_tags=all

load ../../tests/lab/pair

@test "animation: over ssh, the capture covers the whole step, and remote X sends 40 to 60 KB a frame" {
	need Xvfb xauth
	pair_cell animation --protocol x11 --shows loop --draw image --no-banner --time 3 --repeat 1
	step="$RUN/cells/x11-loop-image/1/loop/step.json"
	usable "$RUN"
	# 3 s of 20 frames a second, all of it in the capture
	[ "$(jq .frames_due "$step")" = 60 ]
	[ "$(jq '.covered_percent >= 99 and .display_wire_bytes > .frames_due * 100' "$step")" = true ]
	# remote X sends each frame uncompressed: 100 x 100 pixels of 4 bytes
	[ "$(jq '.bytes_per_frame > 40000 and .bytes_per_frame < 60000' "$step")" = true ]
}
