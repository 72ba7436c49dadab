#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Long links on the emulated hosts, small: one session stays connected while the round trip changes under it; nothing left.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/not_here
load ../../tests/e2e/left

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/experiments/*}
	export RUN="$BATS_FILE_TMPDIR/a run"
	export THINPROBE_STATE=$BATS_FILE_TMPDIR/state
	for tool in Xvnc xset xterm xdotool ping gnuplot cmark-gfm; do
		command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 0; }
	done
	cd /
	small_run wan --protocol vnc --rtt 0,30ms,60ms --loss none --keys 4 --repeat 1 --idle 1
}

@test "wan: the run is complete, with its figure, table and findings" {
	cat "$BATS_FILE_TMPDIR/err" "$BATS_FILE_TMPDIR/out"
	run_complete "$RUN" "$(cat "$BATS_FILE_TMPDIR/status")"
	for f in summary.tsv slope.tsv report.html figures/rtt.svg; do [ -s "$RUN/$f" ]; done
	grep -q '^ *vnc ' "$BATS_FILE_TMPDIR/out"
	grep -q 'report\.html$' "$BATS_FILE_TMPDIR/out"
}

@test "wan: ping and every key take at least the round trip that was asked for" {
	cat "$RUN/summary.tsv" "$RUN/slope.tsv"
	cell=$(cell_of "$RUN" protocol=vnc rtt_ms=60 loss_percent=0 keys_per_s=0)/1
	[ "$(jq '.parameters.ping_ms >= 60' "$cell/cell.json")" = true ]
	[ "$(jq '.result.latency_from_sent_ms.min >= 60' "$cell/keyrepeat.json")" = true ]
	[ "$(jq -r '.host.link.line.kind' "$RUN/run.json")" != veth ]
	[ "$(jq -s 'all(.[]; .state == "complete")' "$RUN"/cells/*/1/cell.json)" = true ]
	usable "$RUN"
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { s = $at["slope"]; n++ }
		END { exit !(n == 1 && s != "") }' "$RUN/slope.tsv"
	[ "$(jq '.facts_after.link.line | .kind != "wire" or (.wire.added_delay_us.n > 100 and all(.wire.ways[];
		.dropped_before == 0 and .dropped_no_room == 0 and .refused == 0 and .lost == 0))' "$RUN/run.json")" = true ]
}

@test "wan: no control group, pipe or delay-line process is left" {
	if groups_left; then return 1; fi
	[ -z "$(find "$RUN" -type p -o -name '*.new')" ]
	run grep -lszF "$RUN/log/wire.json" /proc/[0-9]*/cmdline
	[ -z "$output" ]
}
