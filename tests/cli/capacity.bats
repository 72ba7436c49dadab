#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Capacity: the tables of a made-up run against figures by hand, the words and the page made of them, and the driver's own words.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export HOME=$BATS_TEST_TMPDIR THINPROBE_STATE=$BATS_TEST_TMPDIR/state
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Repeat r, N users: the one in front has p95 = 20 N + r ms and mean 10 N, user u has mean 10 N + u - 1; a key takes 20 ms of the CPU, and sessions 2 % of it
# without keys. 100 ms hold for 4 users in each repeat (20 x 5 + r is above). An Apdex of 0.85 holds for 6 and 7; then, in two of the repeats, nobody could be added.
make_run() {
	local r folder
	rm -rf "a run"
	mkdir -p "a run"
	jq -n '{schema: "thinprobe.run/1", experiment: "capacity", version: "0", started: "2026-11-20T10:00:00Z", ended: "2026-11-20T11:00:00Z", state: "complete", command: "thinprobe run capacity",
		settings: {protocol: "vnc", protocols: ["vnc"], apps: ["heavy"], criteria: ["p95:100ms", "apdex:0.85"], most: 16, typing_per_s: 4, rate_per_s: 10, threshold_ms: 100, seconds: 20, cost_ms: 10,
			link: "none", systems: [{system: "vnc.heavy", protocol: "vnc", app: "heavy"}], repeats: 3, seed: 1, on: "lab", limits: [
			{name: "CPU", figure: "wait_share_percent", at_least: 50, unless: "run queue", unit: "% of the delay", note: "why this"}, {name: "CPU", figure: "server_busy_percent", at_least: 90, unless: "", unit: "% busy", note: "why that"},
			{name: "run queue", figure: "wait_over_queue", at_least: 3, unless: "", unit: "times", note: "and that"}, {name: "viewers", figure: "client_busy_percent", at_least: 14, unless: "", unit: "% busy", note: "viewers"},
			{name: "session alone", figure: "alone_percent", at_least: 100, unless: "", unit: "%", note: "alone"}]},
		protocols: {vnc: {says: "VNC (Xvnc)"}}, lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, rootless: false, missing: []}, host: {kernel: "Linux 6.1"}, cells: {total: 3, complete: 3}}' >"a run/run.json"
	for r in 1 2 3; do
		folder="a run/cells/vnc.heavy-016/$r"
		mkdir -p "$folder"
		jq -n --argjson r "$r" '{schema: "thinprobe.cell/1", state: "complete", server_cpus: 1, marked: (if $r == 3 then "foreign CPU time 4 %" else "" end),
			limits: [{criterion: "p95:100ms", users: 4, reached: true, beyond: 5, resource: "", ended: ""},
				{criterion: "apdex:0.85", users: (5 + $r), reached: ($r < 3), beyond: (if $r < 3 then 6 + $r else 0 end), resource: (if $r < 3 then "memory" else "" end),
				ended: (if $r < 3 then "session \(6 + $r) did not start: no luck" else "" end)}]}' >"$folder/cell.json"
		awk -v r="$r" -v samples="$folder/samples.tsv" -v machine="$folder/machine.tsv" -v wait="${WAIT:-30}" 'BEGIN {
			print "schema\tusers\tuser\tkeys\tmean_ms\tp50_ms\tp95_ms\tmax_ms\tapdex\tlate_percent" >samples
			print "schema\tusers\tkeys_per_s\tserver_busy_percent\tclient_busy_percent\tforeign_percent\tsteal_percent\twaiting\tavailable_bytes\tswap_in_bytes_per_s\tlink_percent\town_percent" >machine
			split("1 2 4 5", steps, " ")
			for (s = 1; s <= 4; s++) {
				n = steps[s]; keys = 10 + 4 * (n - 1)
				for (u = 1; u <= n; u++) printf "capacity-user/1\t%d\t%d\t200\t%.3f\t%.3f\t%.3f\t999\t%.4f\t%.3f\n", n, u, 10 * n + u - 1, 9 * n, 20 * n + r + u - 1, 1 - n / 50, n >samples
				# a key waits that long at 5 users
				printf "capacity-machine/1\t%d\t%.1f\t%.2f\t%.2f\t0.5\t0\t%.4f\t%d\t0\t\t%.3f\n", n, keys, 2.5 + 2 * keys, 3 * n, n / 5 * wait / 1000 * keys, (40 - n) * 1048576, 2 + 2 * keys >machine
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
	# 81 82 83, as logarithms: 81.9959 times or by exp(t(2) s / sqrt(3)) = exp(4.302653 x 0.012197 / sqrt(3))
	awk -v l="$(at summary p95_ms_low users=4)" -v h="$(at summary p95_ms_high users=4)" 'BEGIN { print l, h; exit !(l > 79.548 && l < 79.550 && h > 84.517 && h < 84.519) }'
	[ "$(at summary mean_ms users=4)" = 40.000 ]
	[ "$(at summary all_mean_ms users=4)" = 41.500 ]
	[ "$(at summary all_p95_ms users=4)" = 85.000 ]
	# means 40 41 42 43: 166^2 / (4 x 6894); the largest p95 over the median of four: (84/82.5 + 85/83.5 + 86/84.5) / 3
	[ "$(at summary jain users=4)" = 0.9993 ]
	[ "$(at summary worst_over_median users=4)" = 1.018 ]
	[ "$(at summary server_busy_percent users=5)" = 54.500 ]
	[ "$(at summary link_percent users=5)" = "" ]
	[ "$(at summary repeats users=5)" = 3 ]
	[ "$(at summary marked users=5)" = 1 ]
	# 52 - 10 ms more than alone at 5 users
	[ "$(at summary more_ms users=5)" = 42.000 ]
	[ "$(at summary wait_ms users=5)" = 30.000 ]
	[ "$(at summary wait_share_percent users=5)" = 71.429 ]
	[ "$(at points users criterion=p95:100ms)" = 4.00 ]
	[ "$(at points users_low criterion=p95:100ms)" = 4.00 ]
	[ "$(at points jain_good criterion=p95:100ms)" = 0.9993 ]
	[ "$(at points worst_good criterion=p95:100ms)" = 1.018 ]
	[ "$(at points users criterion=apdex:0.85)" = 7.00 ]
	[ "$(at points users_low criterion=apdex:0.85)" = "" ]
	[ "$(at points users_min criterion=apdex:0.85)" = 6 ]
	[ "$(at points users_max criterion=apdex:0.85)" = 8 ]
	[ "$(at points reached criterion=apdex:0.85)" = 2 ]
}

