#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Record and replay on real servers. The witness is the application: what reached which of its widgets, in which order, how often
# (golden/vncplay/session.told). ROUNDS=20 bats kits/replay/tests/lab/vncplay.bats: everything so many times.
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

# What reached which widget, in order, without times. Beside sinks the display itself may be too slow for a double click; that both
# clicks came is told by their presses.
told() {	# NAME
	awk '$2 ~ /^(press|release|double|drag|key|line)$/ { $1 = ""; print substr($0, 2) }' "$1.log" | expected
}
expected() { if [ "$variant" = sinks ]; then grep -v '^double'; else cat; fi; }

recorded() {
	serve recording
	timeout 60 "$BIN/vncplay" record --headless --script "$GOLDEN/session.script" "${secret[@]}" "127.0.0.1::$port" a.trace
	end_served
	diff <(expected <"$GOLDEN/session.told") <(told recording) && grep -q ' snapshot key ' a.trace &&
		grep -q ' snapshot hover ' a.trace
}

# How the replay is to end, and what is to have reached the application.
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
	# it hands out a shape and draws nevertheless, late at times: the player cannot tell, so it is told
	[ "$kind" != drawn-x11vnc ] || words+=(--mask-pointer always)
	serve replay "${witness[@]}"
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
		# nothing after the first button, least of all on the desk; pictures of what was expected and what there was
		diff <(head -n 2 "$GOLDEN/session.told") <(told replay) && [ -s out.rfb.expected.ppm ] && [ -s out.rfb.actual.ppm ]
		return
	fi
	diff <(expected <"$GOLDEN/session.told") <(told replay) || return
	case $variant in
	moved) grep -q 'ok .* moved=-14,24' out.rfb.aux ;;
	late) awk '/^snapshot .* ok / { sub(/.*waited_us=/, ""); if ($1 > 3000000) late = 1 } END { exit !late }' out.rfb.aux ;;
	esac
}

# The script goes by the clock: where the machine holds the application up, a menu is not there yet when it is clicked, and a
# pointer that the server draws is where it was. Then, and only then, it is recorded again.
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

@test "Xvnc: what was recorded reaches the same widgets; a button that moved is found, or nothing is clicked" {
	good xvnc fast -moved -lost
}

# bats test_tags=all
@test "x11vnc over Xvfb: the same, and a button that is nowhere is not clicked" {
	good x11vnc plain -hidden -moved
}

# bats test_tags=all
@test "a server that draws the pointer into the picture: the same, also with a window that comes five seconds late" {
	# who draws the pointer himself is not to wait for a CPU: old pictures would be recorded
	if chrt -f 5 true 2>/dev/null; then first=(chrt -f 5); fi
	good drawn-x11vnc fast -late
}

# bats test_tags=all
@test "a server with a password" {
	need openssl
	# as vncpasswd writes it: one DES block under a key that everybody knows (three times one key is single DES)
	printf sesame12 | openssl enc -des-ede3-ecb -nopad -K e84ad660c4721ae0e84ad660c4721ae0e84ad660c4721ae0 >password
	secret=(--password-file password)
	good password fast
}

# bats test_tags=all
@test "beside ten sinks nothing goes astray" {
	good xvnc plain -sinks
}
