#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables and report of a made-up run whose figures follow from arithmetic; cells; and a short run, where the kernel's own figures
# prove that a session was paged out.
# bats file_tags=alone:swap

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/e2e/left
load ../../tests/warm

setup() {
	begin_test
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	undrawn
}

# cell NAME REPEAT MEMORY OUT STATE: four runs in memory, MEMORY + 0, 1, 2, 3 ms, and four in STATE, OUT + 0, 10, 20, 90 ms.
# Editor and terminal: 100 and 300 KB of anonymous memory, 95 and 98 % of it in swap where they are paged out.
cell() {
	mkdir -p "run/cells/$1/$2"
	echo '{"schema": "thinprobe.cell/1", "repeat": '"$2"', "state": "complete", "reason": "", "marked": ""}' \
		>"run/cells/$1/$2/cell.json"
	once "$3-$4-$5" paged made "$3" "$4" "$5"
	cp paged/pagein.json "run/cells/$1/$2/"
}
made() {	# MEMORY OUT STATE
	mkdir paged
	jq -n --argjson memory "$1" --argjson out "$2" --arg state "$3" '
		def process($pid; $kb; $percent; $major): {pid: $pid, name: "p\($pid)", swap_bytes: ($kb * 1024 * $percent / 100 | floor),
			anonymous_private_bytes: ($kb * 1024), evicted_percent: $percent, file_resident_bytes: ($pid * 1048576),
			file_mapped_by_others_bytes: 524288, major_faults: $major, minor_faults: 5};
		{settings: {timeout_s: 5}, result: {runs: [(0, 1, 2, 3) as $i
			| {state: "in_memory", first_key_ms: ($memory + $i), second_key_ms: 4, swap_in_bytes: 0,
				processes: [process(1; 100; 0; 0), process(2; 300; 0; 0)]},
			{state: $state, typed_ms: (if $state == "kept" then {n: 9, p50: (3 + $i), max: (10 * ($i + 1))} else {n: 0, max: null} end),
				why: (if $state == "not_evicted" then "too much of it was still in memory" else null end), second_key_ms: 6,
				swap_in_bytes: (4096 * $i), refaulted_read_percent: (80 + $i),
				first_key_ms: (if $state == "not_evicted" then null else $out + [0, 10, 20, 90][$i] end),
				processes: (if $state == "paged_out" then [process(1; 100; 95; 10 + $i), process(2; 300; 98; 20)]
					else [process(1; 100; 40; 0), process(2; 300; 50; 1)] end)}]}}' >paged/pagein.json
}

make_run() {	# make_run CELL...: its name says what it is
	mkdir -p run
	printf '%s\n' "$@" | jq -Rn '[inputs | . as $name | split("-") | {name: $name, state: "complete", complete: 2, flags: [],
		parameters: {protocol: .[0], swap: (if .[1] == "slow" then "slow:2ms" else .[1] end), session: .[-2], method: .[-1]}}] as $cells
		| {schema: "thinprobe.run/1", experiment: "paging", version: "0", started: "2026-11-20T10:00:00Z", ended: "2026-11-20T11:00:00Z",
		state: "complete", command: "thinprobe run paging", axes: ["protocol", "swap", "session", "method"], cells: $cells,
		settings: {protocol: "vnc", protocols: ["vnc"], swaps: ["file", "slow:2ms"], methods: ["hog", "cgroup"],
			sessions: ["plain", "unswapped"], runs: 4, repeats: 2, seed: 1, server_memory: "256M", threshold_ms: 100, on: "lab"},
		protocols: {vnc: {says: "VNC"}}, lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false,
			missing: ["method damon: this kernel | has none"]}, host: {kernel: "Linux 6.1"},
		counts: {total: 8, complete: 8, missing: 0, marked: 0}}' >run/run.json
}

column() { field run/summary.tsv "$2" cell="$1"; }	# column CELL NAME
change() { jq "$2" "run/cells/$1/1/pagein.json" >p && mv p "run/cells/$1/1/pagein.json"; }	# change CELL FILTER

