#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# rtt: tables and findings of a made-up run whose figures follow from arithmetic.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/warm

setup() { begin_test && undrawn; }

# cell NAME REPEAT MBIT MS...: pings (or keys) with these round trips; "-" is lost. MBIT: the load's rate, sent and received.
cell() {
	local name=$1 mbit=$3 p lost=0 folder=run/cells/$1/$2
	IFS=. read -ra p <<<"$name"
	mkdir -p "$folder"
	echo '{"schema": "thinprobe.cell/1", "parameters": {"link": "'"${p[0]}"'"}, "repeat": '"$2"',
		"link_bit_s": 10000000, "queue_bytes": 62500, "bucket_bytes": 4542, "state": "complete", "reason": "", "foreign_percent": 1,
		"steal_percent": 0, "server_busy_percent": 5, "client_busy_percent": 6, "marked": ""}' >"$folder/cell.json"
	[ "${p[2]}" != tcp ] || lost=null
	[ "${p[2]}" = none ] || awk -v m="$mbit" -v lost=$lost 'BEGIN {
		printf "{\"result\": {\"sent_mbit_s\": %s, \"received_mbit_s\": %s, \
		\"received_payload_mbit_s\": %s, \"lost_percent\": %s, \"behind_ms\": 1.5}}\n", m, m, m * 0.95, lost }' >"$folder/netload.json"
	printf '%s\n' "${@:4}" | awk -v probe="${p[4]}" '
		NR == 1 && probe == "ping" { print "schema\tnumber\trtt_ns" }
		NR == 1 && probe != "ping" { print "schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped" }
		probe == "ping" { printf "ping/1\t%d\t%s\n", NR, $1 == "-" ? "" : sprintf("%.0f", $1 * 1e6); next }
		{ due = NR * 50000000; printf "keys/1\t%d\t%d\t%d\t%d\t\t\t0\n", NR, due, due, due + $1 * 1e6 }' >"$folder/samples.tsv"
}

make_run() {	# REPEATS CELL...
	mkdir -p run
	jq -n --argjson repeats "$1" '{schema: "thinprobe.run/1", experiment: "rtt", state: "complete",
		axes: ["link", "queue", "transport", "load", "probe"],
		cells: [$ARGS.positional[] | {name: ., parameters: (split(".")
			| {link: .[0], queue: .[1], transport: .[2], load: (.[3] | tonumber), probe: .[4]})}],
		settings: {protocols: ["vnc"], links: ["10Mbit"], queue: "50ms", direction: "display", link_by: "tbf", seconds: 5,
			repeats: $repeats, seed: 1, threshold_ms: 100},
		protocols: {vnc: {says: "VNC"}}, lab: {missing: ["queue fq_codel: this kernel | has none"]}}' --args "${@:2}" \
			>run/run.json
}

column() { field run/summary.tsv "$2" cell="$1"; }	# column CELL NAME

