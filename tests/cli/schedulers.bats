#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The schedulers experiment without its hosts: options, the list of settings, and the report of a made-up run whose figures follow
# from a formula.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
}

# cell SETTING PART APP COST SINKS REPEAT MS: 25 keys, five of them warm-up, each answered after MS to MS + 1.9 ms
cell() {
	local folder="run/cells/$1.$3-$4-00$5/$6" cost=null
	[ "$4" = 0 ] || cost=$4
	mkdir -p "$folder"
	jq -n --arg setting "$1" --arg part "$2" --arg app "$3" --argjson cost "$cost" --argjson sinks "$5" --argjson repeat "$6" \
		'{schema: "thinprobe.cell/1", parameters: {protocol: "vnc", app: $app, sinks: $sinks, setting: $setting, part: $part, cost_ms: $cost}, repeat: $repeat, series: "latency",
		state: "complete", reason: "", marked: "", foreign_percent: 0.5, steal_percent: 0, cost_ms: $cost, period_ms: 50,
		autogroup: {session: "autogroup=/autogroup-4 session=9 nice=0 policy=other cpus=0 cgroup=/", app: "autogroup=/autogroup-4 session=9 nice=0 policy=other cpus=0 cgroup=/",
			sinks: "autogroup=/autogroup-4 session=9 nice=10 policy=idle cpus=0 cgroup=/thinprobe-012345-load"}}' >"$folder/cell.json"
	awk -v ms="$7" 'BEGIN { print "schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped"
		for (k = 1; k <= 25; k++) printf "keys/1\t%d\t%.0f\t%.0f\t%.0f\t\t\t%d\n", k, k * 5e7, k * 5e7, k * 5e7 + ms * 1e6 + k * 7 % 20 * 1e5, k <= 5 }' >"$folder/samples.tsv"
	echo '{"settings": {"period_ms": 50, "schedule": "jittered"}, "result": {"overloaded": false, "coalesced": 5, "keys_answered": 20, "updates_per_key": 0.75, "pairing": "patch"}}' >"$folder/keyrepeat.json"
	echo "{\"result\": {\"total_share_percent\": $8}}" >"$folder/sink.json"
}

make_run() {	# make_run REPEATS
	local r
	rm -rf run
	mkdir -p run
	jq -n --argjson repeats "$1" '{schema: "thinprobe.run/1", experiment: "schedulers", version: "0", started: "2026-11-20T10:00:00Z", ended: "2026-11-20T11:00:00Z", state: "complete", command: "thinprobe run schedulers",
		settings: {protocol: "vnc", settings: ["default", "nice-19", "base-slice-1ms", "rr"], parts: ["table", "length"], apps: ["light", "heavy"], loads: [4], costs_ms: [10], full_costs_ms: [10],
			seconds: 4, repeats: $repeats, rate_per_s: 20, threshold_ms: 100, seed: 1, link: "100Mbit", on: "lab", length: {lengths_ms: [10, 50], sinks: 5, keys: 20}},
		rows: [{setting: "default", says: "load in the session itself", here: true, why: null}, {setting: "nice-19", says: "load at nice 19", here: true, why: null},
			{setting: "autogroup-on", says: "the same, autogroup switched on", here: false, why: "it is so already: that is the default row"},
			{setting: "base-slice-1ms", says: "base slice of 1 ms for all", here: false, why: "this kernel | has none"}, {setting: "rr", says: "session under SCHED_RR", here: true, why: null}],
		protocol: {says: "VNC", floor_ms: 8}, lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, missing: []}, machine: {autogroup: 1}, host: {kernel: "Linux 6.1"}, cells: {total: 9, complete: 9}}' >run/run.json
	for ((r = 1; r <= $1; r++)); do
		# each repeat has its own pace, the ratio is 1 to 4 (and a little) in all
		cell default table light 0 4 $r 12 90
		cell default table heavy 10 4 $r $((100 + 20 * r)) 85
		cell nice-19 table light 0 4 $r 10 80
		cell nice-19 table heavy 10 4 $r "$((25 + 5 * r)).$r" 70
		cell rr table heavy 10 4 $r $((101 + 20 * r)) 60
	done
	for r in 10 50; do
		cell default length heavy $r 5 1 $((r * 6 + 8)) 85
		cell nice-19 length heavy $r 5 1 $((r + 9)) 85
	done
}

