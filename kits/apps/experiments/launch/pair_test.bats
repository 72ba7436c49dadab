#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines.
# bats file_tags=all

load ../../../../tests/lab/pair

@test "launch: over ssh, an application is started, and keys are typed, beside a job in a group on the server" {
	[ "$(id -u)" = 0 ] || skip "groups need root"
	need Xvnc mousepad xz
	pair_cell launch --app mousepad --scheme baseline --trace none --repeat 1
	[ "$(jq '.launch.launch_ms > 100' "$RUN/cells/mousepad-baseline-parallel/1/cell.json")" = true ]
	[ "$(pair_keys "$RUN/cells/keys-baseline-parallel/1")" = 70 ]
}
