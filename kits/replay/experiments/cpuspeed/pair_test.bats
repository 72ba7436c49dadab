#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short replay on two machines.
# bats file_tags=all

load ../../../../tests/lab/pair

@test "cpuspeed: over ssh, a replay into a session that a CPU quota throttles" {
	[ "$(id -u)" = 0 ] || skip "groups need root"
	need Xvnc openbox mousepad
	pair_cell cpuspeed --quick --speeds 50 --repeat 1
	cell="$RUN/cells/50/1/cell.json"
	usable "$RUN"
	[ "$(jq '.facts.throttled_s > 0' "$cell")" = true ]
	[ "$(jq -r .caches "$cell")" = dropped ]
	# inputs of the recording were played
	[ "$(jq '.play.inputs_sent // .play.inputs' "$cell")" -gt 10 ]
}