column() {	# column FILE SETTING PART APP NAME
	awk -F'\t' -v s="$2" -v p="$3" -v a="$4" -v name="$5" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["setting"] == s && $at["part"] == p && $at["app"] == a { print $at[name]; exit }' "run/$1"
}

@test "bad options name the thing, cost nothing and exit 2" {
	for words in '--settings nosuch' '--settings default,default' '--parts figure' '--loads 0' '--costs 0' '--seconds x' '--protocol null' '--on ssh:a,b' '--resume nowhere' '--repeat'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$TOP/thinprobe" run schedulers $words -o "$BATS_TEST_TMPDIR/x"
		echo "$words: $status $stderr"
		[ "$status" = 2 ]
		[ "${#stderr_lines[@]}" = 1 ]
		[ ! -e "$BATS_TEST_TMPDIR/x" ]
	done
}

@test "the settings are data: every line of the list has five fields, words that the driver knows, and a name of its own" {
	run --separate-stderr "$TOP/experiments/schedulers.sh" --settings list
	[ "$status" = 0 ]
	[ "${#lines[@]}" = "$(grep -cv -e '^#' -e '^setting' "$TOP/data/schedulers.tsv")" ]
	[[ ${lines[0]} == default* ]]
	awk -F'\t' '/^#/ { next } NF != 5 || seen[$1]++ || $1 !~ /^[a-z0-9-]+$/ || $2 ~ /[|]/ { print "line " NR ": " $0; bad = 1 }
		!/^setting/ { n = split($3 " " $4 " " $5, w, " "); for (i = 1; i <= n; i++)
			if (w[i] !~ /^(-|group|each|login|client|(shares|idle|quota|rt|rt_runtime|policy|nice|autogroup|base_slice)=[-a-z0-9:,]+|--[a-z]+|[a-z0-9]+)$/) { print "word " w[i]; bad = 1 } }
		END { exit bad }' "$TOP/data/schedulers.tsv"
}

@test "cells of a setting: medians, share of the load, coalesced keys" {
	make_run 5
	"$TOP/bin/summarize" run >/dev/null
	[ "$(wc -l <run/summary.tsv)" = 10 ]
	# 20 keys a train at MS + 0, 0.1 ... 1.9 ms, five trains 20 ms apart: the median of all is that of the third
	[ "$(column summary.tsv default table heavy latency_p50_ms)" = 160.950 ]
	[ "$(column summary.tsv default table heavy coalesced_percent)" = 25.00 ]
	[ "$(column summary.tsv nice-19 table heavy load_share_percent)" = 70.00 ]
	[ "$(column summary.tsv nice-19 length heavy cost_ms)" = 10.000 ]
	# a curve for each of them
	[ "$(awk -F'\t' 'NR > 1 { print $7 "." $8 "." $2 "." $9 }' run/cdf.tsv | sort -u | wc -l)" = 9 ]
}

