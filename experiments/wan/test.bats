#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# wan: tables and findings of a made-up run whose figures follow from arithmetic; how a link is written in options.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/warm

setup() { begin_test && undrawn; }

# cell PROTOCOL LINK REPEAT PING LATENCY...: makes a complete train on the link of that number; times in ms, - for no echo
cell() {
	local folder=run/cells/${1/:/-}-00$2/$3 i=0 at
	mkdir -p "$folder"
	echo '{"schema": "thinprobe.cell/1", "parameters": {"protocol": "'"$1"'", "ping_ms": '"$4"'}, "repeat": '"$3"',
		"state": "complete", "reason": "", "marked": "", "link": {"packets": 1000, "lost": '"${LOST:-0}"'}}' >"$folder/cell.json"
	shift 4
	{
		printf 'schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\tblock\n'
		printf 'keys/1\t1\t1000\t1000\t9000\t9000\t\t1\t1\n'	# left out
		for at in "$@"; do
			i=$((i + 1))
			printf 'keys/1\t%d\t%d000000000\t%d000000000\t' $((i + 1)) "$i" "$i"
			if [ "$at" = - ]; then
				printf '\t\t%d000000000\t0\t1\n' $((i + 10))
			else
				printf '%d%06d000\t%d%06d000\t\t0\t1\n' "$i" "${at}000" "$i" "${at}000"
			fi
		done
	} >"$folder/samples.tsv"
}

make_run() {	# make_run PROTOCOL...
	mkdir -p run
	jq -n '[{rtt_ms: 0, loss_percent: 0}, {rtt_ms: 100, loss_percent: 0}, {rtt_ms: 200, loss_percent: 0},
			{rtt_ms: 100, loss_percent: 2}, {rtt_ms: 200, loss_percent: 0, keys_per_s: 10}] as $links
		| {schema: "thinprobe.run/1", experiment: "wan", state: "complete", axes: ["protocol", "rtt_ms", "loss_percent", "keys_per_s"],
		settings: {protocols: $ARGS.positional, app: "light", rtts_ms: [0, 100, 200], repeats: 2, seed: 1, threshold_ms: 150},
		lab: {missing: ["spice: the server | is missing"]},
		host: {link: {line: {kind: "wire", wire: {added_delay_us: {n: 5000, p50: 24, p99: 77, max: 300}}}}},
		cells: [$ARGS.positional[] as $p | $links | to_entries[] | {name: "\($p | sub(":"; "-"))-00\(.key)",
			parameters: ({protocol: $p, keys_per_s: 0} + .value)}]}' --args "$@" >run/run.json
}

column() {	# column PROTOCOL RTT LOSS NAME [KEYS_PER_S]
	field run/summary.tsv "$4" protocol="$1" rtt_ms="$2" loss_percent="$3" keys_per_s="${5-0}"
}
slope() { field run/slope.tsv "$2" protocol="$1"; }

# Latency of a key: `one` 1 round trip + 10 ms, `two:half` 2 round trips + 5 ms, `between` 1.5 round trips.
three_protocols() { once three run made; }
made() {
	local r
	make_run one two:half between
	for r in 1 2; do
		cell one 0 "$r" 0.5 10 11 10
		cell one 1 "$r" 100.5 110 110 111
		cell one 2 "$r" 200.5 210 209 210
		cell two:half 0 "$r" 0.5 6 6 6
		cell two:half 1 "$r" 100.5 206 206 205
		cell two:half 2 "$r" 200.5 406 406 406
		cell between 0 "$r" 0.5 1 1 1
		cell between 1 "$r" 100.5 151 151 151
		cell between 2 "$r" 200.5 301 301 301
		cell one 4 "$r" 200.5 210 211 212
		cell two:half 4 "$r" 200.5 506 506 506
		cell between 4 "$r" 200.5 301 302 303
		LOST=20 cell one 3 "$r" 100.5 110 110 610
		LOST=60 cell two:half 3 "$r" 100.5 206 - -
	done
}

