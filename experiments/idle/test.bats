#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# idle: tables and report of a made-up run against closed formulas.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/figures
load ../../tests/warm

setup() {
	begin_test
	export HOME=$BATS_TEST_TMPDIR THINPROBE_STATE=$BATS_TEST_TMPDIR/state
	undrawn
}

# One CPU for a minute, so that a sum of ms is a figure per minute. In repeat r:
#   always     ten interrupts of 1 ms; a kernel thread once for r ms (at 5 s); 2 ms without a known culprit (at 8 s)
#   N sessions 20 N events of Xvnc of (40 + r) / 20 ms each; in the first Xvnc shares its event with 12 ms of cc1, which is
#              not the lab's
#   x11        one event of 25 ms, all of a thread of xterm
#   desktop    as x11, and a burst of cc1 of 3 s that the scheduler split into 2 s and 1 s: one row of culprits.tsv
#   ticks      100 of 6 us
LOST='
function event(start_ms, ms) {
	printf "lost/1\t0\t%.0f\t%.0f\t%.0f\t1\tevent\tx\n", base + start_ms * 1e6, ms * 1e6, ms * 1e6 >lost
}
function share(start_ms, end_ms, name, kind, pid, ms) {
	printf "culprit/1\t0\t%.0f\t%.0f\t%s\t%s\t%s\t%.0f\n", base + start_ms * 1e6, base + end_ms * 1e6, name, kind, pid, ms * 1e6 >who
}
function all(start_ms, ms, name, kind, pid) { event(start_ms, ms); share(start_ms, start_ms + ms, name, kind, pid, ms) }
BEGIN {
	base = 5e12
	print "schema\tcpu\tstart_ns\tlost_ns\tspan_ns\tparts\tkind\twho" >lost
	print "schema\tcpu\tstart_ns\tend_ns\tculprit\tkind\tpid\tns" >who
	for (i = 0; i < 100; i++) printf "lost/1\t0\t%.0f\t6000\t6000\t1\ttick\t\n", base + i * 4e6 >lost
	for (i = 0; i < 10; i++) all(1000 + i * 10, 1, "virtio0", "irq", "")
	all(5000, r, "rcu_preempt", "task", 7)
	all(8000, 2, "unexplained", "unexplained", "")
	each = (40 + r) / 20
	if (of == "vnc") for (i = 0; i < 20 * n; i++) {
		if (i) { all(10000 + i * 100, each, "Xvnc", "task", 100); continue }
		event(10000, each + 12)
		share(10000, 10000 + each + 12, "Xvnc", "task", 100, each)
		share(10000, 10000 + each + 12, "cc1", "task", 900, 12)
	}
	if (of == "x11" || of == "desktop") all(2000, 25, "gmain", "task", 101)
	if (of == "desktop") { event(30000, 2000); event(33000, 1000); share(30000, 34000, "cc1", "task", 900, 3000) }
}'

make_idle() { once "${1:-3}" run made_idle "${1:-3}"; }	# make_idle [REPEATS]
made_idle() {
	local repeats=$1 r system sessions folder accounted
	mkdir -p run
	jq -n --argjson repeats "$repeats" '
		[["none", 0], ["vnc", 1], ["vnc", 5], ["x11", 1], ["desktop", 1]] as $systems
		| {schema: "thinprobe.run/1", experiment: "idle", version: "0", started: "2026-11-20T10:00:00Z", state: "complete",
		axes: ["system", "sessions"], cells: ($systems | map({name: "\(.[0])-\(.[1])", parameters: {system: .[0], sessions: .[1]}})),
		settings: {protocol: "vnc", protocols: ["vnc", "x11"], loads: [1, 5], $repeats, seconds: 60, wakeup_seconds: 20, seed: 1},
		protocols: {vnc: {says: "VNC (Xvnc 1.12, 60 frames/s)"}}, host: {kernel: "Linux 6.1"},
		lab: {shared_cpus: false, rootless: false, missing: []}}' >run/run.json
	while read -r system sessions; do
		for ((r = 1; r <= repeats; r++)); do
			folder=run/cells/$system-$sessions/$r
			mkdir -p "$folder"
			case $system in x11 | desktop) accounted=25 ;; *) accounted=$((sessions * (40 + r))) ;; esac
			echo '{"schema": "thinprobe.cell/1", "state": "complete", "marked": "", "foreign_percent": 0.5, "steal_percent": 0.1,
				"accounted_ms_per_min": '"$accounted"'}' >"$folder/cell.json"
			echo '{"result": {"cpus": [{"cpu": 0, "wall_s": 60}], "who": []}}' >"$folder/idleprofile.json"
			# of 1000 wake-ups 3 - r waited over 1 ms, none over the longer limits
			echo '{"result": {"wakeups": {"n": 1000}, "compulsory": [{"wait_ms": 0.5, "measured": 0.9},
				{"wait_ms": 1, "measured": '"0.00$((3 - r))"'}, {"wait_ms": 5, "measured": 0}, {"wait_ms": 10, "measured": 0}]}}' \
				>"$folder/wakeups.json"
			printf '%s\n' 'schema pid class name process' 'process/1 100 own Xvnc Xvnc' \
				'process/1 101 own gmain xterm' \
				'process/1 7 kernel rcu_preempt rcu_preempt' 'process/1 900 foreign cc1 cc1' |
					tr ' ' '\t' >"$folder/processes.tsv"
			awk -v of="$system" -v n="$sessions" -v r="$r" -v lost="$folder/lost.tsv" -v who="$folder/culprits.tsv" \
				"$LOST"
		done
	done <<<$'none 0\nvnc 1\nvnc 5\nx11 1\ndesktop 1'
}

