#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Capacity: tables and findings of a made-up run against figures by hand; a small search over VNC in which a third session cannot
# start; one that is interrupted.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/warm

setup() {
	begin_test
	export HOME=$BATS_TEST_TMPDIR THINPROBE_STATE=$BATS_TEST_TMPDIR/state
	undrawn
	RUN="a run"
}

# Repeat r, N users: the front user has p95 = 20 N + r ms and mean 10 N, user u has mean 10 N + u - 1; a key takes 20 ms of the
# CPU, and sessions 2 % of it without keys. A p95 of 100 ms holds for 4 users in each repeat (20 x 5 + r is above). An Apdex of
# 0.85 holds for 6, 7 and 8 users; in the first two repeats the next session did not start, in the third the search ended.
make_run() { once "${WAIT-}" "a run" made; }
made() {
	local r folder
	mkdir -p "a run"
	jq -n '{schema: "thinprobe.run/1", experiment: "capacity", version: "0", started: "2026-11-20T10:00:00Z",
		ended: "2026-11-20T11:00:00Z", state: "complete", command: "thinprobe run capacity",
		settings: {protocols: ["vnc"], apps: ["heavy"], criteria: ["p95:100ms", "apdex:0.85"], most: 16, typing_per_s: 4,
			rate_per_s: 10, threshold_ms: 100, seconds: 20, cost_ms: 10, link: "none", repeats: 3, seed: 1, on: "lab", limits: [
			{name: "CPU", figure: "wait_share_percent", at_least: 50, unless: "run queue", unit: "% of the delay", note: "a"},
			{name: "CPU", figure: "server_busy_percent", at_least: 90, unless: "", unit: "% busy", note: "b"},
			{name: "run queue", figure: "wait_over_queue", at_least: 3, unless: "", unit: "times", note: "c"},
			{name: "viewers", figure: "client_busy_percent", at_least: 14, unless: "", unit: "% busy", note: "d"},
			{name: "session alone", figure: "alone_percent", at_least: 100, unless: "", unit: "%", note: "e"}]},
		axes: ["protocol", "app"], cells: [{name: "vnc-heavy", parameters: {protocol: "vnc", app: "heavy"}, state: "complete",
			complete: 3, flags: []}], counts: {total: 3, complete: 3, missing: 0, marked: 1},
		protocols: {vnc: {says: "VNC (Xvnc)"}}, host: {kernel: "Linux 6.1"},
		lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, rootless: false, missing: []}}' >"a run/run.json"
	for r in 1 2 3; do
		folder="a run/cells/vnc-heavy/$r"
		mkdir -p "$folder"
		jq -n --argjson r "$r" '($r < 3) as $ended | {schema: "thinprobe.cell/1", state: "complete", server_cpus: 1,
			marked: (if $r == 3 then "foreign CPU time 4 %" else "" end),
			limits: [{criterion: "p95:100ms", users: 4, reached: true, beyond: 5, resource: "", ended: ""},
				{criterion: "apdex:0.85", users: (5 + $r), reached: $ended, beyond: (if $ended then 6 + $r else 0 end),
				resource: (if $ended then "memory" else "" end),
				ended: (if $ended then "session \(6 + $r) did not start: no luck" else "" end)}]}' \
					>"$folder/cell.json"
		awk -v OFS='\t' -v r="$r" -v samples="$folder/samples.tsv" -v machine="$folder/machine.tsv" -v wait="${WAIT:-30}" \
			'BEGIN {
			print "schema", "users", "user", "keys", "mean_ms", "p50_ms", "p95_ms", "max_ms", "apdex", "late_percent" >samples
			print "schema", "users", "keys_per_s", "server_busy_percent", "client_busy_percent", "foreign_percent",
				"steal_percent", "waiting", "available_bytes", "swap_in_bytes_per_s", "link_percent", "own_percent" >machine
			split("1 2 4 5", steps, " ")
			for (s = 1; s <= 4; s++) {
				n = steps[s]; keys = 10 + 4 * (n - 1)
				for (u = 1; u <= n; u++)
					print "capacity-user/1", n, u, 200, 10 * n + u - 1, 9 * n, 20 * n + r + u - 1, 999, 1 - n / 50, n >samples
				# a key waits that long at 5 users
				print "capacity-machine/1", n, keys, 2.5 + 2 * keys, 3 * n, 0.5, 0, n / 5 * wait / 1000 * keys,
					(40 - n) * 1048576, 0, "", 2 + 2 * keys >machine
			}
		}'
	done
}

