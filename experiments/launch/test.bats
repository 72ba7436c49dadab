#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# launch: options and cells; figures of a run made by hand, whose ratios follow from a rule; and a short run.

bats_require_minimum_version 1.5.0
load ../../tests/near

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
}

cells() {	# cells VARIABLE=VALUE...: as exp_cells prints them
	TP_HOME=$TOP bash -c 'APPS=xpdf,writer KEYS=1 SCHEMES=alone,baseline,L JOBS=parallel,quanta
		. "$TP_HOME/experiments/launch/cell.sh"; for word; do declare "$word"; done; exp_cells | tr "\t" " "' bash "$@"
}
row() {	# row APP SCHEME COLUMN, beside the parallel job or none
	awk -F'\t' -v app="$1" -v scheme="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["app"] == app && $at["scheme"] == scheme { print $at[name]; exit }' run/summary.tsv
}
found() { jq -c --arg id "$1" ".findings[] | select(.id == \$id) | $2" run/findings.json; }	# found ID FILTER

# Three repeats, 1 % up and down; writer takes twice as long. Ratios to the baseline are made by exp_summed.
made_up() {
	local app scheme ms rate job repeat folder factor
	mkdir -p run
	while read -r scheme ms rate; do
		for app in xpdf writer; do
			job=parallel
			[ "$scheme" != alone ] || job=none
			jq -nc --arg app "$app" --arg scheme "$scheme" --arg job "$job" '{name: "\($app)-\($scheme)-\($job)",
				parameters: {$app, $scheme, $job}, state: "complete", complete: 3, flags: []}' >>cells.json
			for repeat in 1 2 3; do
				folder=run/cells/$app-$scheme-$job/$repeat
				mkdir -p "$folder"
				factor=$([ "$app" = xpdf ] && echo 1 || echo 2)
				jq -nc --arg app "$app" --arg scheme "$scheme" --arg job "$job" --argjson repeat "$repeat" --argjson ms "$ms" \
					--argjson rate "$rate" --argjson factor "$factor" '
					{schema: "thinprobe.cell/1", parameters: {$app, $scheme, $job}, $repeat, state: "complete", reason: "", marked: "",
						foreign_percent: 0, launch: {launch_ms: ($ms * $factor * (1 + ($repeat - 2) / 100)), mapped_ms: 10, paint_ms: 20,
							key_ns: 8990e6}}
					+ (if $job == "none" then {} else {job: {seconds: 1, bytes: $rate, bytes_per_s: $rate}} end)' >"$folder/cell.json"
			done
		done
	done <<-END
		alone 1000 0
		baseline 4000 10e6
		autogroup 2000 9e6
		nice 1250 8e6
		L 1600 9e6
		M 1250 8e6
	END
	jq -s '{schema: "thinprobe.run/1", experiment: "launch", version: "0", command: "thinprobe run launch",
		started: "2026-01-01T00:00:00Z", state: "complete", axes: ["app", "scheme", "job"], cells: .,
		counts: {total: 36, complete: 36, missing: 0, marked: 0},
		settings: {apps: ["xpdf", "writer"], jobs: ["parallel"], threads: 2, repeats: 3, cost_ms: 10, seed: 1}}' cells.json >run/run.json
	mkdir run/vamp
	echo '{"result": {"episodes": [{"started_ns": 5e9, "decided_us": 3000, "background": [{"comm": "xz"}]},
		{"started_ns": 9e9, "decided_us": 5000, "background": [{"comm": "vi"}]},
		{"started_ns": 99e9, "decided_us": 4000, "background": [{"comm": "xz"}, {"comm": "cat"}]}],
		"daemon_cpu_percent": 0.5}}' >run/vamp/L-parallel-1.json
	echo '{"result": {"episodes": [], "daemon_cpu_percent": 0.1}}' >run/vamp/vmL+iso-irq-parallel-2-again.json
	TP_HOME=$TOP RUN=run bash -c '. "$TP_HOME/experiments/launch/cell.sh"; put_json() { cat >new && mv new "$1"; }
		run_set() { jq "$@" "$RUN/run.json" >new && mv new "$RUN/run.json"; }; exp_summed'
	"$TOP/report/report.sh" run
}

