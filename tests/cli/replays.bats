#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions replayed at several settings, without hosts: options of the four drivers, and tables and report of made-up runs whose figures follow from arithmetic.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
}

# made EXPERIMENT BASE SETTING... : a run of two repeats; settings are NAME:VALUE:FACTOR:TOTAL:FACTS. Three responses of 10, 20 and 400 ms at the base, FACTOR times as long
# elsewhere; in the second repeat 1 % more. The last one is not found in the second repeat of the last setting.
made() {
	local experiment=$1 base=$2 name value factor total facts last=${*: -1}
	shift 2
	rm -rf "a run" && mkdir -p "a run"
	printf '%s\n' "$@" | jq -Rn --arg experiment "$experiment" --arg base "$base" '[inputs | split(":")] as $all |
		{schema: "thinprobe.run/1", $experiment, version: "0", started: "2026-11-20T10:00:00Z", state: "complete", command: "thinprobe run \($experiment)",
		settings: {protocol: "vnc", app: "mousepad", trace: null, rows: ($all | map({setting: .[0], value: (.[1] | tonumber? // null), says: "at \(.[0])"})), base: $base, repeats: 2, timeout_s: 60, seed: 1, quick: false,
			threshold_ms: 150, on: "lab", by: "quota", disk: "slow:4ms", depth: 32, factor: 10},
		disk: {kind: "slow", backing: "file", files: 3, files_bytes: 1048576},
		protocol: {frame_rate_per_s: 60}, lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, missing: ["scheduler x: this kernel | has none"]}, host: {kernel: "Linux 6.1"}, cells: {total: 4, complete: 4}}' >"a run/run.json"
	for r in 1 2; do
		for s; do
			IFS=: read -r name value factor total facts <<<"$s"
			mkdir -p "a run/cells/$name/$r"
			jq -n --arg name "$name" --argjson r "$r" --argjson total "$total" --argjson facts "${facts:-{\}}" '
				{schema: "thinprobe.cell/1", parameters: {setting: $name}, repeat: $r, state: "complete", reason: "", log: "cells/\($name)/\($r)/replay.rfb", caches: "dropped", facts: $facts,
				play: {total_s: $total, inputs: 40, inputs_of_trace: 40, snapshots: {waited: 3}}, disk: null, marked: ""}' >"a run/cells/$name/$r/cell.json"
		done
	done
	{ for r in 1 2; do printf '%s\n' "$@" | sed "s/^/$r:/"; done; } | jq -Rn --arg last "${last%%:*}" '[inputs | split(":")] as $runs |
		{result: {runs: ($runs | map({file: "cells/\(.[1])/\(.[0])/replay.rfb", total_s: 99, updates: 7, bytes: 100})),
		responses: [[10, 0, 0.9], [20, 2, 0.9], [400, 4, 0.9], [5, 6, 0.2]] | map(. as $b | {input: $b[1], kind: "click", at_s: $b[1], confidence: $b[2],
			latency_from_press_ms: ($runs | map(if $b[0] == 400 and .[0] == "2" and .[1] == $last then null else $b[0] * (.[3] | tonumber) * (if .[0] == "2" then 1.01 else 1 end) end))})}}' >"a run/analysis.json"
}

column() {	# column SETTING NAME
	awk -F'\t' -v s="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["setting"] == s { print $at[name]; exit }' "a run/summary.tsv"
}

@test "replays: bad options name the thing, cost nothing and exit 2" {
	for words in 'cpuspeed --speeds 0' 'cpuspeed --speeds 50,50' 'cpuspeed --by heat' 'cpuspeed --app emacs' 'cpuspeed --trace nowhere' 'cpuspeed --repeat 0' 'cpuspeed --resume nowhere' 'cpuspeed --disk file' \
		'diskload --rates x' 'diskload --disk fast' 'diskload --disk slow:4' 'iosched --depth 0' 'iosched --schedulers B!' 'slowreplay --factor 1'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$TOP/experiments/${words%% *}.sh" ${words#* } -o "$BATS_TEST_TMPDIR/x"
		echo "$words: $status $stderr"
		[ "$status" = 2 ]
		[ "${#stderr_lines[@]}" = 1 ]
		[ ! -e "$BATS_TEST_TMPDIR/x" ]
	done
	for name in cpuspeed diskload iosched slowreplay; do
		run "$TOP/experiments/$name.sh" --help
		[ "$status" = 0 ]
		[[ ${lines[0]} == "usage: thinprobe run $name "* ]]
	done
}

@test "replays: totals and ratios pair replays of one repeat; what is not found is missing; unsure responses are left out" {
	made cpuspeed 100 100:100:1:40 "25:25:4:40.2:{\"throttled_s\":7}"
	"$TOP/bin/summarize" "a run"
	cat "a run/summary.tsv"
	[ "$(column 100 total_s)" = 40.000 ]	# the replay's own, not the log's
	[ "$(column 25 total_ratio)" = 1.00500 ]
	[ "$(column 25 total_ratio_low)" = 1.00500 ]
	[ "$(column 25 ratio)" = 4.0000 ]
	[ "$(column 25 responses)" = 5 ]
	[ "$(column 25 missing)" = 1 ]
	[ "$(column 100 responses)" = 6 ]
	# 10 10.1 20 20.2 400 404
	[ "$(column 100 p50_ms)" = 20.10 ]
	[ "$(column 25 slower)" = 3 ]
	[ "$(column 25 verdict)" = "too few runs" ]
	[ "$(column 25 throttled_s)" = 7.000 ]
	[ "$(column 25 inputs_least)" = 40 ]
	[ "$(awk 'NR > 1' "a run/points.tsv" | wc -l)" = 6 ]
	[ "$(awk -F'\t' '$2 == "25" && $6 == 1 { print $7, $8, $9 }' "a run/points.tsv")" = "1600.000 400.000 4.0000" ]
	[ "$(awk -F'\t' '$2 == "25" { last = $4 } END { print last }' "a run/cdf.tsv")" = 1.00000 ]
}

@test "replays: a replay that failed is in no figure, and its reason is said; an analysis that is not there leaves total times" {
	made cpuspeed 100 100:100:1:40 25:25:4:44
	jq '.state = "failed" | .reason = "the screen did not come"' "a run/cells/25/2/cell.json" >x && mv x "a run/cells/25/2/cell.json"
	run "$TOP/bin/summarize" "a run"
	[ "$status" = 3 ]
	[ "$(column 25 repeats)" = 1 ]
	[ "$(column 25 reason)" = "the screen did not come" ]
	[ "$(column 25 ratio)" = 4.0000 ]
	rm "a run/analysis.json"
	run "$TOP/bin/summarize" "a run"
	[ "$(column 25 total_ratio)" = 1.10000 ]
	[ -z "$(column 25 p50_ms)" ]
	# a name that leads elsewhere
	jq '.settings.rows[1].setting = "../x"' "a run/run.json" >x && mv x "a run/run.json"
	run "$TOP/bin/summarize" "a run"
	[ "$status" = 1 ]
}

@test "replays: the report tells where total time hides what users feel, and where that is refuted" {
	made cpuspeed 100 100:100:1:40 50:50:2:40.12 "20:20:5:60:{\"throttled_s\":7}"
	"$TOP/bin/summarize" "a run"
	run --separate-stderr "$TOP/report/report.sh" "a run"
	echo "$stderr"
	[ "$status" = 0 ]
	run "$TOP/report/findings.sh" "a run"
	echo "$output"
	[[ $output == *"Total time hides what its user feels: held against at 100, the session takes as long within 1 %, and yet at 50: total +0.3 %"*"responses 2.0 ("*") times as long in the median, 3 of 3 at least half as long again."* ]]
	[[ $output == *"is refuted where"*"at 20: total +50 %"*"responses 5.0 ("* ]]
	[[ $output == *"All 6 replays came to their end, with all of the 40 inputs of the session delivered."* ]]
	[[ $output == *"found at the base and not there: at 20 1 of 6."* ]]
	[[ $output == *"stand still for 7.0 s (at 20)"* ]]
	[[ $output == *"indicative: 2 repeats"* ]]
	for f in total percentiles cdf ratio; do [ -s "a run/figures/$f.svg" ]; done
	grep -qF 'scheduler x: this kernel | has none' "a run/report.md"
	run "$TOP/report/table.sh" "a run"
	[[ $output == *" at 50 "*"40.1 s"* ]]
}

@test "replays: pages of the others: loads, schedulers without numbers, a session ten times as long" {
	made diskload 0 0:0:1:40 "100:100:1:40:{\"load_reads_per_s\":80,\"load_read_p50_ms\":5}"
	"$TOP/bin/summarize" "a run" && "$TOP/report/report.sh" "a run"
	run "$TOP/report/findings.sh" "a run"
	echo "$output"
	[[ $output == *"neither total time nor responses are much changed: at 100: total 0.0 %"* ]]
	[[ $output == *"The disk did not give what was asked for: 80 of 100 reads a second."* ]]
	made iosched none none::1:40 bfq::0.5:40
	"$TOP/bin/summarize" "a run" && "$TOP/report/report.sh" "a run"
	run "$TOP/report/findings.sh" "a run"
	echo "$output"
	[[ $output == *"3 of 3 in two thirds of the time or less"* ]]
	grep -q '>at bfq<' "a run/figures/total.svg"
	made slowreplay plain plain:1:1:40 "slow:10:12:392:{\"delay_ms\":700}"
	"$TOP/bin/summarize" "a run" && "$TOP/report/report.sh" "a run"
	run "$TOP/report/findings.sh" "a run"
	echo "$output"
	[[ $output == *"1. With 700 ms for each read and write the session takes 9.8 times as long: 40.0 s becomes 392 s, and the replay comes to its end with all of its 40 inputs delivered."* ]]
}
