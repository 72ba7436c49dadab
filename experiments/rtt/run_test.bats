#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Loaded links on the emulated hosts, small: the load is counted in whole frames, all pings have a row, nothing is left.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/not_here
load ../../tests/e2e/left

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/experiments/*}
	export RUN="$BATS_FILE_TMPDIR/a run"
	export THINPROBE_STATE=$BATS_FILE_TMPDIR/state
	command -v ping >/dev/null || { not_here "ping is not installed"; return 0; }
	cd /
	small_run rtt --links 10Mbit --loads 0,110 --transport udp,tcp --protocol vnc:refecho --queues fifo --time 1 --interval 50ms
}

@test "rtt: the run is complete, with table, findings and figures" {
	cat "$BATS_FILE_TMPDIR/err" "$BATS_FILE_TMPDIR/out"
	run_complete "$RUN" "$(cat "$BATS_FILE_TMPDIR/status")"
	for f in summary.tsv curve.tsv report.html figures/round-trip.svg figures/variance.svg figures/keys.svg; do [ \
		-s "$RUN/$f" ]; done
	[ "$(finding "$RUN" idle unit)" = ms ]
	grep -qF "$RUN/report.html" "$BATS_FILE_TMPDIR/out"
	usable "$RUN"
	[ "$(finding "$RUN" overfull verdict)" = bad ]
}

@test "rtt: all pings have rows; UDP keeps its rate and loses the excess, TCP slows down" {
	local cell tcp idle
	cell=$(cell_of "$RUN" probe=ping transport=udp load=110)/1
	tcp=$(cell_of "$RUN" probe=ping transport=tcp load=110)/1
	idle=$(cell_of "$RUN" probe=ping load=0)/1
	[ "$(awk -F'\t' 'NR > 1 && $3 != ""' "$idle/samples.tsv" | wc -l)" = 20 ]
	[ "$(awk 'NR > 1' "$cell/samples.tsv" | wc -l)" = 20 ]
	jq -c .result "$cell/netload.json" "$tcp/netload.json"
	usable "$RUN"
	[ "$(jq '.result | .sent_mbit_s > 10.94 and .sent_mbit_s < 11.06' "$cell/netload.json")" = true ]
	[ "$(jq '.result | .received_mbit_s < 10.5 and .lost_percent > 2' "$cell/netload.json")" = true ]
	[ "$(jq '.result | .received_payload_mbit_s > 8 and .received_payload_mbit_s < 9.9' "$tcp/netload.json")" = true ]
}

@test "rtt: keys are sent beside an overfull link, and at least one is answered" {
	usable "$RUN"
	[ "$(jq '.result | .keys_sent >= 15 and .keys_answered >= 1' \
		"$(cell_of "$RUN" probe=vnc:refecho transport=tcp load=110)/1/keyrepeat.json")" = true ]
}

@test "rtt: no control group, pipe or unfinished file is left" {
	if groups_left; then return 1; fi
	[ -z "$(find "$RUN" -type p -o -name '*.new')" ]
}
