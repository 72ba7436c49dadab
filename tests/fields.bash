# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# fields.bash - what thinprobe-formats(5) names.

# fields SECTION: the names of its fields, a line each.
fields() {
	sed -n "/^\.Ss $1\$/,/^\.S[sh] /p" "$TOP/docs/thinprobe-formats.5" | sed -nE 's/^(\.It )?\.?Va //p' |
		tr -d ';' | sed 's/ *$//; s/ , /\n/g; s/ \.$//; s/ ,$//' | grep -E '^[a-z_0-9]+$' | sort -u
}
header() { head -n 1 "$1" | tr '\t' '\n' | grep -vx schema | sort; }	# header TABLE
