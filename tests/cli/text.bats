#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The text of reports: short, at most 80 columns, the answer first. Each row of tests/outputs.sh is one run here.
# bats file_tags=waits:two

bats_require_minimum_version 1.5.0
load helpers

setup() {
	begin_test
	# shellcheck source=tests/outputs.sh
	source "$TOP/tests/outputs.sh"
	PATH=$TOP:$PATH
	OPTIONS='' PORT='' LOOP=''
}

teardown() {
	outputs_stop
}

fails() {	# what is wrong
	echo "$command $OPTIONS: $1"
	wrong=1
}

# Runs $command with these options: standard output in out. Its exit status.
run_with() {
	OPTIONS=$1
	outputs_run "$command" >out 2>err
}

# Each line of a text: short enough, and not too many of them.
check_text() {
	local _

	for _ in {1..3}; do	# keys that were held up have lines of their own
		busy_begin
		run_with '' || [ $? -eq 3 ] || fails "exit status"
		[ "$(wc -l <out)" -gt 8 ] && machine_was_busy 5 || break
	done
	cat out
	[ -s out ] || fails "nothing printed"
	[ "$(wc -l <out)" -le 8 ] || fails "more than 8 lines"
	if LC_ALL=C.UTF-8 grep -E '.{81}' out; then fails "wider than 80 columns"; fi
	head -n 2 out | grep -q '[0-9]' || fails "no figure in the first two lines"
	if grep -E '(^| )-0(\.0*)?( |$)|_|\bnan\b|\binf\b' out; then fails "a figure for programs"; fi
}

check_others() {
	run_with --json || [ $? -eq 3 ] || fails "exit status"
	jq -e '.summary | type == "string" and length > 0' out >/dev/null || fails "no summary in JSON"
	[ "${TEST_TIER-all}" = all ] || return 0	# each run takes seconds
	run_with -q || [ $? -eq 3 ] || fails "exit status"
	if grep -v '^! \|^  ' out; then fails "-q is not quiet"; fi
	OPTIONS=-v
	outputs_run "$command" 2>err | head -n 1 >out
	[[ ${PIPESTATUS[0]} =~ ^[03]$ ]] || fails "exit status with a reader that leaves"
	[ "$(wc -l <out)" -eq 1 ] || fails "no first line for head"
}

@test "every run of tests/outputs.sh: at most 8 lines of 80 columns, a summary in JSON, quiet, and | head" {
	local program need command n=0 wrong=0

	need jq
	while IFS=$'\t' read -r program need command; do
		if [ "$need" != - ] && ! "outputs_need_$need"; then
			outputs_stop
			echo "# $program: no $need here"
			continue
		fi
		check_text </dev/null
		check_others </dev/null
		outputs_stop
		n=$((n + 1))
	done < <(outputs_rows)
	[ "$wrong" -eq 0 ]
	[ "$n" -ge 4 ]
}

@test "every program has a run in tests/outputs.sh" {
	local tool wrong=0

	for tool in $(TP_HOME=$TOP; . "$TOP/lab/trees.sh"; program_names); do
		outputs_rows | cut -f1 | grep -qx "$tool" || { echo "no row: $tool"; wrong=1; }
	done
	[ "$wrong" -eq 0 ]
}

@test "programs print no 'ready' if standard error is a terminal" {
	need script
	script -qec "thinprobe sink -t 50ms" typescript >seen </dev/null
	cat seen
	grep -q '1 process' seen
	run -1 grep -q ready seen
}
