# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# animations.bash - what tests of experiments with an animation share: made-up runs, their tables and findings, a short run.

load ../../tests/busy

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
}

column() {	# column TABLE CELL NAME
	awk -F'\t' -v c="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["cell"] == c { print $at[name]; found = 1; exit } END { if (!found) print "no row of " c }' "run/$1.tsv"
}

animation_run() {	# animation_run EXPERIMENT PROTOCOL DRAW...: run.json; with the axis `shows`, DRAW may be one of its words
	mkdir -p run
	printf '%s\t%s\n' "${@:2}" | jq -Rn --arg experiment "$1" --arg axes "$(awk '$1 == "axis" { $1 = ""; print }' \
			"$TOP/experiments/$1/plan")" '($axes | split(" ") | map(select(. != ""))) as $axes
		| [inputs | split("\t") | (.[1] | IN("image", "pixmap")) as $loop
			| {protocol: .[0], shows: (if $loop then "loop" else .[1] end), draw: (if $loop then .[1] else null end)} as $all
			| ([$axes[] | {key: ., value: $all[.]}] | from_entries)
			| {name: ([.[$axes[]] | values] | join("-") | gsub(":"; "-")), parameters: ., state: "complete", complete: 2, flags: []}]
			as $cells
		| {schema: "thinprobe.run/1", $experiment, version: "0", state: "complete",
		started: "2026-11-20T10:00:00Z", ended: "2026-11-20T11:00:00Z", command: "thinprobe run \($experiment)",
		$axes,
		$cells,
		settings: {protocols: ["x11"], size: "100x100", rate_per_s: 20, content: "mixed", frames: 10, most: 100, seconds: 10,
			repeats: 2, seed: 1, banner_size: "468x60", banner_frames: 200, link: "100Mbit", bin_ms: 100, on: "lab"},
		protocols: {x11: {says: "remote X"}}, host: {kernel: "Linux 6.1"}, counts: {total: 6, complete: 6, missing: 0, marked: 0},
		lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, missing: ["xpra: xpra is | missing"]}}' >run/run.json
}

short_run() {	# short_run EXPERIMENT OPTION...: the run must be complete, without pipes and unfinished files left
	for tool in Xvfb xauth xset xdotool gnuplot cmark-gfm; do command -v "$tool" >/dev/null ||
		skip "$tool is not installed"; done
	real_run run "$TOP/thinprobe" run "$@" -o run >out 2>err 3>&-
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	cat out err
	run_complete run
	[ -z "$(find run -type p -o -name '*.new' -o -name '*.ndjson')" ]
}
