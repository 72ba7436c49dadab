#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Idle sessions: the figures of a made-up run against closed formulas, the words and the page made of them, and the driver's own words.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	REPORT=$TOP/report
	SUMMARIZE=$TOP/bin/summarize
	export HOME=$BATS_TEST_TMPDIR THINPROBE_STATE=$BATS_TEST_TMPDIR/state
	cd "$BATS_TEST_TMPDIR" || return 1
}

# One CPU for a minute, three repeats, so that a sum of ms is a figure a minute. In repeat r:
#   always     ten interrupts of 1 ms; a kernel thread once for r ms (at 5 s); 2 ms that nothing tells (at 8 s)
#   N sessions 20 N events of Xvnc of (40 + r) / 20 ms each; in the first Xvnc shares its event with 12 ms of cc1, which is not the lab's
#   x11        one event of 25 ms, all of a thread of xterm
#   desktop    as of x11, and a burst of cc1 of 3 s that the scheduler split into 2 s and 1 s: one row of the culprits
#   ticks      100 of 6 us
make_idle() {	# make_idle [REPEATS]
	local repeats=${1:-3} r spec system sessions folder accounted
	rm -rf run
	mkdir -p run
	jq -n --argjson repeats "$repeats" '{schema: "thinprobe.run/1", experiment: "idle", version: "0", started: "2026-11-20T10:00:00Z", ended: "2026-11-20T11:00:00Z", state: "complete", command: "thinprobe run idle",
		settings: {protocol: "vnc", protocols: ["vnc", "x11"], systems: [{system: "none", sessions: 0}, {system: "vnc", sessions: 1}, {system: "vnc", sessions: 5}, {system: "x11", sessions: 1}, {system: "desktop", sessions: 1}],
			absent: [{system: "rdp", why: "xrdp is missing; thinprobe setup --protocol rdp"}], loads: [1, 5], repeats: $repeats, seconds: 60, wakeup_seconds: 20, seed: 1, on: "lab"},
		profiler: {placed: "cgroup v1 cpu.idle", clock: "tsc", resolution_ns: 5000, own: {wakeup_alone_us: {p50: 40}, wakeup_beside_us: {p50: 30}}},
		protocols: {vnc: {says: "VNC (Xvnc 1.12, 60 frames/s)"}}, lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, rootless: false, missing: []}, host: {kernel: "Linux 6.1"}, cells: {total: 15, complete: 15}}' >run/run.json
	for spec in none:0 vnc:1 vnc:5 x11:1 desktop:1; do
		system=${spec%:*} sessions=${spec#*:}
		for ((r = 1; r <= repeats; r++)); do
			folder=$(printf 'run/cells/%s-%03d/%d' "$system" "$sessions" "$r")
			mkdir -p "$folder"
			accounted=$((sessions * (40 + r)))
			case $system in x11 | desktop) accounted=25 ;; esac
			echo '{"schema": "thinprobe.cell/1", "state": "complete", "marked": "", "foreign_percent": 0.5, "steal_percent": 0.1, "accounted_ms_per_min": '"$accounted"'}' >"$folder/cell.json"
			echo '{"result": {"cpus": [{"cpu": 0, "wall_s": 60}], "who": []}}' >"$folder/idleprofile.json"
			# of 1000 woken 3 - r waited over 1 ms, none over the others
			echo '{"result": {"wakeups": {"n": 1000}, "compulsory": [{"wait_ms": 0.5, "measured": 0.9}, {"wait_ms": 1, "measured": '"0.00$((3 - r))"'}, {"wait_ms": 5, "measured": 0}, {"wait_ms": 10, "measured": 0}]}}' >"$folder/wakeups.json"
			printf 'schema\tpid\tclass\tname\tprocess\nprocess/1\t100\town\tXvnc\tXvnc\nprocess/1\t101\town\tgmain\txterm\nprocess/1\t7\tkernel\trcu_preempt\trcu_preempt\nprocess/1\t900\tforeign\tcc1\tcc1\n' >"$folder/processes.tsv"
			awk -v of="$system" -v n="$sessions" -v r="$r" -v lost="$folder/lost.tsv" -v who="$folder/culprits.tsv" '
				function event(start_ms, ms) { printf "lost/1\t0\t%.0f\t%.0f\t%.0f\t1\tevent\tx\n", base + start_ms * 1e6, ms * 1e6, ms * 1e6 >lost }
				function share(start_ms, end_ms, name, kind, pid, ms) { printf "culprit/1\t0\t%.0f\t%.0f\t%s\t%s\t%s\t%.0f\n", base + start_ms * 1e6, base + end_ms * 1e6, name, kind, pid, ms * 1e6 >who }
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
						event(10000, each + 12); share(10000, 10000 + each + 12, "Xvnc", "task", 100, each); share(10000, 10000 + each + 12, "cc1", "task", 900, 12)
					}
					if (of == "x11" || of == "desktop") all(2000, 25, "gmain", "task", 101)
					if (of == "desktop") { event(30000, 2000); event(33000, 1000); share(30000, 34000, "cc1", "task", 900, 3000) }
				}'
		done
	done
}