@test "wan: cells: --link with a delay gives all cells its round trip and loss; --rtt beside it is refused" {
	local set='
		. "$TP_HOME/lab/lib.sh"; RESUME= ON=lab LINK=$1 KEYS=20 LOSS_KEYS= TYPING=10 PROTOCOLS=one RTTS=0,100 LOSSES=0.5,2 LOSS_RTT=50
		exp_bad() { echo "refused: $*"; exit 2; }; plan_no_link() { :; }; plan_given() { [[ " $2 " == *" $1 "* ]]; }
		. "$TP_HOME/experiments/wan/cell.sh"; plan_given() { [[ " $given " == *" $1 "* ]]; }
		given=$2; exp_check; exp_cells | tr "\t" " " | paste -sd ";"; echo "$KEYS $LOSS_KEYS"'
	cells() { TP_HOME=$TOP bash -c "$set" sh "$@"; }
	[ "$(cells 10Mbit,40ms,0,0.5%)" = $'one 80 0 0;one 80 0.5 0;one 80 0 10\n40 60' ]
	[ "$(cells 1500Kbit/384Kbit,25ms,0,0%)" = $'one 50 0 0;one 50 0 10\n40 60' ]
	[ "$(cells 10Mbit,200us)" = $'one 0.4 0 0;one 0.4 0 10\n40 60' ]
	[ "$(cells none,1s keys | head -n 1)" = "one 2000 0 0;one 2000 0 10" ]
	[ "$(cells 10Mbit | head -n 1)" = "one 0 0 0;one 100 0 0;one 50 0 0;one 50 0.5 0;one 50 2 0;one 100 0 10" ]
	run -2 cells 10Mbit,40ms rtt
	run -2 cells 10Mbit,2s ''
}

@test "wan: a session has the probe's options of its own protocol only" {
	TP_HOME=$TOP run -0 bash -c '
		. "$TP_HOME/lab/lib.sh"; . "$TP_HOME/experiments/families/trains.sh"; protocol_use() { :; }; app_of() { :; }
		SESSION_PROTOCOL=([a]=rdp [b]=x11) SESSION_APP=([a]=light [b]=light)
		SESSION_OPTIONS=([a]=$(printf "%s\037" --known-servers "a file") [b]="")
		for name in a b a; do session_use "$name"; echo "${#PROTOCOL_OPTIONS[@]} ${PROTOCOL_OPTIONS[*]}"; done'
	[ "$output" = $'2 --known-servers a file\n0 \n2 --known-servers a file' ]
}

@test "wan: on real hosts only they tell the conditions, so a sweep by Slurm is refused" {
	EXP_SWEEP=blind run -2 "$TOP/experiments/engine/run.sh" wan --on ssh:a,b -o out
	[[ $output == *"Slurm chooses them later"* ]]
	[ ! -e out ]
}

@test "wan: tables: the slope is the number of round trips; losses have an interval; keys without an echo are included" {
	three_protocols
	run warm summarize run
	[ "$status" = 3 ]	# one protocol lacks the cells with loss
	cat run/summary.tsv run/slope.tsv
	# medians 10 110 210 over 0.5 100.5 200.5
	[ "$(slope one slope)/$(slope one start_ms)/$(slope one points)" = 1.0000/9.500/6 ]
	[ "$(slope two:half slope)/$(slope two:half start_ms)" = 2.0000/5.000 ]
	[ "$(slope between slope)" = 1.5000 ]
	[ "$(column one 100 0 p50_ms)/$(column one 100 0 ping_ms)/$(column one 100 0 keys)" = 110.000/100.500/6 ]
	[ "$(column one 200 0 max_ms)/$(column one 200 0 late_percent)" = 210.000/100.00 ]
	[ "$(column one 100 2 max_ms)/$(column one 100 2 late_percent)" = 610.000/33.33 ]
	# 40 of 2000: ends of the exact interval, where 40 or more, and 40 or fewer, of 2000 have a probability of 2.5 %
	[ "$(column one 100 2 lost_percent)" = 2.000 ]
	[ "$(column one 100 2 lost_percent_low)/$(column one 100 2 lost_percent_high)" = 1.433/2.714 ]
	# cells with typed keys are in no line
	[ "$(column one 200 0 keys 10)/$(column one 200 0 p50_ms 10)" = 6/211.000 ]
	# two of three keys had no echo: median and maximum are lower bounds
	[ "$(column two:half 100 2 unanswered)/$(column two:half 100 2 p50_ms)/$(column two:half 100 2 p50_ms_above)" = \
		4/10000.000/1 ]
	[ "$(column two:half 100 2 max_above)/$(column between 100 2 p50_ms_why)" = "1/not measured" ]
	[ "$(column between 100 2 state)" = "not measured" ]
}

