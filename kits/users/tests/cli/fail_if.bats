#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --fail-if: names of columns of this kit's experiments.

bats_require_minimum_version 1.5.0

setup() { TOP=$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd); }

checked() { TP_HOME=$TOP run "-$1" "$TOP/bin/fail" check "$2" "$3"; echo "$2 $3: $output"; }

@test "--fail-if, kit users: the main column has a short name; columns on the quality of the measurement have none" {
	local words
	checked 0 users 'p50>100ms,late>1%,p95>150ms'
	for words in 'users p99>100ms' 'principle-a p99>100ms' 'users late_p99>5ms' 'principle-a cpu>50%' 'users interference>5%'; do
		checked 2 "${words% *}" "${words#* }"
		run -1 grep 'did you mean p99' <<<"$output"
	done
	checked 2 users 'foreign>5%'
	[[ $output == *foreign_percent_max* ]]
	checked 0 users 'foreign_percent_max>5%,late_p99_ms_max>5ms,generator_cpu_percent_max>90%,max>1s'
}
