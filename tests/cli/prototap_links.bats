#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap on every link type, with UDP, tags and fragments, from files and live; and on files that are cut, packed or mixed.
# (What is worked out by hand stands in prototap.expected, and is held against it by prototap.bats.)

load captures

setup_file() { begin_captures captures; }

@test "prototap: the text for UDP has no count of retransmissions" {
	run -0 "$BIN/prototap" read "$MADE/udp.pcap" --port 5900
	[[ $output != *" 0 retransmitted"* ]]
	run -0 "$BIN/prototap" read "$MADE/plain_ns.pcap" --port 5900
	[[ $output == *" 0 retransmitted"* ]]
}

@test "prototap: compressed and mixed captures are refused with a command that makes them readable; the command works" {
	for kind in gz bz2 xz zst lz4; do
		for file in "$MADE/packed.pcap.$kind" -; do
			run "$BIN/prototap" read "$file" <"$MADE/packed.pcap.$kind"
			[ "$status" = 1 ]
			[ "${#lines[@]}" = 1 ]
			[[ "$output" == *"is compressed; unpack it: "*"| prototap read -" ]]
		done
	done
	PATH=$BIN:$PATH run bash -c "$("$BIN/prototap" read "$MADE/packed.pcap.gz" 2>&1 |
		sed "s|.*unpack it: ||; s|prototap read|prototap read --format json|")"
	[ "$(value channels.total.wire_bytes <<<"$output")" = 596 ]
	command -v tshark >/dev/null || skip "no tshark"
	bash -c "$("$BIN/prototap" read "$MADE/mixed.pcapng" 2>&1 | sed 's|.*take one out: ||')" 2>/dev/null
	run "$BIN/prototap" read one.pcapng --format json
	[ "$(value channels.total.packets <<<"$output")" = 1 ]
}

@test "prototap: for a truncated file it prints the report and one line that says so" {
	for file in cut_record.pcap cut.pcapng damaged.pcap; do
		"$BIN/prototap" read "$MADE/$file" --format json >out 2>err || [ $? = 3 ]
		cat err
		[ "$(wc -l <err)" = 1 ]
		grep -q "^prototap: $MADE/$file: .*; packets before it were counted" err
		python3 -c 'import json; assert json.load(open("out"))["result"]["capture"]["packets"] > 0'
	done
	"$BIN/prototap" read "$MADE/cut_record.pcap" "$MADE/damaged.pcap" --json >out 2>err || [ $? = 3 ]
	[ "$(grep -c damaged err)" = 1 ]	# (both hold the same packets: another line says so)
	grep -q "1 more damaged file" err
}

@test "prototap: if no packet is selected, it lists the ports in the file, most bytes first, and suggests one" {
	run -1 --separate-stderr "$BIN/prototap" read "$MADE/none_in_it.pcap" --format json
	[ "$(jq -r .result.capture.why_empty <<<"$output")" != null ]
	[ "${#stderr_lines[@]}" = 1 ]
	run -1 --separate-stderr "$BIN/prototap" read "$MADE/plain_ns.pcap" --port 22 --format json
	[ "${#stderr_lines[@]}" = 1 ]
	port=$("$BIN/prototap" read "$MADE/plain_ns.pcap" --format json | jq '.result.flows[0].server_port')
	[[ $stderr == *"--port $port" ]]
	[ "$(jq -r .result.capture.why_empty <<<"$output")" = "${stderr#prototap: }" ]
	python3 - <<-'PY'
		from packets import Capture, CLIENT, PSH, ACK
		all = Capture()
		for i, port in enumerate([22, 80, 443, 3389, 5901, 8080]):
		    c = Capture(server=("10.0.0.2", port)).start()
		    c.send(10, 1, b"x" * 100 * (i + 1), PSH | ACK)
		    all.packets += c.packets
		all.pcap("ports.pcap")
	PY
	run -1 --separate-stderr "$BIN/prototap" read ports.pcap --port 5900 --format json
	[ "$(grep -oE '\b[0-9]+ \(' <<<"$stderr" | tr -d '(\n')" = "8080 5901 3389 443 80 " ]
	[[ $stderr == *"--port 8080" ]]
	run -0 "$BIN/prototap" read ports.pcap --port 8080
}

