# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - the views of an experiment's `table` file, as Markdown and for a terminal. Arguments: $table, the file's text.
include "say";
include "words";

def views: [$table | gsub("\n[ \t]+"; " ") | split("\n")[] | select(startswith("view "))
	| [match("\"[^\"]*\"|[^ \t]+"; "g").string | ltrimstr("\"") | rtrimstr("\"")]
	| (map(select(startswith("by="))) | first // "" | ltrimstr("by=")) as $by
	| {id: .[1], table: .[2], title: .[3], by: (if $by == "" then null else $by end),
		columns: (.[4:] | map(select(startswith("by=") or startswith("#") | not)))}];

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
	. as $doc | (.[$view.table] // [] | if $view.by == null then . else
		. as $all | distinct(.[$view.by]) | map(. as $v | $all[] | select(.[$view.by] == $v)) end) as $rows
			| (labels | .value //= {}) as $labels
	| ([$view.by // empty] + $view.columns | map(select(. as $c | any($rows[]; .[$c] != null)))) as $names
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

def markdown_cells: "| " + (map(. // "" | tostring | gsub("[|\n]"; " ")) | join(" | ")) + " |";
def markdown_table: if .rows == [] then empty else
	(.head | markdown_cells), (.right | map(if . then "--:" else ":--" end) | markdown_cells), (.rows[] | markdown_cells), "" end;

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