@test "paging: cells: quiet methods on every device; busy hogs and protected sessions on the slow one; named methods on all" {
	cells() {	# cells VARIABLE=VALUE...: as exp_cells prints them
		bash -c 'plan_given() { [[ " $GIVEN " == *" $1 "* ]]; }; QUICK=0 GIVEN="" PROTOCOLS=vnc,x11 SWAPS=file,zram,slow:2.5ms
			METHODS=hog,busy,typing,cgroup,madvise,damon SESSIONS=plain,private,unswapped,beside,low,throttled
			. "$1"; shift; for word; do declare "$word"; done; exp_cells | tr "\t" .' bash "$TOP/experiments/paging/cell.sh" "$@"
	}
	cells >all
	[ "$(grep -c '^vnc\.file\.plain\.' all)" = 4 ]	# all methods but busy and typing
	[ "$(grep '^vnc\.slow' all | sed 's/^vnc.slow:2.5ms.//' | paste -sd ' ')" = "plain.hog plain.busy plain.typing plain.cgroup \
private.hog unswapped.busy beside.busy low.busy throttled.busy throttled.typing" ]
	[ "$(grep -c '^x11\.' all)" -lt "$(grep -c '^vnc\.' all)" ]
	[ "$(cells QUICK=1 PROTOCOLS=vnc | wc -l)" = 7 ]
	[ "$(cells GIVEN=methods METHODS=madvise PROTOCOLS=vnc SESSIONS=plain | wc -l)" = 3 ]
}

@test "paging: after kill -9 in a cell, the run folder has links and pipes in its log alone" {
	mkdir -p run/log run/cells/vnc-file-plain-cgroup/1/log
	bash -c 'declare -A P=([method]=cgroup [session]=plain); . "$1"
		RUN=$PWD/run RUNS=1 TP_BIN="" PROTOCOL_TARGET="" PROBER_OUT="" LAB_LOG=$PWD/run/cells/vnc-file-plain-cgroup/1/log
		outside_start() { kill -KILL $$; }
		page_out "${LAB_LOG%/log}" 1' bash "$TOP/experiments/paging/cell.sh" || [ $? = 137 ]
	[ -L run/log/pagein.out ]	# it had begun
	[ -z "$(find run ! -type f ! -type d ! -path 'run/log/*')" ]
}

@test "paging: summary.tsv: statistics over the runs of all repeats, faults, swapped share; runs not evicted are separate" {
	make_run vnc-file-plain-hog vnc-slow-2ms-plain-hog
	cell vnc-file-plain-hog 1 1 100 paged_out
	cell vnc-file-plain-hog 2 2 300 paged_out
	cell vnc-slow-2ms-plain-hog 1 1 100 not_evicted
	mkdir -p run/cells/vnc-slow-2ms-plain-hog/2	# and one that was interrupted
	run -3 warm summarize run
	# in memory 1 2 3 4 2 3 4 5; paged out 100 110 120 190 300 310 320 390
	while read -r name value; do
		echo "$name $value"
		[ "$(column vnc-file-plain-hog "$name")" = "$value" ]
	done <<-END
		in_memory_n 8
		in_memory_mean_ms 3.0000
		paged_out_min_ms 100.000
		paged_out_mean_ms 230.0000
		paged_out_p50_ms 245.000
		paged_out_max_ms 390.000
		second_paged_out_p50_ms 6.000
		evicted_percent_min 95.0
		major_faults_min 10
		major_faults 31.5
		file_resident_bytes 3145728
		anonymous_bytes 409600
		swap_in_bytes 6144
		not_evicted 0
		read_percent 81.5
	END
	# of eight values, the second and the seventh hold the median in 93 %, the first and the last in 99 % (binomial)
	awk -v low="$(column vnc-file-plain-hog paged_out_p50_ms_low)" -v high="$(column vnc-file-plain-hog paged_out_p50_ms_high)" '
		BEGIN { print low, high; exit !(low >= 100 && low <= 110 && high >= 320 && high <= 390) }'
	[ "$(column vnc-slow-2ms-plain-hog not_evicted)" = 4 ]
	[ -z "$(column vnc-slow-2ms-plain-hog paged_out_p50_ms)$(column vnc-slow-2ms-plain-hog kept_p50_ms)" ]
	[ "$(column vnc-slow-2ms-plain-hog not_evicted_percent_min)" = 40.0 ]
	[ "$(column vnc-slow-2ms-plain-hog why)" = "too much of it was still in memory" ]
	[ "$(column vnc-slow-2ms-plain-hog failed)" = 1 ]
	[ "$(awk 'NR > 1' run/runs.tsv | wc -l)" = 24 ]
}