of() { field "run/$1.tsv" "${@:2}"; }	# of FILE COLUMN NAME=VALUE...: one cell
cell() { of summary "$3" "system=$1" "sessions=$2"; }	# cell SYSTEM SESSIONS COLUMN

NEAR=0.00011

# Half of the 95 % interval of three repeats that are 1 apart: t(2) / sqrt(3) times their standard deviation, which is 1.
HALF=2.484138

@test "idle: summary.tsv: lost time of the lab and the kernel, and above no session; foreign time is separate" {
	make_idle
	warm summarize --format json -o out run
	jq -e '.result | [.cells, .cells_complete, .cells_failed, .cells_marked, .summary_rows] == [5, 15, 0, 0, 5]' out
	# 10 ms of interrupts and 1, 2, 3 ms of a kernel thread
	near "$(cell none 0 lost_ms_per_min)" 12
	near "$(cell none 0 lost_ms_per_min_low)" "12 - $HALF"
	near "$(cell none 0 kernel_ms_per_min_high)" "12 + $HALF"
	near "$(cell none 0 own_ms_per_min)" 0
	[ -z "$(cell none 0 above_ms_per_min)" ]
	# 41, 42, 43 ms for each session
	near "$(cell vnc 5 own_ms_per_min)" 210
	near "$(cell vnc 5 own_ms_per_min_low)" "210 - 5 * $HALF"
	near "$(cell vnc 5 lost_ms_per_min)" 222
	# and the kernel thread's 1, 2, 3 ms
	near "$(cell vnc 5 lost_ms_per_min_low)" "222 - 6 * $HALF"
	near "$(cell vnc 5 above_ms_per_min)" 210
	near "$(cell vnc 5 accounted_ms_per_min)" 210
	near "$(cell vnc 1 above_ms_per_min)" 42
	near "$(cell vnc 1 above_ms_per_min_high)" "42 + $HALF"
	# 25 ms in every repeat, so an interval of width 0
	near "$(cell x11 1 above_ms_per_min_low)" 25
	near "$(cell x11 1 above_ms_per_min_high)" 25
	for system in "none 0" "vnc 5" "x11 1" "desktop 1"; do
		near "$(cell $system unexplained_ms_per_min)" 2
		near "$(cell $system tick_ms_per_min)" 0.6
		near "$(cell $system itself_ms_per_min)" 0
		near "$(cell $system ended_ms_per_min)" 0
	done
	near "$(cell vnc 1 foreign_ms_per_min)" 12
	near "$(cell desktop 1 foreign_ms_per_min)" 3000
	near "$(cell desktop 1 lost_ms_per_min)" 37
	near "$(cell desktop 1 all_ms_per_min)" 3039
	# an event shared with foreign time counts with Xvnc's part; the foreign burst is no event
	near "$(cell vnc 1 longest_ms)" 3
	near "$(cell desktop 1 longest_ms)" 25
	near "$(cell vnc 5 events_per_min)" 111
	near "$(cell desktop 1 events_per_min)" 12
}

