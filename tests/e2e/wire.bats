#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# stalls --wire, small: ranges from the wire hold the times of the pixels, and a key's stages add up.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../cli/helpers
load ../figures

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export RUN="$BATS_FILE_TMPDIR/run"
	real_run "$RUN" "$TOP/thinprobe" run stalls --quick --wire --app heavy --loads 0,3 --time 3 --repeat 1 \
		--idle 2 -o "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err"
	echo "$status" >"$BATS_FILE_TMPDIR/status"
}

column() {	# FILE COLUMN SINKS [STAGE]
	awk -F'\t' -v column="$2" -v sinks="$3" -v stage="${4-}" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["sinks"] == sinks && (stage == "" || $at["stage"] == stage) { print $at[column] }' "$RUN/$1.tsv"
}

@test "stalls --wire: the run is complete, with a train in blocks in every cell" {
	cat "$BATS_FILE_TMPDIR/err"
	run_complete "$RUN" "$(cat "$BATS_FILE_TMPDIR/status")"
	for load in 0 3; do
		cell="$(cell_of "$RUN" sinks=$load)/1"
		[ "$(jq -r '[.series, .state] | join(" ")' "$cell/wire/cell.json")" = "wire complete" ]
		# 60 keys in three blocks, all on the wire
		[ "$(jq -c '.result.keys | [.typed, .on_the_wire, .blocks]' "$cell/wire/wire.json")" = "[60,60,3]" ]
		[ "$(jq '.result.keys.unsolicited_window_s' "$cell/wire/wire.json")" = 2 ]
		[ ! -e "$cell/wire/capture.pcap" ]
		[ ! -e "$cell/capture.pcap" ]
	done
}

@test "thinprobe-formats(5) names exactly the files and fields of this run" {
	local cell more table all

	cell="$(cell_of "$RUN" sinks=3)/1"
	# files and folders, but for series that this run has not
	sed -n '/^\.Ss The folder/,/^\.Ss run\.json/p' "$TOP/docs/thinprobe-formats.5" | grep '^\.\(It \)\?P[ao]' |
		grep -oE '[a-z]+(\.(json|tsv|md|html)|/)' | tr -d / | sort -u >"$BATS_TEST_TMPDIR/named"
	more=$({ ls "$RUN" "$cell" | grep -E '^[a-z]+(\.(json|tsv|md|html))?$'; } | sort -u | comm -3 - "$BATS_TEST_TMPDIR/named" |
		tr -d '\t' | paste -sd ' ')
	echo "$more"
	[ "$more" = stall ]
	more=$(comm -3 <(fields run.json) <(jq -r '(., .cells[0], .counts) | keys[]' "$RUN/run.json" | grep -vx schema | sort -u) |
		tr -d '\t' | paste -sd ' ')
	echo "$more"
	[ "$more" = "differs joined kept link_measured on programs reason runs sweep unwatched" ]	# of settings, or of other runs
	more=$(comm -3 <(fields cell.json) <(jq -r 'keys[]' "$cell/cell.json" | grep -vx schema | sort) | tr -d '\t' | paste -sd ' ')
	echo "$more"
	[ "$more" = "autogroup client_busy_percent client_percent cost_ms kept period_ms regime sweep" ]	# of stalls; of other cells
	for table in "$RUN"/schema.tsv "$cell"/{wire,echo}.tsv "$cell/samples.tsv of keys"; do
		all=${table##*/} table=${table%% of *}
		diff <(fields "$all") <(header "$table")
	done
}

@test "stalls --wire: the wire's ranges hold the pixels' times, with and without load" {
	grep -q 'wire alone' "$RUN/report.md"
	usable "$RUN"
	for sinks in 0 3; do
		[ "$(column summary wire_truth_keys $sinks)" -ge 50 ]
		awk -v v="$(column summary wire_truth_percent $sinks)" 'BEGIN { exit !(v >= 98) }'	# 54 of 55
	done
}

@test "stalls --wire: stages add up to the keys' latency; the application's stage includes its CPU cost" {
	usable "$RUN"
	for sinks in 0 3; do
		[ "$(column stages keys $sinks latency)" -ge 50 ]
		# keyrepeat's own figure over the keys with an answer
		want=$(jq '.result.latency_from_due_ms.mean' "$(cell_of "$RUN" sinks=$sinks)/1/keyrepeat.json")
		[ "$(column stages keys $sinks latency)" -lt 55 ] ||
			awk -v g="$(column stages mean_ms $sinks latency)" -v w="$want" 'BEGIN { d = g - w; exit !(d * d < 1e-5) }'
		awk -v a="$(column stages to_ms $sinks wire_pixels)" \
			-v b="$(column stages mean_ms $sinks latency)" 'BEGIN { d = a - b; exit !(d * d < 1e-6) }'
		# 10 ms of CPU a redraw
		awk -v v="$(column stages mean_ms $sinks app_drawn)" 'BEGIN { exit !(v >= 9.9) }'
		for stage in sent_wire wire_app wire_pixels; do
			awk -v v="$(column stages p50_ms $sinks $stage)" 'BEGIN { exit !(v > 0) }'
		done
	done
	[ -s "$RUN/figures/stages.svg" ]
	grep -q 'figure-stages' "$RUN/report.html"
}

@test "prototap: refuses to pair a train of the same run that was not typed in blocks" {
	cell="$(cell_of "$RUN" sinks=3)/1"
	[ "$(jq -r '.result.keys.pairing' "$cell/wire.json")" = none ]
	[ "$(jq '.result.keys | has("latency_low_ms")' "$cell/wire.json")" = false ]
}
