#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay play against a scripted desktop that logs what reached which of its widgets; traces are not made by vncplay's recorder.

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers
load vncplay_desk

setup() { begin_desk; }

@test "vncplay play: every input arrives, in order, at the recorded intervals; the log ends with the last answer" {
	{
		click 42 20 shot
		printf 'wait 250\nmove 100 120\nwait 100\nshot click 100 120\n'
		for _ in 1 2 3; do printf 'press 100 120\nwait 50\nrelease 100 120\nwait 70\n'; done
		printf 'wait 100\nkeydown 0xffe1\nwait 30\nkey 0x41\nkeydown 0x62\nwait 30\nkeydown 0x62\nkeyup 0x62\nkeyup 0xffe1\nwait 300\n'
		click 102 20 shot
	} >script
	make_trace script t.trace --delays 150 --answer mark
	desk second --delays 150,400 --answer mark
	play t.trace "o 1.rfb" --wait-end 2s	# the desktop's last answer, 400 ms later, may be late
	[ "$status" -eq 0 ]
	end_desk
	diff <(acted t.trace.log) <(acted second.log)
	[ "$(acted second.log | grep -c '^press button=1 x=100 y=120')" -eq 3 ]
	[ "$(acted second.log | grep -c '^release button=1 x=100 y=120')" -eq 3 ]
	[ "$(value inputs)" = "$(value inputs_of_trace)" ]
	[ "$(value snapshots.matched)" = 3 ]
	# all that the server sent is in the log
	read -r bytes ms <<<"$(blocks "o 1.rfb")"
	[ "$bytes" = "$(awk '/ sent n=1/ && sub(/.* bytes=/, "") { n += $1 } END { print n }' second.log)" ]
	grep -q 'paint name=answer' second.log
	# the side file has the same inputs, and the words of 2005
	[ "$(head -n 1 "o 1.rfb.aux")" = "# vncplay-aux 1" ]
	[ "$(grep -c '^input ' "o 1.rfb.aux")" = "$(value inputs)" ]
	[ "$(grep -c '^== sending mouse click event at [0-9]*$' "o 1.rfb.aux")" -eq 10 ]
	[ "$(grep -c '^== sending keyboard event at [0-9]*$' "o 1.rfb.aux")" -eq 7 ]
	[ "$(grep -c '^Sync ok at' "o 1.rfb.aux")" -eq 3 ]
	[ "$(tail -n 1 "o 1.rfb.aux" | sed 's/at [0-9]*/at T/')" = "run end at T status=complete" ]
	# the last answer came 400 ms after the last press
	last=$(sed -nE 's/^input [0-9]+ press at ([0-9]+) .*/\1/p' "o 1.rfb.aux" | tail -n 1)
	echo "last press at $last us, last block at $ms ms"
	[ "$ms" -ge $((last / 1000 + 390)) ]
	# distances between presses and releases are those of the trace; a machine that is busy is told by its own lateness
	jq '.result.runs[0].input_lateness_us' report.json
	awk -v late="$(value input_lateness_us.max)" 'NR == FNR { if ($2 ~ /press|release/) { at[++n] = $1 } next }
		/^input [0-9]+ (press|release)/ {
			mine[++m] = $5
			d = m > 1 ? (mine[m] - mine[m - 1]) - (at[m] - at[m - 1]) : 0
			if (d > late + 5 || d < -late - 5) { print m, d; bad = 1 }
		}
		END { exit bad || n != m }' t.trace "o 1.rfb.aux"
}

@test "vncplay play: waits for a late window, shaking the pointer; the schedule continues from there" {
	{
		click 42 20 shot
		printf 'wait 300\nmove 80 90\nwait 100\nshot click 80 90\npress 80 90\nwait 40\nrelease 80 90\nwait 300\n'
	} >script
	make_trace script t.trace --delays 100 --answer window
	desk second --delays 2000 --answer window
	play t.trace o.rfb --wait-end 200ms
	[ "$status" -eq 0 ]
	[ "$(value snapshots.waited)" = 1 ]
	[ "$(value snapshots.at_once)" = 1 ]
	[ "$(value wiggles)" -ge 1 ]
	end_desk
	# not before it was painted
	painted=$(sed -nE 's/^([0-9]+) paint name=answer-1.*/\1/p' second.log)
	pressed=$(sed -nE 's/^([0-9]+) press .* x=80 .*/\1/p' second.log)
	[ "$pressed" -gt "$painted" ]
	grep -qE ' move x=81 y=90' second.log
	grep -qE ' move x=80 y=90' second.log
	jq -e '.result.runs[0].shifted_s > 0.5 and .result.runs[0].shifted_s < 20' report.json
	# never while a button is down
	[ "$(awk '/ press /{ down = 1 } / release /{ down = 0 } / move / && down' second.log | wc -l)" -eq 0 ]
}

