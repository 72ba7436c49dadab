#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The schedulers experiment on the emulated hosts, small: three settings, each in force; nothing stays changed.
# bats file_tags=all,alone:switches

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/not_here
load ../../tests/e2e/left

# Prints the kernel switches that the experiment may change.
settings() { cat /proc/sys/kernel/sched_autogroup_enabled /proc/sys/kernel/sched_rt_runtime_us 2>&1; }

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/experiments/*}
	export RUN="$BATS_FILE_TMPDIR/a run"
	[ "$(nice)" = 0 ] || { not_here "run at nice $(nice): every setting would be another one"; return 0; }
	groups >"$BATS_FILE_TMPDIR/groups.before"
	settings >"$BATS_FILE_TMPDIR/before"
	cd /
	real_run "$RUN" "$TOP/thinprobe" run schedulers --quick --settings default,idle,cpu-idle --parts table --loads 3 \
		--time 2 --idle 1 -o "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err"
	echo "$status" >"$BATS_FILE_TMPDIR/status"
	settings >"$BATS_FILE_TMPDIR/after"
	groups >"$BATS_FILE_TMPDIR/groups.after"
}

here() { jq -e --arg s "$1" 'any(.rows[]; .setting == $s and .here)' "$RUN/run.json" >/dev/null; }
word() {
	jq -r --arg w "$2=" --arg who "$3" '.autogroup[$who] | split(" ")[] | select(startswith($w)) |
		ltrimstr($w)' "$(cell_of "$RUN" setting="$1" app=heavy)/1/cell.json"
}

@test "schedulers: the run is complete, with figures, tables and report" {
	cat "$BATS_FILE_TMPDIR/err"
	run_complete "$RUN" "$(cat "$BATS_FILE_TMPDIR/status")"
	for f in summary.tsv compare.tsv report.html figures/settings.svg; do [ -s "$RUN/$f" ]; done
	grep -q 'load in the session itself' "$RUN/report.md"
	grep -qF "$RUN/report.html" "$BATS_FILE_TMPDIR/out"
}

@test "schedulers: policies and groups of session and load are those of the setting; an unavailable setting has a reason" {
	[ "$(word default policy sinks)" = other ]
	[ -n "$(word default autogroup sinks)" ]
	[ "$(word default autogroup sinks)" = "$(word default autogroup session)" ]
	[ "$(word idle policy sinks)" = idle ]
	[ "$(word idle policy session)" = other ]
	if here cpu-idle; then
		[[ $(word cpu-idle cgroup sinks) == */thinprobe-*-load ]]
		[[ $(word cpu-idle cgroup session) != *thinprobe* ]]
	else
		[ -n "$(jq -r '.rows[] | select(.setting == "cpu-idle") | .why // empty' "$RUN/run.json")" ]
		run ! cell_of "$RUN" setting=cpu-idle
		grep -q '^- cpu-idle' "$RUN/report.md"
	fi
	if jq -r .marked "$RUN"/cells/*/1/cell.json | grep 'not the setting asked for'; then return 1; fi
}

@test "schedulers: each redraw takes at least its CPU cost; the load has between 0 and 100 % of the CPU" {
	for setting in $(jq -r '[.cells[].parameters.setting] | unique[]' "$RUN/run.json"); do
		f=$(cell_of "$RUN" setting="$setting" app=heavy)/1
		[ "$(jq .cost_ms "$f/cell.json")" = 10 ]
		[ "$(jq .result.keys_due "$f/keyrepeat.json")" -ge 30 ]
		jq -e '.result.total_share_percent > 0 and .result.total_share_percent < 101' "$f/sink.json" >/dev/null
		# no redraw is faster than its CPU cost
		jq -e '.result.latency_from_due_ms.min >= 10' "$f/keyrepeat.json" >/dev/null
	done
}

@test "schedulers: kernel switches and control groups are as before the run" {
	diff "$BATS_FILE_TMPDIR/before" "$BATS_FILE_TMPDIR/after"
	if groups_left; then return 1; fi
}
