#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fail.sh check STEM CONDITIONS - checks that this experiment has these columns; if not, exit status 2 and a line with the reason.
# fail.sh judge RUN CONDITIONS - prints each condition that holds in a row of the run's tables; exit status 5 if one does.
#
# Conditions are such as p95>150ms,late>1%: a column of a table, or a unique part of its name (p95 is latency_p95_ms,
# and late is late_share_percent), one of < <= > >=, and a number with its unit.
set -u -o pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1
. "$TP_HOME/lab/nearest.sh"

die() {	# die STATUS WORDS
	printf 'thinprobe: %s\n' "${*:2}" >&2
	exit "$1"
}

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
			and (.[0] | test("^[a-z][a-z0-9_]*$") and (IN("table", "view", "include", "counts", "repeats") | not)) and .[5] != "text")
		| {table, column: .words[0], heading: .words[1], unit: .words[2]})]'
}

# shellcheck disable=SC2016 # a program of jq
parse='{us: 1e-6, ms: 1e-3, s: 1, m: 60, min: 60, h: 3600} as $times
	| def hits($n):
			(.[] | select(.column == $n)),
			(.[] | select(.column | ltrimstr($n) | test("^_(us|ms|s|percent|per_s|bytes|kb|mb)$"))),
			(.[] | select(.heading | ascii_downcase == $n)),
			(.[] | select(.column | startswith($n + "_"))),
			(.[] | select("_\(.column)_" | contains("_\($n)_")));
	def column($n): first((map(select(.table == "summary")), .) | hits($n)) // null;
	def wrong($what): {error: $what};
	. as $all | [$asked | splits(",")] | map(. as $text
	| (capture("^ *"
		+ "(?<name>[A-Za-z][A-Za-z0-9_]*) *(?<op><=?|>=?) *(?<value>[0-9]+([.][0-9]+)?) *(?<unit>[A-Za-z%/0-9]*) *$") // null) as $p
	| if $p == null then wrong("want NAME>NUMBER with its unit, such as p95>150ms or late>1%") else
		($all | column($p.name | ascii_downcase)) as $c
		| (($c.unit // "-") | if . == "" then "-" else . end) as $unit | ($times[$unit]) as $by
		| if $c == null then wrong("no column \($p.name)") + {unknown: $p.name}
		elif $by and $p.unit == "" and $p.value != "0" then wrong("which unit? \($p.value)ms or \($p.value)s")
		elif $by and $p.unit != "" and $times[$p.unit] == null then wrong("\($c.column) is a time, such as 150ms")
		elif $by == null and $p.unit != "" and $p.unit != $unit then
			wrong("\($c.column) " + if $unit == "-" then "has no unit" else "is in \($unit)" end)
		else $c + {op: $p.op, $unit, limit: (($p.value | tonumber) * if $by and $p.unit != "" then $times[$p.unit] / $by else 1 end)} end
	end + {$text})'

# fail_parse COLUMNS CONDITIONS: the conditions as JSON, each with its column; else a line on the first that is wrong, and 2.
fail_parse() {
	local asked wrong text unknown
	asked=$(jq -c --arg asked "$2" "$parse" <<<"$1") || die 1 "--fail-if $2: cannot be parsed"
	IFS=$'\037' read -r text wrong unknown < <(jq -r 'first(.[] | select(.error)) | [.text, .error, .unknown // ""]
		| join("\u001f")' <<<"$asked")
	if [ -n "${wrong-}" ]; then
		# shellcheck disable=SC2046 # names
		[ -z "$unknown" ] || wrong+=$(nearest "$unknown" "; there are such as $(jq -r '[.[].column][:6] | join(", ")' <<<"$1")" \
			$(jq -r '.[] | .column, (.column | split("_")[])' <<<"$1" | sort -u))
		die 2 "--fail-if $text: $wrong"
	fi
	printf '%s\n' "$asked"
}

# shellcheck disable=SC2016 # a program of jq
judge='def words: if . >= 99.95 or . == floor then . * 10 | round / 10 else . * 1000 | round / 1000 end | tostring;
	(.tables | split("\f") | map(split("\n") | map(select(. != "") | split("\t"))
		| {key: .[0][0], value: (.[1] as $head | .[2:] | map([$head, .] | transpose | map({key: .[0], value: .[1]}) | from_entries))})
		| from_entries) as $tables
	| .asked[] | . as $a | [$tables[.table] // [] | .[] | select((.[$a.column] // "") != "")
		| {value: (.[$a.column] | tonumber), above: (.[$a.column + "_above"] == "1"),
			of: ([.[$axes[]] // empty] | join(" "))}] as $rows
	| [$rows[] | select(if $a.op == ">" then .value > $a.limit or .above elif $a.op == ">=" then .value >= $a.limit or .above
		elif $a.op == "<" then .value < $a.limit else .value <= $a.limit end)] as $failed
	| (if $failed == [] then $rows else $failed end | if $a.op[:1] == ">" then max_by(.value) else min_by(.value) end) as $worst
	| (if $a.unit == "-" then "" else " \($a.unit)" end) as $unit
	| ($a.text + if $a.text | contains($a.column) then "" else " (\($a.column))" end) as $text
	| def most: "\(.value | words)\($unit) (\(.of))";
	if $rows == [] then "none\t\($text): no condition has it"
	elif $failed == [] then "ok\t\($text): in none of \($rows | length) conditions; the worst has \($worst | most)"
	else "failed\t\($text): in \($failed | length) of \($rows | length) conditions, as \($worst | most)" end'

case ${1-} in
check) fail_parse "$(fail_columns "$TP_HOME/experiments/$2/table")" "$3" >/dev/null ;;
judge)
	cd -- "$2" || exit 1
	columns=$(jq -R -n '[inputs / "\t" | {table: .[1], column: .[2], type: .[3], unit: .[4], heading: .[7]}
		| select(.type != "text" and .type != "type" and (.column | test("_(low|high|above)$") | not))]' schema.tsv) || exit 1
	asked=$(fail_parse "$columns" "$3") || exit
	status=0 lines=0
	while IFS=$'\t' read -r what line; do
		printf 'fail-if %s\n' "$line"
		lines=1
		case $what$status in failed*) status=5 ;; none0) status=1 ;; esac
	done < <(jq -r '.[].table' <<<"$asked" | sort -u | while read -r table; do printf '\f%s\n' "$table"; cat -- "$table.tsv"; done |
		jq -R -s -r --argjson asked "$asked" --slurpfile run run.json '{tables: (. | ltrimstr("\f")), asked: $asked}
			| ($run[0].axes // []) as $axes | '"$judge")
	[ "$lines" = 1 ] || exit 1	# jq has said why
	exit "$status"
	;;
*) die 2 "usage: fail.sh check STEM CONDITIONS | judge RUN CONDITIONS" ;;
esac
