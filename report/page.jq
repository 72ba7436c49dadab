# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of any experiment, and what the terminal shows of it. Arguments: $readme and $table, texts of its files;
# $figures, stems of the SVGs; $html: with tables in HTML, as cmark has none.
include "say";
include "words";

# ---- views of `table` ----
def views: [$table | gsub("\n[ \t]+"; " ") | split("\n")[] | select(startswith("view "))
	| [match("\"[^\"]*\"|[^ \t]+"; "g").string | ltrimstr("\"") | rtrimstr("\"")]
	| def word($name): first(.[] | select(startswith($name)) | ltrimstr($name)) // null;
	  {id: .[1], table: .[2], title: .[3], by: word("by="), only: word("only="),
		columns: (.[4:] | map(select(test("^(by=|only=|#)") | not)))}];

# Input: the document. A cell's text, a column's heading.
def column_of($table; $name): first(.schema[] | select(.table == $table and .column == $name))
	// {heading: $name, unit: null, type: "real"};
def heading($table; $name): labels.heading[$name] // (column_of($table; $name) | .heading + if (.unit // "-") == "-"
	or .unit == "" then "" else ", \(.unit)" end);
def cell_number($c):
	if $c.type == "int" then plain elif $c.unit == "%" then percent elif fabs >= 99.95 then fixed(0)
	elif fabs >= 9.995 then fixed(1) else fixed([$c.decimals // 2 | tonumber? // 2, 2] | min) end;
def cell_text($c; $with_interval):	# input: a figure of the column $c; $c.words: for values, $c.least: what cannot be resolved
	if .value == null then "" elif $c.type == "text" then $c.words[.value] // .value
	elif $c.least != null and .value < $c.least and (.to // .value) < $c.least then "<\($c.least | number)"
	else (if .above then ">" else "" end) + (.value | cell_number($c))
		+ if $with_interval and .low != null and .high != null then " (\(.low | cell_number($c)) to \(.high | cell_number($c)))"
			else "" end
	end;
def all_whole($rows; $name): all($rows[]; .[$name] | . == null or (type == "number" and . == round));
# Rows of text: {head: [...], right: [...], rows: [[...]]}
def grid($view; $with_interval):
	. as $doc | (.[$view.table] // [] | if $view.only == null then . else map(select(.[$view.only] != null)) end
		| if $view.by == null then . else
		. as $all | distinct(.[$view.by]) | map(. as $v | $all[] | select(.[$view.by] == $v)) end) as $rows
			| (labels | .value //= {}) as $labels
	| ([$view.by // empty] + $view.columns | map(rtrimstr("?") as $c | select(any($rows[]; .[$c] != null))
		| select(endswith("?") | not or ($rows | distinct(.[$c]) | length > 1)) | $c)) as $names
	| (any($rows[]; .state // "complete" | IN("complete", "measured") | not) and ($names | index("state") | not)) as $state
	| [$names[] as $name | ($doc | column_of($view.table; $name)) as $c
		| {$name, heading: ($doc | heading($view.table; $name)), unit: $c.unit, decimals: $c.decimals,
			words: ($labels.value[$name] // {} | if $with_interval or $name == $view.by or all(.[]; length <= 24) then . else {} end),
		   least: ($labels.least // {})[$name],
		   type: (if $c.type != "text" and all_whole($rows; $name) then "int" else $c.type end)}] as $columns
	| {head: ($columns | map(.heading) + if $state then ["State"] else [] end),
	   right: ($columns | map(.type != "text") + if $state then [false] else [] end),
	   rows: [$rows | to_entries[] | .key as $i | .value as $row
		| [$columns[] | .name as $name
			| if $name == $view.by and $i > 0 and $rows[$i - 1][$name] == $row[$name] then "" else
				. as $c | $row | figure($name) | cell_text($c; $with_interval) end]
		+ if $state then [$row.state] else [] end]};

# ---- for a terminal: columns from the left as far as they fit into 80; groups of `by` under a line of their own ----
def pad($width; $right): (" " * ($width - length) // "") as $space | if $right then $space + . else . + $space end;
def wrap($width): reduce splits(" ") as $word ([];
	if length > 0 and (.[-1] + " " + $word | length) <= $width then .[:-1] + [.[-1] + " " + $word] else . + [$word] end);
def line_of($cells; $columns): "  " + ([$columns[] | .width as $w | .right as $r | $cells[.c] // "" | pad($w; $r)] | join("  "))
	| sub(" +$"; "");
def terminal_table($grouped):
	. as $g | (if $grouped then 1 else 0 end) as $from
	| [range($from; $g.head | length) as $c
		| {$c, width: ([$g.rows[][$c] | length] + [$g.head[$c] | splits(" ") | length] | max),
			right: ($g.right[$c] and ($c > $from or ($grouped | not)))}]
	| (reduce .[] as $c ({width: 0, columns: []};
		if .done or .width + $c.width + 2 > 80 then .done = true else .width += $c.width + 2 | .columns += [$c] end)
			| .columns) as $columns
	| ([$columns[] | .width as $w | $g.head[.c] | wrap($w)]) as $heads | ($heads | map(length) | max) as $lines
	| (range($lines) as $l | [range($g.head | length) | ""] | reduce range($columns | length) as $i (.;
		.[$columns[$i].c] = ([range($lines) | ""] + $heads[$i])[-$lines:][$l]) | line_of(.; $columns)),
	  ($g.rows[] | (if $grouped and .[0] != "" then .[0] else empty end), line_of(.; $columns));

# At the end of a run: the first view that has rows; then what a person reads below it.
def bare: gsub("\\*\\*|`"; "");
def terminal_view: . as $doc
	| first(views[] | select(($doc[.table] // []) != [])) | . as $view | $doc | grid($view; false) | terminal_table($view.by != null);
def terminal_words: (verdict | bare), (findings | to_entries[] | "\(.key + 1). \(.value.text | bare)"), (notes[] | bare);

# ---- sections of README.md: "## NAME" and in it "### STEM: Title" ----
def trimmed: gsub("^\\s+|\\s+$"; "");
def section($name): ("\n" + $readme) | split("\n## ") | map(select(startswith($name + "\n"))) | first // ""
	| ltrimstr($name + "\n");
def parts: split("\n### ")[1:] | map(split("\n") | {name: (.[0] | split(":")[0]), title: (.[0] | split(": ")[1:] | join(": ")),
	text: (.[1:] | join("\n") | trimmed)});
# Text with values of the run in it: nothing there is HTML, or the start of a link.
def safe: gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;") | gsub("\\["; "&#91;") | gsub("[\r\n]"; " ");

# ---- a grid as a table; in HTML an interval in brackets is grey ----
def markdown_cells: "| " + (map(. // "" | tostring | gsub("[|\n]"; " ")) | join(" | ")) + " |";
def html_cells($tag; $right): "<tr>" + ([., $right] | transpose | map("<\($tag)\(if .[1] then " class=\"r\"" else "" end)>"
	+ (.[0] // "" | tostring | gsub("[|]"; " ") | safe) + "</\($tag)>") | add) + "</tr>";
def grey_ends: gsub("(?<ends> \\(-?[0-9.]+ to [^()]*\\))</td>"; "<small>\(.ends)</small></td>");
def page_table: .right as $right | if .rows == [] then empty elif $html then
	"<div class=\"table\"><table><thead>", (.head | html_cells("th"; $right)), "</thead><tbody>",
	(.rows[] | html_cells("td"; $right) | grey_ends), "</tbody></table></div>", ""
	else (.head, (.right | map(if . then "--:" else ":--" end)), .rows[] | markdown_cells), "" end;

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
def fact_table($head; rows): [rows] | if . == [] then empty else {head: $head, right: [false, false], rows: .} | page_table end;

def figure_image: "![\(.title)](figures/\(.name).svg)", "", .text, "";
def details($title; lines): "<details><summary>\($title)</summary>", "", lines, "</details>", "";
def table_note($id): section("Tables") | "\n" + . | parts | map(select(.name == $id) | .text) | first // empty;

# What stands below the findings: experiment and run in numbers. Input: the document.
def conditions: .run as $run | threshold_source as $source
	| fact_table(["setting", "value"]; ["command", $run.command // "?"], ["thinprobe", $run.version // "?"],
		["started", $run.started // "?"],
		["ended", $run.ended // "?"],
		($run.settings | if $source then .threshold += " (\($source))" else . end | facts(""))),
	fact_table(["what", "value"]; ($run | if .protocol then .protocol | facts("protocol: ") else .protocols | facts("") end),
		($run.chain | facts("probe: ")),
		($run.calibration | facts("calibration: ")), ($run.lab | facts("lab: ")), ($run.host | facts("host: ")),
			($run.facts_after | facts("after: ")));

def page: . as $doc
	| ("\n" + section("Figures") | parts | map(select(.name | IN($figures[])))) as $shown
	| "# \(title | safe)", "", (setup | safe), "",
	"<div class=\"lead\">", "<div class=\"verdict\">", "", "> **\(verdict | safe)**", "", (notes[] | "> \(safe)", ">"), "", "</div>",
		"<div class=\"first\">", "",
	($shown[:1][] | figure_image), "</div>", "<div class=\"findings\">", "", "## Findings", "",
	(findings | to_entries[] | "\(.key + 1). \(.value.text | safe)"), "", "</div>", "</div>", "",
	(.run.runs | values | "## Runs", "", ({head: ["Run", "Host", "Started", "State", "Repeats", "Kernel", "CPU", "Where", "Folder"],
		right: [false, false, false, false, true, false, false, false, false],
		rows: map([.name, .host, .started, .state, .repeats, .kernel, .cpu, .on, .folder])} | page_table)),
	(if $shown[1:] == [] then empty else "## Figures", "", ($shown[1:][] | "### \(.title)", "", figure_image) end),
	([views[] | . as $view | $doc | grid($view; true) | select(.rows != [] and (.head | length) > 2) | {view: $view, grid: .}]
		| if . == [] then empty else
		"## Results", "", "In brackets: 95 % confidence intervals. \">\" means more than that.", "",
		(.[] | "### \(.view.title)", "", (table_note(.view.id) | ., ""), (.grid | page_table)) end),
	(section("How it was measured") | trimmed | select(. != "") | . as $text | details("How it was measured"; $text, "")),
	(not_here | select(. != []) | . as $list | details("Not on this machine"; ($list[] | "- \(safe)"), "")),
	details("Run conditions"; $doc | conditions),
	"Make this report again from the samples with `thinprobe report RUN\(if .run.runs then " RUN..." else "" end)`.";
def findings_file: {schema: "findings/1", verdict: verdict, findings: findings};

# Variables of figures.gp, as commands of gnuplot.
def figure_variables: {floor_ms: (.run.protocol.floor_ms // 0), threshold_ms: threshold} + (labels.figures // {}) | to_entries[]
	| "\(.key)=\(.value | if type == "string" then "\"" + gsub("[\"\\\\$`]"; "") + "\"" else tostring end);";
