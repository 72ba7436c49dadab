#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines.
# bats file_tags=all

load ../../tests/lab/pair

@test "rtt: over ssh, pings beside the load of a link whose rate was said" {
	need ping
	pair_cell rtt --links 100Mbit --loads 0,50 --transport udp --probes ping --time 2 --interval 50ms
	for load in 0 50; do
		cell=$(cell_of "$RUN" probe=ping load=$load)/1
		[ "$(awk -F'\t' 'NR > 1 && $3 != ""' "$cell/samples.tsv" | wc -l)" = 40 ]
	done
	# half of the link, in whole frames: 1472 of 1514 bytes are its own
	jq -e '.result.sent_mbit_s | . > 49 and . < 51' "$cell/netload.json"
	[ "$(jq -r .parameters.queue "$cell/cell.json")" = real ]
}
