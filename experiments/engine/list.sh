#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# list.sh - the experiments with what they reproduce, from the plan of each; or the protocols that can run here.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/home.sh" || exit 1

list_experiments() {
	local f stem minutes figure paper
	printf '%-14s  %-8s  %s\n' experiment minutes 'what it shows'
	for f in "$TP_HOME"/experiments/*/plan; do
		stem=${f%/plan} minutes=$(sed -n 's/^minutes  *\([0-9]*\).*/\1/p' "$f")
		figure=$(sed -n 's/^figure  *//p' "$f") paper=$(sed -n 's/^paper  *//p' "$f")
		[ "$paper" = - ] || figure="$paper: $figure"
		printf '%-14s  %-8s  %s\n' "${stem##*/}" "$minutes" "$figure"
	done | LC_ALL=C sort
}

list_protocols() {
	local f name variant
	printf '%-12s  %-4s  %s\n' protocol here what
	for f in "$TP_HOME"/lab/protocols/*.sh; do
		name=$(basename "$f" .sh)
		list_protocol "$name"
		# the first of its variants is what it is without a word
		for variant in $(. "$TP_HOME/lab/lib.sh" && protocol_use "$name" && protocol_variants | cut -s -d' ' -f2-); do
			list_protocol "$name:$variant"
		done
	done
}

# In a shell of its own: the plug-ins share their functions' names.
list_protocol() (
	. "$TP_HOME/lab/lib.sh"
	protocol_use "$1"
	if why=$(protocol_can); then
		printf '%-12s  %-4s  %s\n' "$1" yes "$(protocol_about)"
	else
		grep -q "^protocol:${1%%:*}	" "$TP_HOME/packages" && why+=" (thinprobe setup --protocol $1)"
		printf '%-12s  %-4s  %s: %s\n' "$1" no "$(protocol_about)" "$why"
	fi
)

[ $# -le 1 ] || { echo "thinprobe: list: unexpected $2" >&2; exit 2; }
case ${1:-} in
'') list_experiments ;;
--protocols) list_protocols ;;
-h | --help) echo "usage: thinprobe list [--protocols]" ;;
*) echo "thinprobe: list: unexpected $1; try --protocols" >&2; exit 2 ;;
esac
