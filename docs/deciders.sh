#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# deciders.sh [DRAWS] - writes docs/deciders.md: how often each decider is right, and wrong, on made-up scenes whose truth is known.
# DRAWS of each decider (10000), over all its scenes. Each draw has a seed of its own, so the same numbers come each time.
set -eu
cd "$(dirname "$0")/.."
TP_HOME=.
. lab/trees.sh
draws=${1:-10000}
mapfile -t tables < <(in_trees 'tests/scenes/*.tsv')
names=("${tables[@]##*/}")
for name in "${names[@]%.tsv}"; do make -s "build/scenes/$name"; done
{
	cat <<-END
		# How often does thinprobe decide wrongly?

		Made by \`docs/deciders.sh\`. What says better, late, slower, lost or blamed runs here in virtual time on made-up scenes whose
		truth is known ($draws draws of each decider). *Must say* is the share of draws in which one of these words was said; *must
		not*: one of those. \`thinprobe check\` fails where a share is worse than its scene allows.
	END
	for table in "${tables[@]}"; do
		name=${table##*/} name=${name%.tsv}
		printf '\n## %s\n\n%s\n\n| scene | what happens | draws | must say | must not |\n|---|---|---:|---|---|\n' "$name" \
			"$(sed -n '2{s,^/\* *,,; s, *\*/$,,; p}' "${table%.tsv}.c")"
		"build/scenes/$name" "$table" --rates --draws "$draws"
	done
} >docs/deciders.md.new
mv docs/deciders.md.new docs/deciders.md
