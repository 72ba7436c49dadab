#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# list.sh - the experiments with what they reproduce, from the plan of each; or the protocols that can run here.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
. "$TP_HOME/experiments/engine/plan.sh"

list_experiments() {
	local plan name
	printf '%-14s  %-8s  %s\n' experiment minutes 'what it shows'
	for plan in "$TP_HOME"/experiments/*/plan; do
		name=${plan%/plan}
		plan_lines "$plan" | awk -v name="${name##*/}" '{ word = $1; sub(/^[^ ]+ +/, ""); of[word] = $0 } END {
			printf "%-14s  %-8d  %s%s\n", name, of["minutes"], of["paper"] == "-" ? "" : of["paper"] ": ", of["figure"] }'
	done | LC_ALL=C sort
}

list_protocols() {
	local file name variant
	printf '%-12s  %-4s  %s\n' protocol here what
	for file in "$TP_HOME"/lab/protocols/*.sh; do
		name=$(basename "$file" .sh)
		list_protocol "$name"
		# the first of its variants is what it is without a word
		for variant in $(protocol_use "$name" && protocol_variants | cut -s -d' ' -f2-); do list_protocol "$name:$variant"; done
	done
}

# In a shell of its own: the plug-ins share their functions' names.
list_protocol() (
	local here=yes why
	protocol_use "$1"
	if ! why=$(protocol_can); then
		here=no why=": $why"
		! grep -q "^protocol:${1%%:*}	" "$TP_HOME/packages" || why+=" (thinprobe setup --protocol $1)"
	fi
	printf '%-12s  %-4s  %s%s\n' "$1" "$here" "$(protocol_about)" "$why"
)

[ $# -le 1 ] || { echo "thinprobe: list: unexpected $2" >&2; exit 2; }
case ${1:-} in
'') list_experiments ;;
--protocols) list_protocols ;;
-h | --help) echo "usage: thinprobe list [--protocols]" ;;
*) echo "thinprobe: list: unexpected $1; try --protocols" >&2; exit 2 ;;
esac
