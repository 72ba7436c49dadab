#!/usr/bin/env bats
# vncplay play against a scripted desktop that logs what reached which of its widgets; traces are made by a pilot of the tests, not by vncplay's recorder.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	begin_test
	need python3 jq
	mkdir "a place"
	cd "a place" || return 1
	PLAY=("$BIN/vncplay" play)
	LAB=$BATS_TEST_DIRNAME/../lab
}

settled() { grep -q ' listens port=' "$1.log" || gone "$pid"; }

desk() {	# name options...: a desktop with ten buttons; $port, $desk
	local name=$1

	shift
	start "$name" python3 "$LAB/scripted_rfb.py" --log "$name.log" --buttons 10 "$@"
	desk=$pid
	until_true settled "$name"
	port=$(sed -n 's/.* listens port=//p' "$name.log")
	[ -n "$port" ] || { cat "$name.err"; return 1; }
}

end_desk() { kill "$desk" && wait "$desk" || true; }

pilot() { python3 "$BATS_TEST_DIRNAME/rfb_pilot.py" "$port" "$1" "$2"; }

click() {	# x y [shot]: lines for the pilot
	echo "move $1 $2"
	echo "wait 120"
	[ -z "${3-}" ] || echo "shot click $1 $2"
	echo "press $1 $2"
	echo "wait 60"
	echo "release $1 $2"
}

play() {	# arguments...: $status, report.json, play.err
	status=0
	"${PLAY[@]}" "127.0.0.1::$port" "$@" --format json -o report.json 2>play.err || status=$?
	cat play.err
}

value() { jq -r ".result.runs[0].$1" report.json; }

acted() { sed -nE 's/^[0-9]+ (press|release|key) (.*)/\1 \2/p' "$1"; }

# The log's blocks, in order and whole: their bytes without the greeting, and the last one's ms.
blocks() {
	python3 - "$1" <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:12] == b"FBS 001.000\n"
at, n, total, last = 12, 0, 0, 0
while at < len(data):
    size, = struct.unpack(">I", data[at:at + 4])
    body, at = data[at + 4:at + 4 + size], at + 4 + (size + 3) // 4 * 4
    ms, = struct.unpack(">I", data[at:at + 4])
    at += 4
    assert at <= len(data) and len(body) == size and ms >= last
    if n == 0:
        assert body[:16] == b"RFB 003.003\n\0\0\0\1" and ms == 0
        assert struct.unpack(">BBBBHHHBBB", body[20:33]) == (32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
        assert len(body) == 40 + struct.unpack(">I", body[36:40])[0]
    else:
        total += size
    n, last = n + 1, ms
print(total, last)
END
}

@test "every input arrives, in order and with the hand's own distances; the log ends with the last answer; waiting for nothing costs nothing" {
	{
		click 42 20 shot
		printf 'wait 250\nmove 100 120\nwait 100\nshot click 100 120\n'
		for _ in 1 2 3; do printf 'press 100 120\nwait 50\nrelease 100 120\nwait 70\n'; done
		printf 'wait 700\nkeydown 0xffe1\nwait 30\nkey 0x41\nkeydown 0x62\nwait 30\nkeydown 0x62\nkeyup 0x62\nkeyup 0xffe1\nwait 300\n'
		click 102 20 shot
	} >script
	desk first --delays 150 --answer mark
	pilot script t.trace
	end_desk
	desk second --delays 150,400 --answer mark
	play t.trace "o 1.rfb" --wait-end 1
	[ "$status" -eq 0 ]
	end_desk
	diff <(acted first.log) <(acted second.log)
	[ "$(acted second.log | grep -c '^press button=1 x=100 y=120')" -eq 3 ]
	[ "$(acted second.log | grep -c '^release button=1 x=100 y=120')" -eq 3 ]
	[ "$(value inputs)" = "$(value inputs_of_trace)" ] && [ "$(value snapshots.matched)" = 3 ]
	# all that the server sent is in the log
	read -r bytes ms <<<"$(blocks "o 1.rfb")"
	[ "$bytes" = "$(awk -v RS=' ' -F= '$1 == "bytes" { n += $2 } END { print n }' <(grep ' sent n=1' second.log | tr '\n' ' '))" ] || {
		# greeting and colour of the desktop's name are no updates: what is sent must not be more than what is logged
		sent=$(grep ' sent n=1' second.log | sed 's/.*bytes=//' | paste -sd+ | bc)
		echo "$bytes in the log, $sent sent"
		[ "$bytes" -ge "$sent" ]
	}
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
		/^input [0-9]+ (press|release)/ { mine[++m] = $5; if (m > 1) { d = (mine[m] - mine[m - 1]) - (at[m] - at[m - 1]); if (d > late + 5 || d < -late - 5) { print m, d; bad = 1 } } }
		END { exit bad || n != m }' t.trace "o 1.rfb.aux"
}

