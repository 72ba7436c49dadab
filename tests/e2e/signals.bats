#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs that are ended before their time: by a signal, by Ctrl-C, by a run folder that goes away.

bats_require_minimum_version 1.5.0

load ../busy

setup() {
	TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	RUN=$BATS_TEST_TMPDIR/run
}

# Ends what a failed test has left in the background.
teardown() { [[ " $(jobs -pr | xargs) " != *" ${driver-none} "* ]] || kill "$driver"; }

# Starts a run in the background.
start_run() {
	"$TOP/thinprobe" run stalls "$@" -o "$RUN" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	driver=$!
}

wait_for() {	# wait_for COMMAND...: bounded (another lab may have the CPUs for long)
	local _
	for _ in $(seq 3600); do "$@" && return; kill -0 "$driver" || break; sleep 0.1; done
	return 1
}

# bats test_tags=all
@test "a signal before the first cell: 130 at once, run.json says interrupted, no process is left" {
	for moment in 0.05 0.4 0.6 2; do
		rm -rf "$RUN"
		start_run --quick --loads 0 --time 2 --repeat 1 --idle 60
		wait_for test -e "$RUN/run.json"
		sleep "$moment"
		kill -TERM "$driver"
		status=0
		wait "$driver" || status=$?
		[ "$status" = 130 ] || { echo "after $moment s: $status" >&2; return 1; }
		[ "$(jq -r .state "$RUN/run.json")" = interrupted ]
		if grep -lsF "$RUN" /proc/[0-9]*/cmdline; then return 1; fi
	done
}

@test "Ctrl-C for the whole process group at any moment: 130 soon, run.json says interrupted" {
	for moment in 0.2 6; do
		rm -rf "$RUN"
		env --default-signal=INT setsid "$TOP/thinprobe" run stalls --quick --loads 0,1 --time 5 --repeat 2 --idle 3 \
			-o "$RUN" >/dev/null 2>"$BATS_TEST_TMPDIR/err" 3>&- &
		driver=$!
		wait_for test -e "$RUN/run.json"
		sleep "$moment"
		kill -INT -- "-$driver"
		for _ in {1..600}; do kill -0 "$driver" 2>/dev/null || break; sleep 0.1; done
		status=0
		kill -TERM -- "-$driver" 2>/dev/null && status=late
		wait "$driver" || status+=$?
		[ "$status" = 0130 ] || { echo "after $moment s: $status (late: not within 60 s)" >&2; return 1; }
		[ "$(jq -r .state "$RUN/run.json")" = interrupted ]
		cat "$BATS_TEST_TMPDIR/err"
		[ "$(grep -c ": [0-8] of 8 measurements; resume it with: .* --resume $RUN$" "$BATS_TEST_TMPDIR/err")" = 1 ]
	done
}

@test "ab: a signal before the first start is over: 130, one line that says how to go on, no process is left" {
	"$TOP/thinprobe" ab stalls --protocol null --app light --loads 0 --a '' --b '' -o "$RUN" >/dev/null \
		2>"$BATS_TEST_TMPDIR/err" 3>&- &
	driver=$!
	wait_for test -e "$RUN/b.log"
	kill -TERM "$driver"
	status=0
	wait "$driver" || status=$?
	[ "$status" = 130 ]
	grep -v "A and B are the same" "$BATS_TEST_TMPDIR/err" >"$BATS_TEST_TMPDIR/said"
	[[ $(wc -l <"$BATS_TEST_TMPDIR/said") = 1 && $(<"$BATS_TEST_TMPDIR/said") == *"ab --resume $RUN" ]]
	if grep -lsF "$RUN" /proc/[0-9]*/cmdline; then return 1; fi
}

# bats test_tags=all
@test "a run ends with one line if its folder is removed" {
	start_run --quick --protocol null --loads 0 --time 3 --repeat 2 --idle 1
	wait_for eval '[ -n "$(find "$RUN/cells" -name keyrepeat.err -o -name samples.tsv)" ]'
	rm -rf "$RUN"
	status=0
	wait "$driver" || status=$?
	[ "$status" = 1 ]
	cat "$BATS_TEST_TMPDIR/err"
	last=$(tail -n 1 "$BATS_TEST_TMPDIR/err")
	[[ $last == "thinprobe: "*"$RUN" ]]
	[ "$(grep -cxF "$last" "$BATS_TEST_TMPDIR/err")" = 1 ]
}

# bats test_tags=all
@test "a capture, a load or a process of it that is killed: the repeat fails, and --resume measures it with all of them" {
	local pid what
	export FOREIGN_LIMIT=1000	# (a flagged repeat would be measured again by itself)
	# capture and load run, so the keys begin
	loaded() { grep -qsx ready "$RUN"/cells/*/1/prototap.err && grep -qsx ready "$RUN"/cells/*/1/sink.err; }
	# the process whose output is that file; of the load, the last of its processes is no parent
	found() { pid=$(find /proc/[0-9]*/fd -lname "$RUN/*/$1.out" 2>/dev/null | cut -d / -f 3 | sort -un | sed -n "$2"); [ -n "$pid" ]; }
	while read -r what; do
		rm -rf "$RUN"
		start_run --quick --loads 2 --app light --time 4 --repeat 1 --idle 1
		wait_for loaded
		# shellcheck disable=SC2086 # words
		wait_for found $what
		kill -KILL "$pid"
		status=0
		wait "$driver" || status=$?
		cat "$BATS_TEST_TMPDIR/err"
		[ "$status" = 1 ]
		[ "$(grep -c "repeat 1: " "$BATS_TEST_TMPDIR/err")" = 1 ]
		real_run "$RUN" "$TOP/thinprobe" run stalls --resume "$RUN" </dev/null 3>&-
		run_complete "$RUN"
		jq -e '.result.channels.display.packets > 0' "$RUN"/cells/*/1/prototap.json
		jq -e '.result.children_died == 0' "$RUN"/cells/*/1/sink.json
	done <<-END
		prototap \$p
		sink 1p
		sink \$p
	END
}

# bats test_tags=all
@test "kill -9 of the driver: run.json says interrupted, one line on standard error; --resume completes the run" {
	start_run --quick --protocol null --loads 0 --time 2 --repeat 1 --idle 1
	wait_for eval '[ -n "$(find "$RUN/cells" -name keyrepeat.err -o -name samples.tsv)" ]'
	kill -KILL "$(pgrep -P "$driver" -f "bash -- .*/run[.]sh")"	# (a copy of keep.sh also has run.sh as a word)
	status=0
	wait "$driver" || status=$?
	cat "$BATS_TEST_TMPDIR/err"
	[ "$status" = 130 ]
	jq -e '.state == "interrupted" and .ended != null' "$RUN/run.json"
	[ "$(grep -cF -e "--resume $RUN" "$BATS_TEST_TMPDIR/err")" = 1 ]
	run -1 grep -q Killed "$BATS_TEST_TMPDIR/err"
	real_run "$RUN" "$TOP/thinprobe" run stalls --resume "$RUN" 3>&-
	run_complete "$RUN"
}
