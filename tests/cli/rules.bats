#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of data/papers.tsv: what they say of made-up tables whose truth is known. An interval reaches a tenth to each side.

bats_require_minimum_version 1.5.0
load ../rules

# expect_words FIGURE TABLES: standard input has a row CASE|WORD for each case, and TABLES, in jq, uses the values of CASE as $v.
expect_words() {
	local values word
	while IFS='|' read -r values word; do
		run -0 word_of "$BATS_TEST_DIRNAME/../../data/papers.tsv" "$1" <<-END
			[${values// /, }] as \$v | $2
		END
		echo "$values: $output"
		[ "$output" = "$word" ]
	done
}

@test "papers: a mean stall grows in proportion to the hogs only if 20 of them stall, and 50 more than twice as long" {
	# of vim in its own group and in that of the hogs, beside 0, 20 and 50
	expect_words "Fig. 3" '{"stalls-protocols": {summary: [["light", 0], ["grouped", 3] | . as [$app, $at]
		| [0, 0], [20, 1], [50, 2] | . as [$sinks, $i]
		| ($v[$at + $i] | about("hold_wire_mean_stall_ms")) + {protocol: "vnc", $app, $sinks}]}}' <<-'END'
		0.1 2 8 0.1 2 8|as then
		0.1 2 8 0.1 0.1 8|as then, smaller
		0.1 2 8 0.1 0.05 8|as then, smaller
		0.1 2 8 0.1 5 8|as then, smaller
		1 1 1 1 1 8|as then, smaller
		1 1 1 1 1 1|cannot tell
		1 1 1 2 1 1|cannot tell
		2 1 1 2 1 1|no longer
	END
}

@test "papers: the jitter of vim makes a word as then, that of an application of a set cost does not" {
	# jitter of vim alone and beside the hogs, of the other application alone and beside them, the longest latency
	expect_words "Fig. 4" '{"stalls-protocols": {summary: [([0, 0], [1, 50]) as [$at, $sinks] | ("light", "heavy") as $app
		| ($v[$at + if $app == "light" then 0 else 2 end] | about("hold_wire_jitter_sd_ms"))
			+ {protocol: "vnc", $app, $sinks, latency_max_ms: $v[4]}]}}' <<-'END'
		2 50 1 60 1500|as then
		2 50 1 60 900|as then, smaller
		2 50 1 1 1500|as then
		2 2 1 60 1500|as then, smaller
		2 2 1 1 1500|cannot tell
		4 2 5 1 1500|no longer
	END
}

@test "papers: the memory of a session is smaller as then only by as much as then" {
	# of X11, of RDP
	expect_words "Table in 5.1.1, a" '[["x11", 0], ["rdp", 1]] | map(. as [$protocol, $i] | {key: "session-memory-\($protocol)",
		value: {summary: [$v[$i] | about("private_mb") + {system: "\($protocol).light", logins: 1}]}}) | from_entries' <<-'END'
		1 4|as then
		3 4|as then, smaller
		1.7 4|as then, smaller
		4 4|cannot tell
		6 4|no longer
	END
}

@test "papers: a link that no load makes slower is no full link of then" {
	# 60 % and the highest load, of each transport; with a queue of 50 ms none reaches the 55 ms of then
	expect_words "Fig. 8" '{rtt: {summary: [("random", "tcp", "reno") as $transport | (0, 1) as $i
		| ($v[{random: 0, tcp: 2, reno: 4}[$transport] + $i] | about("mean_ms"))
			+ {$transport, load: (if $i == 0 then 60 elif $transport == "random" then 96 else 110 end)}]}}' <<-'END'
		1 9 1 30 1 70|as then, smaller
		1 9 1 30 1 20|as then, smaller
		1 1 1 30 1 20|cannot tell
		1 9 2 1 1 20|no longer
	END
	# then, it grew below a full link, beside TCP
	expect_words "Fig. 9" '{rtt: {summary: [["random", 60, 0], ["random", 96, 1], ["tcp", 60, 2], ["tcp", 96, 3], ["tcp", 110, 4],
		["reno", 60, 5], ["reno", 110, 6] | . as [$transport, $load, $i]
		| ($v[$i] | about("variance_ms2")) + {$transport, $load}]}}' <<-'END'
		1 9 1 9 30 1 70|as then
		1 9 1 1 30 1 70|as then, smaller
		1 9 1 1 1 1 70|cannot tell
		1 9 2 1 1 1 70|no longer
	END
}
