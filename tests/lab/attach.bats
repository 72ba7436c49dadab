#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A window of an unknown server: vncviewer on an Xvfb of the local lab's client, measured with --on attach. Checked against the
# text that arrived on the server, and the reference application's patch.

load window

@test "attach, vncviewer: keys are measured by the caret; if the user takes the window back, no more keys; refusals" {
	command -v vncviewer >/dev/null || skip "vncviewer is not installed"
	command -v Xvnc >/dev/null || skip "Xvnc is not installed"
	drive <<'END'
lab_up
vnc_window
attach run --on attach::90,TigerVNC --time 2 --repeat 1 --quick --idle 1 && echo "status 0"
vim_text
# the same window by its number, with a rectangle; a click elsewhere during the train
lab_start client stranger "$TOP/bin/refecho" --display :90 --format json
stranger=$LAB_PID
client_window '^refecho'
other=$WINDOW
lab_exec client env DISPLAY=:90 xdotool windowmove "$other" 900 750
client_window TigerVNC
attach_start taken --on "attach::90,$WINDOW,500x330+0+0" --time 30 --repeat 2 --quick --idle 1
train_ready() { grep -qs '^ready' "$LAB_RUN"/taken/cells/*/1/keyrepeat.err; }	# the pattern is matched each time anew
wait_until 60 train_ready
before=$(server_got)
keys_go() { [ "$(server_got)" -ge $((before + 20)) ]; }	# a packet for each key, and requests for updates
wait_until 30 keys_go && echo "keys go"
lab_exec client env DISPLAY=:90 xdotool windowfocus --sync "$other" mousemove 1000 900
lab_wait "$taken"
echo "taken $?"
n=0
for words in "--on attach::90,nosuchtitle" "--on attach::90,r" "--on attach::90,0x77" "--on attach::91,TigerVNC" \
	"--on attach::90,TigerVNC --loads 1,2 --set-load none" "--on attach::90" "--on attach::90,TigerVNC --protocol null"; do
	n=$((n + 1)); attach "refused$n" $words --quick --idle 1
	echo "refused $?"
done 2>&1
lab_stop "$stranger"
echo "stranger got $(jq .result.keys_received "$LAB_LOG/stranger.out")"
# the reference application in the session, by its patch, or by a watched rectangle (bench/attach.sh compares the two)
app_use refecho; APP_COST=1ms; must app_start "$PROTOCOL_DISPLAY"
for how in "--watch patch" "--watch update --region 320x240+0+0"; do
	lab_exec client "$TOP/bin/keyrepeat" x11::90 --window "$WINDOW" $how -t 2s --schedule jittered --format json >"$W/how" 2>/dev/null
	echo "answered with $how: $(jq '.result.keys_answered > 0' "$W/how")"
done
lab_down
END
	said 0 "status 0"
	cell=$W/lab/run/cells/$(jq -r '.cells[0].name' "$W/lab/run/run.json")/1
	# The search for the region types 5 keys, then 5 a second for a second; a train has 40 (fewer, and a second one, where answers
	# take longer than a key period).
	trains=("$cell/keyrepeat.json")
	[ ! -f "$cell/stall/keyrepeat.json" ] || trains+=("$cell/stall/keyrepeat.json")
	[[ $output == *"text $(jq -s 'map(.result | .keys_sent + .keys_skipped) | add + 10' "${trains[@]}")"* ]]
	[ "$(jq -r .state "$W/lab/run/run.json")" = complete ]
	[ "$(jq -r '.protocol.server' "$W/lab/run/run.json")" = "not ours, unknown" ]
	[ "$(jq -r '.protocol.watch' "$W/lab/run/run.json")" = update ]
	[ "$(jq -r '.lab | has("cpus_server")' "$W/lab/run/run.json")" = false ]
	jq -e '.result | .pairing == "caret" and .keys_exact > 0' "$cell/keyrepeat.json"
	# the port was found by the viewer's connection
	[ "$(jq -r '.protocol.port' "$W/lab/run/run.json")" = 5901 ]
	jq -se '.[0].result.channels.input.messages >= .[1].result.keys_answered' "$cell/prototap.json" "$cell/keyrepeat.json"
	grep -q '^# Typing into a window: ' "$W/lab/run/report.md"
	grep -q 'server: not ours, so nothing is known' "$W/lab/run/report.md"
	run -1 grep -ni 'emulated hosts\|CPU hogs\|sinks' "$W/lab/run/findings.json"
	[ -s "$W/lab/run/report.html" ]
	# the window was taken back: an interrupted run, and no key into another window
	[ "$(jq -r .state "$W/lab/taken/run.json")" = interrupted ]
	[[ $(jq -r .reason "$W"/lab/taken/cells/*/1/cell.json) == "keyrepeat: another window has the keyboard"* ]]
	run cat "$W/main.out"
	[[ $output == *"keys go"*"taken 130"* ]]
	[[ $output == *"stranger got 0"* ]]
	[ "$(grep -c '^answered with .*: true$' "$W/main.out")" = 2 ]
	[ "$(grep -c '^refused [124]$' "$W/main.out")" = 7 ]
	[[ $output == *"display :90 "*"'nosuchtitle'"* ]]
	[[ $output == *" windows have 'r' in their title ("* ]]
	[[ $output == *"display :90 has no window 0x77"* ]]
	[[ $output == *"cannot open display :91"* ]]
	[[ $output == *"--set-load none: "*%d* ]]
}

