#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# play and analyze from end to end, against a desktop that logs when it did what: latencies
# are held against its log. Long form, with more kinds of noise: bench/answers.sh.

load ../../../../tests/cli/helpers

setup() {
	begin_test
	LAB=$(cd "$BATS_TEST_DIRNAME/../lab" && pwd)
	need python3 setpriv
}

# Every click has its row in each replay; within 5 ms, where the desktop itself was never later than 2 ms.
@test "vncplay: six clicks in three replays, one of them slower: each latency is that of the desktop's log" {
	DELAYS=40,120,70,160,90,55,140,100 GAP=250 setpriv --pdeathsig TERM -- "$LAB/known.sh" plain 6 3 3>&- || true
	cd known-plain
	[ -s analysis.json ]
	run "$LAB/known.py" analysis.json 1.rfb.aux 1.server 2.server 3.server --rows --within 60
	echo "$output"
	[ "$status" = 0 ]
	run "$LAB/known.py" analysis.json 1.rfb.aux 1.server 2.server 3.server
	[ "$status" = 0 ] || awk -v d="${output##*disturbed_ms=}" 'BEGIN { exit d + 0 > 2 }' || skip "the machine is disturbed: $output"
	echo "$output"
	[ "$status" = 0 ]
}
