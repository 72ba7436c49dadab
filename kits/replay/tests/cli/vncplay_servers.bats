#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay play and its servers: passwords, other security, hostile ones, ends of either side; and words that are wrong.
# shellcheck disable=SC2030,SC2031	# each test has its own port

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers
load vncplay_desk

setup() { begin_desk; }

@test "passwords: of vncpasswd or as text; none, a wrong one and servers with other security are refused with a line" {
	need openssl
	printf 'sesame\n' >text
	printf 'wrong\n' >wrong
	printf '\1\2\3' >none
	click 42 20 shot >script
	make_trace script t.trace --delays 100
	desk locked --delays 100 --password sesame
	play t.trace o.rfb --wait-end 0 --password-file text
	[ "$status" -eq 0 ]
	if command -v tigervncpasswd; then
		tigervncpasswd -f <text >hidden
		[ "$(stat -c %s hidden)" -eq 8 ]
		play t.trace o.rfb --wait-end 0 --password-file hidden
		[ "$status" -eq 0 ]
	fi
	play t.trace o.rfb
	[ "$status" -eq 1 ] && grep -q 'wants a password: --password-file' play.err
	play t.trace o.rfb --password-file wrong
	[ "$status" -eq 1 ] && grep -q 'the greeting failed: ' play.err
	play t.trace o.rfb --password-file none
	[ "$status" -eq 1 ] && grep -q 'holds no password' play.err
	[ "$(wc -l <play.err)" -eq 1 ]
	end_desk
}

@test "a signal ends it with a valid log and nothing held down; so does a server that goes away; a killed replay's log is usable" {
	{
		click 42 20 shot
		printf 'wait 100\nmove 300 300\npress 300 300\nkeydown 0xffe1\nwait 60000\nkeyup 0xffe1\nrelease 300 300\n'
	} >script
	make_trace script long.trace --delays 100
	desk first --delays 100
	start interrupted "${PLAY[@]}" "127.0.0.1::$port" long.trace o.rfb
	player=$pid
	until_true grep -q '^input .* keydown' o.rfb.aux
	kill -INT "$player"
	ends "$player"
	[ "$status" -eq 130 ]
	blocks o.rfb
	grep -q 'status=interrupted$' o.rfb.aux
	grep -q interrupted interrupted.out
	until_true grep -q ' closed n=1' first.log
	[ "$(grep -c ' release .* x=300' first.log)" -eq 1 ] && [ "$(grep -c 'key up keysym=0xffe1' first.log)" -eq 1 ]
	start killed "${PLAY[@]}" "127.0.0.1::$port" long.trace k.rfb
	player=$pid
	until_true grep -q '^input .* keydown' k.rfb.aux
	kill -9 "$player"
	blocks k.rfb
	start left "${PLAY[@]}" "127.0.0.1::$port" long.trace l.rfb
	player=$pid
	until_true grep -q '^input .* keydown' l.rfb.aux
	end_desk
	ends "$player"
	[ "$status" -eq 1 ]
	grep -q 'connection is over' left.err && grep -q 'status=closed$' l.rfb.aux
	blocks l.rfb
}

@test "words that are wrong, and files that are none" {
	local bad

	printf 'vncplay-trace 1\nscreen 640x480\n1000 move 5 5\n' >t.trace
	printf 'vncplay-trace 1\nscreen 640x480\n' >empty.trace
	printf 'nonsense\n' >nonsense
	port=1
	for bad in "" "t.trace" "t.trace o.rfb more"; do
		# shellcheck disable=SC2086 # words
		play $bad
		[ "$status" -eq 2 ] && [ "$(wc -l <play.err)" -eq 1 ]
	done
	for bad in "--speed 0" "--jitter 100" "--repeat 0" "--tolerance 256" "--mismatch 101" "--search -1" "--timeout x"; do
		# shellcheck disable=SC2086 # words
		play t.trace o.rfb $bad
		[ "$status" -eq 2 ] && [ "$(wc -l <play.err)" -eq 1 ]
	done
	play t.trace t.trace
	[ "$status" -eq 2 ]
	# nothing that is read or written takes the place of another: side files and further replays too
	cp t.trace o-2.rfb
	run -2 "$BIN/vncplay" play 127.0.0.1::1 t.trace o.rfb -o o.rfb.aux
	run -2 "$BIN/vncplay" play 127.0.0.1::1 o-2.rfb o.rfb --repeat 3
	run -2 "$BIN/vncplay" play 127.0.0.1::1 t.trace o.rfb --deps o.rfb
	cmp t.trace o-2.rfb
	play no.trace o.rfb
	[ "$status" -eq 1 ] && grep -q 'no.trace: No such file' play.err
	play nonsense o.rfb
	[ "$status" -eq 1 ] && grep -q '^vncplay: nonsense: ' play.err
	play empty.trace o.rfb
	[ "$status" -eq 1 ] && grep -q 'no inputs' play.err
	play t.trace o.rfb --deps nonsense
	[ "$status" -eq 1 ] && grep -q 'nonsense: line 1: not a file of vncplay learn' play.err
	play t.trace o.rfb --encodings tight,h264
	[ "$status" -eq 1 ] && grep -q 'no encoding h264: raw, ' play.err
	play t.trace o.rfb --password-file no
	[ "$status" -eq 1 ] && grep -q 'no: No such file' play.err
	run -2 "$BIN/vncplay" learn t.trace
	run -2 "$BIN/vncplay" learn t.trace a.rfb a.rfb
	run -1 "$BIN/vncplay" learn t.trace a.rfb b.rfb
	[[ $output == *"0 complete replays: nothing can be learned"* ]]
}
