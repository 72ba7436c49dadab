# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay_desk - scripted desktops for the tests of vncplay: `load vncplay_desk` after helpers, and begin_desk in setup().
# shellcheck shell=bash

begin_desk() {
	begin_test
	need python3 jq xxd
	mkdir "a place"
	cd "a place" || return 1
	PLAY=("$BIN/vncplay" play)
	LAB=$BATS_TEST_DIRNAME/../lab
}

settled() { grep -q ' listens port=' "$1.log" || gone "$pid"; }

desk() {	# name options...: a desktop with ten buttons; $port, $desk
	local name=$1

	shift
	: >"$name.log"
	start "$name" python3 "$LAB/scripted_rfb.py" --log "$name.log" --buttons 10 "$@"
	desk=$pid
	until_true settled "$name"
	port=$(sed -n 's/.* listens port=//p' "$name.log")
	[ -n "$port" ] || { cat "$name.err"; return 1; }
}

end_desk() { kill "$desk" && wait "$desk" || true; }

# What the script does at such a desktop, in TRACE; what the desktop would log, in TRACE.log. Not by vncplay's own recorder.
make_trace() {	# script trace options...
	python3 "$LAB/scripted_rfb.py" --log "$2.log" --buttons 10 --trace "$@"
}

click() {	# x y [shot]: lines for make_trace
	echo "move $1 $2"
	echo "wait 120"
	[ -z "${3-}" ] || echo "shot click $1 $2"
	echo "press $1 $2"
	echo "wait 60"
	echo "release $1 $2"
}

play() {	# arguments...: $status, report.json, play.err
	status=0
	"${PLAY[@]}" "127.0.0.1::$port" "$@" --format json -o report.json 2>play.err || status=$?
	cat play.err
}

value() { jq -r ".result.runs[0].$1" report.json; }

acted() { sed -nE 's/^[0-9]+ (press|release|key) (.*)/\1 \2/p' "$1"; }

# The log's blocks, in order and whole: their bytes without the greeting, and the last one's ms.
blocks() {
	python3 - "$1" <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:12] == b"FBS 001.000\n"
at, n, total, last = 12, 0, 0, 0
while at < len(data):
    size, = struct.unpack(">I", data[at:at + 4])
    body, at = data[at + 4:at + 4 + size], at + 4 + (size + 3) // 4 * 4
    ms, = struct.unpack(">I", data[at:at + 4])
    at += 4
    assert at <= len(data) and len(body) == size and ms >= last
    if n == 0:
        assert body[:16] == b"RFB 003.003\n\0\0\0\1" and ms == 0
        assert struct.unpack(">BBBBHHHBBB", body[20:33]) == (32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
        assert len(body) == 40 + struct.unpack(">I", body[36:40])[0]
    else:
        total += size
    n, last = n + 1, ms
print(total, last)
END
}
