#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# refecho: does it say what it does, and is what it shows there? The screen is read from Xvfb's own memory file by a
# decoder that was written from the man page, not from our code. Nothing rests on a quick or idle machine.

load helpers

REFECHO=$BIN/refecho

display_up() {
	need xdotool python3
	mkdir -p screen
	start_x -screen 0 400x300x24 -fbdir screen
	XVFB=$server D=$DISPLAY
}

serve() {	# options...: starts refecho, waits until it is ready
	: >err
	"$REFECHO" "$@" >out 2>err 3>&- &
	PID=$!
	started+=("$PID")
	until_true grep -qx ready err
}

finish() {	# ends it and gives its status
	kill -TERM "$PID"
	ended
}

ended() {
	local status=0

	wait "$PID" || status=$?
	return $status
}

keys() {	# n [ms between]
	# shellcheck disable=SC2046  # words are wanted
	DISPLAY=$D xdotool key --delay "${2:-15}" $(printf 'a %.0s' $(seq "$1"))
}

# What the patch on the screen says: its number, or "none". Cell size as an argument.
shown() {
	python3 - screen/Xvfb_screen0 "${1:-8}" <<'END'
import binascii, struct, sys
data, cell = open(sys.argv[1], 'rb').read(), int(sys.argv[2])
head = struct.unpack('>25I', data[:100])		# the header of an xwd file
start, stride = head[0] + head[19] * 12, head[12]
def grey(x, y):
    at = start + y * stride + 4 * x
    return sum(data[at:at + 3]) / 3
def bit(row, column):
    return grey(2 * cell + column * cell + cell // 2, 2 * cell + row * cell + cell // 2) > 127.5
rows = [sum(bit(r, c) << 7 - c for c in range(8)) for r in range(6)]
number = bytes(v ^ k for v, k in zip(rows[1:4], (0xa6, 0x59, 0xc5)))
crc = (rows[4] ^ 0x3a) << 8 | (rows[5] ^ 0x95)
right = rows[0] == 0x4e and crc == binascii.crc_hqx(number, 0xffff)
print(int.from_bytes(number, 'big') if right else 'none')
END
}

shows() {	# number [cell]
	[ "$(shown "${2:-8}")" = "$1" ]
}

result() { figure "${2:-out}" "$1"; }	# key: from the report

received() {	# n: so many rows with a flushed time can only be seen at the end; the window is watched instead
	until_true shows "$1"
}

# Every row: received <= draw <= flushed, numbers in order, and at least so many ms from received to drawn.
log_is_sane() {	# file least_ms
	awk -F '\t' -v least="$2" '
		NR == 1 { if ($0 != "schema\tseq\treceived_ns\tdraw_ns\tflushed_ns\tdropped\tcoalesced\tpresented_ns") exit bad = 1; next }
		{ if ($1 != "echo/1" || $2 != NR - 1 || NF != 8) { print "row " NR ": " $0; exit bad = 1 } }
		$4 != "" { if ($3 > $4 || $4 > $5 || $4 - $3 < least * 1e6) { print "row " NR ": " $0; exit bad = 1 } }
		END { exit bad }' "$1"
}

@test "refecho: a missing display, an unusable address or file: one line and exit 1; a wrong value: exit 2" {
	one_line 1 ":nosuch" "$REFECHO" --display :nosuch
	one_line 1 "203.0.113.7" "$REFECHO" --vnc 5900 --listen 203.0.113.7
	one_line 2 "nowhere" "$REFECHO" --vnc 5900 --listen nowhere
	one_line 1 "none/x" "$REFECHO" --vnc 5900 -o none/x
	one_line 1 "none/x" "$REFECHO" --vnc 5900 --log none/x
	one_line 1 "none" "$REFECHO" --vnc 5900 --answer-delay file:none
	printf '5ms\nsoon\n' >delays
	one_line 2 "delays line 2" "$REFECHO" --vnc 5900 --answer-delay file:delays
	: >delays
	one_line 2 "no times" "$REFECHO" --vnc 5900 --answer-delay file:delays
}

@test "refecho: listens at --listen, by default on the loopback only; a port in use is an error; ready goes to --ready-fd" {
	unused_port
	serve --vnc "$port"
	[ "$(ss -Hltn "sport = :$port" | awk '{ print $4 }')" = "127.0.0.1:$port" ]
	one_line 1 "port $port: the port is in use" "$REFECHO" --vnc "$port"
	kill -0 "$PID"
	finish
	unused_port
	"$REFECHO" --vnc "$port" --listen 127.0.0.2 --ready-fd 5 5>ready >out 2>err 3>&- &
	PID=$!
	started+=("$PID")
	until_true grep -qx ready ready
	[ "$(ss -Hltn "sport = :$port" | awk '{ print $4 }')" = "127.0.0.2:$port" ]
	finish
	[ ! -s err ]
}

# dark pixels in the box of the first and of the second character
ink() {
	python3 -c '
import struct
data = open("screen/Xvfb_screen0", "rb").read()
head = struct.unpack(">25I", data[:100])
start, stride = head[0] + head[19] * 12, head[12]
for left in 16, 28:
    print(sum(data[start + y * stride + 4 * x] < 128 for y in range(80, 96) for x in range(left, left + 12)), end=" ")'
}

@test "refecho x11: the patch shows the number of keys; modifiers and releases do not count; an exposed window is redrawn" {
	local window

	display_up
	serve --display "$D" --log log.tsv --json -o report.json
	shows 0
	[ "$(ink)" = "0 0 " ]
	keys 1
	received 1
	until_true eval '[ "$(ink | cut -d " " -f 1)" -gt 8 ]'
	[ "$(ink | cut -d ' ' -f 2)" -eq 0 ]
	keys 6 30
	received 7
	DISPLAY=$D xdotool key Shift_L
	DISPLAY=$D xdotool key Q		# with Shift
	received 8
	window=$(DISPLAY=$D xdotool search --name '^refecho$')
	DISPLAY=$D xdotool windowunmap --sync "$window"
	shows none
	DISPLAY=$D xdotool windowmap --sync "$window"
	received 8
	[ ! -e report.json ]
	finish
	[ ! -s out ]
	[ "$(result keys_received report.json)" = 8 ]
	[ "$(result keys_answered report.json)" = 8 ]
	[ "$(result keys_waiting report.json)" = 0 ]
	[ "$(result received_flushed_ms.n report.json)" = 8 ]
	log_is_sane log.tsv 0
	[ "$(wc -l <log.tsv)" -eq 9 ]
	# redraws + coalesced = answered: nothing is counted twice or not at all
	[ $(($(result redraws report.json) + $(result keys_coalesced report.json))) -eq 8 ]
	# the report holds the keys of the log
	jq -r '.result.keys[] | [.seq, .received_ns, .draw_ns, .flushed_ns] | @tsv' report.json | diff - <(tail -n +2 log.tsv | cut -f 2-5)
	[ "$(jq -r '.schema + " " + .tool' report.json)" = "thinprobe.refecho/1 refecho" ]
}

# A compositor without a screen, with a VNC server: sets port and WAYLAND_DISPLAY.
compositor_up() {
	local user=()

	need sway wayvnc
	# sway gives up root's rights, and ends where it cannot
	[ "$(id -u)" != 0 ] || user=(unshare --user --map-user=1000 --map-group=1000)
	export XDG_RUNTIME_DIR=$PWD/runtime
	mkdir -m 700 runtime
	printf '%s\n' 'xwayland disable' 'output * mode --custom 800x600@60Hz' 'default_border none' "exec env >$PWD/told" >sway.conf
	start sway "${user[@]}" env WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 sway -c sway.conf
	until_true grep -q '^WAYLAND_DISPLAY=' told
	WAYLAND_DISPLAY=$(sed -n 's/^WAYLAND_DISPLAY=//p' told)
	export WAYLAND_DISPLAY
	unused_port
	start wayvnc wayvnc 127.0.0.1 "$port"
	until_true eval 'ss -Hltn "sport = :$port" | grep -q .'
}

@test "refecho wayland: keys of a VNC client are answered by a window over the whole output; the log is that of the other faces" {
	WAYLAND_DISPLAY=nosuch run "$REFECHO" --wayland
	[ "$status" -eq 1 ]
	[[ $output == *"nosuch"* ]]
	compositor_up
	serve --wayland --answer-delay const:20ms --noise --log log.tsv --json -o report.json
	"$BIN/keyrepeat" "vnc:127.0.0.1:$port" --rate 20 -t 3s --watch patch --warmup 0 --json -o keys.json
	finish
	[ "$(jq .result.keys_sent keys.json)" -ge 50 ]
	[ "$(result keys_received report.json)" = "$(jq .result.keys_sent keys.json)" ]
	[ "$(result keys_answered report.json)" = "$(jq .result.keys_sent keys.json)" ]
	log_is_sane log.tsv 20
	[ "$(wc -l <log.tsv)" -eq "$(($(result keys_received report.json) + 1))" ]
	[ "$(jq -r .settings.face report.json)" = wayland ]
	# what the client saw includes what the log says
	jq -e --slurpfile echo report.json '.result.latency_from_due_ms.min >= $echo[0].result.received_flushed_ms.min' keys.json
}

@test "refecho wayland: the compositor ends: status 1, and the report has the keys up to then" {
	local status=0

	compositor_up
	serve --wayland --json -o report.json
	kill "$(sed -n 's/^SWAYSOCK=.*\.\([0-9]*\)\.sock$/\1/p' told)"
	ended || status=$?
	[ "$status" -eq 1 ]
	[ "$(result keys_received report.json)" = 0 ]
	grep -q 'Wayland display' err
}

@test "refecho wayland: a compositor that lies, of its keymap, of times, of the window's size, crashes nothing" {
	local lie

	need python3
	export XDG_RUNTIME_DIR=$PWD
	for lie in none keymap time future; do
		start liar python3 "$BATS_TEST_DIRNAME/refecho_compositor.py" "$PWD/$lie" "$lie"
		until_true grep -qx ready liar.out
		export WAYLAND_DISPLAY=$lie
		serve --wayland --log "$lie.tsv" --json -o report.json
		until_true grep -qx answered liar.out
		finish
		[ "$(result keys_answered report.json)" = 1 ]
		# column 8: when it was presented
		[ "$lie $(awk -F'\t' 'NR == 2 { print ($8 != "") }' "$lie.tsv")" = "$lie $([[ $lie = [tf]* ]] && echo 0 || echo 1)" ]
	done
	start liar python3 "$BATS_TEST_DIRNAME/refecho_compositor.py" "$PWD/large" large
	until_true grep -qx ready liar.out
	WAYLAND_DISPLAY=large run "$REFECHO" --wayland
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *"30000 x 30000"* && $output != *closed* ]]
}