@test "paging: a key without an echo counts as a lower bound; an unknown state is refused" {
	make_run vnc-file-plain-hog
	cell vnc-file-plain-hog 1 1 100 paged_out
	cell vnc-file-plain-hog 2 1 100 paged_out
	change vnc-file-plain-hog '.result.runs[7].first_key_ms = null'
	warm summarize run >/dev/null
	[ "$(column vnc-file-plain-hog paged_out_above)" = 1 ]
	[ "$(column vnc-file-plain-hog paged_out_max_ms)/$(column vnc-file-plain-hog paged_out_max_ms_above)" = 5000.000/1 ]
	[ "$(column vnc-file-plain-hog paged_out_p50_ms)" = 115.000 ]
	for r in 1 3 5; do change vnc-file-plain-hog ".result.runs[$r].first_key_ms = null"; done
	drawn warm report run
	[ "$(column vnc-file-plain-hog paged_out_p50_ms_above)" = 1 ]	# half of eight
	[[ $(verdict run) == *"takes more than "* ]]
	grep -q 'later than that' run/figures/first-key.svg
	change vnc-file-plain-hog '.result.runs[7].state = "asleep"'
	run -1 --separate-stderr warm summarize run
	[[ $stderr == *"unknown state"* ]]
}

@test "paging: report: findings with their numbers, missing methods; protected sessions are drawn though not evicted" {
	make_run vnc-file-plain-hog vnc-slow-2ms-plain-hog vnc-slow-2ms-plain-cgroup vnc-slow-2ms-unswapped-hog
	for r in 1 2; do
		cell vnc-file-plain-hog $r 1 20 paged_out
		cell vnc-slow-2ms-plain-hog $r 1 400 paged_out
		cell vnc-slow-2ms-plain-cgroup $r 1 700 not_evicted
		cell vnc-slow-2ms-unswapped-hog $r 1 2 kept
	done
	drawn warm report run
	grep -q '>vnc, 2 ms a read, unswapped, hog<' run/figures/first-key.svg
	run -1 grep -q 'later than that' run/figures/first-key.svg
	[ ! -e run/figures/timeline.svg ]
	[ "$(found paged-out '[.value, .unit, .verdict]')" = '[415,"ms","bad"]' ]
	[ "$(found protected '[.value, .verdict]')" = '[17,"good"]' ]
	[ "$(found second-key '[.value, .verdict]')" = '[6,"good"]' ]
	[ "$(found evicted '[.value, .unit, .verdict]')" = '[95,"%","unsure"]' ]
	grep -q 'method damon: this kernel' run/report.md
	warm report --table run | grep -Eq 'hog +2.50 +415 +490'
	# made again from changed samples
	change vnc-slow-2ms-plain-hog '.result.runs[1].first_key_ms = 900'
	warm report run
	[ "$(column vnc-slow-2ms-plain-hog paged_out_max_ms)" = 900.000 ]
}

@test "paging: report of two runs: each system's first key beside the other's; the verdict names the slowest one's run" {
	local name
	for name in a b; do
		make_run vnc-file-plain-hog
		cell vnc-file-plain-hog 1 1 "$([ $name = a ] && echo 20 || echo 400)" paged_out
		cell vnc-file-plain-hog 2 1 "$([ $name = a ] && echo 20 || echo 400)" paged_out
		mv run $name
	done
	drawn warm report a b -o both --label a,b
	[[ $(verdict both) == *" takes 415 ms "*"(vnc/b, swap file; median)"* ]]
	for name in a b; do grep -qF ">vnc/$name, swap file, hog<" both/figures/first-key.svg; done
	[[ $(finding both paged-out text) == *"over vnc/a (swap file, hog"*"over vnc/b"* ]]
}

@test "paging: findings: 'harder' only if the intervals differ; 'protected' only if no run was paged out" {
	local r
	make_run vnc-file-plain-hog vnc-file-plain-busy vnc-file-unswapped-hog
	for r in 1 2; do
		cell vnc-file-plain-hog $r 1 100 paged_out
		cell vnc-file-plain-busy $r 1 105 paged_out
		cell vnc-file-unswapped-hog $r 1 2 kept
	done
	report_findings run
	[ "$(found harder .verdict)/$(found protected .verdict)" = '"unsure"/"good"' ]
	for r in 1 2; do cell vnc-file-plain-busy $r 1 900 paged_out; done
	cell vnc-file-unswapped-hog 2 1 2 paged_out
	report_findings run
	cat run/findings.json
	[ "$(found harder .verdict)/$(found protected .verdict)" = '"bad"/"unsure"' ]
}

