#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# iosched: the findings of a made-up run, and a short run. (Figures: ../cpuspeed/test.bats.)

bats_require_minimum_version 1.5.0
load ../families/replays

@test "iosched: schedulers are drawn by name; findings on faster responses do not need the order of requests" {
	REPEATS=3 made iosched none none::1:40 bfq::0.5:40
	reported drawn
	[ "$(finding hidden)" = "0.5 good" ]
	[ "$(column bfq faster)" = 3 ]
	grep -q '>at bfq<' "$RUN/figures/total.svg"
	[ -s "$RUN/figures/cdf.svg" ]
	[ -z "$(finding order)" ]
	[ ! -e "$RUN/figures/order.svg" ]
}

@test "iosched: a total time whose interval holds much else is no total time that does not change" {
	REPEATS=3 made iosched none none::1:40 bfq::1:40
	warm summarize "$RUN"
	warm report --verdict "$RUN" | grep -q '^No setting'
	# a replay of the base takes three times as long
	jq '.play.total_s = 120' "$RUN/cells/none/2/cell.json" >x
	mv x "$RUN/cells/none/2/cell.json"
	warm summarize "$RUN"
	warm report --verdict "$RUN" | tr '\n' ' ' | grep -q 'cannot tell.*with at bfq.* 0.69 (95 % CI '
}

@test "iosched: a sweep is refused without a trace, which all its replays need" {
	EXP_SWEEP=plan run "$TOP/experiments/engine/run.sh" iosched --options-only
	[ "$status" = 2 ]
	[[ $output == *"trace FILE"* ]]
}

# made_orders NONE-TAU BFQ-TAU
made_orders() {
	made iosched none "none::1:40:{\"tau\":$1,\"passed_percent\":3,\"in_device_p90\":4,\"waiting_mean\":28}" \
		"bfq::0.5:40:{\"tau\":$2,\"passed_percent\":88,\"in_device_p90\":4,\"waiting_mean\":27}"
}

@test "iosched: findings: orders differ or not, by tau; unsure with two repeats, or if the device held more than its depth" {
	made_orders 0.95 0.1
	reported
	[ "$(finding order)" = "88 unsure" ]	# two repeats have no interval
	[ "$(finding hidden)" = "0.5 unsure" ]
	local REPEATS=3
	made_orders 0.95 0.1
	reported drawn
	[ "$(finding order)" = "88 good" ]
	[ "$(column bfq tau)" = 0.1000 ]
	[ -s "$RUN/figures/order.svg" ]
	grep -q 'tau 0.95' "$RUN/report.md"
	made_orders 0.95 0.95
	reported
	[ "$(finding order)" = "88 none" ]
	made_orders 0.95 0.1
	jq '.settings.takes = 3' "$RUN/run.json" >x
	mv x "$RUN/run.json"
	reported
	[ "$(finding order)" = "88 unsure" ]
}

# Makes perf's events, whose names are aligned at their ends, a second apart, of lines "KIND SECTOR[+SECTORS]". KIND: load and other
# (a read by fio, or by another program, enters the queue), issue (to the device), done.
events() {
	awk 'BEGIN { name["load"] = name["other"] = "bio_queue"; name["issue"] = "rq_issue"; name["done"] = "rq_complete" }
		{ split($2 "+8", at, "+")
		printf "some one %d.000000000: %23s: 7,0 R%s %d + %d [%s]\n", NR, "block:block_" name[$1],
			$1 == "issue" ? " 4096 ()" : "", at[1], at[2], $1 == "load" ? "fio" : "some one" }'
}
order() { events | awk -v job=fio -f "$EXP/order.awk" >order.json; }
is() { jq -ce "[$1] == [$2]" order.json || { jq -c . order.json; return 1; }; }