@test "capacity: what is full is what the rules say, the fullest first, each repeat once" {
	make_run
	"$TOP/bin/summarize" "a run"
	# 30 of 42 ms (71 %, 1.43 x 50 %) for the CPU, 15 of 14 % (1.07) for the viewers
	[ "$(at points limit criterion=p95:100ms)" = "CPU, viewers" ]
	[ "$(at points limit criterion=apdex:0.85)" = "memory" ]
	[ "$(at points ended criterion=apdex:0.85)" = "session 8 did not start: no luck" ]
	grep -qP '\tp95:100ms\t2\tCPU\t% busy\t90.0\t4\t46.50\t5\t54.50\t0$' "a run/compare.tsv"
	grep -qP '\tp95:100ms\t2\tviewers\t% busy\t14.0\t4\t12.00\t5\t15.00\t1$' "a run/compare.tsv"
	grep -qP '\tp95:100ms\t2\tsession alone\t%\t100.0\t4\t22.00\t5\t22.00\t0$' "a run/compare.tsv"
	# a queue's wait at 5 users: u' = 0.545 x 16 / 26, D = 540 / 26 ms
	awk -F'\t' '$5 == "run queue" { print $11; exit !($11 > 0.01 + (w = 30 / (0.545 * 16 / 26 * 540 / 26 / 0.455)) - 0.02 && $11 < w + 0.01) }' "a run/compare.tsv"
	# a wait that no queue explains is not the CPU's
	WAIT=60 make_run
	"$TOP/bin/summarize" "a run"
	[ "$(at points limit criterion=p95:100ms)" = "run queue, viewers" ]
	# pages read back for every key are the users' where memory is short: 35 of 39 MB are available with 5 users, or 15
	for available in 36700160 15728640; do
		make_run
		jq '.settings.limits = [{name: "memory", figure: "faults_percent", at_least: 100, unless: "", unit: "faults", note: "f"}]' "a run/run.json" >x && mv x "a run/run.json"
		for r in 1 2 3; do
			awk -F'\t' -v OFS='\t' -v a="$available" 'NR == 1 { $13 = "major_faults_per_s" } NR > 1 { $13 = $3 * 2 } $2 == 5 { $9 = a } { print }' "a run/cells/vnc.heavy-016/$r/machine.tsv" >x
			mv x "a run/cells/vnc.heavy-016/$r/machine.tsv"
		done
		"$TOP/bin/summarize" "a run"
		[ "$(at summary faults_percent users=5)" = 200.000 ]
		case $available in 36700160) want=unexplained ;; *) want=memory ;; esac
		[ "$(at points limit criterion=p95:100ms)" = "$want" ]
	done
	WAIT=5 make_run
	jq '.settings.limits |= map(select(.name != "viewers"))' "a run/run.json" >x && mv x "a run/run.json"
	"$TOP/bin/summarize" "a run"
	[ "$(at points limit criterion=p95:100ms)" = "unexplained" ]
}

