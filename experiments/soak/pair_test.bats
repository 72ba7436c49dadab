#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A short session on two machines that ssh reaches.
# bats file_tags=all

load ../../tests/lab/pair

@test "soak: over ssh, both ends of the connection and their processes are read" {
	need Xvnc xdotool ss
	# (any growth is smaller: exit status 0)
	pair_cell soak --protocol vnc -t 55 --block 1 --every 0.1 --effect 900%
	for figure in floor_ms viewer_round_trip_ms server_round_trip_ms viewer_memory_mb server_memory_mb; do
		[ "$(awk -F'\t' -v f="$figure" '$6 == f && $9 > 0' "$RUN"/cells/*/1/blocks.tsv | wc -l)" -gt 40 ]
	done
}
