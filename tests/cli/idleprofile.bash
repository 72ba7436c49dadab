# SPDX-License-Identifier: GPL-3.0-or-later
# idleprofile - what the tests of idleprofile share: $CPU, user, and a profile in the background.
# shellcheck shell=bash

load helpers

setup() {
	begin_test
	CPU=$(taskset -cp $$ | sed 's/.*[ ,-]//')
	ordinary_user
}

# Until a profile is ready; skips where the machine is too busy for one.
ready_or_busy() {	# its standard error
	# a loop that never gets its CPU says so after a minute
	until_true grep -qE '^ready$|too busy to be profiled$' "$1" ||
		until_true grep -qE '^ready$|too busy to be profiled$' "$1"
	if grep -q 'too busy to be profiled$' "$1"; then skip "the machine is too busy to be profiled"; fi
}

# Profiles in the background: $pid; returns when it is ready.
start_profile() {	# options...
	start profile env --default-signal=HUP "$BIN/idleprofile" --cpus "$CPU" --effect 0 --format json -o report "$@"
	ready_or_busy profile.err
}

# A program that a busy machine held up says so, and what it did not watch is told: that is no failure here.
# What it said is in `err`.
held_up() {	# status
	if [ "$1" -eq 1 ] && grep -q 'the machine is too busy to be profiled$' err; then skip "the machine is too busy to be profiled"; fi
	[ "$1" -eq 3 ] && ! grep -qv -e '^ready$' -e '^idleprofile: not watched for ' -e '^idleprofile: profiling without culprits: ' \
		-e '^idleprofile: CPU .* not idle' err
}
