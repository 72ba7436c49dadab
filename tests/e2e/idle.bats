#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Idle sessions from end to end, short: interrupted and resumed, beside a process that is not the lab's, which must be told apart.
# bats file_tags=all,alone:machine

bats_require_minimum_version 1.5.0
load ../not_here
load left

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export RUN="$BATS_FILE_TMPDIR/a run"
	export THINPROBE_STATE=$BATS_FILE_TMPDIR/state HOME=$BATS_FILE_TMPDIR/home
	for tool in Xvnc xset xterm xdotool; do command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 0; }; done
	cd /
	groups >"$BATS_FILE_TMPDIR/groups.before"
	# on every CPU: the lab takes one of them for its server
	sinks=()
	for cpu in $(. "$TOP/lab/machine.sh"; cpus=$(taskset -pc $$); machine_cpu_list "${cpus##*: }"); do
		"$TOP/bin/sink" -n 1 -l 15 --cpus "$cpu" >/dev/null 2>&1 3>&- &
		sinks+=($!)
	done
	"$TOP/thinprobe" run idle --protocol vnc --loads 1 --no-desktop --seconds 2 --repeat 1 -o "$RUN" \
		>/dev/null 2>"$BATS_FILE_TMPDIR/cut.err" 3>&- &
	driver=$!
	for _ in $(seq 3600); do
		[ -n "$(find "$RUN/cells" -name cell.json 2>/dev/null)" ] && break
		kill -0 "$driver" 2>/dev/null || break
		sleep 0.1
	done
	kill -TERM "$driver"
	status=0
	wait "$driver" || status=$?
	echo "$status $(jq -r .state "$RUN/run.json")" >"$BATS_FILE_TMPDIR/interrupted"
	if grep -q 'too busy to be profiled' "$BATS_FILE_TMPDIR/cut.err"; then
		kill -TERM "${sinks[@]}"
		not_here "the machine is too busy to be profiled"
		return 0
	fi
	status=0
	"$TOP/thinprobe" run idle --resume "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" 3>&- || status=$?
	echo "$status" >"$BATS_FILE_TMPDIR/status"
	groups >"$BATS_FILE_TMPDIR/groups.after"
	kill -TERM "${sinks[@]}"
	wait "${sinks[@]}" || :
	if grep -q 'too busy to be profiled' "$BATS_FILE_TMPDIR/err"; then not_here "the machine is too busy to be profiled"; return 0; fi
}

named() {	# without root nobody is told apart
	[ -s "$RUN/cells/vnc-001/1/culprits.tsv" ] || skip "who took the CPU cannot be seen here"
}

@test "idle: interrupted: 130 and a valid run; resumed: complete" {
	cat "$BATS_FILE_TMPDIR/err"
	[ "$(cat "$BATS_FILE_TMPDIR/interrupted")" = "130 interrupted" ]
	[ "$(cat "$BATS_FILE_TMPDIR/status")" = 0 ]
	[ "$(jq -r .state "$RUN/run.json")" = complete ]
	for f in summary.tsv slope.tsv curve.tsv who.tsv utilisation.tsv report.md report.html \
		figures/utilisation.svg figures/lost-time.svg figures/per-session.svg; do
		[ -s "$RUN/$f" ]
	done
	grep -q '^ one session of vnc ' "$BATS_FILE_TMPDIR/out"
	grep -q 'Compulsory latency: ' "$BATS_FILE_TMPDIR/out"
	[ ! -e "$HOME" ]
}

@test "idle: nothing is left: no group, no folder of its own" {
	if groups_left; then return 1; fi
	[ -z "$(find "$RUN" -name '*.new' -o -name '.report.*')" ]
}

@test "idle: both cells were profiled for as long as was asked for, with wake-ups of their own" {
	for cell in none-000 vnc-001; do
		[ "$(jq '[.result.cpus[].wall_s] | max >= 1.9' "$RUN/cells/$cell/1/idleprofile.json")" = true ]
		[ "$(jq '.result.wakeups.n > 10' "$RUN/cells/$cell/1/wakeups.json")" = true ]
		[ "$(jq '.result.wakeups' "$RUN/cells/$cell/1/idleprofile.json")" = null ]
	done
}

@test "idle: all of the lost time belongs to somebody, and the parts make up the whole" {
	named
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			sum = $at["own_ms_per_min"] + $at["kernel_ms_per_min"] + $at["foreign_ms_per_min"]
			sum += $at["itself_ms_per_min"] + $at["ended_ms_per_min"] + $at["unexplained_ms_per_min"]
			print $at["system"], sum, $at["all_ms_per_min"]
			if (sum < 0.99 * $at["all_ms_per_min"] || sum > 1.01 * $at["all_ms_per_min"]) wrong = 1
		}
		END { exit wrong || NR != 3 }' "$RUN/summary.tsv"
}

@test "idle: a process that is not the lab's is found, told apart, and marks the cells" {
	named
	for system in none vnc; do
		awk -F'\t' -v s="$system" '$2 == s && $6 == "sink" { print; if ($4 == "foreign") seen = 1; else wrong = 1 }
			END { exit wrong || !seen }' "$RUN/who.tsv"
		[ "$(jq -r '.foreign_percent > 3 and (.marked | startswith("foreign"))' "$RUN/cells/$system"-00?/1/cell.json)" = true ]
	done
	grep -q 'cells were disturbed' "$BATS_FILE_TMPDIR/out"
}

@test "idle: what runs in the session is the lab's, and only there" {
	named
	for name in Xvnc xterm vim; do
		awk -F'\t' -v name="$name" 'index($4, name) == 1 && $3 == "own" { seen = 1 }
			END { exit !seen }' "$RUN/cells/vnc-001/1/processes.tsv"
	done
	if awk -F'\t' '$3 == "own" && ($4 == "Xvnc" || $4 == "xterm")' "$RUN/cells/none-000/1/processes.tsv" | grep .; then return 1; fi
	awk -F'\t' '$3 == "kernel" && $4 == "kthreadd" { seen = 1 } END { exit !seen }' "$RUN/cells/none-000/1/processes.tsv"
}
