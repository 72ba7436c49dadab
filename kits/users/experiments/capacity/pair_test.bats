#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Small searches on two machines.
# bats file_tags=all

load ../../../../tests/lab/pair

@test "capacity: over ssh, more sessions than one connection carries" {
	need Xvnc xdotool
	# 16 users have 32 commands on the server: MaxSessions lets 10 through a connection
	pair_cell capacity --protocol vnc --app heavy --cost 1ms --typing 1 --most 8 --time 4 --repeat 1 --criteria p95:9000ms
	limits=$(jq -c '.limits[0] | [.users, .reached]' "$RUN"/cells/*/1/cell.json)
	[ "$limits" = '[8,false]' ]
	[ "$(awk -F'\t' '$2 == 8' "$RUN"/cells/*/1/samples.tsv | wc -l)" = 8 ]
}
