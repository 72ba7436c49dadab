# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# program.sh - a jq program with what it includes: releases of jq differ in what an include within an include means, and jq 1.8.2
# breaks off at one.

# program FILTER EXPERIMENT HOME: the lines of FILTER, and in the place of an include what this folder or the folder EXPERIMENT has
# of that name, each file once.
program() {
	FOLDERS=$(printf '%s\n' "${BASH_SOURCE[0]%/*}" "$2" "${2%/*}/families" "$3/experiments/families") awk '
		function expand(line,   name, i, file, more) {
			if (line !~ /^include "[a-z_]+";/) { print line; return }
			name = line; sub(/^include "/, "", name); sub(/".*/, "", name); sub(/^[^;]*;/, "", line)
			if (!(name in seen)) {
				seen[name] = 1
				for (i = 1; i <= folders; i++) {
					file = folder[i] "/" name ".jq"
					while ((more = (getline text[name] < file)) > 0) expand(text[name])
					if (more == 0) break
				}
				close(file)
			}
			print line
		}
		BEGIN {
			folders = split(ENVIRON["FOLDERS"], folder, "\n")
			n = split(ARGV[1], given, "\n")
			for (k = 1; k <= n; k++) expand(given[k])
		}' "$1"
}
