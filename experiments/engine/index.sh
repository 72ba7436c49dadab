#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# index.sh [--check] - writes all lists of experiments outside their folders, from their plans: the table of
# experiments/README.md, the list of docs/two-hosts.md on which experiments run over ssh, and the experiments with their own
# options in docs/thinprobe.1, each between two marks.
# --check: prints which lists are out of date, and fails if any is.
# shellcheck disable=SC2317 # of_each calls functions by their names
set -u
export LC_ALL=C
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/home.sh" || exit 1
die() { printf 'index.sh: %s\n' "$*" >&2; exit 1; }
. "$TP_HOME/experiments/engine/plan.sh"

of_each() {	# of_each FUNCTION: its lines for each experiment, in a shell of its own, since plan_read fills variables
	local folder
	for folder in "$TP_HOME"/experiments/*/plan; do
		folder=${folder%/plan}
		(plan_read "$folder" && "$1" "${folder##*/}")
	done
}

readme_row() {
	[ "${PLAN[paper]}" = - ] || PLAN[figure]="${PLAN[paper]}: ${PLAN[figure]}"
	printf '| [%s](%s/README.md) | %s | %s | %s | %s |\n' "$1" "$1" "${PLAN[figure]}" \
		"$(sed -E 's/ (quick|demo)=/, \1 /g' <<<"${PLAN[minutes]}")" "${PLAN[needs]}" "${PLAN[wrong-if]}"
}

pair_row() {
	local how="runs${PLAN[ssh]:+; ${PLAN[ssh]}}"
	[ -z "${PLAN[not-ssh]-}" ] || how="refused: ${PLAN[not-ssh]}"
	printf -- '- [%s](../experiments/%s/README.md): %s\n' "$1" "$1" "$how" | fold -s -w 96 |
		sed '2,$s/^/  /; s/ *$//'
}

roff() { sed "s/\\\\/\\\\e/g; s/-/\\\\-/g; s/^[.']/\\\\\\&&/" <<<"$1"; }

man_rows() {
	local name own='' former='' default
	printf '.Ss run %s\n' "$1"
	roff "${PLAN[says]}"
	printf '.Pp\n'
	roff "Minutes: $(sed -E 's/ (demo)=[^ ]*//; s/ quick=/, with --quick /' <<<"${PLAN[minutes]}")."
	for name in "${OPTIONS[@]}"; do
		grep -q "^option  *$name " "$TP_HOME/experiments/$1/plan" || continue
		[ -n "$own" ] || printf '.Bl -tag -width Ds\n'
		own=1 default=${OPT[$name.default]}
		[ "${OPT[$name.type]}" != flag ] || default=''
		printf '.It %sFl Fl %s%s\n' "${OPT[$name.letter]:+Fl ${OPT[$name.letter]} , }" "$name" \
			"$([ "${OPT[$name.type]}" = flag ] || echo " Ar ${OPT[$name.meta]:-value}")"
		roff "${OPT[$name.help]^}${default:+ ($default)}."
		[ -z "${OPT[$name.was]-}" ] || former+="${former:+, }--${OPT[$name.was]} (now --$name)"
	done
	[ -z "$own" ] || printf '.El\n'
	[ -z "$former" ] || { printf '.Pp\n'; roff "Former names: $former."; }
}

update() {	# update FILE BEGIN END: standard input is what should be between these two lines
	local file=$TP_HOME/$1 new
	grep -qxF -- "$2" "$file" && grep -qxF -- "$3" "$file" ||
		die "$1 lacks the marker lines '$2' and '$3', between which the list goes"
	new=$(BEGIN=$2 END=$3 awk 'FILENAME == "-" { new = new $0 "\n"; next }
		$0 == ENVIRON["END"] { inside = 0 } !inside { print } $0 == ENVIRON["BEGIN"] { printf "%s", new; inside = 1 }' - "$file")
	[ "$new" != "$(cat "$file")" ] || return 0
	[ "$check" = 1 ] || { printf '%s\n' "$new" >"$file"; return; }
	echo "$1 is not what the plans say: run experiments/engine/index.sh"
	return 1
}

check=0 status=0
case ${1-} in
'') ;;
--check) check=1 ;;
*) die "usage: index.sh [--check]" ;;
esac
{
	echo '| experiment | what it shows | minutes | needs | what would prove us wrong |'
	echo '|---|---|---|---|---|'
	of_each readme_row
} | update experiments/README.md '<!-- from the plans: index.sh -->' '<!-- end -->' || status=1
of_each pair_row | update docs/two-hosts.md '<!-- from the plans: index.sh -->' '<!-- end -->' || status=1
of_each man_rows | update docs/thinprobe.1 '.\" from the plans: index.sh' '.\" end' || status=1
exit "$status"
