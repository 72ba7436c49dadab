#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap --decode, and TLS: content that was counted while it was written, whatever the segments;
# what cannot be walked stops, and says so.

load captures

setup_file() { begin_captures captures content; }

# decoded NAME [WORDS]: a report of it in report.json, held against what was written
decoded()
{
	"$BIN/prototap" read "$MADE/$1.pcap" --decode "${2:-auto}" --format json -o report.json || [ $? = 3 ]
	echo "$1"
	python3 "$GOLDEN/compare_decoded.py" report.json "$MADE/$1.json"
}

# of JQ: from report.json
of()
{
	jq -c "$1" report.json
}

@test "prototap --decode rfb: counts every message and rectangle, in any segmentation, version and pixel format" {
	for name in rfb_small rfb_7 rfb_33 rfb_16 rfb_bytes rfb_apple rfb_tight rfb_tight_vnc rfb_colours; do
		decoded $name
		[ "$(of '[.result.decoded.rfb.undecoded_bytes, .result.decoded.stopped]')" = '[0,[]]' ]
		# all bytes of the connection have a name
		[ "$(of '[.result.decoded.rfb | .client[], .server[]] | map(.bytes) | add')" = "$(of .result.channels.total.payload_bytes)" ]
	done
}

@test "prototap --decode rfb: at an unknown message a direction stops; the rest counts as undecoded bytes" {
	decoded rfb_unknown
	[ "$(of '.result.decoded | [.rfb.undecoded_bytes, .stopped]')" = \
		'[500,[{"why":"RFB: a rectangle of unknown encoding","streams":1}]]' ]
	decoded rfb_encrypted
	[ "$(of '.result.decoded | [.rfb.undecoded_bytes, .stopped[].why]')" = '[200,"RFB: a security type that encrypts or is unknown"]' ]
	decoded rfb_format
	[ "$(of '.result.decoded | [.rfb.undecoded_bytes, .stopped[].why]')" = \
		'[32,"RFB: the pixel format changed while an update was asked for"]' ]
	decoded rfb_hole
	[ "$(of '.result.decoded | [.rfb.undecoded_bytes, .stopped[].why]')" = '[1,"bytes are missing in the capture"]' ]
}

@test "prototap --decode x11: requests, replies, events, errors by name, in either byte order; extensions by queried name" {
	for name in x11_little x11_big x11_long; do
		decoded $name
		[ "$(of '[.result.decoded.x11.undecoded_bytes, .result.decoded.stopped]')" = '[0,[]]' ]
		[ "$(of '[.result.decoded.x11 | .setup_request_bytes, .setup_reply_bytes,
			(.requests[], .replies[], .events[], .errors[] | .bytes)] | add')" = "$(of .result.channels.total.payload_bytes)" ]
	done
}

@test "prototap --decode x11: core requests are those that tshark counts" {
	command -v tshark >/dev/null || skip "no tshark"
	decoded x11_little
	tshark -r "$MADE/x11_little.pcap" -T fields -E occurrence=a -e x11.opcode 2>/dev/null |
		tr ',' '\n' | awk 'NF && $1 < 128 { n++ } END { print n }' >theirs
	of '[.result.decoded.x11.requests[] | select(.name | test("^[A-Za-z0-9]+$")) | .count] | add' >ours
	diff ours theirs
}

@test "prototap --decode: does not decode other protocols, connections begun before the capture, and truncated packets" {
	decoded_bytes() {
		"$BIN/prototap" read "$MADE/$1.pcap" --decode "$2" --format json -o report.json
		of '.result.decoded | [.rfb, .x11, .other_connections, .other_bytes, .stopped[].why]'
	}
	[ "$(decoded_bytes x11_little rfb | jq -c '.[0, 1, 2, 4]' | paste -sd' ')" = \
		'null null 1 "begins as no protocol that is decoded"' ]
	[ "$(decoded_bytes rfb x11 | jq -c '.[0, 1, 2]' | paste -sd' ')" = 'null null 1' ]
	[ "$(decoded_bytes midstream auto)" = '[null,null,1,50,"the connection began before the capture"]' ]
	"$BIN/prototap" read "$MADE/rfb.pcap" --format json -o report.json
	[ "$(of .result.decoded)" = null ]
	python3 "$GOLDEN/disturb.py" "$MADE/rfb_16.pcap" short.pcap 1 cut
	"$BIN/prototap" read short.pcap --decode rfb --format json -o report.json
	[ "$(of '.result.decoded.stopped[].why')" = '"packets were not kept whole"' ]
	[ "$(of '[.result.decoded.rfb | .client[].bytes, .server[].bytes, .undecoded_bytes] | add')" \
		= "$(of .result.channels.total.payload_bytes)" ]
}

