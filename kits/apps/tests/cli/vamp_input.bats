#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vamp run: what opens an episode, typed and played by programs that are not ours; nothing is changed (--dry-run).
# vamp trace: every slice that a task ran, against what the tasks themselves and the kernel's accounting say.

load ../../../../tests/cli/helpers

setup() {
	begin_test
	VAMP=$BIN/vamp
}

trace_or_skip() {	# options...
	"$VAMP" trace -t 10ms >/dev/null 2>why || skip "$(cat why)"
	start trace "$VAMP" trace --log rows --format json -o report "$@"
	trace=$pid
	until_true eval 'grep -q ready trace.err || gone "$trace"'
}

@test "vamp trace: the slices of a CPU hog add up to the CPU time that it reports" {
	need pgrep
	trace_or_skip -t 60s
	start sink "$BIN/sink" -t 2s --format json -o sink.json
	sink=$pid
	until hog=$(pgrep -P "$sink" | head -n 1) && [ "$hog" ]; do
		kill -0 "$sink"
	done
	ends "$sink"
	kill -INT "$trace"
	ends "$trace"
	[ "$status" -eq 130 ]
	[ "$(jq .result.lost_records report)" -eq 0 ] || skip "the kernel left out records"
	ran=$(awk -F'\t' -v pid="$hog" '$4 == pid { ns += $7 } END { print ns / 1e9 }' rows)
	took=$(jq '.result.children[0].cpu_s' sink.json)
	untold=$(jq '.result.without_begin_ms / 1000' report)
	echo "ran $ran and at most $untold, took $took"
	# (interrupts count here and may not there; it starts and ends, too)
	awk -v a="$ran" -v more="$untold" -v b="$took" 'BEGIN { exit !(a + more > 0.98 * b && a < 1.05 * b + 0.01) }'
	# and the report to the same: it never sleeps, so its slices are cut by others only
	jq -e --argjson pid "$hog" --argjson ran "$ran" '.result.processes[] | select(.pid == $pid)
		| .comm == "sink" and (.ran_ms / 1000 - $ran | fabs) < 1e-4 and .wanted_more >= .slices - 10
		and .quanta_ms.n <= .slices' report
}

@test "vamp trace: slices of a CPU do not overlap, threads have their process, and only the CPUs asked for are traced" {
	need python3 taskset
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	start two taskset -c "$cpu" python3 -c 'import threading, time
def nap():
	while True: time.sleep(0.02)
t = threading.Thread(target=nap)
t.start()
print(t.native_id, flush=True)'
	two=$pid
	until_true test -s two.out
	trace_or_skip -t 1s --cpus "$cpu"
	ends "$trace"
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	[ "$(head -n 1 rows)" = "$(printf 'schema\tstart_ns\tcpu\tpid\ttid\tcomm\tran_ns\twanted_more\twhole')" ]
	tail -n +2 rows | sort -t$'\t' -k2,2n | awk -F'\t' -v cpu="$cpu" '
		$1 != "vamp-trace/1" || $7 < 0 || $8 $9 !~ /^[01][01]$/ || $3 != cpu || $2 < end { print "not so: " $0; wrong = 1 }
		{ end = $2 + $7 }
		END { exit wrong || !NR }'
	awk -F'\t' -v pid="$two" -v tid="$(cat two.out)" '$4 == pid && $5 == tid && $8 == 0 { n++ } END { exit n < 5 }' rows
	jq -e --arg cpu "$cpu" '.settings.cpus == $cpu and .result.slices > 0' report
}

@test "vamp trace: without permission, refused in one line" {
	ordinary_user
	one_line 1 "vamp: " "${user[@]}" "$VAMP" trace -t 10ms
}

# --- what opens an episode ------------------------------------------------------------------------------------

watch() {	# options...
	rm -f log report
	start vamp "$VAMP" run --dry-run -t 120s --log log --format json -o report "$@"
	vamp=$pid
	until_true eval 'grep -q ready vamp.err || gone "$vamp"'
	if gone "$vamp"; then cat vamp.err; return 1; fi
}

opened() { grep -qF $'\tepisode\t'"$1"$'\t' log; }

triggers_are() {	# WORD...: those of the report, in their order
	kill -INT "$vamp"
	ends "$vamp"
	jq -c '[.result.episodes[].trigger]' report
	jq -e '[.result.episodes[].trigger] == $ARGS.positional' report --args "$@"
}

