#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The experiment on loaded links without its hosts: options, tables and report of a made-up run whose figures follow from arithmetic.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
}

# cell NAME REPEAT MBIT MS...: pings (or keys) that took so long; "-" is lost. MBIT is what the load was, sent and received.
cell() {
	local name=$1 repeat=$2 mbit=$3 p ms n=0 folder=run/cells/$1/$2
	shift 3
	IFS=. read -ra p <<<"$name"
	mkdir -p "$folder"
	jq -n --arg link "${p[0]}" --argjson repeat "$repeat" '{schema: "thinprobe.cell/1", parameters: {link: $link}, repeat: $repeat, link_bit_s: 10000000, queue_bytes: 62500, bucket_bytes: 4542,
		state: "complete", reason: "", foreign_percent: 1, steal_percent: 0, server_busy_percent: 5, client_busy_percent: 6, marked: ""}' >"$folder/cell.json"
	[ "${p[2]}" = none ] || jq -n --argjson m "$mbit" --arg t "${p[2]}" '{result: {sent_mbit_s: $m, received_mbit_s: $m, received_payload_mbit_s: ($m * 0.95), lost_percent: (if $t == "tcp" then null else 0 end), behind_ms: 1.5}}' >"$folder/netload.json"
	if [ "${p[4]}" = ping ]; then printf 'schema\tnumber\trtt_ns\n'; else printf 'schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\n'; fi >"$folder/samples.tsv"
	for ms; do
		n=$((n + 1))
		if [ "${p[4]}" = ping ]; then
			printf 'ping/1\t%d\t%s\n' "$n" "$([ "$ms" = - ] || awk -v m="$ms" 'BEGIN { printf "%.0f", m * 1e6 }')"
		else
			awk -v n="$n" -v m="$ms" 'BEGIN { due = n * 50000000; printf "keys/1\t%d\t%d\t%d\t%d\t\t\t0\n", n, due, due, due + m * 1e6 }'
		fi >>"$folder/samples.tsv"
	done
}

make_run() {	# REPEATS CELL...
	local repeats=$1
	shift
	rm -rf run
	mkdir -p run
	printf '%s\n' "$@" | jq -Rn --argjson repeats "$repeats" '[inputs | . as $cell | split(".") | {cell: $cell, link: .[0], queue: .[1], transport: .[2], load: (.[3] | tonumber), probe: .[4]}] as $cells |
		{schema: "thinprobe.run/1", experiment: "rtt", version: "0", started: "2026-11-20T10:00:00Z", ended: "2026-11-20T11:00:00Z", state: "complete", command: "thinprobe run rtt",
		settings: {protocol: "vnc", protocols: ["vnc"], links: ["10Mbit"], queue: "50ms", queues: ["fifo"], transports: ["udp", "random", "tcp"], probes: ["ping", "keys"], direction: "display", link_by: "tbf", streams: 1,
			seconds: 5, interval_ms: 50, rate_per_s: 20, repeats: $repeats, seed: 1, threshold_ms: 100, cells: $cells, on: "lab"},
		protocols: {vnc: {says: "VNC"}}, lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, missing: ["queue fq_codel: this kernel | has none"]}, host: {kernel: "Linux 6.1"}, cells: {total: 8, complete: 8}}' >run/run.json
}

column() {	# column CELL NAME
	awk -F'\t' -v c="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["cell"] == c { print $at[name]; exit }' run/summary.tsv
}

@test "rtt: bad options name the thing, cost nothing and exit 2" {
	for words in '--links none' '--queue 5' '--queues tail' '--loads 50,50' '--loads 201' '--probes keys,mouse' '--interval 1s' '--server-memory 512M'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$TOP/thinprobe" run rtt $words -o "$BATS_TEST_TMPDIR/x"
		echo "$words: $status $stderr"
		[ "$status" = 2 ]
		[ "${#stderr_lines[@]}" = 1 ]
		[ ! -e "$BATS_TEST_TMPDIR/x" ]
	done
}

