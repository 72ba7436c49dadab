#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines that ssh reaches.
# bats file_tags=all

load ../../tests/lab/pair

@test "session-memory: over ssh, each login has its Xvnc and xterm in the rows" {
	need Xvnc xterm
	pair_cell session-memory --protocol vnc --kinds light --logins 1,2 --repeat 1
	rows="$RUN/cells/vnc.light-2/1/samples.tsv"
	# columns 2 to 4 of a row: number of logins, login, name of the process
	for login in 1 2; do
		[ "$(awk -F'\t' -v l="$login" '$2 == 2 && $3 == l && $4 ~ /^Xvnc/' "$rows" | wc -l)" = 1 ]
		[ "$(awk -F'\t' -v l="$login" '$2 == 2 && $3 == l && $4 == "xterm"' "$rows" | wc -l)" = 1 ]
	done
}
