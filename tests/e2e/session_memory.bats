#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Logins in memory from end to end, small: one and two bare terminals over VNC, interrupted before
# and resumed; the sums held against the kernel's account.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../not_here
load left

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export RUN="$BATS_FILE_TMPDIR/a run"
	export THINPROBE_STATE=$BATS_FILE_TMPDIR/state HOME=$BATS_FILE_TMPDIR/home
	for tool in Xvnc xset xterm xdotool; do command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 0; }; done
	cd /
	groups >"$BATS_FILE_TMPDIR/groups.before"
	"$TOP/thinprobe" run session-memory --protocol vnc --kinds light --logins 1,2 --repeat 1 -o "$RUN" >/dev/null 2>&1 3>&- &
	driver=$!
	for _ in $(seq 3600); do
		[ -n "$(find "$RUN/cells" -name 'vnc-vnc.light-1.out' 2>/dev/null)" ] && break
		kill -0 "$driver" 2>/dev/null || break
		sleep 0.1
	done
	kill -TERM "$driver"
	status=0
	wait "$driver" || status=$?
	echo "$status $(jq -r .state "$RUN/run.json")" >"$BATS_FILE_TMPDIR/interrupted"
	status=0
	"$TOP/thinprobe" run session-memory --resume "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" 3>&- || status=$?
	echo "$status" >"$BATS_FILE_TMPDIR/status"
	groups >"$BATS_FILE_TMPDIR/groups.after"
}

groups() {	# as this experiment makes them, by any version
	find /sys/fs/cgroup -maxdepth 3 \( -name 'thinprobe-*login-*' -o -name 'thinprobe-sessmem-*' \) 2>/dev/null | sort
}

at() {	# at COLUMN LOGINS
	awk -F'\t' -v column="$1" -v logins="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["logins"] == logins { print $at[column] }' "$RUN/summary.tsv"
}

@test "session memory: interrupted: 130; resumed: complete, with everything that it leaves" {
	cat "$BATS_FILE_TMPDIR/err"
	[ "$(cat "$BATS_FILE_TMPDIR/interrupted")" = "130 interrupted" ]
	[ "$(cat "$BATS_FILE_TMPDIR/status")" = 0 ]
	[ "$(jq -r .state "$RUN/run.json")" = complete ]
	for f in summary.tsv slope.tsv who.tsv report.md report.html figures/logins.svg figures/processes.svg; do [ -s "$RUN/$f" ]; done
	grep -q '^ light login over vnc  *2 ' "$BATS_FILE_TMPDIR/out"
	grep -q 'One more user costs, in private memory (slope from 1 to 2 logins)' "$BATS_FILE_TMPDIR/out"
}

@test "session memory: each login is a display server, a terminal and a shell, at rest, read while it stood still" {
	for login in 1 2; do
		awk -F'\t' -v l="$login" '$2 == 2 && $3 == l { name[$4 ":" $5] = 1; n++ }
			END { exit !(n == 3 && name["xterm:terminal"] && name["bash:terminal"]) }' "$RUN/cells/vnc.light-002/1/samples.tsv"
		awk -F'\t' -v l="$login" '$2 == 2 && $3 == l && $5 == "display" { n++; if ($8 > 1e6) large = 1 }
			END { exit !(n == 1 && large) }' "$RUN/cells/vnc.light-002/1/samples.tsv"
	done
	[ "$(jq -c '[.lost.vanished, .lost.unreadable, .lost.not_frozen,
		(.steps | map(.logins))]' "$RUN/cells/vnc.light-002/1/cell.json")" = '[0,0,0,[0,1,2]]' ]
}

@test "session memory: the second login costs what the first one did, and the kernel charges that and not much more" {
	awk -v one="$(at private_bytes 1)" -v two="$(at private_bytes 2)" 'BEGIN { print one, two;
		exit !(one > 2e6 && two > 1.9 * one && two < 2.1 * one) }'
	[ -n "$(at group_bytes 2)" ] || skip "no memory groups here"
	awk -v sum="$(at private_bytes 2)" -v kernel="$(at group_bytes 2)" 'BEGIN { print sum, kernel;
		exit !(kernel > 0.99 * sum && kernel < 1.25 * sum) }'
}

@test "session memory: nothing is left" {
	if groups_left; then return 1; fi
	[ -z "$(find "$RUN" -name '*.new' -o -name '.report.*' -o -name 'read-*')" ]
	[ ! -e "$HOME" ]
}
