#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# hold: a report of two protocols; a short run is complete, held and typed keys have rows, and its page has figures and findings.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers

setup() {
	begin_test
	RUN=$BATS_TEST_TMPDIR/run
}

# Made-up trains of held and typed keys over both protocols (tests/golden/make_run.py): over x11 a held key's redraws take 30 %
# longer.
@test "hold: two protocols: a panel each; the finding names only the protocol where held and typed keys differ" {
	local protocol mode cell name
	need gnuplot cmark-gfm
	for protocol in vnc x11; do
		for mode in tap hold; do
			env PROTOCOL=$protocol LOADS='0 20' SERIES=2 STRETCH="$([ $protocol$mode = x11hold ] && echo 1.3 ||
				echo 1)" \
				"$TOP/tests/golden/make_run.py" made
			mkdir -p run/cells
			for cell in made/cells/*; do
				name=$protocol-$mode-${cell##*/}
				mv "$cell" "run/cells/$name"
				for repeat in "run/cells/$name"/*; do
					mv "$repeat"/stall/* "$repeat"
					rmdir "$repeat/stall"
					edit_json "$repeat/cell.json" '.parameters.mode = $mode' --arg mode "$mode"
					edit_json "$repeat/prototap.json" '.result.stalls.jitter_sd_ms = 5'
				done
			done
			mv made/run.json run/
			rm -r made
		done
	done
	run_cells run
	edit_json run/run.json '.experiment = "hold" | del(.settings.protocol, .protocol) | .settings.protocols = ["vnc", "x11"]'
	"$TOP/report/report.sh" run
	# 10 ms x 21 x 1.02 - 50 ms, and 1.3 times that cost
	[ "$(field run/summary.tsv mean_stall_ms protocol=vnc app=heavy mode=hold sinks=20 | cut -d. -f1)" = 164 ]
	[ "$(field run/summary.tsv mean_stall_ms protocol=x11 app=heavy mode=hold sinks=20 | cut -d. -f1)" = 228 ]
	[ "$(field run/summary.tsv wire_jitter_sd_ms protocol=x11 app=heavy mode=hold sinks=20)" = 5.000 ]
	[[ $(finding run held-heavy text) == *"differ over x11**"*"over x11, where"* ]]
	[[ $(finding run held-light text) == *"no difference shown"* ]]
	[ "$(jq '.findings | length' run/findings.json)" -le 5 ]
	[ "$(grep -cE '>(vnc|x11): ' run/figures/mean-stall.svg)" = 4 ]
}

# bats test_tags=all
@test "hold: a short run without load has rows, figures and findings of typed and held keys" {
	LAB_SHARED_CPUS=1 real_run "$RUN" "$TOP/thinprobe" run hold --quick --repeat 1 --time 3 --app light --loads 0 -o "$RUN" \
		2>"$RUN.err" 3>&-
	cat "$RUN.err"
	[ "$status" != 4 ] || skip "$(tail -n 1 "$RUN.err")"
	run_complete "$RUN"
	[ "$(jq -r '[.cells[] | "\(.parameters.mode) \(.state)"] | sort | join(",")' "$RUN/run.json")" = \
		"hold complete,tap complete" ]
	[ -s "$RUN/report.html" ]
	usable "$RUN"
	# both modes have about 60 keys
	run awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["mode"], $at["keys"] }' \
		"$RUN/summary.tsv"
	[[ $output == *hold\ 6[0-9]* && $output == *tap\ 6[0-9]* ]] || [[ $output == *hold\ 5[0-9]* && $output == *tap\ 5[0-9]* ]]
	[ -s "$RUN/figures/mean-stall.svg" ]
	[ -s "$RUN/figures/jitter.svg" ]
	jq -e '.findings | map(.id) | index("held-light") != null and index("held-rate") != null' "$RUN/findings.json"
}
