# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# decided.sh - what a program decides of claims. command.sh reads this file.

tool() {	# tool NAME [OPTION...]: where TP_HOME is another tree, that of this one
	local file=$TP_BIN/$1
	[ -x "$file" ] || file=${BASH_SOURCE[0]%/*}/../bin/$1
	"$file" "${@:2}"
}

# decided_claims CLAIMS [COLUMN...]: what judge says of each, rows of claims/1 without the schema, in their order, with these
# columns.
decided_claims() {
	[ -n "$1" ] || { echo '{}'; return; }
	printf 'schema\tkind\tshare\tfrom\tto\tlow\thigh\trepeats\tfrom_b\tto_b\tlow_b\thigh_b\trepeats_b%s\n%s\n' \
		"$(printf '\t%s' "${@:2}" | sed 's/^\t$//')" "$1" |
		sed '1!s/^/claims\/1\t/' | tool judge - --claims --json
}
