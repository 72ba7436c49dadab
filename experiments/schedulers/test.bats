#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# schedulers: the list of settings; tables and findings of a made-up run whose figures follow from a formula.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/warm

setup() { begin_test && undrawn; }

# cell SETTING PART APP COST SINKS REPEAT MS SHARE: 25 keys, five of them warm-up, each answered after MS to MS + 1.9 ms
cell() {
	local folder="run/cells/$1.$3-$4-$5/$6" cost=null
	local us="autogroup=/autogroup-4 session=9 nice=0 policy=other cpus=0 cgroup=/"
	[ "$4" = 0 ] || cost=$4
	mkdir -p "$folder"
	echo '{"schema": "thinprobe.cell/1", "parameters": {"protocol": "vnc", "part": "'"$2"'", "setting": "'"$1"'", "app": "'"$3"'",
		"cost_ms": '"$cost"', "sinks": '"$5"'}, "repeat": '"$6"', "series": "latency", "state": "complete", "reason": "",
		"marked": "", "foreign_percent": 0.5, "steal_percent": 0, "cost_ms": '"$cost"', "period_ms": 50, "autogroup": {
		"session": "'"$us"'", "app": "'"$us"'",
		"sinks": "autogroup=/autogroup-4 session=9 nice=10 policy=idle cpus=0 cgroup=/thinprobe-012345-load"}}' >"$folder/cell.json"
	awk -v ms="$7" 'BEGIN { print "schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped"
		for (k = 1; k <= 25; k++) {
			answer = k * 5e7 + ms * 1e6 + k * 7 % 20 * 1e5
			printf "keys/1\t%d\t%.0f\t%.0f\t%.0f\t\t\t%d\n", k, k * 5e7, k * 5e7, answer, k <= 5
		} }' >"$folder/samples.tsv"
	echo '{"settings": {"period_ms": 50, "schedule": "jittered"}, "result": {"overloaded": false, "coalesced": 5,
		"keys_answered": 20, "updates_per_key": 0.75, "pairing": "patch"}}' >"$folder/keyrepeat.json"
	echo "{\"result\": {\"total_share_percent\": $8}}" >"$folder/sink.json"
}

make_run() { once "$1" run made "$1"; }	# make_run REPEATS
made() {
	local r
	mkdir run
	jq -n --argjson repeats "$1" '{schema: "thinprobe.run/1", experiment: "schedulers", state: "complete",
		settings: {protocol: "vnc", settings: ["default", "nice-19", "base-slice-1ms", "rr"], parts: ["table", "length"],
			apps: ["light", "heavy"], loads: [4], costs_ms: [10], full_costs_ms: [10], seconds: 4, repeats: $repeats, rate_per_s: 20,
			threshold_ms: 100, seed: 1, link: "100Mbit", on: "lab", length_load: 5},
		rows: [{setting: "default", says: "load in the session itself", here: true, why: null},
			{setting: "nice-19", says: "load at nice 19", here: true, why: null},
			{setting: "base-slice-1ms", says: "base slice of 1 ms for all", here: false, why: "this kernel | has none"},
			{setting: "rr", says: "session under SCHED_RR", here: true, why: null}],
		protocol: {says: "VNC", floor_ms: 8}, lab: {missing: []}, host: {kernel: "Linux 6.1"}}' >run/run.json
	for ((r = 1; r <= $1; r++)); do
		# repeats differ in speed; the ratio of the settings is a little over 1 to 4 in all
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
	run_cells run
}

column() { field "run/$1" "$5" setting="$2" part="$3" app="$4"; }	# column TABLE SETTING PART APP NAME

@test "schedulers: each line of data/schedulers.tsv has five fields, known words and a unique name; --settings list shows all" {
	run --separate-stderr "$TOP/thinprobe" run schedulers --settings list
	[ "$status" = 0 ]
	[ "${#lines[@]}" = "$(grep -cv -e '^#' -e '^setting' "$TOP/data/schedulers.tsv")" ]
	[[ ${lines[0]} == default* ]]
	awk -F'\t' '/^#/ { next } NF != 5 || seen[$1]++ || $1 !~ /^[a-z0-9-]+$/ || $2 ~ /[|]/ { print "line " NR ": " $0; bad = 1 }
		!/^setting/ {
			known = "^(-|group|each|login|client|"
			known = known "(shares|idle|quota|rt|rt_runtime|policy|nice|autogroup|base_slice)=[-a-z0-9:,]+|--[a-z]+|[a-z0-9]+)$"
			n = split($3 " " $4 " " $5, w, " "); for (i = 1; i <= n; i++) if (w[i] !~ known) { print "word " w[i]; bad = 1 }
		}
		END { exit bad }' "$TOP/data/schedulers.tsv"
}

