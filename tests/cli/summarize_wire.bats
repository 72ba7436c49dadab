#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# summarize joining keys with what was seen on the wire and in the application: made-up runs (tests/golden/make_run.sh) to which
# these tests add wire.tsv and echo.tsv by formula, so that every figure can be worked out.

setup() {
	SUMMARIZE=$(cd "$BATS_TEST_DIRNAME/../../bin" && pwd)/summarize
	cd "$BATS_TEST_TMPDIR" || return 1
	env APPS=heavy LOADS="0 5" REPEATS=2 "$BATS_TEST_DIRNAME/../golden/make_run.sh" run
}

# On the wire 20 us after it was sent, its reply 100 us before the pixels; read by the application 30 us later, drawn 8 ms before.
# Ranges: from a millisecond before the reply to the reply; of every `wrong`th key they end 1 us before it.
trace() {	# FOLDER [WRONG]
	awk -F'\t' -v OFS='\t' -v wrong="${2:-0}" '
		function ns(v) { return sprintf("%.0f", v) }
		NR == 1 { print "schema", "kind", "n", "time_ns", "end_ns", "packets", "bytes", "key", "low_ns", "high_ns", "exact", "block"; next }
		$5 != last { print "wire/1", "update", ++n, ns($5 - 100000), ns($5 - 100000), 1, 90, "", "", "", "", 1; last = $5 }
		{ print "wire/1", "key", ++k, ns($4 + 20000), "", "", "", $2, ns($5 - 1100000), ns($5 - 100000 - (wrong && $2 % wrong == 0 ? 1000 : 0)), 0, 1 }' \
		"$1/samples.tsv" >"$1/wire.tsv"
	awk -F'\t' -v OFS='\t' '
		NR == 1 { print "schema", "seq", "received_ns", "draw_ns", "flushed_ns", "dropped", "coalesced"; next }
		{ print "echo/1", $2 + 300, sprintf("%.0f", $4 + 50000), sprintf("%.0f", $5 - 8010000), sprintf("%.0f", $5 - 8000000), 0, 0 }' "$1/samples.tsv" >"$1/echo.tsv"
	sed -i 's/"keys_skipped": 5,/"keys_skipped": 5, "patch_base": 300,/' "$1/keyrepeat.json"
}

stage() {	# SINKS STAGE COLUMN
	awk -F'\t' -v sinks="$1" -v stage="$2" -v column="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) c = i; next }
		$3 == sinks && $4 == stage { print $c }' run/stages.tsv
}

field() {	# SINKS COLUMN
	awk -F'\t' -v sinks="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) c = i; next } $4 == sinks { print c ? $c : "no such column" }' run/summary.tsv
}

near() {	# GOT WANTED TOLERANCE
	awk -v g="$1" -v w="$2" -v t="$3" 'BEGIN { d = g - w; if (d < 0) d = -d; exit !(g ~ /^-?[0-9.]+$/ && d <= t) }' || { echo "$1 is not $2"; return 1; }
}

@test "without traces there are no stages, and nothing is said of the wire alone" {
	"$SUMMARIZE" run >out
	[ "$(wc -l <run/stages.tsv)" = 1 ]
	[ "$(field 5 wire_repeats)" = 0 ]
	[ -z "$(field 5 wire_truth_percent)" ]
	[ -z "$(field 5 wire_latency_p50_ms)" ]
}

@test "stages of every key, and their means add up to the latency" {
	for r in 1 2; do for l in 000 005; do trace "run/cells/heavy-$l/$r"; done; done
	"$SUMMARIZE" run >out
	near "$(stage 0 sent_wire mean_ms)" 0.02 1e-6
	near "$(stage 0 wire_app p50_ms)" 0.03 0.0005
	near "$(stage 0 drawn_wire max_ms)" 7.9 0.0005
	near "$(stage 0 wire_pixels mean_ms)" 0.1 1e-6
	[ "$(stage 5 wire_pixels keys) $(stage 5 wire_pixels of_keys)" = "190 190" ]
	[ "$(cut -f 4 run/stages.tsv | paste -sd' ')" = "stage due_sent sent_wire wire_app app_drawn drawn_wire wire_pixels latency due_sent sent_wire wire_app app_drawn drawn_wire wire_pixels latency" ]
	for sinks in 0 5; do
		# from the samples themselves
		mean=$(awk -F'\t' '$8 == 0 { s += $5 - $3; n++ } END { printf "%.6f", s / n / 1e6 }' "run/cells/heavy-00$sinks"/[12]/samples.tsv)
		near "$(stage $sinks latency mean_ms)" "$mean" 1e-5
		near "$(stage $sinks wire_pixels to_ms)" "$mean" 1e-5
		near "$(awk -F'\t' -v s=$sinks '$3 == s && $4 != "latency" { sum += $7 } END { print sum }' run/stages.tsv)" "$mean" 1e-3
	done
	# each stage begins where the one before it ends
	awk -F'\t' 'NR > 1 && $4 != "latency" { if ($4 != "due_sent" && $13 != last) exit 1; last = $14 }' run/stages.tsv
}

