#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Record and replay on real servers. The application logs which input reached which of its widgets, in which order and how often
# (expected: golden/vncplay/session.told). ROUNDS=20 bats kits/replay/tests/lab/vncplay.bats repeats everything 20 times.
#
# A round is a recording and a replay, or, where its name begins with a dash, a further replay of the last recording:
#   plain  fast: thinks twice as fast  late: the dialog comes 5 s late  sinks: beside ten sinks on all CPUs
#   moved: button-3 is not where it was, and looked for   lost: the same, not looked for   hidden: it is nowhere

load ../../../../tests/cli/helpers

setup() {
	begin_test
	need Xvnc Xvfb x11vnc wish
	LAB=$BATS_TEST_DIRNAME GOLDEN=$BATS_TEST_DIRNAME/../golden/vncplay
	first=() secret=()
}

serve() {	# NAME [OPTION OF THE WITNESS...]: $port; the witness's log is NAME.log
	local name=$1 x11vnc=(-localhost -nopw -forever -shared -quiet -noipv6 -nolookup -nosel -noshm)

	shift
	case $kind in
	xvnc) start_vnc -SecurityTypes None ;;
	password) start_vnc -SecurityTypes VncAuth -PasswordFile password ;;
	*) start_x ;;
	esac
	served=("$server")
	: >"$name.log"
	start witness "${first[@]}" wish "$LAB/witness.tcl" "$name.log" "$@"
	served+=("$pid")
	until_true grep -q ' ready ' "$name.log"
	[[ $kind == *x11vnc ]] || return 0
	[ "$kind" != drawn-x11vnc ] || x11vnc+=(-nocursorshape -cursor arrow)
	unused_port
	start x11vnc "${first[@]}" x11vnc -display "$DISPLAY" "${x11vnc[@]}" -rfbport "$port"
	served+=("$pid")
	until_true listens "$port" "$pid"
}

end_served() {
	local p

	kill "${served[@]}"
	for p in "${served[@]}"; do ends "$p"; done
}

# Prints which input reached which widget, in order, without times. Beside sinks the display may be too slow for a double click;
# then two presses are enough.
told() {	# NAME
	awk '$2 ~ /^(press|release|double|drag|key|line)$/ { $1 = ""; print substr($0, 2) }' "$1.log" | expected
}
expected() { if [ "$variant" = sinks ]; then grep -v '^double'; else cat; fi; }

recorded() {
	serve recording || return
	timeout 60 "$BIN/vncplay" record --headless --script "$GOLDEN/session.script" "${secret[@]}" "127.0.0.1::$port" a.trace ||
		{ end_served; return 1; }
	end_served
	diff <(expected <"$GOLDEN/session.told") <(told recording) && grep -q ' snapshot key ' a.trace &&
		grep -q ' snapshot hover ' a.trace
}

# The expected end of the replay, and the expected log of the application.
replayed() {
	local witness=() words=(--speed 2) want=0 sinks was=0

	case $variant in
	plain) words=() ;;
	late) witness=(late=5000) ;;
	sinks) words=() ;;
	moved) witness=("moved=-14,24") words+=(--search 40 --timeout 10s) ;;
	lost) witness=("moved=-14,24") words+=(--timeout 3s) want=1 ;;
	hidden) witness=(hidden) words+=(--search 40 --timeout 4s) want=1 ;;
	esac
	# this server sends a cursor shape, and also draws it, sometimes late: the player cannot detect that, so it gets an option
	[ "$kind" != drawn-x11vnc ] || words+=(--mask-pointer always)
	serve replay "${witness[@]}" || return
	if [ "$variant" = sinks ]; then
		start sinks "$BIN/sink" -n 10 -t 60s
		sinks=$pid
		until_true grep -q '^ready$' sinks.err
	fi
	timeout 120 "$BIN/vncplay" play --wait-end 500ms --timeout 30s "${words[@]}" "${secret[@]}" "127.0.0.1::$port" a.trace out.rfb ||
		was=$?
	[ -z "${sinks-}" ] || { kill "$sinks" && ends "$sinks"; }
	end_served
	[ "$was" = "$want" ] || { echo "status $was"; return 1; }
	if [ "$want" = 1 ]; then
		# no click after the first button, also none beside it; pictures of the expected and of the actual screen
		diff <(head -n 2 "$GOLDEN/session.told") <(told replay) && [ -s out.rfb.expected.ppm ] && [ -s out.rfb.actual.ppm ]
		return
	fi
	diff <(expected <"$GOLDEN/session.told") <(told replay) || return
	case $variant in
	moved) grep -q 'ok .* moved=-14,24' out.rfb.aux ;;
	late) awk '/^snapshot .* ok / { sub(/.*waited_us=/, ""); if ($1 > 3000000) late = 1 } END { exit !late }' out.rfb.aux ;;
	esac
}

# The script runs by the clock: if the machine delays the application, a menu may not be open yet when it is clicked, and a pointer
# drawn by the server may be at its old place. Only then is the session recorded again.
round() {	# NAME
	local variant=${1#-} _

	for _ in {1..5}; do
		busy_begin
		if [[ $1 != -* ]] && ! recorded; then machine_was_busy 100 && continue || return; fi
		replayed && return
		[[ $kind$1 == drawn-x11vnc[!-]* ]] && machine_was_busy 100 || return
	done
	return 1
}

good() {	# KIND ROUND...
	local name i

	kind=$1
	for ((i = 0; i < ${ROUNDS:-1}; i++)); do
		for name in "${@:2}"; do
			echo "$kind $name"
			round "$name"
		done
	done
}

@test "vncplay, Xvnc: replayed input reaches the same widgets; a moved button is found, or nothing is clicked" {
	good xvnc fast -moved -lost
}

# bats test_tags=all
@test "vncplay, x11vnc over Xvfb: replayed input reaches the same widgets; a missing button is not clicked" {
	good x11vnc plain -hidden -moved
}

# bats test_tags=all
@test "vncplay, a server that draws the pointer: input reaches the same widgets, also with a window five seconds late" {
	# a server that draws the pointer must not wait for a CPU, or old pictures would be recorded
	if chrt -f 5 true 2>/dev/null; then first=(chrt -f 5); fi
	good drawn-x11vnc fast -late
}

# bats test_tags=all
@test "vncplay: records and replays with a password" {
	need openssl
	# as vncpasswd writes it: one DES block under a key that everybody knows (three times one key is single DES)
	printf sesame12 | openssl enc -des-ede3-ecb -nopad -K e84ad660c4721ae0e84ad660c4721ae0e84ad660c4721ae0 >password
	secret=(--password-file password)
	good password fast
}

# bats test_tags=all
@test "vncplay: beside ten sinks every input reaches its widget" {
	good xvnc plain -sinks
}
