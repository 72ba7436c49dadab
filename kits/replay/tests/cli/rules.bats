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
			def about(\$name): . as \$v | {(\$name): \$v, (\$name + "_low"): (\$v * 0.9), (\$name + "_high"): (\$v * 1.1)};
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

@test "papers, kit replay: two programs of then are not judged by two others" {
	run -1 grep -P '\tFig[.] 8\tverdict\t' "$BATS_TEST_DIRNAME/../../data/papers.tsv"
	grep -qP '\tFig[.] 8\tsince\t.*these are other programs' "$BATS_TEST_DIRNAME/../../data/papers.tsv"
}