at() { field "a run/$1.tsv" "${@:2}"; }	# at FILE COLUMN NAME=VALUE...: one cell
sides() {	# sides CRITERION NAME UNIT: on both sides of the second search's limit, "users figure users figure full"
	awk -F'\t' -v c="$1" -v name="$2" -v unit="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["criterion"] == c && $at["name"] == name && $at["unit"] == unit && $at["repeat"] == 2 {
			print $at["users_good"], $at["good"], $at["users_bad"], $at["bad"], $at["full"] }' "a run/compare.tsv"
}
change() {	# change ASSIGNMENT: applies this awk assignment to each row of every machine.tsv
	local file
	for file in "a run"/cells/*/*/machine.tsv; do
		awk -F'\t' -v OFS='\t' "NR > 1 { $1 } { print }" "$file" >x && mv x "$file"
	done
}
small_search() {
	need Xvnc xset xdotool gnuplot cmark-gfm
	RUN="$BATS_TEST_TMPDIR/a run" CELL="$BATS_TEST_TMPDIR/a run/cells/vnc-heavy/1"
}
nothing_left() {	# waits a little: killed processes may still be ending
	none() { ! pgrep -f "keyrepeat .*$1" && ! pgrep -f "Xvnc .*-desktop thinprobe user-.*$1"; }
	soon none "$1"
}