cell() {	# cell SYSTEM SESSIONS COLUMN
	awk -F'\t' -v s="$1" -v n="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; if (!(name in at)) exit; next }
		$at["system"] == s && $at["sessions"] == n { print $at[name] }' run/summary.tsv
}

near() {	# near VALUE EXPECTED: to the last digit printed
	awk -v v="$1" -v e="$2" 'BEGIN { d = v - e; exit !(v != "" && d <= 0.00011 && d >= -0.00011) }' || { echo "$1, not $2" >&2; return 1; }
}

# Half of a 95 % interval over three repeats that are 1 apart: t(2) / sqrt(3) times their standard deviation, which is 1.
HALF=2.484138

@test "lost time: the lab's, the kernel's, above no session; everybody else's apart" {
	make_idle
	"$SUMMARIZE" --format json -o out run
	[ "$(jq -c .result out)" = '{"cells_complete":15,"cells_failed":0,"cells_marked":0,"summary_rows":5}' ]
	# 10 ms of interrupts and 1, 2, 3 ms of a kernel thread
	near "$(cell none 0 lost_ms_per_min)" 12
	near "$(cell none 0 lost_ms_per_min_low)" "$(awk -v h=$HALF 'BEGIN { printf "%.4f", 12 - h }')"
	near "$(cell none 0 kernel_ms_per_min_high)" "$(awk -v h=$HALF 'BEGIN { printf "%.4f", 12 + h }')"
	near "$(cell none 0 own_ms_per_min)" 0
	[ -z "$(cell none 0 above_ms_per_min)" ]
	# 41, 42, 43 ms for each session
	near "$(cell vnc 5 own_ms_per_min)" 210
	near "$(cell vnc 5 own_ms_per_min_low)" "$(awk -v h=$HALF 'BEGIN { printf "%.4f", 210 - 5 * h }')"
	near "$(cell vnc 5 lost_ms_per_min)" 222
	# the kernel thread's 1, 2, 3 ms on top
	near "$(cell vnc 5 lost_ms_per_min_low)" "$(awk -v h=$HALF 'BEGIN { printf "%.4f", 222 - 6 * h }')"
	near "$(cell vnc 5 above_ms_per_min)" 210
	near "$(cell vnc 5 accounted_ms_per_min)" 210
	near "$(cell vnc 1 above_ms_per_min)" 42
	near "$(cell vnc 1 above_ms_per_min_high)" "$(awk -v h=$HALF 'BEGIN { printf "%.4f", 42 + h }')"
	# 25 ms in every repeat: no spread above no session
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
	# what is left of an event that Xvnc shared: its own part, and no event is left of the burst
	near "$(cell vnc 1 longest_ms)" 3
	near "$(cell desktop 1 longest_ms)" 25
	near "$(cell vnc 5 events_per_min)" 111
	near "$(cell desktop 1 events_per_min)" 12
}

@test "one more session: the slope of each repeat, and its interval" {
	make_idle
	"$SUMMARIZE" run
	awk -F'\t' -v h=$HALF 'function near(a, b) { if (a - b > 0.00011 || b - a > 0.00011) { print a " is not " b; wrong = 1 } }
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ seen = seen " " $at["system"] ":" $at["what"]; slope = $at["what"] == "kernel" ? 0 : 42; half = slope ? h : 0
			near($at["slope_ms_per_min"], slope); near($at["slope_ms_per_min_low"], slope - half); near($at["slope_ms_per_min_high"], slope + half); near($at["slope_cpu_percent"], slope / 600)
			if ($at["repeats"] != 3 || $at["sessions_max"] != 5) wrong = 1 }
		END { if (seen != " vnc:system vnc:own vnc:kernel") { print seen; wrong = 1 } exit wrong }' run/slope.tsv
}

