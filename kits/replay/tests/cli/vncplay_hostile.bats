#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay against servers and logs that lie: it ends by itself, says why in a line, and needs no more memory than a screen may need.

load ../../../../tests/cli/helpers

setup() {
	begin_test
	ROOT=$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)
	need python3
}

# Kinds of lies: of the greeting, of messages, of every encoding, of sizes, stalls, floods and
# bombs. Each is met by play and by record.
@test "sixty servers that lie: play and record end by themselves, with a reason, in bounded time and memory" {
	mkdir "a folder"
	run timeout 1500 python3 "$ROOT/kits/replay/tests/lab/hostile_rfb.py" "$BIN/vncplay" "a folder"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *" kinds=61 wrong=0"* ]]
}

# A log of a server's greeting and of one update whose length is what it is not.
@test "analyze of logs that are none, cut or broken: one line, and no crash" {
	local n

	python3 - <<'END'
import struct
def block(d, ms): return struct.pack(">I", len(d)) + d + bytes(-len(d) % 4) + struct.pack(">I", ms)
greeting = b"RFB 003.003\n\0\0\0\1" + struct.pack(">HHBBBBHHHBBB3xI", 64, 48, 32, 24, 0, 1, 255, 255, 255, 16, 8, 0, 0)
huge = struct.pack(">BxHHHHHi", 0, 1, 0, 0, 65535, 65535, 0)
for name, data in {
    "empty": b"", "banner": b"FBS 001.000\n", "other": b"FBS 009.000\n", "text": b"hello, this is no log\n" * 9,
    "greeting_cut": b"FBS 001.000\n" + block(greeting[:30], 0), "length": b"FBS 001.000\n" + b"\xff\xff\xff\xff",
    "huge": b"FBS 001.000\n" + block(greeting, 0) + block(huge, 5),
    "other_protocol": b"FBS 001.000\n" + block(b"HTTP/1.1 200 OK\r\n\r\n", 0)}.items():
    open(name + ".rfb", "wb").write(data)
    open(name + ".rfb.aux", "w").write("# vncplay-aux 1\ninput 0 press at 1000 line=1 late_us=0 x=1 y=1 button=1\n"
                                       "run end at 9000 status=complete\n")
END
	for n in empty banner other text greeting_cut length other_protocol huge; do
		run timeout 120 "$BIN/vncplay" analyze "$n.rfb" -o "$n.out"
		echo "$n: $status: $output"
		[[ $status =~ ^[123]$ ]]
		[[ $output == "vncplay: "*"$n.rfb"* ]]
		# a line for each reason: of what was measured, that it is not enough, too
		[ "${#lines[@]}" -eq 1 ] || { [ "$status" = 3 ] && [ "$(printf '%s\n' "${lines[@]}" | grep -vc '^vncplay: ')" = 0 ]; }
	done
	[ -s huge.out ]	# what came before the lie is analysed
}
