#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --on attach --own-display: the client runs on an X display that the run starts, as where the desktop is Wayland's, or there is
# none.

load window

# own NAME OPTION...: a run whose client is refecho itself, with 20 ms of delay, in an environment without an X display.
own() {
	exec env -u DISPLAY -u XAUTHORITY WAYLAND_DISPLAY=wayland-0 XDG_SESSION_TYPE=wayland "LAB_TEST_WORLD=$W" \
		bash "$TOP/experiments/engine/run.sh" stalls --on attach --own-display \
		"echo \"\$DISPLAY\" >'$W/$1.display'
		sleep 1000 & (trap '' TERM; sleep 1001) & setsid sh -c 'trap \"\" TERM HUP; sleep 1002' &
		exec '$TOP/bin/refecho' --display \"\$DISPLAY\" --answer-delay const:20ms --json -o '$W/$1.json'" \
		--loads 0 --repeat 1 --idle 1 -o "$W/$1" "${@:2}"
}
ended_all() {
	local _
	for _ in {1..300}; do [ -n "$(survivors | grep -vE '^[0-9]+ (.*bats|tr |grep |$)')" ] || return 0; sleep 0.1; done
	survivors
	return 1
}
unlocked() { [ -s "$W/$1.display" ] && [ ! -e "/tmp/.X$(tr -d : <"$W/$1.display")-lock" ]; }	# of run NAME

@test "attach --own-display: each key gets into the client, which ends with the run" {
	run own quick --quick --time 2
	[ "$status" -eq 0 ]
	[ "$(jq -r .state "$W/quick/run.json")" = complete ]
	[ "$(jq -r '.protocol | "\(.title) \(.watch)"' "$W/quick/run.json")" = "refecho patch" ]
	[ "$(jq -s 'map(.result | .keys_sent + .keys_skipped) | add' "$W"/quick/cells/*/1/keyrepeat.json)" = \
		"$(jq .result.keys_received "$W/quick.json")" ]
	# no key is answered sooner than the client does
	jq -e '.result.latency_from_due_ms.min >= 20' "$W"/quick/cells/*/1/keyrepeat.json
	ended_all
	unlocked quick
	[ ! -e "$W/quick/own-display.cookie" ]
	# continued, the client may have another window
	rm -r "$W"/quick/cells/*/1
	jq '(.protocol, .protocols.attach).window = "0x1"' "$W/quick/run.json" >"$W/other"
	mv "$W/other" "$W/quick/run.json"
	run env -u DISPLAY -u XAUTHORITY "LAB_TEST_WORLD=$W" bash "$TOP/experiments/engine/run.sh" stalls --resume "$W/quick"
	[ "$status" -eq 0 ]
	[ "$(jq -r .state "$W/quick/run.json")" = complete ]
}

@test "attach --own-display: runs that begin at once have a display each" {
	local n
	mkdir "$W/path"
	# no display starts before all have been asked for
	cat >"$W/path/Xvfb" <<-END
		#!/bin/sh
		: >"$W/path/\$\$.asked"
		until [ "\$(ls "$W/path" | grep -c asked)" = 3 ]; do sleep 0.05; done
		exec "$(type -P Xvfb)" "\$@"
	END
	chmod 755 "$W/path/Xvfb"
	for n in 1 2 3; do (PATH=$W/path:$PATH own "at-once-$n" --quick --time 2) >"$W/out-$n" 2>&1 3>&- & done
	wait
	cat "$W"/out-?
	for n in 1 2 3; do [ "$(jq -r .state "$W/at-once-$n/run.json")" = complete ]; done
	[ "$(sort -u "$W"/at-once-?.display | wc -l)" -eq 3 ]
	ended_all
}

@test "soak --on attach: a session in a window is measured, in blocks of time" {
	run env -u DISPLAY -u XAUTHORITY bash "$TOP/experiments/engine/run.sh" soak --on attach --own-display \
		"exec '$TOP/bin/refecho' --display \"\$DISPLAY\" --answer-delay const:20ms --json -o '$W/echo.json'" \
		--quick --time 12 --block 2 --every 0.2 --warmup 1 -o "$W/soak"
	echo "$output"
	[[ $status = [035] ]]	# (so short, a change may stay undecided)
	[[ $output == *'attach: window "refecho" of a server that is not ours'* ]]
	[ "$(jq -r '"\(.state) \(.protocol.title)"' "$W/soak/run.json")" = "complete refecho" ]
	[ "$(jq .keys "$W"/soak/cells/*/1/cell.json)" -gt 20 ]
	# no key is answered sooner than the client does
	awk -F'\t' '$6 == "floor_ms" { n++; early += $9 < 20 } END { exit n != 6 || early }' "$W"/soak/cells/*/1/blocks.tsv
	ended_all
}

@test "attach --own-display: kill -9 of the run ends the client and its display" {
	own killed --time 60 >"$W/out" 2>&1 3>&- &
	pid=$!
	for _ in {1..300}; do [ ! -s "$W/killed/log/own-client.err" ] || break; sleep 0.1; done
	[ "$(survivors | grep -cE ' (Xvfb|[^ ]*/refecho) ')" -eq 2 ]
	kill -KILL "$pid"
	ended_all
	unlocked killed
	for _ in {1..300}; do [ -e "$W/killed/own-display.cookie" ] || break; sleep 0.1; done
	[ ! -e "$W/killed/own-display.cookie" ]
}

@test "attach --own-display: a client that shows no window, and words that do not go together, are refused with one line" {
	run bash "$TOP/experiments/engine/run.sh" stalls --on attach --own-display 'echo no such host >&2; exit 3' --quick -o "$W/none"
	[ "$status" -eq 1 ]
	[[ $output == *" showed no window of 320x240 or more: no such host; see "* ]]
	run bash "$TOP/experiments/engine/run.sh" stalls --on attach:own,Fire --own-display 'exit 3' --quick -o "$W/named"
	[ "$status" -eq 1 ]
	[[ $output == *" showed no window with 'Fire' in its title, of 320x240 or more: it wrote no error message; see "* ]]
	run bash "$TOP/experiments/engine/run.sh" soak --on attach --own-display x --options-only
	[ "$status" -eq 0 ]
	for words in "--on attach:own,x,pick --own-display x" "--on attach" "--on attach:own,x" "--on attach::0,x --own-display x" \
		"--own-display x"; do
		# shellcheck disable=SC2086 # words
		run bash "$TOP/experiments/engine/run.sh" stalls $words --options-only
		[ "$status" -eq 2 ]
		[[ $output == *"--own-display"* ]]
	done
}