# The link has 20 ms each way. Bytes: those that tshark finds in the kept capture.
# bats test_tags=all
@test "attach, vncviewer: held keys, bytes of a key, and the link as it is; no application can be started" {
	command -v vncviewer >/dev/null || skip "vncviewer is not installed"
	command -v Xvnc >/dev/null || skip "Xvnc is not installed"
	command -v ping >/dev/null || skip "ping is not installed"
	export LAB_DELAY=20ms
	drive <<'END'
lab_up
vnc_window
for what in "stalls --modes hold --time 3 --loads 0 --idle 1" "protocols --keys 20 --idle 1 --keep-captures" "wan --keys 8"; do
	attach_run ${what%% *} ${what%% *} --on attach::90,TigerVNC --repeat 1 ${what#* } </dev/null
	echo "$what: $?"
done
cp "$LAB_RUN"/protocols/cells/*/1/keys.pcap "$W/"
lab_down
END
	[ "$(grep -cE '^(stalls|protocols|wan) .*: 0$' <<<"$output")" = 3 ]
	run="$W/lab/stalls"
	[ "$(jq -c '[.cells[].parameters | [.app, .sinks]]' "$run/run.json")" = '[["own",0]]' ]
	# the display repeats the key; a busy machine leaves some out
	[ "$(jq .result.updates "$run/cells/attach-own-0/1/keyrepeat.json")" -ge 10 ]
	grep -q 'the attached application' "$run/report.md"
	run -1 grep -n 'CPU hog' "$run/findings.json"
	run="$W/lab/protocols"
	[ "$(jq -c '[.cells[].name]' "$run/run.json")" = '["attach-session"]' ]
	[ ! -e "$run/cells/attach-session/1/setup.json" ]
	grep -q 'no application can be started' "$run/report.md"
	if command -v tshark >/dev/null; then
		truth=$(tshark -r "$W/keys.pcap" -Y tcp -T fields -e frame.len 2>/dev/null | awk '{ n++; s += $1 } END { print n, s }')
		[ "$(jq -r '.result.channels.total | "\(.packets) \(.wire_bytes)"' "$run/cells/attach-session/1/keys.json")" = "$truth" ]
	fi
	run="$W/lab/wan"
	[ "$(jq '.link | .ping_ms.min >= 40 and .tcp_min_ms >= 40' "$run/run.json")" = true ]
	[ "$(jq .settings.rtts_ms[0] "$run/run.json")" -ge 40 ]
	awk -F'\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["answer_ns"] != "" && $at["answer_ns"] == $at["answer_high_ns"] { n++; early += $at["answer_ns"] - $at["due_ns"] < 40e6 }
		END { exit n == 0 || early > 0 }' "$run"/cells/*/1/samples.tsv
}

# --- loads that are set by others -----------------------------------------------------------------------------------

# A server that the run does not control: refecho, 10 ms of CPU for each key, on the server's CPU, seen through vncviewer. The load
# is written into the file $W/lab/told, and `follow` starts as many sinks, like the server's owner.
foreign_server='
lab_up
client_screen
protocol_use vnc; must protocol_start s; app_use refecho; APP_COST=10ms; must app_start "$PROTOCOL_DISPLAY"
lab_start client viewer env DISPLAY=:90 vncviewer -Shared -RemoteResize=0 "$(vnc_no_greeting)" -SecurityTypes=None \
	"$LAB_ADDR_server::$PROTOCOL_PORT"
client_window TigerVNC
: >"$W/lab/told"
chmod 666 "$W/lab/told"
HOGS=""
hogs_now() { echo "$(sed "s/\([0-9]*\)[.]\([0-9]*\) .*/\1\20000000/" /proc/uptime) $1" >>"$W/lab/hogs"; }
hogs() {	# hogs N: starts or ends sinks; the file hogs notes their number with the time (ns since boot), ? during a change
	hogs_now "?"
	[ -z "$HOGS" ] || lab_stop "$HOGS"
	HOGS=""
	[ "$1" = 0 ] || { lab_start server sink "$TOP/bin/sink" -n "$1" --format json; HOGS=$LAB_PID; lab_ready sink 20; }
	hogs_now "$1"
	echo "$1" >"$W/lab/there"
}
follow() {	# follow PID: sets the load written in $W/lab/told, until PID has ended
	local line n=0
	until lab_gone "$1"; do
		while read -r line <&"$TOLD"; do hogs "$line"; done
		nap 0.05
	done
	while read -r line <&"$TOLD"; do hogs "$line"; done
}
exec {TOLD}<"$W/lab/told"
cat >"$W/lab/set" <<END_SET
#!/bin/sh
[ "\$1" != 7 ] || { echo "no seven here" >&2; exit 9; }
rm -f "$W/lab/there"
echo "\$1" >>"$W/lab/told"
until [ "\$(cat "$W/lab/there" 2>/dev/null)" = "\$1" ]; do sleep 0.05; done
END_SET
chmod 755 "$W/lab/set"
'

# p50 RUN LOAD: prints the median or its late end, "open" for a range without a late end, "overloaded" if there is no percentile,
# since keys came faster than the server answered them
p50() {
	awk -F'\t' -v load="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		function cell(name) { return name in at ? $at[name] : "" }
		cell("sinks") == load {
			if (cell("overloaded") > 0) print "overloaded"
			else if (cell("latency_p50_ms") != "") print cell("latency_p50_ms")
			else print cell("latency_p50_ms_from") != "" && cell("latency_p50_ms_to") == "" ? "open" : cell("latency_p50_ms_to")
		}' "$1/summary.tsv"
}

median() { [ "$1" != overloaded ] && [ "$1" != open ]; }	# whether the output of p50 is a number

with_their_hogs() {	# with_their_hogs RUN CELLS: CELLS cells had as many hogs as their load from the first key to the last
	local cell cells=0
	for cell in "$1"/cells/*/[0-9]*; do
		[ "$(jq -r .state "$cell/cell.json")" = complete ] || continue
		awk -v load="$(jq .parameters.sinks "$cell/cell.json")" 'FILENAME ~ /samples/ { if (FNR == 2) first = $3; last = $3; next }
			$1 <= first { there = $2 } $1 > first && $1 < last { there = "changed" }
			END { exit !(first > 0 && there == load "") }' "$cell/samples.tsv" "$W/lab/hogs" || { echo "$cell"; return 1; }
		cells=$((cells + 1))
	done
	[ "$cells" = "$2" ]
}

# bats test_tags=all
@test "attach --set-load: the command sets each load before its cells, and 0 at the end; if it fails, so do its cells" {
	command -v vncviewer >/dev/null || skip "vncviewer is not installed"
	command -v Xvnc >/dev/null || skip "Xvnc is not installed"
	busy_begin
	drive <<END
$foreign_server
attach_start run --on attach::90,TigerVNC --time 2 --repeat 2 --quick --idle 1 --loads 0,3,7 --set-load "\$W/lab/set %d"
follow "\$run"
lab_wait "\$run"
echo "status \$?"
lab_down
END
	cat "$W/lab/log/run.err"
	[[ $output == *"status 3"* ]]
	run="$W/lab/run"
	[ "$(jq -r '.settings.set_load' "$run/run.json")" = "$W/lab/set %d" ]
	# in each repeat each possible load is set once (not if it is in force already), and 0 at the end
	cat "$W/lab/told"
	[ "$(tail -n 1 "$W/lab/told")" = 0 ]
	[ "$(sort -u "$W/lab/told" | paste -sd ' ')" = "0 3" ]
	jq -c '.cells[] | [.name, .state]' "$run/run.json"
	[ "$(jq -c '[.cells[] | select(.state == "complete") | .parameters.sinks] | sort' "$run/run.json")" = "[0,3]" ]
	reason=$(jq -r .reason "$run/cells/$(jq -r '.cells[] | select(.parameters.sinks == 7).name' "$run/run.json")/1/cell.json")
	[ "$reason" = "cannot set the load to 7: $W/lab/set 7 ended with status 9: no seven here" ]
	with_their_hogs "$run" 4
	# a key needs 10 ms of the CPU; beside three hogs the server may be overloaded, but not without hogs
	idle=$(p50 "$run" 0) loaded=$(p50 "$run" 3)
	echo "median $idle and $loaded"
	awk -v ms="$idle" 'BEGIN { exit !(ms + 0 > 10) }' || { ! median "$idle" && machine_was_busy 1000; }
	awk -v ms="$loaded" 'BEGIN { exit !(ms + 0 > 10) }' || ! median "$loaded"
	# drawn like the loads of the lab's own server
	for f in late-share jitter latency-cdf; do [ -s "$run/figures/$f.svg" ]; done
	grep -q 'load on the server' "$run/figures/late-share.svg"
	run -1 grep -ni 'CPU hogs\|sinks' "$run/findings.json"
}

# bats test_tags=all
@test "attach --set-load: interrupted during the command, or with one that hangs, the load is 0 again, and nothing is left" {
	local number=$((RANDOM * 32768 + RANDOM))	# unique, to find the process
	command -v vncviewer >/dev/null || skip "vncviewer is not installed"
	command -v Xvnc >/dev/null || skip "Xvnc is not installed"
	drive <<END
$foreign_server
attach_start cut --on attach::90,TigerVNC --time 20 --repeat 1 --quick --idle 1 --loads 3,4 --set-load "\$W/lab/set %d"
told() { [ -s "\$W/lab/told" ]; }
wait_until 60 told
read -r line <&"\$TOLD" && hogs "\$line"
train_ready() { grep -qs '^ready' "\$LAB_RUN"/cut/cells/*/1/keyrepeat.err; }
wait_until 30 train_ready
nap 1
kill -TERM "\$cut"
follow "\$cut"
lab_wait "\$cut"
echo "cut \$? told \$(paste -sd ' ' "\$W/lab/told")"
attach slow --on attach::90,TigerVNC --time 2 --repeat 1 --quick --idle 1 --loads 0,2 --set-load-timeout 5 \
	--set-load "echo %d >>\$W/lab/slow.told; sleep 4321%d.$number"
echo "slow \$? told \$(paste -sd ' ' "\$W/lab/slow.told")"
lab_down
END
	[[ $output =~ cut\ 130\ told\ [34]\ 0$'\n' ]]
	[ "$(jq -r .state "$W/lab/cut/run.json")" = interrupted ]
	[[ $output =~ slow\ 1\ told\ ([02]\ [02])\ 0 ]]
	[ "$(jq -r .reason "$W"/lab/slow/cells/*/1/cell.json | grep -c 'took longer than 5 s (--set-load-timeout)')" = 2 ]
	no_sleep() { ! pgrep -f "^sleep 4321[02][.]$number"; }
	soon no_sleep
}