@test "a window that is late is waited for; the schedule goes on from there, and the pointer is shaken meanwhile" {
	{
		click 42 20 shot
		printf 'wait 600\nmove 80 90\nwait 100\nshot click 80 90\npress 80 90\nwait 40\nrelease 80 90\nwait 300\n'
	} >script
	desk first --delays 100 --answer window
	pilot script t.trace
	end_desk
	desk second --delays 2400 --answer window
	play t.trace o.rfb --wait-end 500ms
	[ "$status" -eq 0 ]
	[ "$(value snapshots.waited)" = 1 ] && [ "$(value snapshots.at_once)" = 1 ] && [ "$(value wiggles)" -ge 1 ]
	end_desk
	# not before it was painted
	painted=$(sed -nE 's/^([0-9]+) paint name=answer-1.*/\1/p' second.log)
	pressed=$(sed -nE 's/^([0-9]+) press .* x=80 .*/\1/p' second.log)
	[ "$pressed" -gt "$painted" ]
	grep -qE ' move x=81 y=90' second.log && grep -qE ' move x=80 y=90' second.log
	jq -e '.result.runs[0].shifted_s > 1 and .result.runs[0].shifted_s < 20' report.json
	# never while a button is down
	[ "$(awk '/ press /{ down = 1 } / release /{ down = 0 } / move / && down' second.log | wc -l)" -eq 0 ]
}

@test "what does not come is not clicked: status 1, the line of the trace, two pictures; nor is the screen of another size" {
	click 42 20 shot >script
	desk first --delays 100
	pilot script t.trace
	end_desk
	desk second --moved 1:0/40
	play t.trace o.rfb --timeout 700ms
	[ "$status" -eq 1 ]
	line=$(grep -n snapshot t.trace | cut -d: -f1)
	grep -qE "^vncplay: o.rfb: line $line of the trace: after 0.7[0-9]* s the screen at 37,15 \(11x11\) is not as recorded: [0-9]+ of 121 pixels differ" play.err
	[ "$(value status)" = timeout ] && [ "$(value inputs)" = 1 ]
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
	play t.trace o.rfb --timeout 5s --patience 200ms --search 48 --wait-end 300ms
	[ "$status" -eq 0 ] && [ "$(value snapshots.moved)" = 1 ]
	grep -qE '^snapshot 0 ok .* moved=-?[01],(39|40|41)$' o.rfb.aux
	[ ! -e o.rfb.expected.ppm ]
	end_desk
	[ "$(grep -cE ' (press|release) .* on=button-1$' second.log)" -eq 2 ]
	desk third --size 512x384
	play t.trace o.rfb --timeout 700ms
	[ "$status" -eq 1 ]
	grep -q 'screen is 512x384, the trace is of one of 640x480: .*--any-size' play.err
	play t.trace o.rfb --any-size --wait-end 200ms
	[ "$status" -eq 0 ]
	end_desk
}

@test "masks and tolerances; a snapshot that is hidden by --mask is not waited for" {
	desk first --delays 100
	click 42 20 shot >script
	pilot script t.trace
	sed '/snapshot/s/000000/0a0000/' t.trace >near.trace
	sed '/snapshot/s/000000/ff0000/; /snapshot/s/000000/ff0000/; /snapshot/s/000000/ff0000/; /snapshot/s/000000/ff0000/' t.trace >four.trace
	sed '/snapshot/s/b6b6aa/123456/g' t.trace >far.trace
	play near.trace o.rfb --timeout 300ms --wait-end 0 --mismatch 0
	[ "$status" -eq 1 ]
	play near.trace o.rfb --timeout 300ms --wait-end 0 --mismatch 0 --tolerance 10
	[ "$status" -eq 0 ]
	play four.trace o.rfb --timeout 300ms --wait-end 0	# 4 of 121 are more than 3 %
	[ "$status" -eq 1 ]
	play four.trace o.rfb --timeout 300ms --wait-end 0 --mismatch 3.4
	[ "$status" -eq 0 ]
	play far.trace o.rfb --timeout 300ms --wait-end 0 --mask 36,14,6,13 --mask 42,0,50,50
	[ "$status" -eq 0 ]
	for bad in 1,2,3 1,2,3,0 1,2,3,4,5 -1,2,3,4 a,b,c,d; do
		play far.trace o.rfb --mask $bad
		[ "$status" -eq 2 ]
	done
	end_desk
}

