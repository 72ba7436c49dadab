#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# deciders.sh [DRAWS] - writes docs/deciders.md: how often each decider is right, and wrong, on made-up scenes whose truth is known.
# DRAWS of each decider (10000; of watch, whose draws are sessions of minutes, a fifth), over all its scenes. Each draw has a seed
# of its own, so the same numbers come each time.
set -eu
cd "$(dirname "$0")/.."
TP_HOME=.
. lab/trees.sh
draws=${1:-10000}
[[ $draws =~ ^[1-9][0-9]*$ ]] || { echo "usage: tests/deciders.sh [DRAWS]" >&2; exit 2; }
mapfile -t tables < <(in_trees 'tests/scenes/*.tsv')

# Rows of a decider: its scenes in which something is to be found, nothing is, or it cannot be told, by the words that must be said.
summarize() {	# DECIDER
	local found='better|worse|broken|slower|floor|median|late|returns|(some-)?(server|network|client)'
	found+='|next-input|chaff|no-echo|lossy|overloaded|none|then|smaller|contrary|apart|more|less|above|below|bent|yes'
	LC_ALL=C awk -F'\t' -v decider="$1" -v found="(^|[|])($found)([|]|\$)" '
		function worst(k, what,   s) {
			s = sprintf(" | %.1f %%", 100 * sum[k, what] / draws[k])
			return s (most[k, what] ? sprintf(" (%s: %.1f %%)", name[k, what], 100 * most[k, what]) : "")
		}
		function count(k, what, n) {
			sum[k, what] += n
			if (n / $3 > most[k, what]) { most[k, what] = n / $3; name[k, what] = $1 }
		}
		{
			k = $2 ~ found ? 1 : $2 ~ /^(open|unknown|untold|noisy|throughout|provisional|inexact.*)$/ ? 3 : 2
			scenes[k]++; draws[k] += $3
			count(k, "missed", $4); count(k, "wrong", $5)
		}
		END {
			split("something,nothing,cannot be told", kind, ",")
			for (k = 1; k <= 3; k++)
				if (scenes[k])
					printf "| %s | %s | %d%s%s |\n", decider, kind[k], scenes[k],
						worst(k, "missed"), worst(k, "wrong")
		}'
}

for table in "${tables[@]}"; do make -s "build/scenes/$(basename "$table" .tsv)"; done
{
	cat <<-END
		# How often does thinprobe decide wrongly?

		Made by \`tests/deciders.sh\`. A *decider* is code that decides, for example, what is better, late or lost. A
		*scene* is made-up data whose truth is known. Each decider judges about $draws random cases (*draws*), \`watch\`
		a fifth of that, equally many of each scene.

		- *To be found*: the truth. *Something*: there is a fault or a difference. *Nothing*: there is neither, or the right
		  answer is a number. *Cannot be told*: the data do not show the answer.
		- *Missed*: the percentage of draws in which the decider did not give the right answer, but said nothing false.
		- *Wrong*: the percentage of draws in which the decider said something false, such as a false alarm. If the data do not
		  show the answer, any answer is wrong.
		- Brackets give the scene with the highest percentage.

		\`tests/scenes/DECIDER.tsv\` has the scenes and the allowed percentages. \`thinprobe check\` fails if one is higher than
		chance explains.

	END
	for table in "${tables[@]}"; do
		name=$(basename "$table" .tsv)
		file=${table%.tsv}.py
		[ -f "$file" ] || file=${table%.tsv}.c
		sed -nE "2,3{s,^(/\*|#) $name: (.*[^ /*])( \*/)?\$,- *$name*: \2,p}" "$file"
	done
	printf '\n| decider | to be found | scenes | missed | wrong |\n|---|---|---:|---|---|\n'
	for table in "${tables[@]}"; do
		name=$(basename "$table" .tsv)
		n=$draws
		[ "$name" != watch ] || n=$((draws / 5))
		"build/scenes/$name" "$table" --rates --draws "$n" | summarize "$name"
	done
} >docs/deciders.md.new
mv docs/deciders.md.new docs/deciders.md
