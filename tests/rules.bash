# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# rules - for tests of the rules of data/papers.tsv: what they say of made-up tables whose truth is known.

# word_of FILE FIGURE: the word by which judge answers the verdicts of this figure in the FILE; "nothing" where none decides.
# Standard input: the kept runs in jq, {RUN: {TABLE: [ROW, ...]}}, an object a row; 2 | about("NAME") is a figure of five repeats
# with an interval of a tenth to each side.
word_of() {
	local top facts lines claims
	top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	. "$top/report/decided.sh"
	. "$top/report/program.sh"
	facts=$(awk -F'\t' -v OFS='\t' -v figure="$2" '$2 == figure && $3 == "verdict" { print FILENAME ":" FNR, $0 }' "$1")
	lines=$(jq -Rc '(. / "\t") as $fact | {fact: $fact}, {plan: [($fact[5] / "/")[0], "1", "", ""]}' <<<"$facts"
		jq -nc 'def about($name): {($name): ., "\($name)_low": (. * 0.9), "\($name)_high": (. * 1.1), repeats: 5};
			'"$(cat)"' | to_entries[] | {kept: {name: .key, folder: "", run: {settings: {}}, figures: [],
			tables: (.value | map_values((map(keys_unsorted) | add | unique) as $head
				| [$head] + map(. as $row | $head | map($row[.] // "" | tostring))))}}')
	claims=$(jq -rn --rawfile papers "$top/docs/papers.md" --arg docs . --arg strict '' \
		"$(program "$(cat "$top"/experiments/commands/gallery{,_papers}.jq)" "$top/experiments/commands" "$top")" <<<"$lines") || return
	TP_BIN=${TP_BIN:-$top/bin} decided_claims "$claims" of rule part says some whole | jq -r '.result.figures[0].verdict // "nothing"'
}
