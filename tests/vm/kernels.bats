#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=all
# What many kernels lack, on the stock kernels of Debian 12 and 13: netem, fq_codel, control groups of version 2, memory.low,
# pressure. A guest of each is up; in it run the tests of the lab, doctor, and a cell of each experiment that needs these.

load guests

setup_file() { kernels_here; }
teardown_file() { kernels_end; }

setup() { guests_use; }

# lab_tests KERNEL FILE: of tests/lab. What is left out is named; nothing fails.
lab_tests() {
	on "$1" "TEST_PATIENCE=10 bats --tap tests/lab/$2.bats" >tap || true
	cat tap
	if grep '^not ok' tap; then return 1; fi
	[ "$(grep -c '^ok' tap)" = "$(sed -n 's/^1\.\.//p' tap)" ]
	[ "$(grep '^ok' tap | grep -vc '# skip')" -gt 0 ]
}

# measures KERNEL EXPERIMENT OPTION...: each cell is complete.
measures() {
	local kernel=$1
	shift
	on "$kernel" "./thinprobe run $* --quick --repeat 1 -q -o /root/$1 >&2; cat /root/$1/run.json /root/$1/cells/*/*/cell.json" >out
	cat out
	[ "$(jq -rs 'length > 1 and all(.[]; .state == "complete")' out)" = true ]
}

finds() {
	on "$1" "./thinprobe doctor --json" >rows || [ $? -eq 4 ]	# it has no compiler
	for what in "link delay and loss" "link rate" "groups of the scheduler" "a memory size for the server" "swap in memory"; do
		jq -e --arg what "$what" 'any(.rows[]; (.what | startswith($what)) and .state == "yes")' rows ||
			{ echo "$what"; cat rows; return 1; }
	done
	jq -e 'any(.rows[]; .what == "link delay and loss" and .why == "netem")' rows
}

yields() {
	on "$1" 'bin/idleprofile -t 1s --json' >out || [ $? -eq 3 ]	# (disturbed)
	cat out
	grep -q '"cgroup v2 cpu.idle"' out
}

delays() {
	measures "$1" wan --protocol vnc --rtt 100ms --loss 2 --typing none --keys 4 --loss-keys 4
	[ "$(jq -s 'any(.. | .line? // empty; .kind == "netem")' out)" = true ]
	on "$1" 'cat /root/wan/long.tsv' >long
	awk -F'\t' '($8 == "ping_ms" || $8 == "p50_ms") && $10 != "" { n++; early += $10 < 100 }
		END { print n, early; exit !n || early }' long
}
queues() { measures "$1" rtt --links 10Mbit --queues fq_codel --loads 0,50 --transport udp --probes ping; }
protects() { measures "$1" paging --protocol vnc --swap slow:2.5ms --methods busy --sessions low --runs 1; }

# The clock of the system jumps by 10 s, forth and back, while keys are typed: no answer takes that long, or less than nothing.
steps() {
	on "$1" "{ (until [ -e /root/stepped ]; do sleep 2; date -s '10 seconds'; sleep 2; date -s '-10 seconds'; done) >/dev/null 2>&1 & }
		./thinprobe run stalls --quick --protocol vnc --app light --loads 0 --time 10 --repeat 1 -q -o /root/steps >&2
		touch /root/stepped; wait; cat /root/steps/run.json /root/steps/cells/*/*/cell.json" >out
	[ "$(jq -rs 'length > 1 and all(.[]; .state == "complete")' out)" = true ] || { cat out; return 1; }
	on "$1" 'cat /root/steps/cells/*/*/keyrepeat.json' >keys
	jq -s -e 'length > 0 and all(.[].result; .ended == "complete" and .realtime_offset.step_us > 9e6
		and .latency_from_sent_ms.min >= 0 and .latency_high_ms.max < 9000)' keys || { cat keys; return 1; }
}

@test "Debian 12's kernel: doctor finds netem, groups, memory sizes and zram" { finds bookworm; }
@test "Debian 13's kernel: doctor finds netem, groups, memory sizes and zram" { finds trixie; }
@test "Debian 12's kernel: tests of the link" { lab_tests bookworm link; }
@test "Debian 13's kernel: tests of the link" { lab_tests trixie link; }
@test "Debian 12's kernel: tests of groups" { lab_tests bookworm groups; }
@test "Debian 13's kernel: tests of groups" { lab_tests trixie groups; }
@test "Debian 12's kernel: tests of memory" { lab_tests bookworm memory; }
@test "Debian 13's kernel: tests of memory" { lab_tests trixie memory; }
@test "Debian 12's kernel: tests of the slow disk" { lab_tests bookworm disk; }
@test "Debian 13's kernel: tests of the slow disk" { lab_tests trixie disk; }
@test "Debian 12's kernel: idleprofile yields in a group of its own" { yields bookworm; }
@test "Debian 13's kernel: idleprofile yields in a group of its own" { yields trixie; }
@test "Debian 12's kernel: a round trip of 100 ms and loss, by netem" { delays bookworm; }
@test "Debian 13's kernel: a round trip of 100 ms and loss, by netem" { delays trixie; }
@test "Debian 12's kernel: pings through fq_codel" { queues bookworm; }
@test "Debian 13's kernel: pings through fq_codel" { queues trixie; }
@test "Debian 12's kernel: a session protected by memory.low" { protects bookworm; }
@test "Debian 13's kernel: a session protected by memory.low" { protects trixie; }
@test "Debian 12's kernel: the clock is stepped by 10 s while keys are typed" { steps bookworm; }
@test "Debian 13's kernel: the clock is stepped by 10 s while keys are typed" { steps trixie; }
