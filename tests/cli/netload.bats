#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# netload: what it says it sent is what others count on the wire, at the rate asked for; both ends
# report however it ends; strangers are refused.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	begin_test
	NETLOAD=$BIN/netload
	unused_port
}

start_serve() {	# options...: $server
	local try

	for try in 1 2 3; do
		start serve "$NETLOAD" serve --port "$port" --format json -o serve.json "$@"
		server=$pid
		until_true settled
		if grep -qx ready serve.err; then return 0; fi
		unused_port
	done
	cat serve.err
	return 1
}

settled() { grep -qx ready serve.err || gone "$server"; }

send() {	# options...: $status, report.json
	status=0
	"$NETLOAD" send "127.0.0.1:$port" --format json -o report.json "$@" 2>send.err || status=$?
}

# Frames have come, and the server has read them.
received() {
	local child

	child=$(pgrep -P "$server") || return 1
	ss -HtniOp | awk -v who="pid=$child," 'index($0, who) && match($0, /bytes_received:[0-9]+/) {
		if (substr($0, RSTART + 15, RLENGTH - 15) - $2 > 20000) found = 1 } END { exit !found }'
}

value() { jq -r ".result.$1" report.json; }

# In a network of its own, with nobody else's packets: script words...
alone() {
	unshare --user --map-root-user --net true 2>/dev/null || skip "no network namespaces here"
	unshare --user --map-root-user --net --mount --fork --kill-child bash -c 'ip link set lo up && . "$1" && inside "${@:2}"' \
		alone "$BATS_TEST_DIRNAME/netload_inside.bash" "$@"
}

