#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=all,alone:machine
# Every bench runs to its end, small and short: what `make bench QUICK=1` does, all within the time limit of a job. Each measures
# something; that a limit was not shown to hold is a failure on a quiet machine. (What a lab runs counts as noise.)

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
}

ends() {	# ends BENCH
	run env LAB_SHARED_CPUS=1 timeout -k 10 "$((130 * ${TEST_PATIENCE:-1}))" "$TOP/bench/$1.sh" --quick
	echo "$output"
	[ "$status" != 4 ] || skip "$(tail -n 1 <<<"$output")"
	[[ $output != *"nothing was measured"* ]]
	# the last line of a bench that came to its end
	[ "$status" = 0 ] || { [ "$status" = 1 ] && [[ ${lines[-1]} == "noise: "*"NOT a quiet machine"* ]]; }
}

@test "answers" { ends answers; }
@test "attach" { ends attach; }
@test "echo" { ends echo; }
@test "idleprofile" { ends idleprofile; }
@test "keyrepeat" { ends keyrepeat; }
@test "live" { ends live; }
@test "memhog" { ends memhog; }
@test "netload" { ends netload; }
@test "prototap" { ends prototap; }
@test "sink" { ends sink; }
@test "stalls" { ends stalls; }
@test "vncplay" { ends vncplay; }
@test "vusers" { ends vusers; }

@test "every bench is run here" {
	diff <(sed -nE 's/^@test "([a-z]+)" \{ ends .*/\1/p' "$BATS_TEST_FILENAME" | sort) \
		<(cd "$TOP/bench" && printf '%s\n' *.sh | sed 's/\.sh$//' | grep -vx lib | sort)
}
