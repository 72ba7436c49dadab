#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Made-up measurements whose truth is known (liars.py), through every way out: what is printed holds the truth, or says why it does
# not tell. A new figure adds its scenes there.

bats_require_minimum_version 1.5.0
load ../cli/helpers

setup() {
	begin_test
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state
	liars=$TOP/tests/liars/liars.py
}

summarized() {	# summarized FOLDER
	"$BIN/summarize" "$1" >/dev/null 2>summarize.err || [ $? = 3 ] || { cat summarize.err; return 1; }
}

@test "tables of all scenes: summary.tsv, long.tsv, the page" {
	need gnuplot cmark-gfm
	"$liars" make-all run
	"$TOP/report/report.sh" run >/dev/null
	run -0 "$liars" check summary run
	run -0 "$liars" check long run
	run -0 "$liars" check page run
}

@test "each scene alone: limits of --fail-if" {
	local scene status way condition said lies=0
	while read -r scene; do
		"$liars" make "$scene" "$scene"
		summarized "$scene"
		"$liars" limits "$scene" >wanted
		status=0
		"$TOP/report/fail.sh" judge "$scene" "$(cut -d' ' -f2 wanted | paste -sd,)" >out || status=$?
		[ "$status" = 5 ] || [ "$status" = 3 ]	# each scene has a limit that does not hold
		while read -r way condition; do
			if grep -qE "^(FAILED|UNKNOWN) $condition:" out; then said=must-not; else said=may; fi
			[ "$said" = "$way" ] || { echo "$scene: $condition: $(head -n 1 out)"; lies=$((lies + 1)); }
		done <wanted
	done < <("$liars" list)
	[ $lies = 0 ]
}

# bats test_tags=all
@test "each scene alone: what the terminal says" {
	local scene lies=0
	while read -r scene; do
		"$liars" make "$scene" "$scene"
		summarized "$scene"
		"$TOP/report/report.sh" "$scene" --findings >"$scene/said" || return 1
		"$liars" check words "$scene" >out || { sed "s/^/$scene: /" out; lies=$((lies + 1)); }
	done < <("$liars" list)
	[ $lies = 0 ]
}

@test "some scenes alone: findings.json" {
	local scene
	need gnuplot cmark-gfm
	for scene in exact-slow ranges-of-slow-answers ranges-of-a-tenth unanswered-half overloaded failed-all late-never; do
		"$liars" make "$scene" "$scene"
		"$TOP/report/report.sh" "$scene" >/dev/null
		run -0 "$liars" check findings "$scene"
	done
}

@test "settings beside the default: verdicts of compare.tsv" {
	"$liars" make-settings run
	summarized run
	run -0 "$liars" check-settings run
}

@test "samples of each scene: score" {
	local scene samples
	while read -r scene; do
		"$liars" make "$scene" "$scene"
		samples=$scene/cells/light-010/1/samples.tsv
		printf '%s 1 ' "$scene"
		"$BIN/score" "$samples" --json 2>/dev/null | jq -c . || return 1
	done < <("$liars" list) >scored
	run -0 "$liars" score <scored
}