@test "iosched: order.awk: tau, overtaken requests, merged and split ones, events that the kernel lost" {
	EXP=$BATS_TEST_DIRNAME
	printf '%s\n' load\ {0,8,16,24} issue\ {0,8,16,24} | order
	is '.tau, .overtaken_percent, .waiting_mean, .in_device, .load_wait_ms' '1, 0, 2.5, [1,2,3,4], [4000,4000,4000,4000]'
	printf '%s\n' load\ {0,8,16,24} issue\ {24,16,8,0} | order
	is '.tau, .overtaken_percent' '-1, 75'	# all were overtaken, except the last to come
	# requests 1 2 3 of the load, 4 of the session; issued as 1 4 2 3: two of six pairs are reversed
	printf '%s\n' load\ {100,200,300} other\ 0 issue\ {100,0,200,300} | order
	is '.tau, .passed_percent, .overtaken_percent, .session_wait_ms' '0.3333, 66.6667, 50, [2000]'
	printf '%s\n' {load,issue,done}\ 0 {load,issue,done}\ 8 | order
	is '.requests, .tau, .passed_percent, .in_device' '2, null, null, [1,1]'
	# two that are merged, then one of 20 sectors in three pieces, with another between them
	printf '%s\n' other\ {0,8} load\ 100 issue\ {0+16,100} other\ 1000+20 issue\ 1000 load\ 500 issue\ {1008,500,1016+4} | order
	is '.requests, .waiting_mean, .tau' '4, 1.25, 1'
	# two wait for the same sectors
	printf '%s\n' load\ 80 other\ 80 load\ 160 issue\ {80,160,80} | order
	is '.tau, .session_wait_ms' '0.3333, [4000]'
	# requests without an arrival, without data, without an issue, and without an end: the last one counts as in the device
	# until others have overtaken it
	{
		printf '%s\n' issue\ 0 done\ 0 {other,issue}\ 0+0 load\ {8,16} done\ 8 issue\ 16
		for s in {800..880..8}; do printf '%s\n' {load,issue,done}\ "$s"; done
	} | order
	is '.requests, .tau, .in_device' '12, null, [1,1,2,2,2,2,2,1,1,1,1,1,1]'
}

@test "iosched: order.awk: a wait is from arrival to issue, whatever the name of the process that issues" {
	EXP=$BATS_TEST_DIRNAME
	for issuer in "kworker/0:1H" "a: 7.5: b"; do
		printf '%s 101.%s: %23s: 7,0 R%s 0 + 8 [fio]\n' fio 250000 block:block_bio_queue '' \
			"$issuer" 257500 block:block_rq_issue ' 4096 ()' |
			awk -v job=fio -f "$EXP/order.awk" >order.json
		is .load_wait_ms '[7.5]'
	done
}

@test "iosched: order.awk: no order, where an event's time cannot be read" {
	EXP=$BATS_TEST_DIRNAME
	printf '%s\n' {load,issue}\ 0 | order
	is .requests 1
	for untimed in 's/ [0-9.]*: */ 2s: /' 's/ [0-9.]*: */ /'; do
		printf '%s\n' {load,issue}\ 0 | events | sed "2$untimed" >lines
		run -1 awk -v job=fio -f "$EXP/order.awk" lines
		[ -z "$output" ]
	done
	printf '%s\n' {load,issue}\ 0 | events | tac >lines	# issued before it came
	run -1 awk -v job=fio -f "$EXP/order.awk" lines
	[ -z "$output" ]
}

@test "iosched: order.awk: no order, where the kernel lost events of many requests" {
	EXP=$BATS_TEST_DIRNAME
	lost() {	# lost EVERY: of 5000 requests, those of which the issue and the end are lost
		for ((i = 1; i <= 5000; i++)); do echo "load $((8 * i))"; ((i % $1 == 0)) || printf '%s\n' {issue,done}" $((8 * i))"; done | order
	}
	lost 9999
	is .requests 5000
	run -1 lost 1000
	run -1 lost 1	# all
	[ ! -s order.json ]
}

@test "iosched: order.awk: tau of sixty requests is Kendall's over all pairs" {
	EXP=$BATS_TEST_DIRNAME
	local at
	mapfile -t at < <(shuf -i 0-59 --random-source=<(yes))
	{
		for i in {0..59}; do echo "load $((8 * i))"; done
		for i in "${at[@]}"; do echo "issue $((8 * i))"; done
	} | order
	is .tau "$(printf '%s\n' "${at[@]}" | awk '{ for (i in v) sum += v[i] < $1 ? 1 : -1; v[NR] = $1 }
		END { printf "%.4f", sum / (60 * 59 / 2) }')"
}
