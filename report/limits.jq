# SPDX-License-Identifier: GPL-3.0-or-later
# limits.jq - conditions of --fail-if and limits of `gate` in words: which columns and conditions they speak of (fail.sh). What they
# come to is decided by `judge --limits`.
include "words";
include "safe";

# Columns that tell how well was measured, such as how late the load generator was.
def is_quality: test("^(late_p[0-9]+|lateness|left_late|started_late|load_behind|generator|probe|capture|foreign|steal"
	+ "|disturbed)_");

# The columns of schema/1 (input: its text), and those that are numbers.
def columns: [split("\n")[] | select(. != "") / "\t" | {table: .[1], column: .[2], type: .[3], unit: .[4], better: .[6],
	heading: .[7]} | map_values(. // "")];
def limit_columns: columns
	| map(select((.type | IN("text", "type") | not) and (.column | test("_(low|high|above|from|to|why)$") | not)));

# The conditions, or the lines of a file, as {where, text, name, op, value, unit, cells}; and each with its column, or its `error`.
def parsed($asked; $file):
	{us: 1e-6, ms: 1e-3, s: 1, m: 60, min: 60, h: 3600} as $times
	# classes of columns, the nearest to the name first; in the summary p50 is latency_p50_ms, late is late_share_percent
	| def hits($n): map(select(.column | is_quality | not)) as $measured
		| map(select(.column == $n))[:1],
			($measured | map(select(any(.column | ., sub("^latency_|_share(?=_percent$)"; "");
					ltrimstr($n) | test("^_(us|ms|s|percent|per_s|bytes|kb|mb)$")))),
				map(select(.heading | ascii_downcase == $n)),
				map(select(.column | startswith($n + "_")))),
			map(select(if .column | is_quality then .column | startswith($n + "_")
				else "_\(.column)_" | contains("_\($n)_") end)
				| .part = true);
	def columns($n): first((map(select(.table == "summary")), .) | hits($n) | select(. != [])) // [] | unique_by(.column);
	def wrong($what): {error: $what};
	def number: "(?<value>[0-9]+([.][0-9]+)?) *(?<unit>[A-Za-z%/0-9]*)";
	def name: "(?<name>[A-Za-z][A-Za-z0-9_]*)";
	def read($pattern; $want): . + ((.text | capture($pattern)) // wrong($want));
	def asked: if $file then
		[$asked / "\n" | to_entries[] | {where: "\($file), line \(.key + 1)", text: .value}
			| select(.text | test("^[ \t\r]*(#|$)") | not)
			| read("^[ \t]*\(name)[ \t]+(?<cells>[^ \t]+)[ \t]+(?<op><=?|>=?)[ \t]+"
				+ "\(number | sub(" \\*"; ""))[ \t\r]*(#.*)?$"; "want METRIC CELLS OP VALUE, such as: late * <= 1%")
			| .text |= [splits("[ \t\r]+") | select(. != "")][:4] | .text |= join(" ")]
		else [$asked | splits(",") | {where: "--fail-if \(.)", text: .}
			| read("^ *\(name) *(?<op><=?|>=?) *\(number)(@(?<cells>[A-Za-z0-9_.:*?-]+))? *$";
				"want NAME>NUMBER with its unit, such as p95>150ms or late>1%")
			| .op |= {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[. // ""]] end;
	. as $all | asked as $lines
	| ($lines | map(select(.error | not).name) | unique | map({key: ., value: (ascii_downcase as $n | $all | columns($n))})
		| from_entries) as $columns
	| $lines | map(. as $p | if .error then . else $columns[.name] as $found | $found[0] as $c
		| (($c.unit // "-") | if . == "" then "-" else . end) as $unit | ($times[$unit]) as $by
		| $p + if $c == null then wrong("no column \($p.name)") + {unknown: $p.name}
		elif $found[1] or $c.part then wrong("which \($p.name)? \($found | map(.column) | join(", "))")
		elif $by and $p.unit == "" and $p.value != "0" then wrong("which unit? \($p.value)ms or \($p.value)s")
		elif $by and $p.unit != "" and $times[$p.unit] == null then wrong("\($c.column) is a time, such as 150ms")
		elif $by == null and $p.unit != "" and $p.unit != $unit then
			wrong("\($c.column) " + if $unit == "-" then "has no unit" else "is in \($unit)" end)
		else $c + {$unit, bound: (($p.value | tonumber)
			* if $by and $p.unit != "" then $times[$p.unit] / $by else 1 end)} end
	end);

# The rows of each condition with their figures: {notes, limits: [{text, op, bound, column, rows: [{of, figure, endless}]}]}. An
# overloaded condition, or one whose requests failed, is slower than any limit. One without a figure for another reason is named,
# and so is one whose load generator was not valid, but for what tells of the measurement itself.
def limited($asked; $columns; $run): ($run.axes // []) as $axes
	| def type_of($table; $column): first($columns[] | select(.table == $table and .column == $column).type) // "text";
	def in_doubt($column): (.invalid // 0) > 0 and ($column | is_quality or IN("invalid", "failed", "marked", "repeats") | not);
	def endless($column): if in_doubt($column) then null elif figure($column).why == "overloaded" then "overloaded"
		elif .requests != null and (mostly_answered | not)
			and ($column | test("^((response|p[0-9]+|max)_ms|late_percent)$")) then failed_words else null end;
	# A percentile without an interval may be as large as lower ones may.
	def percentile($column): [$column | capture("^(?<of>(.*_)?)p9[59]_ms$") | (.of // "") + ("p90", "p95") + "_ms_high"] as $lower
		| . as $row | figure($column) | if .low == null and .both == null and .value != null then
			.high = ([.value, ($row[$lower[]] | values)] | max) | .bare = true else . end;
	def named($cells): gsub("[/: ]"; "-") | test("^" + ($cells | gsub("(?<c>[].+^$(){}|\\\\[])"; "\\\(.c)")
		| gsub("[/:]"; "-") | gsub("\\*"; ".*") | gsub("\\?"; ".")) + "$");
	# whether a row is of one of these cells, a pattern of their names in run.json
	def of_cells($cells): . as $row | $cells == null or ([$axes[] | $row[.] | values | tostring | select(. != "")]
		| join("-") | named($cells));
	def condition($a): . as $row | [$axes[] | . as $axis | $row[$axis] | values
		| if type == "number" then (first($columns[] | select(.table == $a.table and .column == $axis)) // {})
			| if (.unit // "") | IN("", "-") then "\($row[$axis] | plain) \(.heading // $axis)"
				else "\(.heading) \($row[$axis] | plain) \(.unit)" end else tostring end] | join(", ");
	(. / "\f" | map(split("\n") | map(select(. != "") | split("\t"))
		| {key: .[0][0], value: (.[0][0] as $table | .[1] as $head | .[2:] | map([$head, .] | transpose
			| map(type_of($table; .[0]) as $type | {key: .[0], value: (if .[1] == "" then null
				elif $type == "text" then .[1] else (.[1] | tonumber? | select(isnan | not)) // null end)}) | from_entries))})
		| from_entries) as $tables
	| {notes: [$tables + {run: $run} | (unusable | values | "NOT USABLE: \(.)"), (unusable_runs | "NOT USABLE: \(.)"),
		(.run.counts | select(.total != null and .complete != null and .complete < .total)
			| "INCOMPLETE: \(.complete) of \(.total) measurements were made.")], limits: [$asked[] | . as $a
		| {text, op, bound, column, unmatched: (.cells != null and ([$run.cells[]?.name] | . != [] and all(named($a.cells) | not))),
			rows: [$tables[$a.table] // [] | .[] | select(of_cells($a.cells))
			| {of: condition($a), bare: (has($a.column + "_low") and .repeats != null
				and (figure($a.column) | .low == null and .value != null)),
			endless: endless($a.column), figure: (if in_doubt($a.column) then {why: "the load generator was not valid"}
				elif is_of_answered($a.column) then {why: "of answered keys alone"} else percentile($a.column) end
				| .unit = ($a.unit | ltrimstr("-")) | .least = null)}
			# of what is better when higher, overloaded is the least
			| .end = (if .endless == null then null elif $a.better == "higher" then 0 else infinite end)]}]};

# The same as a table of limits/1.
def limits_table: ["schema", "limit", "op", "bound", "from", "to", "low", "high"],
	(.limits | to_entries[] | .key as $i | .value as $a
	| (if $a.rows == [] then {figure: {}} else $a.rows[] end) | ["limits/1", $i, $a.op, $a.bound]
		+ if .end != null then [.end, .end, null, null] else (.figure | [at_least, if .above then null else at_most end,
			.low // (.both // [] | min) // if .bare then .value else null end, .high // (.both // [] | max)]) end)
	| @tsv;

# What judge decided of each limit as lines [STATE, WORDS]; with the end of the figure that is next to breaking it.
def words: .endless // (.figure | figure_words);
def lines($v; $file): . as $a | (if $file then "\(.column) broken" else .column end) as $column
	| (.rows | length) as $all | def count($n): "\($n) of \($all) conditions";
	($v.range + $v.open) as $open | [.rows[] | select(.end == null and (.figure | at_least) == null)] as $absent
	| def worst: $a.rows[$v.worst] | "worst \(words) (\(.of))";
	(if $v.worst == null then ["UNKNOWN", "no condition has \($a.column)"
			+ ($absent | if . == [] then "" else " (\(map(.figure.why | why_words) | unique | join(", ")))" end)]
		elif $v.broken > 0 then ["FAILED", "\($column) in \(count($v.broken)); \(worst)"]
		elif $open == 0 then ["OK", "\($column) in none of \($v.holds) conditions; \(worst)"
			+ if any(.rows[]; .bare) then "; judged without an interval" else "" end] else empty end),
	(if $open == 0 then empty else [if $v.range > 0 then "FAILED" elif $v.leans_to_break then "UNKNOWN" else "UNSURE" end,
		($a.rows[$v.doubtful] | "cannot tell: \($a.column) is \(words)\(.figure | figure_interval) (\(.of)),"
		+ " \(count($open)). "
		+ if .figure | is_range and .from <= $a.bound and .to >= $a.bound
			then "Exact times: with the reference application (heavy)."
			elif .figure | .above or (.value == null and (is_range | not)) then "Let it wait longer for answers (--time)."
			else "More keys tell it (--repeat)." end)] end),
	(if $absent == [] or $v.worst == null then empty else ["UNKNOWN", "\(count($absent | length)) have no such figure: "
		+ ([$absent[] | "\(.of): \(.figure.why | why_words)"] | join("; "))] end);
def limit_words($judged; $json): all_printable | $judged.result.limits as $v
	| if $json then {limits: ([.notes[] | {name: "the run", verdict: "not decided", why: .}]
			+ [.limits | to_entries[] | $v[.key] as $v | .value | {name: .text, verdict: $v.verdict,
				why: ([lines($v; true)[1]] | join("; "))} + if any(.rows[]; .bare) then {bare: true} else {} end])}
	  else .notes[], (.limits | to_entries[] | $v[.key] as $v | .value | .text as $text
		| lines($v; false) | "\(.[0]) \($text): \(.[1])") end;
