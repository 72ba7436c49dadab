#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that did not run itself for a time says so, blames nobody, and ends with 3; a run has no verdict of such a cell.

bats_require_minimum_version 1.5.0
load helpers
load ../engine

setup() {
	begin_test
	need jq
}

# Stops what `stopped` prints for 1.2 s by our clock, once the program is ready; its report is REPORT.
stopped_on_the_way() {	# NAME COMMAND...
	local pids

	start "$@" --json -o "$1.json"
	until_true grep -q ready "$1.err"
	mapfile -t pids < <(stopped)
	kill -STOP "${pids[@]}"
	sleep 1.2
	kill -CONT "${pids[@]}"
	finish
	ends "$pid"
	jq '.summary, (.result | {held_up_ms, stopped})' "$1.json"
}
stopped() { echo "$pid"; }
finish() { :; }

held_up() {	# NAME COMMAND...: it says so
	stopped_on_the_way "$@"
	[ "$status" = 3 ] && [ "$(jq '.result.held_up_ms > 1000' "$1.json")" = true ]
}

@test "keyrepeat: stopped for a time" {
	held_up keyrepeat "$BIN/keyrepeat" null: -r 20 -t 3s
}

@test "keyrepeat: not stopped" {
	"$BIN/keyrepeat" null: -r 20 -t 1s --json >keyrepeat.json
	[ "$(jq .result.held_up_ms keyrepeat.json)" = 0 ]
}

@test "animate count: stopped for a time" {
	start_x
	start animate "$BIN/animate" -t 30s --rate 10
	until_true grep -q ready animate.err
	held_up count "$BIN/animate" count -t 4s
}

@test "memhog: stopped for a time, its pages are not touched" {
	held_up memhog "$BIN/memhog" -s 16M --rate 8M/s -t 3s
}

@test "memhog: stopped for a time, it had nothing to do" {
	stopped_on_the_way memhog "$BIN/memhog" -s 16M -t 2s
	[ "$status" = 0 ]
}

@test "refecho: stopped for a time" {
	start_x
	finish() { kill "$pid"; }
	held_up refecho "$BIN/refecho" --display "$DISPLAY"
}

@test "slowdisk: stopped for a time" {
	[ -w /dev/fuse ] && [ "$(id -u)" = 0 ] || skip "cannot mount here: /dev/fuse, root"
	mkdir folder && truncate -s 1M backing
	finish() { umount folder; }
	held_up slowdisk "$BIN/slowdisk" folder backing
}

@test "netload: stopped for a time, the link is not blamed" {
	unused_port
	start serve "$BIN/netload" serve --port "$port"
	until_true grep -q ready serve.err
	held_up netload "$BIN/netload" send "127.0.0.1:$port" --rate 5Mbit -t 3s
	[[ "$(jq -r .summary netload.json)" != *link* ]]
}

@test "pagein: stopped for a time" {
	start_x
	start_refecho --display "$DISPLAY"
	held_up pagein "$BIN/pagein" --pid "$refecho" "x11:$DISPLAY" --evict none --repeat 2 --watch patch --settle 1s --pause 0
}

@test "sink: a process of the load stopped for a time is the cause, whatever share was asked for" {
	local load

	need pgrep
	stopped() { pgrep -P "$pid" | head -n 1; }
	for load in "-n 2" "-l 50" "--burst every:20ms,len:5ms"; do
		# shellcheck disable=SC2086  # words
		stopped_on_the_way sink "$BIN/sink" $load -t 3s
		[ "$status" = 3 ]
		[ "$(jq .result.stopped sink.json)" = true ]
	done
}

@test "sink: stopped itself, its load goes on" {
	stopped_on_the_way sink "$BIN/sink" -t 2s
	[ "$status" = 0 ]
	[ "$(jq .result.stopped sink.json)" = false ]
}

