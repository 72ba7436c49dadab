#!/usr/bin/env bats
# Capacity: the tables of a made-up run against figures by hand, the words and the page made of them, and the driver's own words.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export HOME=$BATS_TEST_TMPDIR THINPROBE_STATE=$BATS_TEST_TMPDIR/state
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Repeat r, N users: the one in front has p95 = 20 N + r ms and mean 10 N, user u has mean 10 N + u - 1; the CPU is 12 N % busy. 100 ms hold for 4 users in each
# repeat (20 x 5 + r is above), 150 ms for 7; beyond that nothing was measured.
make_run() {
	local r folder
	rm -rf "a run"
	mkdir -p "a run"
	jq -n '{schema: "thinprobe.run/1", experiment: "capacity", version: "0", started: "2026-11-20T10:00:00Z", ended: "2026-11-20T11:00:00Z", state: "complete", command: "thinprobe run capacity",
		settings: {protocol: "vnc", protocols: ["vnc"], apps: ["heavy"], criteria: ["p95:100ms", "apdex:0.85"], most: 16, typing_per_s: 4, rate_per_s: 10, threshold_ms: 100, seconds: 20, cost_ms: 10,
			link: "none", systems: [{system: "vnc.heavy", protocol: "vnc", app: "heavy"}], repeats: 3, seed: 1, on: "lab"},
		protocols: {vnc: {says: "VNC (Xvnc)"}}, lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, rootless: false, missing: []}, host: {kernel: "Linux 6.1"}, cells: {total: 3, complete: 3}}' >"a run/run.json"
	for r in 1 2 3; do
		folder="a run/cells/vnc.heavy-016/$r"
		mkdir -p "$folder"
		jq -n --argjson r "$r" '{schema: "thinprobe.cell/1", state: "complete", marked: (if $r == 3 then "foreign CPU time 4 %" else "" end),
			limits: [{criterion: "p95:100ms", users: 4, reached: true, limit: "CPU", forecast: (4 + $r / 2)}, {criterion: "apdex:0.85", users: (5 + $r), reached: ($r < 3), limit: (if $r < 3 then "run queue" else "" end), forecast: null}]}' >"$folder/cell.json"
		awk -v r="$r" -v samples="$folder/samples.tsv" -v machine="$folder/machine.tsv" 'BEGIN {
			print "schema\tusers\tuser\tkeys\tmean_ms\tp50_ms\tp95_ms\tmax_ms\tapdex\tlate_percent" >samples
			print "schema\tusers\tkeys_per_s\tserver_busy_percent\tclient_busy_percent\tforeign_percent\tsteal_percent\twaiting\tavailable_bytes\tswap_in_bytes_per_s\tlink_percent" >machine
			split("1 2 4 5", steps, " ")
			for (s = 1; s <= 4; s++) {
				n = steps[s]
				for (u = 1; u <= n; u++) printf "capacity-user/1\t%d\t%d\t200\t%.3f\t%.3f\t%.3f\t999\t%.4f\t%.3f\n", n, u, 10 * n + u - 1, 9 * n, 20 * n + r + u - 1, 1 - n / 50, n >samples
				printf "capacity-machine/1\t%d\t%.1f\t%.2f\t%.2f\t0.5\t0\t%.3f\t%d\t0\t\n", n, 10 + 4 * (n - 1), 12 * n, 3 * n, n / 10, 1e9 >machine
			}
		}'
	done
}

at() {	# at FILE COLUMN NAME=VALUE...: one cell
	local file=$1 column=$2
	shift 2
	awk -F'\t' -v column="$column" -v want="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, w, " "); if (!(column in at)) exit; next }
		{ ok = 1; for (i = 1; i <= n; i++) { split(w[i], kv, "="); if ($at[kv[1]] != kv[2]) ok = 0 } if (ok) print $at[column] }' "a run/$file.tsv"
}

