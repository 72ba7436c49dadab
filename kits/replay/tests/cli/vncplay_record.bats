#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay record: what is done at a screen is sent and written, all of it. The scripted server's own
# log says what arrived, and on what.

load ../../../../tests/cli/helpers
load vncplay_desk

setup() { begin_desk; }

serve() { desk server --buttons 20 "$@"; }	# options...: its log is server.log

record() {	# options...: with the script on standard input; the trace is "a trace", the report report.json
	cat >script
	timeout 60 "$BIN/vncplay" record --headless --script script --format json -o report.json "$@" "localhost::$port" "a trace"
}

got() {	# what: how often the server got it
	grep -c " $1" server.log || true
}

wrote() {	# pattern: how often the trace has it
	grep -cE "^[0-9]+ $1" "a trace" || true
}

told() {	# key of the result
	jq -r ".result.$1" report.json
}

proxy() {	# options...: a recording by hand; $proxy, where a viewer is awaited
	start proxy "$BIN/vncplay" record --format json -o report.json "$@" "localhost::$port" "a trace"
	until_true grep -q '^ready' proxy.err
	proxy=$(sed -nE 's/.*vncviewer 127\.0\.0\.[12]::([0-9]+).*/\1/p' proxy.err)
}

# vncplay's player is the viewer: it sees what the script shot.
view() { timeout 30 "$BIN/vncplay" play "127.0.0.1::$1" "$2" "$2.rfb" --wait-end "${3:-300ms}"; }	# port trace [time]

@test "vncplay record: every press and release is sent and written, on a spot that does not change" {
	serve --answer mark
	record <<-'EOF'
		click 40,20
		500 click 40,20
		500 click 40,20
		pause 500ms
		click 40,20 3 times
	EOF
	[ "$(got press)" -eq 6 ]
	[ "$(got release)" -eq 6 ]
	[ "$(grep -cE ' press .* on=button-1$' server.log)" -eq 6 ]
	[ "$(wrote press)" -eq 6 ]
	[ "$(wrote release)" -eq 6 ]
	[ "$(told presses)" -eq 6 ]
	[ "$(told releases)" -eq 6 ]
	[ "$(told ended)" = "script done" ]
	[ "$(told snapshots.click)" -ge 4 ]
	[ "$(wrote 'snapshot click 35 15 11 11')" -eq 4 ]	# the three quick ones have one
}

@test "vncplay record: works with a server that draws its pointer, and with a password and few colours" {
	serve --pointer draw --answer mark
	record <<<'click 40,20'
	[ "$(told pointer_shape)" = false ]
	grep -q ' press .*on=button-1$' server.log
	end_desk
	serve --pointer strict --password sesame --bits 8 --answer mark
	echo sesame >"pass word"
	record --password-file "pass word" <<<'click 40,20'
	[ "$(told pointer_shape)" = true ]
	grep -q ' press .*on=button-1$' server.log
}

@test "vncplay record: killed, it leaves a trace that is valid up to its last line" {
	serve --answer mark
	for i in {1..50}; do echo "click 40,20"; echo "click 100,20"; done >script
	start record "$BIN/vncplay" record --headless --script script "localhost::$port" "a trace"
	until_true eval '[ "$(got release)" -ge 3 ]'
	kill -9 "$pid"
	ends "$pid"
	[ "$(head -n 1 "a trace")" = "vncplay-trace 1" ]
	[ "$(tail -c 1 "a trace" | od -An -c | tr -d ' ')" = '\n' ]
	until_true grep -q ' closed ' server.log
	# what was sent is written: a line is written before its input goes
	[ "$(wrote press)" -ge "$(got press)" ]
	[ "$(wrote press)" -le $(($(got press) + 1)) ]
	run grep -vE -e '^(#|vncplay-trace 1$|server "|screen 640x480$|pixels 0x00RRGGBB$|time us since start$|started )' \
		-e '^[0-9]+ (move|press|release|snapshot click) ' "a trace"
	[ "$status" -eq 1 ]
}

