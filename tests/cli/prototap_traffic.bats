#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap --traffic: bins of captures made by hand, sums against the report's, the clock of a live capture.

load captures

bats_require_minimum_version 1.5.0

setup_file()
{
	begin_captures
	python3 "$GOLDEN/make_keys.py" "$MADE"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return 1
}

# row LINE: cells of a row of traffic.tsv without the schema, in milliseconds after 1,700,000,000 s
row()
{
	sed -n "$1p" traffic.tsv | awk -F'\t' '{ print substr($2, 1, length($2) - 6) - 1700000000000, $3, $4, $5, $6, $7, $8 }'
}

@test "bins: each packet in its own, empty ones are rows" {
	# session(): 0 1 2 10 20 30 40 50 51 ms; input 54 bytes each, the key 64; display 54, the echo 154
	"$BIN/prototap" read "$MADE/plain_ns.pcap" --traffic traffic.tsv --traffic-bin 4ms --format json -o report.json
	[ "$(head -n 1 traffic.tsv | tr '\t' ' ')" = "schema bin_start_ns input_packets input_wire_bytes input_payload_bytes \
display_packets display_wire_bytes display_payload_bytes" ]
	[ "$(row 2)" = "0 2 108 0 1 54 0" ]
	[ "$(row 3)" = "4 0 0 0 0 0 0" ]
	[ "$(row 4)" = "8 1 64 10 0 0 0" ]
	[ "$(row 7)" = "20 0 0 0 1 154 100" ]
	[ "$(row 14)" = "48 1 54 0 1 54 0" ]
	[ "$(wc -l <traffic.tsv)" = 14 ]
	[ "$(jq -c '[.settings.traffic_bin_ms, .settings.traffic_clock, .result.traffic.rows,
		.result.traffic.late_packets]' report.json)" = '[4,"packets",13,0]' ]
}

@test "the sums of the rows are the report's, whatever was lost, repeated or given up" {
	for file in updates retransmitted out_of_order missing never_closed wrap many reused plain_big_endian; do
		"$BIN/prototap" read "$MADE/$file.pcap" --port 5900 --traffic traffic.tsv --traffic-bin 7ms --format json >report.json ||
			[ $? = 3 ]
		jq -r '.result.channels | [.input, .display] | map(.packets, .wire_bytes, .payload_bytes) | @tsv' report.json >told
		awk -F'\t' -v OFS='\t' 'NR > 1 { for (i = 3; i <= 8; i++) sum[i] += $i }
			END { print sum[3], sum[4], sum[5], sum[6], sum[7], sum[8] }' traffic.tsv >added
		echo "$file"
		diff told added
	done
}

@test "with keys, bins lie on the clock of the keys" {
	"$BIN/prototap" read "$MADE/two.pcap" --keys "$MADE/two.tsv" --traffic traffic.tsv --format json -o report.json
	# the capture begins at 1,000 s; the first key crosses 100.1 ms later
	[ "$(awk -F'\t' 'NR > 1 && $5 { print $2; exit }' traffic.tsv)" = 1000100000000 ]
	[ "$(jq -r .settings.traffic_clock report.json)" = monotonic ]
}

@test "a clock that was set makes no rows without end, and a step back loses nothing" {
	python3 - "$GOLDEN" <<-'PY'
		import sys
		sys.path.insert(0, sys.argv[1])
		from packets import Capture
		c = Capture().start()
		c.send(3_600_000, 0, b"k")
		c.send(10, 0, b"k")
		c.pcap("set.pcap")
	PY
	run -3 --separate-stderr "$BIN/prototap" read set.pcap --traffic traffic.tsv --traffic-bin 1ms --format json -o report.json
	[ "$(wc -l <traffic.tsv)" = 5 ]
	[ "$(jq -c '.result.traffic | [.rows, .late_packets, .skipped_bins]' report.json)" = '[4,1,3599997]' ]
	[ "$(tail -n 1 traffic.tsv | cut -f 3)" = 2 ]
}

@test "live: rows from ready to the end, on CLOCK_MONOTONIC" {
	need_namespace
	cat >live.sh <<-'PY'
		ip link set lo up
		before=$(python3 -c 'import time; print(time.monotonic_ns() // 10**6)')
		"$BIN/prototap" live -i lo --port 5900 -t 1s --traffic traffic.tsv --traffic-bin 50ms --format json -o live.json 2>err
		after=$(python3 -c 'import time; print(time.monotonic_ns() // 10**6)')
		echo "$before $after" >between
	PY
	in_namespace timeout 30 bash live.sh 3>&-
	cat err
	read -r before after <between
	first=$(sed -n 2p traffic.tsv | cut -f 2)
	last=$(tail -n 1 traffic.tsv | cut -f 2)
	[ $((first / 1000000)) -ge $((before - 60)) ]
	[ $((last / 1000000)) -le "$after" ]
	# a second is 20 bins and the one it begins in; the end may be late
	[ "$(wc -l <traffic.tsv)" -ge 21 ]
	[ $(((last - first) % 50000000)) = 0 ]
	[ "$(jq -r .settings.traffic_clock live.json)" = monotonic ]
}

@test "files that would be the same are refused" {
	run "$BIN/prototap" read "$MADE/plain_ns.pcap" --traffic same --rows same
	[ "$status" = 2 ]
	run "$BIN/prototap" read "$MADE/plain_ns.pcap" --traffic none/here
	[ "$status" = 1 ]
	[[ "$output" == "prototap: cannot write none/here"* ]]
	run "$BIN/prototap" read "$MADE/plain_ns.pcap" --traffic-bin 5ms
	[ "$status" = 2 ]
}
