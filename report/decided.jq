# SPDX-License-Identifier: GPL-3.0-or-later
# decided.jq - how a decision of `judge`, and what it is between, are said: ab.sh and compare.sh.

# Three digits; below 1 two, however small.
def plain: if . == null then "?" elif . == 0 then 0 elif fabs >= 100 then round elif fabs >= 10 then . * 10 | round / 10
	elif fabs >= 1 then . * 100 | round / 100
	else (1 - (fabs | log10 | floor) | pow(10; .)) as $scale | . * $scale | round / $scale end | tostring;
def with_unit($u): if $u == "" or $u == "-" then . else . + " " + $u end;
def without_unit: gsub("_(ms|us|percent)$|(?<!_per)_s$"; "");
def name: (if .cell == "" then "" else "\(.cell): " end) + (.metric | without_unit | gsub("_"; " "));
def signed: if . != null and . > 0 then "+" + plain else plain end;
def change: .change_unit as $u | .change | signed | with_unit($u);
def interval: if .low == null then "unknown" else "\(.low | signed) to \(.high | signed)" end;
# What is not compared, [{cell, metric, ...}], in one line for all metrics of a cell that are not for the same reason.
def left_out(reason): group_by([.cell, reason])[] | .[0] + {because: (.[0] | reason),
	metric: (if length > 4 then "\(length) metrics" else map(.metric | without_unit) | join(", ") end)};
def why_not($a; $b): "\(.why)\(if .of then " in \(if .of == "a" then $a else $b end)" else "" end)";
# Of what was not alike in two runs, what may change their figures.
def decisive: del(.repeats, .until_sure, .label, .set_load_timeout);
# A file, and the options and programs of a variant in ab.json, seen from the tree of its revision.
def in_tree: sub(".*/thinprobe-ab\\.[^/]*/[ab]/"; "");
def variant: [.options, .server, .client, .root, (.commit | strings | .[:12])]
	| map(strings | select(. != "") | in_tree) | join(" ") | if . == "" then "as it is" else . end;