@test "schedulers: of both trains of a cell each has failed if its setting was not in force" {
	local marked='not the setting asked for: nice 0'
	mkdir -p cell/stall
	TP_HOME=$TOP MARKED=$marked bash -c '. "$TP_HOME/experiments/schedulers/cell.sh"
		put_json() { cat >new && mv new "$1"; }
		session_name() { :; }
		train_run_both() { jq -n "{state: \"complete\", marked: \"\"}" >cell/cell.json
			jq -n "{state: \"complete\", marked: env.MARKED}" >cell/stall/cell.json; }
		declare -A P=([protocol]=vnc [app]=light [sinks]=0)
		exp_measure 1 1 cell'
	[ "$(jq -r .state cell/cell.json)" = complete ]
	jq -e '.state == "failed" and .reason == .marked' cell/stall/cell.json
}

@test "schedulers: summary.tsv: medians, CPU share of the load, coalesced keys; a distribution curve for each row" {
	make_run 5
	warm summarize run >/dev/null
	[ "$(wc -l <run/summary.tsv)" = 10 ]
	# 20 keys a train at MS + 0, 0.1 ... 1.9 ms, five trains 20 ms apart: the overall median is the third train's
	[ "$(column summary.tsv default table heavy latency_p50_ms)" = 160.950 ]
	[ "$(column summary.tsv default table heavy coalesced_percent)" = 25.00 ]
	[ "$(column summary.tsv nice-19 table heavy load_share_percent)" = 70.00 ]
	[ "$(column summary.tsv nice-19 length heavy cost_ms)" = 10.000 ]
	# a curve for each row
	[ "$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["setting"] "." $at["part"] "." $at["app"] "." $at["cost_ms"] }' run/cdf.tsv | sort -u | wc -l)" = 9 ]
	# applications of several costs have no cost in their name
	run warm report --table run
	[[ $output == *heavy* && ! $output =~ [0-9]\ ms\ of\ CPU ]]
}

@test "schedulers: compare.tsv: each setting is paired with the default of its repeat; a verdict needs five pairs" {
	make_run 5
	warm summarize run >/dev/null
	[ "$(column compare.tsv nice-19 table heavy verdict)/$(column compare.tsv nice-19 table heavy pairs)" = better/5 ]
	# ratios (25 + 5.1 r + 0.95) / (100.95 + 20 r), r = 1 .. 5: geometric mean
	want=$(awk 'BEGIN { for (r = 1; r <= 5; r++) s += log((25 + 5.1 * r + 0.95) / (100.95 + 20 * r)); printf "%.4f", exp(s / 5) }')
	[ "$(column compare.tsv nice-19 table heavy ratio)" = "$want" ]
	[ "$(column compare.tsv nice-19 length heavy verdict)" = "too few runs" ]
	# in every repeat a little later than the default: a small but certain difference
	[ "$(column compare.tsv rr table heavy verdict)" = worse ]
	make_run 3
	warm summarize run >/dev/null
	[ "$(column compare.tsv nice-19 table heavy verdict)" = "too few runs" ]
}

@test "schedulers: compare.tsv: a pair with an overloaded side is counted as overloaded" {
	make_run 5
	for r in 1 2 3; do edit_json "run/cells/default.heavy-10-4/$r/keyrepeat.json" '.result.overloaded = true'; done
	warm summarize run >/dev/null
	[ "$(column compare.tsv nice-19 table heavy verdict)" = "not comparable" ]
	[ "$(column compare.tsv nice-19 table heavy pairs_why)" = "overloaded in 3 of 5" ]
}

@test "schedulers: findings of three repeats: default, remedies, price, length; the test is unsure" {
	make_run 3
	drawn warm report run
	cat run/findings.json
	for f in settings length; do grep -q '</svg>' "run/figures/$f.svg"; done
	[ "$(ids run)" = "default remedies price length tested" ]
	# medians: 140.95 and 36.15; the limit, twice the sum of the redraw's time and the server's wait, is 36.0
	[ "$(finding run default)/$(finding run default verdict)" = 140.95/unsure ]	# its interval begins at 99 ms
	[ "$(finding run remedies)/$(finding run remedies verdict)" = 36.15/none ]
	[ "$(finding run price)/$(finding run length)" = 70/50 ]
	[ "$(finding run tested verdict)" = unsure ]
	run warm report --table run
	[[ $output == *"load at nice 19"* || $output == *nice-19* ]]
}

# remade REPEATS SETTING=MS...: make_run and findings, with these response times of the heavy application in each repeat
remade() {
	local pair r
	make_run "$1"
	for pair in "${@:2}"; do
		for ((r = 1; r <= $1; r++)); do cell "${pair%=*}" table heavy 10 4 "$r" "${pair#*=}" 70; done
	done
	report_findings run
	cat run/findings.json
}

