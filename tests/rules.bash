# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# rules - for tests of the rules of data/papers.tsv: what they say of made-up tables whose truth is known.

# word_of FILE FIGURE: the word by which rules of this figure in the FILE are decided; "nothing" where none is.
# Standard input: the kept runs in jq, {RUN: {TABLE: [ROW, ...]}}, an object a row; 2 | about("NAME") is a figure of five repeats
# with an interval of a tenth to each side.
word_of() {
	jq -nc 'def about($name): {($name): ., "\($name)_low": (. * 0.9), "\($name)_high": (. * 1.1), repeats: 5};
		'"$(cat)" | python3 -IB "$(dirname "${BASH_SOURCE[0]}")/rule_word.py" "$1" "$2"
}
