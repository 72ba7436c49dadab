#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A run in a locale whose decimal sign is a comma, with an awk that heeds it (mawk: it writes 2,65 and reads 1.5 as 1).

bats_require_minimum_version 1.5.0
load ../cli/helpers

setup() {
	TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	RUN=$BATS_TEST_TMPDIR/run
}

# bats test_tags=all
@test "numbers in files of a run have decimal points in a locale with decimal commas" {
	need mawk
	need localedef
	mkdir "$BATS_TEST_TMPDIR"/{locale,bin}
	localedef -i de_DE -f UTF-8 "$BATS_TEST_TMPDIR/locale/de_DE.UTF-8" || skip "no definition of de_DE here (package locales)"
	ln -s "$(command -v mawk)" "$BATS_TEST_TMPDIR/bin/awk"
	export LOCPATH=$BATS_TEST_TMPDIR/locale LC_ALL=de_DE.UTF-8 PATH=$BATS_TEST_TMPDIR/bin:$PATH
	[ "$(awk 'BEGIN { printf "%.1f", 2.5 }')" = 2,5 ] || skip "this mawk has points in every locale"
	real_run "$RUN" "$TOP/thinprobe" run stalls --protocol null --quick --loads 0,1 --time 2 --repeat 1 --idle 1 \
		-o "$RUN" >"$BATS_TEST_TMPDIR/out" 3>&-
	export LC_ALL=C
	run_complete "$RUN"
	awk -F'\t' '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+,[0-9]+$/) { print FILENAME ": " $i; n++ } } END { exit n > 0 }' \
		"$RUN"/{summary,long}.tsv
	for cell in "$RUN"/cells/*/*/cell.json; do
		# a number that became a text; lists of CPUs have whole numbers
		jq -e '[.. | strings | select(test("^-?[0-9]+,[0-9]+$"))] | . == []' "$cell" || { cat "$cell"; return 1; }
		jq -e '.foreign_percent | type == "number"' "$cell"
	done
	[ "$(field "$RUN/summary.tsv" foreign_unknown sinks=0)" = 0 ]
	[[ $(field "$RUN/summary.tsv" foreign_percent_max sinks=0) =~ ^-?[0-9.]+$ ]]
}
