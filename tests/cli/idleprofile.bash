# SPDX-License-Identifier: GPL-3.0-or-later
# idleprofile - what the tests of idleprofile share: $CPU, user, and a profile in the background.
# shellcheck shell=bash

load helpers

setup() {
	begin_test
	CPU=$(taskset -cp $$ | sed 's/.*[ ,-]//')
	ordinary_user
}

# Profiles in the background: $pid; returns when it is ready.
start_profile() {	# options...
	start profile env --default-signal=HUP "$BIN/idleprofile" --cpus "$CPU" --effect 0 --format json -o report "$@"
	# a loop that never gets its CPU says so after a minute
	until_true grep -qE '^ready$|too busy to be profiled$' profile.err ||
		until_true grep -qE '^ready$|too busy to be profiled$' profile.err
	if grep -q 'too busy to be profiled$' profile.err; then skip "the machine is too busy to be profiled"; fi
}
