#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Captures that lie, of every link type and form of file, under sanitizers: a clear error or a counted loss each, never a crash.

setup_file() {
	export ROOT
	ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	[ "${TEST_TIER-all}" = all ] || return 0	# in check without sanitizers: fuzz and records are there in unit tests
	printf 'int main(void) { return 0; }\n' >"$BATS_FILE_TMPDIR/probe.c"
	"${CC:-gcc}" -fsanitize=address,undefined -o "$BATS_FILE_TMPDIR/probe" "$BATS_FILE_TMPDIR/probe.c" || return 0
	make -C "$ROOT" -s --no-print-directory asan-prototap >&2
}

# bats test_tags=all
@test "prototap: each of over 500 hostile captures ends with a report or an error message" {
	[ -x "$BATS_FILE_TMPDIR/probe" ] || skip "no AddressSanitizer here"
	run python3 "$ROOT/tests/fuzz/run_hostile.py" "$ROOT/build/asan/bin/prototap"
	echo "$output"
	[ "$status" = 0 ]
	[[ "$output" =~ files:([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -ge 500 ]
	# of each kind some: otherwise it is not what it says it is
	[[ "$output" =~ (^|[^0-9])0:[0-9]{2} ]]
	[[ "$output" =~ [[:space:]]1:[0-9]{2} ]]
	[[ "$output" =~ [[:space:]]3:[0-9]{2} ]]
}

@test "run_hostile.py: a crash, a wrong exit status, and a missing or second message each count as wrong" {
	mkdir files
	: >files/any
	for words in 'kill -SEGV $$' 'exit 2' 'exit 1' 'echo "prototap: why" >&2; echo report; exit 1' \
		'echo no report' 'echo "==1==ERROR: AddressSanitizer" >&2; exit 1' \
		     'printf "prototap: one\nprototap: two\n" >&2; exit 1'; do
		printf '#!/bin/sh\n%s\n' "$words" >program
		chmod +x program
		run python3 "$ROOT/tests/fuzz/run_hostile.py" ./program files
		echo "$words: $output"
		[ "$status" = 1 ]
		[[ "$output" == *wrong:1 ]]
	done
	printf '#!/bin/sh\necho "prototap: why" >&2\nexit 1\n' >program
	run python3 "$ROOT/tests/fuzz/run_hostile.py" ./program files
	[ "$status" = 0 ]
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}
