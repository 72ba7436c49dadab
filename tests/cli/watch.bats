#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# thinprobe watch: beside refecho whose delay changes, rows follow; it types only when told all of what to type.
# bats file_tags=waits:two

bats_require_minimum_version 1.5.0
load ../busy

setup() {
	export TOP=${BATS_TEST_DIRNAME%/tests/cli}
	export BIN=$TOP/bin
	cd "$BATS_TEST_TMPDIR" || return 1
}

in_namespace() {
	if [ "$(id -u)" = 0 ]; then unshare --net "$@"; else unshare --user --map-root-user --net "$@"; fi
}

@test "watch: incomplete or wrong options are refused in one line" {
	for words in "--on attach::0,x" "--key a" "--every 60s" "--on attach::0,x --key a --every 1s" \
		"--on lab --key a --every 60s" "--port" "--on attach::0,x --key a --every 60s --on-late true" \
		"--on attach:own,x --key a --every 60s"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -2 "$TOP/thinprobe" watch $words
		[ "${#stderr_lines[@]}" = 1 ]
		[ -z "$output" ]
	done
	for words in 1us 99ms 61m 1 x; do
		run --separate-stderr -2 "$TOP/thinprobe" watch --port 5901 -i lo --interval "$words"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"--interval $words"* ]]
	done
	run -2 "$TOP/thinprobe" watch --prot 5901
	[[ $output == *"did you mean --port?"* ]]
	run -2 "$TOP/thinprobe" watch rpd
	[[ ${#lines[@]} = 1 && $output == *"rpd is no port, and no protocol"*"did you mean rdp?"* ]]
}

@test "watch: without words it finds what listens, and the interface that leads there; lines also without a terminal" {
	in_namespace true 2>/dev/null || skip "no network namespaces here"
	cat >scene.sh <<-'END'
		until_true() { for i in $(seq 600); do ! eval "$1" || return 0; sleep 0.05; done; return 1; }
		ip link set lo up
		"$TOP/thinprobe" watch; echo "nothing: $?"
		"$BIN/refecho" --vnc 5907 -o refecho.txt 2>refecho.err & refecho=$!
		trap 'kill "$refecho"; wait' EXIT
		until_true 'grep -q ready refecho.err' || exit 1
		"$TOP/thinprobe" watch -t 11s >silent.out 2>silent.err; echo "silent: $?"
		"$TOP/thinprobe" watch -t 6s >out 2>err & watch=$!
		"$TOP/thinprobe" watch --json -t 6s >json 2>json.err & json=$!
		until_true 'grep -q ready err && grep -q ready json.err' || exit 1
		"$BIN/keyrepeat" vnc:127.0.0.1:5907 -r 5 -t 2s --warmup 0 --priority 0 -o keys.txt
		wait "$watch"; echo "typed: $?"
		wait "$json"; echo "in JSON: $?"
		timeout 60 "$TOP/thinprobe" watch --json -i lo --on-late true -t 1s >/dev/null 2>&1; echo "both: $?"
		ip link add far type veth peer name near && ip link set near up && ip link set far up
		ip addr add 192.0.2.1/24 dev far && ip route add default dev far
		"$TOP/thinprobe" watch --port 3389 -t 100ms 2>route.err
		"$TOP/thinprobe" watch -i lo -t 100ms 2>given.err
		python3 -m http.server 3389 --bind 192.0.2.1 >/dev/null 2>&1 & other=$!
		until_true 'ss -Htln | grep -q :3389' || exit 1
		"$TOP/thinprobe" watch -i lo -t 100ms 2>both.err
		"$TOP/thinprobe" watch -t 100ms 2>far.err
		kill "$other"
		"$TOP/thinprobe" watch --port 5907 -t 100ms 2>local.err
		"$TOP/thinprobe" watch 5907 -t 100ms 2>number.err
		"$TOP/thinprobe" watch vnc -t 100ms 2>listens.err
		"$TOP/thinprobe" watch rdp -t 100ms 2>first.err
		ip route del default
		if ip -6 route add default dev far; then "$TOP/thinprobe" watch --port 3389 -t 100ms 2>six.err; fi
		true	# (without a packet they end with 3)
	END
	run -0 --separate-stderr in_namespace bash scene.sh
	echo "$output"
	grep . ./*.err
	[[ $output == *"nothing: 2"*"silent: 3"*"typed: 0"*"in JSON: 0"*"both: 3"* ]]
	jq -se 'length > 2 and (map(.inputs) | add) == 10 and all(.schema == "watch/1" and .server == "127.0.0.1:5907")' json
	[[ $stderr == *"data/ports.tsv"* ]]
	[ "$(grep -c 'no packet of port' silent.err)" = 1 ]
	grep -q 'port 5907 on lo' err
	[ "$(grep -cE '^[0-9:]{8} .* in .* upd' err)" -ge 4 ]
	[ ! -s out ]
	grep -q 'port 3389 on far' route.err
	grep -q 'port 5907 on lo' given.err
	grep -qE 'port (3389,5907|5907,3389) on lo' both.err
	grep -q 'port 3389 on far (RDP server); .*left out: 5907$' far.err	# what is left out is not named
	grep -q 'port 5907 on lo' local.err
	grep -q 'port 5907 on lo' number.err
	grep -q 'port 5907 on lo' listens.err
	grep -q 'port 3389 on far' first.err
	[ ! -e six.err ] || grep -q 'port 3389 on far' six.err
}

@test "watch --on-late, --who: the first wait that is blamed runs a command once; lines name what had the CPUs" {
	in_namespace true 2>/dev/null || skip "no network namespaces here"
	for i in $(seq 400); do echo 20ms; done >delays
	cat >scene.sh <<-'END'
		until_true() { for i in $(seq 600); do ! eval "$1" || return 0; sleep 0.05; done; return 1; }
		ip link set lo up
		"$BIN/refecho" --vnc 5901 --answer-delay file:delays -o refecho.txt 2>refecho.err & refecho=$!
		"$TOP/thinprobe" watch --port 5901 -i lo --tsv rows --on-late 'env | grep ^THINPROBE_ >>late; echo "it said"' \
			2>watch.err & watch=$!
		"$TOP/thinprobe" watch --port 5901 -i lo --who 2>who.err & who=$!
		trap 'kill -CONT "$refecho"; kill "$watch" "$who" "$refecho" "$typist"; wait' EXIT
		until_true 'grep -q ready refecho.err && grep -q ready watch.err && grep -q ready who.err' || exit 1
		"$BIN/keyrepeat" vnc:127.0.0.1:5901 -r 5 -t 60s --warmup 0 --priority 0 -o keys.txt 2>keys.err & typist=$!
		until_true '[ "$(awk "{ n += \$8 } END { print n }" rows)" -gt 40 ]' || exit 2
		[ ! -e late ] || exit 3
		for i in 1 2; do
			kill -STOP "$refecho"
			until_true '[ "$(grep -c server rows)" -gt '"$((2 * i))"' ]' || exit 4
			kill -CONT "$refecho"
			sleep 1
		done
	END
	run -0 in_namespace bash scene.sh
	cat late who.err
	[ "$(grep -c ^THINPROBE_VERDICT late)" = 1 ]
	grep -qx THINPROBE_VERDICT=server late
	grep -qx THINPROBE_SERVER=127.0.0.1:5901 late
	grep -qE '^THINPROBE_RISE_MS=[0-9]*$' late
	[ "$(grep -cx 'it said' watch.err)" = 1 ]
	grep -qE ' server.*  most CPU: (no program|.+ [0-9]+ %)$' who.err
	[ "$(grep -c 'most CPU' who.err)" -le "$(grep -c '[!?] server' who.err)" ]
}

@test "watch: killed, it leaves no capture" {
	in_namespace true 2>/dev/null || skip "no network namespaces here"
	cat >scene.sh <<-'END'
		gone() { for p; do ! grep -qsE '^State:[[:space:]]+[^ZX]' "/proc/$p/status" || return 1; done; }
		until_true() { for i in $(seq 600); do ! eval "$1" || return 0; sleep 0.05; done; return 1; }
		ip link set lo up
		"$TOP/experiments/commands/watch.sh" --port 5901 -i lo --tsv rows --metrics prom --on-late true 2>watch.err & watch=$!
		until_true '[ -s rows ] && grep -q ready watch.err && [ "$(pgrep -cP "$watch" -x prototap)" = 2 ]' ||
			{ kill "$watch"; wait; exit 1; }
		captures=$(pgrep -P "$watch" -x prototap)
		captures+=" $(pgrep -P "${captures//[[:space:]]/,}" -x prototap)"
		echo "captures: "$captures
		kill -9 "$watch"
		until_true 'gone $captures' && exit
		kill $captures
		exit 2
	END
	run -0 in_namespace bash scene.sh
	echo "$output"
	[[ ${lines[0]} =~ ^captures:(\ [0-9]+){4}$ ]]
}

@test "watch: rows show a change of refecho's delay, and count only refecho's keys" {
	in_namespace true 2>/dev/null || skip "no network namespaces here"
	for i in $(seq 15); do echo 20ms; done >delays
	for i in $(seq 15); do echo 120ms; done >>delays
	cat >scene.sh <<-'END'
		until_true() { for i in $(seq 600); do ! eval "$1" || return 0; sleep 0.05; done; return 1; }
		ip link set lo up
		"$BIN/refecho" --vnc 5901 --answer-delay file:delays -o refecho.txt 2>refecho.err & refecho=$!
		"$TOP/thinprobe" watch --port 5901 -i lo --tsv rows --metrics watch.prom 2>watch.err & watch=$!
		trap 'kill "$watch" "$refecho"; wait' EXIT	# of what waits for it, nothing would end
		until_true 'grep -q ready refecho.err && grep -q ready watch.err' || exit 1
		"$BIN/keyrepeat" vnc:127.0.0.1:5901 -r 5 -t 6s --warmup 0 --priority 0 -o keys.txt
		until_true '[ "$(tail -n 1 rows | cut -f23)" = idle ]'
	END
	for _ in {1..5}; do
		rm -f rows watch.prom
		busy_begin
		run -0 in_namespace bash scene.sh
		cat rows
		# Two keys may share a segment, and an answer may come in the interval after its key's: after 20 inputs all that comes is later
		# than the change, and shows 120 ms or more; all the rest 20 or more. A busy machine is later, not earlier; where it was so late
		# that nothing shows less than 120, or few keys were left after the change, again.
		awk -F'\t' 'NR > 1 {
				if ($8 > 2 && $11 != "") {
					if ($11 < 19.6e6 || (inputs >= 20 && $11 < 118e6)) { print "too early: " $0; exit 1 }
					if ($11 < 118e6) early++
					if (inputs >= 20) late++
				}
				inputs += $8
			}
			END { if (inputs > 30) exit 1; print early && late ? "good" : "disturbed" }' rows >said || { cat said; return 1; }
		if grep -qx good said || ! machine_was_busy 100; then break; fi
	done
	grep -qx good said
	inputs=$(awk -F'\t' 'NR > 1 { n += $8 } END { print n }' rows)
	grep -qx "thinprobe_inputs_total $inputs" watch.prom
}

@test "watch --key: an echo in doubt is not said to be one, nor an earlier line to be this key's" {
	eval "$(sed -n '/^watch_answer() {/,/^}/p' "$TOP/experiments/commands/watch.sh")"
	run -0 watch_answer 3 < <(printf '3\t1000000\t1000000\t2300000\tchange\n')
	[ "$output" = "watch: key 3: echo after 1.3 ms" ]
	run -0 watch_answer 3 < <(printf '3\t1000000\t1000000\t2300000\tdoubt\n')
	[[ $output == "watch: key 3: "*"not certain"*"at least 1.3 ms" ]]
	run -0 watch_answer 3 < <(printf '3\t1000000\t1000000\tnone\tnone\n')
	[ "$output" = "watch: key 3: no echo within 10 s" ]
	for line in ready '2\t1000000\t1000000\t2300000\tchange'; do
		run -0 watch_answer 3 < <(printf "$line\n")
		[ "$output" = "watch: key 3: the time of its echo is not known" ]
	done
}

@test "watch --key: keys are announced, wait until the user pauses, and end with Ctrl-C; without a capture none is sent" {
	in_namespace true 2>/dev/null || skip "no network namespaces here"
	for command in Xvfb xdotool vncviewer xwininfo setpriv python3; do
		command -v "$command" >/dev/null || skip "$command is not installed"
	done
	cat >scene.sh <<-'END_SCENE'
		until_true() { for i in $(seq 600); do ! eval "$1" || return 0; sleep 0.1; done; echo "never: $1"; exit 1; }
		keys() { [ "$(wc -l <log.tsv)" -gt "$1" ]; }
		trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
		ip link set lo up
		export TMPDIR=$PWD/tmp
		mkdir tmp
		Xvfb -displayfd 4 -screen 0 1024x768x24 -noreset -nolisten tcp 4>display 2>/dev/null &
		"$BIN/refecho" --vnc 5901 --log log.tsv -o refecho.txt 2>refecho.err & refecho=$!
		until_true '[ -s display ] && grep -q ready refecho.err'
		DISPLAY=:$(cat display)
		export DISPLAY
		greeting=$(vncviewer --help 2>&1 | grep -oE "MenuKey|ShortcutModifiers")
		(vncviewer -RemoteResize=0 -$greeting= -SecurityTypes=None 127.0.0.1::5901 >viewer.log 2>&1 &)
		until_true 'xdotool search --onlyvisible --name TigerVNC'
		watch=("$TOP/thinprobe" watch --on "attach:$DISPLAY,TigerVNC" --key a --every 10s --interval 30s)
		setpriv --bounding-set=-net_raw "${watch[@]}" && echo "keys without a capture"
		# a pointer that moves: a second without a packet ends with 3
		(while sleep 0.2; do xdotool mousemove_relative 1 0; done) & pointer=$!
		timeout 50 "${watch[@]/10s/60s}" -t 1s || echo "ends late: $?"	# before the first key would be due
		kill "$pointer"
		env --default-signal=INT setsid "${watch[@]}" --tsv rows 2>watch.err & watch=$!
		until_true 'grep -q TigerVNC watch.err'
		# by the file, whose last line this is until the first key: who looks may be late
		python3 -c 'import os, time
			print(os.stat("watch.err").st_mtime_ns - time.time_ns() + time.monotonic_ns())' >announced
		until_true 'keys 1'
		sleep 4		# a person types until it would be time for the second key
		for i in 1 2 3 4 5 6 7 8 9 10; do xdotool key b; sleep 1; done
		until_true 'keys 12'
		kill -INT -- "-$watch"
		wait "$watch"
		echo "status $?"
		pgrep -as "$watch"
		ls -A tmp
		python3 -c 'import ctypes
			x = ctypes.CDLL("libX11.so.6")
			x.XOpenDisplay.restype = ctypes.c_void_p
			down = ctypes.create_string_buffer(32)
			x.XQueryKeymap(ctypes.c_void_p(x.XOpenDisplay(None)), down)
			print("down", down.raw.strip(b"\0"))'
		kill "$refecho"
		wait "$refecho"
	END_SCENE
	run -0 in_namespace timeout 300 bash scene.sh
	cat watch.err announced log.tsv
	[[ $output != *"keys without a capture"* && $output != *"ends late"* ]]
	[ "${lines[*]: -2}" = "status 130 down b''" ]	# no process, no file, no key is left
	# the first and the last key are its own, the ten between them the person's
	awk -v announced="$(cat announced)" 'NR > 1 { at[NR - 1] = $3 / 1e9 } END {
		exit !(NR == 13 && at[1] - announced / 1e9 > 8 && at[12] - at[11] >= 5 && at[12] - at[1] >= 20) }' log.tsv
	grep -q '^watch/1' rows
}
