#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that read what others send, while they run: rights that they gave up, as the kernel sees them. What each profile
# closes is tested in unit/lib/confine; prototap, delayline and programs of kits in their own files.

bats_require_minimum_version 1.5.0
load helpers

NICE=$((1 << 23)) LOCK=$((1 << 14)) NET=$((1 << 12))

sandbox_of() { jq -r .settings.sandbox "$1"; }

@test "docs/sandbox.md names each program that confines itself, with its profiles, and no other" {
	cd "$TOP" || return 1
	TP_HOME=.
	. lab/trees.sh
	sed -nE 's/^\| ([a-z]+) \| ([a-z]+) \| [^|]*\| [^|]*\|$/\1 \2/p' docs/sandbox.md | sort -u >"$BATS_TEST_TMPDIR/said"
	in_trees 'src/*/*.c' 'src/*/*/*.c' | xargs grep -oE '\<CONFINE_(DECODE|DISPLAY|RECORD|CALL|PROXY|SERVE)\>' |
		sed -E 's,.*src/([^/]*)/[^:]*:CONFINE_,\1 ,' | grep -v '^lib ' | tr 'A-Z' 'a-z' | sort -u >"$BATS_TEST_TMPDIR/used"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/used")" -ge 9 ]
	# (a tree without kits documents them all the same)
	in_trees 'src/*' | sed 's,.*/,,' | grep -wf - "$BATS_TEST_TMPDIR/said" | diff - "$BATS_TEST_TMPDIR/used"
}

@test "keyrepeat vnc: and refecho --vnc are confined while they run, and say so" {
	need jq ss
	unused_port
	start_refecho --vnc "$port" --json -o echo.json
	start keys "$BIN/keyrepeat" "vnc:127.0.0.1:$port" -r 10 -t 20s --json -o keys.json
	until_true grep -q ready keys.err
	reads=$(ps -o pid= --ppid "$pid" | tr -d ' ')	# its parent reads nothing of the server
	confined "$reads" $((NICE | LOCK))
	for task in "/proc/$reads/task"/*; do grep -qx $'Seccomp:\t2' "$task/status"; done
	confined "$refecho" $LOCK
	kill -INT "$pid"
	ends "$pid"
	kill -INT "$refecho"
	ends "$refecho"
	[[ $(sandbox_of keys.json) == *seccomp && $(sandbox_of keys.json) == "$(sandbox_of echo.json)" ]]
}

@test "keyrepeat x11: and refecho --display are confined while they run" {
	start_x
	start_refecho --display "$DISPLAY"
	start keys "$BIN/keyrepeat" "x11:$DISPLAY" --watch patch -r 10 -t 1s
	until_true grep -q ready keys.err
	confined "$pid" $((NICE | LOCK))
	confined "$refecho" $LOCK
	ends "$pid"
	cat keys.err
	[ "$status" = 0 ]
}

@test "netload: both ends are confined, the server's child more than its parent" {
	need jq ss
	unused_port
	start serve "$BIN/netload" serve --port "$port" --once --json -o serve.json
	serve=$pid
	until_true grep -q ready serve.err
	start send "$BIN/netload" send "127.0.0.1:$port" --rate 1Mbit -t 3s --json -o send.json
	until_true grep -q ready send.err
	confined "$pid" $NICE
	confined "$serve" $NET
	confined "$(pgrep -P "$serve")" 0
	ends "$serve"
	[[ $(sandbox_of serve.json) == *seccomp && $(sandbox_of send.json) == *seccomp ]]
}

@test "--no-sandbox gives up capabilities only; --sandbox strict runs where nothing is missing" {
	need jq ss
	unused_port
	start_refecho --vnc "$port" --no-sandbox --json -o echo.json
	grep -qx $'Seccomp:\t0' "/proc/$refecho/status"
	grep -qx $'NoNewPrivs:\t1' "/proc/$refecho/status"
	run "$BIN/keyrepeat" "vnc:127.0.0.1:$port" --watch none -t 200ms --sandbox strict --json
	echo "$output"
	[ "$status" -eq 0 ] || [[ $status -eq 1 && $output == *"--sandbox strict: "*"no "* ]]
	kill -INT "$refecho"
	ends "$refecho"
	[ "$(sandbox_of echo.json)" = off ]
}

@test "a folder that the sandbox cannot leave open is an error before the measurement, not after it" {
	run -1 --separate-stderr bash -c "ulimit -n 8; exec '$BIN/keyrepeat' null: -r 100 -t 150ms --log k.tsv -o o.json --json"
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"Too many open files"* ]]
	[ "$(echo o.json*)" = 'o.json*' ]
}

@test "code in a confined program has no descriptor, token, terminal or keyring of the caller, and reaches no other process" {
	load inside
	need ss
	prepare_inside
	unused_port
	exec 7<handed
	start echo "${inside[@]}" "$BIN/refecho" --vnc "$port"
	refecho=$pid
	until_true listens "$port" "$refecho"
	"${inside[@]}" "$BIN/keyrepeat" "vnc:127.0.0.1:$port" -r 20 -t 200ms --timeout 1s || [ $? = 3 ]
	kill "$refecho"
	ends "$refecho"
	unused_port
	start serve "${inside[@]}" "$BIN/netload" serve --port "$port" --once
	serve=$pid
	until_true grep -q ready serve.err
	"${inside[@]}" "$BIN/netload" send "127.0.0.1:$port" --rate 1Mbit -t 100ms || [ $? = 3 ]
	ends "$serve"
	if [ "$EUID" = 0 ]; then
		"${inside[@]}" "$BIN/prototap" live -i lo --port 9 -t 100ms || [ $? = 3 ]
		"${inside[@]}" "$BIN/prototap" live -i lo --port 9 -t 300ms --every 100ms --intervals iv.tsv || [ $? = 3 ]
		"${inside[@]}" unshare -n "$BIN/delayline" --end a0 --end b0 -t 50ms --control c.fifo
	fi
	exec 7<&-
	found_inside refecho keyrepeat netload
	# what decodes a screen also lets nobody look into its memory; netload serve signals its children
	if grep -vxE '(refecho|netload|delayline) dumpable' found; then false; fi
}
