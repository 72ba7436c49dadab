#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# cpuspeed: made-up runs whose figures follow from arithmetic (they also stand for the other experiments that replay a session),
# and a short run.

bats_require_minimum_version 1.5.0
load ../families/replays

@test "cpuspeed: summary.tsv: ratios pair replays of the same repeat; responses not found are counted as missing" {
	made cpuspeed 100 100:100:1:40 '25:25:4:40.2:{"throttled_s":7}'
	warm summarize "$RUN"
	cat "$RUN/summary.tsv"
	[ "$(column 100 total_s)" = 40.000 ]	# the replay's own, not the log's
	[ "$(column 25 total_ratio)" = 1.00500 ]
	[ "$(column 25 total_ratio_low)" = '' ]	# two repeats give no interval
	[ "$(column 25 ratio)" = 4.0000 ]
	[ "$(column 25 responses)" = 5 ]
	[ "$(column 25 missing)" = 1 ]
	[ "$(column 100 responses)" = 6 ]
	[ "$(column 25 slower)" = 3 ]
	[ "$(column 25 verdict)" = "too few runs" ]
	[ "$(column 25 throttled_s)" = 7.000 ]
	[ "$(column 25 inputs_least)" = 40 ]
	[ "$(awk 'NR > 1' "$RUN/points.tsv" | wc -l)" = 6 ]
	[ "$(awk -F'\t' '$2 == "25" && $6 == 1 { print $7, $8, $9 }' "$RUN/points.tsv")" = "1600.000 400.000 4.0000" ]
	[ "$(awk -F'\t' '$2 == "25" { last = $4 } END { print last }' "$RUN/cdf.tsv")" = 1.00000 ]
}

# Two repeats in which the base's responses take 10 20 30 40 ms. At 25 % they take twice as long in the first repeat, 8 times as
# long in the second, where the last one is not found.
@test "cpuspeed: summary.tsv: percentiles pool the repeats; ratios are geometric means over pairs of each response" {
	figures() {	# THRESHOLD SETTING: columns NAME=VALUE...
		local word setting=$2
		jq ".settings.threshold_ms = $1" "$RUN/run.json" >x
		mv x "$RUN/run.json"
		warm summarize "$RUN" >/dev/null
		for word in "${@:3}"; do
			[ "$(column "$setting" "${word%%=*}")" = "${word#*=}" ] || { echo "$word: $(column "$setting" "${word%%=*}")"; return 1; }
		done
	}
	made cpuspeed 100 100:100:1:10 25:25:1:10
	jq '.play.total_s = 11' "$RUN/cells/25/2/cell.json" >x
	mv x "$RUN/cells/25/2/cell.json"
	jq '.result.responses = [1, 2, 3, 4 | {input: ., kind: "click", at_s: ., confidence: 0.9, latency_from_press_ms:
		[10 * ., 20 * ., 10 * ., if . == 4 then null else 80 * . end]}]' "$RUN/analysis.json" >x
	mv x "$RUN/analysis.json"
	# of 20 40 60 80 80 160 240 four are over 60; the responses' ratios are 4, 4, 4 and 2
	figures 60 25 pairs=2 ratio=4.0000 ratio_high= total_ratio=1.04881 responses=7 missing=1 late_percent=57.14 ratio_p25=3.5000 \
		ratio_p75=4.0000 ratio_max=4.0000 points=4 slower=4 faster=0
	# 10 10 20 20 30 30 40 40: fewer than ten values above p90, so it is empty; a response exactly at the threshold is not late
	figures 40 100 p25_ms=17.50 p50_ms=25.00 p75_ms=32.50 p90_ms= max_ms=40.00 late_percent=0.00 p50_ms_low= pairs=0 ratio= \
		total_ratio=
	[ "$(awk -F'\t' '$2 == "25" { print $6, $7, $9 }' "$RUN/points.tsv" | sed '2,3d')" = $'2 40.000 4.0000\n1 80.000 2.0000' ]
}