@test "schedulers: findings: if the default is fast enough, no setting is needed" {
	# the limit is 2 x (10 + 8) = 36 ms; the median is 0.95 ms above the first response
	remade 3 default=12 nice-19=60 rr=70
	[ "$(finding run remedies)/$(finding run remedies verdict)" = 12.95/good ]
	[[ $(finding run remedies text) == "**No setting is needed"*"Slower than the default: "*"nice 19 (61.0 ms)"*"RR (71.0 ms)"* ]]
	[[ $(verdict run) == *"needs no setting"* ]]
	# not fast enough, but still the fastest
	remade 3 default=50 nice-19=60 rr=70
	[ "$(finding run remedies)/$(finding run remedies verdict)" = 50.95/none ]
	[[ $(finding run remedies text) == *"The fastest is load in the session itself (51.0 ms)"* ]]
}

@test "schedulers: findings: one repeat makes nothing sure, and repeats that differ by a factor no 'hardly any effect'" {
	local r
	remade 1 default=100 nice-19=20 rr=130
	[ "$(finding run remedies)/$(finding run remedies verdict)" = 20.95/unsure ]
	text=$(finding run remedies text)
	[[ -n $text && $text != *surely* && $text != *"Slower than"* ]]
	remade 1 default=20 rr=130
	[ "$(finding run remedies)/$(finding run remedies verdict)" = 20.95/unsure ]
	make_run 5
	for r in 1 2 3 4 5; do
		cell default table heavy 10 4 $r $((r < 5 ? 100 : 900)) 70
		cell rr table heavy 10 4 $r 100 70
	done
	report_findings run
	text=$(finding run remedies text)
	[[ -n $text && $text != *"Hardly any"* ]]
}

@test "schedulers: findings: 1.14 times the default is 'hardly any effect', 11 times is 'slower'" {
	remade 3 default=140 nice-19=10 rr=1600
	[[ $(finding run remedies text) == *"Slower than the default: session under SCHED_RR (1601 ms"* ]]
	run -1 grep 'Hardly any' <(finding run remedies text)
	remade 3 default=140 nice-19=10 rr=160	# 1.14 times
	[[ $(finding run remedies text) == *"Hardly any effect"*"SCHED_RR (161 ms"* ]]
	run -1 grep 'Slower than' <(finding run remedies text)
}

@test "schedulers: findings: of two settings that leave the hogs the same share none leaves them least" {
	remade 3 default=140 nice-19=10 rr=20
	[[ $(finding run price text) == *" they get 70 % with load at nice 19 and session under SCHED_RR." ]]
}

@test "schedulers: findings of five repeats name better and worse settings; a run without a complete cell is refused" {
	make_run 5
	report_findings run
	cat run/findings.json
	[ "$(finding run tested)" = 0.256 ]
	[[ $(finding run tested text) == *"better: load at nice 19 0.26"*"worse: session under SCHED_RR"* ]]
	find run/cells -name cell.json | while read -r f; do edit_json "$f" '.state = "failed" | .reason = "no luck"'; done
	run -1 warm summarize run
	[[ $output == *"no repeat of any cell is complete"* ]]
}

@test "schedulers: two protocols: each setting is compared with the default of the same protocol" {
	local cell repeat
	make_run 5
	for cell in run/cells/*; do
		cp -r "$cell" "run/cells/x11-${cell##*/}"
		for repeat in "run/cells/x11-${cell##*/}"/*; do edit_json "$repeat/cell.json" '.parameters.protocol = "x11"'; done
	done
	# over x11 the default alone takes twice as long
	for repeat in run/cells/x11-default.heavy-10-4/*/samples.tsv; do
		awk -F'\t' -v OFS='\t' -v CONVFMT=%.0f 'NR > 1 { $5 = 2 * $5 - $3 } { print }' "$repeat" >rows
		mv rows "$repeat"
	done
	run_cells run
	edit_json run/run.json 'del(.settings.protocol, .protocol) | .settings.protocols = ["vnc", "x11"]
		| .protocols = {vnc: {floor_ms: 8}, x11: {floor_ms: 0}}'
	drawn warm report run
	cat run/findings.json
	grep -qF '| <0.01 | better |' run/report.md
	x11=$(field run/compare.tsv ratio protocol=x11 setting=nice-19 part=table app=heavy)
	vnc=$(field run/compare.tsv ratio protocol=vnc setting=nice-19 part=table app=heavy)
	awk -v a="$x11" -v b="$vnc" 'BEGIN { d = 2 * a - b; exit !(d < 0.0002 && d > -0.0002) }'
	[ "$(ids run)" = "default remedies price length tested" ]
	[[ $(finding run default text) == *"Over vnc: "*"161 ms"*"Over x11: "*"322 ms"* ]]
	for row in vnc/default x11/default vnc/nice-19 x11/nice-19; do
		grep -q ">$row<" run/figures/settings.svg
		grep -q ">$row<" run/figures/length.svg
	done
}
