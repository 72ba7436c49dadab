#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# NAME: one short run is complete, its median is that of keyrepeat's own report, and its page has a figure and findings.

bats_require_minimum_version 1.5.0

load ../../tests/busy

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	RUN=$BATS_TEST_TMPDIR/run
}

@test "a short run of NAME" {
	LAB_SHARED_CPUS=1 real_run "$RUN" ./thinprobe run NAME --quick --repeat 1 --time 2 --app light -o "$RUN" 2>"$RUN.err" 3>&-
	cat "$RUN.err"
	[ "$status" != 4 ] || skip "$(tail -n 1 "$RUN.err")"
	run_complete "$RUN"
	usable "$RUN"
	cell=$(jq -r '.cells[0].name' "$RUN/run.json")
	own=$(jq '.result.latency_from_due_ms.p50 * 1000 | round' "$RUN/cells/$cell/1/keyrepeat.json")
	table=$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%.0f", $at["p50_ms"] * 1000; exit }' \
		"$RUN/summary.tsv")
	[ "$own" = "$table" ]
	[ -s "$RUN/figures/median.svg" ]
	[ -s "$RUN/report.html" ]
	jq -e '.findings | map(.id) | index("median-light")' "$RUN/findings.json"
}