@test "refecho x11: the patch is readable with noise and with other cell sizes" {
	display_up
	serve --display "$D" --noise --cell 6
	shows 0 6
	keys 3 40
	until_true shows 3 6
	# noise: more greys in the patch than any palette
	python3 - <<'END'
import struct, sys
data = open("screen/Xvfb_screen0", "rb").read()
head = struct.unpack(">25I", data[:100])
start, stride = head[0] + head[19] * 12, head[12]
colours = {data[start + y * stride + 4 * x:][:3] for y in range(12, 48) for x in range(12, 60)}
sys.exit(len(colours) < 1000)
END
	finish
}

@test "refecho --cost: burns the CPU time once for each redraw, or for each key" {
	local used before

	display_up
	serve --display "$D" --cost 20ms --cost-per key --json
	[ -r "/proc/$PID/schedstat" ] || skip "no /proc/PID/schedstat"
	before=$(cut -d ' ' -f 1 "/proc/$PID/schedstat")
	keys 10 5
	received 10
	used=$(($(cut -d ' ' -f 1 "/proc/$PID/schedstat") - before))
	finish
	echo "used $used ns"
	[ "$used" -ge 198000000 ]	# the kernel's two accounts differ by some microseconds
	[ "$used" -lt 400000000 ]
	[ "$(result redraws)" = 10 ]	# nothing is coalesced
	[ "$(result keys_coalesced)" = 0 ]
	serve --display "$D" --cost 100ms --json
	kill -STOP "$PID"
	keys 10 5
	kill -CONT "$PID"
	received 10
	finish
	# ten keys wait when it goes on: most share a redraw
	[ "$(result redraws)" -le 6 ]
	awk -v cpu="$(result burnt_cpu_s)" -v n="$(result redraws)" 'BEGIN { exit !(cpu >= 0.1 * n && cpu < 0.13 * n) }'
	[ $(($(result redraws) + $(result keys_coalesced))) -eq 10 ]
}

