#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay against servers and logs that lie: it ends by itself, says why in a line, and needs no more memory than a screen may need.

load ../../../../tests/cli/helpers

setup() {
	begin_test
	ROOT=$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)
	need python3
}

# Kinds of lies: of the greeting, of messages, of sizes, stalls, floods and bombs. Each is met by play and by record. Wrong bytes of
# each encoding are in tests/unit/vncplay/rfb_parts_test.c and fuzz_test.c.
@test "vncplay: with hostile servers play and record end with a reason, in bounded time and memory" {
	mkdir "a folder"
	run timeout 1500 python3 "$ROOT/kits/replay/tests/lab/hostile_rfb.py" "$BIN/vncplay" "a folder"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *" kinds=47 wrong=0"* ]]
}
