#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# index.sh [--check] - writes all lists of experiments in documents, from the plans, each between two marks: the table of
# experiments/README.md, the list in docs/two-hosts.md of experiments that run over ssh, and the experiments with their own options
# in docs/thinprobe.1; for a kit, its README.md and docs/thinprobe-kit-KIT.7. With all kits, also who sets and reads the variables
# of docs/experiment-hooks.md, from the scripts.
# --check: prints which lists are out of date, and fails if any is.
# shellcheck disable=SC2317 # of_each calls functions by their names
set -u
export LC_ALL=C
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/home.sh" || exit 1
die() { printf 'index.sh: %s\n' "$*" >&2; exit 1; }
. "$TP_HOME/experiments/engine/plan.sh"

# of_each TREE FUNCTION [LINK]: runs FUNCTION for each experiment of the tree, in a subshell, since plan_read sets variables.
of_each() {
	local folder LINK=${3-}
	for folder in "$1"experiments/*/plan; do
		folder=${folder%/plan}
		(plan_read "$folder" && "$2" "${folder##*/}")
	done
}

readme_row() {
	[ "${PLAN[paper]}" = - ] || PLAN[figure]="${PLAN[paper]}: ${PLAN[figure]}"
	printf '| [%s](%s/README.md) | %s | %s | %s | %s |\n' "$1" "$LINK$1" "${PLAN[figure]}" \
		"$(sed -E 's/ (quick|demo)=/, \1 /g' <<<"${PLAN[minutes]}")" "${PLAN[needs]}" "${PLAN[wrong-if]}"
}

pair_row() {
	local how="runs${PLAN[ssh]:+; ${PLAN[ssh]}}"
	[ -z "${PLAN[not-ssh]-}" ] || how="refused: ${PLAN[not-ssh]}"
	printf -- '- [%s](%s/README.md): %s\n' "$1" "$LINK$1" "$how" | fold -s -w 96 |
		sed '2,$s/^/  /; s/ *$//'
}

roff() { sed "s/\\\\/\\\\e/g; s/-/\\\\-/g; s/^[.']/\\\\\\&&/" <<<"$1"; }

man_rows() {
	local name own='' default
	printf '.Ss run %s\n' "$1"
	roff "${PLAN[says]}"
	printf '.Pp\n'
	roff "Minutes: $(sed -E 's/ (demo)=[^ ]*//; s/ quick=/, with --quick /' <<<"${PLAN[minutes]}")."
	for name in "${OPTIONS[@]}"; do
		grep -q "^option  *$name " "$folder/plan" || continue
		[ -n "$own" ] || printf '.Bl -tag -width Ds\n'
		own=1 default=${OPT[$name.default]}
		[ "${OPT[$name.type]}" != flag ] || default=''
		printf '.It %sFl Fl %s%s\n' "${OPT[$name.letter]:+Fl ${OPT[$name.letter]} , }" "$name" \
			"$([ "${OPT[$name.type]}" = flag ] || echo " Ar ${OPT[$name.meta]:-value}")"
		roff "${OPT[$name.help]^}${default:+ ($default)}."
	done
	[ -z "$own" ] || printf '.El\n'
}

