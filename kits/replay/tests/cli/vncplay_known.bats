#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# record, play and analyze from end to end, against a desktop that logs when it did what: latencies
# are held against its log. Long form, with more kinds of noise: bench/answers.sh.

load ../../../../tests/cli/helpers

setup_file() {
	local top variant

	top=$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)
	cd "$BATS_FILE_TMPDIR" || return 1
	for variant in plain strips absent; do
		(
			DELAYS=40,120,70,160,90,55,140,100 GAP=250 setpriv --pdeathsig TERM -- "$top/kits/replay/tests/lab/known.sh" "$variant" 6 3 \
				>"$variant.out" 2>&1 && good=0 || good=1
			echo $good >"$variant.status"
		) 3>&- &
	done
}

teardown_file() {
	kill $(jobs -pr) 2>/dev/null || true
}

setup() {
	begin_test
	LAB=$(cd "$BATS_TEST_DIRNAME/../lab" && pwd)
	need python3 setpriv
	cd "$BATS_FILE_TMPDIR" || return 1
}

# Every click has its row in each replay; within 5 ms, where the desktop itself was never later than 2 ms.
known() {	# VARIANT
	until_true test -s "$1.status" || until_true test -s "$1.status"
	cat "$1.out"
	cd "known-$1"
	[ -s analysis.json ]
	run "$LAB/known.py" analysis.json 1.rfb.aux 1.server 2.server 3.server --rows --within 60
	echo "$output"
	[ "$status" = 0 ]
	run "$LAB/known.py" analysis.json 1.rfb.aux 1.server 2.server 3.server
	[ "$status" = 0 ] || awk -v d="${output##*disturbed_ms=}" 'BEGIN { exit d > 2 }' || skip "the machine is disturbed: $output"
	echo "$output"
	[ "$status" = 0 ]
}

@test "six clicks over three replays, of which one answers later: each latency is the desktop's own" {
	known plain
}

@test "a window painted in five strips is one answer, from its first strip" {
	known strips
	awk '/^right/ { sub(/.*complete_ms=/, ""); exit $1 > 60 }' rows ||
		awk '/^right/ { sub(/.*disturbed_ms=/, ""); exit $1 > 20 }' rows || skip "the machine is disturbed: $(grep ^right rows)"
	awk '/^right/ { sub(/.*complete_ms=/, ""); exit $1 > 60 }' rows
}

@test "answers that one replay does not have are missing there, and nowhere else" {
	known absent
	python3 - <<'END'
import json
rows = json.load(open("analysis.json"))["result"]["responses"]
gone = [(i, r["latency_from_press_ms"]) for i, r in enumerate(rows) if None in r["latency_from_press_ms"]]
assert [i for i, _ in gone] == [2, 4] and all(l[2] is None and l[0] and l[1] for _, l in gone), gone
END
}

@test "what reads rfbproxy's logs can read those of a replay, and the lines of 2005 are in the side file" {
	until_true test -s plain.status || until_true test -s plain.status
	cd known-plain
	# of its own: the format as rfbproxy writes it
	python3 - <<'END'
import struct
data = open("1.rfb", "rb").read()
assert data[:12] == b"FBS 001.000\n"
at, blocks, last, stream = 12, 0, 0, b""
while at < len(data):
    n, = struct.unpack_from(">I", data, at)
    whole = n + 3 & ~3
    ms, = struct.unpack_from(">I", data, at + 4 + whole)
    assert ms >= last
    stream += data[at + 4:at + 4 + n]
    at += 8 + whole
    blocks += 1
    last = ms
assert at == len(data) and blocks > 3
assert stream[:16] == b"RFB 003.003\n\0\0\0\1"
assert struct.unpack_from(">HH", stream, 16) == (640, 480)
END
	[ "$(grep -c '^== sending mouse click event at [0-9]*$' 1.rfb.aux)" = 12 ]
	[ "$(grep -c '^Waiting for sync... at [0-9]*$' 1.rfb.aux)" = "$(grep -c '^Sync ok at [0-9]*$' 1.rfb.aux)" ]
}

@test "a trace of 2005 does what it did in 2005, and lets go of the key that it held at its end" {
	local golden=$BATS_TEST_DIRNAME/../golden/vncplay server

	start server setpriv --pdeathsig KILL -- python3 "$LAB/scripted_rfb.py" --log old.server \
		--buttons 6 --delays 12,20,8 --size 400x300 --window 160x100
	server=$pid
	until_true grep -q ' listens port=' old.server
	run "$BIN/vncplay" play "127.0.0.1::$(sed -n 's/.* listens port=//p' old.server)" "$golden/of_2005.trace" old.rfb \
		--speed 5 --wait-end 100ms
	echo "$output"
	[ "$status" = 0 ]
	inputs() { grep -E '^[0-9]+ (press|release|key) ' "$1" | cut -d ' ' -f 2-; }
	as_in_2005() { diff <(inputs "$golden/of_2005.truth"; echo 'key up keysym=0x42') <(inputs old.server); }
	until_true as_in_2005 || as_in_2005	# the server may read the last one after the player has ended
	kill "$server"
	ends "$server"
	as_in_2005
}
