#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# index.sh [--check] - writes all lists of experiments in documents, from the plans, each between two marks: the table of
# experiments/README.md, and the list in docs/two-hosts.md of experiments that run over ssh; for a kit, both in its README.md. And
# the project's address and version in documents, from `thinprobe`.
# --check: prints which lists are out of date, and fails if any is.
# shellcheck disable=SC2317 # of_each calls functions by their names
set -u
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
	printf '| [%s](%s/README.md) | %s | %s | %s |\n' "$1" "$LINK$1" "${PLAN[question]#* }" \
		"$(sed -E 's/ (quick|demo)=/, \1 /g' <<<"${PLAN[minutes]}")" "${PLAN[wrong-if]}"
}

pair_row() {
	local how=${PLAN[ssh]:+: ${PLAN[ssh]}}
	[ -z "${PLAN[not-ssh]-}" ] || how=" is refused: ${PLAN[not-ssh]}"
	printf -- '- [%s](%s/README.md)%s\n' "$1" "$LINK$1" "$how" | fold -s -w 96 |
		sed '2,$s/^/  /; s/ *$//'
}

# replace FILE NEW WORDS: NEW becomes its text; with --check a file that differs is only named, with these words, and it is 1.
replace() {
	[ "$2" != "$(cat "$1")" ] || return 0
	[ "$check" = 1 ] || { printf '%s\n' "$2" >"$1"; return; }
	echo "$1 $3: run experiments/commands/index.sh"
	return 1
}

update() {	# update FILE BEGIN END: replaces the text between these two lines with standard input
	local file=$1 new
	grep -qxF -- "$2" "$file" && grep -qxF -- "$3" "$file" ||
		die "$1 lacks the marker lines '$2' and '$3', between which the list goes"
	new=$(BEGIN=$2 END=$3 awk 'FILENAME == "-" { new = new $0 "\n"; next }
		$0 == ENVIRON["END"] { inside = 0 } !inside { print } $0 == ENVIRON["BEGIN"] { printf "%s", new; inside = 1 }' - \
			"$file")
	replace "$file" "$new" "is not what plans say"
}

# Where a document names the project's address or, of the action and the citation, its version.
update_address() {	# update_address FILE
	local address version new
	address=$(sed -n 's/^ADDRESS=//p' "$TP_HOME/thinprobe") version=$(sed -n 's/^VERSION=//p' "$TP_HOME/thinprobe")
	new=$(sed -E "s#https://[^ ]+/thinprobe\\b#$address#; s#(uses: )[^ ]*thinprobe@v.*#\\1${address#https://*/}@v$version#
		s#^version: .*#version: $version#" "$1")
	grep -qF "${address#https://*/}" <<<"$new" || die "$1 does not name the project's address"
	replace "$1" "$new" "has another address or version than thinprobe"
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
		table=$tree"experiments/README.md" link='' pairs=$tree"docs/two-hosts.md" pair_link=../experiments/
	else
		table=$tree"README.md" link=experiments/ pairs=$table pair_link=$link
	fi
	{
		echo '| experiment | question | minutes | what would prove us wrong |'
		echo '|---|---|---|---|'
		of_each "$tree" readme_row "$link"
	} | update "$table" '<!-- from the plans: index.sh -->' '<!-- end -->' || status=1
	of_each "$tree" pair_row "$pair_link" | update "$pairs" '<!-- over ssh, from the plans: index.sh -->' '<!-- end -->' || status=1
done < <(in_trees '')
for file in README.md CITATION.cff debian/control docs/examples/gate-vnc-server.yml; do
	[ ! -f "$TP_HOME/$file" ] || update_address "$TP_HOME/$file" || status=1
done
exit "$status"
