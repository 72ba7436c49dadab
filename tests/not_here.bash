# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# not_here.bash - scripts of which no test can run here: `not_here REASON; return 0` in setup_file,
# where bats 1.8 takes a skip for a failure. Each test then says the reason. A script with a setup()
# of its own begins it with skip_not_here.

not_here() {
	printf '%s\n' "$1" >"$BATS_FILE_TMPDIR/not here"
}

skip_not_here() {
	[ ! -s "$BATS_FILE_TMPDIR/not here" ] || skip "$(cat "$BATS_FILE_TMPDIR/not here")"
}

setup() { skip_not_here; }