@test "paging: findings: a first key that takes as long as in memory is not shown to take longer" {
	make_run vnc-file-plain-hog
	for r in 1 2; do
		cell vnc-file-plain-hog $r 1 60 paged_out
		change vnc-file-plain-hog '.result.runs[].first_key_ms = 75'
	done
	report_findings run
	[ "$(found paged-out .verdict)" = '"unsure"' ]
	change vnc-file-plain-hog '(.result.runs[] | select(.state == "in_memory")).first_key_ms = 25'
	report_findings run
	[ "$(found paged-out .verdict)" = '"none"' ]
}

@test "paging: keys typed while memory is taken: the median of the runs' medians, the largest of all; none without such keys" {
	local cell
	make_run vnc-slow-2ms-plain-busy vnc-slow-2ms-throttled-busy vnc-slow-2ms-throttled-typing vnc-slow-2ms-plain-typing
	cell vnc-slow-2ms-plain-busy 1 1 1200 paged_out
	cell vnc-slow-2ms-throttled-busy 1 1 600 paged_out
	cell vnc-slow-2ms-throttled-typing 1 1 2 kept
	cell vnc-slow-2ms-plain-typing 1 1 2 not_evicted
	for r in 1 3 5 7; do
		change vnc-slow-2ms-plain-typing ".result.runs[$r].typed_ms = {n: 9, p50: 400, max: null, above: {max: 5000}}"
	done
	warm report run
	[ "$(column vnc-slow-2ms-throttled-typing typed_p50_ms)/$(column vnc-slow-2ms-throttled-typing typed_max_ms)" = \
		4.500/40.000 ]
	[ "$(column vnc-slow-2ms-plain-typing typed_p50_ms)/$(column vnc-slow-2ms-plain-typing typed_max_ms)" = 400.000/5000.000 ]
	[ "$(column vnc-slow-2ms-plain-typing typed_above)/$(column vnc-slow-2ms-plain-typing not_evicted)" = 4/4 ]
	[ -z "$(column vnc-slow-2ms-plain-busy typed_max_ms)" ]
	[ "$(found throttled '[.value, .unit, .verdict]')" = '[40,"ms","good"]' ]
	[[ $(found throttled .text) == *"40.0 ms (median 4.5 ms)"*"more than 5000 ms (median 400 ms)"*"615 ms"*"1215 ms"* ]]
	[ "$(awk '/^### /{ on = /While somebody types/ } on && /^[|]/' run/report.md | wc -l)" = 4 ]
	rm -r run/cells/vnc-slow-2ms-{plain,throttled}-busy
	warm report run
	[[ $(head -n 3 run/report.md) == "# First key into a session under memory pressure: vnc"*"; no session was paged out; "* ]]
}

pages() { jq "$2" "run/cells/vnc-file-$1/1/pagein.json"; }	# pages SESSION-METHOD FILTER

# bats test_tags=all
@test "paging: a busy loop beside it is told from the work of swapping, and its conditions are flagged" {
	local loops=()
	for tool in Xvnc xset xterm xdotool; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	for ((i = 0; i < $(nproc); i++)); do
		sh -c 'while :; do :; done' 3>&- &
		loops+=($!)
	done
	run "$TOP/thinprobe" run paging --protocol vnc --swap file --sessions plain --methods cgroup --runs 1 --repeat 1 \
		--server-memory 256M -o run 3>&-
	kill "${loops[@]}"
	[ "$status" != 4 ] || skip "${lines[-1]}"
	run_complete run
	[ "$(ps -o comm= -p 2)" = kthreadd ] || skip "kernel threads cannot be seen here"
	jq -se 'all(.[]; .foreign_percent > 3 and (.marked | test("foreign CPU time")))' run/cells/*/*/cell.json
}

