#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# watch.sh - latency while people work: prototap live --every, and, only when asked, a key now and then into a window of yours.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
TP_TOOL=thinprobe
. "$TP_HOME/lab/words.sh"
. "$TP_HOME/experiments/engine/plan.sh"
PLAN[called]=watch RESUME=''

usage() {
	cat <<'END'
usage: thinprobe watch --port PORT,... -i INTERFACE [options]
       thinprobe watch --on attach:DISPLAY,WINDOW --key K --every TIME [options]
Shows latency while people work, a line a second: the time from input to the
next update, stalls, bytes, and what made waits longer than usual.
The first form only listens. The second also sends one key K each TIME, while
nobody has typed on that connection for 5 s, and says so first.
  --port PORT,...      ports of the display protocol
  -i, --interface IF   capture on this interface
  --interval TIME      length of an interval, 100ms to 1h (1s)
  --tsv FILE           a row for each interval and connection (-: stdout)
  --metrics FILE       the latest interval, for node_exporter
  --rotate SIZE        begin FILE anew at this size, and each day (64M)
  --keep N             keep so many earlier files (7)
  -t, --time TIME      stop after this time (on a signal)
  --on WHERE           attach:DISPLAY,WINDOW: the window to type into
  --key K              the key to send
  --every TIME         a key so often, at least 10s
Needs the right to capture. docs/watch.md says how to read it.
END
}

bad() { die -2 "watch: $* (see thinprobe watch --help)"; }
port='' interface='' interval=1s tsv='' metrics='' rotate='' keep='' time='' on='' key='' every=''
read_words '' 'port i:interface interval tsv metrics rotate keep t:time on key every' "$@"
[ "${#words[@]}" = 0 ] || bad "unexpected ${words[0]}"
options=(${metrics:+--metrics "$metrics"} ${rotate:+--rotate "$rotate"} ${keep:+--keep "$keep"} ${time:+--time "$time"})
plan_item --interval ms 100..3600000 "$interval" ''
interval=${ITEM}ms
# Rows go to standard output where there is neither a terminal nor a file.
[ -n "$tsv$metrics" ] || [ -t 2 ] || tsv=-

if [ -z "$on$key$every" ]; then
	[ -n "$port" ] && [ -n "$interface" ] ||
		die -2 "watch: name the port and the interface, such as: thinprobe watch --port 3389 -i eth0"
	exec "$TP_BIN/prototap" live -i "$interface" --port "$port" --every "$interval" ${tsv:+--intervals "$tsv"} \
		${options[@]+"${options[@]}"} -o /dev/null
fi

# --- with keys ---

quiet=5
[[ $on == attach:?*,?* ]] && [ -n "$key" ] && [ -n "$every" ] ||
	die -2 "watch: keys need all of --on attach:DISPLAY,WINDOW, --key K and --every TIME"
plan_item --every int 10..999999 "$every" s
every=$ITEM
LAB_RUN=$(mktemp -d "${TMPDIR:-/tmp}/thinprobe-watch.XXXXXX") && echo $$ >"$LAB_RUN/pid" ||
	die "cannot make a folder in ${TMPDIR:-/tmp}"
watch_end() {
	local pid
	for pid in "${listener-}" "${input-}" "${typist-}"; do
		[ -z "$pid" ] || kill "$pid" 2>/dev/null
	done
	wait
	rm -rf -- "$LAB_RUN"
}
on_exit watch_end
trap 'exit 130' INT	# without it bash ignores a Ctrl-C that comes just as a command has ended
[ -z "$port" ] || ATTACH_PORT=$port
lab_use attach "${on#attach:}"
lab_up
[ -n "$LAB_TAP_IF" ] || die "whether somebody types cannot be told, so no key is sent: $ATTACH_NO_CAPTURE"
interface=${interface:-$LAB_TAP_IF}
echo "watch: sends the key '$key' into window \"$ATTACH_TITLE\" each ${every}s," \
	"while nobody has typed for $quiet s; Ctrl-C ends it" >&2
listen=("$TP_BIN/prototap" live -i "$interface" --port "$ATTACH_PORT" --server "$LAB_ADDR_server" -o /dev/null)
setpriv --pdeathsig TERM "${listen[@]}" --every "$interval" ${tsv:+--intervals "$tsv"} \
	${options[@]+"${options[@]}"} &
listener=$!
# A second table with short intervals shows whether somebody types: rows of the user's interval would come too late.
setpriv --pdeathsig KILL "${listen[@]}" --every 100ms \
	--intervals "$LAB_RUN/input.tsv" --rotate 1M --keep 1 -q --ready-fd 1 >/dev/null &
input=$!
open_pipe ask
setpriv --pdeathsig KILL "$TP_BIN/keyrepeat" "x11:$DISPLAY" --window "$ATTACH_WINDOW" \
	${ATTACH_REGION:+--region "$ATTACH_REGION"} --schedule asked --watch update -k "$key" \
	--timeout 10s --ready-fd 1 <&"$ask" >"$LAB_RUN/answers" &
typist=$!

watch_input_within() {	# SECONDS, until 0.2 s ago; also where it cannot be told
	[ -e "$LAB_RUN/input.tsv" ] || return 0
	tail -q -n 1000 -- "$LAB_RUN"/input.tsv* 2>/dev/null | awk -F'\t' -v since="$(($(date +%s) - $1))" '
		$1 == "watch/1" && ($2 + $3) / 1e9 >= since && $8 > 0 { found = 1 } END { exit !found }'
}

watch_nap() {	# waits until the next key is due; 1: the listener has ended
	local i
	for ((i = 0; i < every; i++)); do
		kill -0 "$listener" 2>/dev/null || return 1
		nap 1
	done
	kill -0 "$listener" 2>/dev/null
}

asked=0
while watch_nap; do
	kill -0 "$typist" 2>/dev/null || die "keys can no longer be sent (above)"
	kill -0 "$input" 2>/dev/null || die "whether somebody types can no longer be told (above): no more keys"
	if watch_input_within "$quiet"; then
		echo "watch: input within the last $quiet s; no key" >&2
		continue
	fi
	echo >&"$ask"
	asked=$((asked + 1))
	for ((i = 0; i < 110; i++)); do
		[ "$(grep -vc ready "$LAB_RUN/answers")" -lt "$asked" ] || break
		nap 0.1
	done
	tail -n 1 "$LAB_RUN/answers" | awk -F'\t' '
		$4 == "none" { print "watch: key " $1 ": no echo within 10 s"; next }
		{ printf "watch: key %s: echo after %.1f ms\n", $1, ($4 - $2) / 1e6 }' >&2
	nap 0.5		# rows of the last tenths of a second are still to come
	watch_input_within 15 ||
		die "key $asked was not seen at port $ATTACH_PORT on $interface, so nor would a user's be: no more keys"
done
wait "$listener"
