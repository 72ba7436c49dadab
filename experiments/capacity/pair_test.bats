#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A small search on two machines that ssh reaches.
# bats file_tags=all

load ../../tests/lab/pair

@test "capacity: over ssh, eight users at a time, whose commands need more than one ssh connection" {
	need Xvnc xdotool
	# each session has several commands on the server; sshd's MaxSessions allows 10 for each connection
	pair_cell capacity --protocol vnc --app heavy --cost 1ms --typing 1 --most 8 --time 4 --repeat 1 --criteria p95:9000ms
	limits=$(jq -c '.limits[0] | [.users, .reached]' "$RUN"/cells/*/1/cell.json)
	[ "$limits" = '[8,false]' ]
	[ "$(awk -F'\t' '$2 == 8' "$RUN"/cells/*/1/samples.tsv | wc -l)" = 8 ]
}