@test "rtt: mean, standard deviation, variance and loss of pings; what the load was; what a queue would do" {
	make_run 2 10Mbit.fifo.none.0.ping 10Mbit.fifo.random.50.ping 10Mbit.fifo.tcp.96.ping
	# mean 3 and variance 7 with one of four lost; mean 5, variance 4
	cell 10Mbit.fifo.none.0.ping 1 0 1 2 - 6
	cell 10Mbit.fifo.none.0.ping 2 0 3 5 7
	cell 10Mbit.fifo.random.50.ping 1 5 1 1 1
	mkdir -p run/cells/10Mbit.fifo.tcp.96.ping/1
	jq '.state = "failed"' run/cells/10Mbit.fifo.none.0.ping/1/cell.json >run/cells/10Mbit.fifo.tcp.96.ping/1/cell.json
	run "$TOP/bin/summarize" run
	echo "$output"
	[ "$status" = 3 ]
	[ "$(column 10Mbit.fifo.none.0.ping mean_ms)" = 4.0000 ]
	[ "$(column 10Mbit.fifo.none.0.ping variance_ms2)" = 5.50000 ]
	# (sqrt(7) + 2) / 2; Student's t with one degree of freedom is 12.7062: 4 +- 12.7062 * 1
	[ "$(column 10Mbit.fifo.none.0.ping sd_ms)" = 2.3229 ]
	[ "$(column 10Mbit.fifo.none.0.ping mean_ms_high)" = 16.7062 ]
	[ "$(column 10Mbit.fifo.none.0.ping mean_ms_low)" = 0.0000 ]
	[ "$(column 10Mbit.fifo.none.0.ping n)" = 7 ]
	[ "$(column 10Mbit.fifo.none.0.ping lost)" = 1 ]
	[ "$(column 10Mbit.fifo.none.0.ping lost_percent)" = 14.286 ]
	[ "$(column 10Mbit.fifo.none.0.ping max_ms)" = 7.0000 ]
	[ "$(column 10Mbit.fifo.none.0.ping p50_ms)" = 4.0000 ]
	[ -z "$(column 10Mbit.fifo.none.0.ping p99_ms)" ]
	[ "$(column 10Mbit.fifo.none.0.ping load_percent)" = 0.0000 ]
	[ "$(column 10Mbit.fifo.random.50.ping load_percent)" = 50.0000 ]
	[ "$(column 10Mbit.fifo.random.50.ping load_behind_ms_max)" = 1.500 ]
	[ "$(column 10Mbit.fifo.random.50.ping queue_ms)" = 50.000 ]
	[ "$(column 10Mbit.fifo.random.50.ping failed)" = 1 ]
	[ "$(column 10Mbit.fifo.tcp.96.ping state)" = failed ]
	# without a bucket: half a frame of 1.2112 ms
	jq '.bucket_bytes = 0' run/cells/10Mbit.fifo.random.50.ping/1/cell.json >c && mv c run/cells/10Mbit.fifo.random.50.ping/1/cell.json
	"$TOP/bin/summarize" run >/dev/null || true
	[ "$(column 10Mbit.fifo.random.50.ping md1_wait_ms)" = 0.6056 ]
	# 1.2112 ^ 2 * (1/4 + 1/3)
	[ "$(column 10Mbit.fifo.random.50.ping md1_variance_ms2)" = 0.85575 ]
	[ "$(awk -F'\t' '$3 == "50.0" { print $2, $4 }' run/curve.tsv)" = "10Mbit 0.01595" ]	# of the link's first cell, which has one; Erlang's formula elsewhere (Python)
}

@test "rtt: a key without an echo is later than its wait; a cell that leads elsewhere, or tells no rate, is refused" {
	make_run 1 10Mbit.fifo.none.0.vnc
	cell 10Mbit.fifo.none.0.vnc 1 0 10 20
	printf 'keys/1\t3\t150000000\t150000000\t\t\t1150000000\t0\n' >>run/cells/10Mbit.fifo.none.0.vnc/1/samples.tsv
	"$TOP/bin/summarize" run >/dev/null
	[ "$(column 10Mbit.fifo.none.0.vnc later)" = 1 ]
	[ "$(column 10Mbit.fifo.none.0.vnc max_ms)" = 1000.0000 ]
	[ "$(column 10Mbit.fifo.none.0.vnc lost)" = 0 ]
	jq 'del(.link_bit_s)' run/cells/10Mbit.fifo.none.0.vnc/1/cell.json >c && mv c run/cells/10Mbit.fifo.none.0.vnc/1/cell.json
	run --separate-stderr "$TOP/bin/summarize" run
	[ "$status" = 1 ]
	[[ $stderr == *"does not tell the rate of the link"* ]]
	jq '.settings.cells[0].cell = "../x"' run/run.json >p && mv p run/run.json
	run "$TOP/bin/summarize" run
	[ "$status" = 1 ]
}