@test "wan: tables: a line reaches the threshold between the round trips that were set, or not at all" {
	late_from() {	# late_from THRESHOLD: of one (9.5 + x) and two:half (5 + 2 x)
		edit_json run/run.json ".settings.threshold_ms = $1"
		warm summarize run >/dev/null || [ $? = 3 ]
		echo "$(slope one late_from_ms)/$(slope two:half late_from_ms)"
	}
	three_protocols
	[ "$(late_from 150)" = 140.5/72.5 ]
	[ "$(late_from 305)" = /150.0 ]
	[ "$(late_from 500)" = / ]
	[ "$(late_from 2)" = / ]
	# medians of 205 and 215 ms over 200.5 ms: the interval is wider than none, and holds the line of all others
	cell one 2 2 200.5 215 215 215
	late_from 150
	[ "$(slope one late_from_ms_low | cut -d. -f1)" -lt 140 ]
	[ "$(slope one late_from_ms_high | cut -d. -f1)" -ge 140 ]
}

@test "wan: findings: round trips per key, keys typed at a rate, longest usable link, packet loss" {
	three_protocols
	drawn warm report run
	cat run/findings.json
	[ "$(finding run round-trips-1) $(finding run round-trips-1 verdict)" = "1 good" ]
	[ "$(finding run round-trips-2) $(finding run round-trips-2 verdict)" = "2 bad" ]
	# two repeats have no interval, so 506 ms against 406 ms is unsure
	[ "$(finding run typed verdict)" = unsure ]
	[[ $(finding run typed text) == *two:half*"211 ms (alone 210 ms)"* ]]
	[ "$(finding run longest-link)/$(finding run longest-link unit)" = 406/ms ]
	[[ $(finding run longest-link text) == *" 73 to 141 ms"* ]]	# 145 / 2 and 140.5 / 1
	[ "$(finding run loss)/$(finding run loss above)" = 10000/true ]	# its median key was never answered
	for f in run/figures/rtt.svg run/figures/loss.svg run/report.html; do [ -s "$f" ]; done
	grep -q '^- spice: the server' run/report.md
	# ranking by single keys at the longest round trip; two repeats have no interval, so no rank is significant
	warm report --table run | sed '1,/Rank/d' | head -n 3 | tee table
	[ "$(awk '{ print $1, $2, $3 }' table | paste -sd ';')" = "1 one 210;2 between 301;3 two:half 406" ]
	verdict=$(verdict run)
	[[ $verdict == "On this link, round trip 200 ms: one (210 ms), between (301 ms) and two:half (406 ms) "* ]]
	grep -q '### Which protocol on this link' run/report.md
}

@test "wan: findings compare protocols only at the same loss, and typed keys with single ones by their intervals" {
	make_run one two
	edit_json run/run.json '.cells |= map(select(.name | test("4$") | not)) | .cells |= map(.parameters.rtt_ms = 200 |
		(if .name | test("0$") then .parameters.loss_percent = 0 elif .name | test("1$") then .parameters.loss_percent = 1
		elif .name | test("2$") then .parameters.loss_percent = 2 else .parameters.loss_percent = 0 | .parameters.keys_per_s = 10 end))'
	for r in 1 2; do
		cell one 0 "$r" 200 210 210 210
		cell one 1 "$r" 200 310 310 310
		cell one 2 "$r" 200 410 410 410
		cell two 0 "$r" 200 220 220 220
		cell two 1 "$r" 200 320 320 320
		cell one 3 "$r" 200 $((200 + 40 * r)) $((200 + 40 * r)) $((200 + 40 * r))	# 240 and 280: interval 6 to 514
	done
	report_findings run
	cat run/findings.json
	[[ $(finding run loss text) == *"410 ms (one)"* ]]
	[[ $(finding run loss text) != *"320"* ]]
	[ "$(finding run typed)/$(finding run typed verdict)" = 260/unsure ]
}