@test "rtt: summary.tsv: mean, variance and loss of pings, the load, and the M/D/1 values" {
	local idle=10Mbit.fifo.none.0.ping busy=10Mbit.fifo.random.50.ping failed=10Mbit.fifo.tcp.96.ping
	make_run 2 $idle $busy $failed
	# mean 3 and variance 7 with one of four lost; mean 5, variance 4
	cell $idle 1 0 1 2 - 6
	cell $idle 2 0 3 5 7
	cell $busy 1 5 1 1 1
	mkdir -p run/cells/$failed/1
	jq '.state = "failed"' run/cells/$idle/1/cell.json >run/cells/$failed/1/cell.json
	run warm summarize run
	echo "$output"
	[ "$status" = 3 ]
	[ "$(column $idle mean_ms)/$(column $idle variance_ms2)" = 4.0000/5.50000 ]
	# (sqrt(7) + 2) / 2; Student's t with one degree of freedom is 12.7062: 4 +- 12.7062 * 1
	[ "$(column $idle sd_ms)" = 2.3229 ]
	[ "$(column $idle mean_ms_low)/$(column $idle mean_ms_high)" = / ]	# two repeats give no interval
	[ "$(column $idle n)/$(column $idle lost)/$(column $idle lost_percent)" = 7/1/14.286 ]
	[ "$(column $idle p50_ms)/$(column $idle p99_ms)/$(column $idle max_ms)" = 4.0000//7.0000 ]
	[ "$(column $idle load_percent)/$(column $busy load_percent)" = 0.0000/50.0000 ]
	[ "$(column $busy load_behind_ms_max)/$(column $busy queue_ms)/$(column $busy failed)" = 1.500/50.000/1 ]
	[ "$(column $failed state)" = failed ]
	# without a bucket: half a frame of 1.2112 ms, and 1.2112 ^ 2 * (1/4 + 1/3)
	edit_json run/cells/$busy/1/cell.json '.bucket_bytes = 0'
	run -3 warm summarize run
	[ "$(column $busy md1_wait_ms)/$(column $busy md1_variance_ms2)" = 0.6056/0.85575 ]
	# the curve follows the link's first cell, which has a bucket; expected value by Erlang's formula, computed in Python
	[ "$(field run/curve.tsv wait_ms link=10Mbit load_percent=50)" = 0.01595 ]
}

@test "rtt: curve.tsv without a bucket: the rest of the frame being sent, and the queue, as computed apart" {
	need python3
	make_run 1 10Mbit.fifo.random.50.ping
	cell 10Mbit.fifo.random.50.ping 1 5 1
	edit_json run/cells/10Mbit.fifo.random.50.ping/1/cell.json '.bucket_bytes = 0'
	warm summarize run >/dev/null
	# Any service times (M/G/1): a ping at a random time waits for the rest of the frame being sent, E[S2] / 2 E[S] with the
	# chance of the load, and so for a geometric number of such rests (Pollaczek and Khinchine; Benes for the variance).
	# At even distances the rest alone is left.
	python3 - run/curve.tsv <<-'END'
		import csv, sys
		S = 1514 * 8 / 10e6 * 1e3
		rest, rest2 = S / 2, S * S / 3    # moments of the rest of a frame of constant length
		rows = list(csv.DictReader(open(sys.argv[1]), delimiter='\t'))
		assert len(rows) > 50
		for r in rows:
		    load = float(r['load_percent']) / 100
		    n = load / (1 - load)         # mean of the geometric number
		    mean, variance = n * rest, n * (rest2 - rest ** 2) + n * (1 + n) * rest ** 2
		    even, even_variance = load * rest, load * rest2 - (load * rest) ** 2
		    for name, v in (('wait_ms', mean), ('variance_ms2', variance), ('even_wait_ms', even),
		                    ('even_variance_ms2', even_variance)):
		        assert abs(float(r[name]) - v) <= 1e-5 + 1e-6 * v, (name, load, r[name], v)
	END
	# with one and a half of three frames let through at once nothing of one frame is left
	edit_json run/cells/10Mbit.fifo.random.50.ping/1/cell.json '.bucket_bytes = 1514 * 1.5 + 98'
	warm summarize run >/dev/null
	[ "$(field run/curve.tsv even_wait_ms link=10Mbit load_percent=50)" = 0.00000 ]
	# with half a frame: the chance of 1/4 of a rest above it, 1/4 long: 1/16 frame
	edit_json run/cells/10Mbit.fifo.random.50.ping/1/cell.json '.bucket_bytes = 1514 / 2 + 98'
	warm summarize run >/dev/null
	[ "$(field run/curve.tsv even_wait_ms link=10Mbit load_percent=50)" = 0.07570 ]
}

@test "rtt: beside TCP no queue builds where a ping is surely less than a frame later; a full link names the congestion control" {
	local t r ms
	make_run 3 10Mbit.fifo.none.0.ping 10Mbit.fifo.{tcp,reno}.{96,110}.ping
	for r in 1 2 3; do
		cell 10Mbit.fifo.none.0.ping "$r" 0 0.2 0.2 0.2$r
		for t in tcp reno; do
			cell "10Mbit.fifo.$t.96.ping" "$r" 9.6 0.8 0.8 0.8$r
			cell "10Mbit.fifo.$t.110.ping" "$r" 9.99 20 20 20.$r
			jq --arg c "${t/tcp/bbr}" '.settings.congestion_control = $c' "run/cells/10Mbit.fifo.$t.110.ping/$r/netload.json" >new
			mv new "run/cells/10Mbit.fifo.$t.110.ping/$r/netload.json"
		done
	done
	drawn warm report run
	cat run/findings.json
	[[ $(finding run nearly-full text) == *"No queue builds"*"96 %"*"1.21 ms"* ]]
	[[ $(finding run overfull text) == *" with bbr"* ]]
	[[ $(finding run overfull text) == *" with reno"* ]]
	grep -q 'even distances' run/figures/round-trip.svg
	run -1 grep -q 'M/D/1' run/figures/round-trip.svg	# no load of this run is random
	for ms in 1.38 1.6; do	# 1.21 ms more is not less than a frame, surely or not
		for r in 1 2 3; do cell 10Mbit.fifo.tcp.96.ping "$r" 9.6 "$ms" "$ms" "$ms$r"; done
		report_findings run
		[[ $(finding run nearly-full text) != *"beside TCP of"* ]]
		[[ $(finding run nearly-full text) == *"No queue builds"*"Reno"* ]]
	done
}

@test "rtt: a key without an echo counts as a lower bound; a cell without the link's rate is refused" {
	local key=10Mbit.fifo.none.0.vnc
	make_run 1 $key
	cell $key 1 0 10 20
	printf 'keys/1\t3\t150000000\t150000000\t\t\t1150000000\t0\n' >>run/cells/$key/1/samples.tsv
	warm summarize run >/dev/null
	[ "$(column $key later)/$(column $key max_ms)/$(column $key lost)" = 1/1000.0000/0 ]
	# 10, 20 and over 1000 ms: a key that took longer than the threshold is late
	[ "$(column $key late_percent)" = 33.33 ]
	edit_json run/run.json '.settings.threshold_ms = 15'
	warm summarize run >/dev/null
	[ "$(column $key late_percent)" = 66.67 ]
	edit_json run/cells/$key/1/cell.json 'del(.link_bit_s)'
	run --separate-stderr warm summarize run
	[ "$status" = 1 ]
	[[ $stderr == *link_bit_s* ]]
}

@test "rtt: findings on the idle link, nearly full and overfull links, random arrivals, keys, and waits beyond the queue" {
	make_run 1 10Mbit.fifo.none.0.ping 10Mbit.fifo.udp.96.ping 10Mbit.fifo.random.80.ping 10Mbit.fifo.random.96.ping \
		10Mbit.fifo.tcp.96.ping 10Mbit.fifo.tcp.110.ping 10Mbit.fifo.none.0.vnc 10Mbit.fifo.tcp.110.vnc
	cell 10Mbit.fifo.none.0.ping 1 0 0.1 0.1 0.1
	cell 10Mbit.fifo.udp.96.ping 1 9.6 0.2 0.3 0.4
	cell 10Mbit.fifo.random.80.ping 1 8 1.0 1.1 1.2
	cell 10Mbit.fifo.random.96.ping 1 9.6 5 6 7
	cell 10Mbit.fifo.tcp.96.ping 1 9.6 1 2 3
	cell 10Mbit.fifo.tcp.110.ping 1 10 40 45 50
	cell 10Mbit.fifo.none.0.vnc 1 0 9 10 11
	cell 10Mbit.fifo.tcp.110.vnc 1 10 50 60 70
	drawn warm report run
	cat run/findings.json
	for f in report.html report.md figures/round-trip.svg figures/variance.svg figures/keys.svg; do [ -s "run/$f" ]; done
	[ "$(ids run)" = "idle nearly-full overfull random-load keys" ]
	[ "$(finding run idle)/$(finding run nearly-full)/$(finding run overfull)" = 0.1/6/45 ]
	[ "$(finding run random-load)/$(finding run keys)" = 1/60 ]
	[ "$(finding run random-load verdict)/$(finding run random-load low)" = unsure/null ]	# one repeat shows no difference
	grep -qF 'queue fq_codel: this kernel | has none' run/report.md
	# a load below the one asked for; no wait at 80 %; a ping that waits longer than the queue can hold it
	cell 10Mbit.fifo.udp.96.ping 1 9.3 0.2 0.3 0.4
	cell 10Mbit.fifo.random.80.ping 1 8 0.1 0.1 0.1
	cell 10Mbit.fifo.tcp.110.ping 1 10 90 95 100
	report_findings run
	cat run/findings.json
	[[ $(finding run nearly-full text) == *"(93.0 % were sent)"* ]]
	text=$(finding run random-load text)
	[[ -n $text && $text != *"M/D/1"* ]]
	[ "$(finding run beyond-queue)/$(finding run beyond-queue verdict)" = 95/bad ]
}

@test "rtt: findings: a difference needs an interval without 0; lost pings and unanswered keys are reported" {
	local r
	make_run 3 10Mbit.fifo.none.0.ping 10Mbit.fifo.random.80.ping 10Mbit.fifo.random.50.ping 10Mbit.fifo.tcp.110.ping \
		10Mbit.fifo.none.0.vnc 10Mbit.fifo.tcp.110.vnc
	for r in 1 2 3; do
		cell 10Mbit.fifo.none.0.ping "$r" 0 0.1 0.1 0.1$r
		cell 10Mbit.fifo.random.80.ping "$r" 8 1.$r 1.$r 1.$r
		cell 10Mbit.fifo.random.50.ping "$r" 5 0.1 0.1 0.1$r
		cell 10Mbit.fifo.tcp.110.ping "$r" 10 - - -
		cell 10Mbit.fifo.none.0.vnc "$r" 0 9 10 11
		cell 10Mbit.fifo.tcp.110.vnc "$r" 10 50 60
		printf 'keys/1\t3\t150000000\t150000000\t\t\t1150000000\t0\n' >>"run/cells/10Mbit.fifo.tcp.110.vnc/$r/samples.tsv"
	done
	report_findings run
	cat run/findings.json
	# means 0.1033 0.1067 0.11 and 1.1 1.2 1.3, t(2) = 4.3027: 0.1067 +- 0.0083 and 1.2 +- 0.2484
	[ "$(finding run random-load low)/$(finding run random-load high)" = 0.837/1.35 ]
	[[ $(finding run random-load text) == *"no delay is shown at 50 %"* ]]
	[ "$(finding run all-lost verdict)" = bad ]
	[[ $(verdict run) == *"every ping is lost"* ]]
	[[ $(finding run keys text) == *"more than"* ]]
}

@test "rtt: the verdict says what arrived of a load; two repeats that differ; pings that take less beside a load" {
	local r
	make_run 3 10Mbit.fifo.none.0.ping 10Mbit.fifo.random.80.ping 10Mbit.fifo.tcp.110.ping
	for r in 1 2 3; do
		cell 10Mbit.fifo.none.0.ping "$r" 0 5 5 5.$r
		cell 10Mbit.fifo.random.80.ping "$r" 8 1 1 1.$r
		cell 10Mbit.fifo.tcp.110.ping "$r" 4 20 20 2$r
	done
	report_findings run
	[[ $(verdict run) == *"20.7 ms"*"110 % (40 % arrived)"* ]]
	text=$(finding run random-load text)
	[[ -n $text && $text != *-* ]]
	make_run 2 10Mbit.fifo.none.0.ping 10Mbit.fifo.tcp.110.ping
	cell 10Mbit.fifo.tcp.110.ping 2 10 40
	report_findings run
	[[ $(verdict run) == *"two repeats: 20.3 and 40.0 ms"* ]]
}

@test "rtt: the verdict includes a link that has no figure without load; no explanation if most pings were lost" {
	local r
	make_run 3 10Mbit.fifo.none.0.ping 10Mbit.fifo.tcp.110.ping 2Mbit.fifo.none.0.ping 2Mbit.fifo.tcp.110.ping
	edit_json run/run.json '.settings.links = ["10Mbit", "2Mbit"]'
	for r in 1 2 3; do
		cell 10Mbit.fifo.none.0.ping "$r" 0 0.1 0.1 0.1$r
		cell 10Mbit.fifo.tcp.110.ping "$r" 10 0.2 - - - -
		cell 2Mbit.fifo.tcp.110.ping "$r" 2 300 310 320
	done
	report_findings run
	[[ $(verdict run) == *"310 ms"*"2 Mbit/s"* ]]
	text=$(finding run overfull text)
	[[ -n $text && $text != *"slows down"* ]]
}

@test "rtt: a run of keys alone, and one without load, have a verdict" {
	make_run 1 10Mbit.fifo.none.0.vnc 10Mbit.fifo.tcp.110.vnc
	cell 10Mbit.fifo.none.0.vnc 1 0 9 10 11
	cell 10Mbit.fifo.tcp.110.vnc 1 10 50 60 70
	report_findings run
	[[ $(verdict run) == *"60.0 ms"*"10.0 ms"* ]]
	# a load under which responses come later and later is the worst
	make_run 1 10Mbit.fifo.none.0.vnc 10Mbit.fifo.udp.50.vnc 10Mbit.fifo.tcp.110.vnc
	cell 10Mbit.fifo.udp.50.vnc 1 5 11 12 13
	echo '{"result": {"overloaded": true}}' >run/cells/10Mbit.fifo.tcp.110.vnc/1/keyrepeat.json
	report_findings run
	[[ $(finding run keys text) == *"overloaded"*"load of 110 %"* ]]
	rm -r run/cells
	make_run 1 10Mbit.fifo.none.0.ping
	cell 10Mbit.fifo.none.0.ping 1 0 4 4 4
	report_findings run
	[[ $(verdict run) == *"4.00 ms"* ]]
}

@test "rtt: report of two runs: curves, findings and the model of each, by its own round trip without load" {
	local name idle
	for name in a b; do
		make_run 1 10Mbit.fifo.none.0.ping 10Mbit.fifo.random.50.ping 10Mbit.fifo.tcp.96.ping \
			10Mbit.fifo.none.0.vnc 10Mbit.fifo.tcp.96.vnc
		idle=$([ $name = a ] && echo 0.1 || echo 2)
		cell 10Mbit.fifo.none.0.ping 1 0 "$idle" "$idle"
		cell 10Mbit.fifo.random.50.ping 1 5 1 2
		cell 10Mbit.fifo.tcp.96.ping 1 9.6 5 7
		cell 10Mbit.fifo.none.0.vnc 1 0 9 11
		cell 10Mbit.fifo.tcp.96.vnc 1 9.6 50 60
		mv run $name
	done
	edit_json b/run.json '.settings.queue = "20ms"'
	drawn warm report a b -o both --label a,b
	[ "$(finding both idle-a)/$(finding both idle-b)/$(finding both nearly-full-b)" = 0.1/2/6 ]
	[[ $(verdict both) == "a: Under load, "*"b: Under load, "* ]]
	for name in a b; do
		grep -qF ">TCP, $name<" both/figures/round-trip.svg
		grep -q "^|.*| fifo/$name |" both/report.md
	done
	grep -q '^> \*\*Not alike\*\*: queue 50ms (a) and 20ms (b)' both/report.md
	grep -q '^# Pings and keys over a loaded link: 10 Mbit/s$' both/report.md
}
