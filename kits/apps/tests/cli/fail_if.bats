#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --fail-if: names of columns of this kit's experiments.

bats_require_minimum_version 1.5.0

setup() { TOP=$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd); }

checked() { TP_HOME=$TOP run "-$1" "$TOP/bin/fail" check "$2" "$3"; echo "$2 $3: $output"; }

@test "--fail-if, kit apps: the main column has a short name; columns on the quality of the measurement have none" {
	local words
	for words in browse launch video; do checked 2 "$words" 'max>1s'; done
}