@test "rtt: the report: findings, tables, figures, and what this machine has not" {
	make_run 1 10Mbit.fifo.none.0.ping 10Mbit.fifo.udp.96.ping 10Mbit.fifo.random.80.ping 10Mbit.fifo.random.96.ping 10Mbit.fifo.tcp.96.ping 10Mbit.fifo.tcp.110.ping 10Mbit.fifo.none.0.vnc 10Mbit.fifo.tcp.110.vnc
	cell 10Mbit.fifo.none.0.ping 1 0 0.1 0.1 0.1
	cell 10Mbit.fifo.udp.96.ping 1 9.6 0.2 0.3 0.4
	cell 10Mbit.fifo.random.80.ping 1 8 1.0 1.1 1.2
	cell 10Mbit.fifo.random.96.ping 1 9.6 5 6 7
	cell 10Mbit.fifo.tcp.96.ping 1 9.6 1 2 3
	cell 10Mbit.fifo.tcp.110.ping 1 10 40 45 50
	cell 10Mbit.fifo.none.0.vnc 1 0 9 10 11
	cell 10Mbit.fifo.tcp.110.vnc 1 10 50 60 70
	run --separate-stderr "$TOP/thinprobe" report run
	echo "$stderr"
	[ "$status" = 0 ]
	for f in report.html report.md figures/round-trip.svg figures/variance.svg figures/keys.svg; do [ -s "run/$f" ]; done
	[ "$(grep -c '<svg role' run/report.html)" = 3 ]
	grep -qF '1. Without load a ping of 64 bytes takes 0.10 ms (standard deviation 0.000) at 10 Mbit/s.' run/report.md
	grep -qF '0.30 ms (variance 0.010 ms²) beside datagrams at even distances; 6.00 ms (variance 1.0 ms²) beside datagrams at random distances; 2.00 ms (variance 1.0 ms²) beside TCP' run/report.md
	grep -qF 'gets 9.50 Mbit/s of payload through. Of a queue that may hold 50.0 ms, a ping then finds 45.0 ms on average and 50.0 at most' run/report.md
	grep -qF 'by 1.00 ms at 80 % (0.69)' run/report.md
	grep -qF 'The echo of a key over vnc at 10 Mbit/s takes 10.0 ms without load; 60.0 ms (at most 70.0) beside 110 % by TCP.' run/report.md
	grep -qF 'queue fq_codel: this kernel | has none' run/report.md
	[ "$(grep -cF 'which should not be' run/report.md)" = 0 ]
	# nothing is said of what was not measured, nor of a queue that was full
	[ "$(grep -cE 'Datagrams at even distances|its TCP holds back before' run/report.md)" = 0 ]
	# a load that was another, a cell that others disturbed, a wait that is none
	cell 10Mbit.fifo.udp.96.ping 1 9.3 0.2 0.3 0.4
	jq '.marked = "others"' run/cells/10Mbit.fifo.random.96.ping/1/cell.json >c && mv c run/cells/10Mbit.fifo.random.96.ping/1/cell.json
	cell 10Mbit.fifo.random.80.ping 1 8 0.1 0.1 0.1
	cell 10Mbit.fifo.tcp.110.ping 1 10 5 6 7
	"$TOP/thinprobe" report run >/dev/null
	grep -qF 'beside datagrams at even distances (93.0 % were sent); 6.00 ms (variance 1.0 ms²) beside datagrams at random distances (disturbed);' run/report.md
	grep -qF 'a ping takes no longer than without load, as far as these figures show, at 80 %.' run/report.md
	grep -qF '7.00 at most: the queue is the sender' run/report.md
	# more than the queue can hold
	cell 10Mbit.fifo.tcp.110.ping 1 10 90 95 100
	"$TOP/thinprobe" report run >/dev/null
	grep -qF 'More than the queue can hold, which should not be: 10 Mbit/s, 110 % by TCP (95.0 of 50.0 ms).' run/report.md
}
