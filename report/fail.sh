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

# schema_of: schema/1 on standard input as JSON.
schema_of() {
	jq -R -n '[inputs / "\t" | {table: .[1], column: .[2], type: .[3], unit: .[4], better: .[6], heading: .[7]}
		| map_values(. // "")]'
}
limits() { jq "${@:2}" "$(program "include \"limits\"; $1" "$here" "$TP_HOME")"; }	# limits FILTER [OPTION OF JQ...]

# fail_parse COLUMNS CONDITIONS [FILE]: the conditions, or the lines of FILE, as JSON, each with its column; else a line on the
# first that is wrong, and 2.
fail_parse() {
	local - asked wrong where unknown
	set -f	# names of columns are no patterns
	asked=$(limits 'limit_columns | parsed($asked; $file | select(. != "") // null)' -c --rawfile asked <(printf %s "$2") \
		--arg file "${3-}" <<<"$1" 2>/dev/null) ||
		die 1 "${3:---fail-if $2}: cannot be parsed"
	IFS=$'\037' read -r where wrong unknown < <(jq -r 'first(.[] | select(.error)) | [.where, .error, .unknown // ""]
		| join("\u001f")' <<<"$asked")
	if [ -n "${wrong-}" ]; then
		# shellcheck disable=SC2046 # names
		[ -z "$unknown" ] || wrong+=$(nearest "$unknown" \
			"; there are such as $(limits 'limit_columns | sort_by(.unit != "ms") | [.[].column][:6] | join(", ")' -r <<<"$1")" \
			$(limits 'limit_columns[].column | ., split("_")[0], ltrimstr("latency_")' -r <<<"$1" | sort -u))
		die 2 "$where: $wrong"
	fi
	printf '%s\n' "$asked"
}

case ${1-} in
check)
	columns=$(tool summarize "$(in_trees "experiments/$2/table")" --schema | schema_of) || exit 1
	fail_parse "$columns" "$3" >/dev/null
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
	[ -f schema.tsv ] || die 1 "it has no tables; make its report again: thinprobe report $2"
	columns=$(schema_of <schema.tsv) && asked=$(fail_parse "$columns" "$asked" "$file") || exit
	[ "$asked" != '[]' ] || die 2 "--limits $file: holds no limit"
	mapfile -t tables < <(jq -r '"summary", .[].table' <<<"$asked" | sort -u)
	for each in "${tables[@]}"; do
		[[ $each != */* ]] && [ -f "$each.tsv" ] || die 1 "it has no $each.tsv; make its report again: thinprobe report $2"
	done
	limits=$(for each in "${tables[@]}"; do printf '\f%s\n' "$each"; cleaned <"$each.tsv"; done |
		limits 'ltrimstr("\f") | limited($asked[0]; $columns[0]; $run[0])' -R -s --slurpfile asked <(printf %s "$asked") \
			--slurpfile columns <(printf %s "$columns") --slurpfile run run.json 2>/dev/null) ||
		die 1 "$2: a value in run.json or in a table has the wrong type"
	doubt=$(jq -r '.notes | join(" ")' <<<"$limits") status=0
	judged=$(limits limits_table -r <<<"$limits" |
		tool judge - --limits ${more[@]+"${more[@]}"} ${doubt:+--doubt "$doubt"} --json) || status=$?
	[[ $status == [035] ]] || exit 1
	limits 'limit_words($judged[0]; $file != "")' -r --slurpfile judged <(printf '%s' "$judged") --arg file "$file" <<<"$limits" |
		printable || exit 1
	exit "$status"
	;;
*) die 2 "usage: fail.sh check STEM CONDITIONS | judge RUN CONDITIONS | limits RUN FILE" ;;
esac