# Prints "VARIABLE<tab>set|read<tab>FILE" of the scripts that run in a driver's shell, a cell.sh by the name of its experiment.
uses() {
	local file name how text
	while IFS= read -r file; do
		name=${file##*/} how=${file%/*} name=${name%.sh} how=${how##*/}
		[[ $how == @(engine|families|commands) ]] || { [ "$name" = cell ] && name=$how || name=$how/$name; }
		text=$(sed -E 's/(^|[[:space:]])#.*//' "$file")
		grep -oE '[$][{]?[#!]?[A-Z][A-Z0-9_]+|[(][(][^()]*' <<<"$text" | grep -oE '\b[A-Z][A-Z0-9_]+' | sed "s,\$,\tread\t$name,"
		text=$(sed -E 's/(^|[[:space:]])local [^;]*//' <<<"$text")
		grep -oE '(^|[[:space:];({])[A-Z][A-Z0-9_]+(\[[^]]*\])?\+?=' <<<"$text" | grep -oE '[A-Z][A-Z0-9_]+' | sed "s,\$,\tset\t$name,"
		grep -oE '(read|mapfile|printf -v)( -[a-z]+| '\'''\'')* [A-Za-z_ ]+' <<<"$text" | grep -oE '\b[A-Z][A-Z0-9_]+' |
			sed "s,\$,\tset\t$name,"
	done < <(in_trees 'experiments/*/*.sh') | sort -u
}

# variable_rows FILE: the rows of its variables, with what they are as it says.
variable_rows() {
	awk -F'\t' '
		function files(v, how,   n, list) {
			n = split(of[v, how], list, ", ")
			return n > 6 ? "any" : n ? of[v, how] : "lab/"
		}
		FILENAME == "-" { of[$1, $2] = of[$1, $2] (of[$1, $2] == "" ? "" : ", ") $3; next }
		split($0, cell, / [|] /) == 4 && cell[1] ~ /^[|] `[A-Z][A-Z0-9_]+`$/ {
			v = cell[1]
			gsub(/[|` ]/, "", v)
			printf "%s | %s | %s | %s |\n", cell[1], cell[2], files(v, "set"), files(v, "read")
		}' - "$1" < <(uses)
}

update() {	# update FILE BEGIN END: replaces the text between these two lines with standard input
	local file=$1 new
	grep -qxF -- "$2" "$file" && grep -qxF -- "$3" "$file" ||
		die "$1 lacks the marker lines '$2' and '$3', between which the list goes"
	new=$(BEGIN=$2 END=$3 awk 'FILENAME == "-" { new = new $0 "\n"; next }
		$0 == ENVIRON["END"] { inside = 0 } !inside { print } $0 == ENVIRON["BEGIN"] { printf "%s", new; inside = 1 }' - \
			"$file")
	[ "$new" != "$(cat "$file")" ] || return 0
	[ "$check" = 1 ] || { printf '%s\n' "$new" >"$file"; return; }
	echo "$1 is not what plans and scripts say: run experiments/commands/index.sh"
	return 1
}

check=0 status=0
case ${1-} in
'') ;;
--check) check=1 ;;
*) die "usage: index.sh [--check]" ;;
esac
shopt -s nullglob
while IFS= read -r tree; do
	kit=${tree#"$TP_HOME/"} kit=${kit#kits/} kit=${kit%/}
	if [ -z "$kit" ]; then
		table=$tree"experiments/README.md" link='' pairs=$tree"docs/two-hosts.md" pair_link=../experiments/ man=$tree"docs/thinprobe.1"
	else
		table=$tree"README.md" link=experiments/ pairs=$table pair_link=$link man=$tree"docs/thinprobe-kit-$kit.7"
	fi
	{
		echo '| experiment | what it shows | minutes | needs | what would prove us wrong |'
		echo '|---|---|---|---|---|'
		of_each "$tree" readme_row "$link"
	} | update "$table" '<!-- from the plans: index.sh -->' '<!-- end -->' || status=1
	of_each "$tree" pair_row "$pair_link" | update "$pairs" '<!-- over ssh, from the plans: index.sh -->' '<!-- end -->' || status=1
	of_each "$tree" man_rows | update "$man" '.\" from the plans: index.sh' '.\" end' || status=1
done < <(in_trees '')
hooks=$TP_HOME/docs/experiment-hooks.md
[ ! -d "$TP_HOME/kits" ] || [ ! -f "$hooks" ] || {
	printf '| variable | what | set by | read by |\n|---|---|---|---|\n'
	variable_rows "$hooks"
} | update "$hooks" '<!-- from the scripts: index.sh -->' '<!-- end -->' || status=1
exit "$status"
