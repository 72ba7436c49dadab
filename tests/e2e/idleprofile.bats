#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# idleprofile against bursts whose own account of their CPU time is the truth (bench/truth.py
# compares; bench/idleprofile.sh is the same in full). What others do on that CPU meanwhile is no
# error of it, but then it cannot be told from bursts: lengths are only judged where little else
# ran.
# bats file_tags=all,alone:machine

bats_require_minimum_version 1.5.0
load ../cli/helpers

BUSY=2.5		# percent of the time outside the bursts that others took

setup() {
	begin_test
	need python3 jq
	[ -x "$BIN/idleprofile" ] || skip "idleprofile is not built"
	[ "$(id -u)" = 0 ] || skip "kernel records and real-time bursts take root"
	TRUTH=$BIN/../bench/truth.py
	CPU=$(taskset -cp $$ | sed 's/.*[ ,-]//')
}

of() {	# key
	awk -F'\t' -v key="$1" '$1 == key { print $2 }' truth
}

is() {	# key condition-in-awk, x being its value
	awk -v x="$(of "$1")" 'BEGIN { x += 0; exit !('"$2"') }' || { echo "not so: $1 is $(of "$1"), wanted $2"; cat truth; return 1; }
}

profile() {	# policy plan: both logs compared, in truth
	busy_begin
	start profile "$BIN/idleprofile" -t 60s --cpus "$CPU" --effect 0 --who --log lost --who-log who --format json -o report
	# a loop that never gets its CPU says so after a minute
	until_true grep -q '^ready\|too busy to be profiled' profile.err ||
		until_true grep -q '^ready\|too busy to be profiled' profile.err || {
		cat profile.err
		return 1
	}
	if grep -q 'too busy' profile.err; then machine_was_busy 30000 && skip "CPU $CPU has no idle time at all"; fi
	"$BIN/sink" --cpus "$CPU" --policy "$1" --burst "$2" --burst-log bursts --format json >sink.json 2>sink.err || [ $? = 3 ] || {
		cat sink.err
		return 1
	}
	sleep 0.2
	kill "$pid"
	ends "$pid"
	[ "$status" -eq 130 ] || [ "$status" -eq 3 ] || { cat profile.err; return 1; }
	"$TRUTH" bursts --lost lost --who who --report report >truth
}

# profile_quietly POLICY PLAN [LEAST]: as profile, again if others had the CPU for 20 ms and fewer than LEAST percent of the lengths
# are right. busy: others always had, and too much
profile_quietly() {
	local i quiet

	for i in 1 2 3; do
		profile "$1" "$2" || return
		# a real-time burst that takes longer than its CPU time was interrupted by more urgent ones, or by a hypervisor
		quiet=0
		is outside_percent "x < $BUSY" >/dev/null && is interval_percent "\"$1\" == \"other\" || x < 100.5" >/dev/null && quiet=1
		[ $quiet = 0 ] || is with_interrupts_good_percent "x < ${3:-0}" >/dev/null || return 0
		machine_was_busy 20 || return 0
	done
	[ $quiet = 0 ] || return 0
	busy="others took $(of outside_percent) % of CPU $CPU, and $(of interval_percent) % of the bursts' time passed:"
	busy+=" lengths cannot be judged"
}

can_fifo() {
	"$BIN/sink" --cpus "$CPU" --policy fifo:50 -t 1ms >/dev/null 2>why || skip "$(tail -n 1 why)"
}

@test "idleprofile: real-time bursts are found and named, with right lengths; no lost time is reported outside of them" {
	busy=''
	can_fifo
	profile_quietly fifo:50 random:100,max:20ms,load:40% 99
	is bursts 'x == 100'
	is found 'x >= 99'
	# an event of theirs and others' cannot say what is whose
	is inside_high_percent 'x >= 99'
	[ -z "$busy" ] || skip "$busy"
	is inside_low_percent 'x >= 99'
	is inside_high_percent 'x <= 101'
	# an interrupt is the burster's by the kernel's account, and its own here: on a virtual machine a
	# tick may cost 50 us, 1 % of the time
	is with_interrupts_good_percent 'x >= 99'
	is named_percent 'x >= 95'
}

@test "idleprofile: bursts at normal priority are found, with right lengths and right CPU time" {
	busy=''
	profile_quietly other random:100,max:20ms,load:40%
	is bursts 'x == 100'
	is found 'x >= 99'
	[ -z "$busy" ] || skip "$busy"
	is with_interrupts_good_percent 'x >= 95'
	is own_percent 'x >= 98 && x <= 102'
}

@test "idleprofile: with no burst during the profile, the comparison finds none" {
	start profile "$BIN/idleprofile" -t 60s --cpus "$CPU" --effect 0 --who --log lost --who-log who --format json -o report
	until_true grep -q '^ready' profile.err
	sleep 0.3
	kill "$pid"
	ends "$pid"
	"$BIN/sink" --cpus "$CPU" --burst random:10,max:5ms --burst-log bursts >/dev/null 2>sink.err || [ $? = 3 ]	# after it had ended
	"$TRUTH" bursts --lost lost --who who --report report >truth
	is found 'x == 0'
	is named_percent 'x == 0'
}
