#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/run on a small tree of its own: which jobs it chooses, and what makes a run fail.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	begin_test
	need prove bats setpriv
	mkdir -p tree/{bin,lab,tests/{cli,unit/a},build/{tests/a,asan/tests/a}}
	cp "$TOP/tests/run" tree/tests
	cp "$TOP/lab/trees.sh" tree/lab
	cd tree
	printf '#!/bin/sh\n' | tee bin/make bin/clang tests/shellcheck.sh >bin/shellcheck
	printf 'a/foreign	bytes\n' >tests/foreign
	printf '# of this test\nmost 2\n.* is not installed\tall the same\n' >tests/skips
	touch tests/unit/a/{plain,foreign}_test.c
	program 'echo 1..1; echo ok 1' build/tests/a/{plain,foreign}_test build/asan/tests/a/{plain,foreign}_test
	chmod +x bin/* tests/shellcheck.sh
	export PATH=$PWD/bin:$PATH
	unset TEST_WORK TEST_TIER TEST_SKIPS TEST_TIMES THINPROBE_STATE
}

teardown() { end_started; rm -f /tmp/.X9471-lock; }

program() {	# COMMANDS FILE...
	printf '#!/bin/sh\n%s\n' "$1" | tee "${@:2}" >/dev/null
	chmod +x "${@:2}"
}

bats_file() {	# NAME COMMANDS: of one test
	printf '@test "it" {\n%s\n}\n' "$2" >"tests/cli/$1.bats"
}

tests_run() {	# STATUS LAST-LINE OPTION...
	run -"$1" tests/run "${@:3}"
	[ "${lines[-1]}" = "$2" ]
}

@test "tests/run: check has each unit test once; --all has each with and without sanitizers, and clang's jobs" {
	bats_file quick true
	bats_file slow true
	sed -i '1i # bats file_tags=all' tests/cli/slow.bats
	run -0 tests/run --list
	[ "$(xargs <<<"$output")" = "unit/a/plain bats/cli/quick asan/a/foreign shellcheck/bin shellcheck/lab shellcheck/tests" ]
	run -0 tests/run --all --list
	[ "$(xargs <<<"$output")" = "unit/a/foreign unit/a/plain bats/cli/quick bats/cli/slow build/clang build/sanitized fuzz/corpus $(
		)asan/a/foreign asan/a/plain shellcheck/bin shellcheck/lab shellcheck/tests" ]
	run -0 tests/run --list foreign slow
	[ "$(xargs <<<"$output")" = "unit/a/foreign bats/cli/slow asan/a/foreign" ]
	run -2 tests/run nosuch
	tests_run 0 "6 passed, 0 failed"
	[[ $output == *"CPU time: "*" s in 6 jobs; most: "* ]]
	bats_file quick 'perl -e "1 while (times)[0] < 0.3"'
	TEST_TIMES=$PWD/times tests_run 0 "1 passed, 0 failed" quick
	awk '{ ok = $1 >= 0.3 && $2 + 0.1 >= $1 && $3 == "bats/cli/quick" } END { exit !ok }' times
}

@test "tests/run: files tagged waits:NAME are started first" {
	bats_file quick true
	bats_file waits true
	sed -i '1i # bats file_tags=waits:it' tests/cli/waits.bats
	TEST_AT_ONCE=1 tests_run 0 "2 passed, 0 failed" cli/
	[ "$(grep -oE 'cli/[a-z]+ \.\.' <<<"$output" | xargs)" = "cli/waits .. cli/quick .." ]
}

@test "tests/run: a failed test, a crash, and fewer tests than planned count as failed" {
	program 'echo 1..2; echo ok 1; kill -SEGV $$' build/tests/a/plain_test
	bats_file wrong 'echo "why it is wrong"; false'
	tests_run 1 "1 passed, 2 failed" unit/a/plain wrong
	[[ $output == *"not ok - exit status "* && $output == *"why it is wrong"* ]]
}

@test "tests/run: skips are listed; too many, or one with a reason that is not in tests/skips, fail the run" {
	bats_file one 'skip "ogre is not installed"'
	cp tests/cli/one.bats tests/cli/two.bats
	tests_run 1 "0 passed, 0 failed" one		# nothing passed
	tests_run 0 "5 passed, 0 failed"
	[[ $output == *"skipped:       2 ogre is not installed"* ]]
	cp tests/cli/one.bats tests/cli/three.bats
	tests_run 1 "5 passed, 1 failed"
	[[ $output == *"not ok - 3 tests were skipped, more than 2"* ]]
	tests_run 0 "1 passed, 0 failed" bats unit/a/plain	# a pattern has no such bound
	TEST_SKIPS=3 tests_run 0 "5 passed, 0 failed"
	bats_file one 'skip "I was tired"'
	tests_run 1 "1 passed, 1 failed" bats unit/a/plain
	[[ $output == *"not ok - skipped 1 times "*"tests/skips, or not true here: I was tired"* ]]
	program 'echo 1..1; echo "not ok 1 # SKIP odd"' build/tests/a/plain_test
	tests_run 1 "0 passed, 1 failed" unit/a/plain
	[[ $output == *"here: unit test a/plain"* ]]
}

# What a broken program could say in place of a failure, where the machine shows that it is not so.
@test "tests/run: a reason to skip that this machine contradicts fails the run, one of each class of tests/skips" {
	local reason

	cp "$TOP/tests/skips" tests
	for reason in "bash is not installed" "thinprobe: bash is missing; install it: apt" "no /dev/full" "no swap" \
		"$([ "$(id -u)" != 0 ] || echo 'groups need root')" "$([ ! -w /sys/fs/cgroup/cpu/tasks ] || echo 'no cpu groups here')" \
		"$([ ! -e /dev/net/tun ] || echo 'there is no /dev/net/tun')" "$([ "$(nproc)" = 1 ] || echo 'there is one CPU')" \
		"$([ ! -r /proc/self/schedstat ] || echo 'no schedstat')" "this kernel is odd" "others are quick"; do
		[ -n "$reason" ] || continue
		bats_file one "skip '$reason'"
		tests_run 1 "1 passed, 1 failed" bats unit/a/plain
		[[ $output == *"not true here: $reason"* ]]
	done
	for reason in "ogre is not installed" "others had the machine meanwhile"; do
		bats_file one "skip '$reason'"
		tests_run 0 "1 passed, 0 failed" bats unit/a/plain
	done
}

@test "tests/run: each job has its own TMPDIR; files left there, and a killed X server's lock, fail the run" {
	bats_file clean 'echo "$TMPDIR" >"$BATS_TEST_DIRNAME/one"; f=$(mktemp); rm "$f"'
	bats_file other 'echo "$TMPDIR" >"$BATS_TEST_DIRNAME/two"; mktemp -p "$BATS_TEST_TMPDIR"'
	tests_run 0 "2 passed, 0 failed" bats
	[ "$(cat tests/cli/one)" != "$(cat tests/cli/two)" ]
	bats_file other 'echo "not mine" >"$TMPDIR/rubbish"'
	tests_run 1 "2 passed, 1 failed" bats
	[[ $output == *"not ok - left in TMPDIR: rubbish"* ]]
	# (a process that is gone, a display number that no server takes)
	(exit) & gone=$!
	wait
	bats_file other "printf '%10d\n' $gone >/tmp/.X9471-lock"
	CI=true run -1 tests/run bats
	[[ $output == *"not ok - left by an X server: /tmp/.X9471-lock"* && ${lines[-1]} == "2 passed, 1 failed" ]]
}

@test "tests/run: after a signal, the teardown of a test ends before its files are removed" {
	bats_file stopped 'touch "$BATS_TEST_DIRNAME/began"; sleep 60'
	echo 'teardown() { sleep 1; [ ! -d "$BATS_TEST_TMPDIR" ] || touch "$BATS_TEST_DIRNAME/given_back"; }' >>tests/cli/stopped.bats
	start runner tests/run stopped
	until_true test -e tests/cli/began
	kill "$pid"
	ends "$pid"
	[ "$status" = 130 ]
	[ -e tests/cli/given_back ]
}

@test "tests/run: lists attempts that were repeated on a busy machine" {
	bats_file busy 'echo "# busy: it: in 20 ms: 30 ms stolen" >&3'
	tests_run 0 "1 passed, 0 failed" bats
	[[ $output == *"repeated: it: in 20 ms: 30 ms stolen"* ]]
}

@test "every pattern of tests/skips and tests/foreign is well-formed, and each of tests/foreign fits a test" {
	local pattern

	run -1 awk -F'\t' '/^#/ || /^most [0-9]+$/ { next } NF < 2 || NF > 3 || $1 == "" || $2 == "" { print; bad = 1 }
		END { exit !bad }' "$TOP/tests/skips"
	grep -v '^#' "$TOP/tests/skips" | cut -f1 | sed '/^most /d' >patterns
	run -1 grep -xEf patterns <<-'END'
		for no reason
		others took my bicycle meanwhile
		it needs root, I think
		cannot trace anything today
		this system forbids namespaces and laughter
	END
	# every reason that a test says in so many words is there
	find "$TOP"/{experiments,tests,kits} -name '*.bat[s]' ! -name runner.bats -exec grep -ohE '(skip|not_here) "[^"$]+"' {} + |
		sed -E 's/^[a-z_]+ "(.*)"$/\1/' | sort -u >said
	[ "$(wc -l <said)" -gt 50 ]
	run -1 grep -vxEf patterns said
	while read -r pattern _; do
		compgen -G "$TOP/tests/unit/${pattern}_test.c" >/dev/null ||
			compgen -G "$TOP/kits/*/tests/unit/${pattern}_test.c" >/dev/null || { echo "$pattern fits none"; return 1; }
	done < <(grep -v '^#' "$TOP/tests/foreign")
}
