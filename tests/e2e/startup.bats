#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The startup experiment on the emulated hosts, small: a terminal, one step of each axis, and
# nothing left of the memory group, the swap and the hog.
# bats file_tags=all,alone:swap

bats_require_minimum_version 1.5.0
load ../not_here
load left

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export RUN="$BATS_FILE_TMPDIR/a run" THINPROBE_STATE=$BATS_FILE_TMPDIR/state
	cd /
	groups >"$BATS_FILE_TMPDIR/groups.before"
	status=0
	timeout 280 "$TOP/thinprobe" run startup --app xterm --warm --used 16 --left 100 --swap file \
		--server-memory 192M --swap-size 256M --repeat 1 --ceiling 10 -o "$RUN" \
		>"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" || status=$?
	groups >"$BATS_FILE_TMPDIR/groups.after"
	echo "$status" >"$BATS_FILE_TMPDIR/status"
	if [ "$status" = 4 ] || grep -Eq 'cannot be had|another lab has its swap on' "$BATS_FILE_TMPDIR/err" &&
		[ ! -s "$RUN/summary.tsv" ]; then
		not_here "not on this machine: $(tail -n 1 "$BATS_FILE_TMPDIR/err")"
		return 0
	fi
}

of_this_run() { grep -qzsxF "LAB_RUN=$RUN" /proc/[0-9]*/environ; }
of() { jq -r "$2" "$RUN/cells/xterm.warm.$1/1/$3.json"; }

@test "the run is complete, with its figures, table and findings" {
	cat "$BATS_FILE_TMPDIR/err"
	[ "$(cat "$BATS_FILE_TMPDIR/status")" = 0 ]
	[ "$(jq -r .state "$RUN/run.json")" = complete ]
	for f in summary.tsv events.tsv runs.tsv report.html figures/start-used.svg figures/start-left.svg; do [ -s "$RUN/$f" ]; done
	grep -q 'Without pressure, its files in memory, xterm is ready after' "$BATS_FILE_TMPDIR/out"
	# Table 1 knows it
	jq -e '.applications.xterm | .program_bytes > 100000 and .rss_bytes > 1000000 and .anonymous_bytes > 100000
		and .files > 10' "$RUN/run.json"
}

@test "the pressure was what the cell says" {
	# 16 MB of the hog were in swap before the start; others' pages may be there, too
	of file.used-016 .memory.swap_used_bytes cell | awk '{ exit !($1 >= 16e6 && $1 < 200e6) }'
	# left: what it has at rest, within a half
	awk -v left="$(of file.left-100 .memory.left_bytes cell)" \
		-v rss="$(jq .applications.xterm.rss_bytes "$RUN/run.json")" 'BEGIN { exit !(left > rss / 2 && left < rss * 1.5 + 8e6) }'
	[ ! -e "$RUN/cells/xterm.warm.none.none-000/1/memhog.json" ]
	of file.left-100 '.result.touched_bytes > 0' memhog | grep -qx true
}

@test "starts are told with their times in order, and an event after them" {
	for c in none.none-000 file.used-016 file.left-100; do
		of "$c" '.result.runs[] | select(.state == "stable") | .mapped_ms > 0 and .mapped_ms <= .stable_ms
			and .first_paint_ms <= .stable_ms' startup | sort -u | grep -qx true
	done
	[ "$(of none.none-000 '.result.runs | length' startup)" = 2 ]
	of none.none-000 '.result.runs[1].events[0].name' startup | grep -qx 'a key'
	awk -F'\t' '$8 == "a key" { n++ } END { exit !(n >= 1) }' "$RUN/events.tsv"
}

@test "nothing is left changed: no group (the last to go, after the swap), no process of it" {
	if groups_left; then return 1; fi
	for _ in $(seq 50); do of_this_run || break; sleep 0.1; done
	if of_this_run; then return 1; fi
	if ls "$RUN"/log/*.json 2>/dev/null; then return 1; fi
}
