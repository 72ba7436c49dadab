#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Capacity from end to end, small: up to three sessions over VNC, a limit that cannot be reached and
# one that nobody can keep; a fourth session cannot start; interrupted; nothing is left.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../not_here

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export RUN="$BATS_FILE_TMPDIR/a run"
	export THINPROBE_STATE=$BATS_FILE_TMPDIR/state HOME=$BATS_FILE_TMPDIR/home
	for tool in Xvnc xset xdotool; do command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 0; }; done
	# a display server that has no luck with the fourth
	mkdir -p "$RUN.bin"
	printf '#!/bin/sh\n[ "$1" != :4 ] || { echo no luck >&2; exit 1; }\nexec %s "$@"\n' "$(command -v Xvnc)" >"$RUN.bin/Xvnc"
	chmod +x "$RUN.bin/Xvnc"
	cd "$RUN.bin" || return 1	# the lab lets sessions see it
	status=0
	PATH=$RUN.bin:$PATH "$TOP/thinprobe" run capacity --quick --repeat 1 --seconds 4 --most 6 --cost 2ms \
		--criteria p95:1ms,p95:20000ms,apdex:0.0001 -o "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" 3>&- || status=$?
	echo "$status" >"$BATS_FILE_TMPDIR/status"
	[ "$status" != 4 ] || not_here "$(tail -n 1 "$BATS_FILE_TMPDIR/err")"
}

@test "capacity: complete, with everything that it leaves" {
	cat "$BATS_FILE_TMPDIR/err" "$BATS_FILE_TMPDIR/out"
	[ "$(cat "$BATS_FILE_TMPDIR/status")" = 0 ]
	[ "$(jq -r .state "$RUN/run.json")" = complete ]
	for f in summary.tsv points.tsv report.md report.html figures/users.svg figures/resources.svg; do [ -s "$RUN/$f" ]; done
}

@test "capacity: one to three users were measured, all of them typed, and the limits are what they must be" {
	awk -F'\t' 'NR > 1 { n[$2]++; if ($4 < 3 || $5 == "") bad = 1 }
		END { exit !(n[1] == 1 && n[2] == 2 && n[3] == 3 && !bad) }' "$RUN/cells/vnc.heavy-006/1/samples.tsv"
	# the user in front has ten keys a second, of which the first five are left out
	awk -F'\t' 'NR > 1 && $3 == 1 && ($4 < 30 || $4 > 36) { print; bad = 1 } END { exit bad }' "$RUN/cells/vnc.heavy-006/1/samples.tsv"
	[ "$(jq -c '[.limits[] | [.criterion, .users, .reached, .beyond]]' "$RUN/cells/vnc.heavy-006/1/cell.json")" \
		= '[["p95:1ms",0,true,1],["p95:20000ms",3,true,4],["apdex:0.0001",3,true,4]]' ]
	grep -q '0 users with 95 % of the keys within 1 ms, 3 users with 95 % of the keys within 20000 ms' "$BATS_FILE_TMPDIR/out"
	# what a key takes of the CPU is at least what the application burns
	awk -F'\t' 'NR > 1 { d = 10 * $12 / $3; print $2, d; if (d < 2) bad = 1 }
		END { exit bad }' "$RUN/cells/vnc.heavy-006/1/machine.tsv"
}

@test "capacity: a session that cannot start is a limit with its reason, tried twice, and the run is complete" {
	jq -c .limits "$RUN/cells/vnc.heavy-006/1/cell.json"
	[ "$(jq -r '.limits[1].ended' "$RUN/cells/vnc.heavy-006/1/cell.json")" = \
		"session 4 did not start: the VNC server did not start: no luck; see $RUN/log/vnc-user-4.err" ]
	[ "$(jq -r '.limits[1].resource' "$RUN/cells/vnc.heavy-006/1/cell.json")" = "a failing session" ]
	[ "$(jq -r '.limits[0].ended' "$RUN/cells/vnc.heavy-006/1/cell.json")" = "" ]
	[ "$(jq .measured_twice "$RUN/cells/vnc.heavy-006/1/cell.json")" = 2 ]
	grep -qP '\tp95:20000ms\t1\t1\t3.00\t.*\ta failing session\tsession 4 did not start: ' "$RUN/points.tsv"
	# nobody is measured beside one who is not there
	awk -F'\t' 'NR > 1 && $2 > 3 { exit 1 }' "$RUN/cells/vnc.heavy-006/1/samples.tsv"
	if pgrep -f "keyrepeat .*$RUN" || pgrep -f "Xvnc .*-desktop thinprobe user-.*$RUN"; then return 1; fi
}

@test "capacity: interrupted: 130, and it says so; sessions and clients are gone" {
	local run="$BATS_TEST_TMPDIR/b" driver status=0

	"$TOP/thinprobe" run capacity --quick --repeat 1 --seconds 30 --most 2 -o "$run" >/dev/null 2>&1 3>&- &
	driver=$!
	for _ in $(seq 600); do
		[ -n "$(find "$run/cells" -name 'user-1.err' -size +0 2>/dev/null)" ] && break
		kill -0 "$driver" 2>/dev/null || break
		sleep 0.1
	done
	kill -TERM "$driver"
	wait "$driver" || status=$?
	[ "$status" = 130 ]
	[ "$(jq -r .state "$run/run.json")" = interrupted ]
	if pgrep -f "keyrepeat .*$run" || pgrep -f "Xvnc .*-desktop thinprobe user-.*$run"; then return 1; fi
}
