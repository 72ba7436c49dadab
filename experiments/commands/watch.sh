#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# watch.sh - latency while people work: prototap live --every, and, only when asked, a key now and then into a window of yours.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
COMMAND=watch
. "$TP_HOME/experiments/commands/listening.sh"

usage() {
	cat <<'END'
usage: thinprobe watch [PORT|PROTOCOL...] [-i INTERFACE] [options]
       thinprobe watch --on attach:DISPLAY,WINDOW --key K --every TIME [options]
Shows latency while people work, one line a second: inputs, updates, the time
from an input to its update, and which side made waits longer than usual.
The first form only listens. The second also sends key K every TIME, if the
connection had no input for 5 s; it says so before the first key.
  --port PORT,...      ports to watch, as the words PORT (those of remote
                       desktops that listen here). PROTOCOL: a name in
                       data/ports.tsv, such as rdp, for its ports that are
                       open here, or its first one
  -i, --interface IF   capture on this interface (that of the default route;
                       lo, if all these ports are local only)
  --interval TIME      length of an interval, 100ms to 1h (1s)
  --tsv FILE           write a row for each interval and connection (-: stdout)
  --json               write each row to standard output as a JSON object
  --metrics FILE       write the latest interval, for node_exporter
  --rotate SIZE        begin a new --tsv FILE at this size, and each day (64M)
  --keep N             keep this many earlier files (7)
  -t, --time TIME      stop after this time (on a signal)
  --on-late COMMAND    shell command, run at the first wait that is blamed on a
                       side, with THINPROBE_VERDICT (network, server, client),
                       _WHY, _RISE_MS, _WAIT_MS, _CLIENT, _SERVER and _TIME;
                       it must end by itself
  --who                on the server: if a wait is blamed on the server, name
                       the program that used the most CPU
  --on WHERE           attach:DISPLAY,WINDOW: the window to type into
  --key K              the key to send
  --every TIME         time between two keys, at least 10s
Needs the right to capture. docs/watch.md explains the figures. Exit status 3:
no packet came, or some are missing.
examples:
    sudo thinprobe watch
    sudo thinprobe watch --port 3389 -i eth0 --on-late 'top -bn 1 | head -20'
END
}

port='' interface='' interval=1s json='' tsv='' metrics='' rotate='' keep='' time='' on='' key='' every='' on_late='' who=''
read_words 'who json' 'port i:interface interval tsv metrics rotate keep t:time on key every on-late' "$@"
# watch_ports PROTOCOL: prints its ports that somebody listens at here, or else its first one; 1: data/ports.tsv does not know it.
watch_ports() {
	local from to each ports='' first=''
	while read -r from to; do
		first=${first:-$from}
		for each in $here; do [ "$each" -lt "$from" ] || [ "$each" -gt "$to" ] || ports+=,$each; done
	done < <(awk -F'\t' -v name="$1" '$1 == "ports/1" && $2 == name { print $3, $4 }' "$TP_HOME/data/ports.tsv")
	[ -n "$first" ] && printf %s "${ports:-,$first}"
}
[ "${#words[@]}" = 0 ] || here=$(listening_ports | cut -d' ' -f1)
for word in ${words[@]+"${words[@]}"}; do
	if [[ $word =~ ^[1-9][0-9]{0,4}$ ]]; then port+=,$word; else
		# shellcheck disable=SC2046 # names
		port+=$(watch_ports "$word") ||
			bad "$word is no port, and no protocol of data/ports.tsv$(
				nearest "$word" "" $(sed 1d "$TP_HOME/data/ports.tsv" | cut -f 2))"
	fi
