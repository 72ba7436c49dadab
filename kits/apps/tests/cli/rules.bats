#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of this kit's data/papers.tsv: what they say of made-up tables whose truth is known.

bats_require_minimum_version 1.5.0
load ../../../../tests/rules

@test "papers, kit apps: a player is spared only if it could have been throttled, and counts above the job" {
	local throttled episodes early late word
	while IFS='|' read -r throttled episodes early late word; do
		run -0 word_of "$BATS_TEST_DIRNAME/../../data/papers.tsv" "Fig. 9" <<-END
			{video: {summary: [("L", "H") as \$scheme | {\$scheme, job: "parallel", mult: "with", repeats: 3, player_tagged: $throttled,
				episodes: $episodes}], audio: [("xz", "mpv") as \$comm | [5, $early, 0.4], [10, $late, 0.4] |
				{scheme: "L", job: "parallel", s: .[0], \$comm, average: (if \$comm == "mpv" then .[1] else .[2] end)}]}}
		END
		echo "$throttled of $episodes, $early and $late: $output"
		[ "$output" = "$word" ]
	done <<-'END'
		0|12|3|90|as then
		0|12|0|90|as then, smaller
		0|12|0.1|0.2|cannot tell
		0|0|3|90|cannot tell
		3|12|3|90|no longer
	END
}

# The paper's job takes 3 to 20 % longer.
@test "papers, kit apps: a job that pays more than in the paper pays not as then" {
	local low high word
	while IFS='|' read -r low high word; do
		run -0 word_of "$BATS_TEST_DIRNAME/../../data/papers.tsv" "Fig. 4b" <<-END
			{launch: {summary: [("L", "H") as \$scheme | {\$scheme, job: "parallel", repeats: 5, job_rel: (($low + $high) / 2),
				job_rel_low: $low, job_rel_high: $high}]}}
		END
		echo "$low to $high: $output"
		[ "$output" = "$word" ]
	done <<-'END'
		1.05|1.15|as then
		1.85|1.95|as then, smaller
		1.15|1.25|as then, smaller
		1.01|1.05|cannot tell
		0.98|1.02|no longer
	END
}

# The paper: at best 31 % shorter, with the guest's help 41 %.
@test "papers, kit apps: visits that are shorter by more than in the paper, without and with isolation, are as then" {
	local plain isolated word
	while IFS='|' read -r plain isolated word; do
		run -0 word_of "$BATS_TEST_DIRNAME/../../data/papers.tsv" "Fig. 7" <<-END
			{browse: {summary: [["baseline", 1], ["L", $plain], ["H", $plain], ["L+iso", $isolated], ["H+iso", $isolated]
				| . as [\$scheme, \$v] | {\$scheme, repeats: 5, all_rel: \$v,
					all_rel_low: (0.95 * \$v), all_rel_high: (1.05 * \$v)}]}}
		END
		echo "$plain, $isolated: $output"
		[ "$output" = "$word" ]
	done <<-'END'
		0.4|0.4|as then
		0.4|0.65|as then, smaller
		0.8|0.5|as then, smaller
		1|1|cannot tell
		1.2|1.2|no longer
	END
}

# The paper: with the guest's help at most 2.2 % of the frames are dropped.
@test "papers, kit apps: a player that is exempt drops as few frames as then, whatever the weight" {
	local baseline exempt word
	while IFS='|' read -r baseline exempt word; do
		run -0 word_of "$BATS_TEST_DIRNAME/../../data/papers.tsv" "Fig. 8" <<-END
			{video: {summary: [["baseline", "none", $baseline], ["L", "with", $exempt], ["H", "with", $exempt]
				| . as [\$scheme, \$mult, \$v] | {\$scheme, \$mult, job: "parallel", repeats: 5, fps_per_s: \$v,
					fps_per_s_low: (\$v - 0.1), fps_per_s_high: (\$v + 0.1)}]}}
		END
		echo "$baseline, $exempt: $output"
		[ "$output" = "$word" ]
	done <<-'END'
		20|24|as then
		20|22|as then, smaller
		20|20|cannot tell
		20|18|no longer
	END
}

@test "papers, kit apps: a start is slower as then with more memory in use and, on each kind of swap, with less of it left" {
	local figure="Fig. 2" left zram used word
	# starts with 300 and 75 MB left, of them with zram, and beside memory in use: 16 MB and the most
	while IFS='|' read -r left zram used word; do
		run -0 word_of "$BATS_TEST_DIRNAME/../../data/papers.tsv" "$figure" <<-END
			{startup: {summary: [(["left", "cold", "disk", $left], ["left", "cold", "zram", $zram], ["used", "warm", "disk", $used])
				as [\$axis, \$start, \$swap, \$few, \$many]
				| [if \$axis == "left" then 300 else 16 end, \$few], [if \$axis == "left" then 75 else 4096 end, \$many]
				| (.[1] | about("startup_ms")) + {\$axis, \$start, \$swap, step: .[0], app: "mousepad"}]}}
		END
		echo "$left, $zram, $used: $output"
		[ "$output" = "$word" ]
	done <<-'END'
		1, 2|1, 3|1, 2|as then
		1, 2|1, 1|1, 2|as then, smaller
		2, 1|3, 1|1, 2|as then, smaller
		1, 2|1, 3|1, 1|cannot tell
		1, 2|1, 3|2, 1|no longer
	END
}
