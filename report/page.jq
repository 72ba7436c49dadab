# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of any experiment, and what the terminal shows of it. Arguments: $readme and $glossary, texts of
# files; $cells, names of cell folders; $html: with what only a browser can use: contents, links to files, the glossary.
include "say";
include "words";
include "safe";

# Input: the document. A cell's text, a column's heading.
def column_of($table; $name): first(.schema[] | select(.table == $table and .column == $name))
	// {heading: $name, unit: null, type: "real"};
def heading($table; $name): labels.heading[$name] // (column_of($table; $name) | .heading + if (.unit // "-") == "-"
	or .unit == "" then "" else ", \(.unit)" end);
def cell_number($c):
	if $c.unit == "%" then percent elif $c.type == "int" then plain elif fabs >= 99.95 then fixed(0)
	elif fabs >= 9.995 then fixed(1) else fixed([$c.decimals // 2 | tonumber? // 2, 2] | min) end;
def range_mark: "*";
def cell_text($c; $with_interval):	# input: a figure of the column $c; $c.words: for values
	def one: cell_number($c);
	if $c.type == "text" then if .value == null then "" else .value as $value | (.value / "/") as [$bare, $run]
		| $c.words[$value] // (if $run then $c.words[$bare] | values | "\(.)/\($run)" else empty end) // $value end
	elif at_least == null then .why | why_words
	elif is_unresolved then "<\(.least | number)"
	elif $with_interval == false and .both != null then .both | map(one) | if .[0] == .[1] then .[0] else join(", ") end
	else (if .above then ">\(at_least | one)" elif is_range then "\(.from | one) to \(.to | one)\(range_mark)" else .value
		| one end)
		+ if $with_interval and .low != null and .high != null then " (\(.low | one) to \(.high | one))"
			elif .both != null then " (\(.both | map(one) | join(", ")))" else "" end
	end;
def all_whole($rows; $name): all($rows[] | .[$name, $name + "_from", $name + "_to"] | values; type == "number" and . == round);
# The folder of a row's condition, by the axes of the run.
def axes_key($axes): [.[$axes[]] | tostring] | join("\t");
def folders: (.run.axes // []) as $axes | if $axes == [] then {} else
	[.run.cells[] | select(.name | IN($cells[]))
		| {key: (.parameters | axes_key($axes)), value: "cells/\(.name / "/" | map(@uri) | join("/"))"}]
		| from_entries end;
# Of rows the numbers of those where a condition breaks: the first of each group in which the column is surely above the limit. A
# group has the same values in the columns of the view that are left of the axis.
def breaks_claim($doc; $view): $view.breaks as [$_, $column, $most]
	| above($column; if $most == "threshold" then $doc | threshold else $most end);
def broken($view; $rows): . as $doc | disturbed_runs as $out | $view.breaks as [$axis] | if $axis == null then [] else
	([$view.by // empty] + ($view.columns | map(rtrimstr("?")) | .[:index($axis)])) as $group
	| [$rows | to_entries[] | .key as $i | .value | select((breaks_claim($doc; $view) | is($doc.judged)) == "yes"
			and (.run_name | IN($out[]) | not)) | {$i, group: [.[$group[]]]}]
	| group_by(.group) | map(.[0].i) end;
# What decides it, of the views that have such rows.
def breaks_words($view; $breaking): select($breaking != []) | $view.breaks as [$_, $column, $limit]
	| "Breaks: the first row in which \"\(heading($view.table; $column) | sub(",[^,]*$"; ""))\" is surely above"
		+ " \(if $limit == "threshold" then "\(threshold | plain) ms" else "\($limit)\(unit_of($column)
			| if . == "" then "" else " \(.)" end)" end), by the lower end of its interval"
		+ if any($breaking[]; figure($column).low == null) then ", or by its least value where there is none."
			else "." end;
# Rows of a view with rank=COLUMN, least first, those without a figure last; `at` is the condition in which they are compared.
# A column TABLE:COLUMN is of that table's row with the same text in the view's first column.
def ranking($view): undisturbed_runs | . as $doc | $view.columns[0] as $who
	| reduce ($view.at // {} | to_entries[] | [.key, .value]) as [$name, $which] (.[$view.table] // [];
		(map(.[$name] | values) | if $which == "least" then min elif $which == "most" then max else $which end) as $value
		| map(select(.[$name] == $value)))
	| map(. as $row | reduce ($view.columns[] | select(contains(":")) | split(":")) as [$table, $name] ($row;
		.[$name] = (first($doc[$table][]? | select(.[$who] == $row[$who])) // {})[$name]))
	| sort_by((figure($view.rank) | at_most) | . == null, .);
# Whether two of the rows of a ranking are told apart, at 95 % for all of its steps together; null: they cannot be compared.
def rank_claim($rows; $i; $j; $name): ([$rows[] | select(figure($name) | at_least != null)] | length) as $n
	| [$i, $j] | differs($rows[min]; $rows[max]; $name; [$n - 1, 1] | max);
def told_in($doc; $rows; $i; $j; $name): decided($doc; rank_claim($rows; $i; $j; $name)) | if . then holds else null end;
def apart_in($doc; $rows; $i; $j; $name): told_in($doc; $rows; $i; $j; $name) == true;
# Places as "1-3 5".
def places: reduce .[] as $i ([]; if length > 0 and .[-1][1] == $i - 1 then .[-1][1] = $i else . + [[$i, $i]] end)
	| map(unique | map(tostring) | join("-")) | join(" ");
def with_places($doc; $view; $rows): [$rows[] | figure($view.rank) | at_least != null] as $known
	| [range($rows | length) as $i | if $known[$i] | not then ["-", ""] else
		["\($i + 1)", ([range($rows | length) | select(. != $i and $known[.]
			and (apart_in($doc; $rows; .; $i; $view.rank) | not)) | . + 1] | places)] end] as $places
	| .head |= ["Rank"] + . + ["Not told apart from"] | .right |= [true] + . + [false]
	| .rows |= [to_entries[] | $places[.key] as [$place, $not_apart] | [$place] + .value + [$not_apart]]
	| .at |= if . == null then . else . + 1 end;
# A table of a run is shown where it has rows; a ranking, where there are two to rank.
def shown($view): (.[$view.table] // []) != []
	and ($view.rank == null or ([ranking($view)[] | select(figure($view.rank) | at_least != null)] | length > 1));
# What a percentile would need that is left out in some rows for too few keys.
def percentile_claim($name): $name | capture("(^|_)p(?<d>[0-9]{2,3})(_|$)").d | claim("percentile"; 1; {value: "0.\(.)"}; {});
def few_note($doc; $rows; $name; $heading): [$rows[] | select(.[$name + "_why"] == "too few")] as $few | select($few != [])
	| decided($doc; percentile_claim($name)) as $needs | [$few[].keys | values] as $keys
	| "\($heading | sub(",[^,]*$"; "")): needs \($needs.value | plural("key")) (ten beyond it)"
		+ (if $keys == [] then "" else "; there are \([$keys | min, max] | unique | map(plain) | join(" to "))" end)
		+ ". Its 95 % interval needs \($needs.high) independent keys; the keys of one stall count about as one.";
# Where a protocol's own wait (floor_ms) is most of a median response.
def protocol_of($doc): ($doc.run.protocols // {})[.protocol // ""] // $doc.run.protocol // {};
def floor_claim($doc; $name): protocol_of($doc).floor_ms as $floor | figure($name) | at_least | floor_is(0.5; $floor);
def floor_note($doc; $rows; $name): [$rows[] | select((floor_claim($doc; $name) | is($doc.judged)) == "yes") | .protocol as $of
	| protocol_of($doc) | .floor_ms as $floor
	| "\($of | if . then "\(.): " else "" end)\($floor | with_unit("ms")) of each response, on average, would be "
		+ "\(.floor_of // "half a frame of the server's clock") (by arithmetic, not measured)."] | unique[];
# Rows of text: {head: [...], right: [...], rows: [[...]], breaks: [numbers of rows], at: the column whose text is a link,
# links: [file or null, a row each], notes: [sentences below the table]}
def grid($view; $with_interval):
	. as $doc | (if $view.rank != null then ranking($view) else .[$view.table] // [] end
		| if $view.only == null then . else map(select((.[$view.only] // 0) != 0)) end
		| if $view.by == null then . else
		. as $all | distinct(.[$view.by]) | map(. as $v | $all[] | select(.[$view.by] == $v)) end) as $rows
			| (labels | .value //= {}) as $labels
	| (reduce ($view.columns[] | select(contains(":")) | split(":")) as [$table, $name] ({}; .[$name] = $table)) as $other
	# of several runs, their names, where no other column has them
	| ([.run.joined // empty, "protocol", "cell"] | any(IN($view.by // "", ($view.columns[] | rtrimstr("?"))))) as $named
	| ([$view.by // empty] + (if $named or all($rows[]; .run_name == null) then [] else ["run_name"] end) + $view.columns
		| map((split(":")[-1] | rtrimstr("?")) as $c | select(any($rows[]; figure($c)
			| at_least != null or .why != null))
		| select(endswith("?") | not or ($rows | distinct(.[$c]) | length > 1)
			or (($doc | column_of($view.table; $c).better) == "lower" and any($rows[]; (.[$c] // 0) != 0)))
				| $c)) as $names
	| (any($rows[]; .state // "complete" | IN("complete", "measured") | not) and ($names | index("state") | not)) as $state
	| [$names[] as $name | ($other[$name] // $view.table) as $table | ($doc | column_of($table; $name)) as $c
		| {$name, heading: ($doc | heading($table; $name)), unit: $c.unit, decimals: $c.decimals,
			words: ($labels.value[$name] // {} | if $with_interval or $name == $view.by or all(.[]; length <= 24) then .
				else {} end),
		   type: (if $c.type != "text" and all_whole($rows; $name) then "int" else $c.type end)}] as $columns
	| (.run.axes // []) as $axes | (if $with_interval and $html then folders else {} end) as $folders
	| ($doc | if unusable then [] else broken($view; $rows) end) as $breaks
	| [$rows[] | [figure($names[])]] as $values
	| {at: ([$names | to_entries[] | select(.value | IN($axes[])) | .key] | last),
	   links: [$rows[] | $folders[axes_key($axes)]],
	   head: ($columns | map(.heading) + if $state then ["State"] else [] end),
	   right: ($columns | map(.type != "text") + if $state then [false] else [] end),
	   rows: [$rows | to_entries[] | .key as $i | .value as $row
		| [range($columns | length) as $j | $columns[$j] | .name as $name
			| if $name == $view.by and $i > 0 and $rows[$i - 1][$name] == $row[$name] then "" else
				. as $c | $values[$i][$j] | cell_text($c; $with_interval) end]
		+ if $state then [$row.state] else [] end],
	   $breaks, notes: [($doc | breaks_words($view; [$rows[$breaks[]]])),
		(if any($values[][]; is_range and (is_unresolved | not)) then
			"\(range_mark): known as a range only, from the earliest to the latest possible time." else empty end),
		($columns[] | few_note($doc; $rows; .name; .heading)),
		if $view.floor then floor_note($doc; $rows; $view.floor) else empty end,
		(if $with_interval and any($rows[] | lacks_interval($names[]); .) then "2 repeats: no interval." else empty end)]}
	| if any(.rows[][] | strings; test("(^|\\()-?[0-9.]+, -?[0-9.]+\\)?$")) then
		.notes += ["a, b: the values of two repeats, which have no interval."] else . end
	| if $view.rank == null then . else with_places($doc; $view; $rows) end;

# ---- for a terminal: columns from the left as far as they fit into 80; groups of `by` under a line of their own ----
def pad($width; $right): (" " * ($width - length) // "") as $space | if $right then $space + . else . + $space end;
def wrap($width): reduce splits(" (?!%)") as $word ([];
	if length > 0 and (.[-1] + " " + $word | length) <= $width then .[:-1] + [.[-1] + " " + $word] else . + [$word] end);
def line_of($cells; $columns): "  " + ([$columns[] | .width as $w | .right as $r | $cells[.c] // "" | pad($w; $r)] | join("  "))
	| sub(" +$"; "");
def terminal_table($grouped):
	. as $g | (if $grouped then 1 else 0 end) as $from | "  <- breaks here" as $mark
	| (80 - if $g.breaks == [] then 0 else $mark | length end) as $most
	| [range($from; $g.head | length) as $c
		| {$c, width: ([$g.rows[][$c] | length] + [$g.head[$c] | splits(" (?!%)") | length] | max),
			right: ($g.right[$c] and ($c > $from or ($grouped | not)))}]
	| (reduce .[] as $c ({width: 0, columns: []};
		if .done or .width + $c.width + 2 > $most then .done = true else .width += $c.width + 2 | .columns += [$c] end)
			| .columns) as $columns
	| ([$columns[] | .width as $w | $g.head[.c] | wrap($w)]) as $heads | ($heads | map(length) | max) as $lines
	| (range($lines) as $l | [range($g.head | length) | ""] | reduce range($columns | length) as $i (.;
		.[$columns[$i].c] = ([range($lines) | ""] + $heads[$i])[-$lines:][$l]) | line_of(.; $columns)),
	  ($g.rows | to_entries[] | .key as $i | .value | (if $grouped and .[0] != "" then .[0] | wrap(80)[] else empty end),
		line_of(.; $columns) + if $g.breaks | index($i) then $mark else "" end),
	  ($g.notes[] | wrap(78)[] | "  " + .);

# ---- the run before this one: the headline column of the first view, where it has no number any more, or else changed most ----
def headline($view): . as $doc | [$view.columns[]? | rtrimstr("?") | . as $c | $doc | column_of("summary"; $c)
	| select(.better // "" | IN("lower", "higher"))] | first(sort_by(.unit == "%")[]);
def rows_before: (.run.axes // []) as $axes | [(.previous // [])[] | {key: axes_key($axes), value: .}] | from_entries;
def previous_note: select(unusable == null) | . as $doc | (.run.axes // []) as $axes
	| first(views | select(($doc[.table] // []) != [] and .table == "summary")) // null | . as $view
	| $doc | headline($view) | . as $c | .column as $name
	| ($doc | rows_before) as $was
	| ($doc.summary | length) as $pairs | [$doc.summary[] | {now: ., was: ($was[axes_key($axes)] // {})}
		| .is = decided($doc; differs(.was; .now; $name; $pairs))] | map(select(.is)) as $known
	| def is_number: figure($name) | (.value | type == "number") and (.above | not);
	  map(select((.was | is_number) and (.now | figure($name) | .above or .why == "overloaded"))) as $lost
	| (map(select([.now, .was] | all(is_number)) | .by = ([.now[$name], .was[$name]] | map(fabs + 0.001) | .[0] / .[1] | log
		| fabs))
		| max_by([(.is | holds), .by])) as $most
	| ($lost[0] // $most | values) as $one
	| "**Previous run** with these settings (\($doc.before | .[:16] | sub("T"; " "))): \($doc | heading("summary"; $name))"
		+ " \($one.was[$name] | cell_number($c)) then, "
		+ if $lost != [] then "\($one.now | figure($name) | cell_text($c; false)) now" else
			"\($one.now[$name] | cell_number($c)) now, where it \(if $one.is | holds then "surely " else "" end)changed most" end
		+ ([$axes[] | . as $a | select(($doc.summary | distinct(.[$a]) | length) > 1) | "\($doc | heading("summary"; $a)) "
				+ ($one.now[$a] | tostring | ($doc | labels).value[$a][.] // .)]
			| if . == [] then "" else " (\(join(", ")))" end)
		+ (if $lost[1] then ", and in \($lost | length - 1) more a number then, none now" else "" end)
		+ (if $known == [] then "; not compared, as no condition has an interval then and now." else
			"; told apart in \($known | map(select(.is | holds)) | length) of \($known | length | plural("condition"))"
				+ ($pairs - ($known | length) | if . == 0 then "." else " (not compared, without an interval then or now: \(.))." end) end);

# The verdict, after what a ranking says: "On 10 Mbit/s, round trip 80 ms: rdp first (86.1 ms); vnc and x11 cannot be told apart."
def rank_verdict: . as $doc | first(views | select(.rank != null and (. as $view | $doc | shown($view)))) // null
	| values | . as $view | ($doc | ranking($view)) as $all
	| [$all[] | select(figure($view.rank) | at_least != null)] as $rows
	# a group ends where each row above is told apart from each row below
	| (reduce range($rows | length) as $i ([]; if $i > 0 and (all(range($i) as $j | range($i; $rows | length)
			| apart_in($doc; $rows; $j; .; $view.rank); .) | not) then .[-1] += [$i] else . + [[$i]] end)) as $groups
	| def who: .[$view.columns[0]] + (unanswered_words | if . == "" then "" else " (\(ltrimstr(", ")))" end);
	  def name: "\(.[$view.columns[0]]) (\(figure($view.rank) | figure_words)\(unanswered_words))";
	  ([$view.at // {} | select($doc.run.settings.link // "" | contains(",") | not) | keys_unsorted[] as $name
		| $rows[0][$name] | select(type == "number" and . != 0)
		| . as $value | $doc | column_of("summary"; $name)
			| "\(.heading | ascii_downcase) \($value | plain) \(.unit)"]) as $at
	| "On \([($doc | link_words) // (if $doc.run.differs.link then "different links" else "this link" end), $at[]]
			| join(", ")): "
		+ ([$groups | to_entries[] | .key as $i | .value | . as $group | map($rows[.])
			| if length > 1 then ([$group[] as $j | $group[] | select(. > $j) | told_in($doc; $rows; $j; .; $view.rank)]
				| unique) as $told
				| (if any($told[]; .) then "all " else "" end) as $all | map(if $i == 0 then name else who end)
					| and_list
					+ if $told | index([null]) then
						" are not \(if $told == [null] then "" else "all " end)compared (no interval)"
						else " cannot \($all)be told apart" end
			elif $i == 0 then "\(.[0] | name) first" elif $i == ($groups | length) - 1 then "\(.[0] | name) last"
			else "then \(.[0] | name)" end] | join("; ")) + "."
		+ ([$all[] | select(figure($view.rank) | at_least == null) | who]
			| if . == [] then "" else " No figure for \(and_list)." end);
def full_verdict: unusable as $why | if $why then "Not usable: \($why)" else
	undisturbed_runs | if one_by_one then [each_run(answered(decisions; .judged) | verdict) | "\(.name): \(.words)"]
		else [rank_verdict, (verdict | select(. != ""))] end | join(" ") end;
# Of a disturbed run no finding is sure, and none is bold.
def all_findings: disturbed as $disturbed | undisturbed_runs
	| if one_by_one then [each_run(answered(decisions; .judged) | findings[]) | .name as $name | .words
			| .of = .id | .id += "-\($name)" | .text |= "\($name): \(.)"]
		| distinct(.of) as $ids | [$ids[] as $id | .[] | select(.of == $id) | del(.of)] else findings end
	| if $disturbed then map(.verdict = "unsure" | .text |= gsub("\\*\\*"; "")) else . end;
# What is said in findings.json, at the end of a run and on both pages: most of the time goes into it.
def said: {verdict: full_verdict, findings: all_findings, notes: (notes + [previous_note | values])};

# The document with the column `before` behind the headline column of the view: that column's figures in the run before this one;
# and the columns of the view with it, where there is such a figure.
def beside_before($view): (.run.axes // []) as $axes | rows_before as $was
	| ([select($view.table == "summary") | headline($view)] | .[0]) as $c
	| def in_it: $was[axes_key($axes)] // {} | with_entries(select(.key | . == $c.column or (startswith($c.column + "_")
		and (ltrimstr($c.column) | test("^_(low|high|both|above|from|to|why|least)$")))) | .key |= "before" + ltrimstr($c.column));
	  if $c == null or $was == {} or all(.summary[]; in_it | figure("before") | at_least == null) then [., $view.columns]
	  else [(.summary |= map(. + in_it) | .schema += [$c + {column: "before", heading: "Before"}]),
		($view.columns | map(., if rtrimstr("?") == $c.column then "before" else empty end))] end;

# All that is to be decided before anything is said: rows of claims/1.
def claimed: . as $doc
	| (views | select(.rank != null) as $view | ($doc | ranking($view)) as $rows | range($rows | length) as $j | range($j) as $i
		| rank_claim($rows; $i; $j; $view.rank)),
	(first(views | select(.table == "summary" and ($doc[.table] // []) != [])) as $view
		| ($doc | headline($view)).column as $name | ($doc | rows_before) as $was | select($was != {})
		| ($doc.summary | length) as $pairs | (.run.axes // []) as $axes
		| .summary[] | differs($was[axes_key($axes)] // {}; .; $name; $pairs)),
	(views | select(.breaks != null) | . as $view | $doc[.table] // [] | .[] | breaks_claim($doc; $view)),
	(views | select(.floor != null) | . as $view | $doc[.table] // [] | .[] | floor_claim($doc; $view.floor)),
	(.schema[].column | percentile_claim(.)), questions(decisions),
	(undisturbed_runs | if one_by_one then each_run(questions(decisions), claims).words else claims end);

# At the end of a run: the first view that has rows; then what a person reads below it.
def bare: gsub("\\*\\*|`"; "");
def terminal_view: . as $doc
	| first(views | select(. as $view | $doc | shown($view))) | . as $view
	| $doc | beside_before($view) | . as [$with, $columns]
	| (if $columns != $view.columns then "Before: \($doc.before_name)" else empty end),
	  ($with | grid($view + {$columns}; false) | terminal_table($view.by != null));
# Of a run of one cell: the first two figures of the first view of the summary that has any; of several rows, the last (most load).
def terminal_cell: . as $doc | (.run.axes // []) as $axes
	| first(views | select(.table == "summary") | [.columns[] | rtrimstr("?") as $name
		| ($doc | column_of("summary"; $name) ) as $c
		| select($c.type != "text" and ($c.unit // "-" | . != "-" and . != "") and ($axes | index($name) | not))
		| $doc.summary[-1] | select(figure($name) | at_least != null)
		| "\($doc | heading("summary"; $name) | sub(",[^,]*$"; "") | ascii_downcase) \(figure($name) | cell_text($c; false)) \($c.unit)"]
		| select(. != [])) | .[:2] | join(", ");
def terminal_verdict: (.verdict, .notes[]) | bare;	# input: what `said` gives
def terminal_words: said | (.verdict | bare), (.findings | to_entries[] | "\(.key + 1). \(.value.text | bare)"), (.notes[] | bare);

# ---- sections of README.md, and of what it shares: "## NAME" and in it "### STEM: Title" ----
def trimmed: gsub("^\\s+|\\s+$"; "");
def section($name): ("\n" + $readme) | split("\n## ")
	| map(select(startswith($name + "\n")) | "\n" + (ltrimstr($name + "\n") | trimmed)) | add // "";
def parts: split("\n### ")[1:] | map(split("\n") | {name: (.[0] | split(":")[0]), title: (.[0] | split(": ")[1:] | join(": ")),
	text: (.[1:] | join("\n") | trimmed)});

# ---- a grid as a table ----
def markdown_cells: "| " + (map(. // "") | join(" | ")) + " |";
def page_table: . as $grid | if .rows == [] then empty else (.head | map(cell_safe) | markdown_cells),
	(.right | map(if . then "--:" else ":--" end) | markdown_cells),
	(.rows | to_entries[] | .key as $i | .value | map(. // "" | cell_safe)
		| if $html and $grid.at != null and ($grid.breaks // [] | index($i)) then .[$grid.at] += "<i class=\"breaks\"></i>"
			else . end
		| if $grid.links[$i] == null or $grid.at == null then . else .[$grid.at] |= "[\(.)](\($grid.links[$i]))" end
		| markdown_cells), "", (.notes // [] | select(. != []) | join(" ") | safe, "") end;

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
		(to_entries[] | select((.value | type == "object") and (.key | volatile | not))
			| ["\($prefix)\($key).\(.key)", (.value | leaves)]
			| select(.[1] != ""))
	  elif type == "array" then select(. != [])
		| [$prefix + $key, (map(if type == "object" then leaves else plain_value end) | join(", "))]
	  else [$prefix + $key, plain_value] end;
def fact_table($head; rows): [rows] | select(. != []) | {head: $head, right: [false, false], rows: .} | page_table;

# The parts of these figures. One of NAME-* is of each that begins so, whose titles end in the rest; its text stands once.
def parts_of($figures): ("\n" + section("Figures")) | parts[] | . as $part
	| if .name | endswith("*") then (.name | rtrimstr("*")) as $head
		| [$figures[] | select(startswith($head))] | sort | to_entries[] | .key as $i | .value as $name
		| $part | .name = $name | .title += ": \($name | ltrimstr($head))" | if $i > 0 then .text = "As above." else . end
	  else select(IN(.name; $figures[])) end;
def table_note($id): section("Tables") | "\n" + . | parts | map(select(.name == $id) | .text) | first // empty;
# ($kept: null, or the figures that a kept run has beside its report.md)
def figure_image($kept): if $html or $kept == null or IN(.name; $kept[]) then "![\(.title)](figures/\(.name).svg)"
	else "*\(.title)*: `thinprobe report` draws figures/\(.name).svg." end, "",
	.text + if $html then " <a href=\"figures/\(.name).svg\">SVG</a>" else "" end, "";
def titled_figure($kept): "### \(.title)", "", figure_image($kept);
def table_of_view: "### \(.view.title)", "", (table_note(.view.id) | ., ""), (.grid | page_table),
	(if $html then "<p class=\"file\"><a href=\"\(.view.table).tsv\">\(.view.table).tsv</a></p>", "" else empty end);

# What stands below the findings: experiment and run in numbers. Input: the document. Of the host after the run only what differs.
def conditions: .run as $run | threshold_source as $source
	| fact_table(["setting", "value"]; ["command", $run.command // "?"], ["thinprobe", $run.version // "?"],
		["started", $run.started // "?"],
		["ended", $run.ended // "?"],
		($run.settings | if $source then .threshold += " (\($source))" else . end | facts(""))),
	fact_table(["what", "value"]; [$run.host | facts("")] as $before
		| ($run | if .protocol then .protocol | facts("protocol: ") else .protocols | facts("") end),
		($run.chain | facts("probe: ")),
		($run.calibration | facts("calibration: ")), ($run.lab | facts("lab: ")), ($before[] | .[0] |= "host: \(.)"),
		($run.facts_after | facts("") | select(IN($before[]) | not) | .[0] |= "after: \(.)"));

# The words of GLOSSARY.md, without its links.
def glossary: $glossary | split("\n## ")[1:] | map("### " + .) | join("\n")
	| gsub("\\[(?<words>[^\\]]*)\\]\\([^)]*\\)"; .words) | trimmed;

# Sections: {id, title, lines}; those that are folded tell their titles themselves.
def section_head($id; $title): if $html then "<h2 id=\"\($id)\">\($title)</h2>" else "## \($title)" end, "";
def open_section($id; $title; lines): [lines] | select(. != []) | {$id, $title, lines: ([section_head($id; $title)] + .)};
def folded_section($id; $title; lines): [lines] | select(. != []) | {$id, $title,
	lines: (["<details id=\"\($id)\"><summary>\($title)</summary>", ""] + . + ["</details>", ""])};
def sections($figures): . as $doc | .run.kept.figures as $kept
	| [parts_of($figures)][1:] as $shown
	| [views | . as $view | $doc | select(shown($view)) | grid($view; true) | select(.rows != [] and (.head | length) > 2)
		| {view: $view, grid: .}] as $tables
	| (if $html and $tables != [] then $shown[:1] else [] end) as $aside	# a figure that stands beside the first table
	| open_section("summary"; "Summary"; if $tables == [] then empty else
		"In brackets: 95 % confidence intervals. \">\" means more than that.", "",
		($aside[] | "<div class=\"beside\">", "<div>", ""), ($tables[0] | table_of_view),
		($aside[] | "</div>", "<div class=\"aside\">", "", titled_figure($kept), "</div>", "</div>", "") end),
	open_section("figures"; "Figures"; ($shown - $aside)[] | titled_figure($kept)),
	folded_section("results"; "Full results"; $tables[1:][] | table_of_view),
	folded_section("method"; "How it was measured"; section("How it was measured") | trimmed | select(. != "") | ., ""),
	folded_section("left-out"; "Not on this machine"; not_here[] | "- \(safe)"),
	folded_section("conditions"; "Run conditions"; conditions),
	(select($html) | folded_section("glossary"; "Glossary"; glossary, ""));

def page_title: if one_by_one then [each_run(title).words] | if unique | length == 1 then .[0] else .[0] / ": " | .[0] end
	else title end;
def page_setup: if one_by_one then [repeats_words, run_words] | sentence else setup end;
# $now: {said, figures}, what the filter `said` gave of this document, and stems of the SVGs.
def page($now): $now.said as $said | $now.figures as $figures | . as $doc | [sections($figures)] as $sections
	| ([parts_of($figures)] | first) as $first
	| "# \(page_title | safe)", "", (page_setup | safe), "",
	(if $html then "<nav><a href=\"#findings\">Findings</a>" + ([$sections[] | " <a href=\"#\(.id)\">\(.title)</a>"] | add)
		+ "</nav>", "" else empty end),
	"<div class=\"lead\">", "<div class=\"verdict\(if unusable then " unusable" else "" end)\">", "",
	"> \($said.verdict | safe | if startswith("Not usable:") then sub("^Not usable:"; "**Not usable:**") else "**\(.)**" end)",
		"",
	($said.notes[] | "> \(safe)", ">"), "", "</div>", "<div class=\"first\">", "",
	($first | values | figure_image($doc.run.kept.figures)), "</div>",
	"<div class=\"findings\">", "", section_head("findings"; "Findings"),
	($said.findings | to_entries[] | "\(.key + 1). \(.value.text | safe)"
		+ (.value.figure // "" | if $html and IN($figures[]) then
		" <a href=\"#figure-\(.)\">figure</a>" else "" end)), "", "</div>", "</div>", "",
	(.run.runs | values | "## Runs", "", ({head: ["Run", "Host", "Started", "State", "Repeats", "Kernel", "CPU", "Where",
		"Folder"],
		right: [false, false, false, false, true, false, false, false, false],
		rows: map([.name, .host, .started, .state, .repeats, .kernel, .cpu, .on, .folder])} | page_table)),
	$sections[].lines[],
	"Make this report again from the samples with `thinprobe report RUN\(if .run.runs then " RUN..." else "" end)`.";
