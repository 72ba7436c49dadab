#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# iosched: the findings of a made-up run, and a short run. (Figures: ../cpuspeed/test.bats.)

bats_require_minimum_version 1.5.0
load ../engine/replays

@test "settings without a place on an axis are drawn by name; faster responses count" {
	made iosched none none::1:40 bfq::0.5:40
	reported
	[ "$(finding hidden)" = "0.5 good" ]
	[ "$(column bfq faster)" = 3 ]
	grep -q '>at bfq<' "$RUN/figures/total.svg"
}

# bats test_tags=all
@test "the session runs beside the load with the scheduler that was asked for" {
	command -v fio >/dev/null || skip "fio is not installed"
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	ran iosched --schedulers none,nowhere
	whole
	[ "$(jq -c '[.settings.base, (.cells | length)]' "$RUN/run.json")" = '["none",1]' ]
	jq -e '.lab.missing[] | select(startswith("scheduler nowhere: "))' "$RUN/run.json"
	[ "$(jq '.facts.load_reads_per_s > 100' "$RUN/cells/none/1/cell.json")" = true ]
}
