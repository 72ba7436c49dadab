#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Short cells on two machines that ssh reaches.
# bats file_tags=all

load ../../tests/lab/pair

@test "rtt: over ssh, all pings are answered beside a load of 50 % of the rate given with --links" {
	need ping
	pair_cell rtt --links 100Mbit --loads 0,50 --transport udp --probes ping --time 2 --interval 50ms
	for load in 0 50; do
		cell=$(cell_of "$RUN" probe=ping load=$load)/1
		[ "$(awk -F'\t' 'NR > 1 && $3 != ""' "$cell/samples.tsv" | wc -l)" = 40 ]
	done
	usable "$RUN"
	# half of the link, counted in whole frames (1514 bytes, 1472 of them payload)
	jq -e '.result.sent_mbit_s | . > 49 and . < 51' "$cell/netload.json"
	[ "$(jq -r .parameters.queue "$cell/cell.json")" = real ]
}