@test "idle: slope.tsv: CPU time of one more session, as the mean of the repeats' slopes with its interval" {
	make_idle
	warm summarize run >/dev/null
	[ "$(awk -F'\t' 'NR > 1 { print $2 ":" $3 ":" $4 ":" $5 }' run/slope.tsv | paste -sd ' ')" = \
		"vnc:system:3:5 vnc:own:3:5 vnc:kernel:3:5" ]
	for what in system own; do
		near "$(of slope slope_ms_per_min what=$what)" 42
		near "$(of slope slope_ms_per_min_low what=$what)" "42 - $HALF"
		near "$(of slope slope_ms_per_min_high what=$what)" "42 + $HALF"
		near "$(of slope slope_cpu_percent what=$what)" 0.07
	done
	near "$(of slope slope_ms_per_min_high what=kernel)" 0
}

@test "idle: summary.tsv: the run-to-completion bound follows its formula; measured waits have an exact binomial interval" {
	make_idle
	warm summarize run >/dev/null
	# the kernel thread's r ms exceed 1 ms by r - 1: 0, 1, 2 of 60000 ms
	near "$(cell none 0 bound_1ms_percent)" "100 / 60000"
	near "$(cell none 0 bound_5ms_percent)" 0
	# with all lost time, also the 2 ms without a culprit
	near "$(cell none 0 bound_all_1ms_percent)" "200 / 60000"
	near "$(cell x11 1 bound_10ms_percent)" "1500 / 60000"
	near "$(cell x11 1 bound_50ms_percent)" 0
	# the burst counts only in the bound that includes foreign time
	near "$(cell desktop 1 bound_100ms_percent)" 0
	near "$(cell desktop 1 bound_all_100ms_percent)" "100 * (1900 + 900) / 60000"
	# the bound at the run's threshold; 100 ms if run.json has none
	near "$(cell x11 1 bound_late_percent)" 0
	near "$(cell desktop 1 bound_all_late_percent)" "100 * (1900 + 900) / 60000"
	jq '.settings.threshold_ms = 10' run/run.json >new
	mv new run/run.json
	warm summarize run >/dev/null
	near "$(cell x11 1 bound_late_percent)" "1500 / 60000"
	# 3 of 3000, and 0 of 3000: Clopper-Pearson intervals, computed separately
	[ "$(cell vnc 1 wakeups)" = 3000 ]
	near "$(cell vnc 1 measured_1ms_percent)" 0.1
	near "$(cell vnc 1 measured_1ms_percent_low)" 0.0206
	near "$(cell vnc 1 measured_1ms_percent_high)" 0.2920
	near "$(cell vnc 1 measured_10ms_percent_high)" 0.0998
	[ -z "$(cell vnc 1 measured_50ms_percent)" ]
	# all in one repeat of three: Student's t of 0, 0 and 3 % leaves 1 % between 0 and more than 3
	edit_json run/cells/vnc-1/1/wakeups.json '.result.compulsory[1].measured = 0.03'
	edit_json run/cells/vnc-1/2/wakeups.json '.result.compulsory[1].measured = 0'
	warm summarize run >/dev/null
	near "$(cell vnc 1 measured_1ms_percent)" 1
	[ "$(cell vnc 1 measured_1ms_percent_high | awk '{ print ($1 > 3) }')" = 1 ]
}

