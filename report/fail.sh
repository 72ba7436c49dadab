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
. "$here/program.sh"

limits() { jq "${@:2}" "$(program "include \"limits\"; $1" "$here" "$TP_HOME")"; }	# limits FILTER [OPTION OF JQ...]

# fail_parse SCHEMA CONDITIONS [FILE]: sets `asked`, the conditions, or the lines of FILE, as JSON, each with its column of
# schema/1, and `tables`, the names of the tables that it takes; else a line on the first that is wrong, and 2.
fail_parse() {
	local - said where wrong unknown
	set -f	# names of columns are no patterns
	said=$(limits 'limit_columns | parsed($asked; $file | select(. != "") // null)
		| tojson, (first(.[] | select(.error)) // {} | [.where, .error, .unknown] | map(. // "" | gsub("\n"; " "))
			| join("\u001f")), (["summary", .[].table | strings] | unique[])' -R -s -r --rawfile asked <(printf %s "$2") \
			--arg file "${3-}" <<<"$1" 2>/dev/null) || die 1 "${3:---fail-if $2}: cannot be parsed"
	{ IFS= read -r asked; IFS=$'\037' read -r where wrong unknown; mapfile -t tables; } <<<"$said"
	[ -n "$wrong" ] || return 0
	# shellcheck disable=SC2046 # names
	[ -z "$unknown" ] || wrong+=$(nearest "$unknown" \
		"; there are such as $(limits 'limit_columns | sort_by(.unit != "ms") | [.[].column][:6] | join(", ")' -R -s -r <<<"$1")" \
		$(limits 'limit_columns[].column | ., split("_")[0], ltrimstr("latency_")' -R -s -r <<<"$1" | sort -u))
	die 2 "$where: $wrong"
}

case ${1-} in
check)
	schema=$(tool summarize "$(in_trees "experiments/$2/table")" --schema) || exit 1
	fail_parse "$schema" "$3"
	;;
judge | limits)
	file='' asked=${3-} more=(--range-breaks)
	if [ "$1" = limits ]; then
		[ -r "$3" ] && { [ -f "$3" ] || [ -p "$3" ]; } || die 2 "--limits $3: no file that can be read"
		file=$3 more=()
		asked=$(timeout 10 cat -- "$3" 2>/dev/null | tr -d '\r' | cleaned) ||
			die 2 "--limits $3: its end did not come within 10 s, or it cannot be read"
	fi
	cd -- "$2" || exit 1
	[ -f schema.tsv ] || die 1 "$2: it has no tables; make its report again: thinprobe report $2"
	fail_parse "$(<schema.tsv)" "$asked" "$file"
	[ "$asked" != '[]' ] || die 2 "--limits $file: holds no limit"
	for each in "${tables[@]}"; do
		[[ $each != */* ]] && [ -f "$each.tsv" ] || die 1 "$2: it has no $each.tsv; make its report again: thinprobe report $2"
	done
	said=$(for each in "${tables[@]}"; do printf '\f%s\n' "$each"; cleaned <"$each.tsv"; done |
		limits 'ltrimstr("\f") | limited($asked[0]; $schema | columns; $run[0])
			| (.notes | join(" ") | gsub("\n"; " ")), tojson, limits_table' \
			-R -s -r --slurpfile asked <(printf %s "$asked") --rawfile schema schema.tsv --slurpfile run run.json \
			2>/dev/null) ||
		die 1 "$2: a value in run.json or in a table has the wrong type"
	{ IFS= read -r doubt; IFS= read -r limits; table=$(cat); } <<<"$said"
	! text=$(jq -er '[.limits[] | select(.unmatched).text][0]' <<<"$limits") ||
		die 2 "${file:---fail-if}: no condition has such a name: $text; the run has $(jq -r '[.cells[].name] | join(", ")' run.json)"
	status=0
	judged=$(tool judge - --limits ${more[@]+"${more[@]}"} ${doubt:+--doubt "$doubt"} --json <<<"$table") || status=$?
	[[ $status == [035] ]] || exit 1
	limits 'limit_words($judged[0]; $file != "")' -r --slurpfile judged <(printf '%s' "$judged") --arg file "$file" <<<"$limits" |
		printable || exit 1
	exit "$status"
	;;
*) die 2 "usage: fail.sh check STEM CONDITIONS | judge RUN CONDITIONS | limits RUN FILE" ;;
esac
