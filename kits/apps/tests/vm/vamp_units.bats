#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=all
# The unit tests of vamp, by a stock kernel with cgroup v2.

load ../../../../tests/vm/guests

setup_file() { guests_here || return 0; }
setup() { skip_not_here; }

@test "the unit tests of vamp pass in a guest" {
	ls "$TOP"/build/tests/vamp/*_test >/dev/null || skip "no unit test of vamp is built"
	run "$TOP/lab/guest.sh" run small bash -c "for t in '$TOP'/build/tests/vamp/*_test; do \"\$t\" || exit; done" </dev/null
	echo "$output"
	[ "$status" -eq 0 ]
}
