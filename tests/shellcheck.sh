#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs shellcheck with what .shellcheckrc leaves out: names of variables that are misspelt, never set or never used.
#
# usage: tests/shellcheck.sh FILE...
# In a file alone, a variable that it shares with others looks unset or unused. So behind each file, lines are added that set and
# use the shared ones: of tests/names, and for experiments also options of plans and the table of docs/experiment-hooks.md.

set -u -o pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
TP_HOME=.
. lab/trees.sh

experiment_names() {
	local plans
	mapfile -t plans < <(in_trees 'experiments/*/plan' 'experiments/families/*.plan' experiments/{engine,families}/options)
	sed -nE 's/^\| `([A-Z][A-Z0-9_]*)`.*/\1/p' docs/experiment-hooks.md
	# (of "use", what has a list is plural)
	sed -nE '/^(option|use) /{ / (type=)?list( |$)|^use +[a-z0-9-]+ +[^ ",]+,/!s/^[a-z]+ +([a-z0-9-]+).*/\1/p
		s/^[a-z]+ +([a-z0-9-]+) .*/\1s/p }' "${plans[@]}" | tr 'a-z-' 'A-Z_'
	grep -ohE '\bvar=[A-Z0-9_]+' "${plans[@]}" | cut -d= -f2
}

# Prints the lines to add to a file that may share the variables of NAMES. 1: a variable that is neither shared, nor does the file
# have its name without "$", in "$NAME" or ${NAME-...} (shellcheck passes over what is in an array, or may be unset).
added_lines() {	# FILE
	awk 'BEGIN {
			n = split(ENVIRON["NAMES"], name, " ")
			for (i = 1; i <= n; i++) { map[i] = sub(/\[\]$/, "", name[i]); sub(/=$/, "", name[i]) }
		}
		/^[ \t]*#/ { next }
		{
			rest = $0
			while (match(rest, /"?\$?\{?[#!]?[A-Za-z_][A-Za-z0-9_]*/)) {
				word = substr(rest, RSTART, RLENGTH)
				rest = substr(rest, RSTART + RLENGTH)
				quoted = word ~ /^"\$/
				used = sub(/^"?\$\{?[#!]?/, "", word)
				sub(/^["{#!]+/, "", word)
				has[word]
				if (!used) bare[word]
				else if ((quoted || rest ~ /^:?[-+=?]/) && !(word in unsure)) unsure[word] = FNR
			}
		}
		END {
			for (i = 1; i <= n; i++) {
				if (!(name[i] in has)) continue
				bare[name[i]]
				names = names " " name[i]
				uses = uses " \"${" name[i] "[@]}\""
				if (map[i]) maps = maps " " name[i]
			}
			for (word in unsure) if (!(word in bare)) {
				print "In " FILENAME " line " unsure[word] ": nothing sets " word " (tests/names)" >"/dev/stderr"
				wrong = 1
			}
			if (names != "")
				print "# shellcheck disable=SC2317,SC3044,SC3054\nshared() { read -r" names "; " \
					(maps == "" ? "" : "declare -A" maps "; ") ":" uses "; }"
			exit wrong
		}' "$1"
}

check() {	# FILE
	local pattern words added exclude=$EXCLUDE status=0 NAMES=''
	while read -r pattern words; do
		# shellcheck disable=SC2053 # patterns
		[[ $1 != @($pattern) ]] || NAMES+=" $words"
	done <<<"$SHARED"
	export NAMES
	added=$(added_lines "$1") || status=1
	[[ $(grep '^[^[:space:]#]' "$1" | tail -n 1) != 'exec '* ]] || exclude+=,SC2093	# it is no longer the last command
	shellcheck --norc --exclude "$exclude" --enable check-unassigned-uppercase - <<<"$(<"$1")"$'\n'"$added" |
		sed "s,^In - line,In $1 line," && return "$status"
}

[ "${1-}" != --one ] || { check "$2"; exit; }
SHARED=$(echo "*experiments/* $(experiment_names | sort -u | paste -sd ' ')" && in_trees tests/names | xargs grep -hv '^#')
EXCLUDE=$(sed -n 's/^disable=//p' .shellcheckrc | grep -vx 'SC2034,SC2153,SC2154' | paste -sd ,)
export SHARED EXCLUDE
# file by file: of several, shellcheck takes functions and variables of one for those of another
printf '%s\0' "$@" | xargs -0n 1 -P 2 tests/shellcheck.sh --one