@test "capacity: the forecast is what the formula says, from the first third alone" {
	make_run
	"$TOP/bin/summarize" "a run"
	awk -F'\t' -v OFS='\t' '$3 == "CPU" && $2 == "p95:100ms" { print; exit !($5 == "2.0000" && $6 == "20.0000" && $9 == "10.8") }' "a run/slope.tsv"
	# 1 MB a user, of 40
	awk -F'\t' '$3 == "memory" { print; exit !($5 == "40.0000" && $6 == "1.0000" && $9 == "40.0") }' "a run/slope.tsv"
	# one user alone: mean 10, p95 22 ms (the mean of 21, 22, 23); the first three numbers of users, though they are more than a third
	most() {	# most p95|apdex VALUE
		awk -v what="$1" -v value="$2" 'BEGIN {
			for (n = 1; ; n++) {
				keys = 10 + 4 * (n - 1); u = 0.02 + 0.02 * keys; if (u >= 1) break
				p = n > 1 ? u - 0.2 : 0; theta = 20 / (2 * (1 - u))
				late = p > 0.05 ? theta * log(p / 0.05) - p * theta : 0; if (late < 0) late = 0
				if (what == "p95") ok = 10 + p * theta + sqrt(12 ^ 2 + late ^ 2) <= value
				else ok = 1 - (p * exp(-90 / theta) + p * exp(-390 / theta)) / 2 >= value
				if (!ok) break
			}
			print n - 1 }'
	}
	most p95 100
	[ "$(at points forecast criterion=p95:100ms)" = "$(most p95 100)" ]
	[ "$(at points forecast criterion=apdex:0.85)" = "$(most apdex 0.85)" ]
	[ "$(at points forecast_from criterion=p95:100ms)" = 4 ]
	[ "$(at points forecast_of criterion=p95:100ms)" = CPU ]
	# viewers that are full with fewer: 2 + 3 % a key a second
	find "a run/cells" -name machine.tsv -exec sh -c 'for f; do awk -F"\t" -v OFS="\t" "NR > 1 { \$5 = 2 + 3 * \$3 } { print }" "$f" >x && mv x "$f"; done' sh {} +
	"$TOP/bin/summarize" "a run"
	# (98 / 3 - 10) / 4 + 1 = 6.67
	[ "$(at points forecast criterion=p95:100ms)" = 6 ]
	[ "$(at points forecast_of criterion=p95:100ms)" = viewers ]
	# busy times that do not follow the keys tell nothing
	find "a run/cells" -name machine.tsv -exec sh -c 'for f; do awk -F"\t" -v OFS="\t" "NR > 1 { \$12 = NR % 2 ? 30 : 31 } { print }" "$f" >x && mv x "$f"; done' sh {} +
	"$TOP/bin/summarize" "a run"
	[ "$(at points forecast criterion=p95:100ms)" = "" ]
	[[ "$(at points forecast_why criterion=p95:100ms)" == *"holds 0"* ]]
}