@test "vamp x11: Return, KP_Enter and clicks open episodes, other keys and the wheel do not; it survives the display's end" {
	need xdotool
	start_x
	watch --no-audio --display "$DISPLAY" --control orders
	xdotool key a click 4 key Return
	until_true opened Return
	xdotool click 5 key Tab key KP_Enter
	until_true opened KP_Enter
	xdotool click 1
	until_true opened 'button 1'
	xdotool keydown Return sleep 1.2 keyup Return click 3	# a key that is held is one
	until_true opened 'button 3'
	kill "$server"
	until_true grep -q x11 vamp.err
	echo later >orders
	until_true opened later
	triggers_are Return KP_Enter 'button 1' Return 'button 3' later
}

@test "vamp x11: keys of a VNC client count" {
	[ -x "$BIN/keyrepeat" ] || skip "keyrepeat is not built"
	start_vnc -SecurityTypes None
	watch --no-audio --display "$DISPLAY"
	"$BIN/keyrepeat" "vnc:127.0.0.1:$port" --key a --rate 10 -t 500ms --watch none -o keys
	"$BIN/keyrepeat" "vnc:127.0.0.1:$port" --key Return --rate 10 -t 90ms --watch none -o keys
	until_true opened Return
	triggers_are Return
}

@test "vamp x11: --keys any with a changing keyboard; a display that stops answering is given up" {
	need xdotool
	need xmodmap
	start_x
	watch --no-audio --display "$DISPLAY" --control orders --keys any --most 1s
	xdotool click 1 key a
	until_true opened a
	# a snowman is on no key: xdotool gives it one for as long as it sends it, which is until it is known
	start typist xdotool key --delay 60000 U2603
	until_true opened U2603
	kill -9 "$pid"
	kill -STOP "$vamp"
	xmodmap -e 'keycode 200 = F21'	# of which vamp asks more
	kill -STOP "$server"
	kill -CONT "$vamp"
	until_true grep -q 'no more input from x11' vamp.err
	echo later >orders
	until_true opened later
	triggers_are a U2603 later
	[ "$(jq -r '.result.episodes[1].ended_by' report)" = time ]
	run timeout 25 "$VAMP" run --dry-run --no-audio --display "$DISPLAY" -t 1s
	kill -CONT "$server"
	[ "$status" -eq 1 ]
	[[ $output == "vamp: display $DISPLAY does not answer"* && ${#lines[@]} = 1 ]]
	run "$VAMP" run --dry-run --no-audio --display :4711
	[ "$status" -eq 1 ]
	[[ $output == *:4711* ]]
}

@test "vamp --control: each line opens an episode; its own fifo is removed even after kill -9; an existing one stays" {
	watch --no-audio --control orders
	[ -p orders ]
	for word in "page 1" "page 2"; do
		echo "$word" >orders
		until_true opened "$word"
	done
	kill -9 "$vamp"
	ends "$vamp"
	until_true eval '[ ! -e orders ]'
	mkfifo theirs
	watch --no-audio --control theirs
	echo "page 3" >theirs
	until_true opened "page 3"
	triggers_are 'page 3'
	[ -p theirs ]
}

hog() {	# name: takes a CPU, or waits for one
	start "$1" perl -e '1 while 1'
}

@test "vamp sound: the start of a stream opens an episode, unless one lasts; a process that plays is not background" {
	need pulseaudio pactl pacat perl
	export XDG_RUNTIME_DIR=$PWD HOME=$PWD PULSE_RUNTIME_PATH=$PWD/pulse
	unset PULSE_SERVER
	start pulse pulseaudio -n --load=module-null-sink --load=module-native-protocol-unix --exit-idle-time=-1 --daemonize=no
	until_true pactl --server "unix:$PWD/pulse/native" info
	watch --control orders --audio-server "unix:$PWD/pulse/native" --most 60s
	hog video
	video=$pid
	hog background
	background=$pid
	sleep 2	# both have their load before
	# the hog's stream, as another process plays it
	start pacat pacat --raw --property=application.process.id="$video" /dev/zero
	until_true opened audio
	sleep 2
	echo key >orders
	until_true opened key
	start second pacat --raw /dev/zero
	until_true eval '[ "$(pactl --server "unix:$PWD/pulse/native" list short sink-inputs | wc -l)" -eq 2 ]'
	sleep 1
	echo last >orders
	until_true opened last
	kill -INT "$vamp"
	ends "$vamp"
	jq -c '.result.episodes[]' report
	jq -e --argjson video "$video" --argjson background "$background" '.result.episodes
		| (map(.trigger, .ended_by) | join(" ")) == "audio input key input last stop"
		and (.[-1].background | map(.pid) | index($background) != null and index($video) == null)' report
	# the background process has counters, too, though it never woke the server
	awk -F'\t' -v pid="$background" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["event"] == "audio" && $at["pid"] == pid && $at["wakeups"] == 0 && $at["confidence"] > 0 { n++ }
		END { exit !n }' log
}
