# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# guests.bash - what tests with guests begin with: `load guests; setup_file() { guests_here || return 0; ... }`.

load "$(dirname "${BASH_SOURCE[0]}")/../not_here"

# TOP, W (the tests' own world), the functions of guests, and the root file system "small"; 1: guests cannot run here.
guests_here() {
	local why
	export TOP W=$BATS_FILE_TMPDIR/w
	TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
	mkdir "$W"
	. "$TOP/lab/lib.sh"
	. "$TOP/lab/guest.sh"
	why=$(guest_missing) || { why=$("$TOP/lab/guest.sh" root small 2>&1) && return; }
	not_here "$why"
	return 1
}
