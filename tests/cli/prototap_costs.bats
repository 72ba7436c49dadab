#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap: what set-up, idling, keys and acknowledgements cost, worked out by hand from captures made by hand.

load captures

setup_file()
{
	begin_captures
	python3 "$GOLDEN/make_keys.py" "$MADE"
	python3 "$GOLDEN/make_content.py" "$MADE"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return 1
}

# of NAME JQ [WORDS]: of a report on it
of()
{
	"$BIN/prototap" read "$MADE/$1.pcap" --format json "${@:3}" >report.json || [ $? = 3 ]
	jq -c ".result | $2" report.json
}

@test "set-up: until the first second of silence, the first key, or not in the capture" {
	# handshake at 0 1 2, data at 100 ... 500 with its acknowledgements, silence from 500 to 3500
	[ "$(of acks '.setup | [.seconds, .ended_by, .packets, .wire_bytes, .payload_bytes, .input_wire_bytes,
		.display_wire_bytes, .display_payload_bytes]')" = \
		'[0.5,"a second of silence",12,1148,500,324,824,500]' ]
	# the first key is sent at 100 ms: the handshake is set-up
	[ "$(of two '.setup | [.seconds, .ended_by, .packets, .wire_bytes]' --keys "$MADE/two.tsv")" = '[0.002,"the first key",3,162]' ]
	[ "$(of plain_ns '.setup | [.seconds, .ended_by, .packets]')" = '[null,"the end of the capture",null]' ]
	[ "$(of midstream '.setup | [.seconds, .ended_by, .packets, .input_wire_bytes]')" = '[null,"it is not in the capture",null,null]' ]
	[ "$(of none_in_it '.setup | [.seconds, .packets]')" = '[null,null]' ]
}

@test "idle: what comes after set-up, keys and closing left out, by the minute" {
	# from 0.5 s to 4.25 s: 3.75 s; an acknowledgement, 100 and its acknowledgement, a window update, a key, an answer: 54 x 6 + 158
	[ "$(of acks '.idle | [.seconds, .packets_per_minute, .bytes_per_minute, .payload_bytes_per_minute]')" = '[3.75,96,7712,2528]' ]
	# 4 s less 2 ms of set-up, less two times from the first key to a second after the last
	[ "$(of two '.idle | [.seconds, .packets_per_minute]' --keys "$MADE/two.tsv")" = '[1.698,35.34]' ]
	[ "$(of plain_ns '.idle | [.seconds, .bytes_per_minute]')" = '[null,null]' ]
	# a session that was there before is idle from the capture's beginning; what closes it is not
	python3 - "$GOLDEN" <<-'PY'
		import sys
		sys.path.insert(0, sys.argv[1])
		from packets import ACK, FIN, PSH, Capture
		c = Capture()
		c.base = [1001, 5001]
		for i in range(6):
		    c.send(2000 * i, 1, b"c" * 46, ACK | PSH)
		c.send(10000 + 2000, 0, flags=ACK | FIN)
		c.send(60000, 1, flags=ACK | FIN)
		c.pcap("cursor.pcap")
	PY
	"$BIN/prototap" read cursor.pcap --format json >report.json
	[ "$(jq -c '.result.idle | [.seconds, .packets_per_minute, .bytes_per_minute]' report.json)" = '[12,30,3000]' ]
}

@test "idle, live: a window in which nothing at all crossed has its length" {
	need_namespace
	in_namespace bash -c 'ip link set lo up; timeout 20 "$BIN/prototap" live -i lo --port 5900 -t 1200ms --format json' \
		>live.json 2>err 3>&-
	[ "$(jq -c '.result.idle | [.packets_per_minute, .bytes_per_minute]' live.json)" = '[0,0]' ]
	jq -e '.result.idle.seconds >= 1.2 and .result.idle.seconds < 10' live.json
}

@test "per key: packets and bytes each way, from a key until the next or a second later" {
	# eight keys of 62 bytes; six updates of 154
	[ "$(of two '.per_key | [.keys, .input.packets, .input.payload_packets, .input.pure_acks,
		.input.wire_bytes, .input.payload_bytes]' --keys "$MADE/two.tsv")" = '[8,1,1,0,62,8]' ]
	[ "$(jq -c '.result.per_key.display | [.packets, .wire_bytes, .payload_bytes]' report.json)" = '[0.75,115.5,75]' ]
	# 2 x 1.15 s for 8 keys; idle: one packet of 54 in 1.698 s
	[ "$(jq -c '.result.per_key | [.seconds, .unsolicited_packets, .unsolicited_wire_bytes]' report.json)" = '[0.2875,0.169,9.143]' ]
	# warm-up keys and what came of them are in no figure: of four, two count, with updates at 114 and 166 ms
	[ "$(of skipped '.per_key | [.keys, .input.packets, .display.packets]' --keys "$MADE/skipped.tsv")" = '[2,1,1]' ]
	# a display at the client: what it sends is input all the same
	[ "$(of x11 '.per_key | [.keys, .input.wire_bytes, .display.wire_bytes]' --keys "$MADE/x11.tsv")" = '[4,62,154]' ]
	[ "$(of two '.per_key')" = null ]
}

@test "acknowledgements: pure ones, those that say something new, and those that were held back" {
	# 40.2 ms twice; 29 ms is not long enough, 3 s is too long; a window update says nothing new; the handshake's does
	[ "$(of acks '.acks | [.pure, .fresh, .delayed, .input.pure, .input.delayed, .input.wire_bytes, .display.pure]')" \
		= '[8,7,2,8,2,432,0]' ]
	# what was sent again had to be answered only then
	[ "$(of lossy '.acks | [.pure, .delayed]')" = '[16,0]' ]
}

@test "retransmissions are those that tshark finds" {
	command -v tshark >/dev/null || skip "no tshark"
	of lossy '[.channels.input.retransmitted_packets, .channels.display.retransmitted_packets]' >ours
	for port in 40000 5900; do
		tshark -r "$MADE/lossy.pcap" -Y "tcp.analysis.retransmission && tcp.srcport == $port" -T fields \
			-e frame.number 2>/dev/null | wc -l
	done | jq -sc . >theirs
	diff ours theirs
	[ "$(cat ours)" = '[1,2]' ]
}

@test "several connections of one port are one session" {
	# 15 + 15 + 15 + 5 packets; 4 keys of 5, 6, 7 bytes and one of 9; answers of 50, 100, 150 and one of 700
	[ "$(of several '.channels | [.total.packets, .total.payload_bytes, .input.payload_bytes, .display.payload_bytes]')" \
		= '[50,1981,81,1900]' ]
	[ "$(of several '[.flows_total, .channels.total.wire_bytes, .acks.pure]')" = '[4,4781,16]' ]
	# no pause ended the set-up: nothing here is known to be set-up, and the whole session is not it
	[ "$(of several '[.setup.wire_bytes, .session.setup_wire_bytes, .session.setup_s, .session.after_setup_wire_bytes_per_minute]')" \
		= '[null,null,null,null]' ]
	[ "$(of several '.setup.why_unknown == .session.setup_why_unknown and .setup.why_unknown != null')" = true ]
	# without IPv6, which has no such header to save: 45 packets, 3702 - 45 x 14 bytes of IP
	[ "$(of several .headers.vip_saving_percent)" = "$(jq -n '((900 / (3702 - 630) * 100000) | round) / 1000')" ]
}
