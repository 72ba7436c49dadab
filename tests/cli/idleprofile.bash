# SPDX-License-Identifier: GPL-3.0-or-later
# idleprofile - what the tests of idleprofile share: $CPU, user, and a profile in the background.
# shellcheck shell=bash

load helpers

setup() {
	begin_test
	CPU=$(taskset -cp $$ | sed 's/.*[ ,-]//')
	ordinary_user
}

# A loop that gets no CPU time for a minute gives up. Skips if by the kernel's account others ran for most of that minute.
refuse_or_skip() {	# its standard error
	if grep -q 'too busy to be profiled$' "$1"; then machine_was_busy 30000 && skip "the machine is too busy to be profiled"; fi
}

# Waits until a profile that began with busy_begin is ready; skips if the machine is too busy.
ready_or_busy() {	# its standard error
	until_true grep -qE '^ready$|too busy to be profiled$' "$1" ||
		until_true grep -qE '^ready$|too busy to be profiled$' "$1"
	refuse_or_skip "$1"
}

# Profiles in the background: $pid; returns when it is ready.
start_profile() {	# options...
	busy_begin
	start profile env --default-signal=HUP "$BIN/idleprofile" --cpus "$CPU" --effect 0 --format json -o report "$@"
	ready_or_busy profile.err
}

# A delayed idleprofile reports the time that it did not watch (in `err`). This is no failure if by the kernel's account others ran
# for as long since busy_begin.
held_up() {	# status
	local ms

	refuse_or_skip err
	ms=$(awk '$1 $2 $3 $4 == "idleprofile:notwatchedfor" { ms += $5 * 1000 } END { printf "%.0f", ms }' err)
	[ "$1" -eq 3 ] && machine_was_busy $((ms > 10 ? ms : 10)) && ! grep -qv -e '^ready$' -e '^idleprofile: not watched for ' \
		-e '^idleprofile: profiling without culprits: ' -e '^idleprofile: CPU .* not idle' err
}
