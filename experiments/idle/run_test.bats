#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# idle: a short run beside a process that is not the lab's, which must be told apart.
# bats file_tags=all,alone:machine

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/e2e/left

setup() {
	begin_test
	export HOME=$BATS_TEST_TMPDIR THINPROBE_STATE=$BATS_TEST_TMPDIR/state
}

of() { field "run/$1.tsv" "${@:2}"; }	# of FILE COLUMN NAME=VALUE...: one cell
cell() { of summary "$3" "system=$1" "sessions=$2"; }	# cell SYSTEM SESSIONS COLUMN

@test "idle: a short run: the classes add up to all lost time; a stranger's sink is foreign; no control group is left" {
	for tool in Xvnc xset xterm xdotool; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	groups >"$BATS_FILE_TMPDIR/groups.before"
	# on every CPU: the lab takes one of them for its server
	sinks=()
	for cpu in $(. "$TOP/lab/machine.sh"; cpus=$(taskset -pc $$); machine_cpu_list "${cpus##*: }"); do
		"$TOP/bin/sink" -n 1 -l 15 --cpus "$cpu" >/dev/null 2>&1 3>&- &
		sinks+=($!)
	done
	real_run run "$TOP/thinprobe" run idle --protocol vnc --loads 1 --no-desktop --time 2 --repeat 1 -o run >out 2>err 3>&-
	kill -TERM "${sinks[@]}"
	wait "${sinks[@]}" || :
	cat err
	groups >"$BATS_FILE_TMPDIR/groups.after"
	if grep -q 'too busy to be profiled\|was not ready in' err; then
		[ ! -s run.busy ] || skip "the machine is too busy to be profiled"
	fi
	[ "$status" = 0 ]
	[ "$(jq -r '[.state, (.cells | map(.name + " " + .state) | join(","))] | join(": ")' run/run.json)" = \
		"complete: none-0 complete,vnc-1 complete" ]
	for file in slope.tsv curve.tsv utilisation.tsv report.html figures/{utilisation,lost-time,per-session}.svg; do
		[ -s "run/$file" ]
	done
	[ -z "$(find run -name '*.new' -o -name '.report.*')" ]
	if groups_left; then return 1; fi
	for cell in none-0 vnc-1; do
		jq -e '[.result.cpus[].wall_s] | max >= 1.9' "run/cells/$cell/1/idleprofile.json"
		jq -e '.result.wakeups.n > 10' "run/cells/$cell/1/wakeups.json"
	done
	[ -s run/cells/vnc-1/1/culprits.tsv ] || skip "who took the CPU cannot be seen here"
	for system in "none 0" "vnc 1"; do
		sum=0
		for part in own kernel foreign itself ended unexplained; do sum="$sum + $(cell $system ${part}_ms_per_min)"; done
		awk -v all="$(cell $system all_ms_per_min)" "BEGIN { sum = $sum; exit !(sum > 0.99 * all && sum < 1.01 * all) }"
		[ "$(of who class "system=${system% *}" culprit=sink)" = foreign ]
		jq -e '.foreign_percent > 3 and (.marked | startswith("foreign"))' "run/cells/${system/ /-}/1/cell.json"
	done
	for name in Xvnc xterm vim; do
		awk -F'\t' -v name="$name" 'index($4, name) == 1 && $3 == "own" { seen = 1 } END { exit !seen }' \
			run/cells/vnc-1/1/processes.tsv
	done
	if awk -F'\t' '$3 == "own" && ($4 == "Xvnc" || $4 == "xterm")' run/cells/none-0/1/processes.tsv | grep .; then return 1; fi
	awk -F'\t' '$3 == "kernel" && $4 == "kthreadd" { seen = 1 } END { exit !seen }' run/cells/none-0/1/processes.tsv
}
