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

# Of 60 s, with 500 requests: 10 times as long are 600 s, 1200 ms for each; all may come before the first window.
@test "slowreplay: a window may need all disk requests, unless --timeout says otherwise" {
	made slowreplay plain plain:1:1:60 slow:10:12:600
	jq '.disk = {reads: 400, writes: 100}' "$RUN/cells/plain/1/cell.json" >x
	mv x "$RUN/cells/plain/1/cell.json"
	slow() {	# slow TIMEOUT FACTOR
		declare -A OPT=([timeout.default]=600)
		TP_HOME=$TOP TIMEOUT_S=$1 FACTOR=$2 OVER=''
		. "$TOP/kits/replay/experiments/slowreplay/cell.sh"
		cell_folder() { echo "$RUN/cells/$1/$2"; }
		lab_disk_delay() { echo "$1 $TIMEOUT_S"; }
		setting_begin slow "$RUN/cells/slow/1"
	}
	[ "$(slow 600 10)" = "1200ms 2400" ]
	[ "$(slow 600 2)" = "240ms 600" ]
	[ "$(slow 90 10)" = "1200ms 90" ]
}
