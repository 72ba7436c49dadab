# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# undrawn.bash - reports whose figures are not looked at: `load undrawn`, and TOP is set.

# From here on in a test, reports are made as ever, but without drawings and HTML, which are most of their time.
undrawn() {
	mkdir "$BATS_TEST_TMPDIR/undrawn"
	printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/undrawn/gnuplot"
	printf '#!/bin/sh\ncat >/dev/null\n' >"$BATS_TEST_TMPDIR/undrawn/cmark-gfm"
	chmod 755 "$BATS_TEST_TMPDIR"/undrawn/*
	DRAWN_PATH=$PATH PATH=$BATS_TEST_TMPDIR/undrawn:$PATH
}

# drawn COMMAND...: with drawings all the same.
drawn() {
	local PATH=${DRAWN_PATH:-$PATH} name
	for name in gnuplot cmark-gfm; do command -v "$name" >/dev/null || skip "$name is not installed"; done
	"$@"
}

# report_findings RUN: only its tables and findings.json, from its samples.
report_findings() {
	"$TOP/bin/summarize" "$1" >"$BATS_TEST_TMPDIR/summarized" || [ $? = 3 ] || return
	TP_BIN=${TP_BIN-$TOP/bin} "$TOP/bin/report" --json "$1" >"$1/findings.json"
}