@test "capacity: a search that did not end is counted, and nothing is made of it" {
	make_run
	jq '.state = "failed"' "a run/cells/vnc.heavy-016/2/cell.json" >x && mv x "a run/cells/vnc.heavy-016/2/cell.json"
	rm -r "a run/cells/vnc.heavy-016/3"
	run -3 "$TOP/bin/summarize" "a run" --format json -o out.json
	[ "$(jq -c '.result | [.repeats_complete, .repeats_failed]' out.json)" = '[1,2]' ]
	[ "$(at summary failed users=1)" = 2 ]
	[ "$(at points users_low criterion=p95:100ms)" = "" ]
	jq '.settings.limits[0].figure = "nothing"' "a run/run.json" >x
	cp "a run/run.json" y && mv x "a run/run.json"
	run -1 "$TOP/bin/summarize" "a run"
	[[ $output == *"settings.limits"* ]]
	mv y "a run/run.json"
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
	[[ ${lines[0]} == "1. So many users fit: the editor that computes 10 ms for each redraw over vnc: 4 users with 95 % of the keys within 100 ms, 6 to at least 8 users with an Apdex of 0.85." ]]
	[[ $output == *"for the editor that computes 10 ms for each redraw over vnc (95 % of the keys within 100 ms): CPU, viewers; at 5 users of the 42.0 ms that a key takes longer than with one user alone, 30.0 ms went by waiting for a CPU of the server, which was 54.5 % busy; viewers: 15.0 % busy, full from 14."* ]]
	[[ $output == *"20.0 ms (20.0–20.0) of CPU time for each key"*"10.8 users"* ]]
	[[ $output == *"(found: 4), "*"Model: "* ]]
	[[ $output == *"Users fare alike: "*"1.02 times the median"* ]]
	[[ $output == *"Disturbed: "* ]]
	[[ $output == *"Indicative: 3 searches of each kind."* ]]
	run -0 "$TOP/report/table.sh" "a run"
	echo "$output"
	grep -qE '^ vnc.heavy +4 +36.0 +82.0 +0.92 +1.02 +46.5 +0.5 +12$' <<<"$output"
	for f in report.md report.html figures/users.svg figures/delay.svg figures/resources.svg; do [ -s "a run/$f" ]; done
	grep -q '| vnc.heavy | 95 % of the keys within 100 ms | 4.0 (4.0–4.0) | 4 | 3 of 3 |.*| CPU, viewers |' "a run/report.md"
	grep -q '| vnc.heavy | an Apdex of 0.85 | ≥ 7.0 | 6 to at least 8 | 2 of 3 |.*| memory |' "a run/report.md"
	grep -q '| vnc.heavy, 95 % of the keys within 100 ms | CPU: % busy | 90 | 4 | 46.5 | 5 | 54.5 |  |' "a run/report.md"
	if grep -nE 'null|undefined' "a run/report.md"; then return 1; fi
}

@test "capacity: searches that ended at different numbers: what was full is told of those in which it was" {
	command -v gnuplot cmark >/dev/null || skip "no gnuplot or cmark"
	make_run
	# in the second search one user alone was too many already
	jq '.limits[0] += {users: 0, beyond: 1}' "a run/cells/vnc.heavy-016/2/cell.json" >x && mv x "a run/cells/vnc.heavy-016/2/cell.json"
	"$TOP/report/report.sh" "a run" >/dev/null
	run -0 "$TOP/report/findings.sh" "a run"
	echo "$output"
	# (3 % for each user: 15 % of the other two, and not the mean of 3, 15 and 15)
	[[ $output == *"; at 1 user the server's CPU was 22.5 % busy; viewers: 15.0 % busy at 5, full from 14."* ]]
}

@test "capacity: the driver's words" {
	local words

	run -0 "$TOP/thinprobe" run capacity --help
	[[ $output == *--criteria* ]]
	"$TOP/experiments/capacity.sh" --options-only --quick
	"$TOP/experiments/capacity.sh" --options-only --on ssh:server,me@client
	"$TOP/experiments/capacity.sh" --options-only --criteria p95:80ms,apdex:1 --app light,heavy --most 3
	for words in "--criteria p99:80ms" "--criteria p95:80" "--criteria apdex:1.5" "--app vim" "--most 0" "--most 201" "--typing 0" "--on attach::0,pick" "--on ssh:a" "--on ssh:a,b --link 10Mbit" "--repeat x" "--protocol null" "--cost 5s" "--seconds 1"; do
		# shellcheck disable=SC2086
		run "$TOP/experiments/capacity.sh" $words --options-only
		echo "$words: $output"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}
