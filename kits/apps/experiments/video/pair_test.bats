#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines.
# bats file_tags=all

load ../../../../tests/lab/pair

@test "video: over ssh, the frames of a clip are counted on the screen there" {
	[ "$(id -u)" = 0 ] || skip "groups need root"
	need Xvnc mpv ffmpeg pulseaudio
	pair_cell video --scheme baseline --geometry 320x240 --time 4 --repeat 1
	# 4 s of 24 frames a second; no more are seen than there are
	jq -e '.video | .due == 96 and .seen > 0 and .seen <= .due' "$RUN/cells/baseline-parallel-none/1/cell.json"
}
