#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fail.sh check STEM CONDITIONS - checks that this experiment has these columns; if not, exit status 2 and a line with the reason.
# fail.sh judge RUN CONDITIONS - prints whether each condition holds in a row of the run's tables. Exit status: 5 if one does, or
# may (a range, an overloaded condition); otherwise 3 if a row has no such figure. Of a run that is not usable a line says so.
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
	. as $all | [$asked | splits(",")] | map(. as $text
	| (capture("^ *"
		+ "(?<name>[A-Za-z][A-Za-z0-9_]*) *(?<op><=?|>=?) *(?<value>[0-9]+([.][0-9]+)?) *(?<unit>[A-Za-z%/0-9]*)"
			+ "(@(?<cells>[A-Za-z0-9_.:*?-]+))? *$") // null) as $p
	| if $p == null then wrong("want NAME>NUMBER with its unit, such as p95>150ms or late>1%") else
		($all | columns($p.name | ascii_downcase)) as $found | $found[0] as $c
		| (($c.unit // "-") | if . == "" then "-" else . end) as $unit | ($times[$unit]) as $by
		| if $c == null then wrong("no column \($p.name)") + {unknown: $p.name}
		elif $found[1] or $c.part then wrong("which \($p.name)? \($found | map(.column) | join(", "))")
		elif $by and $p.unit == "" and $p.value != "0" then wrong("which unit? \($p.value)ms or \($p.value)s")
		elif $by and $p.unit != "" and $times[$p.unit] == null then wrong("\($c.column) is a time, such as 150ms")
		elif $by == null and $p.unit != "" and $p.unit != $unit then
			wrong("\($c.column) " + if $unit == "-" then "has no unit" else "is in \($unit)" end)
		else $c + {op: $p.op, $unit, limit: (($p.value | tonumber) * if $by and $p.unit != "" then $times[$p.unit] / $by else 1 end)} end
	end + {$text, cells: $p.cells})'

# fail_parse COLUMNS CONDITIONS: the conditions as JSON, each with its column; else a line on the first that is wrong, and 2.
fail_parse() {
	local asked wrong text unknown
	asked=$(jq -c --arg asked "$2" "$quality$parse" <<<"$1") || die 1 "--fail-if $2: cannot be parsed"
	IFS=$'\037' read -r text wrong unknown < <(jq -r 'first(.[] | select(.error)) | [.text, .error, .unknown // ""]
		| join("\u001f")' <<<"$asked")
	if [ -n "${wrong-}" ]; then
		# shellcheck disable=SC2046 # names
		[ -z "$unknown" ] || wrong+=$(nearest "$unknown" \
			"; there are such as $(jq -r 'sort_by(.unit != "ms") | [.[].column][:6] | join(", ")' <<<"$1")" \
			$(jq -r '.[].column | ., split("_")[0], ltrimstr("latency_")' <<<"$1" | sort -u))
		die 2 "--fail-if $text: $wrong"
	fi
	printf '%s\n' "$asked"
}

# A limit takes the end of a figure that is against it: of a range, or of what is only known to be more. An overloaded condition,
# or one whose requests failed, is slower than any limit. A condition without a figure for another reason is named: it neither
# passes nor fails; nor does one whose load generator was not valid, but for what tells of the measurement itself.
judge='def holds($a; $v): if $a.op == ">" then $v > $a.limit elif $a.op == ">=" then $v >= $a.limit
		elif $a.op == "<" then $v < $a.limit else $v <= $a.limit end;
	def type_of($table; $column): first($columns[] | select(.table == $table and .column == $column).type) // "text";
	def in_doubt($column): (.invalid // 0) > 0 and ($column | is_quality or IN("invalid", "failed", "marked", "repeats") | not);
	def endless($column): if in_doubt($column) then null elif figure($column).why == "overloaded" then "overloaded"
		elif .requests != null and (mostly_answered | not) and ($column | test("^((response|p[0-9]+|max)_ms|late_percent)$"))
		then failed_words else null end;
	# whether a row is of one of these cells, a pattern of their names in run.json
	def of_cells($cells): . as $row | $cells == null or ([$axes[] | $row[.] | values | tostring | select(. != "")]
		| join("-") | gsub("[/: ]"; "-") | test("^" + ($cells | gsub("\\."; "\\.") | gsub("\\*"; ".*") | gsub("\\?"; ".")) + "$"));
	def condition($a): . as $row | [$axes[] | . as $axis | $row[$axis] | values
		| if type == "number" then (first($columns[] | select(.table == $a.table and .column == $axis)) // {})
			| if (.unit // "") | IN("", "-") then "\($row[$axis] | plain) \(.heading // $axis)"
				else "\(.heading) \($row[$axis] | plain) \(.unit)" end else tostring end] | join(", ");
	(. / "\f" | map(split("\n") | map(select(. != "") | split("\t"))
		| {key: .[0][0], value: (.[0][0] as $table | .[1] as $head | .[2:] | map([$head, .] | transpose
			| map(type_of($table; .[0]) as $type | {key: .[0], value: (if .[1] == "" then null elif $type == "text" then .[1]
				else .[1] | tonumber end)}) | from_entries))})
		| from_entries) as $tables
	| ($tables + {run: $run[0]} | (unusable | values), unusable_runs | "note", "NOT USABLE: \(.)"),
	($asked[] | . as $a | ($a.op | startswith(">")) as $most
	| [$tables[$a.table] // [] | .[] | select(of_cells($a.cells)) | {of: condition($a), endless: endless($a.column),
			figure: (if in_doubt($a.column) then {why: "the load generator was not valid"} else figure($a.column) end
				| .unit = ($a.unit | ltrimstr("-")) | .least = null)}
		# of what is better when higher, overloaded is the least
		| (if $a.better == "higher" then 0 else infinite end) as $worst
		| .least = (if .endless then $worst else .figure | at_least end)
		| .most = (if .endless then $worst else .figure | at_most end)] as $all
	| ([$all[] | select(.least != null)]) as $rows | [$all[] | select(.least == null)] as $absent
	| [$rows[] | select(holds($a; if $most then .least else .most end))] as $failed
	| ([$rows[] | select(holds($a; if $most then .most else .least end))] - $failed) as $open
	| def words: .endless // (.figure | figure_words);
	  def worst: if $most then max_by([.most, .least]) else min_by([.least, .most]) end | "worst \(words) (\(.of))";
	  def count: "\(length) of \($all | length) conditions";
	  (if $rows == [] then "none", "UNKNOWN \($a.text): no condition has \($a.column)"
			+ ($absent | if . == [] then "" else " (\(map(.figure.why | why_words) | unique | join(", ")))" end)
		elif $failed != [] then "failed", "FAILED \($a.text): \($a.column) in \($failed | count); \($failed | worst)"
		elif $open == [] then "ok", "OK \($a.text): \($a.column) in none of \($rows | length) conditions; \($rows | worst)"
		else empty end),
	  (if $open == [] then empty else "failed",
		"FAILED \($a.text): cannot tell: \($a.column) is "
			+ "\($open | if $most then max_by(.most) else min_by(.least) end | "\(words) (\(.of))"), \($open | count). "
			+ if any($open[]; .figure | is_range) then "Exact times: with the reference application (heavy)."
				else "Let it wait longer for answers (--time)." end end),
	  (if $absent == [] or $rows == [] then empty else "absent", "UNKNOWN \($a.text): \($absent | count) have no such figure: "
			+ ([$absent[] | "\(.of): \(.figure.why | why_words)"] | join("; ")) end))'

case ${1-} in
check) fail_parse "$(fail_columns "$(in_trees "experiments/$2/table")")" "$3" >/dev/null ;;
judge)
	cd -- "$2" || exit 1
	[ -f schema.tsv ] || die 1 "it has no tables; make its report again: thinprobe report $2"
	columns=$(jq -R -n '[inputs / "\t" | {table: .[1], column: .[2], type: .[3], unit: .[4], better: .[6], heading: .[7]}]' \
		schema.tsv) || exit 1
	asked=$(fail_parse "$(jq 'map(select((.type | IN("text", "type") | not)
		and (.column | test("_(low|high|above|from|to|why)$") | not)))' <<<"$columns")" "$3") || exit
	status=0 lines=0
	while read -r what && read -r line; do
		printf '%s\n' "$line"
		[ "$what" = note ] || lines=1
		case $what$status in failed*) status=5 ;; none0 | absent0) status=3 ;; esac
	done < <(jq -r '"summary", .[].table' <<<"$asked" | sort -u |
		while read -r table; do printf '\f%s\n' "$table"; cat -- "$table.tsv"; done |
		jq -R -s -r -L "$here" --argjson asked "$asked" --argjson columns "$columns" --slurpfile run run.json \
			'include "words"; '"$quality"' ltrimstr("\f") | ($run[0].axes // []) as $axes | '"$judge")
	[ "$lines" = 1 ] || exit 1	# jq has said why
	exit "$status"
	;;
*) die 2 "usage: fail.sh check STEM CONDITIONS | judge RUN CONDITIONS" ;;
esac
