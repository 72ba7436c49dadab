#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs that are resumed, over a protocol that answers keys itself; cells with two trains.
# bats file_tags=all,alone:switches

bats_require_minimum_version 1.5.0
load ../cli/helpers

setup() {
	TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	RUN=$BATS_TEST_TMPDIR/run
}

# A short run over a protocol that answers keys itself, and so is its own application.
@test "--resume: refused with other facts of the machine or other settings than at the run's begin" {
	real_run "$RUN" "$TOP/thinprobe" run stalls --protocol null --quick --loads 0,1 --time 2 --repeat 1 --idle 1 \
		-o "$RUN" >"$BATS_TEST_TMPDIR/out" 3>&-
	run_complete "$RUN"
	[ "$(jq -c .settings.apps "$RUN/run.json")" = '["own"]' ]
	[ "$(jq '.result.keys_answered' "$(cell_of "$RUN" sinks=0)/1/keyrepeat.json")" = 35 ]	# 40 keys, 5 of them warm up
	rm -r "$(cell_of "$RUN" sinks=1)"
	run --separate-stderr "$TOP/thinprobe" run stalls --resume "$RUN" --repeat 3
	[ "$status" = 2 ]
	jq '.host.kernel = "Linux 2.0.36"' "$RUN/run.json" >"$RUN/run.json.new"
	mv "$RUN/run.json.new" "$RUN/run.json"
	rm -r "$RUN/log"
	cp "$RUN/run.json" "$BATS_TEST_TMPDIR/before"
	run --separate-stderr "$TOP/thinprobe" run stalls --resume "$RUN"
	[ "$status" = 1 ]
	[[ $stderr == *kernel*"start a new run"* ]]
	# the run is unchanged
	cmp "$RUN/run.json" "$BATS_TEST_TMPDIR/before"
	[ ! -e "$RUN/log" ]
}

@test "a full run has two trains in a cell; --resume measures only the missing one" {
	real_run "$RUN" "$TOP/thinprobe" run stalls --protocol null --loads 0 --time 2 --repeat 2 --idle 1 -o "$RUN" \
		>"$BATS_TEST_TMPDIR/out" 3>&-
	run_complete "$RUN"
	[ "$(jq -c '[.counts.total, .counts.complete]' "$RUN/run.json")" = '[2,2]' ]
	[ "$(jq -r .series "$(cell_of "$RUN" sinks=0)/1/stall/cell.json")" = stall ]
	# keys of the periodic train are due exactly 50 ms apart, those of the other are not
	gaps() { awk -F'\t' 'NR > 2 { print $3 - last } { last = $3 }' "$1" | sort -u | wc -l; }
	[ "$(gaps "$(cell_of "$RUN" sinks=0)/1/stall/samples.tsv")" = 1 ]
	[ "$(gaps "$(cell_of "$RUN" sinks=0)/1/samples.tsv")" -gt 10 ]
	rm "$(cell_of "$RUN" sinks=0)/2/stall/cell.json"
	before=$(stat -c %Y.%i "$(cell_of "$RUN" sinks=0)/1/cell.json")
	real_run "$RUN" "$TOP/thinprobe" run stalls --resume "$RUN" >"$BATS_TEST_TMPDIR/out" 3>&-
	run_complete "$RUN"
	[ "$(jq -r .state "$(cell_of "$RUN" sinks=0)/2/stall/cell.json")" = complete ]
	[ "$(stat -c %Y.%i "$(cell_of "$RUN" sinks=0)/1/cell.json")" = "$before" ]
	# two drivers of one run at a time are refused
	exec {held}<>"$RUN/.lock"
	flock "$held"
	run --separate-stderr "$TOP/thinprobe" run stalls --resume "$RUN" {held}<&-
	[ "$status" = 2 ]
	exec {held}<&-
	# with nothing missing nothing is measured
	run --separate-stderr "$TOP/thinprobe" run stalls --resume "$RUN"
	[ "$status" = 0 ]
	[[ $output == *"nothing is missing"* ]]
}