@test "capacity: the tables are what the rows say" {
	make_run
	"$TOP/bin/summarize" "a run"
	[ "$(wc -l <"a run/summary.tsv")" = 5 ]
	[ "$(at summary p95_ms users=4)" = 82.000 ]
	# 81 82 83: mean +- t(2) s / sqrt(3) = 4.302653 / sqrt(3)
	awk -v l="$(at summary p95_ms_low users=4)" -v h="$(at summary p95_ms_high users=4)" 'BEGIN { print l, h; exit !(l > 79.515 && l < 79.517 && h > 84.483 && h < 84.485) }'
	[ "$(at summary mean_ms users=4)" = 40.000 ]
	[ "$(at summary all_mean_ms users=4)" = 41.500 ]
	[ "$(at summary all_p95_ms users=4)" = 85.000 ]
	# means 40 41 42 43: 166^2 / (4 x 6894); 43 / 41.5
	[ "$(at summary jain users=4)" = 0.9993 ]
	[ "$(at summary worst_over_median users=4)" = 1.036 ]
	[ "$(at summary server_busy_percent users=5)" = 60.000 ]
	[ "$(at summary link_percent users=5)" = "" ]
	[ "$(at summary repeats users=5)" = 3 ]
	[ "$(at summary marked users=5)" = 1 ]
	[ "$(at points users criterion=p95:100ms)" = 4.00 ]
	[ "$(at points users_low criterion=p95:100ms)" = 4.00 ]
	[ "$(at points forecast criterion=p95:100ms)" = 5.00 ]
	[ "$(at points users criterion=apdex:0.85)" = 7.00 ]
	[ "$(at points users_min criterion=apdex:0.85)" = 6 ]
	[ "$(at points users_max criterion=apdex:0.85)" = 8 ]
	[ "$(at points reached criterion=apdex:0.85)" = 2 ]
	[ "$(at points limit criterion=apdex:0.85)" = "run queue" ]
}

@test "capacity: a search that did not end is counted, and nothing is made of it" {
	make_run
	jq '.state = "failed"' "a run/cells/vnc.heavy-016/2/cell.json" >x && mv x "a run/cells/vnc.heavy-016/2/cell.json"
	rm -r "a run/cells/vnc.heavy-016/3"
	run -3 "$TOP/bin/summarize" "a run" --format json -o out.json
	[ "$(jq -c '.result | [.repeats_complete, .repeats_failed]' out.json)" = '[1,2]' ]
	[ "$(at summary failed users=1)" = 2 ]
	[ "$(at points users_low criterion=p95:100ms)" = "" ]
	rm "a run/cells/vnc.heavy-016/1/machine.tsv"
	run -1 "$TOP/bin/summarize" "a run"
	[[ $output == *machine.tsv* ]]
}

@test "capacity: words, page and figures" {
	command -v gnuplot cmark rsvg-convert >/dev/null || command -v gnuplot cmark >/dev/null || skip "no gnuplot or cmark"
	make_run
	"$TOP/report/report.sh" "a run" >/dev/null
	run -0 "$TOP/report/findings.sh" "a run"
	echo "$output"
	[[ ${lines[0]} == "1. So many users fit: the editor that computes 10 ms for each redraw over vnc: 4 users with 95 % of the keys within 100 ms, 6 to 8 users with an Apdex of 0.85." ]]
	[[ $output == *"What is full with the next users: for the editor that computes 10 ms for each redraw over vnc: CPU (at 5 users the server's CPU was 60 % busy and 0.5 processes waited for it, the viewers' CPU 15 %)."* ]]
	[[ $output == *"foretold 5.0 users for 95 % of the keys within 100 ms (found: 4)"* ]]
	[[ $output == *"Users fare alike: at 5 users"* ]]
	[[ $output == *"Disturbed: "* ]]
	[[ $output == *"Indicative: 3 searches of each kind."* ]]
	run -0 "$TOP/report/table.sh" "a run"
	echo "$output"
	grep -qE '^ vnc.heavy +4 +36.0 +82.0 +0.92 +1.04 +48 +0.4 +12$' <<<"$output"
	for f in report.md report.html figures/users.svg figures/resources.svg; do [ -s "a run/$f" ]; done
	grep -q '| vnc.heavy | 95 % of the keys within 100 ms | 4.0 (4.0–4.0) | 4 | 3 of 3 | 5.0 | CPU |' "a run/report.md"
	if grep -nE 'null|undefined' "a run/report.md"; then return 1; fi
}

@test "capacity: the driver's words" {
	local words

	run -0 "$TOP/thinprobe" run capacity --help
	[[ $output == *--criteria* ]]
	"$TOP/experiments/capacity.sh" --options-only --quick
	"$TOP/experiments/capacity.sh" --options-only --criteria p95:80ms,apdex:1 --app light,heavy --most 3
	for words in "--criteria p99:80ms" "--criteria p95:80" "--criteria apdex:1.5" "--app vim" "--most 0" "--most 201" "--typing 0" "--on ssh:a,b" "--repeat x" "--protocol null" "--cost 5s" "--seconds 1"; do
		# shellcheck disable=SC2086
		run "$TOP/experiments/capacity.sh" $words --options-only
		echo "$words: $output"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}