# bats test_tags=all
@test "attach: a person at the terminal is asked for each load, once for all repeats" {
	command -v vncviewer >/dev/null || skip "vncviewer is not installed"
	command -v Xvnc >/dev/null || skip "Xvnc is not installed"
	command -v script >/dev/null || skip "script is not installed"
	drive <<END
$foreign_server
mkfifo "\$W/keys"
exec {KEYS}<>"\$W/keys"
lab_start -i "\$KEYS" -R client typed script -qec "env TMPDIR=/tmp '\$TOP/experiments/engine/run.sh' stalls -o '\$LAB_RUN/run' \
	--on attach::90,TigerVNC --time 2 --repeat 2 --quick --idle 1 --loads 0,3" /dev/null
typed=\$LAB_PID
said=0
until lab_gone "\$typed"; do
	asked=(\$(grep -ao 'set the load to [0-9]*, then press Enter' "\$LAB_LOG/typed.out" | grep -o '[0-9]*'))
	if [ "\${#asked[@]}" -gt "\$said" ]; then
		hogs "\${asked[said]}"
		said=\$((said + 1))
		echo >&"\$KEYS"
	fi
	nap 0.1
done
lab_wait "\$typed"
echo "status \$? asked \${asked[*]}"
lab_down
END
	[[ $output =~ "status 0 asked "(0\ 3|3\ 0) ]]
	run="$W/lab/run"
	[ "$(jq -r .state "$run/run.json")" = complete ]
	grep -a 'set the load on the server back to 0' "$W/lab/log/typed.out"
	with_their_hogs "$run" 4
	grep -q 'a person sets them' "$run/report.md"
}

@test "attach: the title of a window, and what a host says of its programs, are no commands for a terminal" {
	mkdir "$W/bin"
	printf '%s\n' '#!/bin/sh' 'case $1 in getwindowname) printf "x\\033[2J\\n" ;; esac' >"$W/bin/xdotool"
	printf '#!/bin/sh\n' >"$W/bin/xwininfo"
	chmod 755 "$W"/bin/*
	printf '{"protocol": {"says": "ssh (\\u001b[2J\\n)"}, "lab": {"missing": []}}\n' >"$W/run.json"
	{ printf '%s\n' "LAB_RUN=$W RUN=$W ON_BACKEND=attach PROTOCOL_WATCH=update; . '$TOP/lab/lib.sh'; lab_use attach :7,5; lab_up"
		sed -n '/^run_says()/,/^}/p' "$TOP/experiments/engine/run.sh"; echo run_says; } >"$W/driver.sh"
	PATH="$W/bin:$PATH" run timeout 60 bash "$W/driver.sh"
	[[ ${lines[0]} == *'"x?[2J"'* ]]
	[[ ${lines[1]} == 'ssh (?[2J?)' ]]
	[[ $output != *$'\033'* ]]
}
