#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A client window of a server that is not ours: vncviewer on an Xvfb of the local lab's client, measured by a run that
# knows nothing of its server. Truth: the text that arrived on the server, the reference application's patch.

load window

@test "vncviewer: the window's caret, the run's folder; taken over, the keys stop; refusals" {
	command -v vncviewer >/dev/null || skip "vncviewer is not installed"
	command -v Xvnc >/dev/null || skip "Xvnc is not installed"
	drive <<'END'
lab_up
client_screen
protocol_use vnc; protocol_start s; app_use vim; app_start "$PROTOCOL_DISPLAY"
lab_start client viewer env DISPLAY=:90 vncviewer -Shared -RemoteResize=0 -MenuKey= -SecurityTypes=None \
	"$LAB_ADDR_server::$PROTOCOL_PORT"
client_window TigerVNC
attach run --on attach::90,TigerVNC --seconds 2 --repeat 1 --quick --idle 1 && echo "status 0"
vim_text
# the same window by its number, with a rectangle; somebody clicks elsewhere in the train
lab_start client stranger "$TOP/bin/refecho" --x11 :90 --format json
stranger=$LAB_PID
client_window '^refecho'
other=$WINDOW
lab_exec client env DISPLAY=:90 xdotool windowmove "$other" 900 750
client_window TigerVNC
attach_start taken --on "attach::90,$WINDOW,500x330+0+0" --seconds 30 --repeat 2 --quick --idle 1
train_ready() { grep -qs '^ready' "$LAB_RUN"/taken/cells/*/1/keyrepeat.err; }	# the pattern is matched each time anew
wait_until 60 train_ready
before=$(server_got)
keys_go() { [ "$(server_got)" -ge $((before + 20)) ]; }	# a packet each, and what is asked for afterwards
wait_until 30 keys_go && echo "keys go"
lab_exec client env DISPLAY=:90 xdotool windowfocus --sync "$other" mousemove 1000 900
lab_wait "$taken"
echo "taken $?"
n=0
for words in "--on attach::90,nosuchtitle" "--on attach::90,r" "--on attach::90,0x77" "--on attach::91,TigerVNC" \
	"--on attach::90,TigerVNC --loads 1,2" "--on attach::90" "--on attach::90,TigerVNC --protocol null"; do
	n=$((n + 1)); attach "refused$n" $words --quick --idle 1
	echo "refused $?"
done 2>&1
lab_stop "$stranger"
echo "stranger got $(jq .result.keys_received "$LAB_LOG/stranger.out")"
# the reference application in the session: its patch is read, or a rectangle watched (bench/attach.sh holds one against the other)
app_use refecho; APP_COST=1ms; app_start "$PROTOCOL_DISPLAY"
for how in "--watch patch" "--watch update --region 320x240+0+0"; do
	lab_exec client "$TOP/bin/keyrepeat" x11::90 --window "$WINDOW" $how -t 2s --schedule jittered --format json >"$W/how" 2>/dev/null
	echo "answered with $how: $(jq '.result.keys_answered > 0' "$W/how")"
done
lab_down
END
	[ "$status" -eq 0 ]
	[[ $output == *"status 0"* ]]
	# the search types five and then five a second for a second; the train 40
	[[ $output == *"text 50"* ]]
	cell=$W/lab/run/cells/$(jq -r '.cells[0].name' "$W/lab/run/run.json")/1
	[ "$(jq -r .state "$W/lab/run/run.json")" = complete ]
	[ "$(jq -r '.protocol.server' "$W/lab/run/run.json")" = "not ours, unknown" ]
	[ "$(jq -r '.protocol.watch' "$W/lab/run/run.json")" = update ]
	[ "$(jq -r '.lab | has("cpus_server")' "$W/lab/run/run.json")" = false ]
	[ "$(jq -r '.result.pairing' "$cell/keyrepeat.json")" = caret ]
	[ "$(jq -r '.result.keys_exact' "$cell/keyrepeat.json")" = 35 ]
	# the port was told by the viewer's own connection
	[ "$(jq -r '.protocol.port' "$W/lab/run/run.json")" = 5901 ]
	[ "$(jq -r '.result.channels.input.messages' "$cell/prototap.json")" -ge 35 ]
	grep -q '^# Typing into a window: ' "$W/lab/run/report.md"
	grep -q 'server: not ours, so nothing is known' "$W/lab/run/report.md"
	run -1 grep -ni 'emulated hosts\|CPU hogs\|sinks' "$W/lab/run/findings.json"
	[ -s "$W/lab/run/report.html" ]
	# taken over: an interrupted run, and not one key to the stranger
	run cat "$W/lab/log/taken.out" "$W/lab/log/taken.err"
	[ "$(jq -r .state "$W/lab/taken/run.json")" = interrupted ]
	[ "$(jq -r .reason "$W"/lab/taken/cells/*/1/cell.json)" = \
		"keyrepeat: another window has the keyboard, so the keys were stopped: leave the window alone while it is measured" ]
	run cat "$W/main.out"
	[[ $output == *"keys go"*"taken 130"* ]]
	[[ $output == *"stranger got 0"* ]]
	[ "$(grep -c '^answered with .*: true$' "$W/main.out")" = 2 ]
	[ "$(grep -c '^refused [124]$' "$W/main.out")" = 7 ]
	[[ $output == *"no window in sight on display :90 has a title like 'nosuchtitle'"* ]]
	[[ $output == *"windows have a title like 'r'"*"give the number of one"* ]]
	[[ $output == *"display :90 has no window 0x77"* ]]
	[[ $output == *"cannot open display :91"* ]]
	[[ $output == *"one number, a label"* ]]
}