@test "prototap --decode: the text names the messages with the most bytes, and why a direction stopped" {
	"$BIN/prototap" read "$MADE/rfb_unknown.pcap" --decode rfb -o report.txt
	for words in "client: .* KeyEvent" "rectangles: 1 Raw (44" "1 direction, RFB: a rectangle of unknown" "decoded: 500 B"; do
		grep -q "$words" report.txt
	done
}

@test "prototap --decode -v: a line for each name; an unknown protocol is refused" {
	"$BIN/prototap" read "$MADE/rfb.pcap" --decode rfb -v -o report.txt
	grep -qE 'name Tight +count 8 +bytes 20[0-9]{3}' report.txt
	grep -qE 'name KeyEvent +count 2 +bytes 16' report.txt
	run "$BIN/prototap" read "$MADE/rfb.pcap" --decode http
	[ "$status" = 2 ]
}

@test "prototap: TLS records, their headers and authentication tags, also after a plain-text preamble" {
	tls() { "$BIN/prototap" read "$MADE/$1.pcap" --format json -o report.json; of ".result.tls | $2"; }
	# 2 + 2 records of 85 + 85 bytes, 2 of 32 and 105 + 16000 + 300 + 15: 16,654; 9 x 5 of headers
	for name in tls_13 tls_12 tls_cbc tls_pieces; do
		[ "$(tls $name '[.streams, .records, .record_bytes, .header_bytes, .broken_streams,
			.input.application_records, .display.application_records, .display.record_bytes]')" = '[2,9,16654,45,0,2,3,16505]' ]
	done
	[ "$(tls tls_13 '[.seal_bytes, .seal_is_least, .share_percent]')" = '[85,false,100]' ]
	[ "$(of .result.headers.tls_percent)" = "$(of '((45 + 85) / .result.channels.total.wire_bytes * 100000 | round) / 1000')" ]
	[ "$(tls tls_12 '[.seal_bytes, .seal_is_least]')" = '[120,false]' ]
	[ "$(of '[.result.channels.total.payload_bytes, (.result.tls.share_percent * 1000 | round)]')" = '[16692,99772]' ]
	[ "$(tls tls_cbc '[.seal_bytes, .seal_is_least]')" = '[185,true]' ]
	# no segment holds the ServerHello whole: the cipher is not known, and nothing is guessed
	[ "$(tls tls_pieces '[.seal_bytes, .seal_is_least]')" = '[null,false]' ]
	[ "$(tls tls_broken '[.records, .broken_streams]')" = '[5,1]' ]
	[ "$(tls rfb '[.streams, .records, .share_percent]')" = '[0,0,0]' ]
}

@test "prototap: records and bytes of real TLS 1.2 and 1.3 traffic are those that tshark finds" {
	need_namespace
	command -v tshark >/dev/null || skip "no tshark"
	command -v openssl >/dev/null || skip "no openssl"
	cat >serve.py <<-'PY'
		import socket, ssl, sys, threading
		version = {"2": ssl.TLSVersion.TLSv1_2, "3": ssl.TLSVersion.TLSv1_3}[sys.argv[1]]
		server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
		server.load_cert_chain("cert.pem", "key.pem")
		server.minimum_version = server.maximum_version = version
		client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
		client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
		listener = socket.create_server(("127.0.0.1", 5900))
		def serve():
		    with server.wrap_socket(listener.accept()[0], server_side=True) as s:
		        while s.recv(100000):
		            s.sendall(b"e" * 30000)
		thread = threading.Thread(target=serve)
		thread.start()
		with client.wrap_socket(socket.create_connection(("127.0.0.1", 5900), timeout=10)) as c:
		    for n in range(20):
		        c.sendall(b"k" * (n + 1))
		        left = 30000
		        while left:
		            left -= len(c.recv(left))
		thread.join(5)
	PY
	cat >tls.sh <<-'PY'
		ip link set lo up
		mkfifo ready
		for v in 2 3; do
			"$BIN/prototap" live -i lo --port 5900 -w tls$v.pcap --format json -o tls$v.json --ready-fd 5 5>ready 2>err &
			tap=$!
			read -r _ <ready
			python3 serve.py $v
			kill -INT $tap
			wait $tap
		done
	PY
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem \
		-out cert.pem -days 2 -subj /CN=test 2>/dev/null
	in_namespace timeout 30 bash tls.sh 3>&-
	for v in 2 3; do
		jq -r '.result.tls | "\(.records) \(.record_bytes)"' tls$v.json >ours
		tshark -r tls$v.pcap -d tcp.port==5900,tls -Y tls -T fields -E occurrence=a -e tls.record.length 2>/dev/null |
			tr ',' '\n' | awk 'NF { n++; bytes += $1 + 5 } END { print n, bytes }' >theirs
		echo "TLS 1.$v"
		diff ours theirs
		[ "$(jq -c '.result.tls | [.streams, .broken_streams, .seal_is_least]' tls$v.json)" = '[2,0,false]' ]
		[ "$(jq '.result.tls.seal_bytes' tls$v.json)" -gt 600 ]
	done
}