@test "servers that insist on a pointer of the client, or draw it themselves, or have none" {
	click 42 20 shot >script
	for kind in strict draw never; do
		desk "$kind" --delays 100 --pointer "$kind"
		[ -e t.trace ] || pilot script t.trace
		play t.trace "o-$kind.rfb" --wait-end 300ms --timeout 10s --patience 300ms
		[ "$status" -eq 0 ]
		end_desk
		grep -qE 'press .* on=button-1$' "$kind.log"
	done
}

@test "passwords: of vncpasswd or as text; none, a wrong one and servers with other security are refused with a line" {
	printf 'sesame\n' >text
	printf 'wrong\n' >wrong
	printf '\1\2\3' >none
	click 42 20 shot >script
	desk plain --delays 100
	pilot script t.trace
	end_desk
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

# A server that says what it is told to: bytes in hexadecimal, pauses in seconds ("p3"), "r12" reads as many, "*" goes on until nobody listens.
mute() {	# name words...
	local name=$1

	shift
	start "$name" python3 -c '
import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
c, _ = s.accept()
try:
    words = sys.argv[1:]
    for w in words:
        if w[0] == "p":
            time.sleep(float(w[1:]))
        elif w[0] == "r":
            c.recv(int(w[1:]))
        elif w[0] == "*":
            while True:
                c.sendall(bytes.fromhex(w[1:]))
                time.sleep(0.05)
        else:
            c.sendall(bytes.fromhex(w))
    time.sleep(20)
except OSError:
    pass
' "$@"
	until_true test -s "$name.out"
	port=$(cat "$name.out")
}

@test "hostile servers: silence, a drip, endless names, other security, nonsense, nobody: one line, in time" {
	v8=$(printf 'RFB 003.008\n' | xxd -p)
	init=$(printf '%s' 028001e0 20180001 00ff00ff 00ff1008 00000000)
	printf 'vncplay-trace 1\nscreen 640x480\n1000 move 5 5\n' >t.trace
	try() {	# name what-it-says words...
		local name=$1 says=$2 from=$SECONDS

		shift 2
		mute "$name" "$@"
		play t.trace o.rfb --connect 400ms --timeout 400ms --wait-end 0
		[ "$status" -eq 1 ]
		[ "$(wc -l <play.err)" -eq 1 ]
		grep -qE "$says" play.err
		[ $((SECONDS - from)) -lt 10 ]
		kill -9 "$pid"
	}
	try silence 'no whole greeting in time'
	try drip 'no whole greeting in time' '*52'
	try tls 'security types .*18.*19 only' "$v8" r12 021213
	try old 'security type|greeting failed' "$(printf 'RFB 003.003\n' | xxd -p)" r12 00000011
	try web 'greeting failed' "$(printf 'HTTP/1.1 400 Bad Request\r\n\r\n' | xxd -p | tr -d '\n')"
	try refused 'greeting failed: .*too many' "$v8" r12 00 00000008 "$(printf 'too many' | xxd -p)"
	try name 'greeting failed' "$v8" r12 0101 r1 00000000 r1 "$init" 7fffffff '*41414141'
	try slow-name 'no whole greeting in time' "$v8" r12 0101 r1 00000000 r1 "$init" 000fffff '*41'
	try huge 'greeting|screen|size|over' "$v8" r12 0101 r1 00000000 r1 "${init/028001e0/ffffffff}" 00000001 78
	try picture 'connection is over' "$v8" r12 0101 r1 00000000 r1 "$init" 00000001 78 00000001 ffffffffffffffff00000000
	try encoding 'connection is over' "$v8" r12 0101 r1 00000000 r1 "$init" 00000001 78 00000001 0000000000010001 7fffffff
	try nothing 'no whole screen in time' "$v8" r12 0101 r1 00000000 r1 "$init" 00000001 78
	try bells 'no whole screen in time' "$v8" r12 0101 r1 00000000 r1 "$init" 00000001 78 '*0202020202020202'
	port=1
	play t.trace o.rfb
	[ "$status" -eq 1 ] && grep -q 'Connection refused' play.err
}

@test "a signal ends it with a valid log and nothing held down; so does a server that goes away; a log of a killed replay is usable" {
	{ click 42 20 shot; printf 'wait 100\nmove 300 300\npress 300 300\nkeydown 0xffe1\nwait 5000\nkeyup 0xffe1\nrelease 300 300\n'; } >script
	sed -i 's/wait 5000/wait 50/' script
	desk first --delays 100
	pilot script t.trace
	awk '/keyup|release 1 300/ { $1 += 60000000 } 1' t.trace >long.trace
	start interrupted "${PLAY[@]}" "127.0.0.1::$port" long.trace o.rfb
	player=$pid
	until_true grep -q '^input .* keydown' o.rfb.aux
	kill -INT "$player"
	ends "$player"
	[ "$status" -eq 130 ]
	blocks o.rfb
	grep -q 'status=interrupted$' o.rfb.aux
	grep -q interrupted interrupted.out
	until_true grep -q ' closed n=2' first.log
	# one press and one release each, and the key too: the pilot's, and those of the replay
	[ "$(grep -c ' release .* x=300' first.log)" -eq 2 ] && [ "$(grep -c 'key up keysym=0xffe1' first.log)" -eq 2 ]
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

@test "replays are repeated, each prepared by a command; jitter is seeded; learn finds what a key has to wait for, and play heeds it" {
	{
		click 42 20 shot
		printf 'wait 900\nkey 0x61\nwait 400\n'
	} >script
	desk first --delays 300 --answer window --caret 300
	pilot script t.trace
	end_desk
	# a desktop of its own for each replay, in the same state
	{ echo 'port=$1'; declare -f until_true settled; echo 'exec python3 "$2/scripted_rfb.py" --log "desk$VNCPLAY_RUN.log" --buttons 10 --port "$port" --delays 300 --answer window --caret 300'; } >desk.sh
	port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
	cat >before.sh <<END
if [ -s desk.pid ]; then kill "\$(cat desk.pid)"; while kill -0 "\$(cat desk.pid)" 2>/dev/null; do sleep 0.02; done; fi
bash desk.sh $port "$LAB" 3>&- >/dev/null 2>&1 &
echo \$! >desk.pid
for i in \$(seq 500); do grep -q listens "desk\$VNCPLAY_RUN.log" 2>/dev/null && exit 0; sleep 0.02; done
exit 1
END
	play t.trace o.rfb --repeat 3 --before 'bash before.sh' --jitter 30 --wait-end 1600ms
	started+=("$(cat desk.pid)")
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.result.runs[].file]' report.json)" = '["o-1.rfb","o-2.rfb","o-3.rfb"]' ]
	[ "$(jq -c '[.result.runs[].total_s] | unique | length' report.json)" -eq 3 ]
	"$BIN/vncplay" learn t.trace o-1.rfb o-2.rfb o-3.rfb -o t.deps
	cat t.deps
	[ "$(head -n 1 t.deps)" = "vncplay-deps 1" ]
	key=$(grep -n keydown t.trace | cut -d: -f1)
	# the window is at 24,56 with 240x200 (the desktop's log has it): within its tiles, and not more
	grep -qE "^before $key change 16 48 256 208 [0-9a-f]{16}$" t.deps
	kill "$(cat desk.pid)"
	# now the window is late: only with what was learned does the key wait for it
	desk late --delays 2500 --answer window --caret 300
	play t.trace p.rfb --wait-end 300ms
	[ "$status" -eq 0 ]
	play t.trace q.rfb --deps t.deps --wait-end 300ms
	[ "$status" -eq 0 ] || true
	end_desk
	desk late2 --delays 2500 --answer window --caret 300
	play t.trace q.rfb --deps t.deps --wait-end 300ms
	[ "$status" -eq 0 ] && [ "$(value dependencies)" -ge 1 ]
	end_desk
	[ "$(grep -E ' key down| paint name=answer-1' late.log | head -n 1 | cut -d' ' -f2)" = key ]
	[ "$(grep -E ' key down| paint name=answer-1' late2.log | head -n 1 | cut -d' ' -f2)" = paint ]
	# what never comes is named
	desk never --missing 1
	play t.trace q.rfb --deps t.deps --timeout 500ms
	[ "$status" -eq 1 ] && grep -q "line $key of the trace needs a change at 16,48 (256x208; line [0-9]* of the dependencies), which did not come" play.err
	# a hook that fails stops all
	play t.trace r.rfb --repeat 2 --before 'exit 7'
	[ "$status" -eq 1 ] && grep -q 'ended with status 7 before replay 1' play.err && [ ! -e r-1.rfb ]
	end_desk
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