@test "cpuspeed: responses count as found from the run's setting of confidence on" {
	made cpuspeed 100 100:100:1:40 25:25:4:40
	jq '.settings.confidence = 0.95' "$RUN/run.json" >x
	mv x "$RUN/run.json"
	warm summarize "$RUN"
	[ "$(column 100 responses)" = 0 ]
	jq '.settings.confidence = 0.1' "$RUN/run.json" >x
	mv x "$RUN/run.json"
	warm summarize "$RUN"
	[ "$(column 100 responses)" = 8 ]
}

@test "cpuspeed: a failed replay is excluded; without an analysis only total times remain; a cell name with .. is refused" {
	made cpuspeed 100 100:100:1:40 25:25:4:44
	jq '.state = "failed" | .reason = "the screen did not come"' "$RUN/cells/25/2/cell.json" >x
	mv x "$RUN/cells/25/2/cell.json"
	run warm summarize "$RUN"
	[ "$status" = 3 ]
	[ "$(column 25 repeats)" = 1 ]
	[ "$(column 25 reason)" = "the screen did not come" ]
	[ "$(column 25 ratio)" = 4.0000 ]
	jq '.analysis_unsure = "medians differ"' "$RUN/run.json" >x
	mv x "$RUN/run.json"
	warm report --json "$RUN" >"$RUN/findings.json"
	grep -q 'not to be relied on.*medians differ' "$RUN/findings.json"
	rm "$RUN/analysis.json"
	run warm summarize "$RUN"
	[ "$(column 25 total_ratio)" = 1.10000 ]
	[ -z "$(column 25 p50_ms)" ]
	# a name that leads out of the folder
	jq '.cells[1].name = "../x"' "$RUN/run.json" >x
	mv x "$RUN/run.json"
	run -1 warm summarize "$RUN"
	[[ $output == *"no valid name of a cell: ../x"* ]]
}

@test "cpuspeed: why responses are of no use is the reason that vncplay analyze reports, not its last warning" {
	local file
	made cpuspeed 100 100:100:1:40
	mkdir bin "$RUN/log"
	touch "$RUN/session.trace"
	for file in "$RUN"/cells/*/*/cell.json; do touch "${file%cell.json}replay.rfb"; done
	printf '%s\n' '#!/bin/sh' 'echo "{\"result\": {\"why_unusable\": \"medians differ\"}}" >analysis.json' \
		'echo "vncplay: 3 of 4 inputs were answered in no replay" >&2' 'exit 3' >bin/vncplay
	chmod +x bin/vncplay
	TP_HOME=$TOP TP_BIN=$PWD/bin RUN=$RUN METHOD=tiles bash -c '. "$TP_HOME/experiments/engine/cells.sh"
		. "$TP_HOME/kits/replay/experiments/families/replays.sh"
		run_set() { jq "${@:2}" "$1" "$RUN/run.json" >new && mv new "$RUN/run.json"; }
		replays_analyze'
	[ "$(jq -r .analysis_unsure "$RUN/run.json")" = "medians differ" ]
}

@test "cpuspeed: findings: settings whose total time hides slower responses, or shows them; late responses found at both" {
	# responses of 10, 20 and 400 ms; the slowest was never found at 20
	REPEATS=3 made cpuspeed 100 100:100:1:40 50:50:10:40.12 '20:20:5:60:{"throttled_s":7}'
	jq '.result.runs as $runs | .result.responses[2].latency_from_press_ms |= [to_entries[]
		| if $runs[.key].file | startswith("cells/20/") then null else .value end]' "$RUN/analysis.json" >x
	mv x "$RUN/analysis.json"
	reported drawn
	[ "$(finding hidden)" = "10 bad" ]
	[ "$(finding shown)" = "5 bad" ]
	[ "$(finding most-grown)" = "10 bad" ]
	[ "$(finding delivered)" = "40 good" ]
	[ "$(finding throttled)" = "7 none" ]
	for f in total percentiles cdf ratio; do [ -s "$RUN/figures/$f.svg" ]; done
	grep -qF 'scheduler x: this kernel | has none' "$RUN/report.md"
	grep -qF "Of 3 responses found at both, 2 take over 150 ms, instead of 1." "$RUN/report.md"
	grep -qF "Of 2 responses found at both, 0 take over 150 ms, instead of 0." "$RUN/report.md"
	run warm report --table "$RUN"
	[[ $output == *" at 50 "*"40.1"* ]]
	# of responses that vncplay calls not usable nothing is decided; of total time it is
	jq '.analysis_unsure = "too few"' "$RUN/run.json" >x
	mv x "$RUN/run.json"
	reported
	[ "$(finding noisy)" = "10 unsure" ]
	[ -z "$(finding hidden)$(finding shown)$(finding most-grown)" ]
	[ "$(finding delivered)" = "40 good" ]
}

