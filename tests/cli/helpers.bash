# SPDX-License-Identifier: GPL-3.0-or-later
# helpers - what the tests of several programs share: `load helpers`, and begin_test in a setup() of their own.
# shellcheck shell=bash

# shellcheck source=tests/busy.bash
. "${BASH_SOURCE[0]%/*}/../busy.bash"
# shellcheck source=tests/cli/numbers.bash
. "${BASH_SOURCE[0]%/*}/numbers.bash"

# TOP: the tree, BIN: its programs
TOP=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
BIN=$TOP/bin

# The test runs in its own folder; processes in `started` are ended after it.
begin_test() {
	cd "$BATS_TEST_TMPDIR" || return 1
	unset DISPLAY
	started=() displays=()
}

setup() { begin_test; }

# user: the words before a command that make it an ordinary user's.
ordinary_user() {
	user=(env)
	[ "$(id -u)" -ne 0 ] || user=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all)
}

# Ends the test's X servers with SIGTERM: after SIGKILL, socket and lock would stay, and tests that look for left files would find
# them. If a test has killed its server, this removes both.
end_displays() {
	local server n i

	for server in "${displays[@]}"; do
		if of_this_test "${server% *}"; then { kill -CONT "${server% *}" && kill "${server% *}"; } 2>/dev/null || true; fi
	done
	for server in "${displays[@]}"; do
		n=${server#* } server=${server% *}
		# (on a busy machine its end takes time; killed meanwhile, it would leave both)
		for ((i = 0; i < 1000; i++)); do ! gone "$server" || break; sleep 0.02; done
		[ -e "/tmp/.X$n-lock" ] && gone "$server" && [ "$(tr -d ' ' <"/tmp/.X$n-lock")" = "$server" ] || continue
		rm -f "/tmp/.X11-unix/X$n" "/tmp/.X$n-lock"
	done
}

end_started() {
	local pid

	end_displays
	for pid in "${started[@]}"; do
		if of_this_test "$pid"; then { kill -CONT "$pid"; kill -9 "$pid"; } 2>/dev/null || true; fi
		wait "$pid" 2>/dev/null || true
	done
}

teardown() { end_started; }

# Whether the pid is still a process of this test: an ended process's pid is used again, with few pids within a minute.
of_this_test() {	# pid
	[[ " $(jobs -pr | xargs) " == *" $1 "* ]] || grep -qszxF "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" "/proc/$1/environ"
}

need() {
	local command

	for command in "$@"; do
		command -v "$command" >/dev/null || skip "$command is not installed"
	done
}

until_true() {	# command...: for up to 30 s
	local i

	for ((i = 0; i < 1500; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.02
	done
	echo "never came true: $*"
	return 1
}

# Runs in the background, standard streams in NAME.out and NAME.err: $pid
start() {	# name command...
	local name=$1

	shift
	: >"$name.out" 2>"$name.err"	# emptied here, not by the child: a test that waits for a word must not see an older one
	"$@" >"$name.out" 2>"$name.err" 3>&- &
	pid=$!
	started+=("$pid")
}

gone() {
	local p

	for p in "$@"; do
		# a zombie that nobody waits for is dead too
		[ ! -e "/proc/$p" ] || grep -qE '^State:[[:space:]]+[ZX]' "/proc/$p/status" 2>/dev/null || return 1
	done
}

ends() {	# pid: waits for it, leaves its exit status in $status
	status=0
	until_true gone "$1"
	wait "$1" || status=$?
}

# A train whose server is killed: the keys that were answered are reported. $server is its pid.
loses_its_server() {	# target option...
	start keys "$BIN/keyrepeat" "$@" -t 60s --log keys.tsv --json -o report.json
	until_true grep -q '^ready$' keys.err
	sleep 1
	kill -9 "$server"
	ends "$pid"
	[ "$status" -eq 1 ]
	grep -q '^keyrepeat: the connection was dropped' keys.err
	[ "$(figure report.json ended)" = "connection dropped" ]
	[ "$(keys_in keys.tsv)" -ge 5 ]
}

children_of() { cat "/proc/$1/task/$1/children"; }	# pid

# A signal so many seconds after the start leaves a whole report (JSON) or none, no process, and this exit status or, before it
# could catch signals, 143.
stopped_at_start() {	# STATUS "SECONDS..." command...
	local after children

	need jq
	for after in $2; do
		start early "${@:3}"
		sleep "$after"
		children=$(children_of "$pid" 2>/dev/null || true)
		kill "$pid"
		ends "$pid"
		# shellcheck disable=SC2086
		until_true gone $children
		[ "$(find . -name 'report.*' | wc -l)" -eq 0 ] && [[ $status =~ ^($1|143)$ ]] || return
		[ ! -e report ] || jq -e .result report >/dev/null || return
		rm -f report
	done
}

# The program has given up what others could misuse, as the kernel sees it; of capabilities it has these at most.
confined() {	# pid [bits]
	grep -E '^(CapEff|NoNewPrivs|Seccomp):' "/proc/$1/status"
	grep -qx $'NoNewPrivs:\t1' "/proc/$1/status" && grep -qx $'Seccomp:\t2' "/proc/$1/status" &&
		(((16#$(sed -n 's/^CapEff:\t//p' "/proc/$1/status") & ~${2-0}) == 0))
}

# A display of our own: $DISPLAY, $server
start_x() {	# options of the server...
	need Xvfb
	# two servers that look for a free number at the same time may find the same one; then one of them fails
	for _ in 1 2 3 4 5; do
		: >display
		start xvfb Xvfb -displayfd 4 -screen 0 800x600x24 -noreset -nolisten tcp "$@" 4>display
		server=$pid
		until_true told_display
		[ ! -s display ] || break
	done
	DISPLAY=:$(cat display)
	export DISPLAY
	displays+=("$server ${DISPLAY#:}")
	[ -s display ]
}

told_display() { [ -s display ] || gone "$server"; }	# it has printed its number, or failed

# Sets $port: a port that is free now, and that no other test of this run has taken
unused_port() {
	need ss
	until port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000)) && [ -z "$(ss -Hltn "sport = :$port")" ] &&
		mkdir "${TEST_WORK:-$BATS_RUN_TMPDIR}/port.$port" 2>/dev/null; do :; done
}

start_vnc() {	# options of the server...: $DISPLAY, $port, $server
	need Xvnc ss
	for _ in 1 2 3 4 5; do
		unused_port
		: >display
		start xvnc Xvnc -displayfd 4 -rfbport "$port" -localhost -geometry 800x600 -depth 24 -ac "$@" 4>display
		server=$pid
		if until_true listens "$port" "$server" && kill -0 "$server" 2>/dev/null && until_true test -s display; then
			DISPLAY=:$(cat display)
			export DISPLAY
			displays+=("$server ${DISPLAY#:}")
			return 0
		fi
	done
	return 1
}

listens() {	# port pid: the process listens, or has failed
	ss -Hltn "sport = :$1" | grep -q . || ! kill -0 "$2"
}

# Starts a terminal that has the focus and shows typed keys.
start_xterm() {	# command...
	need xterm xdotool
	start xterm xterm -geometry 80x24+0+0 -e "$@"
	until_true xdotool search --onlyvisible --class xterm
	xdotool windowfocus --sync "$(xdotool search --onlyvisible --class xterm | head -n 1)"
	xdotool mousemove 100 100
}

start_refecho() {	# options...
	[ -x "$BIN/refecho" ] || skip "refecho is not built"
	start refecho "$BIN/refecho" "$@"
	refecho=$pid
	until_true grep -q '^ready' refecho.err
}

# --- made-up runs of experiments ---------------------------------------------------------------------------------

# Lists a made-up run's cells in its run.json, as the engine does: names are those of the folders, parameters those of cell.json.
run_cells() { /usr/bin/python3 -I "$TOP/tests/run_cells.py" "$1"; }	# folder of the run

cell_of() {	# cell_of RUN KEY=VALUE...: folder of the first cell with these parameters
	local name

	name=$(jq -r '[$ARGS.positional[] | split("=")] as $wanted | first(.cells[] | .parameters as $p |
		select(all($wanted[]; . as $w | $p[$w[0]] | tostring == $w[1])).name)' "$1/run.json" --args "${@:2}")
	[ -n "$name" ] && echo "$1/cells/$name"
}

field() {	# field TABLE COLUMN KEY=VALUE...: of the first such row, numbers as numbers
	awk -F'\t' -v name="$2" -v wanted="$(IFS='|'; echo "${*:3}")" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(wanted, want, "|"); if (!(name in at)) exit; next }
		{
			for (i = 1; i <= n; i++) { split(want[i], part, "="); if ($at[part[1]] != part[2]) next }
			print $at[name]; found = 1; exit
		}
		END { if (!found) { print "no such column or row: " name " " wanted; exit 1 } }' "$1"
}

finding() {	# finding RUN ID [KEY]: prints a value of a finding, rounded; nothing if there is none
	jq -r --arg id "$2" --arg key "${3-value}" '.findings[] | select(.id == $id) | .[$key]
		| if type == "number" then . * 1000 | round / 1000 else . end' "$1/findings.json"
}

edit_json() {	# edit_json FILE FILTER [jq arguments]
	jq "${@:3}" "$2" "$1" >"$1.new" && mv "$1.new" "$1"
}

figure() {	# FILE KEY: of the result of a JSON report, such as keys.0.lag_ms; nothing where it is null or not there
	jq -r --arg key "$2" '.result | getpath($key | split(".") | map(tonumber? // .))
		| if . == null then empty elif type == "number" then . + 0 else . end' "$1"
}

one_line() {	# STATUS TEXT command...: ends with that status, after one line with that text
	run "${@:3}"
	echo "$output"
	[ "$status" -eq "$1" ] && [ "${#lines[@]}" -eq 1 ] && [[ $output == *"$2"* ]]
}

repeat_state() {
	xset q | sed -n 's/.*auto repeat:  *\([a-z]*\) .*/\1/p'
}

# Holds every row of a log against a condition in awk; times are whole numbers below 2^53 for a hundred days of uptime.
# first: due time of key 1; gap: from the due time before.
each_key() {	# file condition
	awk -F'\t' '
		NR == 1 { next }
		{ key = $2; due = $3; sent = $4; answer = $5; high = $6; censored = $7; skipped = $8 }
		NR == 2 { first = due }
		{ gap = due - last; last = due }
		!('"$2"') { print "not so: " $0; wrong = 1 }
		END { exit wrong || NR < 2 }
	' "$1"
}

keys_in() {	# file
	echo $(($(wc -l <"$1") - 1))
}

# Takes the lab's lock on swap, which is the whole machine's: only one test or lab at a time makes swap.
hold_swap() {
	need flock
	exec {swaps}</proc/swaps
	flock -w 15 "$swaps" || skip "somebody else has made swap for a trial"
}

# A server that sends what its words say: bytes in hexadecimal; "p3" pauses for 3 s, "r12" reads up to 12 bytes, "*52" repeats these
# bytes until the client closes the connection.
mute() {	# name words...
	local name=$1

	need python3
	shift
	start "$name" python3 -c '
import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
c, _ = s.accept()
try:
    words = sys.argv[1:]
    for w in words:
        if w[0] == "p":
            time.sleep(float(w[1:]))
        elif w[0] == "r":
            c.recv(int(w[1:]))
        elif w[0] == "*":
            while True:
                c.sendall(bytes.fromhex(w[1:]))
                time.sleep(0.05)
        else:
            c.sendall(bytes.fromhex(w))
    time.sleep(20)
except OSError:
    pass
' "$@"
	until_true test -s "$name.out"
	port=$(cat "$name.out")
}

# crashing FUNCTION CALL [OPTION]...: crashes.so, to be preloaded
crashing() {
	"${CC:-cc}" -D_GNU_SOURCE -DFUNCTION="$1" -DCALL="$2" "${@:3}" -shared -fPIC -o crashes.so "$TOP/tests/cli/crashes.c" ||
		skip "no compiler"
}

without() {	# NAME...: makes the folder `without`, of links to all programs but these, for a PATH
	mkdir without
	ln -sf /usr/local/bin/* /usr/bin/* /bin/* without/
	(cd without && rm -f "$@")
}
