#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap --every: figures of intervals from hand-made captures and live, files that rotate, metrics, an interface that goes away.

load captures

setup_file() { begin_captures intervals; }

# rows NAME WORD...: the rows of a capture, each value under its column's name
rows() {
	"$BIN/prototap" read "$MADE/$1.pcap" --port 5900 --every "${2-1s}" --intervals - -o report --format json "${@:3}" >rows.tsv
}

@test "prototap --every: figures of hand-made sessions, and which side the longer waits are attributed to" {
	python3 "$GOLDEN/hold.py" "$BIN/prototap" "$MADE" "$GOLDEN/intervals.expected"
	run -3 "$BIN/prototap" read "$MADE/ahead.pcap" --port 5900
	[[ $output == *"! "*"out of line"*"833 h"* ]]
}

@test "prototap: the error names a capture of one direction or a short snap length as the cause, not host or port" {
	echo schema key due_ns sent_ns answer_ns answer_high_ns censored_ns skipped block realtime_offset_ns | tr ' ' '\t' >keys.tsv
	printf 'keys/1\t1\t9000000000\t10010000000\t\t\t\t0\t1\t1700000000000000000\n' >>keys.tsv
	for scene in "only_display:only one direction" "short:snap length"; do
		run -1 "$BIN/prototap" read "$MADE/${scene%:*}.pcap" --port 5900 --keys keys.tsv
		echo "$scene: $output"
		[[ "$output" == *"${scene#*:}"* ]]
		[[ "$output" != *host* && "$output" != *port\ * ]]
	done
	run -1 "$BIN/prototap" read "$MADE/short.pcap" --port 5900
	[[ "$output" == *"snap length"* && "$output" != *5900* ]]
}

@test "prototap --every: connections beyond the limit are counted in a row and in the metrics, with a warning" {
	rows crowd 1s --metrics watch.prom 2>err
	python3 "$GOLDEN/hold.py" "$BIN/prototap" "$MADE" <(echo "crowd | crowd.pcap --port 5900 --every 1s | 0 |"\
		"connections=1,76 connections#76=1 connections#1=1024 why=,connections")
	grep -qx 'thinprobe_other_connections 76' watch.prom
	grep -qx 'thinprobe_other_packets_total 228' watch.prom
	[ "$(wc -l <err)" = 1 ]
}

@test "prototap --metrics: the file is valid OpenMetrics, and replaced atomically" {
	rows calm 1s --metrics watch.prom
	[ "$(tail -n 1 watch.prom)" = "# EOF" ]
	[ ! -e watch.prom.tmp ]
	grep -qx 'thinprobe_inputs_total 76' watch.prom
	grep -q '^thinprobe_response_seconds{client="10.0.0.1:40000",server="10.0.0.2:5900",quantile="0.5"} 0.04' watch.prom
	grep -qx 'thinprobe_verdicts_total{verdict="usual"} 16' watch.prom
	# each family in one piece, under its own type
	awk '/^# TYPE/ { if (seen[$3]++) exit 1; family = $3; next } /^#/ { next } index($1, family) != 1 { exit 1 }' watch.prom
}

@test "prototap --metrics: an unwritable file is an error at the start; later it is reported once, and the capture goes on" {
	mkdir folder
	for file in none/watch.prom folder; do
		run -1 --separate-stderr "$BIN/prototap" read "$MADE/calm.pcap" --port 5900 --every 1s --intervals - -o report --metrics "$file"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *" $file: "* ]]
		[ "${#lines[@]}" -le 1 ]	# no row but the header
	done
	[ -z "$(ls -A folder)" ]
	need_namespace
	cat >full.sh <<-'END'
		trap 'kill $(jobs -p) 2>/dev/null || :' EXIT
		until_true() { for i in $(seq 200); do ! eval "$1" || return 0; sleep 0.05; done; return 1; }
		ip link set lo up
		"$BIN/prototap" live -i lo --port 3389 --every 100ms --intervals table --metrics folder/watch.prom -o report 2>err &
		until_true 'grep -q ready err'
		[ -s folder/watch.prom ] || exit 1
		mv folder gone
		until_true 'grep -q folder/watch.prom err' || exit 2
		sleep 0.5
		mv gone folder
		rm folder/watch.prom
		until_true '[ -s folder/watch.prom ]' || exit 3
		kill $!
		wait $!
	END
	run -3 in_namespace bash full.sh	# (nor was there a packet)
	cat err
	[ "$(grep -c folder/watch.prom err)" = 1 ]
}

@test "prototap --intervals: the table is rotated by size, keeps N old files, and does not overwrite an earlier one" {
	echo before >table
	"$BIN/prototap" read "$MADE/calm.pcap" --port 5900 --every 100ms --intervals table --rotate 4K --keep 2 -o report
	[ "$(ls table* | xargs)" = "table table.1 table.2" ]
	for file in table table.1 table.2; do
		[ "$(head -n 1 "$file" | cut -f1,2)" = $'schema\tstart_ns' ]
		[ "$(stat -c %s "$file")" -lt 8192 ]
	done
	[ "$(tail -n 1 table.1 | cut -f2)" -lt "$(sed -n 2p table | cut -f2)" ]
}