@test "the run-to-completion bound by its formula, measured waits with their exact interval" {
	make_idle
	"$SUMMARIZE" run
	# of r ms, r - 1 are beyond 1 ms: 0, 1, 2 of 60000
	near "$(cell none 0 bound_1ms_percent)" "$(awk 'BEGIN { print 100 / 60000 }')"
	near "$(cell none 0 bound_5ms_percent)" 0
	# beside it 2 ms that nothing tells
	near "$(cell none 0 bound_all_1ms_percent)" "$(awk 'BEGIN { print 200 / 60000 }')"
	near "$(cell x11 1 bound_10ms_percent)" "$(awk 'BEGIN { print 1500 / 60000 }')"
	near "$(cell x11 1 bound_50ms_percent)" 0
	# the burst counts only with what is not the lab's
	near "$(cell desktop 1 bound_100ms_percent)" 0
	near "$(cell desktop 1 bound_all_100ms_percent)" "$(awk 'BEGIN { print 100 * (1900 + 900) / 60000 }')"
	# 3 of 3000, and none: Clopper and Pearson, worked out apart
	[ "$(cell vnc 1 wakeups)" = 3000 ]
	near "$(cell vnc 1 measured_1ms_percent)" 0.1
	near "$(cell vnc 1 measured_1ms_percent_low)" 0.0206
	near "$(cell vnc 1 measured_1ms_percent_high)" 0.2920
	near "$(cell vnc 1 measured_10ms_percent_high)" 0.0998
	[ -z "$(cell vnc 1 measured_50ms_percent)" ]
}

