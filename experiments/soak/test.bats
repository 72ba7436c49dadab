#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# soak: a session whose application is scripted to get slower is called slower, one with a constant delay is not; the page of a
# made-up session. (The rule: tests/analysis/drift_test.py.)

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/warm

# made_up GROWTH [MEDIAN [REASON]]: a run of a session of 100 blocks of 36 s, an hour, whose server's memory grows by 50 % from
# block 21 on, and whose floor by GROWTH, and median by MEDIAN, from block 51 on. REASON: why it failed.
made_up() {
	local folder=run/cells/vnc/1
	mkdir -p "$folder"
	awk -v growth="$1" -v median="${2:-$1}" 'BEGIN {
		OFS = "\t"; print "schema", "start", "pair", "variant", "cell", "metric", "unit", "better", "value", "disturbed"
		for (i = 1; i <= 100; i++) {
			wave = 1 + 0.02 * sin(37 * i)
			print "blocks/1", i, i, "a", "", "floor_ms", "ms", "", 10 * wave * (1 + (i > 50) * growth * (i - 50) / 50), 0
			print "blocks/1", i, i, "a", "", "median_ms", "ms", "", 12 * wave * (1 + (i > 50) * median), 0
			print "blocks/1", i, i, "a", "", "late_percent", "%", "", 0, 0
			print "blocks/1", i, i, "a", "", "server_memory_mb", "MB", "", 60 * wave * (1 + (i > 20) * (i - 20) / 160), 0
			print "blocks/1", i, i, "a", "", "server_descriptors", "", "", 30, 0
		}
	}' >"$folder/blocks.tsv"
	"$BIN/judge" "$folder/blocks.tsv" --drift 36s --metrics floor_ms,median_ms,late_percent --json -o "$folder/drift.json" || :
	jq --arg reason "${3-}" '{schema: "thinprobe.cell/1", parameters: {protocol: "vnc"}, repeat: 1, $reason, marked: "",
		state: (if $reason == "" then "complete" else "failed" end), kept: ($reason != ""),
		drift: (.result | if $reason == "" then . else .verdict = "failed" end)}' "$folder/drift.json" >"$folder/cell.json"
	echo '{"schema": "thinprobe.run/1", "experiment": "soak", "state": "complete", "settings": {"protocol": "vnc", "repeats": 1,
		"seconds": 3600, "seed": 1, "block_s": 36, "warmup_blocks": 5, "on": "lab"}}' >run/run.json
	run_cells run
}

@test "soak: the page says since when a figure grows and which grew first" {
	need gnuplot cmark-gfm
	made_up 0.6
	warm report run
	[ "$(field run/summary.tsv verdict protocol=vnc)/$(field run/summary.tsv moved_first protocol=vnc)" = slower/server_memory_mb ]
	[ "$(field run/figures.tsv verdict figure=server_descriptors)" = "does not grow" ]
	# 6 ms in the last half hour; block 51 of 100 in an hour
	awk -v h="$(field run/figures.tsv per_hour figure=floor_ms)" -v since="$(field run/figures.tsv since_h figure=floor_ms)" \
		'BEGIN { exit !(h > 11 && h < 13 && since > 0.45 && since < 0.55) }'
	[ "$(ids run)" = "floor_ms-1 median_ms-1 first server_memory_mb-1" ]
	[ -s run/figures/over-time.svg ]
	rm -r run
	made_up 0
	report_findings run
	[ "$(field run/summary.tsv verdict protocol=vnc)" = "not slower" ]
	[ "$(finding run floor_ms-1 verdict)/$(finding run server_memory_mb-1 verdict)" = good/bad ]
	# half of the keys get slow: the floor stays
	rm -r run
	made_up 0 8
	report_findings run
	[ "$(field run/summary.tsv verdict protocol=vnc)" = slower ]
	[ "$(finding run floor_ms-1 verdict)/$(finding run median_ms-1 verdict)" = good/bad ]
	[[ $(verdict run) == *"the fastest keys did not get slower, but the median"*"12.0 to 108"* ]]
	rm -r run
	made_up 0 0 "the session ended in block 56"
	report_findings run
	[ "$(field run/summary.tsv state protocol=vnc)/$(field run/summary.tsv verdict protocol=vnc)" = failed/failed ]
	[ "$(finding run floor_ms-1 verdict)" = unsure ]
	[[ $(verdict run) == "The session ended in block 56. The session failed"* ]]
}

@test "soak: what was sent again is counted from one block to the next; nothing is said where it cannot be known" {
	# not of the first reading, one that is lower, as of a new connection, none, and the one after none
	TP_HOME=$TOP TP_BIN=$BIN bash -c '. "$TP_HOME/experiments/soak/cell.sh"
		soak_connection() { [ -z "$total" ] || echo "1 $total"; }
		soak_processes() { false; }
		warn() { :; }
		declare -A AGAIN=()
		N=0 ANSWERS=() THRESHOLD_MS=100 KEYS=0 IN_DOUBT=0 UNKNOWN=0
		for total in 5 7 4 6 "" 9 10; do N=$((N + 1)); soak_block; done' >rows
	[ "$(awk -F'\t' '$6 == "server_sent_again" { print $3, $9 }' rows | paste -sd ,)" = "2 2,4 2,7 1" ]
}

soaked() {	# soaked SCRIPT: 53 blocks after the warm-up; sets status
	LAB_SHARED_CPUS=1 real_run run "$TOP/thinprobe" soak --protocol vnc:refecho -t 44 --block 0.8 --every 0.08 --warmup 2 \
		--answer-delay "$1" -o run 2>err 3>&-
	cat err
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	jq -c '.result | .verdict, (.figures[] | [.figure, .verdict, .change, .low, .high, .p])' run/cells/*/1/drift.json
	[ "$(jq -r .state run/run.json)" = complete ]
}

@test "soak: an application whose delay grows by a ms each key is called slower, and the floor is among what grew" {
	# (on a busy machine, fewer keys)
	awk 'BEGIN { for (i = 0; i < 2000; i++) printf "%dms\n", 20 + i }' >delays
	soaked file:delays
	[ "$status" = 5 ] || usable run
	[ "$status" = 5 ]
	usable run
	[ "$(field run/figures.tsv verdict figure=floor_ms)" = grows ]
	awk -v a="$(field run/figures.tsv first figure=floor_ms)" -v b="$(field run/figures.tsv last figure=floor_ms)" \
		'BEGIN { exit !(a >= 20 && b > 1.5 * a) }'
	[ "$(wc -l <run/figures.tsv)" = 12 ]	# late share; both ends: round trip, what was sent again, memory, descriptors
}

# bats test_tags=all
@test "soak: an application whose delay stays is not called slower" {
	soaked const:20ms
	[ "$status" = 0 ] || [ "$status" = 3 ]
}
