#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# slowreplay: the findings of a made-up run, and a short run. (Figures: ../cpuspeed/test.bats.)

bats_require_minimum_version 1.5.0
load ../families/replays

@test "slowreplay: findings: the session takes 9.8 times as long, with every input delivered" {
	made slowreplay plain plain:1:1:40 'slow:10:12:392:{"delay_ms":700}'
	reported
	[ "$(finding slower)" = "9.8 none" ]
	[ "$(finding delivered)" = "40 good" ]
}

@test "slowreplay: the report names the link with its rates and the delay of each read" {
	made slowreplay plain plain:1:1:40 'slow::12:392:{"delay_ms":40}'
	jq '.settings.over = "1500Kbit/384Kbit,20ms"' "$RUN/run.json" >x
	mv x "$RUN/run.json"
	reported
	grep -q '40 ms for each read and write, .* 1500Kbit/384Kbit,20ms' "$RUN/report.md"
}
