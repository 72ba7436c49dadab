#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay: words that are wrong, and files that are none: one line that names it and what to do.

load ../../../../tests/cli/helpers
load vncplay_desk

setup() {
	begin_desk
	desk server --buttons 1
	mkdir "in here" folder
	python3 "$BATS_TEST_DIRNAME/../golden/make_vncplay.py" make "in here" width=240 height=180 clicks=2 factors=1
	cp "in here/run0.rfb" alone.rfb
	head -c 20 "in here/run0.rfb" >short.rfb
	cp "in here/run0.rfb.aux" short.rfb.aux
	cp "in here/run0.rfb" odd.rfb
	cp "in here/truth.tsv" odd.rfb.aux
	printf 'vncplay-trace 1\nscreen 640x480\n1000 move 5 5\n' >t.trace
	printf 'vncplay-trace 1\nscreen 640x480\n' >empty.trace
	cp t.trace o-2.rfb
	echo nonsense >nonsense
	echo 'fly 1,1' >bad
	echo '1 a' >work
	: >none
}

# Status, words, what the line says. S is a server that listens, N is nobody.
rows() {
	cat <<-'END'
		2|play|play what
		2|play N t.trace|play what
		2|play N t.trace o.rfb more|more
		2|play N t.trace o.rfb --speed 0|--speed
		2|play N t.trace o.rfb --jitter 100|--jitter
		2|play N t.trace o.rfb --repeat 0|--repeat
		2|play N t.trace o.rfb --tolerance 256|--tolerance
		2|play N t.trace o.rfb --mismatch 101|--mismatch
		2|play N t.trace o.rfb --mismatch 101%|--mismatch
		2|play N t.trace o.rfb --search -1|--search
		2|play N t.trace o.rfb --timeout x|--timeout
		2|play N t.trace o.rfb --mask 1,2,3|--mask
		2|play N t.trace o.rfb --mask 1,2,3,0|--mask
		2|play N t.trace o.rfb --mask 1,2,3,4,5|--mask
		2|play N t.trace o.rfb --mask -1,2,3,4|--mask
		2|play N t.trace o.rfb --mask a,b,c,d|--mask
		2|play N t.trace t.trace|give each its own
		2|play N t.trace o.rfb -o o.rfb.aux|give each its own
		2|play N o-2.rfb o.rfb --repeat 3|give each its own
		2|play N t.trace o.rfb --deps o.rfb|--deps is gone: .*snapshots
		2|play N t.trace o.rfb --deps=o.rfb|--deps is gone
		1|play N no.trace o.rfb|no.trace: No such file
		1|play N nonsense o.rfb|^vncplay: nonsense: 
		1|play N empty.trace o.rfb|no inputs
		2|learn t.trace a.rfb b.rfb|learn is gone: .*play
		1|play N alone.rfb o.rfb|not a trace but a log.*the trace that it was played from
		2|analyze|analyze what
		1|analyze in\ here/none.rfb|in here/none.rfb: No such file
		1|analyze alone.rfb|alone.rfb.aux: No such file.*beside
		1|analyze in\ here/truth.tsv|not an FBS log.*OUT.rfb
		2|analyze in\ here/run0.rfb --aux in\ here/run0.rfb.aux|--aux is gone
		1|analyze t.trace|t.trace: not an FBS log but a trace: .*OUT.rfb
		1|analyze in\ here/run0.rfb.aux|not an FBS log: .*OUT.rfb
		1|analyze odd.rfb|no line of a side file
		2|analyze in\ here/run0.rfb --labels a,b|labels
		2|analyze in\ here/run0.rfb in\ here/run0.rfb|twice
		2|analyze in\ here/run0.rfb --scale 4|--method paper
		2|analyze in\ here/run0.rfb --method paper --scale 0|--scale
		1|analyze short.rfb|short.rfb
		2|analyze in\ here/run0.rfb -o folder/../in\ here/run0.rfb|give each its own
		2|analyze in\ here/run0.rfb -o in\ here/run0.rfb.aux|give each its own
		2|record|which SERVER
		2|record S|which SERVER
		2|record S t more|more.*too much
		2|record --headless S t|--headless needs --script
		2|record --headless --script bad --listen 7000 S t|--listen
		2|record --script none --bind 127.0.0.1 S t|--bind
		2|record --script none --ready-fd 3 S t|--ready-fd
		2|record --settle 3s S t|--settle-timeout
		2|record --key-area 1,1,300,300 S t|--key-area
		2|record --key-area 1,1,x S t|--key-area
		2|record --hover 0 S t|--hover is gone
		2|record --script bad S t|bad: line 1:
		2|record --headless --script nowhere S t|nowhere
		2|record --listen 7000 --bind 300.0.0.1 S t|--bind
		2|record --headless --script work S ./work|./work; give each its own
		1|record --headless --script none S no/folder|no/folder
		1|record --headless --script none --connect 2s N t|refused
	END
}

@test "vncplay: an error is one line that names its cause; nothing is written" {
	local want words text wrong=0 sum out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err

	sum=$(find . -type f -exec cksum {} + | sort)
	while IFS='|' read -r want words text; do
		words=${words/ N/ 127.0.0.1::1} status=0
		eval "timeout 20 \"\$BIN/vncplay\" ${words/ S/ 127.0.0.1::$port}" >"$out" 2>"$err" </dev/null || status=$?
		[ "$status" = "$want" ] && [ ! -s "$out" ] && [ "$(wc -l <"$err")" = 1 ] && grep -q -- "$text" "$err" ||
			{ echo "$words: $status, $(cat "$err")"; wrong=1; }
	done < <(rows)
	[ "$wrong" = 0 ]
	end_desk
	diff <(grep -v server.log <<<"$sum") <(find . -type f -exec cksum {} + | sort | grep -v server.log)
}

# Encodings and passwords are looked at on the way to the server, and with them there are no figures.
@test "vncplay: an unknown encoding, and a missing password file, are errors" {
	play t.trace o.rfb --encodings tight,h264
	[ "$status" -eq 1 ]
	grep -q 'no encoding h264: raw, ' play.err
	play t.trace o.rfb --password-file no
	[ "$status" -eq 1 ]
	grep -q 'no: No such file' play.err
}