@test "vncplay play: a missing picture, or another screen size, is not clicked: status 1, the trace's line, two pictures" {
	click 42 20 shot >script
	make_trace script t.trace --delays 100
	desk second --moved 1:0/40
	play t.trace o.rfb --timeout 2s
	[ "$status" -eq 1 ]
	line=$(grep -n snapshot t.trace | cut -d: -f1)
	grep -qE "^vncplay: o.rfb: line $line of the trace: after ([2-9]|[1-9][0-9])[0-9.]* s the screen at 37,15 \(11x11\) \
is not as recorded: [0-9]+ of 121 pixels differ" play.err
	[ "$(value status)" = timeout ]
	[ "$(value inputs)" = 1 ]
	[ "$(grep -c ' press ' second.log)" -eq 0 ]
	tail -n 1 o.rfb.aux | grep -q 'status=timeout$'
	blocks o.rfb
	python3 - t.trace <<'END'
import sys
def read(path):
    head, size, most, data = open(path, "rb").read().split(b"\n", 3)
    w, h = map(int, size.split())
    assert (head, most) == (b"P6", b"255") and len(data) == w * h * 3
    return w, h, data
w, h, want = read("o.rfb.expected.ppm")
assert (w, h) == read("o.rfb.actual.ppm")[:2] and w > 11
shot = next(l for l in open(sys.argv[1]) if " snapshot " in l).split()[-1].split(",")
x0, y0 = (w - 11) // 2, (h - 11) // 2
for i, pixel in enumerate(shot):
    at = ((y0 + i // 11) * w + x0 + i % 11) * 3
    assert want[at:at + 3].hex() == pixel, i
END
	# a press that is not looked for elsewhere is not made elsewhere; where it may be, it goes along
	play t.trace o.rfb --timeout 5s --patience 200ms --search 48 --wait-end 150ms
	[ "$status" -eq 0 ]
	[ "$(value snapshots.moved)" = 1 ]
	grep -qE '^snapshot 0 ok .* moved=-?[01],(39|40|41)$' o.rfb.aux
	[ ! -e o.rfb.expected.ppm ]
	end_desk
	[ "$(grep -cE ' (press|release) .* on=button-1$' second.log)" -eq 2 ]
	desk third --size 512x384
	play t.trace o.rfb
	[ "$status" -eq 1 ]
	grep -q 'screen is 512x384, the trace is of one of 640x480: .*--any-size' play.err
	play t.trace o.rfb --any-size --wait-end 200ms
	[ "$status" -eq 0 ]
	end_desk
}

@test "vncplay play: masks and tolerances; it does not wait for a snapshot hidden by --mask" {
	desk first --delays 100
	click 42 20 shot >script
	make_trace script t.trace --delays 100
	sed '/snapshot/s/000000/0a0000/' t.trace >near.trace
	sed '/snapshot/s/000000/ff0000/; /snapshot/s/000000/ff0000/; /snapshot/s/000000/ff0000/; /snapshot/s/000000/ff0000/' \
		t.trace >four.trace
	sed '/snapshot/s/b6b6aa/123456/g' t.trace >far.trace
	play near.trace o.rfb --timeout 150ms --wait-end 0 --mismatch 0
	[ "$status" -eq 1 ]
	play near.trace o.rfb --wait-end 0 --mismatch 0 --tolerance 10
	[ "$status" -eq 0 ]
	play four.trace o.rfb --timeout 150ms --wait-end 0	# 4 of 121 are more than 3 %
	[ "$status" -eq 1 ]
	play four.trace o.rfb --wait-end 0 --mismatch 3.4
	[ "$status" -eq 0 ]
	play far.trace o.rfb --wait-end 0 --mask 36,14,6,13 --mask 42,0,50,50
	[ "$status" -eq 0 ]
	# one that lies beside the screen is a mistake, whoever tells the screen's size; one that reaches over its edge is none
	for bad in 640,0,9,9 0,480,9,9; do
		rm -f report.json
		play far.trace o.rfb --mask 1,1,1,1 --mask $bad
		[ "$status" -eq 2 ]
		[ ! -e report.json ]
		[ "$(wc -l <play.err)" -eq 1 ]
		grep -q "^vncplay: --mask $bad is outside of the trace's screen, which is 640x480" play.err
		play far.trace o.rfb --any-size --mask $bad
		[ "$status" -eq 1 ]
		[ "$(wc -l <play.err)" -eq 1 ]
		why=$(sed -n "s/^vncplay: o.rfb: \(--mask $bad is outside of the server's screen, .*\)/\1/p" play.err)
		jq -e --arg why "$why" '.result.runs[0] == {file: "o.rfb", status: "refused", $why} and $why != ""' report.json
	done
	play far.trace o.rfb --wait-end 0 --mask 0,0,2000,50
	[ "$status" -eq 0 ]
	end_desk
	# nothing was replayed: the reason, and no zeros for figures
	status=0
	"${PLAY[@]}" "127.0.0.1::$port" far.trace o.rfb --json >out 2>err || status=$?
	cat out err
	[ $status -eq 1 ]
	grep -q 'Connection refused' err
	jq -e '.result.runs[0] | keys == ["file", "status", "why"] and (.why | test("Connection refused"))' out
	"${PLAY[@]}" "127.0.0.1::$port" far.trace o.rfb >out 2>err || true
	[[ $(head -n 1 out) == "! "*"Connection refused"* ]]
}

@test "vncplay play: servers that require a client cursor, draw it themselves, or have none" {
	click 42 20 shot >script
	make_trace script t.trace --delays 100
	for kind in strict draw never; do
		desk "$kind" --delays 100 --pointer "$kind"
		play t.trace "o-$kind.rfb" --wait-end 150ms --timeout 10s --patience 200ms
		[ "$status" -eq 0 ]
		end_desk
		grep -qE 'press .* on=button-1$' "$kind.log"
	done
}

@test "vncplay play: passwords from vncpasswd or as text; a missing or wrong one, and other security, give one line" {
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
	[ "$status" -eq 1 ]
	grep -q 'wants a password: --password-file' play.err
	play t.trace o.rfb --password-file wrong
	[ "$status" -eq 1 ]
	grep -q 'the greeting failed: ' play.err
	play t.trace o.rfb --password-file none
	[ "$status" -eq 1 ]
	grep -q 'holds no password' play.err
	[ "$(wc -l <play.err)" -eq 1 ]
	end_desk
}

@test "vncplay play: a signal or the server's end leaves a valid log and nothing pressed; a killed replay's log is usable" {
	{
		click 42 20 shot
		printf 'wait 100\nmove 300 300\npress 300 300\nkeydown 0xffe1\nwait 60000\nkeyup 0xffe1\nrelease 300 300\n'
	} >script
	make_trace script long.trace --delays 100
	desk first --delays 100
	start interrupted "${PLAY[@]}" "127.0.0.1::$port" long.trace o.rfb
	player=$pid
	until_true grep -q '^input .* keydown' o.rfb.aux
	confined "$player"
	kill -INT "$player"
	ends "$player"
	[ "$status" -eq 130 ]
	blocks o.rfb
	grep -q 'status=interrupted$' o.rfb.aux
	grep -q interrupted interrupted.out
	until_true grep -q ' closed n=1' first.log
	[ "$(grep -c ' release .* x=300' first.log)" -eq 1 ]
	[ "$(grep -c 'key up keysym=0xffe1' first.log)" -eq 1 ]
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
	grep -q 'connection is over' left.err
	grep -q 'status=closed$' l.rfb.aux
	blocks l.rfb
}

@test "vncplay play: stopped itself for a time, it says so: its inputs were late, and the answers not looked at" {
	{ click 42 20 shot; echo wait 3000; click 102 20 shot; } >script
	make_trace script t.trace --delays 50 --answer mark
	desk second --delays 50 --answer mark
	start held "${PLAY[@]}" "127.0.0.1::$port" t.trace o.rfb --json -o report.json
	until_true grep -q ' press ' second.log
	kill -STOP "$pid"
	sleep 1.2
	kill -CONT "$pid"
	ends "$pid"
	[ "$status" = 3 ]
	[ "$(jq '.result.held_up_ms > 1000' report.json)" = true ]
}

@test "vncplay play: repeated replays with a set-up command and seeded jitter" {
	{
		click 42 20 shot
		printf 'wait 700\nkey 0x61\nwait 100\n'
	} >script
	make_trace script t.trace --delays 200 --answer window
	# a desktop of its own for each replay, in the same state
	unused_port
	cat >before.sh <<END
if [ -s desk.pid ]; then kill "\$(cat desk.pid)"; while kill -0 "\$(cat desk.pid)" 2>/dev/null; do sleep 0.02; done; fi
python3 "$LAB/scripted_rfb.py" --log "desk\$VNCPLAY_RUN.log" --buttons 10 --port $port --delays 200 --answer window \\
	3>&- >/dev/null 2>&1 &
echo \$! >desk.pid
for i in \$(seq 500); do grep -q listens "desk\$VNCPLAY_RUN.log" 2>/dev/null && exit 0; sleep 0.02; done
exit 1
END
	play t.trace o.rfb --repeat 3 --before 'bash before.sh' --jitter 30 --wait-end 400ms
	started+=("$(cat desk.pid)")
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.result.runs[].file]' report.json)" = '["o-1.rfb","o-2.rfb","o-3.rfb"]' ]
	# the first seeds of jitter: in one replay the key is due 0.15 s later than in the two others
	for i in 1 2 3; do
		awk '/^input / { for (n = 6; n <= NF; n++) if ($n ~ /^late_us=/) due = $5 - substr($n, 9) }
			/^input [0-9]+ press / { pressed = due }
			/^input [0-9]+ keydown / { print (due - pressed) / 1e6 }' o-$i.rfb.aux
	done >due
	cat due
	[ "$(jq -s 'length == 3 and max - min > 0.05 and max - min < 0.5' due)" = true ]
	# a command that fails stops all
	play t.trace r.rfb --repeat 2 --before 'exit 7'
	[ "$status" -eq 1 ]
	grep -q 'ended with status 7 before replay 1' play.err
	[ ! -e r-1.rfb ]
}
