#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines.
# bats file_tags=all

load ../../tests/lab/pair

@test "wan: over ssh, the round trip is the one that is there" {
	need Xvnc xdotool ping
	pair_cell wan --protocol vnc --keys 8 --typing none --repeat 1 --idle 1
	[ "$(jq '.cells | length' "$RUN/run.json")" = 1 ]
	[ "$(pair_keys "$RUN"/cells/*/1)" = 11 ]
}

@test "wan: over ssh, what only an emulated link has is refused by its name" {
	for words in '--rtt 10ms' '--loss 1' '--loss-rtt 5ms' '--link 10Mbit' '--queue 5ms'; do
		# shellcheck disable=SC2086 # words
		pair_refused "${words%% *}" wan $words
	done
}
