# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# nearest.sh - the name that was probably meant.

# nearest WORD ELSE NAME...: prints "; did you mean NAME?" of the name that WORD begins, or that is at most two letters off (one of
# a short word, never all; two that are swapped count as one); ELSE where none is.
nearest() {
	LC_ALL=C awk 'BEGIN {
		word = ARGV[1]; least = length(word) < 4 ? 2 : 3
		for (n = 3; n < ARGC; n++) {
			name = ARGV[n]; rows = length(word); columns = length(name)
			for (i = 0; i <= rows; i++) d[i, 0] = i
			for (j = 0; j <= columns; j++) d[0, j] = j
			for (i = 1; i <= rows; i++) for (j = 1; j <= columns; j++) {
				a = substr(word, i, 1); b = substr(name, j, 1)
				m = d[i - 1, j - 1] + (a != b)
				if (d[i - 1, j] + 1 < m) m = d[i - 1, j] + 1
				if (d[i, j - 1] + 1 < m) m = d[i, j - 1] + 1
				if (i > 1 && j > 1 && a == substr(name, j - 1, 1) && b == substr(word, i - 1, 1) && d[i - 2, j - 2] + 1 < m)
					m = d[i - 2, j - 2] + 1
				d[i, j] = m
			}
			m = d[rows, columns]
			if (rows > 2 && index(name, word) == 1) m = m > 2 ? 2.5 : m - 0.5
			if (m < least && m < columns && m < rows) { least = m; found = name }
		}
		if (found != "") printf "; did you mean %s?", found; else printf "%s", ARGV[2]
	}' "$@"
}