@test "each setting against the default in its own repeat: better, worse or not, from five pairs on" {
	make_run 5
	"$TOP/bin/summarize" run >/dev/null
	[ "$(column compare.tsv nice-19 table heavy verdict)" = better ]
	[ "$(column compare.tsv nice-19 table heavy pairs)" = 5 ]
	# ratios (25 + 5.1 r + 0.95) / (100.95 + 20 r), r = 1 .. 5: geometric mean
	want=$(awk 'BEGIN { for (r = 1; r <= 5; r++) s += log((25 + 5.1 * r + 0.95) / (100.95 + 20 * r)); printf "%.4f", exp(s / 5) }')
	[ "$(column compare.tsv nice-19 table heavy ratio)" = "$want" ]
	[ "$(column compare.tsv nice-19 length heavy verdict)" = "too few runs" ]
	# always a little later than by default: a small difference, but no doubt of it
	[ "$(column compare.tsv rr table heavy verdict)" = worse ]
	make_run 3
	"$TOP/bin/summarize" run >/dev/null
	[ "$(column compare.tsv nice-19 table heavy verdict)" = "too few runs" ]
	# and nothing of it for a run without settings
	jq 'del(.parameters.setting)' run/cells/default.heavy-10-004/1/cell.json >c && mv c run/cells/default.heavy-10-004/1/cell.json
	rm -r run/cells/nice* run/cells/rr* run/cells/default.heavy-10-005 run/cells/default.heavy-50-005 run/cells/default.light*
	"$TOP/bin/summarize" run >/dev/null
	[ ! -e run/compare.tsv ]
}

@test "the report: table, findings, both figures; a setting that is not here, says why" {
	make_run 3
	run --separate-stderr "$TOP/thinprobe" report run
	echo "$stderr"
	[ "$status" = 0 ]
	for f in settings length; do xmllint --noout "run/figures/$f.svg" 2>/dev/null || grep -q '</svg>' "run/figures/$f.svg"; done
	grep -q '>nice-19<' run/figures/settings.svg
	if grep -q 'base-slice' run/figures/settings.svg; then return 1; fi
	grep -q 'base-slice-1ms: this kernel | has none' run/report.md
	grep -qF '| base-slice-1ms: base slice of 1 ms for all | not here |' run/report.md
	# what is so already is no lack of this machine
	grep -qF '| autogroup-on: the same, autogroup switched on | as default |' run/report.md
	[ "$(grep -c '^[0-9]*\. Not on this machine, by trying: base slice of 1 ms for all; ' run/report.md)" = 1 ]
	# medians 10.95 and 36.15; tail of 60 keys: the slowest; load kept beside what it has by default
	grep -qF '| nice-19: load at nice 19 | 11.0 | max 11.9 | 36.2 | max 42.2 | 25 | 70 (85) | 0.26 too few runs |' run/report.md
	run "$TOP/report/findings.sh" run
	echo "$output"
	[[ $output == *"By default (load in the session itself), beside 4 sinks, vim's echo takes 13.0 ms (max 13.9)"* ]]
	[[ $output == *"Fair sharing alone makes a redraw last 50 ms"* ]]
	[[ $output == *"hardly a remedy: session under SCHED_RR (142 ms)"* ]]
	[[ $output == *"under default at no length tried, as late as fair sharing from 10 ms on; under nice-19 at every length tried (to 50 ms)"* ]]
	[[ $output == *"3 repeats are too few"* ]]
	# nice-19 is earlier than the default, and later than twice its own time and half a frame (36.0 ms)
	[[ $output == *"No setting tried brings that below 36.0 ms; the earliest is load at nice 19 (36.2 ms)."* ]]
	[[ $output == *"Earlier than by default, and not so early: load at nice 19 (36.2 ms)."* ]]
	run "$TOP/report/table.sh" run
	[[ $output == *"not on this machine: this kernel | has none"* ]]
}

@test "the report of five repeats gives verdicts; one without a cell says so" {
	make_run 5
	"$TOP/thinprobe" report run >/dev/null
	run "$TOP/report/findings.sh" run
	[[ $output == *"Held against the default in the same repeat"*"better: load at nice 19 0.26 (0.26–0.26)"*"worse: session under SCHED_RR"* ]]
	# all of them failed
	find run/cells -name cell.json | while read -r f; do jq '.state = "failed" | .reason = "no luck"' "$f" >c && mv c "$f"; done
	run "$TOP/bin/summarize" run
	[ "$status" = 1 ]
	run "$TOP/report/findings.sh" run
	[[ $output == *"nothing to say yet"* ]]
}
