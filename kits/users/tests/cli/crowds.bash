# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# crowds - made-up runs of the experiments with many users, in run/: make_run, then cell for each repeat.

# cell NAME REPEAT RATE RESPONSE-MS COV RANDOM [MODEL-RATE MODEL-QUEUE]: as vusers, arrivals and queue report it
cell() {
	local folder=run/cells/$1/$2 file line
	mkdir -p "$folder"
	jq -n -c --argjson repeat "$2" --argjson x "$3" --argjson r "$4" --argjson c "$5" --argjson p "$6" --argjson model_x "${7:-0}" \
		--argjson q "${8:-0}" '{schema: "thinprobe.cell/1", parameters: {}, repeat: $repeat, state: "complete", reason: "",
		foreign_percent: 1, steal_percent: 0, server_busy_percent: 40, server_own_percent: 39, kernel_percent: 2, link_percent: 30,
		client_busy_percent: 6, marked: ""},
		{result: {valid: true, requests: 1000, errors: 0, timeouts: 0, unanswered: 0,
		rate_per_s: $x, pages_per_s: ($x * 0.6), received_kbyte_per_s: ($x * 60),
		response_ms: {mean: $r, p50: $r, p95: ($r * 2), max: ($r * 3)}, over_threshold_percent: ($r / 4),
		concurrency: {mean: ($x * $r / 1000)},
		fairness: {mean_response_ms: {max_by_median: 1.5, jain: 0.98}}, generator: {late_ms: {p99: 0.2}, cpu_percent: 3}}},
		{result: {n: 1000, mean_ms: (1000 / $x), sd_ms: ($c * 1000 / $x),
		cov: $c, band: 0.062, p: (if $p then 0.5 else 0.00001 end), poisson: $p}},
		(select($model_x > 0) | {result: {rows: [{lambda: $model_x, $q, r_s: ($q / $model_x), x_most: 200,
		r_least_s: 0.012, lambda_schweitzer: ($model_x - 1), q_schweitzer: ($q + 1)}]}})' |
		for file in cell vusers arrivals model; do
			if read -r line; then printf '%s\n' "$line" >"$folder/$file.json"; fi
		done
	printf 'schema\tuser\nvusers-log/1\t1\n' >"$folder/samples.tsv"
}

make_run() {	# make_run EXPERIMENT REPEATS SETTINGS CELL/PART/USERS/THINK...
	rm -rf run
	mkdir run
	jq -n --arg e "$1" --argjson repeats "$2" --argjson settings "$3" '
		{schema: "thinprobe.run/1", experiment: $e, state: "complete", axes: ["part", "users", "think_s"],
		settings: ($settings + {spread: "uniform", seconds: 15, repeats: $repeats, seed: 1, on: "lab"}),
		cells: [$ARGS.positional[] | split("/")
			| {name: .[0], parameters: {part: .[1], users: (.[2] | tonumber), think_s: (.[3] | tonumber)}}],
		lab: {missing: ["real-time priority: | not here"]}}' --args "${@:4}" >run/run.json
}

column() { field run/summary.tsv "$2" cell="$1"; }	# column CELL NAME

short_run() {	# short_run EXPERIMENT OPTION...: into run/; it is complete, and no pipe, no half file and no process is left
	need gnuplot cmark-gfm
	real_run run "$TOP/thinprobe" run "$@" -o run >out 2>err 3>&-
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	cat out err
	run_complete run || return
	[ -z "$(find run -type p -o -name '*.new')" ] || return 1
	if grep -qzsxF "LAB_RUN=$PWD/run" /proc/[0-9]*/environ; then return 1; fi
}

