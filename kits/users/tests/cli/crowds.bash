# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# crowds - made-up runs of the experiments with many users, in run/: make_run, then cell for each repeat.

# cell NAME REPEAT RATE RESPONSE-MS COV RANDOM [MODEL-RATE MODEL-QUEUE]: as vusers, arrivals and queue report it
cell() {
	local folder=run/cells/$1/$2 pages bytes p95 most late concurrency gap sd p=0.5
	mkdir -p "$folder"
	read -r pages bytes p95 most late concurrency gap sd < <(
		awk -v x="$3" -v r="$4" -v c="$5" 'BEGIN { OFMT = "%.15g"
			print x * 0.6, x * 60, r * 2, r * 3, r / 4, x * r / 1000, 1000 / x, c * 1000 / x }')
	[ "$6" = true ] || p=0.00001
	cat >"$folder/cell.json" <<-END
		{"schema": "thinprobe.cell/1", "parameters": {}, "repeat": $2, "state": "complete", "reason": "", "foreign_percent": 1,
		"steal_percent": 0, "server_busy_percent": 40, "server_own_percent": 39, "kernel_percent": 2, "link_percent": 30,
		"client_busy_percent": 6, "marked": ""}
	END
	cat >"$folder/vusers.json" <<-END
		{"result": {"valid": true, "requests": 1000, "errors": 0, "timeouts": 0, "unanswered": 0, "rate_per_s": $3,
		"pages_per_s": $pages, "received_kbyte_per_s": $bytes, "response_ms": {"mean": $4, "p50": $4, "p95": $p95, "max": $most},
		"over_threshold_percent": $late, "concurrency": {"mean": $concurrency},
		"fairness": {"mean_response_ms": {"max_by_median": 1.5, "jain": 0.98}},
		"generator": {"late_ms": {"p99": 0.2}, "cpu_percent": 3}}}
	END
	echo '{"result": {"n": 1000, "mean_ms": '"$gap"', "sd_ms": '"$sd"', "cov": '"$5"', "band": 0.062, "p": '"$p, \"poisson\": $6}}" \
		>"$folder/arrivals.json"
	[ "${7:-0}" = 0 ] || awk -v x="$7" -v q="$8" 'BEGIN {
		printf "{\"result\": {\"rows\": [{\"lambda\": %s, \"q\": %s, \"r_s\": %.15g, \
		\"x_most\": 200, \"r_least_s\": 0.012, \"lambda_schweitzer\": %s, \"q_schweitzer\": %s}]}}\n",
		x, q, q / x, x - 1, q + 1 }' >"$folder/model.json"
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
	drawn real_run run "$TOP/thinprobe" run "$@" -o run >out 2>err 3>&-
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	cat out err
	run_complete run || return
	[ -z "$(find run -type p -o -name '*.new')" ] || return 1
	if grep -qzsxF "LAB_RUN=$PWD/run" /proc/[0-9]*/environ; then return 1; fi
}