@test "what options must mean together is refused before anything is started" {
	for words in "--app nosuch" "--scheme nosuch" "--scheme L,L" "--job sideways" "--threads 0" "--place nowhere"; do
		# shellcheck disable=SC2086 # words
		run -2 "$TOP/thinprobe" run launch $words -o run
		[ "${#lines[@]}" = 1 ]
		[ ! -e run ]
	done
	[ "$("$TOP/thinprobe" run launch --scheme list | awk '{ print $1 }' | paste -sd ' ')" = \
		"$(awk -F'\t' '!/^#/ && $1 != "scheme" { print $1 }' "$TOP/data/favour.tsv" | paste -sd ' ')" ]
}

@test "cells: every application and the keys under every scheme beside every job, alone once" {
	cells >all
	[ "$(wc -l <all)" = $((3 * (1 + 2 * 2))) ]
	[ "$(grep -c ' alone none$' all)" = 3 ]
	[ "$(grep -c '^keys ' all)" = 5 ]
	[ "$(cells KEYS=0 APPS=xpdf SCHEMES=baseline JOBS=quanta)" = "xpdf baseline quanta" ]
}

@test "ratios to the baseline of the same application, and findings that follow from them" {
	made_up
	near "$(row writer baseline launch_rel)" 1 0.001
	near "$(row writer alone launch_rel)" 0.25 0.001
	near "$(row xpdf L launch_rel)" 0.4 0.001
	near "$(row writer L launch_ms)" 3200 1
	near "$(row xpdf M job_rel)" 1.25 0.001
	[ "$(row xpdf alone job_rel)" = "" ]
	# the best of vamp's is M: 1.25 s against 4, 2 and 1.25 s; the job makes of 1 s 4
	near "$(found baseline .value)" 0.3125 0.0001
	[ "$(found baseline .verdict)" = '"good"' ]
	[[ $(found baseline .text) == *"4.0 times as long"* ]]
	near "$(found today .value)" 1 0.0001
	[ "$(found today .verdict)" = '"unsure"' ]
	[[ $(found today .text) == *"1.60 times as fast as with autogroup"* ]]
	near "$(found job .value)" 1.25 0.0001
	# vamp found xz in two episodes of three, and took an editor for background in one
	near "$(found vamp .value)" 66.67 0.01
	# the key came at 8.99 s, the decision at 9.005 s
	near "$(row xpdf L decided_ms)" 15 0.001
	[ "$(row xpdf M decided_ms)" = "" ]
	[ "$(jq -c '.vamp[0] | [.episodes, .found, .others]' run/run.json)" = '[3,2,["vi"]]' ]
	[ "$(jq -c '.vamp[1] | [.scheme, .job, .repeat]' run/run.json)" = '["vmL+iso-irq","parallel",2]' ]
	for f in launch job; do [ -s "run/figures/$f.svg" ]; done
	[ ! -e run/figures/keys.svg ]
}

# bats test_tags=all
@test "a short run: a launch and keys beside the job, which worked meanwhile" {
	local status=0
	LAB_SHARED_CPUS=1 "$TOP/thinprobe" run launch --app xterm --scheme baseline,nice --job quanta --repeat 1 -o run >out 2>err 3>&- ||
		status=$?
	cat out err
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	[ "$status" = 0 ]
	[ "$(jq -r .state run/run.json)" = complete ]
	jq -e '.launch.launch_ms > 1 and .job.bytes > 1e6 and .relative.launch == 1' run/cells/xterm-baseline-quanta/1/cell.json
	jq -e '.launch.launch_ms > 1 and .relative.job > 0' run/cells/xterm-nice-quanta/1/cell.json
	# refecho takes 10 ms of CPU time for each key, and has the CPU to share
	jq -e '.result.latency_from_due_ms.p50 > 10' run/cells/keys-baseline-quanta/1/keyrepeat.json
}
