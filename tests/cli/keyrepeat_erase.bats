#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# keyrepeat --erase: what it types is taken away again, and goes nowhere but into the field. Truth: the log of a field that is not
# ours (field.py).
# bats file_tags=waits:one

bats_require_minimum_version 1.5.0
load helpers

KEYREPEAT=$BIN/keyrepeat

field() {	# DELAY_MS [DEAF_AFTER]
	start_vnc -SecurityTypes None
	start_xterm python3 "$TOP/tests/cli/field.py" "$PWD/field.log" "$@"
	until_true test -e field.log
}

left_in_field() { [ "$(tail -n 1 field.log | cut -d' ' -f3)" = 0 ]; }

@test "keyrepeat vnc --erase: keys and BackSpace in turns, and an empty field; what it shows in parts is one answer" {
	field 40+25
	run -0 "$KEYREPEAT" "vnc:127.0.0.1:$port" -t 3s --erase --json -o report.json
	[ "$(jq -r .settings.region_from report.json)" = "found by typing" ]
	# (a busy machine makes the pace slower, and least answers a range)
	[ "$(jq '.result | .keys_answered > 5 and (.latency_from_sent_ms | .min // .range.min.to) >= 40' report.json)" = true ]
	[ "$(cut -d' ' -f2 field.log | paste -sd ' ' | sed 's/97 \(8\|127\)\>//g' | tr -d ' ')" = "" ]
	left_in_field
}

@test "keyrepeat vnc --erase: a signal between the two leaves nothing in the field" {
	field 500
	start typing "$KEYREPEAT" "vnc:127.0.0.1:$port" -t 60s --region 400x400+0+0 --erase --json -o report.json
	until_true grep -q . field.log
	kill "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 130 ]
	until_true left_in_field
}

@test "keyrepeat vnc --erase: after a key that did not show, no other one, as BackSpace may take what was there before" {
	field 10 20
	run "$KEYREPEAT" "vnc:127.0.0.1:$port" -t 60s --timeout 3s --erase --json -o report.json
	[ "$status" = 1 ]
	[ "$(jq -r .result.ended report.json)" = "key not shown" ]
	[ "$(jq '.result | .keys_answered + .keys_skipped' report.json)" = 16 ]	# and two pairs to find the field
	[ "$(jq '.result | .keys_sent == .keys_due' report.json)" = true ]	# none is counted that was not sent
	[ "$(wc -l <field.log)" = 21 ]
}

@test "keyrepeat vnc --erase: one key where nothing shows, two pairs where BackSpace does not erase" {
	start_vnc -SecurityTypes None
	need xev xdotool
	start xev xev -geometry 300x200+0+0
	until_true xdotool search --onlyvisible --name "Event Tester"
	xdotool windowfocus --sync "$(xdotool search --onlyvisible --name "Event Tester")" mousemove 100 100
	run "$KEYREPEAT" "vnc:127.0.0.1:$port" -t 3s --erase
	[ "$status" = 1 ]
	[[ $output == *"text field"* && $output != *" --"* ]]
	[ "$(grep -c '^KeyPress event' xev.out)" = 1 ]
	start_xterm sh -c 'stty -icanon -echo; tee keys.log'
	run "$KEYREPEAT" "vnc:127.0.0.1:$port" -t 3s --erase
	[ "$status" = 1 ]
	[[ $output == *BackSpace* ]]
	[ "$(wc -c <keys.log)" = 4 ]
}