@test "prototap: with status 3 one line on standard error, and the report, say what was lost" {
	for file in missing.pcap drops.pcapng fragments_tcp.pcap udp_short.pcap cut_record.pcap; do
		run -3 --separate-stderr "$BIN/prototap" read "$MADE/$file" --format json
		[ "${#stderr_lines[@]}" = 1 ]
		[ "$(jq -r .result.capture.why_lost <<<"$output")" = "${stderr#prototap: }" ]
	done
	[ "$("$BIN/prototap" read "$MADE/plain_ns.pcap" --format json | jq .result.capture.why_lost)" = null ]
}

@test "prototap live: the filter passes UDP, VLAN tags, fragments and IPv6 extension headers, but no other port's packets" {
	need_namespace
	cat >frames.py <<-'END'
		import socket
		from packets import *
		s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
		s.bind(("lo", 0))
		for i, wrap in enumerate((ethernet, tagged((0x8100, 5)), tagged((0x88A8, 7), (0x8100, 5)))):
		    for port in (5900, 5999, 22):
		        to = ("10.0.0.2", port)
		        s.send(wrap(ipv4(CLIENT, to, udp(CLIENT, to, b"u" * 100), 17)))
		        s.send(wrap(ipv4(CLIENT, to, tcp(CLIENT, to, 10 * i, 1, ACK | PSH, b"k" * 10))))
		ends = ("", 40000), ("", 5900)
		s.send(ethernet(ipv6(1, 2, bytes([17, 0]) + bytes(6) + udp(*ends, b"u" * 100), 60), 0x86DD))
		s.send(ethernet(ipv4(CLIENT, SERVER, udp(CLIENT, SERVER, b"u" * 8, length=24), 17, fragment=0x2000)))
		s.send(ethernet(ipv4(CLIENT, SERVER, b"u" * 8, 17, fragment=2)))
	END
	cat >frames.sh <<-'END'
		trap 'kill $(jobs -p) 2>/dev/null || :' EXIT
		ip link set lo up
		mkfifo ready ready2
		"$BIN/prototap" live -i lo --port 5900 --format json -o one.json -w one.pcap --ready-fd 5 5>ready 2>err &
		one=$!
		# so many ports that the filter with all tags is longer than the kernel takes
		ports=5900
		for i in {1..63}; do ports=$ports,$((10000 + 100 * i))-$((10050 + 100 * i)); done
		"$BIN/prototap" live -i lo --port "$ports" --format json -o many.json --ready-fd 6 6>ready2 2>err2 &
		many=$!
		read -r _ <ready && read -r _ <ready2 || exit 1
		python3 frames.py || exit 1
		kill -TERM $one $many
		wait $one || echo "one $?"
		wait $many || echo "many $?"
	END
	run -0 in_namespace bash frames.sh 3>&-
	cat err err2
	[ -z "$output" ]
	[ ! -s err ]
	[ ! -s err2 ]
	# UDP of 14 + 20 + 8 + 100 with 0, 1, 2 tags, TCP of 14 + 20 + 20 + 10 likewise, IPv6 of 14 + 40 +
	# 8 + 8 + 100, first fragment of 14 + 20 + 8 + 8
	for report in one.json many.json; do
		[ "$(value channels.input.packets <$report)" = 8 ]
		[ "$(value channels.input.wire_bytes <$report)" = $((142 + 146 + 150 + 64 + 68 + 72 + 170 + 50)) ]
		[ "$(value channels.input.messages <$report)" = 8 ]
		[ "$(value flows_total <$report)" = 3 ]
		[ "$(value headers.ethernet_header_bytes <$report)" = $((2 * 14 + 2 * 18 + 2 * 22 + 2 * 14)) ]
		[ "$(value capture.fragments <$report)" = 1 ]
	done
	[ "$(value capture.other_packets <one.json)" = 0 ]
	[ "$(value capture.other_packets <many.json)" = 8 ]	# tagged ones to other ports
	command -v tshark >/dev/null || skip "no tshark"
	bytes_alike one.pcap 5900 one.json
}