# bats test_tags=all
@test "paging: a short run: paged-out pages were in swap and were read back; an unswapped session stays; nothing is left" {
	for tool in Xvnc xset xterm xdotool; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	export BATS_FILE_TMPDIR=$BATS_TEST_TMPDIR
	groups >groups.before
	drawn real_run run "$TOP/thinprobe" run paging --protocol vnc --swap file --sessions plain,unswapped --methods cgroup,busy \
		--runs 1 --repeat 1 --server-memory 256M -o run >out 2>err 3>&-
	groups >groups.after
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	cat err out
	run_complete run
	[ "$(jq -c '[.state, (.cells | length)]' run/run.json)" = '["complete",3]' ]
	for f in summary.tsv runs.tsv timeline.tsv report.html figures/first-key.svg figures/timeline.svg; do [ -s "run/$f" ]; done
	for cell in plain-cgroup plain-busy; do
		pages "$cell" '.result.runs[1]'
		[ "$(pages "$cell" '.result.runs[0].state')" = '"in_memory"' ]
		if [ "$(pages "$cell" '.result.runs[1].state')" != '"paged_out"' ]; then	# so no figure may include it
			[ "$(pages "$cell" '.result.runs[1] | .first_key_ms == null and (.why | length > 0)')" = true ]
			[ -z "$(column "vnc-file-$cell" paged_out_p50_ms)" ]
			continue
		fi
		[ "$(pages "$cell" '.result.runs[1]
			| all(.processes[]; .swap_bytes >= 0.9 * .anonymous_private_bytes and .anonymous_private_bytes > 0)
				and ([.processes[].major_faults] | add) > 0 and .swap_in_bytes > 0 and .first_key_ms > 0')" = true ]
		[ "$(pages "$cell" '[.result.runs[1].processes[].name] | sort | join(" ") | test("vi.* xterm")')" = true ]
	done
	[ "$(pages unswapped-busy '.result.runs[1] | .state == "kept"
		and all(.processes[]; .swap_bytes == 0)')" = true ]
	if groups_left; then return 1; fi
	[ -z "$(find run -type p -o -name '*.new' -o -name copies)" ]
}

@test "paging: findings: a kept session with a late first key is not protected; a second key over the threshold is bad" {
	local r
	make_run vnc-file-plain-hog vnc-file-unswapped-hog
	for r in 1 2; do
		cell vnc-file-plain-hog $r 1 1000 paged_out
		cell vnc-file-unswapped-hog $r 1 3000 kept
	done
	report_findings run
	[ "$(found protected .verdict)/$(found second-key .verdict)" = '"bad"/"good"' ]
	for r in 1 2; do	# 200 ms in memory, so that 390 ms are less than twice as long
		jq '.result.runs[] |= (.first_key_ms = 200 | if .state == "paged_out" then .second_key_ms = 390 else . end)' \
			run/cells/vnc-file-plain-hog/$r/pagein.json >p
		mv p run/cells/vnc-file-plain-hog/$r/pagein.json
		cell vnc-file-unswapped-hog $r 1 1 kept
	done
	report_findings run
	[ "$(found protected .verdict)/$(found second-key .verdict)" = '"good"/"bad"' ]
	# five of eight second keys are late: the median may be one of the others
	for r in 1 2; do
		jq --argjson late "$((4 - r))" '.result.runs |= ([.[] | select(.state == "paged_out")] | to_entries
			| map(.value + {second_key_ms: (if .key < $late then 390 else 30 end)})) + map(select(.state == "in_memory"))' \
			run/cells/vnc-file-plain-hog/$r/pagein.json >p
		mv p run/cells/vnc-file-plain-hog/$r/pagein.json
	done
	report_findings run
	[ "$(found second-key .verdict)" = '"unsure"' ]
}

@test "paging: findings: protection is unsure if not every run kept the session, or with a single run" {
	local r
	make_run vnc-file-plain-hog vnc-file-unswapped-hog
	for r in 1 2; do
		cell vnc-file-plain-hog $r 1 1000 paged_out
		cell vnc-file-unswapped-hog $r 1 2 kept
	done
	# kept in two of eight runs, the others excluded
	for r in 1 2; do
		jq '.result.runs |= (to_entries | map(if .key > 2 and .value.state == "kept" then .value += {state: "not_evicted", why: "x",
			first_key_ms: null} else . end | .value))' run/cells/vnc-file-unswapped-hog/$r/pagein.json >p
		mv p run/cells/vnc-file-unswapped-hog/$r/pagein.json
	done
	report_findings run
	[ "$(found protected .verdict)" = '"unsure"' ]
	[[ $(found protected .text) == *"2 of 8 runs"* ]]
	[[ $(verdict run) == *"(2 of 8)"* ]]
	# kept in every run, but only one run
	rm -r run/cells/vnc-file-unswapped-hog/2
	jq '.result.runs |= .[:2]' run/cells/vnc-file-unswapped-hog/1/pagein.json >p
	mv p run/cells/vnc-file-unswapped-hog/1/pagein.json
	report_findings run
	[ "$(found protected .verdict)" = '"unsure"' ]
}
