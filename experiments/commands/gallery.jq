# SPDX-License-Identifier: GPL-3.0-or-later
# gallery.jq - what the pages of the gallery share (gallery_papers.jq, gallery_desktops.jq). Input: lines {plan: [name, minutes,
# command, variable that must be set]}, {fact: [FILE:LINE, a row of data/papers.tsv or data/desktops.tsv]} and {kept: {name, folder,
# run, verdict, figures, tables}}, where a program computed it {kept: {name, command, picture, tables}}; $docs is the folder of the
# documents. {judged} is what judge says of the claims behind the verdicts; without it the output is these claims. $strict 1: a row
# that a verdict needs and that a kept run lacks is an error, if the run is of today's plan.
include "words";
include "trains";
def trimmed: gsub("^\\s+|\\s+$"; "") | gsub("\\s+"; " ");
def safe: gsub("\\|"; "\\|");
def slug: ascii_downcase | gsub("[^a-z0-9 _-]"; "") | gsub(" "; "-");
def doc($name): if $docs == "." then $name else "\($docs)/\($name)" end;
def minutes_words: if . < 60 then "\(. | fixed(0)) min" else "\(. / 60 | floor) h \(. % 60) min" end;

# ---- numbers of ours: rows of a kept run's table that meet "column=value|value column!=value ...", in a text with {column} ----
# Responses that a run's own page calls not to be relied on are absent.
def table_rows($name): (.run.analysis_unsure != null and $name != "schema") as $unsure | .tables[$name] // [] | .[0] as $head
	| .[1:] | map([$head, .] | transpose | map({key: .[0], value: .[1]}) | from_entries)
	| if $unsure | not then . elif $name == "summary" then
		map(with_entries(if .key | test("^(p[0-9]+_|max_ms|late_|ratio|points|slower|faster)") then .value = "" else . end))
	  else [] end;
# Of each column of each table its type, unit and heading.
def with_kinds: .kinds = (table_rows("schema") | group_by(.table) | map({key: .[0].table,
	value: map({key: .column, value: .}) | from_entries}) | from_entries);
