#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# rounds.sh - record a session, replay it, and ask the application what reached it; so many times.
#
# usage: kits/replay/tests/lab/rounds.sh KIND [VARIANT...]
# KIND is the server:
#   xvnc      TigerVNC's, which hands the pointer's shape to its clients
#   password  the same, with VNC authentication
#   x11vnc    over Xvfb
#   drawn     x11vnc, which draws the pointer into the picture
# Each VARIANT is a round, a record and a replay; where it begins with a dash (-late), the last recording is replayed once more.
#   plain  fast: thinks twice as fast  late: the dialog comes 5 s late  sinks: beside ten sinks on all CPUs
#   moved: button-3 is not where it was, and looked for   lost: the same, not looked for   hidden: it is nowhere
# A line for each: "KIND VARIANT: good" or what was wrong; the exit status is 0 if all are good.
# Truth is golden/vncplay/session.told, and the log of witness.py. Works in a folder of its own in
# the current one. Whatever it starts ends with it, also by SIGKILL.
# shellcheck disable=SC2317  # what until_true calls
set -u
top=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../../../.." && pwd) || exit 1
kind=${1:?"which server? xvnc, password, x11vnc or drawn"}
shift
{ mkdir -p "rounds-$kind" && cd "rounds-$kind"; } || exit 1
bin=${BIN:-$top/bin}
golden=$top/kits/replay/tests/golden/vncplay
# shellcheck source=tests/busy.bash
. "$top/tests/busy.bash"
export BATS_TEST_TMPDIR=$PWD	# by this its processes are told from others'
started=() served=() bad=0
first=()	# who draws the pointer himself is not to wait for a CPU: old pictures would be recorded
[ "$kind" != drawn ] || ! chrt -f 5 true 2>/dev/null || first=(chrt -f 5)
unset DISPLAY

# bash waits for who ends by himself, and his pid may be somebody else's by then.
running() { [[ " $(jobs -pr | xargs) " == *" $1 "* ]]; }	# PID

end() {	# PID...
	local p i

	# an X server that is killed leaves its socket and its lock: it has 20 s
	for p; do if running "$p"; then kill "$p" 2>/dev/null; fi; done
	for ((i = 0; i < 1000; i++)); do
		for p; do if running "$p"; then sleep 0.02 && continue 2; fi; done
		break
	done
	for p; do if running "$p"; then kill -9 "$p" 2>/dev/null; fi; done
	for p; do wait "$p" 2>/dev/null; done
}
trap 'end "${started[@]}"' EXIT
trap 'exit 130' INT TERM HUP

start() {	# NAME COMMAND...
	local name=$1

	shift
	: >"$name.out" 2>"$name.err"
	setpriv --pdeathsig KILL -- "${first[@]}" "$@" >"$name.out" 2>"$name.err" 3>&- &
	pid=$!
	started+=("$pid")
	served+=("$pid")
}

until_true() {
	local i

	for ((i = 0; i < 1500; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.02
	done
	echo "$kind: never came true: $*"
	return 1
}

listens() {	# PORT PID
	ss -Hltn "sport = :$1" | grep -q . || ! kill -0 "$2"
}

on_a_port() {	# NAME COMMAND..., with PORT for the port: tries until one is free
	local name=$1 try

	shift
	for try in 1 2 3 4 5; do
		port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
		: >display
		start "$name" "${@//PORT/$port}" 4>display
		until_true listens "$port" "$pid" && kill -0 "$pid" 2>/dev/null && return 0
	done
	echo "$kind: $name does not start: $(tail -n 1 "$name.err")"
	return 1
}

serve() {	# NAME [OPTION OF THE WITNESS...]
	local name=$1

	shift
	served=()
	case $kind in
	xvnc) on_a_port xvnc Xvnc -displayfd 4 -rfbport PORT -localhost -geometry 800x600 -depth 24 -ac -SecurityTypes None ;;
	password)
		on_a_port xvnc Xvnc -displayfd 4 -rfbport PORT -localhost -geometry 800x600 \
			-depth 24 -ac -SecurityTypes VncAuth -PasswordFile password
		;;
	*)
		: >display
		start xvfb Xvfb -displayfd 4 -screen 0 800x600x24 -noreset -nolisten tcp 4>display
		;;
	esac || return
	until_true test -s display || return
	DISPLAY=:$(cat display)
	: >"$name.log"	# that of the round before is ready, too
	start witness env DISPLAY="$DISPLAY" python3 "$top/kits/replay/tests/lab/witness.py" "$name.log" "$@"
	until_true grep -q ' ready ' "$name.log" || return
	case $kind in
	# no shared memory: who is killed leaves it behind
	x11vnc)
		on_a_port x11vnc x11vnc -display "$DISPLAY" -localhost -nopw -forever -shared -quiet -noipv6 -nolookup -nosel -noshm -rfbport PORT
		;;
	drawn)
		on_a_port x11vnc x11vnc -display "$DISPLAY" \
			-localhost -nopw -forever -shared -quiet -noipv6 -nolookup -nosel -noshm -rfbport PORT -nocursorshape -cursor arrow
		;;
	esac
}

