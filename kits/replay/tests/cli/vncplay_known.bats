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
	[ "$status" = 0 ] || awk -v d="${output##*disturbed_ms=}" 'BEGIN { exit d > 2 }' || skip "the machine is disturbed: $output"
	echo "$output"
	[ "$status" = 0 ]
}

@test "vncplay play: a trace of 2005 gives the same input as then, and releases the key held at its end" {
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
