#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# hold: one short run is complete, both ways of pressing a key leave their rows, and its page has figures and findings.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	RUN=$BATS_TEST_TMPDIR/run
}

@test "a short run of hold: typed and held keys, without load" {
	local status=0
	LAB_SHARED_CPUS=1 ./thinprobe run hold --quick --repeat 1 --seconds 3 --app light --loads 0 -o "$RUN" \
		2>"$RUN.err" 3>&- || status=$?
	cat "$RUN.err"
	[ "$status" != 4 ] || skip "$(tail -n 1 "$RUN.err")"
	[ "$status" = 0 ]
	[ "$(jq -r .state "$RUN/run.json")" = complete ]
	[ "$(jq -r '[.cells[] | "\(.parameters.mode) \(.state)"] | sort | join(",")' "$RUN/run.json")" = "hold complete,tap complete" ]
	# one press is fewer packets than sixty: the two ways are not the same train
	run awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["mode"], $at["keys"] }' "$RUN/summary.tsv"
	[[ $output == *hold\ 6[0-9]* && $output == *tap\ 6[0-9]* ]] || [[ $output == *hold\ 5[0-9]* && $output == *tap\ 5[0-9]* ]]
	[ -s "$RUN/figures/mean-stall.svg" ] && [ -s "$RUN/figures/jitter.svg" ] && [ -s "$RUN/report.html" ]
	jq -e '.findings | map(.id) | index("held-light") != null and index("held-rate") != null' "$RUN/findings.json"
}
