#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap's counts: beside tshark's and a published table; what set-up, idling, keys and acknowledgements cost; --traffic.

load captures

setup_file() { begin_captures captures keys content; }

@test "prototap: packets and bytes of every connection, for every link type, are those that tshark counts" {
	local name port wrong=0

	command -v tshark >/dev/null || skip "no tshark"
	for name in several reused rfb_16 x11_little cooked_tunnel raw raw_ipv4 raw_ipv6 null loop qinq cooked_vlan cooked2_vlan ipv6 \
		udp_and_tcp udp_v6 fragments fragments_v6; do
		port=5900
		[[ $name != x11* ]] || port=6001
		"$BIN/prototap" read "$MADE/$name.pcap" --port server:$port --flows 5000 --format json >report.json || [ $? = 3 ]
		bytes_alike "$MADE/$name.pcap" $port report.json || wrong=1
	done
	[ "$wrong" = 0 ]
}

# bats test_tags=all
@test "prototap: packets and bytes of 98 hand-made captures are those that tshark counts" {
	local file name port n=0

	command -v tshark >/dev/null || skip "no tshark"
	for file in "$MADE"/*.pcap; do
		name=$(basename "$file" .pcap) port=5900
		[[ $name != x11* ]] || port=6001
		case $name in
		# cut or damaged files, and packets that count_bytes.py cannot assign: within others, of unknown sides, translated, replayed
		cut_* | damaged | empty | lossy | *odd* | snap* | tags | text | wireless | reset_words | none_in_it | netlink | midstream) ;;
		erspan* | geneve | gre | inside | ipip | tunnels | vxlan | fragments_t*) ;;
		no_handshake_* | no_syn_* | one_way_[ab]* | second_half_first | translated | replayed | udp_6001 | udp_short | x11_91) ;;
		*)
			"$BIN/prototap" read "$file" --port server:$port --flows 5000 --format json >report.json || [ $? = 3 ]
			bytes_alike "$file" $port report.json
			((++n))
			;;
		esac
	done
	[ "$n" -ge 98 ]
}

# (of a live capture and of what disturb.py makes of it: prototap.bats)
@test "prototap: messages and updates are those of an independent counter" {
	local name

	command -v tshark >/dev/null || skip "no tshark"
	for name in tls_12 several out_of_order messages missing never_closed; do
		"$BIN/prototap" read "$MADE/$name.pcap" --port 5900 --format json >report.json || [ $? = 3 ]
		counted_alike "$MADE/$name.pcap" 5900 report.json
	done
}

@test "prototap: a capture with a seventh of the paper's RDP traffic gives the paper's mean message and VIP saving" {
	"$BIN/prototap" read "$MADE/paper_rdp.pcap" --port 5900 --format json >report.json
	[ "$(jq -c '.result.channels | [.input.messages, .display.messages, .total.packets, .input.ip_bytes,
		.display.ip_bytes]' report.json)" = '[165,346,543,28049,292733]' ]
	[ "$(jq -c '.result | [.channels.total.mean_message_ip_bytes, .headers.vip_saving_percent]' report.json)" = '[627.75,3.385]' ]
}

@test "docs/protocol-bytes.md: the derived columns follow from its formulas" {
	python3 - "$GOLDEN/../../docs/protocol-bytes.md" <<-'PY'
		import re, sys
		text = open(sys.argv[1]).read()
		def row(name):
		    line = next(l for l in text.splitlines() if l.startswith("| " + name + " |"))
		    return [cell.strip().replace(",", "").rstrip(" %") for cell in line.strip("|").split("|")[1:]]
		size, messages, vip = ([int(n) for n in row(name)] for name in ("bytes, total", "messages, total", "bytes without the IP header"))
		for i in range(3):
		    assert size[i] == int(row("bytes, input")[i]) + int(row("bytes, display")[i])
		    assert messages[i] == int(row("messages, input")[i]) + int(row("messages, display")[i])
		    assert row("average, bytes a message")[i] == f"{size[i] / messages[i]:.2f}", i
		    assert (size[i] - vip[i]) % 20 == 0 and int(row("packets")[i]) == (size[i] - vip[i]) // 20, i
		    assert row("saving")[i] == f"{100 * (size[i] - vip[i]) / size[i]:.3f}", i
	PY
}

# --- what crossing costs ---

# of NAME JQ [OPTION...]: runs prototap on the capture NAME.pcap with the options, and prints JQ of its result
of()
{
	"$BIN/prototap" read "$MADE/$1.pcap" --format json "${@:3}" >report.json || [ $? = 3 ]
	jq -c ".result | $2" report.json
}

@test "prototap: set-up lasts until the first second of silence or the first key; unknown if the capture begins later" {
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

@test "prototap: idle traffic per minute, without set-up, keys and the end of the connection" {
	# from 0.5 s to 4.25 s: 3.75 s; an acknowledgement, 100 and its acknowledgement, a window update, a key, an answer: 54 x 6 + 158
	[ "$(of acks '.idle | [.seconds, .packets_per_minute, .bytes_per_minute, .payload_bytes_per_minute]')" = '[3.75,96,7712,2528]' ]
	# 4 s less 2 ms of set-up, less two times from the first key to a second after the last
	[ "$(of two '.idle | [.seconds, .packets_per_minute]' --keys "$MADE/two.tsv")" = '[1.698,35.34]' ]
	[ "$(of plain_ns '.idle | [.seconds, .bytes_per_minute]')" = '[null,null]' ]
	# a session that was there before is idle from the capture's beginning; what closes it is not
	python3 - <<-'PY'
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
	# another connection, a look whether the port is open, closes while the session is silent: 2 of it after set-up, 6 of the session
	python3 - <<-'PY'
		from exchanges import joined, updates
		from packets import ACK, FIN, Capture
		look = Capture(("10.0.0.9", 33333)).start(2500)
		look.send(4500, 0, flags=ACK | FIN)
		look.send(4501, 1, flags=ACK | FIN)
		session = updates(updates(Capture().start(), 100, 1), 3000, 1)
		session.send(60100.1, 0)
		joined(".", "look.pcap", session.packets, look.packets)
	PY
	"$BIN/prototap" read look.pcap --format json >report.json
	[ "$(jq -c '.result.idle | [.seconds, .packets_per_minute]' report.json)" = '[60,8]' ]
}

@test "prototap: an update of which the capture lost the last packet ends with it" {
	python3 - <<-'PY'
		from packets import ACK, PSH, Capture
		c = Capture().start()
		for i in range(5):
		    c.send(3000 + 300 * i, 1, b"u" * 1000, ACK)
		    if i == 2: c.seq[1] += 100
		    else: c.send(3001 + 300 * i, 1, b"e" * 100, ACK | PSH)
		    c.send(3002 + 300 * i, 0)
		c.pcap("lost.pcap")
	PY
	run -3 "$BIN/prototap" read lost.pcap --format json -o report.json
	[ "$(jq -c '.result | [.updates.count, .largest_gap_ms, .channels.display.missing_bytes]' report.json)" = '[5,302,100]' ]
}

@test "prototap: an update of which a middle packet was sent again ends as others do" {
	python3 - <<-'PY'
		from packets import ACK, PSH, Capture
		c = Capture().start()
		for i in range(5):
		    for k, ms in ((0, 0), (1, 1), (2, 2)) if i != 2 else ((0, 0), (2, 2), (1, 41)):
		        c.send(3000 + 300 * i + ms, 1, b"u" * (400 if k == 2 else 1448), ACK | PSH * (k == 2), seq=3296 * i + 1448 * k)
		c.pcap("again.pcap")
	PY
	"$BIN/prototap" read again.pcap --format json -o report.json
	[ "$(jq -c '.result | [.updates.count, .largest_gap_ms, .channels.display.out_of_order_packets]' report.json)" = '[5,300,1]' ]
}

@test "prototap live: an idle window without packets still has its length" {
	need_namespace
	in_namespace bash -c 'ip link set lo up; timeout 20 "$BIN/prototap" live -i lo --port 5900 -t 1200ms --format json' \
		>live.json 2>err 3>&-
	[ "$(jq -c '.result.idle | [.packets_per_minute, .bytes_per_minute]' live.json)" = '[0,0]' ]
	jq -e '.result.idle.seconds >= 1.2 and .result.idle.seconds < 10' live.json
}

@test "prototap: packets and bytes per key in each direction, until the next key or a second later" {
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

@test "prototap: counts pure acknowledgements, those that acknowledge new data, and delayed ones" {
	# 40.2 ms twice; 29 ms is not long enough, 3 s is too long; a window update says nothing new; the handshake's does
	[ "$(of acks '.acks | [.pure, .fresh, .delayed, .input.pure, .input.delayed, .input.wire_bytes, .display.pure]')" \
		= '[8,7,2,8,2,432,0]' ]
	# what was sent again had to be answered only then
	[ "$(of lossy '.acks | [.pure, .delayed]')" = '[16,0]' ]
}

@test "prototap: retransmissions are those that tshark finds" {
	command -v tshark >/dev/null || skip "no tshark"
	of lossy '[.channels.input.retransmitted_packets, .channels.display.retransmitted_packets]' >ours
	for port in 40000 5900; do
		tshark -r "$MADE/lossy.pcap" -Y "tcp.analysis.retransmission && tcp.srcport == $port" -T fields \
			-e frame.number 2>/dev/null | wc -l
	done | jq -sc . >theirs
	diff ours theirs
	[ "$(cat ours)" = '[1,2]' ]
}

@test "prototap: several connections to one port count as one session" {
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

# --- over time ---

# row LINE: cells of a row of traffic.tsv without the schema, in milliseconds after 1,700,000,000 s
row()
{
	sed -n "$1p" traffic.tsv | awk -F'\t' '{ print substr($2, 1, length($2) - 6) - 1700000000000, $3, $4, $5, $6, $7, $8 }'
}

@test "prototap --traffic: each packet is in its bin, and empty bins have rows" {
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

@test "prototap --traffic: rows add up to the report, also with lost and repeated packets" {
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

@test "prototap --traffic --keys: bins are on the clock of the keys" {
	"$BIN/prototap" read "$MADE/two.pcap" --keys "$MADE/two.tsv" --traffic traffic.tsv --format json -o report.json
	# the capture begins at 1,000 s; the first key crosses 100.1 ms later
	[ "$(awk -F'\t' 'NR > 1 && $5 { print $2; exit }' traffic.tsv)" = 1000100000000 ]
	[ "$(jq -r .settings.traffic_clock report.json)" = monotonic ]
}

@test "prototap --traffic: a clock set forward does not make endless rows; a clock set back loses no packet" {
	python3 - <<-'PY'
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

@test "prototap live --traffic: rows from 'ready' to the end, on CLOCK_MONOTONIC" {
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

@test "prototap: two outputs of one name, one over an input, a missing folder, and --traffic-bin alone are refused" {
	run "$BIN/prototap" read "$MADE/plain_ns.pcap" --traffic same --rows same
	[ "$status" = 2 ]
	run "$BIN/prototap" read "$MADE/plain_ns.pcap" --traffic none/here
	[ "$status" = 1 ]
	[[ "$output" == "prototap: cannot write none/here"* ]]
	run "$BIN/prototap" read "$MADE/plain_ns.pcap" --traffic-bin 5ms
	[ "$status" = 2 ]
	for words in "-o a.pcap" "--rows b.pcap" "--every 1s --intervals ../${PWD##*/}/a.pcap"; do
		cp "$MADE/plain_ns.pcap" a.pcap
		ln -f a.pcap b.pcap
		# shellcheck disable=SC2086 # words
		run -2 "$BIN/prototap" read a.pcap $words
		cmp a.pcap "$MADE/plain_ns.pcap"
	done
}