# What reached which widget, in order, without times.
told() {	# NAME
	awk '$2 ~ /^(press|release|double|drag|key|line)$/ { $1 = ""; print substr($0, 2) }' "$1.log"
}

counted() {	# FILE
	if [ "$variant" = sinks ]; then grep -v '^double' "$1"; else cat "$1"; fi
}

wrong() {
	echo "$kind $variant: $*"
	bad=1
}

secret=()
if [ "$kind" = password ]; then
	# as vncpasswd writes it: one DES block under a key that everybody knows (three times one key is single DES)
	printf sesame12 | openssl enc -des-ede3-ecb -nopad -K e84ad660c4721ae0e84ad660c4721ae0e84ad660c4721ae0 >password || exit 1
	secret=(--password-file password)
fi

recorded() {
	if ! serve recording; then
		bad=1
		return
	fi
	if ! timeout 60 "$bin/vncplay" record --headless --script "$golden/session.script" "${secret[@]}" "127.0.0.1::$port" a.trace \
		>record.out 2>record.err; then
		wrong "the recorder said: $(tail -n 1 record.err)"
		end "${served[@]}"
		return 1
	fi
	end "${served[@]}"
	told recording | diff "$golden/session.told" - >record.diff && return
	wrong "while it was recorded, something else happened: $(head -n 3 record.diff | tr '\n' ' ')"
	return 1
}

# How the replay is to end, and what is to have reached the application.
replayed() {
	local witness=() words=(--wait-end 500ms --timeout 30s) want=0 status sinks=0

	case $variant in
	plain) ;;
	fast) words+=(--speed 2) ;;
	late) witness=(late=5000) words+=(--speed 2) ;;
	sinks) sinks=10 ;;
	moved)
		witness=("moved=-14,24") words+=(--search 40 --speed 2 --timeout 10s)
		[ "$kind" != drawn ] || want=either	# under a picture of the pointer a place that moved may not be known again
		;;
	lost) witness=("moved=-14,24") words+=(--timeout 3s --speed 2) want=1 ;;
	hidden) witness=(hidden) words+=(--search 40 --timeout 4s --speed 2) want=1 ;;
	*) wrong "no such variant" && return ;;
	esac
	# it hands out a shape and draws nevertheless, late at times: the player cannot tell, so it is told
	[ "$kind" != drawn ] || words+=(--mask-pointer always)
	if ! serve replay "${witness[@]}"; then
		bad=1
		return
	fi
	if [ "$sinks" != 0 ]; then
		start sinks "$bin/sink" -n "$sinks" -t 60s
		until_true grep -q '^ready$' sinks.err
	fi
	timeout 120 "$bin/vncplay" play "${words[@]}" "${secret[@]}" "127.0.0.1::$port" a.trace out.rfb >play.out 2>play.err
	status=$?
	end "${served[@]}"
	told replay >replay.told
	[ "$want" != either ] || want=$((status == 0 ? 0 : 1))
	[ "$status" = "$want" ] || wrong "the replay ended with status $status: $(tail -n 1 play.err)"
	if [ "$want" = 0 ]; then
		# beside sinks the display itself may be too slow for a double click; that both clicks came is told by their presses
		diff <(counted "$golden/session.told") <(counted replay.told) >replay.diff ||
			wrong "was not what was recorded: $(head -n 3 replay.diff | tr '\n' ' ')"
		[ "$variant" != moved ] || grep -q 'ok .* moved=-14,24' out.rfb.aux || wrong "it does not say that the button moved"
		[ "$variant" != late ] || awk '/^snapshot .* ok / { sub(/.*waited_us=/, ""); if ($1 > 3000000) late = 1 }
			END { exit !late }' out.rfb.aux || wrong "it did not wait for the dialog"
	else
		# nothing after the first button, least of all on the desk
		diff <(head -n 2 "$golden/session.told") replay.told >replay.diff ||
			wrong "did not do what could be done, or clicked blindly: $(head -n 3 replay.diff | tr '\n' ' ')"
		{ [ -s out.rfb.expected.ppm ] && [ -s out.rfb.actual.ppm ]; } || wrong "left no picture of what was expected and what there was"
	fi
}

for variant; do
	before=$bad fresh=1
	[ "${variant#-}" = "$variant" ] || fresh=0
	variant=${variant#-}
	# The script goes by the clock: where the machine holds the application up, a menu is not there yet when it is clicked, and a
	# pointer that the server draws is where it was. Then, and only then, it is recorded again.
	for _ in {1..5}; do
		bad=0
		busy_begin
		[ $fresh = 0 ] || recorded
		[ $bad = 0 ] || { machine_was_busy 100 || break; continue; }
		replayed
		if [ $bad = 0 ] || [ "$kind$fresh" != drawn1 ] || ! machine_was_busy 100; then break; fi
	done
	if [ $bad = 0 ]; then
		echo "$kind $variant: good"
	else
		for f in a.trace out.rfb out.rfb.aux play.out replay.log recording.log; do [ ! -e $f ] || cp $f "wrong-$variant-$f"; done
	fi
	[ "$before" = 0 ] || bad=1
done
exit $bad
