#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# known.sh - replays against a desktop whose answers are known, and what the analyzer makes of them.
#
# usage: kits/replay/tests/lab/known.sh VARIANT CLICKS REPLAYS
#   plain      a window for each click                      noise1.6, noise3   beside random pixels, percent of the screen
#   caret      beside 1.6 % noise and a blinking caret      strips             a window in five strips, 15 ms apart
#   alternate  two pictures in turn, beside 1.6 % noise     absent             the third replay has no answer to two of the clicks
#   mark       8x8 pixels answer                            slow               the server gathers what changes within 60 ms
#   bits       of 16 a pixel                                mixed              windows, marks, strips, noise and a caret
# Answers take 60 to 350 ms, times 1, 1, 1.5, 2, 2.5 in the replays (DELAYS; GAP: ms between
# clicks). Works in the folder known-VARIANT of the current one, where trace, logs and analysis
# stay. Prints what known.py says; the exit status is 0 if that is as good as is demanded. Whatever
# it starts ends with it, also by SIGKILL.
set -u
top=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../../../.." && pwd) || exit 1
variant=${1:?which variant?} clicks=${2:?how many clicks?} replays=${3:?how many replays?}
bin=${BIN:-$top/bin} lab=$top/kits/replay/tests/lab
{ mkdir -p "known-$variant" && cd "known-$variant"; } || exit 1
factors=(1 1 1.5 2 2.5)
delays=${DELAYS:-60,350,120,200,90,280,40,160,310,110,70,240}
options=() demand=()
case $variant in
plain) ;;
noise1.6) options=(--noise 1.6) ;;
noise3) options=(--noise 3) demand=(--extra 2) ;;
caret) options=(--noise 1.6 --caret 1000) demand=(--least $((clicks - 1))) ;;
strips) options=(--answer strips:5:15) ;;
alternate) options=(--answer alternate --noise 1.6) demand=(--least $((clicks - (clicks + 9) / 10))) ;;
absent) ;;
mark) options=(--answer mark) ;;
slow) options=(--slow 60) ;;
bits) options=(--bits 16) ;;
mixed) options=(--answer "window,mark,strips:4:20,alternate" --noise "1.6,3@70" --caret 600) ;;
*) echo "known.sh: what is $variant?" >&2 && exit 2 ;;
esac
first=()	# for what must not wait for a CPU: the scripted server, and the player, whose log is analyzed
! chrt -f 5 true 2>/dev/null || first=(chrt -f 5)
trap 'kill $(jobs -pr) 2>/dev/null' EXIT	# not who has ended: his pid may be somebody else's
trap 'exit 130' INT TERM HUP

server() {	# NAME OPTION...: $server, $port
	local i name=$1

	shift
	rm -f "$name.server"
	setpriv --pdeathsig KILL -- "${first[@]}" python3 "$lab/scripted_rfb.py" --log "$name.server" --delays "$delays" "$@" 3>&- &
	server=$!
	for ((i = 0; i < 1500; i++)); do
		port=$(sed -n 's/.* listens port=//p' "$name.server" 2>/dev/null)
		[ -z "$port" ] || return 0
		sleep 0.02
	done
	return 1
}

replayed() {	# N
	local more=()

	[ "$variant" != absent ] || [ "$1" != 3 ] || more=(--missing "3,5")
	trap '[ -z "$server" ] || kill "$server" 2>/dev/null' EXIT
	server=
	server "$1" --factor "${factors[($1 - 1) % 5]}" "${options[@]}" "${more[@]}" || return
	timeout 120 "${first[@]}" "$bin/vncplay" play "127.0.0.1::$port" trace "$1.rfb" --wait-end 1s >"$1.out" 2>"$1.err" || {
		tail -n 1 "$1.err" && return 1
	}
	kill "$server" && wait "$server" 2>/dev/null
	server=
}

for ((k = 0; k < clicks; k++)); do
	at="$((42 + 60 * (k % 10))) $((20 + 32 * (k / 10 % 2)))"
	printf '%s\n' "move $at" "wait 200" "shot click $at" "press $at" "wait 60" "release $at" "wait ${GAP:-900}"
done >script
python3 "$lab/scripted_rfb.py" --log trace.log --trace script trace || exit 1
logs=() servers=() running=()
for ((i = 1; i <= replays; i++)); do
	logs+=("$i.rfb")
	servers+=("$i.server")
	replayed "$i" &
	running+=($!)
done
for pid in "${running[@]}"; do wait "$pid" || exit 1; done
timeout 120 "$bin/vncplay" analyze "${logs[@]}" --labels "$(IFS=,; echo "${logs[*]%.rfb}")" --format json -o analysis.json || exit 1
"$lab/known.py" analysis.json 1.rfb.aux "${servers[@]}" "${demand[@]}" --rows >rows
status=$?
tail -n 1 rows
[ $status = 0 ] || grep -E 'WRONG|extra:' rows
exit $status