def kinds($table): .kinds[$table] // {};
# (+ 0: jq 1.7 writes a number as it was read.)
def typed: with_entries(.value as $v | .value = if $v == null or $v == "" then null else ($v | (tonumber? + 0) // $v) end);
# Of a run with trains of keys the summary with NAME_least, below which its own page shows no number.
def with_least: if .run.chain == null then . else
	[{run, summary: (table_rows("summary") | map(typed))} | resolve | .summary[] | with_entries(select(.key | endswith("_least")))]
		as $least
	| ($least | map(keys) | add // [] | unique) as $more
	| .tables.summary |= (reduce range($least | length) as $i (.[0] += $more;
		.[$i + 1] += [$more[] as $c | $least[$i][$c] // "" | tostring])) end;
def meeting($where): reduce ($where / " " | .[] | select(. != "") | capture("^(?<c>[^=!]*)(?<other>!?)=(?<v>.*)$")) as $w (.;
	if $w.v == "max" then (map(.[$w.c] | tonumber? // empty) | max) as $most | map(select((.[$w.c] | tonumber?) == $most))
	else ($w.v / "|" | . + map(tonumber?)) as $v
		| map(select((.[$w.c] | IN($v[]) or ((tonumber? // null) | IN($v[]))) == ($w.other == ""))) end);
# A figure in one unit: what has an end of 9.95 s and more, in s; one without a unit with three digits, as in the run's own tables.
def in_one_unit: if .unit == "ms" and any((.value, .from, .to, .high, .both[]?) | values; fabs >= 9950)
	then scaled(0.001) | .unit = "s" else . end;
def ratio_words: (.value | fabs | if . >= 99.95 then 0 elif . >= 9.95 then 1 else 2 end) as $decimals
	| def words: fixed($decimals);
	  (.value | words) + if .both then " (two repeats: \(.both[0] | words) and \(.both[1] | words))"
		elif .low == null or .high == null then "" else " (\(.low | words) to \(.high | words))" end;
def size_words: if . < 10485760 then "\(. / 1024 | fixed(0)) KiB" else "\(. / 1048576 | fixed(0)) MiB" end;
def value_words($row; $kinds): . as $name | if $row | has($name) | not then "no column \($name)" else
	($kinds[$name].unit // "" | if . == "-" then "" elif . == "1/s" then "/s" elif . == "ms2" then "ms²" else . end) as $unit
	| if $kinds[$name].type == "text" then $row[$name]
	elif $unit == "B" and ($row[$name] | type) == "number" then $row[$name] | size_words
	elif $unit == "bytes" and ($row[$name] | type) == "number" then "\($row[$name] | thousands) bytes"
		+ if $row[$name + "_low"] == null then ""
			else " (\($row[$name + "_low"] | thousands) to \($row[$name + "_high"] | thousands))" end
	elif $kinds == {} then $row[$name] | if type == "number" and . != round then fixed(2) else tostring end	# computed
	elif $kinds[$name].type == "int" then ($row[$name] | plain) + if $unit == "" then "" else " \($unit)" end
	else $row | figure($name) | .unit = $unit | if $unit == "" and .value != null and (.value | fabs) >= 0.1 and (.above | not)
		then ratio_words else in_one_unit | figure_words + figure_interval | sub("95 % CI "; "") end end end;
# The rows that have all columns of the text.
def rows_with($text; $table; $where): [$text | scan("\\{([a-z0-9_]+)\\}")[]] as $columns
	| table_rows($table) | meeting($where)[] | typed | . as $row
	| select(all($columns[]; . as $c | [$row[$c, "\($c)_from", "\($c)_why"] | values] != [] or ($row | has($c) | not)));
# Input: the text; its words for each row that has all of its columns, null if none has.
def words_of($kept; $table; $where): . as $text | ($kept | kinds($table)) as $kinds
	| [$kept | rows_with($text; $table; $where) as $row | $text | gsub("\\{(?<c>[a-z0-9_]+)\\}"; .c | value_words($row; $kinds))]
	| if . == [] then null else join("<br>") end;

# The same as rows of a table: {label, value, interval} for each number of each row. In the text "HEAD: WORDS {column} WORDS; ..."
# the head names the row, with columns in it; what stands around another column up to the next separator names its number.
def piece: capture("^(?<after>.*?)(?:\\)[;,]? and |\\)[;,]? ?| \\(|[;,] and |[;,] )(?<before>.*)$")
	// capture("^(?<after>.*?)(?: and | to )(?<before>.*)$") // {after: ., before: ""};
def pieces: [scan("\\{[a-z0-9_]+\\}|[^{]+")] | reduce .[] as $t ({all: [], before: ""};
		if $t | startswith("{") then .all += [{column: $t[1:-1], before, after: ""}] | .before = ""
		elif .all == [] then .before = $t
		else ($t | piece) as $p | .all[-1].after = $p.after | .before = $p.before end)
	| if .all == [] then [{before}] else .all end;
def is_measure($kinds): ($kinds[.].type // "real") != "text";
def cells_of($kept; $table; $where): . as $text | ($kept | kinds($table)) as $kinds
	| (if $text | test("^[^;(]*: ") then $text | capture("^(?<head>[^;(]*): (?<rest>.*)$")
		else {head: "", rest: $text} end) as {$head, $rest}
	| [$kept | rows_with($text; $table; $where) as $row
		| def filled: gsub("\\{(?<c>[a-z0-9_]+)\\}"; .c | value_words($row; $kinds) | sub(" \\(.*"; ""));
		  ($rest | gsub("\\{(?<c>[a-z0-9_]+)\\}"; if .c | is_measure($kinds) then "{\(.c)}" else .c | value_words($row; $kinds) end)
			| pieces) as $pieces
		| $pieces[] | . as $p | {before, after} | map_values(. // "" | trimmed | sub("[:;,]$"; "")) as {$before, $after}
		| ([$before, $after] - [""] | join(" … ") | if . == "" and ($pieces | length) > 1
			then $kinds[$p.column].heading // $p.column | ascii_downcase else . end) as $name
		| ($p.column | values | value_words($row; $kinds) | capture("^(?<value>[^(]*?)( \\((?<interval>.*)\\))?$")) as $words
		| {label: ([$head | filled, $name] - [""] | join(": ")), value: ($words.value // ""), interval: ($words.interval // "")}]
	| if . == [] then null else . end;

def fact: [., ["at", "paper", "figure", "what", "text", "table", "where", "ours"]] | transpose
	| map({key: .[1], value: (.[0] // "")}) | from_entries
	| .run = ((.table / "/")[0] // "") | .table = ((.table / "/")[1] // "");
def short_note: if .run.settings.quick == true then " (a short run, no result)" else "" end;
def report_link: "[\(.name)](\(.folder)/report.md)";
# What speaks against a kept run, as on its own page: too few repeats, or interference that was not watched; conditions that were
# disturbed; most of them.
def is_unwatched: {run} | unwatched_note != null;
def has_few_repeats: {run} | preliminary_note != null;
def why_preliminary: [(select(has_few_repeats) | {run} | repeats_words), (select(is_unwatched) | "interference unknown")];
def not_usable: .run and ({run} | disturbed);
def flagged: {run} | flagged_cells | length;
def doubt_note: . as $k | [(why_preliminary | select(. != []) | "preliminary: \(join(", "))"),
		("not usable" | select($k | not_usable)),
		("response times not to be relied on" | select($k.run.analysis_unsure)),
		($k | flagged | select(. > 0) | "\(.) of the conditions flagged")]
	| if . == [] then "" else " (\(join("; ")))" end;
# Of runs: what speaks against any of them, in words, and in brackets.
def doubts: . as $runs | [("preliminary" | select(any($runs[]; why_preliminary != []))),
		("not usable" | select(any($runs[]; not_usable))),
		("flagged" | select(any($runs[]; flagged > 0 and (not_usable | not))))];
def bracketed: if . == [] then "" else " (\(join(", ")))" end;
# ---- verdicts: rows `verdict`, of each word what is to hold of the rows that are picked as above; judge decides, in its order ----
# Conditions are joined by " and ": COLUMN < or > NUMBER, or NUMBER times COLUMN of the same row, or of rows picked by TABLE and
# column=value (where {column} is that of the row); COLUMN = FROM..TO. "some" before one: at least one row, not all.
def verdict_words: ["as then", "as then, smaller", "no longer"];
def condition: "[0-9]+([.][0-9]+)?" as $number
	| capture("^(?<some>some )?(?<column>[a-z0-9_]+) (?<sign>[<>]) (?<by>\($number))"
		+ "( (?<than>[a-z][a-z0-9_]*)(?<table> [a-z0-9-]+/[a-z]+)?(?<where>( [^ =]+=[^ ]+)*))?$")
	// (capture("^(?<some>some )?(?<column>[a-z0-9_]+) = (?<from>\($number))\\.\\.(?<to>\($number))$")
		| select((.from | tonumber) <= (.to | tonumber)));
def conditions: .ours / " and " | map(condition);
def refused($why): error({$why, at});
# Input: a rule, of a verdict or of a sentence. Of a run that is not kept, or a short one, or one of an older plan
# that lacks its rows, it decides nothing; nor of one that its own page calls not usable.
def is_rule: .what == "verdict" or (.what | IN("since", "answer")) and .ours != "";
def run_names: [.run, (conditions[].table // "" | trimmed / "/" | .[0] | values | select(. != ""))] | unique;
def behind($runs): [run_names[] as $name | first($runs[] | select(.name == $name and .run.settings.quick != true))];
def is_there($runs): . as $rule | behind($runs) as $kept | ($kept | length) == (run_names | length)
	and ($kept[] | select(.name == $rule.run) | .planned or ([table_rows($rule.table) | meeting($rule.where)[]] != []));
def is_usable($runs): is_there($runs) and all(behind($runs)[]; not_usable | not);
# Has each repeat a flag of the conditions that a row is of, those with its parameters?
def is_disturbed($kept): . as $row | [$kept.run.cells[]? | select(.parameters // {} | to_entries
		| all(.value as $v | $row[.key] // $v | . == $v or (tonumber? // null) == $v))]
	| . != [] and all((.flags // [] | length) as $n | $n > 0 and $n >= (.complete // 0));
# Are two runs not to be compared? Their display servers had different frame clocks, which are part of each response (a run of
# several protocols has no `protocol`), or, of a time, their machines had different CPUs.
def are_unlike($a; $b; $unit): . as $row | def differ(what): [$a, $b | what | values] | unique | length > 1;
	  differ((.run.protocols[$row.protocol // ""]? // .run.protocol).frame_rate_per_s?)
		or ($unit | IN("s", "ms", "us", "ns")) and differ(.run.host.cpu.model?);
def picked($runs; $run; $table; $where; $column): . as $rule | first($runs[] | select(.name == $run)) as $kept
	| first($runs[] | select(.name == $rule.run)) as $base
	| ($kept.tables[$table][0] // []) as $head
	| (($column, ($where / " " | .[] | select(. != "") | capture("^(?<c>[^=!]*)").c)) | select(IN($head[]) | not)
		| . as $name | $rule | refused("\($run)/\($table) has no column \($name)")),
	  ([$kept | table_rows($table) | meeting($where)[]] as $rows | if $rows != [] then
		($kept | kinds($table)[$column].unit) as $unit
		| $rows[] | if is_disturbed($kept) or are_unlike($kept; $base; $unit) then .["?"] = true else . end	# (no column)
	  elif $strict == "1" and $kept.planned then refused("\($run)/\($table) has no row \($where)") else {} end);
# A figure of a table; none where each repeat was disturbed, where what it is compared with has another clock or CPU, where it has
# an interval, but too few repeats for that, nor what was measured once and has none. Of two both are its ends: judge knows. (A
# least or largest value is of all.)
def is_of_too_few($column; $kinds): if has($column + "_low") then .[$column + "_low"] == null and .[$column + "_both"] == null
		and ($column | test("max") | not)
	else .repeats == 1 and ($kinds[$column].better // "" | IN("lower", "higher")) and ($column | test("min|max") | not) end;
def ends($column; $kinds): first((typed | select((.["?"] or is_of_too_few($column; $kinds)) | not) | figure($column)
	| with_both), {});
def kinds_in($runs; $run; $table): first($runs[] | select(.name == $run)) | kinds($table);
def unit_in($kinds; $column): $kinds[$column].unit // "" | select(. != "" and . != "-");
# The claims of its conditions, each a row of claims/1 with what its rules need: {part, some, claim}.
def asked($runs): . as $rule | [conditions | to_entries[] | .key as $part | .value as $c
	| {part: ($part + 1), some: (if $c.some then 1 else 0 end)} + {claim: (
	$rule | kinds_in($runs; .run; .table) as $kinds
	| picked($runs; .run; .table; .where; $c.column) as $row | ($row | ends($c.column; $kinds)) as $a
	| if $c.sign == null then claim("within"; 1; $a; {from: ($c.from | tonumber), to: ($c.to | tonumber)}) else
		(if $c.than == null then {value: ($c.by | tonumber)} else
			($c.where | gsub("\\{(?<c>[a-z0-9_]+)\\}"; $row[.c] // "")) as $where | ($c.table // "" | trimmed / "/") as [$run, $table]
			| kinds_in($runs; $run // .run; $table // .table) as $than_kinds
			| if [unit_in($kinds; $c.column), unit_in($than_kinds; $c.than)] | unique | length > 1 then
				refused("\($c.column) and \($c.than) have different units") else . end
			| (if $where == "" and $c.table == null and ($row | has($c.than)) then $row
				else $rule | picked($runs; $run // .run; $table // .table; $where; $c.than) end)
			| ends($c.than; $than_kinds) | scaled($c.by | tonumber) end) as $b
		| if $c.sign == ">" then claim("above"; 1; $a; $b) else claim("above"; 1; $b; $a) end end)}];
# Input: rules of a figure, or one of a sentence. Those of a run that is not there, or not usable, are left out: they lower no word.
def rule_claims($runs; $whole): .[0].id as $of | to_entries[] | .key as $rule | .value | select(is_usable($runs))
	| (.text as $word | verdict_words | index([$word]) // 0) as $says | asked($runs)[]
	| "\(.claim)\t\($of)\t\($rule + 1)\t\(.part)\t\($says)\t\(.some)\t\(if $whole then 1 else 0 end)";
# Its word: $judged has what judge says of rules, by the number of the first of them. Conditions that a kept run lacks ($lacks)
# lower it, a run that is not there does not. rules: those of its word; awaits: the runs of those that were left out; doubts: of
# runs behind a rule, and of those that the figure shows ($shown).
def verdict($runs; $judged; $lacks; $shown): . as $rules | $judged["\(.[0].id)"] as $decided
	| {rules: [], awaits: [], doubts: []} + if . == [] then {word: "nothing to compare"}
	elif $decided then map(select(.text == $decided.by))
		| {word: (if any($lacks[]; .there) then $decided.verdict else $decided.by end), rules: map(select(is_usable($runs))),
			awaits: (map(select(is_there($runs) | not) | run_names[]) - [$runs[] | select(.planned).name] | unique)}
	elif any(.[]; is_there($runs)) then {word: "cannot tell"} else {word: "not run yet"} end
	| ([$rules[] | select(is_there($runs)) | behind($runs)[]] | unique_by(.name) | map(select(.run))) as $behind
	| (.rules != [] and all(.rules[] | behind($runs)[]; .run | not)) as $computed
	| .doubts = [("computed" | select($computed))] + ($behind + $shown | doubts);
def said_verdict: sub(", smaller"; " but smaller or in part");
def bold_verdict: "**\(.word | said_verdict)**\(.doubts | bracketed)";
def rule_words: "`\(.run)/\(.table)\(if .where == "" then "" else " " + .where end): \(.ours)`";

# ---- what a figure needs to be whole: rows `needs`, of which each column is to have a value in a row of each condition ----
# Input: a fact; which of its conditions, column=VALUE|VALUE, lack a row with these columns, and how many there are.
def lacking($runs): . as $fact | [$fact.ours | scan("\\{([a-z0-9_]+)\\}")[]] as $columns
	| [reduce ($fact.where / " " | .[] | select(. != "") | capture("^(?<c>[^=]*)=(?<v>.*)$")) as $w ([];
		[if . == [] then "" else .[] end | if . == "" then . else . + " " end + "\($w.c)=\($w.v / "|" | .[])"])
		| if . == [] then "" else .[] end] as $all
	| first(($runs[] | select(.name == $fact.run and .run.settings.quick != true)), null) as $kept
	| [$all[] | . as $where | select([$kept | values | table_rows($fact.table) | meeting($where)[] | typed
		| . as $row | select(all($columns[]; $row[.] != null or $row[. + "_from"] != null))] == [])] as $lack
	| {$lack, of: ($all | length), text: $fact.text, there: ($kept != null), table: "\($fact.run)/\($fact.table)"}
	| select($lack != []);
def lacking_words: .text + if .there | not then "" else " (`\(.table)` lacks "
	+ (if .lack[0] == "" then "the columns" else "`\(.lack[0])`" end)
	+ (.lack | length - 1 | if . > 0 then " and \(.) more" else "" end) + ")" end;

# Input: the facts about the figure. It is shown where a kept run or a program has a number of it.
def rules: [.[] | select(.what == "verdict")];
def lacks($all): [.[] | select(.what == "needs") | lacking($all)];
# Input: a column; its range over these rows, in words.
def range_of($rows; $kinds): . as $c | if $kinds[$c].type == "text" then [$rows[][$c] | values] | unique | and_list else
	[$rows[] | figure($c) | select(at_least != null)] | if . == [] then "not known" else
		(map(at_least) | min) as $low | (map(at_most // infinite) | max) as $high
		| (if $high == infinite then "more than " else "" end)
			+ ([$low, ($high | select(. != infinite))] | unique | map(if . == round then plain else number end) | join(" to "))
			+ ($kinds[$c].unit // "" | if IN("", "-") then "" else " \(.)" end) end end;
# A sentence stands where its rule holds, if it has one; of several with rules of the same rows, the first. A {column} is that of
# its row, or the range over its rows.
def sentences($all; $judged): [.[] | select(.what | IN("since", "answer"))
		| select((is_rule | not) or $judged["\(.id)"].by == verdict_words[0])]
	| [to_entries[] | if .value | is_rule then .group = "\(.value.run) \(.value.table) \(.value.where)" else .group = "\(.key)" end]
	| [group_by(.group)[][0]] | sort_by(.key) | [.[].value | . as $f | .text
		| if test("\\{") then (first($all[] | select(.name == $f.run)) | . as $kept
			| [table_rows($f.table) | meeting($f.where)[] | typed] as $rows | if ($rows | length) == 1 then
				$f.text | words_of($kept; $f.table; $f.where) else kinds($f.table) as $kinds
				| $f.text | gsub("\\{(?<c>[a-z0-9_]+)\\}"; .c | range_of($rows; $kinds)) end) else . end | values] | join(" ");
def sentence_claims($runs): .[] | select(.what != "verdict" and is_rule) | [.] | rule_claims($runs; true);

# ---- the input: {plan, kept, facts, judged}. Of a fact that is wrong, as `more` or its rule says, an error tells the line ----
def read_lines(more):
	{plan: [.[].plan | values], kept: [.[].kept | values | with_kinds | with_least], facts: [.[].fact | values | fact],
		judged: (first((.[].judged | values), null) | if . then .result.figures // [] | map({key: "\(.of)", value: .}) | from_entries
			else . end)}
	| . as $all | .kept |= map(.planned = (.run == null or ([.name, .run.command] | IN($all.plan[] | [.[0], .[2]]))))
	| .facts |= [to_entries[] | .value + {id: (.key + 1)}]
	| . as $all | first((.facts[] | select(.run | . != "" and (IN($all.plan[][0], $all.kept[].name) | not))
			| "\(.at): data/gallery.tsv has no run \(.run)"),
		more,
		(.facts[] | . as $fact | .where / " " | .[] | select(. != "" and (test("^[^=!]+!?=.") | not)) | "\($fact.at): what is \(.)?"),
		(.facts[] | select(.what == "needs" and (.ours | test("\\{[a-z0-9_]+\\}") | not)) | "\(.at): which {column} does it need?"),
		(.facts[] | select(is_rule)
			| if .what == "verdict" and (.text | IN(verdict_words[]) | not) then "\(.at): no verdict is called \(.text)"
				elif (.ours / " and " | length) != (conditions | length) then "\(.at): what is \(.ours)?"
				else try (select(is_there($all.kept)) | asked($all.kept)[] | empty) catch "\(.at): \(.why)" end), null) as $wrong
	| if $wrong then "thinprobe: \($wrong)\n" | halt_error(1) else $all end;
# Of a run that is planned.
def command_words: "\(if .[3] == "" then "" else .[3] + " " end)\(.[2])";