@test "refecho: if the display goes away: one line, exit 1, and a report of the keys so far" {
	display_up
	serve --display "$D" --log log.tsv --json
	keys 3
	received 3
	kill -9 "$XVFB"
	wait "$XVFB" 2>/dev/null || true
	status=0
	ended || status=$?
	[ "$status" -eq 1 ]
	[ "$(grep -c . err)" -eq 2 ]		# ready, and why
	grep -q "refecho: display $D went away" err
	[ "$(result keys_answered)" = 3 ]
	[ "$(wc -l <log.tsv)" -eq 4 ]
}

@test "refecho: a signal ends it amid a backlog, with a report of the waiting keys" {
	burns() { [ "$(cut -d ' ' -f 1 "/proc/$PID/schedstat")" -gt "$1" ]; }

	display_up
	serve --display "$D" --cost 10s --answer-delay const:2s --log log.tsv --json
	[ -r "/proc/$PID/schedstat" ] || skip "no /proc/PID/schedstat"
	kill -STOP "$PID"	# so that it has them all before it pays for the first
	keys 5
	kill -CONT "$PID"
	until_true burns $(($(cut -d ' ' -f 1 "/proc/$PID/schedstat") + 50000000))
	finish
	awk -v cpu="$(result burnt_cpu_s)" 'BEGIN { exit !(cpu > 0 && cpu < 9.5) }'	# in CPU time: the cost was not paid to its end
	[ "$(result keys_received)" = 5 ]
	[ "$(result keys_waiting)" = 5 ]	# those whose cost was not paid are not drawn
	[ "$(result redraws)" = 0 ]
	[ "$(wc -l <log.tsv)" -eq 6 ]
}

@test "refecho: after kill -9 the log is valid up to its last line" {
	display_up
	serve --display "$D" --log log.tsv
	keys 3
	received 3
	until_true grep -q 'echo/1	3	' log.tsv
	kill -9 "$PID"
	log_is_sane log.tsv 0
}
