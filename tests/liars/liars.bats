#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Made-up measurements whose truth is known (liars.py), through every way out: what is printed holds the truth, or says why it does
# not tell. A new figure adds its scenes there.

bats_require_minimum_version 1.5.0
load ../cli/helpers

setup_file() {
	export liars=$BATS_TEST_DIRNAME/liars.py BIN=$BATS_TEST_DIRNAME/../../bin each=$BATS_FILE_TMPDIR/each
	"$liars" make-each "$each"
	for scene in "$each"/*; do summarized "$scene" || return 1; done
	# nothing is drawn: this is about words and numbers
	mkdir "$BATS_FILE_TMPDIR/bin"
	printf '#!/bin/sh\n' >"$BATS_FILE_TMPDIR/bin/gnuplot"
	chmod +x "$BATS_FILE_TMPDIR/bin/gnuplot"
}

setup() {
	begin_test
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state PATH=$BATS_FILE_TMPDIR/bin:$PATH
}

summarized() {	# summarized FOLDER
	"$BIN/summarize" "$1" >/dev/null 2>"$1/err" || [ $? = 3 ] || { cat "$1/err"; return 1; }
}

few() {	# WORD...: a line each; in check each third, of every kind some
	printf '%s\n' "$@" | if [ "${TEST_TIER-all}" = all ]; then cat; else awk 'NR % 3 == 1'; fi
}

@test "liars: summary.tsv, long.tsv and the page of all scenes show the known truth" {
	need cmark-gfm
	"$liars" make-all run
	"$TOP/bin/report" run >/dev/null
	run -0 "$liars" check summary run
	run -0 "$liars" check long run
	run -0 "$liars" check page run
}

@test "liars: each scene alone: --fail-if judges by the known truth" {
	local scene status way condition said lies=0
	while read -r scene; do
		status=0
		"$TOP/bin/fail" judge "$scene" "$(cut -d' ' -f2 "$scene/limits" | paste -sd,)" >out || status=$?
		[ "$status" = 5 ] || [ "$status" = 3 ]	# each scene has a limit that does not hold
		while read -r way condition; do
			if grep -qE "^(FAILED|UNKNOWN) $condition:" out; then said=must-not; else said=may; fi
			[ "$said" = "$way" ] || { echo "$scene: $condition: $(head -n 1 out)"; lies=$((lies + 1)); }
		done <"$scene/limits"
	done < <(few "$each"/*)
	[ $lies = 0 ]
}

# bats test_tags=all
@test "liars: each scene alone: the terminal's text agrees with the known truth" {
	local scene lies=0
	for scene in "$each"/*; do
		"$TOP/bin/report" "$scene" --findings >"$scene/said" || return 1
		"$liars" check words "$scene" >out || { sed "s,^,$scene: ," out; lies=$((lies + 1)); }
	done
	[ $lies = 0 ]
}

@test "liars: some scenes alone: findings.json agrees with the known truth" {
	local scene
	need cmark-gfm
	for scene in $(few exact-slow ranges-of-slow-answers overloaded ranges-of-a-tenth unanswered-half late-never failed-all); do
		"$TOP/bin/report" "$each/$scene" >/dev/null
		run -0 "$liars" check findings "$each/$scene"
	done
}

@test "liars: settings compared with the default: verdicts of compare.tsv agree with the known truth" {
	"$liars" make-settings run
	summarized run
	run -0 "$liars" check-settings run
}

@test "liars: score's figures of each scene's samples agree with the known truth" {
	run -0 "$liars" score "$BIN/score" "$each"
}
