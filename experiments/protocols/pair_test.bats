#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines that ssh reaches.
# bats file_tags=all

load ../../tests/lab/pair

@test "protocols: over ssh, 40 keys are sent, and the capture has their press and release events" {
	need Xvfb xauth xterm
	pair_cell protocols --protocol x11 --work none --keys 40 --idle 2 --repeat 1
	cell="$RUN/cells/x11-session/1"
	[ "$(jq .result.keys_sent "$cell/keyrepeat.json")" = 40 ]
	# for each key a press and a release, X11 events of 32 bytes
	[ "$(jq '.result.channels.input.payload_bytes >= 40 * 2 * 32' "$cell/keys.json")" = true ]
}