@test "prototap read --intervals: no earlier table is deleted, unless --keep says so" {
	local file=0

	echo before >table
	"$BIN/prototap" read "$MADE/calm.pcap" --port 5900 --every 100ms --intervals table --rotate 4K -o report
	[ "$(ls table* | wc -l)" -gt 4 ]
	while [ -e "table.$((file + 1))" ]; do file=$((file + 1)); done
	[ "$(cat "table.$file")" = before ]
	"$BIN/prototap" read "$MADE/calm.pcap" --port 5900 --every 100ms --intervals - -o report >whole
	[ "$(cat table $(seq -f table.%g $((file - 1))) | grep -vc '^schema')" = "$(grep -vc '^schema' whole)" ]
}

@test "prototap --intervals: the table is rotated at midnight UTC, with any size and time zone" {
	for zone in UTC0 XST-7; do
		rm -f table*
		TZ=$zone "$BIN/prototap" read "$MADE/midnight.pcap" --port 5900 --every 1s --intervals table -o report
		cat table*
		[ "$(ls table* | xargs)" = "table table.1" ]
		midnight=1700006400
		[ "$(tail -n 1 table.1 | cut -f2)" = $((midnight - 1))000000000 ]
		[ "$(sed -n 2p table | cut -f2)" = ${midnight}000000000 ]
		[ "$(wc -l <table)" = 4 ]
	done
}

@test "prototap: wrong options about intervals end with status 2" {
	for words in "--intervals x" "--metrics x" "--every 1s --metrics -" "--every 1s --rotate 1M" "--every 0" \
		"--every 1s --intervals x --metrics x"; do
		# shellcheck disable=SC2086 # words
		run -2 "$BIN/prototap" read "$MADE/calm.pcap" $words
		[ "${#lines[@]}" = 1 ]
	done
}

@test "prototap live --every: goes on after its interface was gone and back, with dropped privileges; a signal ends it" {
	need_namespace
	cat >gone.sh <<-'END'
		set -e
		trap 'kill $(jobs -p) 2>/dev/null || :' EXIT
		make_pair() {
			ip link add tap0 type veth peer name tap1
			ip addr add 10.9.9.1/24 dev tap0
			ip link set tap0 up && ip link set tap1 up
		}
		until_true() { for i in $(seq 200); do ! eval "$1" || return 0; sleep 0.05; done; return 1; }
		speak() { for i in 1 2 3; do echo key | timeout 20 bash -c 'cat >/dev/udp/10.9.9.7/3389'; sleep 0.3; done; }
		make_pair
		ip neigh replace 10.9.9.7 lladdr 02:00:00:00:00:07 dev tap0
		"$BIN/prototap" live -i tap0 --port 3389 --every 200ms --intervals table --keep 9 -o report --format json 2>err &
		parent=$!
		until_true 'grep -q ready err'
		child=$(pgrep -P "$parent")
		grep -q '^CapEff:.0*$' "/proc/$child/status"
		speak
		until_true '[ "$(wc -l <table)" -gt 1 ]'
		bytes() { awk '{ sum += $6 } END { print sum }' table; }
		before=$(bytes)
		ip link set tap0 down	# no packets, but the capture stays
		sleep 0.5
		ip link set tap0 up
		ip neigh replace 10.9.9.7 lladdr 02:00:00:00:00:07 dev tap0
		until_true 'speak; [ "$(bytes)" -gt "$before" ]'
		[ "$(pgrep -P "$parent")" = "$child" ]
		ip link del tap0
		until_true 'grep -q "is gone" err'
		make_pair
		ip neigh replace 10.9.9.7 lladdr 02:00:00:00:00:07 dev tap0
		until_true 'grep -q "is back" err'
		rows=$(wc -l <table)
		until_true 'speak; [ "$(wc -l <table)" -gt "$rows" ]'
		[ ! -e table.1 ]
		[ "$(grep -c start_ns table)" = 1 ]
		kill "$parent"
		wait "$parent"
	END
	run -0 in_namespace bash gone.sh
	jq -e '.result.capture.selected_packets > 0' report
}

@test "prototap read --every: rows or metrics that could not be written are a loss: status 3, and why in the report" {
	run -3 --separate-stderr "$BIN/prototap" read "$MADE/calm.pcap" --port 5900 --every 1s --intervals /dev/full \
		--json -o report
	jq -e '[.. | objects | .why_lost // empty] | any(test("of --intervals or --metrics failed"))' report
	[[ $stderr == *"cannot write /dev/full"* ]]
	[ "$(grep -c 'going on' <<<"$stderr")" = 1 ]	# once, though each interval fails
}

@test "prototap read --intervals: a table that cannot be renamed grows on, and one behind a descriptor is not renamed" {
	echo before >table
	mkdir table.1
	run -0 --separate-stderr "$BIN/prototap" read "$MADE/calm.pcap" --port 5900 --every 1s --intervals table --keep 1 -o report
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"cannot rename table"* ]]
	[ "$(head -n 1 table)" = before ]
	grep -q ^watch/1 table
	echo before >out
	"$BIN/prototap" read "$MADE/calm.pcap" --port 5900 --every 1s --intervals /dev/stdout -o report >>out
	[ "$(head -n 1 out)" = before ]
	[ ! -e /dev/stdout.1 ]
}