@test "idle: curve.tsv and utilisation.tsv: lost time by event length, and in each part of the minute; ticks.tsv" {
	make_idle
	warm summarize run >/dev/null
	curve() {	# curve SYSTEM SESSIONS X
		awk -F'\t' -v s="$1" -v n="$2" -v x="$3" '$2 == s && $3 == n && $4 <= x { y = $5 } END { print y }' run/curve.tsv
	}
	near "$(curve none 0 0.95)" 0
	near "$(curve none 0 1.2)" "10 + 1 / 3"
	near "$(curve none 0 2.3)" 11
	near "$(curve none 0 100000)" 12
	# Xvnc's events are 2.05, 2.1 and 2.15 ms long
	near "$(curve vnc 5 2.0)" "10 + 1 / 3"
	near "$(curve vnc 5 2.3)" 221
	near "$(curve desktop 1 20)" 12
	near "$(curve desktop 1 100000)" 37
	busy() { of utilisation "$4" "system=$1" "sessions=$2" "time_ms=$3"; }
	near "$(busy none 0 1000 lost_percent)" 10
	near "$(busy none 0 990 lost_percent)" 0
	# 25 ms from 2000 on
	near "$(busy x11 1 2010 lost_percent)" 100
	near "$(busy x11 1 2020 lost_percent)" 50
	near "$(busy none 0 8000 lost_percent)" 0
	near "$(busy none 0 8000 all_percent)" 20
	[ "$(awk -F'\t' '$2 == "none"' run/utilisation.tsv | wc -l)" = 1000 ]
	# ticks of 6 us each 4 ms, of which three are in the first 10 ms
	near "$(busy none 0 0 tick_percent)" 0.18
	near "$(busy none 0 390 tick_percent)" 0.12
	near "$(busy none 0 400 tick_percent)" 0
	[ "$(awk -F'\t' '$2 == "none" && $7 > 0 { print $4, $7 }' run/ticks.tsv | sed -n '2p;$p' | paste -sd ' ')" = "4 0.6000 96 0.6000" ]
}

@test "idle: who.tsv lists culprits by class and name, the largest first" {
	make_idle
	warm summarize run >/dev/null
	[ "$(awk -F'\t' '$2 == "desktop" { print $4, $5, $6 "," $7, $9 }' run/who.tsv |
		head -n 3)" = "foreign task cc1,3000.0000 1.0
own task gmain (xterm),25.0000 1.0
kernel irq virtio0,10.0000 10.0" ]
	[ "$(awk -F'\t' '$2 == "vnc" && $3 == 5 { print $4, $6, $7 }' run/who.tsv | head -n 1)" = "own Xvnc 210.0000" ]
}

@test "idle: one repeat gives no intervals; failed cells are counted, and marked in the table" {
	make_idle 1
	warm summarize run >/dev/null
	near "$(cell vnc 1 lost_ms_per_min)" 52
	[ -z "$(cell vnc 1 lost_ms_per_min_low)" ]
	echo '{"state": "failed", "reason": "no display"}' >run/cells/x11-1/1/cell.json
	rm run/cells/desktop-1/1/cell.json
	run warm summarize --format json run
	[ "$status" = 3 ]
	[ "$(jq .result.cells_failed <<<"$output")" = 2 ]
	[ "$(cell x11 1 state)" = failed ]
	[ -z "$(cell x11 1 lost_ms_per_min)" ]
}

@test "idle: without culprits (no root) the figure is all lost time, and the finding on culprits is unsure" {
	make_idle
	rm run/cells/*/*/culprits.tsv run/cells/*/*/processes.tsv
	report_findings run
	near "$(cell vnc 1 lost_ms_per_min)" 68
	[ -z "$(cell vnc 1 own_ms_per_min)" ]
	[ -z "$(cell vnc 1 foreign_ms_per_min)" ]
	jq -e '.findings | map(select(.id == "who"))[0].verdict == "unsure" and all(.[]; .id != "apart")' run/findings.json
}

finding_text() { said_json run "[$1]" text | json_text; }
finding() { for key in value low high verdict; do said_json run "[$1]" $key; done | json_text | sed 's/^null$//' | paste -s; }