@test "cpuspeed: the longest response that is named is that of the table, not of a mean of replays" {
	made cpuspeed 100 100:100:1:40 25:25:10:40 50:50:1:40
	reported
	[ "$(column 25 max_ms)" = 4040.00 ]	# 400 ms ten times, and 1 % more in the second replay
	said_json "$RUN" '[most-grown]' text | grep -qF ' 4040 ms'
}

@test "cpuspeed: the display server's frame clock is fast, unless it is set; a run that goes on keeps its own" {
	load "$TOP/tests/engine"
	# rate SET [RUN]: the frame clock, where this is set and that run goes on
	rate() { in_engine cpuspeed "options && RESUME=${2-} VNC_FRAME_RATE=$1 && exp_check && echo \"\$VNC_FRAME_RATE\""; }
	mkdir old
	echo '{"protocol": {"frame_rate_per_s": 60}}' >old/run.json
	[ "$(rate '') $(rate '' old)" = "1000 60" ]
	[ "$(rate 30) $(rate 30 old)" = "30 30" ]
}

@test "cpuspeed: without an analysis the verdict compares total times, and says that responses were not compared" {
	verdict() {	# TOTAL at 25 %
		REPEATS=3 made cpuspeed 100 100:100:1:40 "25:25:4:$1"
		rm "$RUN/analysis.json"
		warm summarize "$RUN" >/dev/null
		warm report --verdict "$RUN" | tr '\n' ' '
	}
	[[ $(verdict 400) == *"10 (95 % CI 10 to 10) times as long"*"responses were not compared."* ]]
	[[ $(verdict 40.1) == *"No setting"*"not all compared."* ]]
}

# bats test_tags=all
@test "cpuspeed: a session recorded here is replayed at both speeds; only the one with a quota is throttled" {
	ran cpuspeed --speeds 100,25
	whole
	[ "$(jq '.facts.throttled_s > 0' "$RUN/cells/25/1/cell.json")" = true ]
	[ "$(jq '.facts.throttled_s' "$RUN/cells/100/1/cell.json")" = 0 ]
	# the editor's start is a response found in the slow replay
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["setting"] == "25" && $at["kind"] == "key" && $at["latency_ms"] > 30 { n++ } END { exit !n }' "$RUN/points.tsv"
}

@test "replays: each --app of the plan has a session with a short part, a row on the desk, its document and its packages" {
	local app words program kit=$TOP/kits/replay apps class
	apps=$(sed -nE 's/^use +app .*type=word:([a-z|]+)$/\1/p' "$kit/experiments/families/replays.plan")
	[[ $apps == *"|"* ]]
	for app in ${apps//|/ }; do
		[ "$(grep -cx '# --quick ends here' "$kit/data/sessions/$app.script")" = 1 ]
		words=$(. "$kit/lab/apps/desk.sh"; APP_DESK=$app desk_row)
		[[ $app != @(impress|geany) ]] || [ -s "$kit/data/sessions/${words##* }" ]
		class=${app/mousepad/desk}
		for program in openbox "${words%% *}"; do grep -qP "^app:$class\t.*\t$program$" "$kit/packages"; done
		[ "$(. "$kit/lab/apps/desk.sh"; lab_has() { [ "$2" = openbox ]; }; APP_DESK=$app app_can)" \
			= "${words%% *} is missing; thinprobe setup --app $class" ]
	done
}

@test "cpuspeed: --script and --trace refuse a pipe in one line" {
	local word
	mkfifo pipe
	for word in --script --trace; do
		run --separate-stderr timeout 20 "$TOP/experiments/engine/run.sh" cpuspeed $word pipe --options-only
		echo "$word: $status $stderr"
		[ "$status" = 2 ]
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"$word pipe: not a regular file"* ]]
	done
}
