# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# figures.bash - what tests ask of figures: numbers that must agree, and fields that thinprobe-formats(5) names.

# near VALUE EXPECTED [TOLERANCE]: EXPECTED is a number or a formula of awk; without a tolerance that of the file, $NEAR.
near() {
	awk -v v="$1" -v by="${3-$NEAR}" "BEGIN { d = v - ($2); exit !(v ~ /^-?[0-9.]+\$/ && d <= by && -d <= by) }" ||
		{ echo "$1, not $2" >&2; return 1; }
}

# fields SECTION: the names of its fields, a line each.
fields() {
	sed -n "/^\.Ss $1\$/,/^\.S[sh] /p" "$TOP/docs/thinprobe-formats.5" | sed -nE 's/^(\.It )?\.?Va //p' |
		tr -d ';' | sed 's/ *$//; s/ , /\n/g; s/ \.$//; s/ ,$//' | grep -E '^[a-z_0-9]+$' | sort -u
}
header() { head -n 1 "$1" | tr '\t' '\n' | grep -vx schema | sort; }	# header TABLE
