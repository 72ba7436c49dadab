#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fail.sh check STEM CONDITIONS - checks that this experiment has these columns; if not, exit status 2 and a line with the reason.
# fail.sh judge RUN CONDITIONS - prints whether each condition holds in a row of the run's tables. `judge --limits` decides. Exit
# status: 5 if one does, or may (a range, a lower bound, an overloaded condition); otherwise 3 if the interval of a row is on both
# sides of the limit, a row has no such figure, or the run is not usable, which a line says.
# fail.sh limits RUN FILE - the same of limits that are to hold, "METRIC CELLS OP VALUE" a line, for gate.sh: prints JSON, and what
# may break a limit is not decided.
#
# Conditions are such as p95>150ms,late>1%, or late>1%@vnc-*-5 of cells with such names: a column of a table, or its name without
# the unit or cut short (p95 is latency_p95_ms, and late is late_share_percent), one of < <= > >=, and a number with its unit.
# Another part, or one of several names, is refused with them; figures of the measurement's quality have only their full names.
set -u -o pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lab/home.sh" || exit 1
. "$here/command.sh"

fail_text() {	# fail_text TABLE: its text, with those that it includes in their places
	local line folder=${1%/*}
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in "include "*) fail_text "$folder/${line#include }" ;; *) printf '%s\n' "$line" ;; esac
	done <"$1"
}

# Columns that are numbers, as JSON: [{table, column, unit, heading}]. fail_columns FILE: of a `table`.
fail_columns() {
	fail_text "$1" | jq -R -n '[foreach (inputs | [match("\"[^\"]*\"|[^ \t]+"; "g").string | ltrimstr("\"") | rtrimstr("\"")]) as $w (
		{table: null}; if $w[0] == "table" then .table = $w[1] else . end | .words = $w; select(.words | length >= 6
			and (.[0] | test("^[a-z][a-z0-9_]*$") and (IN("table", "counts", "repeats") | not)) and .[5] != "text")
		| {table, column: .words[0], heading: .words[1], unit: .words[2]})]'
}

# Columns that tell how well was measured, such as how late the load generator was.
quality='def is_quality: test("^(late_p[0-9]+|lateness|started_late|load_behind|generator|probe|capture|foreign|steal|disturbed)_");
	'
parse='{us: 1e-6, ms: 1e-3, s: 1, m: 60, min: 60, h: 3600} as $times
	# classes of columns, the nearest to the name first; in the summary p50 is latency_p50_ms, late is late_share_percent
	| def hits($n): map(select(.column | is_quality | not)) as $measured
		| map(select(.column == $n))[:1],
			($measured | map(select(any(.column | ., sub("^latency_|_share(?=_percent$)"; "");
					ltrimstr($n) | test("^_(us|ms|s|percent|per_s|bytes|kb|mb)$")))),
				map(select(.heading | ascii_downcase == $n)),
				map(select(.column | startswith($n + "_")))),
			map(select(if .column | is_quality then .column | startswith($n + "_") else "_\(.column)_" | contains("_\($n)_") end)
				| .part = true);
	def columns($n): first((map(select(.table == "summary")), .) | hits($n) | select(. != [])) // [] | unique_by(.column);
	def wrong($what): {error: $what};
	# conditions, or lines of a file: {where, text, name, op, value, unit, cells}
	def number: "(?<value>[0-9]+([.][0-9]+)?) *(?<unit>[A-Za-z%/0-9]*)";
	def name: "(?<name>[A-Za-z][A-Za-z0-9_]*)";
	def read($pattern; $want): . + ((.text | capture($pattern)) // wrong($want));
	def asked: if $file then
		[$asked / "\n" | to_entries[] | {where: "\($file), line \(.key + 1)", text: .value} | select(.text | test("^[ \t\r]*(#|$)") | not)
			| read("^[ \t]*\(name)[ \t]+(?<cells>[^ \t]+)[ \t]+(?<op><=?|>=?)[ \t]+\(number | sub(" \\*"; ""))[ \t\r]*(#.*)?$";
				"want METRIC CELLS OP VALUE, such as: late * <= 1%")
			| .text |= [splits("[ \t\r]+") | select(. != "")][:4] | .text |= join(" ")]
		else [$asked | splits(",") | {where: "--fail-if \(.)", text: .}
			| read("^ *\(name) *(?<op><=?|>=?) *\(number)(@(?<cells>[A-Za-z0-9_.:*?-]+))? *$";
				"want NAME>NUMBER with its unit, such as p95>150ms or late>1%")
			| .op |= {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[. // ""]] end;
	. as $all | asked | map(. as $p | if .error then . else
		($all | columns($p.name | ascii_downcase)) as $found | $found[0] as $c
		| (($c.unit // "-") | if . == "" then "-" else . end) as $unit | ($times[$unit]) as $by
		| $p + if $c == null then wrong("no column \($p.name)") + {unknown: $p.name}
		elif $found[1] or $c.part then wrong("which \($p.name)? \($found | map(.column) | join(", "))")
		elif $by and $p.unit == "" and $p.value != "0" then wrong("which unit? \($p.value)ms or \($p.value)s")
		elif $by and $p.unit != "" and $times[$p.unit] == null then wrong("\($c.column) is a time, such as 150ms")
		elif $by == null and $p.unit != "" and $p.unit != $unit then
			wrong("\($c.column) " + if $unit == "-" then "has no unit" else "is in \($unit)" end)
		else $c + {$unit, bound: (($p.value | tonumber) * if $by and $p.unit != "" then $times[$p.unit] / $by else 1 end)} end
	end)'

# fail_parse COLUMNS CONDITIONS [FILE]: the conditions, or the lines of FILE, as JSON, each with its column; else a line on the
# first that is wrong, and 2.
fail_parse() {
	local asked wrong where unknown
	asked=$(jq -c --rawfile asked <(printf %s "$2") --arg of "${3-}" \
		"(\$of | if . == \"\" then null else . end) as \$file | $quality$parse" <<<"$1") ||
		die 1 "${3:---fail-if $2}: cannot be parsed"
	IFS=$'\037' read -r where wrong unknown < <(jq -r 'first(.[] | select(.error)) | [.where, .error, .unknown // ""]
		| join("\u001f")' <<<"$asked")
	if [ -n "${wrong-}" ]; then
		# shellcheck disable=SC2046 # names
		[ -z "$unknown" ] || wrong+=$(nearest "$unknown" \
			"; there are such as $(jq -r 'sort_by(.unit != "ms") | [.[].column][:6] | join(", ")' <<<"$1")" \
			$(jq -r '.[].column | ., split("_")[0], ltrimstr("latency_")' <<<"$1" | sort -u))
		die 2 "$where: $wrong"
	fi
	printf '%s\n' "$asked"
}

# The rows of each condition with their figures: [{text, op, bound, column, rows: [{of, figure, endless}]}]. An overloaded
# condition, or one whose requests failed, is slower than any limit. One without a figure for another reason is named, and so is
# one whose load generator was not valid, but for what tells of the measurement itself.
rows='def type_of($table; $column): first($columns[] | select(.table == $table and .column == $column).type) // "text";
	def in_doubt($column): (.invalid // 0) > 0 and ($column | is_quality or IN("invalid", "failed", "marked", "repeats") | not);
	def endless($column): if in_doubt($column) then null elif figure($column).why == "overloaded" then "overloaded"
		elif .requests != null and (mostly_answered | not) and ($column | test("^((response|p[0-9]+|max)_ms|late_percent)$"))
		then failed_words else null end;
	# whether a row is of one of these cells, a pattern of their names in run.json
	def of_cells($cells): . as $row | $cells == null or ([$axes[] | $row[.] | values | tostring | select(. != "")]
		| join("-") | gsub("[/: ]"; "-") | test("^" + ($cells | gsub("(?<c>[].+^$(){}|\\\\[])"; "\\\(.c)")
			| gsub("[/:]"; "-") | gsub("\\*"; ".*") | gsub("\\?"; ".")) + "$"));
	def condition($a): . as $row | [$axes[] | . as $axis | $row[$axis] | values
		| if type == "number" then (first($columns[] | select(.table == $a.table and .column == $axis)) // {})
			| if (.unit // "") | IN("", "-") then "\($row[$axis] | plain) \(.heading // $axis)"
				else "\(.heading) \($row[$axis] | plain) \(.unit)" end else tostring end] | join(", ");
	(. / "\f" | map(split("\n") | map(select(. != "") | split("\t"))
		| {key: .[0][0], value: (.[0][0] as $table | .[1] as $head | .[2:] | map([$head, .] | transpose
			| map(type_of($table; .[0]) as $type | {key: .[0], value: (if .[1] == "" then null elif $type == "text" then .[1]
				else (.[1] | tonumber? | select(isnan | not)) // null end)}) | from_entries))})
		| from_entries) as $tables
	| {notes: [$tables + {run: $run[0]} | (unusable | values), unusable_runs], limits: [$asked[] | . as $a
		| {text, op, bound, column, rows: [$tables[$a.table] // [] | .[] | select(of_cells($a.cells)) | {of: condition($a),
			bare: (has($a.column + "_low") and .repeats != null and .repeats < 3), endless: endless($a.column),
			figure: (if in_doubt($a.column) then {why: "the load generator was not valid"}
				elif is_of_answered($a.column) then {why: "of answered keys alone"} else figure($a.column) end
				| .unit = ($a.unit | ltrimstr("-")) | .least = null)}
			# of what is better when higher, overloaded is the least
			| .end = (if .endless == null then null elif $a.better == "higher" then 0 else infinite end)]}]}'
table='["schema", "limit", "op", "bound", "from", "to", "low", "high"], (.limits | to_entries[] | .key as $i | .value as $a
	| (if $a.rows == [] then {figure: {}} else $a.rows[] end) | ["limits/1", $i, $a.op, $a.bound]
		+ if .end != null then [.end, .end, null, null]
		else (.figure | [at_least, if .above then null else at_most end, .low // (.both // [] | min), .high // (.both // [] | max)]) end)
	| @tsv'
# What judge decided of each limit as lines [STATE, WORDS]; with the end of the figure that is next to breaking it.
words='def words: .endless // (.figure | figure_words);
	def lines($v): . as $a | (.rows | length) as $all | def count($n): "\($n) of \($all) conditions";
		($v.range + $v.open) as $open | [.rows[] | select(.end == null and (.figure | at_least) == null)] as $absent
		| def worst: $a.rows[$v.worst] | "worst \(words) (\(.of))";
		(if $v.worst == null then ["UNKNOWN", "no condition has \($a.column)"
				+ ($absent | if . == [] then "" else " (\(map(.figure.why | why_words) | unique | join(", ")))" end)]
			elif $v.broken > 0 then ["FAILED", "\($a.column) in \(count($v.broken)); \(worst)"]
			elif $open == 0 then ["OK", "\($a.column) in none of \($v.holds) conditions; \(worst)"
				+ if any(.rows[]; .bare) then "; fewer than three repeats, so no interval" else "" end] else empty end),
		(if $open == 0 then empty else [if $v.range > 0 then "FAILED" elif $v.leans_to_break then "UNKNOWN" else "UNSURE" end,
			($a.rows[$v.doubtful] | "cannot tell: \($a.column) is \(words)\(.figure | figure_interval) (\(.of)), \(count($open)). "
			+ if .figure | is_range then "Exact times: with the reference application (heavy)."
				elif .figure.above or .figure.value == null then "Let it wait longer for answers (--time)."
				else "More keys tell it (--repeat)." end)] end),
		(if $absent == [] or $v.worst == null then empty else ["UNKNOWN", "\(count($absent | length)) have no such figure: "
			+ ([$absent[] | "\(.of): \(.figure.why | why_words)"] | join("; "))] end);
	$judged[0].result.limits as $v | if $json then {limits: ([.notes[]
				| {name: "the run", verdict: "not decided", why: "NOT USABLE: \(.)"}]
			+ [.limits | to_entries[] | $v[.key] as $v | .value | {name: .text, verdict: $v.verdict,
				why: ([lines($v)[1]] | join("; "))} + if any(.rows[]; .bare) then {bare: true} else {} end])}
		else (.notes[] | "NOT USABLE: \(.)"), (.limits | to_entries[] | $v[.key] as $v | .value | .text as $text
			| lines($v) | "\(.[0]) \($text): \(.[1])") end'

case ${1-} in
check) fail_parse "$(fail_columns "$(in_trees "experiments/$2/table")")" "$3" >/dev/null ;;
judge | limits)
	file='' asked=${3-} more=(--range-breaks)
	if [ "$1" = limits ]; then
		[ -r "$3" ] && { [ -f "$3" ] || [ -p "$3" ]; } || die 2 "--limits $3: no file that can be read"
		file=$3 more=()
		asked=$(timeout 10 cat -- "$3" | tr -d '\r' | cleaned) ||
			die 2 "--limits $3: its end did not come within 10 s, or it cannot be read"
	fi
	cd -- "$2" || exit 1
	[ -f schema.tsv ] || die 1 "it has no tables; make its report again: thinprobe report $2"
	columns=$(jq -R -n '[inputs / "\t" | {table: .[1], column: .[2], type: .[3], unit: .[4], better: .[6], heading: .[7]}]' \
		schema.tsv) || exit 1
	asked=$(fail_parse "$(jq 'map(select((.type | IN("text", "type") | not)
		and (.column | test("_(low|high|above|from|to|why)$") | not)))' <<<"$columns")" "$asked" "$file") || exit
	[ "$asked" != '[]' ] || die 2 "--limits $file: holds no limit"
	limits=$(jq -r '"summary", .[].table' <<<"$asked" | sort -u |
		while read -r each; do
			[ -f "$each.tsv" ] || die 1 "it has no $each.tsv; make its report again: thinprobe report $2"
			printf '\f%s\n' "$each"
			cleaned <"$each.tsv"
		done |
		jq -R -s -L "$here" --slurpfile asked <(printf %s "$asked") --slurpfile columns <(printf %s "$columns") \
			--slurpfile run run.json \
			'include "words"; '"$quality"' ltrimstr("\f") | $asked[0] as $asked | $columns[0] as $columns
			| ($run[0].axes // []) as $axes | '"$rows") || exit 1	# jq has said why
	doubt=$(jq -r '.notes | join(" ")' <<<"$limits") status=0
	judged=$(jq -r -L "$here" "include \"words\"; $table" <<<"$limits" |
		judge - --limits ${more[@]+"${more[@]}"} ${doubt:+--doubt "$doubt"} --json) || status=$?
	[[ $status == [035] ]] || exit 1
	jq -r -L "$here" --slurpfile judged <(printf '%s' "$judged") --argjson json "$([ -n "$file" ] && echo true || echo false)" \
		"include \"words\"; include \"safe\"; all_printable | $words" <<<"$limits" | printable || exit 1
	exit "$status"
	;;
*) die 2 "usage: fail.sh check STEM CONDITIONS | judge RUN CONDITIONS | limits RUN FILE" ;;
esac
