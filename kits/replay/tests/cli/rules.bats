#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of this kit's data/papers.tsv: what they say of made-up tables whose truth is known.

bats_require_minimum_version 1.5.0
load ../../../../tests/rules

# The paper: "most of them 2 to 5 times".
@test "papers, kit replay: most responses take 2 to 5 times as long only if both quartiles are within" {
	local p25 p50 p75 word
	while IFS='|' read -r p25 p50 p75 word; do
		run -0 word_of "$BATS_TEST_DIRNAME/../../data/papers.tsv" "Fig. 7" <<-END
			{"cpuspeed-writer": {summary: [{setting: 15, repeats: 5} + ($p25 | about("ratio_p25")) + ($p50 | about("ratio"))
				+ ($p75 | about("ratio_p75"))]}}
		END
		echo "$p25, $p50, $p75: $output"
		[ "$output" = "$word" ]
	done <<-'END'
		2.5|3|4|as then
		1.5|3|4|as then, smaller
		2.5|4|7|as then, smaller
		2.1|3|4|as then, smaller
		0.8|1|1.2|cannot tell
		0.5|0.6|0.8|no longer
	END
}

# The paper: little change down to half the CPU, a knee below it.
@test "papers, kit replay: responses by the CPU are as then only if they have a knee below a half" {
	local p25 p50 p75 slow word
	# percentiles with half the CPU, the third one with 15 % of it; with the whole CPU each is 10 ms
	while IFS='|' read -r p25 p50 p75 slow word; do
		run -0 word_of "$BATS_TEST_DIRNAME/../../data/papers.tsv" "Fig. 9" <<-END
			{cpuspeed: {summary: [[100, 10, 10, 10], [50, $p25, $p50, $p75], [15, 20, 20, $slow] | {setting: .[0], repeats: 5}
				+ (.[1] | about("p25_ms")) + (.[2] | about("p50_ms")) + (.[3] | about("p75_ms"))]}}
		END
		echo "$p25, $p50, $p75 and $slow: $output"
		[ "$output" = "$word" ]
	done <<-'END'
		11|11|11|40|as then
		11|11|20|80|as then, smaller
		20|11|11|40|as then, smaller
		11|20|11|40|as then, smaller
		11|11|11|18|as then, smaller
		11|11|11|11|cannot tell
		11|11|20|11|no longer
	END
}

@test "papers, kit replay: two programs of then are not judged by two others" {
	run -1 grep -P '\tFig[.] 8\tverdict\t' "$BATS_TEST_DIRNAME/../../data/papers.tsv"
	grep -qP '\tFig[.] 8\tsince\t.*these are other programs' "$BATS_TEST_DIRNAME/../../data/papers.tsv"
}