@test "the curves of both figures" {
	make_idle
	"$SUMMARIZE" run
	curve() { awk -F'\t' -v s="$1" -v n="$2" -v x="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["system"] == s && $at["sessions"] == n && $at["upto_ms"] <= x { y = $at["lost_ms_per_min"] } END { print y }' run/curve.tsv; }
	near "$(curve none 0 0.95)" 0
	near "$(curve none 0 1.2)" "$(awk 'BEGIN { print 10 + 1 / 3 }')"
	near "$(curve none 0 2.3)" 11
	near "$(curve none 0 100000)" 12
	# Xvnc's events are 2.05, 2.1 and 2.15 ms long
	near "$(curve vnc 5 2.0)" "$(awk 'BEGIN { print 10 + 1 / 3 }')"
	near "$(curve vnc 5 2.3)" 221
	near "$(curve desktop 1 20)" 12
	near "$(curve desktop 1 100000)" 37
	busy() { awk -F'\t' -v s="$1" -v n="$2" -v t="$3" -v name="$4" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["system"] == s && $at["sessions"] == n && $at["time_ms"] == t { print $at[name] }' run/utilisation.tsv; }
	near "$(busy none 0 1000 lost_percent)" 10
	near "$(busy none 0 990 lost_percent)" 0
	# 25 ms from 2000 on
	near "$(busy x11 1 2010 lost_percent)" 100
	near "$(busy x11 1 2020 lost_percent)" 50
	near "$(busy none 0 8000 lost_percent)" 0
	near "$(busy none 0 8000 all_percent)" 20
	[ "$(awk -F'\t' '$2 == "none"' run/utilisation.tsv | wc -l)" = 1000 ]
}

@test "who: by name and by whose they are, the largest first" {
	make_idle
	"$SUMMARIZE" run
	[ "$(awk -F'\t' '$2 == "desktop" { print $4, $5, $6 "," $7, $9 }' run/who.tsv | head -n 3)" = "foreign task cc1,3000.0000 1.0
own task gmain (xterm),25.0000 1.0
kernel irq virtio0,10.0000 10.0" ]
	[ "$(awk -F'\t' '$2 == "vnc" && $3 == 5 { print $4, $6, $7 }' run/who.tsv | head -n 1)" = "own Xvnc 210.0000" ]
}

@test "one repeat has no intervals; a cell that failed is counted, and its system says so" {
	make_idle 1
	"$SUMMARIZE" run
	near "$(cell vnc 1 lost_ms_per_min)" 52
	[ -z "$(cell vnc 1 lost_ms_per_min_low)" ]
	echo '{"state": "failed", "reason": "no display"}' >run/cells/x11-001/1/cell.json
	rm run/cells/desktop-001/1/cell.json
	run "$SUMMARIZE" --format json run
	[ "$status" = 3 ]
	[ "$(jq .result.cells_failed <<<"$output")" = 2 ]
	[ "$(cell x11 1 state)" = failed ]
	[ -z "$(cell x11 1 lost_ms_per_min)" ]
}

@test "without root nobody is told apart: all that was lost is the figure, and the words say so" {
	make_idle
	rm run/cells/*/*/culprits.tsv run/cells/*/*/processes.tsv
	"$SUMMARIZE" --format json -o run/summary.json run
	near "$(cell vnc 1 lost_ms_per_min)" 68
	[ -z "$(cell vnc 1 own_ms_per_min)" ]
	[ -z "$(cell vnc 1 foreign_ms_per_min)" ]
	"$REPORT/findings.sh" run >findings
	grep -q 'Who took the CPU is not known (only root may see that)' findings
	# where a run has tried, its own words
	jq '.lab.missing = ["who took the CPU: no tracepoints in this kernel, so whose time was lost is not told apart"]' run/run.json >new && mv new run/run.json
	"$REPORT/findings.sh" run | grep -q 'Who took the CPU is not known (no tracepoints in this kernel)'
	"$REPORT/table.sh" run
}

@test "a broken file is named, and the tables stay as they were" {
	make_idle
	"$SUMMARIZE" run
	cp run/summary.tsv run/who.tsv .
	echo 'culprit/1	0	x' >>run/cells/vnc-001/2/culprits.tsv
	run --separate-stderr "$SUMMARIZE" run
	[ "$status" = 1 ]
	[[ $stderr == *"cells/vnc-001/2/culprits.tsv: line "*" cannot be read" ]]
	cmp summary.tsv run/summary.tsv
	cmp who.tsv run/who.tsv
	[ -z "$(find run -maxdepth 1 -name '*.tsv.*')" ]
	make_idle
	rm run/cells/x11-001/1/lost.tsv
	run --separate-stderr "$SUMMARIZE" run
	[ "$status" = 1 ]
	[[ $stderr == *"cells/x11-001/1/lost.tsv: No such file"* ]]
}

@test "findings and table: the slope, the culprits, the bound beside what was measured, what is not here" {
	make_idle
	"$SUMMARIZE" --format json -o run/summary.json run
	"$REPORT/findings.sh" run >findings
	cat findings
	grep -q '^1. One more idle session of vnc costs 42.0 (39.5–44.5) ms of CPU a minute (0.070 % of a CPU; slope from 0 to 5 sessions), 42.0 ms of it in its own processes. The machine without a session loses 12.0 (9.52–14.5) ms a minute, which the slope leaves out.$' findings
	grep -q '^2. Idle sessions compared: one session of vnc 42.0 (39.5–44.5), one session of x11 25.0 (25.0–25.0), a desktop (xfce4) 25.0 (25.0–25.0) ms a minute above' findings
	grep -q '^3. More than without a session, beside 5 sessions of vnc: Xvnc 210 ms a minute.$' findings
	# 100 events of 1.05, 1.1, 1.15 ms beyond 1 ms, and the kernel thread's 1 ms; with cc1's 12 ms and what is not explained 13 ms more
	grep -q '^4. Compulsory latency: the longest event was 25.0 ms. .* over 1 ms with at most 0.19 %, over 10 ms with 0 % (5 sessions of vnc); with everybody else.s processes 0.21 and 0.0068 %; of 3000 normal tasks woken at random 0.10 (0.0206–0.29) % waited over 1 ms.$' findings
	grep -q 'up to 3000 ms of processes that are not the lab.s, 2.00 ms stolen or unexplained, 0.60 ms of timer ticks' findings
	grep -q '^not on this machine: rdp: xrdp is missing' findings
	grep -q '^indicative: three repeats$' findings
	# 3 of 3000 waited over 1 ms on a machine where 2 of 60000 ms were beyond that
	grep -q '^6. Beware: more tasks waited than what ran before explains (no session, over 1 ms: 0.10 (0.0206–0.29) % against 0.0033 %)' findings
	[ "$(grep -c Beware findings)" = 1 ]
	"$REPORT/table.sh" run >table
	cat table
	grep -qE '^ 5 sessions of vnc +222 +210 +12.0 +210 ' table
	[ "$(wc -l <table)" = 6 ]
}

@test "a slope that is not above 0 is no cost; more of the lab's own than in all is no part of it" {
	make_idle
	"$SUMMARIZE" --format json -o run/summary.json run
	slope() {	# slope SYSTEM OWN: of all and of the lab's own
		awk -F'\t' -v OFS='\t' -v all="$1" -v own="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["what"] == "system" { $at["slope_ms_per_min"] = all; $at["slope_ms_per_min_low"] = all - 9 }
			$at["what"] == "own" { $at["slope_ms_per_min"] = own } { print }' run/slope.tsv >new && mv new run/slope.tsv
		"$REPORT/findings.sh" run >findings
		head -n 1 findings
	}
	slope -5 1
	grep -q '^1. What one more idle session of vnc costs does not show: the slope is -5.00 (-14.0–' findings
	grep -q '; its own processes by themselves 1.00 ms.*No difference from nothing is shown.$' findings
	slope 5 7
	grep -q '^1. One more idle session of vnc costs 5.00 (.*; its own processes by themselves 7.00 ms\.' findings
}

@test "what the kernel accounts to the lab's tasks disagrees: the findings warn" {
	make_idle
	sed -i 's/"accounted_ms_per_min": [0-9]*/"accounted_ms_per_min": 500/' run/cells/vnc-005/*/cell.json
	"$SUMMARIZE" --format json -o run/summary.json run
	"$REPORT/findings.sh" run >findings
	grep -q 'Beware: for 5 sessions of vnc what was named the lab.s is not what the kernel accounts to it (210 against 500 ms a minute)' findings
}

@test "the report: three figures, all tables, one page by itself; made again it is the same" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	command -v cmark >/dev/null || skip "cmark is not installed"
	make_idle
	"$REPORT/report.sh" run
	for figure in utilisation lost-time per-session; do [ -s "run/figures/$figure.svg" ]; done
	for system in 'no session' 'one idle session, vnc' '5 idle sessions, vnc' 'one idle session, x11' 'a desktop (xfce4)'; do
		grep -qF ">$system<" run/figures/utilisation.svg
		grep -qF ">$system<" run/figures/lost-time.svg
	done
	grep -q '42 ms a minute for each session' run/figures/per-session.svg
	grep -q '^| rdp | xrdp is missing' run/report.md
	grep -q '^| 5 sessions of vnc | 222 (207–237) | 210 (198–222) | 12.0 (9.52–14.5) | 210 (198–222) | 42.0 | 111 | 3.00 |$' run/report.md
	grep -q '^| a desktop (xfce4) | 3000 | 0.00 | 0.00 | 2.00 | 0.60 | 25.0 |$' run/report.md
	grep -q '^|  | measured, 3000 woken | 0.10 (0.0206–0.29) | 0 (<0.0998) | 0 (<0.0998) |  |  |$' run/report.md
	[ "$(grep -c '<svg' run/report.html)" = 3 ]
	if grep -qE '(src|href)="(http|figures)' run/report.html; then return 1; fi
	cp run/report.md run/summary.tsv .
	"$REPORT/report.sh" run
	cmp report.md run/report.md
	cmp summary.tsv run/summary.tsv
}

@test "a run of one system without intervals and without culprits draws as well" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	make_idle 1
	rm -r run/cells/*/*/culprits.tsv run/cells/vnc-* run/cells/x11-* run/cells/desktop-*
	jq '.settings.systems = [{system: "none", sessions: 0}]' run/run.json >new && mv new run/run.json
	"$REPORT/report.sh" run
	[ -s run/figures/utilisation.svg ]
	[ -s run/figures/lost-time.svg ]
}

@test "the driver: wrong words end it with 2 and one line, before anything is made" {
	bad() {	# bad WORDS PATTERN
		run --separate-stderr env -C "$BATS_TEST_TMPDIR" "$TOP/experiments/idle.sh" $1
		[ "$status" = 2 ] || { echo "$1: $status"; return 1; }
		[ "$(wc -l <<<"$stderr")" = 1 ]
		[[ $stderr == "thinprobe: "*$2* ]] || { echo "$1: $stderr"; return 1; }
	}
	bad "--loads 0" "--loads 0"
	bad "--loads 1,1" "1 is there twice"
	bad "--seconds 1" "--seconds 1"
	bad "--repeat 0" "--repeat 0"
	bad "--on ssh:a,b" "on the emulated server of this machine only"
	bad "--protocol null" "--protocol null: no applications run in its sessions"
	bad "--protocol nosuch" "no protocol nosuch"
	bad "--app vim" "unexpected --app"
	bad "--resume run --seed 2" "--seed with --resume"
	bad "--resume nowhere" "no run folder"
	[ ! -e thinprobe-results ]
	run "$TOP/experiments/idle.sh" --help
	[ "$status" = 0 ]
	[[ $output == "usage: thinprobe run idle "* ]]
}

@test "setup knows what an application needs" {
	run "$TOP/thinprobe" setup --app nosuch
	[ "$status" = 2 ]
	[[ $output == "thinprobe: no application nosuch; there are: "*desktop* ]]
	run "$TOP/thinprobe" setup --app
	[ "$status" = 2 ]
	# every package that the plug-in names is on the list, in its class
	for package in $(. "$TOP/lab/apps/desktop.sh"; app_packages); do grep -q "^app:desktop	$package	" "$TOP/packages"; done
}