@test "a run has no figures of a cell in which the probe did not run, or could not write its log" {
	# shellcheck disable=SC2016 # the inner shell's
	run in_engine stalls 'lab_wait() { return 3; }
		lab_stop() { :; }
		declare -A LAB_PID_OF=([keyrepeat]=0)
		LAB_LOG=$PWD
		mkdir cell
		for ms in 0 700; do
			echo "{\"summary\": \"held up\", \"result\": {\"held_up_ms\": $ms}}" >keyrepeat.out
			has_ended keyrepeat cell && echo yes || echo "no: $LAB_WHY"
		done
		echo "{\"summary\": \"no log\", \"result\": {\"log_lost\": true}}" >keyrepeat.out
		has_ended keyrepeat cell || echo "no: $LAB_WHY"'
	[ "$output" = $'yes\nno: held up\nno: no log' ]
}

@test "a run has no figures of a cell in which a program beside the probe was killed before it was stopped" {
	# shellcheck disable=SC2016 # the inner shell's
	run --separate-stderr in_engine stalls '. "$TP_HOME/lab/jobs.sh"
		put_json() { cat >"$1"; }
		CELL_JSON={} LAB_LOG=$PWD
		machine_child() { MACHINE_CHILD=; }
		lab_kill() { kill -KILL "$1"; }
		begin() { "$@" & LAB_PIDS+=($!) LAB_PID_OF[load]=$! ; }
		state() {
			mkdir -p cell
			cell_write cell 1 "" ""
			jq -r "[.state, .reason] | join(\": \")" cell/cell.json
			LAB_DIED=
		}
		begin sleep 60; lab_stop "$LAB_PIDS"; state	# stopped
		begin true; until lab_gone "${LAB_PIDS[0]}"; do sleep 0.1; done; lab_stop "${LAB_PIDS[@]}"; state	# over
		begin sh -c "trap \"\" TERM; echo >deaf; while :; do sleep 0.1; done"
		until [ -e deaf ]; do sleep 0.1; done
		load=$LAB_PIDS; lab_stop_within 1 "$load"; lab_stop "$load"; state	# killed, and stopped again
		for signal in KILL SEGV; do
			begin sleep 60
			until grep -qx sleep "/proc/${LAB_PIDS[0]}/comm"; do sleep 0.1; done	# (until then it is a copy of this shell)
			kill -$signal "${LAB_PIDS[0]}"; until lab_gone "${LAB_PIDS[0]}"; do sleep 0.1; done
			lab_stop "${LAB_PIDS[@]}"
			state
		done'
	[ "${lines[0]}" = "complete: " ]
	[ "${lines[1]}" = "complete: " ]
	[ "${lines[2]}" = "complete: " ]
	[[ ${lines[3]} == "failed: load "*" 9 "* ]]
	[[ ${lines[4]} == "failed: load "*" 11 "* ]]
}

@test "lab_status: of a child that is no more and still runs by bash's table of jobs, it does not wait for the end" {
	# shellcheck disable=SC2016 # the inner shell's
	run -0 --separate-stderr timeout 60 bash -c '. "$1/lab/lib.sh"; . "$1/lab/jobs.sh"
		(exit 3) & lab_status $!; echo $?
		(exit 4) & until lab_gone $!; do :; done; lab_status $!; echo $?
		lab_gone() { :; }	# as its end would look
		lab_taken() { :; }
		sleep 600 & lab_status $!; echo $?
		kill $!' - "$TOP"
	[ "$output" = $'3\n4\n255' ]
}

@test "guest_down: a guest that has only begun to boot leaves no folder and no message" {
	mkdir guest
	# shellcheck disable=SC2016 # the inner shell's
	run -7 timeout 60 bash -c '. "$1/lab/lib.sh"; . "$1/lab/guest.sh"
		on_exit guest_down it
		GUEST_DIR[it]=$PWD/guest
		setpriv --pdeathsig TERM "$BASH" "$LAB_HERE/guest/keeper.sh" $$ "$PWD/guest" "" sleep 600 &
		GUEST_KEEPER[it]=$!
		exit 7' - "$TOP"
	[ -z "$output" ]
	[ ! -e guest ]
}