@test "netload: TCP and UDP frames and bytes are those that tshark and the interface count" {
	need jq tshark ip
	# where the machine keeps the receiver from the CPU, TCP sends again, and a frame is on the wire twice
	for _ in {1..5}; do
		busy_begin
		alone "$NETLOAD" counts 6Mbit
		if [ "$(jq .result.resent_frames report.tcp)" = 0 ] || ! machine_was_busy 20; then break; fi
	done
	for how in tcp udp; do
		mv "report.$how" report.json
		jq -c '[.settings, .result]' report.json
		[ "$(jq '.result | .sent_frames == .received_frames and .sent_wire_bytes == .received_wire_bytes
			and .stopped_by == "time"' report.json)" = true ]
		[ "$(jq '.settings.wire_bytes_per_frame' report.json)" = 1514 ]
		# 6 Mbit/s for a second: 495.4 frames
		read -r frames bytes <"tshark.$how"
		echo "tshark: $frames frames, $bytes bytes"
		[ "$(value sent_frames)" = "$frames" ]
		[ "$(value sent_wire_bytes)" = "$bytes" ]
		[ "$((frames + $(value given_up_frames)))" -ge 490 ]
		[ "$frames" -le 497 ]
		# the interface has acknowledgements and the lines of both ends besides: less than a tenth
		# (the loopback counts from the IP header on)
		[ "$(cat "interface.$how")" -ge $((bytes - 14 * frames)) ]
		[ "$(cat "interface.$how")" -le $((bytes + bytes / 10)) ]
	done
}

# Of the frames that were due none was given up, but where as much time was taken from this test since busy_begin.
all_sent() {	# ms from frame to frame
	local ms

	ms=$(jq --argjson pace "$1" '.result | [.given_up_frames, .back.given_up_frames // 0] | max * $pace | ceil' report.json)
	[ "$status $ms" = "0 0" ] || { [ "$status" -le 3 ] && machine_was_busy $((ms > 20 ? ms : 20)); }
}

@test "netload: a frame over TCP is of Ethernet, or a segment of the loopback where a burst holds one" {
	need jq
	start_serve
	send --rate 20Mbit -t 300ms
	[ "$(jq .settings.payload_bytes_per_frame report.json)" = 1448 ]
	send --rate 5Gbit -t 300ms
	[ "$(jq .settings.payload_bytes_per_frame report.json)" -gt 16000 ]
	[ "$(value sent_payload_bytes)" -gt 0 ]
	send --rate 900Gbit -t 300ms
	[ "$status" = 3 ]
	send --rate 5Gbit -t 300ms --spacing random
	[ "$(jq .settings.payload_bytes_per_frame report.json)" = 1448 ]
}

@test "netload: the rate counts whole frames, or payload if asked; also in both directions and over several streams" {
	local f all='.sent_frames - (.resent_frames // 0) + .given_up_frames'	# TCP sends some again

	need jq
	start_serve
	for f in "" --udp; do
		# shellcheck disable=SC2086 # words
		busy_begin
		send --rate 8Mbit -t 500ms --both --streams 3 $f
		jq -c .result report.json
		all_sent 1.514
		[ "$(jq '.result | (.streams | length) == 3 and ([.streams[].sent_wire_bytes] | add) == .sent_wire_bytes
			and .back.sent_frames == .back.received_frames and
			(([.streams[].sent_frames] | max - min) <= 1 or .resent_frames > 0 or .given_up_frames > 0)' report.json)" = true ]
		jq -c '.result | [.received_payload_bytes, .back.sent_payload_bytes]' report.json >>loads
		# what went: all that was due and not given up
		[ "$(jq ".result | $all - 4e6 / 8 / 1514 | fabs <= 3" report.json)" = true ]
		[ "$(jq ".result.back | $all - 4e6 / 8 / 1514 | fabs <= 3" report.json)" = true ]
	done
	busy_begin
	send --rate 2Mbit -t 500ms --rate-in payload --frame-size 1000
	all_sent 4
	jq -c .result report.json
	jq -c '.result | [.received_payload_bytes, 0]' report.json >>loads
	[ "$(jq ".settings.counts == \"payload bits\"
		and (.result | $all - 125 | fabs <= 2)" report.json)" = true ]
	[ "$(jq '.result | .sent_payload_bytes == 1000 * (.sent_frames - .resent_frames)
		and .sent_wire_bytes == 1066 * .sent_frames' report.json)" = true ]
	kill -INT "$server"
	ends "$server"
	[ "$status" = 0 ]
	[ "$(jq --slurpfile loads loads '.result | .loads == 3 and .loads_broken == 0 and .peers_refused == 0
		and .received_payload_bytes == ($loads | map(.[0]) | add) and .received_payload_bytes > 0
		and .sent_payload_bytes == ($loads | map(.[1]) | add) and .sent_payload_bytes > 0' serve.json)" = true ]
}

@test "netload: lost datagrams are counted by sequence numbers; the received ones are those that the interface counted" {
	need jq ip tc
	alone "$NETLOAD" lossy 8Mbit --udp || { [ $? != 77 ] || skip "this kernel does not shape"; false; }
	jq -c .result report.json
	# 8 Mbit/s into a link of 4: much is lost, and none of it by the receiver
	[ "$(jq '.result | .lost_frames == .sent_frames - .received_frames and .receiver_dropped_frames == 0
		and .duplicate_frames == 0 and .reordered_frames == 0 and
		.lost_percent > 0 and .lost_percent < 100' report.json)" = true ]
	# the kernel there has taken these, and the few that opened the stream
	arrived=$(cat arrived)
	echo "arrived: $arrived"
	[ "$(value received_frames)" -lt "$arrived" ]
	[ "$(value received_frames)" -ge $((arrived - 10)) ]
}

@test "netload: random spacing, and no rate limit" {
	need jq
	start_serve
	send --rate 20Mbit -t 500ms --udp --spacing random
	jq -c .result report.json
	[ "$(jq '.settings.spacing == "random" and .settings.frames_at_once == 1
		and (.result | .sent_frames + .given_up_frames - 10e6 / 8 / 1514 | fabs < 20)' report.json)" = true ]
	send --rate max -t 300ms
	[ "$(jq '.result | .offered_mbit_s == null and .sent_mbit_s > 0 and .rate_held and .behind_ms == null' report.json)" = true ]
	[ "$status" = 0 ]
}

@test "netload send --congestion: the socket has it, and the report names it; one that the kernel lacks is refused" {
	need jq ss
	start_serve
	start sender "$NETLOAD" send "127.0.0.1:$port" --rate 1Mbit --congestion reno --format json -o report.json
	until_true received
	ss -Htinp | grep -A1 "pid=$pid," >seen
	cat seen
	grep -qw reno seen
	kill -INT "$pid"
	wait "$pid" || true
	[ "$(jq -r .settings.congestion_control report.json)" = reno ]
	send --rate 1Mbit -t 100ms
	[ "$(jq -r .settings.congestion_control report.json)" = "$(cat /proc/sys/net/ipv4/tcp_congestion_control)" ]
	send --rate 1Mbit -t 100ms --congestion none
	[ "$status" = 1 ]
	grep -q tcp_available_congestion_control send.err
	send --rate 1Mbit -t 100ms --congestion reno --udp
	[ "$status" = 2 ]
}

@test "netload: if the rate cannot be reached, it ends with 3, and the message names the link as a possible cause" {
	start_serve
	send --rate 900Gbit -t 600ms --udp
	[ "$status" = 3 ]
	grep -q 'the link' send.err
}

@test "netload: a signal ends it early, and both ends report; it ends with its parent" {
	need jq
	start_serve
	start send "$NETLOAD" send "127.0.0.1:$port" --rate 4Mbit -t 60s --format json -o report.json
	until_true grep -qx ready send.err
	until_true received
	kill -INT "$pid"
	ends "$pid"
	[ "$status" = 130 ]
	[ "$(jq '.result | .stopped_by == "signal" and .received_frames == .sent_frames and .sent_frames > 0' report.json)" = true ]
	rm report.json
	start parent bash -c '"$1" send "127.0.0.1:$2" --rate 4Mbit --format json -o report.json & echo $!; wait' parent "$NETLOAD" "$port"
	until_true grep -qx ready parent.err
	until_true test -s parent.out
	started+=("$(cat parent.out)")
	kill -9 "$pid"
	until_true gone "$(cat parent.out)"
	[ "$(jq .result.stopped_by report.json)" = '"signal"' ]
}

@test "netload: if the server ends or is stopped, the sender says so and reports what it has" {
	need jq
	start_serve
	start send "$NETLOAD" send "127.0.0.1:$port" --rate 4Mbit -t 60s --format json -o report.json
	until_true grep -qx ready send.err
	until_true received
	kill "$server"
	ends "$pid"
	[ "$status" = 3 ]
	grep -qx 'netload: the server ended the load early' send.err
	[ "$(jq '.result | .stopped_by == "server" and .received_frames > 0' report.json)" = true ]
	until_true gone "$server"
	start_serve
	start send "$NETLOAD" send "127.0.0.1:$port" --rate 4Mbit -t 60s --format json -o report.json
	until_true grep -qx ready send.err
	until_true received
	kill -9 "$server"
	ends "$pid"
	[ "$status" = 3 ]
	grep -q '^netload: the connection to the server' send.err
	[ "$(jq '.result | .sent_frames > 0 and .received_frames == null and .received_mbit_s == null' report.json)" = true ]
}

@test "netload serve: refuses clients that are no netload; --once ends after a load, not after such a client" {
	need jq python3
	start_serve --once
	python3 - "$port" <<-'END'
		import socket, struct, sys
		def load(streams, version=2):
		    return struct.pack(">4sHH11q", b"TPNL", version, 0, 1000000, 0, streams, 100, 1, 1, 0, 0, 0, 0, 0)
		def ask(what, most):
		    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
		    s.settimeout(8)
		    s.sendall(what)
		    got = b""
		    try:
		        while len(got) < most and (part := s.recv(4096)): got += part
		    except ConnectionResetError: pass
		    return s, got
		for what, answer in ((b"GET / HTTP/1.1\r\n\r\n", b"not a message"), (load(1, 3), b"version 2"),
		    (load(999), b"out of range"), (b"\0" * 3000, b"not a message")):
		    got = ask(what, 104)[1]
		    assert got.startswith(b"TPNL\0\2\0\5") and answer in got, (what, got)
		# a stream that does not know the key is not let in, and the load does not begin
		control, got = ask(load(1), 8 + 8 * 65)
		assert got.startswith(b"TPNL\0\2\0\1"), got
		stream = socket.create_connection(("127.0.0.1", struct.unpack(">q", got[16:24])[0]), 5)
		stream.sendall(b"TPNL\0\2" + bytes(26))
		stream.settimeout(5)
		assert stream.recv(1) == b""
		control.settimeout(0.3)
		try: assert not control.recv(100)
		except TimeoutError: pass
	END
	kill -0 "$server" 2>/dev/null || until_true gone "$server"	# the last of these was a load, though broken
	ends "$server"
	[ "$(jq '.result | .peers_refused == 4 and .loads == 0 and .loads_broken == 1' serve.json)" = true ]
	start_serve --once
	send --rate 1Mbit -t 100ms
	[ "$status" = 0 ] || [ "$status" = 3 ]
	ends "$server"
	[ "$status" = 0 ]
	[ "$(jq .result.loads serve.json)" = 1 ]
	[[ $(jq -r .summary serve.json) == "1 load in "* ]]
}

@test "netload send: different errors for a server that is no netload and for none at all" {
	need python3
	run --separate-stderr "$NETLOAD" send "127.0.0.1:$port" --rate 1Mbit -t 1s
	[ "$status" = 1 ]
	[[ $stderr == "netload: 127.0.0.1:$port: Connection refused"*"netload serve"* ]]
	[ "${#stderr_lines[@]}" = 1 ]
	cat >other.py <<-'END'
		import socket, sys
		s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
		for answer in (b"SSH-2.0-OpenSSH_9.2\r\n", b"TPNL\0\3\0\1", b"TPNL\0\2\0\5" + b"\x1b[31mroom".ljust(96, b"\0"), b""):
		    c = s.accept()[0]
		    c.sendall(answer)
		    c.recv(2000)
		    c.close()
	END
	start other python3 other.py "$port"
	until_true listens_at
	for words in "not as this version" "not as this version" "refuses: ?[31mroom" "closed the connection"; do
		run --separate-stderr "$NETLOAD" send "127.0.0.1:$port" --rate 1Mbit -t 1s
		echo "$stderr"
		[ "$status" = 1 ]
		[[ $stderr == *"$words"* ]]
		[ "${#stderr_lines[@]}" = 1 ]
	done
}

listens_at() { ss -Hltn "sport = :$port" | grep -q .; }

@test "netload serve: a port in use gives an error" {
	start_serve
	run --separate-stderr "$NETLOAD" serve --port "$port"
	[ "$status" = 1 ]
	[[ $stderr == *" port $port: Address already in use"*"--port"* ]]
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "netload send: the second address of a name is tried, too" {
	need jq ip
	alone "$NETLOAD" twofold 1Mbit
	[ "$(value received_frames)" -gt 0 ]
}

@test "netload send: a frame of several segments is no more than the rate" {
	need jq ip
	alone "$NETLOAD" large_frames 20Mbit
	jq .result report.json
	[ "$(jq '.result | .sent_mbit_s * (1 - 1514 * .resent_frames / .sent_wire_bytes) < 20.1' report.json)" = true ]
	[ "$(jq .settings.wire_bytes_per_frame report.json)" = $((4000 + 3 * 66)) ]
}
