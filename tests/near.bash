# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# near.bash - numbers that must agree: `load near`.

# near VALUE EXPECTED [TOLERANCE]: EXPECTED is a number or a formula of awk; without a tolerance that of the file, $NEAR.
near() {
	awk -v v="$1" -v by="${3-$NEAR}" "BEGIN { d = v - ($2); exit !(v ~ /^-?[0-9.]+\$/ && d <= by && -d <= by) }" ||
		{ echo "$1, not $2" >&2; return 1; }
}