# cell's times as ranges, 100 ms wide
in_ranges() {
	awk -F'\t' -v OFS='\t' 'NR > 2 { $6 = sprintf("%.0f", $6 + 1e8) } 1' "$1/samples.tsv" >wide && mv wide "$1/samples.tsv"
}

@test "wan: the slowest key is the one that may be the latest; protocols without a line are ranked or not, not both" {
	local r
	make_run one two
	for r in 1 2; do
		cell one 0 "$r" 0 10 10 10
		cell two 0 "$r" 0 20 20 20
		cell one 3 "$r" 100 110 110 812
		cell two 3 "$r" 100 110 110 2100
		in_ranges "run/cells/two-003/$r"
	done
	report_findings run
	[[ $(finding run loss text) == *"The slowest key took "*"(two)."* ]]
	[[ $(verdict run) != *"not ranked"* ]]
}

@test "wan: one protocol, one repeat, no loss: a report without intervals and without the figure of losses" {
	make_run one
	edit_json run/run.json '.settings.repeats = 1 | .cells |= .[:2]'
	cell one 0 1 null 10 10 10
	cell one 1 1 null 110 110 110
	drawn warm report run
	# two points: an exact line, but no interval
	[ "$(slope one slope)/$(slope one slope_low)/$(slope one slope_why)" = "//too few points" ]
	[ ! -e run/figures/loss.svg ]
	[ -z "$(finding run round-trips-1)" ]
	[ "$(finding run no-round-trips verdict)" = unsure ]
}

# Pings differ a little between repeats: the smallest and the largest must not be taken for two points of a line.
@test "wan: with one link, findings give medians, and nothing about round trips per key" {
	make_run one two
	edit_json run/run.json '.cells |= map(select(.name | test("0$"))) | .cells |= map(.parameters.rtt_ms = 80)'
	for protocols in "one two" one; do
		for p in $protocols; do
			cell "$p" 0 1 80.2 90 90 90
			cell "$p" 0 2 "${PING:-80.3}" 87 87 87
		done
		drawn warm report run
		cat run/findings.json
		[ "$(wc -l <run/slope.tsv)" = 1 ]
		if jq -r '.verdict, .findings[].text' run/findings.json |
			grep -E 'round trips? per key|takes .*round trip|-[0-9]'; then
			return 1
		fi
		run -1 grep -E 'round trips? (a|per) key' run/figures/rtt.svg
		[ "$(ids run)" = "longest-link link" ]
		[ -n "$(verdict run)" ]
		# round trips set less far apart than the pings of one link scatter
		PING=120
		rm -rf run/cells/two*
		edit_json run/run.json '.cells |= map(select(.name | test("one")))'
	done
	[[ $(verdict run) == *"88.5 ms"* ]]
}

@test "wan: slope.tsv uses exact medians only; a slope below one gives no number of round trips" {
	make_run one two
	edit_json run/run.json '.cells |= map(select(.name | test("[012]$")))'
	for r in 1 2; do
		cell one 0 "$r" 0.5 10 10 10
		cell one 1 "$r" 100.5 10 11 11
		cell one 2 "$r" 200.5 9 9 9
		cell two 0 "$r" 0.5 10 10 10
		cell two 1 "$r" 100.5 - 110 -
		cell two 2 "$r" 200.5 210 210 210
	done
	report_findings run
	cat run/findings.json
	[ "$(slope two slope)/$(slope two slope_why)" = "/no exact median" ]
	[ "$(finding run round-trips-impossible verdict)/$(finding run round-trips-impossible)" = unsure/null ]
	[[ $(finding run no-round-trips text) == *two* ]]
	if jq -r '.verdict, .findings[].text' run/findings.json | grep -E -- '[ (]-[0-9]'; then return 1; fi
}

