#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# diskload: the findings of a made-up run, and a short run. (Figures: ../cpuspeed/test.bats.)

bats_require_minimum_version 1.5.0
load ../families/replays

@test "diskload: findings: a load below the rate asked for is unsure" {
	REPEATS=3 made diskload 0 0:0:1:40 '100:100:1:40:{"load_reads_per_s":80,"load_read_p50_ms":5}'
	reported
	[ "$(finding unchanged)" = "1 good" ]
	[ "$(finding load)" = "80 unsure" ]
}

# bats test_tags=all
@test "diskload: a short run: the session reads from the lab's disk, beside a load of at most the rate asked for" {
	command -v fio >/dev/null || skip "fio is not installed"
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	ran diskload --rates 0,50
	whole
	[ "$(jq '.disk.files > 50 and .disk.kind == "slow"' "$RUN/run.json")" = true ]
	[ "$(jq '.disk.reads > 50 and .caches == "dropped"' "$RUN/cells/0/1/cell.json")" = true ]
	[ "$(jq '.facts.load_reads_per_s > 0 and .facts.load_reads_per_s < 65' "$RUN/cells/50/1/cell.json")" = true ]
}