@test "idle: report: findings on cost, culprits, waits against the bound, and foreign time; figures" {
	make_idle
	drawn warm report run
	[ "$(ids)" = "cost compared who waits apart" ]
	read -r value low high verdict < <(finding cost)
	near "$value" 42
	near "$low" "42 - $HALF"
	near "$high" "42 + $HALF"
	[ "$verdict" = none ]
	read -r value _ < <(finding compared)
	near "$value" 42
	read -r value verdict < <(finding who)
	near "$value" 210
	# 3 of 3000 waits exceed 1 ms, more than the bound of 2 in 60000 allows
	[[ $(finding waits) == *unsure ]]
	read -r value _ < <(finding apart)
	near "$value" 3000
	for figure in utilisation ticks lost-time per-session; do [ -s "run/figures/$figure.svg" ]; done
	for system in 'no session' 'one idle session, vnc' '5 idle sessions, vnc' 'one idle session, x11' 'a desktop (xfce4)'; do
		grep -qF ">$system<" run/figures/utilisation.svg
		grep -qF ">$system<" run/figures/lost-time.svg
	done
	run -1 grep -q 'rgb( *0, *158, *115)' run/figures/lost-time.svg	# too near to the scale of sessions
	# the kernel's account of the lab's tasks disagrees with the profile
	sed -i 's/"accounted_ms_per_min": [0-9]*/"accounted_ms_per_min": 500/' run/cells/vnc-5/*/cell.json
	report_findings run
	[[ $(finding who) == *unsure ]]
}

@test "idle: findings: the kernel's own work is the sessions' only where the whole machine surely takes more" {
	make_idle
	sed -i 's/rcu_preempt\t\(.*\)\t[0-9]*$/rcu_preempt\t\1\t90000000/' run/cells/vnc-5/*/culprits.tsv
	report_findings run
	[[ $(finding_text who) == *rcu_preempt* ]]
	jq '.settings.repeats = 1' run/run.json >new
	mv new run/run.json
	rm -r run/cells/*/[23]
	report_findings run
	[[ $(finding_text who) == "**Of the sessions' own processes"*Xvnc*"not shown to take more"* ]]
	[[ $(finding_text who) != *rcu_preempt* ]]
}

@test "idle: findings: measured waits stand beside the bound with other processes; of one repeat they have no interval" {
	make_idle 1
	report_findings run
	# with 5 sessions the bound is 0.2 % with cc1, and 2 of 1000 waited
	[[ $(finding_text waits) == "**Sessions, kernel and interrupts kept the CPU busy for at most "* ]]
	[[ $(finding_text waits) == *" Measured, with other processes (at most 0.2 %): of 1,000 random wake-ups, 0.2 % waited over 1 "* ]]
}

@test "idle: findings: a slope is unsure where one session takes far more than it" {
	make_idle
	report_findings run
	[[ $(finding cost) == *none ]]
	awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 && $at["system"] == "vnc" && $at["sessions"] == 1 {
			$at["above_ms_per_min"] = 500; $at["above_ms_per_min_low"] = 490; $at["above_ms_per_min_high"] = 510
		} { print }' run/summary.tsv >new
	mv new run/summary.tsv
	warm report --json run >run/findings.json
	[[ $(finding cost) == *unsure ]]
	[[ $(verdict run) == *"one session of vnc 500 ms/min"* ]]
}

@test "idle: figures are drawn also for one system without intervals and culprits" {
	make_idle 1
	rm -r run/cells/*/*/culprits.tsv
	jq '.cells |= .[:1]' run/run.json >new
	mv new run/run.json
	drawn warm report run
	[ -s run/figures/utilisation.svg ]
	[ -s run/figures/lost-time.svg ]
}

@test "idle: report of two runs: curves and findings of each have its name; what differs stands on the page" {
	local name words
	make_idle
	warm summarize run
	cp -r run other
	edit_json other/run.json '.host.kernel = "Linux 7.0" | .protocols.vnc.version = "2" | .settings.loads = [5]'
	# one session more costs half as much
	awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 { for (n in at) if (n ~ /^slope_ms_per_min(_low|_high)?$/) $at[n] /= 2 } { print }' run/slope.tsv >other/slope.tsv
	rm -r other/cells
	drawn warm report run other -o both --label a,b
	[ "$(jq -r '.findings[:2][] | "\(.id) \(.value)"' both/findings.json)" = $'cost-a 42\ncost-b 21' ]
	[[ $(verdict both) == "a: One more idle session of vnc costs 42"*"b: "*" costs 21"* ]]
	# sessions are held against the slope of their own run
	[[ $(verdict both) == *"b: "*"not each"* && $(verdict both) != *"not each"*"b: "* ]]
	[ "$(jq -c '.joined, .differs.loads' both/run.json)" = $'"system"\n{"a":[1,5],"b":[5]}' ]
	grep -q '^> \*\*Not alike\*\*: .*Linux 7.0 (b)' both/report.md
	for name in a b; do
		for words in 'no session' 'one idle session, vnc' 'a desktop (xfce4)'; do
			grep -qF ">$words, $name<" both/figures/lost-time.svg
		done
		grep -qF "for each session, $name<" both/figures/per-session.svg
		[ "$(field both/summary.tsv lost_ms_per_min "system=none/$name")" = "$(cell none 0 lost_ms_per_min)" ]
	done
}