done
port=${port#,}

# Splits a line at tabs into `row`; empty cells count (read alone would join them).
split_row() { IFS=$'\037' read -ra row <<<"${1//$'\t'/$'\037'}"; }

# Rows of our own program as JSON; an empty field is null.
watch_json() {
	local line text name row value i
	IFS=$'\t' read -ra name
	while IFS= read -r line; do
		split_row "$line"
		text=''
		for i in "${!name[@]}"; do
			value=${row[i]-}
			if ! [[ $value =~ ^-?[0-9]+(\.[0-9]+)?$ ]]; then
				value=${value//[[:cntrl:]]/} value=${value//\\/\\\\}
				value=${value:+\"${value//\"/\\\"}\"}
			fi
			text+=", \"${name[i]}\": ${value:-null}"
		done
		printf '{%s}\n' "${text#, }"
	done
}
if [ -n "$json" ]; then
	[ -z "$tsv" ] || bad "--json writes what --tsv would write: choose one"
	tsv=-
	exec > >(watch_json)
fi
options=(${metrics:+--metrics "$metrics"} ${rotate:+--rotate "$rotate"} ${keep:+--keep "$keep"} ${time:+--time "$time"}
	${who:+--who})
plan_item --interval ms 100..3600000 "$interval" ''
interval=${ITEM}ms

# What is not named: ports that remote desktops listen at, and the interface that leads to them.
watch_choose() {
	local each kind local_only what near='' far='' names='' seen
	seen=$(listening_ports)
	while read -r each kind local_only what; do
		[[ $kind == [!-]* ]] || continue
		[ -z "$port" ] || [[ ,$port, == *,$each,* ]] || continue
		if [ "$local_only" = 1 ]; then near+=,$each; else far+=,$each; fi
	done <<<"$seen"
	# (these have also what only this machine reaches)
	case $interface in lo | any) far+=$near near='' ;; esac
	port=${port:-${far:-$near}} port=${port#,}
	[ -n "$port" ] || die -2 "watch: no remote desktop listens here (data/ports.tsv names what is looked for);" \
		"name the port and the interface, such as: thinprobe watch --port 3389 -i eth0"
	if [ -z "$interface" ] && [ -z "$far" ] && [ -n "$near" ]; then interface=lo
	elif [ -z "$interface" ]; then
		interface=$(awk '(FILENAME ~ /6/ ? $1 ~ /^0+$/ && $2 == "00" && $NF != "lo" : $2 == "00000000") {
			print FILENAME ~ /6/ ? $NF : $1; exit }' /proc/net/route /proc/net/ipv6_route 2>/dev/null)
		[ -n "$interface" ] || die -2 "watch: this machine has no default route; name the interface with -i"
	fi
	while read -r each kind local_only what; do
		[ "$kind" = - ] || [[ ,$port, != *,$each,* || $names == *"$what"* ]] || names+="${names:+, }$what"
	done <<<"$seen"
	warn "watch: port $port on $interface${names:+ ($names)}$([ -z "$far" ] || [ -z "$near" ] ||
		echo "; for this machine only, and left out: ${near#,}")"
}

# Runs the command of --on-late with what a row says in its environment, once. Rows are our own program's; what is no number, no
# address and none of its words is not handed on.
watch_late() {
	local line row
	while IFS= read -r line; do
		split_row "$line"
		[[ ${row[22]-} =~ ^(network|server|client)$ && ${row[23]} =~ ^[0-9]*$ && ${row[24]-} =~ ^[a-z\ ]*$ &&
			${row[10]} =~ ^[0-9]*$ && ${row[1]} =~ ^[0-9]+$ && ${row[3]}${row[4]} =~ ^[][0-9a-f.:]+$ ]] || continue
		THINPROBE_VERDICT=${row[22]} THINPROBE_WHY=${row[24]-} THINPROBE_RISE_MS=${row[23]:+$((row[23] / 1000000))} \
			THINPROBE_WAIT_MS=${row[10]:+$((row[10] / 1000000))} THINPROBE_CLIENT=${row[3]} THINPROBE_SERVER=${row[4]} \
			THINPROBE_TIME=$((row[1] / 1000000000)) sh -c "$on_late" </dev/null >&2
		break
	done
	cat >/dev/null
}

if [ -z "$on$key$every" ]; then
	[ -n "$port" ] && [ -n "$interface" ] || watch_choose
	listen=("$TP_BIN/prototap" live -i "$interface" --port "$port" --every "$interval" -o /dev/null)
	[ -n "$on_late" ] || exec "${listen[@]}" ${tsv:+--intervals "$tsv"} ${options[@]+"${options[@]}"}
	# (not setpriv --pdeathsig, which the kernel forgets if prototap's file has capabilities)
	listen+=(--parent $$)
	# (a table that is rotated cannot be read as it grows: rows come from a second one)
	"${listen[@]}" --intervals - -q --ready-fd 9 9>/dev/null > >(watch_late) 2>/dev/null &
	late=$!
	"${listen[@]}" ${tsv:+--intervals "$tsv"} ${options[@]+"${options[@]}"} &
	main=$!
	# shellcheck disable=SC2317 # on_exit calls it
	watch_end_late() { kill "$late" 2>/dev/null; exec >&-; wait; }	# (of --json, another end of that pipe is ours)
	on_exit watch_end_late
	stopped=1
	trap 'stopped=1; kill "$main" 2>/dev/null' INT TERM HUP
	while [ -n "$stopped" ]; do stopped='' status=0; wait "$main" || status=$?; done	# (a signal ends a wait)
	exit "$status"
fi
[ -z "$on_late$who" ] || bad "--on-late and --who are for the form that only listens"

# --- with keys ---

quiet=5
[[ $on == attach:?*,?* ]] && [ -n "$key" ] && [ -n "$every" ] ||
	die -2 "watch: keys need all of --on attach:DISPLAY,WINDOW, --key K and --every TIME"
[[ $on != attach:own,* ]] ||
	die -2 "watch: --on $on: own is no display; name that of the window to type into, such as --on attach::0,FreeRDP"
plan_item --every int 10..999999 "$every" s
every=$ITEM
LAB_RUN=$(mktemp -d "${TMPDIR:-/tmp}/thinprobe-watch.XXXXXX") && echo $$ >"$LAB_RUN/pid" ||
	die "cannot make a folder in ${TMPDIR:-/tmp}"
watch_end() {
	local pid
	for pid in "${keys-}" "${listener-}" "${input-}" "${typist-}"; do
		[ -z "$pid" ] || kill "$pid" 2>/dev/null
	done
	exec >&-
	wait
	rm -rf -- "$LAB_RUN"
}
on_exit watch_end
trap 'exit 130' INT
[ -z "$port" ] || ATTACH_PORT=$port
lab_use attach "${on#attach:}"
lab_up
[ -n "$LAB_TAP_IF" ] || die "whether somebody types cannot be told, so no key is sent: $ATTACH_NO_CAPTURE"
interface=${interface:-$LAB_TAP_IF}
echo "watch: sends the key '$key' into window \"$ATTACH_TITLE\" each ${every}s," \
	"while nobody has typed for $quiet s; Ctrl-C ends it" >&2
listen=("$TP_BIN/prototap" live -i "$interface" --port "$ATTACH_PORT" --server "$LAB_ADDR_server" -o /dev/null
	--parent $$)
"${listen[@]}" --every "$interval" ${tsv:+--intervals "$tsv"} ${options[@]+"${options[@]}"} &
listener=$!
# A second table with short intervals shows whether somebody types: rows of the user's interval would come too late.
"${listen[@]}" --every 100ms --intervals "$LAB_RUN/input.tsv" --rotate 1M --keep 1 -q --ready-fd 1 >/dev/null &
input=$!
ask=''
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

watch_answer() {	# watch_answer KEY: says what the last line of keyrepeat's answers, its input, says of it
	awk -F'\t' -v key="$1" '
		$1 != key { print "watch: key " key ": the time of its echo is not known"; next }
		$4 == "none" { print "watch: key " key ": no echo within 10 s"; next }
		{ ms = sprintf("%.1f ms", ($4 - $2) / 1e6) }
		$5 == "doubt" { print "watch: key " key ": it is not certain which change is the echo; it took at least " ms; next }
		{ print "watch: key " key ": echo after " ms }'
}

watch_keys() {
	local asked=0 at
	while watch_nap; do
		kill -0 "$typist" 2>/dev/null || die "keys can no longer be sent (above): watch ends"
		kill -0 "$input" 2>/dev/null || die "cannot tell any more whether somebody types (above): watch ends"
		if watch_input_within "$quiet"; then
			echo "watch: input within the last $quiet s; no key" >&2
			continue
		fi
		echo >&"$ask"
		asked=$((asked + 1))
		at=$SECONDS	# (keyrepeat may wait for over 2 s more to tell whether a late change is the echo)
		while [ $((SECONDS - at)) -lt 14 ] && [ "$(grep -vc ready "$LAB_RUN/answers")" -lt "$asked" ]; do nap 0.1; done
		tail -n 1 "$LAB_RUN/answers" | watch_answer "$asked" >&2
		nap 0.5		# rows of the last tenths of a second are still to come
		watch_input_within 18 ||
			die "key $asked was not seen at port $ATTACH_PORT on $interface, so nor would a user's be: watch ends"
	done
}

# (a Ctrl-C that comes just as a command has ended, which caught it, is lost on a shell that waits for it, but not on wait)
watch_keys &
keys=$!
wait "$keys" || exit
wait "$listener"
