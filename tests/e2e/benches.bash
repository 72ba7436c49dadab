# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# benches.bash - for tests of the benches of a tree: BENCHES is their folder.

bats_require_minimum_version 1.5.0

setup() {
	BENCHES=$(cd "$BATS_TEST_DIRNAME/../../bench" && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
}

ends() {	# ends BENCH [WORD]...
	run env LAB_SHARED_CPUS=1 timeout -k 10 "$((130 * ${TEST_PATIENCE:-1}))" "$BENCHES/$1.sh" --quick "${@:2}"
	echo "$output"
	[ "$status" != 4 ] || skip "$(tail -n 1 <<<"$output")"
	[[ $output != *"nothing was measured"* ]]
	# the last line of a bench that came to its end
	[ "$status" = 0 ] || { [ "$status" = 1 ] && [[ ${lines[-1]} == "noise: "*"NOT a quiet machine"* ]]; }
}

says() {	# says N PATTERN...: of each so many lines
	local pattern
	for pattern in "${@:2}"; do [ "$(grep -c -- "$pattern" <<<"$output")" = "$1" ]; done
}

every_bench() {	# is a test of the file
	diff <(sed -nE 's/^@test "([a-z]+)" \{ ends .*/\1/p' "$BATS_TEST_FILENAME" | sort) \
		<(cd "$BENCHES" && printf '%s\n' *.sh | sed 's/\.sh$//' | grep -vx lib | sort)
}
