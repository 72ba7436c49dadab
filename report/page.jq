# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of any experiment. Arguments: $readme and $table, texts of its files; $figures, stems of the SVGs.
include "say";
include "words";
include "table";

# ---- sections of README.md: "## NAME" and in it "### STEM: Title" ----
def section($name): ("\n" + $readme) | split("\n## ") | map(select(startswith($name + "\n"))) | first // ""
	| ltrimstr($name + "\n");
def parts: split("\n### ")[1:] | map(split("\n") | {name: (.[0] | split(":")[0]), title: (.[0] | split(": ")[1:] | join(": ")),
	text: (.[1:] | join("\n") | gsub("^\\s+|\\s+$"; ""))});
# Text with values of the run in it: nothing there is HTML, or the start of a link.
def safe: gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;") | gsub("\\["; "&#91;") | gsub("[\r\n]"; " ");
def paragraphs: gsub("^\\s+|\\s+$"; "");

# ---- facts as rows [what, value]: an object of plain values is one row; what changes all the time is no fact ----
def volatile: IN("taken", "uptime_s", "cpu_time", "load", "available_bytes", "swap_free_bytes", "says", "missing", "cannot",
	"not_here");
def plain_value: if . == true then "yes" elif . == false then "no" elif type == "array" then map(plain_value) | join(" ")
	else tostring end;
def leaves: [paths(type != "object" and type != "array") as $p
	| "\($p | map(tostring) | join(".")) \(getpath($p) | plain_value)"] | join(", ");
def facts($prefix): objects | to_entries[] | select(.value != null and (.key | volatile | not))
	| .key as $key | .value
	| if type == "object" then
		([to_entries[] | select(.value != null and (.value | type != "object") and (.key | volatile | not))
			| "\(.key) \(.value | plain_value)"] | join(", ")
			| select(. != "") | [$prefix + $key, .]),
		(to_entries[] | select((.value | type == "object") and (.key | volatile | not)) | ["\($prefix)\($key).\(.key)", (.value | leaves)]
			| select(.[1] != ""))
	  elif type == "array" then select(. != [])
		| [$prefix + $key, (map(if type == "object" then leaves else plain_value end) | join(", "))]
	  else [$prefix + $key, plain_value] end;
def fact_table($head; rows): [rows] | if . == [] then empty else {head: $head, right: [false, false], rows: .} | markdown_table end;

def figure_image: "![\(.title)](figures/\(.name).svg)", "", .text, "";
def details($title; lines): "<details><summary>\($title)</summary>", "", lines, "</details>", "";
def table_note($id): section("Tables") | "\n" + . | parts | map(select(.name == $id) | .text) | first // empty;

# What stands below the findings: experiment and run in numbers. Input: the document.
def conditions: .run as $run
	| fact_table(["setting", "value"]; ["command", $run.command // "?"], ["thinprobe", $run.version // "?"],
		["started", $run.started // "?"],
		["ended", $run.ended // "?"], ($run.settings | facts(""))),
	fact_table(["what", "value"]; ($run.protocol | facts("protocol: ")), ($run.protocols | facts("")), ($run.chain | facts("probe: ")),
		($run.calibration | facts("calibration: ")), ($run.lab | facts("lab: ")), ($run.host | facts("host: ")),
			($run.facts_after | facts("after: ")));

def page: . as $doc
	| ("\n" + section("Figures") | parts | map(select(.name | IN($figures[])))) as $shown
	| "# \(title | safe)", "", (setup | safe), "",
	"<div class=\"lead\">", "<div class=\"verdict\">", "", "> **\(verdict | safe)**", "", (notes[] | "> \(safe)", ">"), "", "</div>",
		"<div class=\"first\">", "",
	($shown[:1][] | figure_image), "</div>", "<div class=\"findings\">", "", "## Findings", "",
	(findings | to_entries[] | "\(.key + 1). \(.value.text | safe)"), "", "</div>", "</div>", "",
	(if $shown[1:] == [] then empty else "## Figures", "", ($shown[1:][] | "### \(.title)", "", figure_image) end),
	([views[] | . as $view | $doc | grid($view; true) | select(.rows != [] and (.head | length) > 2) | {view: $view, grid: .}]
		| if . == [] then empty else
		"## Results", "", "In brackets: 95 % confidence intervals. \">\" means more than that.", "",
		(.[] | "### \(.view.title)", "", (table_note(.view.id) | ., ""), (.grid | markdown_table)) end),
	(section("How it was measured") | paragraphs | select(. != "") | . as $text | details("How it was measured"; $text, "")),
	(not_here | select(. != []) | . as $list | details("Not on this machine"; ($list[] | "- \(safe)"), "")),
	details("Run conditions"; $doc | conditions),
	"Make this report again from the samples with `thinprobe report RUN`.";
def findings_file: {schema: "findings/1", verdict: verdict, findings: findings};

# Variables of figures.gp, as commands of gnuplot.
def figure_variables: {floor_ms: (.run.protocol.floor_ms // 0), threshold_ms: threshold} + (labels.figures // {}) | to_entries[]
	| "\(.key)=\(.value | if type == "string" then "\"" + gsub("[\"\\\\$`]"; "") + "\"" else tostring end);";