@test "an application without a log has one stage from wire to wire; an overloaded cell has none" {
	for r in 1 2; do trace "run/cells/heavy-000/$r"; rm "run/cells/heavy-000/$r/echo.tsv"; done
	for r in 1 2; do trace "run/cells/heavy-005/$r"; done
	sed -i 's/"overloaded": false/"overloaded": true/' run/cells/heavy-005/2/keyrepeat.json
	"$SUMMARIZE" run >out
	[ "$(cut -f 4 run/stages.tsv | paste -sd' ')" = "stage due_sent sent_wire wire_wire wire_pixels latency" ]
	near "$(awk -F'\t' '$4 != "latency" && NR > 1 { sum += $7 } END { print sum }' run/stages.tsv)" "$(stage 0 latency mean_ms)" 1e-3
}

@test "what the wire alone tells is held against the pixels" {
	for r in 1 2; do
		for l in 000 005; do
			cp -r "run/cells/heavy-$l/$r" run/wire
			mv run/wire "run/cells/heavy-$l/$r/wire"
			sed -i 's/"series": "latency"/"series": "wire"/' "run/cells/heavy-$l/$r/wire/cell.json"
			# beside 5 sinks every tenth key is told wrongly: 10 20 ... 100, ten of 95
			trace "run/cells/heavy-$l/$r/wire" $([ $l = 000 ] || echo 10)
		done
	done
	"$SUMMARIZE" run >out
	[ "$(field 0 wire_repeats) $(field 0 wire_keys) $(field 0 wire_truth_keys)" = "2 190 190" ]
	near "$(field 0 wire_truth_percent)" 100 0
	near "$(field 0 wire_truth_percent_low)" "$(awk 'BEGIN { print 100 * exp(log(0.05) / 190) }')" 0.001	# none of n fails: 0.05^(1/n)
	near "$(field 5 wire_truth_percent)" "$(awk 'BEGIN { print 100 * 170 / 190 }')" 0.001
	near "$(field 0 wire_exact_percent)" 0 0
	# the range is a millisecond wide, its late end 0.1 ms before the pixels
	near "$(field 0 wire_latency_high_p50_ms)" "$(awk -v p="$(field 0 latency_p50_ms)" 'BEGIN { print p - 0.1 }')" 0.0011
	near "$(field 0 wire_latency_p50_ms)" "$(awk -v p="$(field 0 latency_p50_ms)" 'BEGIN { print p - 1.1 }')" 0.0011
	# the other series are as without it
	[ "$(field 0 repeats) $(field 0 keys)" = "2 190" ]
}

@test "numbers that no program of ours writes are refused, and named" {
	trace run/cells/heavy-005/1
	for number in 9223372036854775807 4294967296 -2; do
		sed -i "s/\"patch_base\": [-0-9]*,/\"patch_base\": $number,/" run/cells/heavy-005/1/keyrepeat.json
		run "$SUMMARIZE" run
		[ "$status" = 1 ]
		[[ "$output" == *"heavy-005/1/keyrepeat.json: result.patch_base is no number of a patch" ]]
	done
}

@test "a trace that cannot be read is named" {
	trace run/cells/heavy-005/1
	echo broken >>run/cells/heavy-005/1/wire.tsv
	run "$SUMMARIZE" run
	[ "$status" = 1 ]
	[[ "$output" == *"heavy-005/1/wire.tsv: line "*"cannot be read"* ]]
}
