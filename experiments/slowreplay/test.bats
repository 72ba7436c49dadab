#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# slowreplay: the findings of a made-up run, and a short run. (Figures: ../cpuspeed/test.bats.)

bats_require_minimum_version 1.5.0
load ../engine/replays

@test "how many times as long the session takes, with every input delivered" {
	made slowreplay plain plain:1:1:40 'slow:10:12:392:{"delay_ms":700}'
	reported
	[ "$(finding slower)" = "9.8 none" ]
	[ "$(finding delivered)" = "40 good" ]
}

# bats test_tags=all
@test "a replay on a disk that takes much longer comes to its end" {
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	ran slowreplay --factor 3
	whole
	[ "$(jq '.facts.delay_ms' "$RUN/cells/plain/1/cell.json")" = 0 ]
	[ "$(jq '.facts.delay_ms > 0' "$RUN/cells/slow/1/cell.json")" = true ]
}