@test "vncplay record: SIGINT ends it with a report, and nothing stays pressed" {
	serve --answer mark
	printf '%s\n' 'move 40,20' 'button 1 down' 'pause 30s' 'button 1 up' >script
	start record "$BIN/vncplay" record --headless --script script --format json -o report.json "localhost::$port" "a trace"
	until_true grep -q ' press ' server.log
	kill -INT "$pid"
	ends "$pid"
	[ "$status" -eq 130 ]
	[ "$(told ended)" = interrupted ]
	[ "$(wrote press)" -eq 1 ]
	[ "$(wrote release)" -eq 1 ]
	until_true grep -q ' release ' server.log
}

@test "vncplay record: as a proxy it records any viewer of this machine, one at a time, and ends when the viewer leaves" {
	need ss
	serve --answer mark --name "a desk"
	proxy
	confined "$pid"
	[ "$(ss -Hltn "sport = :$proxy" | awk '{ print $4 }')" = "127.0.0.1:$proxy" ]
	printf '%s\n' 'move 40 20' 'wait 300' 'shot click 40 20' 'press 40 20' 'wait 50' 'release 40 20' \
		'wait 50' 'press 40 20' 'release 40 20' 'wait 50' 'press 40 20' 'release 40 20' 'wait 500' 'key 0xff0d' >script
	make_trace script first
	printf '%s\n' 'vncplay-trace 1' 'screen 640x480' '0 move 7 7' >second
	view "$proxy" first 2s &
	first=$!
	until_true grep -q ' press ' server.log
	run view "$proxy" second
	[ "$status" -eq 1 ]
	wait "$first"
	ends "$pid"
	[ "$status" -eq 0 ]
	[ "$(told ended)" = "viewer left" ]
	[ "$(got 'move x=7 ')" -eq 0 ]
	grep -qa "a desk" first.rfb
	[ "$(got press)" -eq 3 ]
	[ "$(got release)" -eq 3 ]
	[ "$(got 'key down keysym=0xff0d')" -eq 1 ]
	[ "$(wrote press)" -eq 3 ]
	[ "$(wrote release)" -eq 3 ]
	[ "$(wrote 'keydown 0xff0d Return')" -eq 1 ]
}

@test "vncplay record: the proxy listens at --listen and --bind" {
	unused_port
	set -- "$port"
	serve
	proxy --listen "$1" --bind 127.0.0.2
	[ "$(ss -Hltn "sport = :$1" | awk '{ print $4 }')" = "127.0.0.2:$1" ]
	kill -INT "$pid"
	ends "$pid"
	[ "$status" -eq 130 ]
}

@test "vncplay record: if the server goes away, it says so, and keeps the recording" {
	serve --answer mark
	printf '%s\n' 'click 40,20' 'pause 30s' 'click 40,20' >script
	start record "$BIN/vncplay" record --headless --script script --format json -o report.json "localhost::$port" "a trace"
	until_true grep -q ' release ' server.log
	kill -9 "$desk"
	ends "$pid"
	[ "$status" -eq 3 ]
	[ "$(told ended)" = "server closed" ]
	[ "$(wrote press)" -eq 1 ]
	[ "$(wc -l <record.err)" -eq 1 ]
}

@test "vncplay: code in a recorder, a proxy and a player has nothing of the caller, no Unix socket, and reaches no other process" {
	load ../../../../tests/cli/inside
	need ss python3
	prepare_inside
	unused_port
	start refecho "$BIN/refecho" --vnc "$port"
	server=$pid
	until_true grep -q ready refecho.err
	printf '%s\n' 'move 40,20' a >script
	exec 7<handed
	"${inside[@]}" "$BIN/vncplay" record --headless --script script "127.0.0.1::$port" made.trace
	"${inside[@]}" "$BIN/vncplay" play "127.0.0.1::$port" made.trace o.rfb || [ $? = 3 ]
	start proxy "${inside[@]}" "$BIN/vncplay" record "127.0.0.1::$port" seen.trace
	until_true grep -q ready proxy.err
	kill -INT "$pid"
	ends "$pid"
	exec 7<&-
	kill "$server"
	ends "$server"
	[ "$(tail -c +5 said | tr -d '\0' | grep -c looked)" = 3 ]
	found_inside vncplay
	if grep -vx 'vncplay dumpable' found; then false; fi
}