@test "wan: findings: a protocol without a median is named as unknown, not as one without waits" {
	local r p l
	make_run one two
	for r in 1 2; do
		for l in 0 1 2; do
			for p in one two; do cell $p $l "$r" $((l * 100)).5 $((l * 100 + 10)) $((l * 100 + 11)) $((l * 100 + 10)); done
		done
		cell one 4 "$r" 200.5 210 211 212
		cell two 4 "$r" 200.5 906 906 906
		edit_json "run/cells/two-002/$r/cell.json" '.state = "failed"'
	done
	report_findings run
	[ "$(finding run typed verdict)" = unsure ]	# 906 ms, and no single keys to compare with
	[[ $(finding run longest-link text) == *"Not known: two."* ]]
	for r in 1 2; do
		edit_json "run/cells/two-002/$r/cell.json" '.state = "complete"'
		edit_json "run/cells/two-004/$r/cell.json" '.state = "failed"'
	done
	report_findings run
	[ "$(finding run typed verdict)" = unsure ]
	[[ $(finding run typed text) == *"whether one and two wait"* ]]	# two repeats have no interval
}

@test "wan: findings: keys typed of which less than half wait for others are told by the 90 % value" {
	local r alone typed
	make_run one
	edit_json run/run.json '.settings.repeats = 3 | .cells[3:4] = []'
	mapfile -t alone < <(for ((r = 0; r < 40; r++)); do echo $((210 + r % 5)); done)
	mapfile -t typed < <(for ((r = 0; r < 40; r++)); do echo $((210 + r % 5 + 200 * (r % 5 > 2))); done)
	for r in 1 2 3; do
		cell one 0 "$r" 0.5 10 11 12
		cell one 1 "$r" 100.5 110 111 112
		cell one 2 "$r" 200.5 "${alone[@]}"
		cell one 4 "$r" 200.5 "${typed[@]}"
	done
	report_findings run
	[ "$(finding run typed verdict)" = bad ]
}

@test "wan: tables: medians that lie on no straight line give no number of round trips" {
	local r
	make_run one
	edit_json run/run.json '.settings.repeats = 3 | .cells |= .[:3]'
	for r in 1 2 3; do
		cell one 0 "$r" 0.5 10 11 12
		cell one 1 "$r" 100.5 110 111 $((111 + r))
		cell one 2 "$r" 200.5 610 611 $((611 + r))
	done
	warm summarize run --experiment "$TOP/experiments/wan" >/dev/null
	[ "$(slope one slope)/$(slope one slope_low)" = / ]
	[ -n "$(slope one slope_why)" ]
}

@test "wan: a real link: a finding has its pings; where TCP's round trip is much shorter, its connection ends before the server" {
	make_run attach
	cell attach 1 1 100.5 110 110 110
	edit_json run/run.json 'del(.host) | .settings += {on: "attach::0,x", link: "none", app: "own"} | .protocol = {title: "T"}
		| .link = {pings: 20, ping_ms: {min: 100.1, mean: 101, max: 103}, ping_lost_percent: 5, tcp_min_ms: 100}'
	report_findings run
	[[ $(finding run link text) == *"100 ms at least"*"103 ms at most; 5 % of 20 pings were lost."*"window's own connection." ]]
	[ "$(finding run link verdict)" = good ]
	edit_json run/run.json '.link.tcp_min_ms = 1'
	report_findings run
	[[ $(finding run link text) == *"TCP saw 1"*"at a proxy"* ]]
	edit_json run/run.json '.link += {ping_ms: null, tcp_min_ms: 100}'
	report_findings run
	[[ $(finding run link text) == *"answers no ping. TCP saw 100 ms"* ]]
}