@test "capacity: summary, points, long and compare tables have the values computed from the rows by hand" {
	make_run
	warm summarize "a run"
	[ "$(wc -l <"a run/summary.tsv")" = 5 ]
	[ "$(at summary p95_ms users=4)" = 82.000 ]
	# 81 82 83, as logarithms: 81.9959 times or by exp(t(2) s / sqrt(3)) = exp(4.302653 x 0.012197 / sqrt(3))
	awk -v l="$(at summary p95_ms_low users=4)" -v h="$(at summary p95_ms_high users=4)" 'BEGIN {
		print l, h; exit !(l > 79.548 && l < 79.550 && h > 84.517 && h < 84.519) }'
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
	[ "$(at points users_min criterion=p95:100ms)" = 4 ]
	[ "$(at points jain_good criterion=p95:100ms)" = 0.9993 ]
	[ "$(at points worst_good criterion=p95:100ms)" = 1.018 ]
	[ "$(at points users criterion=apdex:0.85)" = 7.00 ]
	[ "$(at points users_min criterion=apdex:0.85)" = 6 ]
	[ "$(at points users_max criterion=apdex:0.85)" = 8 ]
	[ "$(at points reached criterion=apdex:0.85)" = 2 ]
	# long.tsv has the same figures, one a row
	[ "$(at long value table=summary metric=p95_ms users=4 system=vnc.heavy)" = 82.000 ]
	[ "$(at long low table=summary metric=p95_ms users=4)" = "$(at summary p95_ms_low users=4)" ]
	[ "$(at long value table=points metric=users criterion=apdex:0.85)" = 7.00 ]
	[ "$(at long n table=points metric=users criterion=apdex:0.85)" = 3 ]
	[ "$(at long value table=compare metric=users_bad criterion=p95:100ms repeat=2 name=viewers)" = 5 ]
	# where one user's latency is not known, so are the slowest user and fairness
	sed -i 's/^\(capacity-user.1\t4\t3\t200\t\)[0-9]*/\1/' "a run"/cells/*/*/samples.tsv
	warm summarize "a run"
	[ "$(at summary mean_ms users=4)" = 40.000 ]
	[ "$(at summary all_p95_ms users=4)$(at summary jain users=4)$(at summary worst_over_median users=4)" = "" ]
	[ "$(at summary jain users=5)" != "" ]
	# what one search does not know is not the mean of the others: the user in front had no answer
	sed -i 's/^\(capacity-user.1\t5\t1\t200\)\t[^\t]*\t\([^\t]*\)\t[^\t]*/\1\t\t\2\t/' "a run"/cells/*/2/samples.tsv
	warm summarize "a run"
	[ "$(at summary mean_ms users=5)$(at summary p95_ms users=5)$(at summary median_p95_ms users=5)" = "" ]
	[ "$(at long why table=summary metric=p95_ms users=5)" = "not answered" ]
	[ "$(at summary repeats users=5)/$(at summary p95_ms users=4)" = 3/82.000 ]
}

@test "capacity: bottlenecks follow the rules in settings.limits, the fullest first; else the limit is 'unexplained'" {
	make_run
	warm summarize "a run"
	# 30 of 42 ms (71 %, 1.43 x 50 %) for the CPU, 15 of 14 % (1.07) for the viewers
	[ "$(at points limit criterion=p95:100ms)" = "CPU, viewers" ]
	[ "$(at points limit criterion=apdex:0.85)" = "memory" ]
	[ "$(at points ended criterion=apdex:0.85)" = "session 8 did not start: no luck" ]
	[ "$(sides p95:100ms CPU "% busy")" = "4 46.50 5 54.50 0" ]
	[ "$(sides p95:100ms viewers "% busy")" = "4 12.00 5 15.00 1" ]
	[ "$(sides p95:100ms "session alone" %)" = "4 22.00 5 22.00 0" ]
	# a queue's wait at 5 users: u' = 0.545 x 16 / 26, D = 540 / 26 ms
	awk -F'\t' '$5 == "run queue" && !n++ {
		w = 30 / (0.545 * 16 / 26 * 540 / 26 / 0.455); print $11, w; ok = $11 > w - 0.01 && $11 < w + 0.01 }
		END { exit !ok }' "a run/compare.tsv"
	# a wait longer than the CPU's queue explains is the run queue's, not the CPU's
	WAIT=60 make_run
	warm summarize "a run"
	[ "$(at points limit criterion=p95:100ms)" = "run queue, viewers" ]
	# pages read back for every key count as lack of memory only if memory is short: 35 MB are available with 5 users, or 15
	for available in 36700160 15728640; do
		make_run
		edit_json "a run/run.json" \
			'.settings.limits = [{name: "memory", figure: "faults_percent", at_least: 100, unless: "", unit: "faults", note: "f"}]'
		for r in 1 2 3; do
			awk -F'\t' -v OFS='\t' -v a="$available" '
				NR == 1 { $13 = "major_faults_per_s" } NR > 1 { $13 = $3 * 2 } $2 == 5 { $9 = a } { print }' \
				"a run/cells/vnc-heavy/$r/machine.tsv" >x
			mv x "a run/cells/vnc-heavy/$r/machine.tsv"
		done
		warm summarize "a run"
		[ "$(at summary faults_percent users=5)" = 200.000 ]
		case $available in 36700160) want=unexplained ;; *) want=memory ;; esac
		[ "$(at points limit criterion=p95:100ms)" = "$want" ]
	done
	WAIT=5 make_run
	edit_json "a run/run.json" '.settings.limits |= map(select(.name != "viewers"))'
	warm summarize "a run"
	[ "$(at points limit criterion=p95:100ms)" = "unexplained" ]
}

@test "capacity: the forecast follows the formula, from the first measured numbers of users only" {
	make_run
	warm summarize "a run"
	[ "$(at slope none name=CPU criterion=p95:100ms)" = 2.0000 ]
	[ "$(at slope slope name=CPU criterion=p95:100ms)" = 20.0000 ]
	[[ "$(at slope users name=CPU criterion=p95:100ms)" = 10.[78] ]]	# 1 + (49 - 10) / 4 is 10.75
	# 1 MB a user, of 40
	[ "$(at slope slope name=memory criterion=p95:100ms)" = 1.0000 ]
	[ "$(at slope users name=memory criterion=p95:100ms)" = 40.0 ]
	# one user alone: mean 10, p95 22 ms (the mean of 21, 22, 23); the first three numbers of users, though they are more than a
	# third
	most() {	# most p95|apdex VALUE [T]
		awk -v what="$1" -v value="$2" -v t="${3:-100}" 'BEGIN {
			for (n = 1; ; n++) {
				keys = 10 + 4 * (n - 1); u = 0.02 + 0.02 * keys; if (u >= 1) break
				p = n > 1 ? u - 0.2 : 0; theta = 20 / (2 * (1 - u))
				late = p > 0.05 ? theta * log(p / 0.05) - p * theta : 0; if (late < 0) late = 0
				if (what == "p95") ok = 10 + p * theta + sqrt(12 ^ 2 + late ^ 2) <= value
				else ok = 1 - (p * exp(-(t - 10) / theta) + p * exp(-(4 * t - 10) / theta)) / 2 >= value
				if (!ok) break
			}
			print n - 1 }'
	}
	most p95 100
	[ "$(at points forecast criterion=p95:100ms)" = "$(most p95 100)" ]
	[ "$(at points forecast criterion=apdex:0.85)" = "$(most apdex 0.85)" ]
	[ "$(at points forecast_from criterion=p95:100ms)" = 4 ]
	[ "$(at points forecast_of criterion=p95:100ms)" = CPU ]
	# T of Apdex is the threshold: 50 ms allow fewer users
	[ "$(most apdex 0.85 50)" -lt "$(most apdex 0.85)" ]
	edit_json "a run/run.json" '.settings.threshold_ms = 50'
	warm summarize "a run"
	[ "$(at points forecast criterion=apdex:0.85)" = "$(most apdex 0.85 50)" ]
	[ "$(at points forecast criterion=p95:100ms)" = "$(most p95 100)" ]
	# viewers that are full with fewer users: 2 % and 3 % for each key a second
	change '$5 = 2 + 3 * $3'
	warm summarize "a run"
	# (98 / 3 - 10) / 4 + 1 = 6.67
	[ "$(at points forecast criterion=p95:100ms)" = 6 ]
	[ "$(at points forecast_of criterion=p95:100ms)" = viewers ]
	# no forecast from busy times that do not grow with the keys
	change '$12 = NR % 2 ? 30 : 31'
	warm summarize "a run"
	[ "$(at points forecast criterion=p95:100ms)" = "" ]
	[[ "$(at points forecast_why criterion=p95:100ms)" == *"holds 0"* ]]
}

@test "capacity: failed and missing repeats are counted and excluded; an unknown limit and a missing file are errors" {
	make_run
	edit_json "a run/cells/vnc-heavy/2/cell.json" '.state = "failed"'
	rm -r "a run/cells/vnc-heavy/3"
	run -3 warm summarize "a run" --format json -o out.json
	[ "$(jq -c '.result | [.repeats_complete, .repeats_failed]' out.json)" = '[1,2]' ]
	[ "$(at summary failed users=1)" = 2 ]
	[ "$(at points users_low criterion=p95:100ms)" = "" ]
	cp "a run/run.json" y
	edit_json "a run/run.json" '.settings.limits[0].figure = "nothing"'
	run -1 warm summarize "a run"
	[[ $output == *"settings.limits"* ]]
	mv y "a run/run.json"
	rm "a run/cells/vnc-heavy/1/machine.tsv"
	run -1 warm summarize "a run"
	[[ $output == *machine.tsv* ]]
}

@test "capacity: findings have the tables' values; three figures are drawn" {
	make_run
	drawn warm report "a run"
	cat "a run/findings.json"
	for f in report.md report.html figures/users.svg figures/delay.svg figures/resources.svg; do [ -s "a run/$f" ]; done
	[ "$(found most-vnc-heavy '[.value, .low, .high]')" = "[4,null,null]" ]
	[ "$(found full-vnc-heavy '[.value, .figure]')" = '[54.5,"delay"]' ]
	[ "$(found need-vnc-heavy '[.value, .low, .unit]')" = '[20,20,"ms"]' ]
	[ "$(found forecast-vnc-heavy .value)" = "$(at points forecast criterion=p95:100ms)" ]
	[ "$(found fair-vnc-heavy '[.value, .verdict]')" = '[1.018,"good"]' ]
	run -1 grep -nE 'null|undefined' "a run/report.md"
	run -0 "$TOP/thinprobe" export "a run" --as github --cells vnc-heavy
	jq -e 'length > 0' <<<"$output"
	# in the second search a single user was too many already
	edit_json "a run/cells/vnc-heavy/2/cell.json" '.limits[0] += {users: 0, beyond: 1}'
	report_findings "a run"
	[ "$(found most-vnc-heavy .verdict)" = '"bad"' ]
	[[ $(found most-vnc-heavy .text) == *"in one or more of the 3 searches"* ]]
	[ "$(found full-vnc-heavy .value)" = 22.5 ]
	# a limit that the search did not find by the server
	make_run
	for r in 1 2 3; do
		edit_json "a run/cells/vnc-heavy/$r/cell.json" \
			'.limits[0] += {reached: false, beyond: 0, resource: "ssh connection", ended: "session 5 was refused"}'
		sed -i 's/^\(capacity-user.1\t4\t3\t200\t.*\t\)[0-9]*\(\t999\)/\1\2/' "a run/cells/vnc-heavy/$r/samples.tsv"
		sed -i '/^capacity-[a-z]*.1\t5\t/d' "a run/cells/vnc-heavy/$r"/*.tsv
	done
	report_findings "a run"
	[[ $(found most-vnc-heavy .text) == *"lan for at least 4 users"*"Session 5 was refused."* ]]
	# nor is it known how late a user without answers was
	[ "$(at points worst_good criterion=p95:100ms)" = "" ]
	[ -z "$(found fair-vnc-heavy .text)" ]
}

# find_users CAPACITY [BROKEN [RANGED [FEWER]]]: search() with a stub of measure(). CAPACITY users fit. The first measurement with
# BROKEN users says that they do not. Numbers in RANGED have a p95 that is a range, whose early end fits. With more than FEWER users
# the second user is late.
# Prints: users, reached, beyond, users_all, untold of the criterion; p95 of the row for 30 users; the numbers of users in the order
# in which they were measured; how many lines of progress there were.
find_users() {
	mkdir -p folder
	TP_HOME=$TOP TP_BIN=$TOP/bin CAPACITY=$1 BROKEN=${2-} RANGED=${3-} FEWER=${4-$1} bash -c '
		. "$TP_HOME/lab/lib.sh"
		RESUME= ON=lab CRITERIA=p95:100ms THRESHOLD_MS=100 MOST=64 STEP_WHY= STEP_AT=0 TWICE=0 ORDER= SAID=
		. "$TP_HOME/experiments/capacity/cell.sh"
		TRIES=() FAILED=() LACKED=() SAMPLE_ROWS=() MACHINE_ROWS=() TRY_LINES=() HAD=()
		declare -A TRY_ROWS=() TRY_MACHINE=()
		exp_step() { :; }; exp_words() { :; }
		exp_measured() { SAID+=1; }
		measure() {
			local v=200 from
			[ "$1" -gt "$CAPACITY" ] || v=50
			[ -n "${HAD[$1]-}" ] || [ "$BROKEN" != "$1" ] || v=200
			HAD[$1]=1 ORDER+=" $1" from=$v
			[[ " $RANGED " != *" $1 "* ]] || from=20 v=200
			FRONT=$v$'"'\\t'"'$from$'"'\\t'"'1$'"'\\t'"'1
			SAMPLE_ROWS[$1]=$(printf "capacity-user/1\t%s\t1\t50\t9\t9\t%s\t9\t1\t0\t\t" "$1" "$v")
			[ "$1" -le "$FEWER" ] || SAMPLE_ROWS[$1]+=$(printf "\ncapacity-user/1\t%s\t2\t50\t9\t9\t200\t9\t1\t0\t\t" "$1")
			MACHINE_ROWS[$1]=$(printf "capacity-machine/1\t%s\t\t\t\t\t\t\t\t\t\t%s" "$1" "$1")
		}
		search folder 1 || exit
		jq -c ".[0] | [.users, .reached, .beyond, .users_all, .untold]" <<<"$LIMITS"
		tail -n 1 <<<"${SAMPLE_ROWS[30]-}" | cut -f 7
		echo $ORDER
		echo ${#SAID}'
}

@test "capacity: the search is judge's: its numbers are measured, and its limits kept" {
	run find_users 30 30
	echo "$output"
	[ "$status" = 0 ]
	[ "${lines[0]}" = "[30,true,31,30,false]" ]
	[ "${lines[1]}" = 50 ]	# a number's row is from the majority of its measurements
	[ "${lines[3]}" = "$(wc -w <<<"${lines[2]}")" ]	# a line of progress for each measurement
	[ "$(wc -l <folder/tries.tsv)" = "$(($(wc -w <<<"${lines[2]}") + 1))" ]
	run find_users 30 "" "" 13
	[ "${lines[0]}" = "[30,true,31,13,false]" ]
	run find_users 30 "" "29 30"
	[ "${lines[0]}" = "[28,true,29,28,true]" ]
}

@test "capacity: a user's row has both ends of a range" {
	# the row made of score's output for samples that are ranges, from 20 to 900 ms
	local set='. "$TP_HOME/lab/lib.sh"; RESUME= ON=lab THRESHOLD_MS=100; . "$TP_HOME/experiments/capacity/cell.sh"
		TP_BIN=$1; user_row 3 1 samples.tsv 0 9000000000000'
	mkdir -p bin
	cat >bin/score <<-'END'
		#!/bin/sh
		printf 'schema\tsamples\tlatency_ms.p95\tlatency_ms.range.p95.from\tlatency_ms.range.p95.to\t'
		printf 'apdex.score\tapdex.range.score.from\tapdex.range.score.to\nthinprobe.score/1\t40\t\t20\t900\t\t0.5\t1\n'
	END
	chmod +x bin/score
	run env TP_HOME="$TOP" bash -c "$set" sh "$PWD/bin"
	[ "$output" = "$(printf 'capacity-user/1\t3\t1\t40\t\t\t900\t\t0.5\t\t20\t1')" ]
}

@test "capacity: with a user who left before the end, that number was not measured" {
	# step_users() with stubs of all that it starts; user 2 is gone, or nobody
	local set='. "$TP_HOME/lab/lib.sh"; RESUME= ON=lab STEP_WHY=; . "$TP_HOME/experiments/capacity/cell.sh"
		for f in lab_cpu reading client_reading nap has_ended lab_stop sessions_live; do eval "$f() { :; }"; done
		open_pipe() { exec {go}>/dev/null; }; stopped() { false; }; last_word() { echo dropped; }
		users_start() { pids=(11 12 13); for f in 1 2 3; do echo >user-$f.tsv; done; }
		lab_gone() { [ "$1" = "$GONE" ]; }; step_users 3 . 1 && echo measured || echo "$STEP_WHY"'
	GONE=12 TP_HOME=$TOP run bash -c "$set"
	[ "$output" = "user 2 left: dropped" ]
	GONE='' TP_HOME=$TOP run bash -c "$set"
	[ "$output" = measured ]
}

@test "capacity: --criteria takes names of thresholds; equal criteria are kept once" {
	criteria() {
		run env TOP="$TOP" bash -c '. "$TOP/lab/lib.sh"; . "$TOP/experiments/engine/plan.sh"; EXPERIMENT=capacity
			EXP_DIR=$TOP/experiments/capacity; plan_read "$EXP_DIR"; plan_parse "$@"
			. "$EXP_DIR/cell.sh"; plan_check; exp_check; echo "$CRITERIA"' sh "$@"
	}
	criteria
	[ "$output" = p95:100ms,p95:150ms,apdex:0.85 ]
	criteria --threshold pointer --criteria p95:threshold,p95:typing,p95:1.5s,p95:60ms,apdex:0.9
	[ "$output" = p95:60ms,p95:150ms,p95:1500ms,apdex:0.9 ]
	criteria --criteria p95:mine
	[ "$status" = 2 ]
	[[ $output == *'--criteria p95:mine: must be a time'* ]]
}

@test "capacity: the plan is the lowest number of users of all searches; a wrong forecast is 'bad', other criteria are named" {
	local r
	make_run
	report_findings "a run"
	[ "$(at points plan criterion=p95:100ms)" = "" ]	# no users_all in its cells: no plan
	[ "$(found most-vnc-heavy .value)" = 4 ]
	for r in 1 2 3; do
		edit_json "a run/cells/vnc-heavy/$r/cell.json" \
			'.limits[0] += {users_all: (if $r == 2 then 2 else 4 end), untold: ($r == 2)}' --argjson r "$r"
	done
	report_findings "a run"
	cat "a run/findings.json"
	[ "$(at points plan criterion=p95:100ms)/$(at points untold criterion=p95:100ms)" = 2/1 ]
	[ "$(at points plan criterion=apdex:0.85)" = "" ]
	[ "$(found most-vnc-heavy '[.value, .low, .high]')" = '[2,null,null]' ]
	[[ "$(verdict "a run")" =~ plan\ for\ 2\ users.*\ 3\ users.*not\ measured ]]
	# p95 with two users: front user 41 to 43 ms, median user 41.5 to 43.5, slowest user 42 to 44
	[ "$(at summary median_p95_ms users=2)/$(at summary all_p95_ms users=2)" = 42.500/43.000 ]
	# 9 users forecast, 4 found; the text names the other criterion, too
	[ "$(found forecast-vnc-heavy .verdict)" = '"bad"' ]
	[[ "$(found forecast-vnc-heavy .text)" == *"Apdex"* ]]
	[[ $(found most-vnc-heavy .text) == *"(means over the searches)"* ]]
	# two searches without two users
	for r in 1 3; do sed -i '/^capacity-[a-z]*.1\t2\t/d' "a run/cells/vnc-heavy/$r"/*.tsv; done
	report_findings "a run"
	[[ $(found most-vnc-heavy .text) == *"(in the one search with 2 users)"* ]]
}

@test "capacity: a report of several runs gives each its own limit, cost and bottleneck" {
	local r verdict
	make_run
	cp -r "a run" new
	for r in 1 2 3; do
		edit_json "a run/cells/vnc-heavy/$r/cell.json" '.limits[0] += {reached: false, beyond: 0}'
	done
	edit_json "a run/run.json" '.settings += {most: 4, cost_ms: 20}'
	warm report "a run" new -o both --label old,new
	verdict=$(verdict both)
	echo "$verdict"
	[[ ${verdict%%vnc/new*} == *"20 ms"*"vnc/old: plan for at least 4 "* && ${verdict%%vnc/new*} != *ottleneck* ]]
	[[ $verdict == *"10 ms"*"vnc/new: plan for 4 "*"ottleneck"*"CPU, viewers"* ]]
	# with the other run disturbed, the finding names the one that is left
	edit_json "a run/run.json" '.cells[].flags = ["foreign CPU time 41.5 %"]'
	warm report "a run" new -o both --label old,new
	[[ $(finding both "$(ids both | cut -d " " -f 1)" text) == *vnc/new* ]]
}

# Two criteria that any number of users meets, and one that none meets; an Xvnc that refuses to start display :3.
@test "capacity: a small search; a session that does not start ends it, with the reason" {
	small_search
	mkdir bin
	printf '#!/bin/sh\n[ "$1" != :3 ] || { echo no luck >&2; exit 1; }\nexec %s "$@"\n' "$(command -v Xvnc)" >bin/Xvnc
	chmod +x bin/Xvnc
	LAB_SHARED_CPUS=1 PATH=$PWD/bin:$DRAWN_PATH real_run "$RUN" "$TOP/thinprobe" run capacity --quick --repeat 1 --time 4 --most 5 \
		--cost 2ms --criteria p95:1ms,p95:20000ms,apdex:0.0001 -o "$RUN" 2>err 3>&-
	cat err
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	run_complete "$RUN"
	for f in summary.tsv points.tsv report.html figures/users.svg figures/resources.svg; do [ -s "$RUN/$f" ]; done
	jq -c . "$CELL/cell.json"
	cat "$CELL/samples.tsv"
	# one and two users, all of whom typed; the front user has ten keys a second, of which the first five are left out
	awk -F'\t' 'NR > 1 { n[$2]++; if ($4 < 3 || $5 == "" || ($3 == 1 && ($4 < 30 || $4 > 36))) bad = 1 }
		END { exit !(n[1] == 1 && n[2] == 2 && n[3] == 0 && !bad) }' "$CELL/samples.tsv"
	[ "$(jq -c '[.limits[] | [.criterion, .users, .reached, .beyond]]' "$CELL/cell.json")" \
		= '[["p95:1ms",0,true,1],["p95:20000ms",2,true,3],["apdex:0.0001",2,true,3]]' ]
	[ "$(jq -r '.limits[1].ended' "$CELL/cell.json")" = \
		"session 3 did not start: the VNC server did not start: no luck; see $RUN/log/vnc-user-3.err" ]
	[ "$(jq -c '[.limits[1].resource, .limits[0].ended, .measured_twice]' "$CELL/cell.json")" = '["a failing session","",3]' ]
	[ "$(at points limit criterion=p95:20000ms)" = "a failing session" ]
	# the CPU time of a key is at least what the application burns
	awk -F'\t' 'NR > 1 { d = 10 * $12 / $3; print $2, d; if (d < 2) bad = 1 } END { exit bad }' "$CELL/machine.tsv"
	nothing_left "$RUN"
}

# bats test_tags=all
@test "capacity: SIGTERM ends it with 130; run.json says interrupted; sessions and clients are gone" {
	local driver status=0
	small_search
	LAB_SHARED_CPUS=1 "$TOP/thinprobe" run capacity --quick --repeat 1 --time 30 --most 2 -o "$RUN" >/dev/null 2>&1 3>&- &
	driver=$!
	for _ in $(seq 600); do
		[ -n "$(find "$RUN/cells" -name 'user-1.err' -size +0 2>/dev/null)" ] && break
		kill -0 "$driver" 2>/dev/null || break
		sleep 0.1
	done
	kill -TERM "$driver"
	wait "$driver" || status=$?
	[ "$status" != 4 ] || skip "no lab here"
	[ "$status" = 130 ]
	[ "$(jq -r .state "$RUN/run.json")" = interrupted ]
	nothing_left "$RUN"
}

@test "capacity: a forecast with a very wide interval is 'unsure'" {
	local r f
	make_run
	for r in 1 2 3; do
		f="a run/cells/vnc-heavy/$r/machine.tsv"
		awk -F'\t' -v OFS='\t' -v r="$r" 'NR > 1 { $12 = 2 + 2 * $3 + (NR % 2 ? 1 : -1) * (r - 2) * 12; if ($12 < 1) $12 = 1 }
			 { print }' \
			"$f" >x
		mv x "$f"
	done
	report_findings "a run"
	# by the CPU alone 4 to 67; another resource is full at 33 at the latest
	[ "$(at points forecast_low criterion=p95:100ms)/$(at points forecast_high criterion=p95:100ms)" = 4/33 ]
	[ "$(found forecast-vnc-heavy .verdict)" = '"unsure"' ]
}

@test "capacity: a forecast is 'good' if it equals the plan, 'unsure' if the searches disagree or one found no limit" {
	local forecast users reached all want r
	make_run
	warm summarize "a run"
	forecast=$(at points forecast criterion=p95:100ms)
	[ "$forecast" -gt 4 ]
	while read -r users reached all want; do
		for r in 1 2 3; do
			edit_json "a run/cells/vnc-heavy/$r/cell.json" '
				.limits |= (.[:1] | .[0] += {users: $users[$r - 1], users_all: $all, reached: ($reached or $r < 3)}
				| .[0].beyond = (if .[0].reached then .[0].users + 1 else 0 end))' \
				--argjson r "$r" --argjson users "[$users]" --argjson reached "$reached" --argjson all "$all"
		done
		report_findings "a run"
		found forecast-vnc-heavy '[.verdict, .text]'
		[ "$(found forecast-vnc-heavy .verdict)" = "\"$want\"" ]
		if [ "$want" = unsure ]; then [[ "$(found forecast-vnc-heavy .text)" == *" 0 of 1"* ]]; fi
	done <<-END
		$forecast,$forecast,$forecast true $forecast good
		4,4,15 false 4 unsure
		4,4,30 true 4 unsure
		$forecast,$forecast,$forecast true 4 unsure
	END
}
