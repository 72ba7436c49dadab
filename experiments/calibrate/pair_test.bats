#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A short calibration of a client that ssh reaches.
# bats file_tags=all

load ../../tests/lab/pair

@test "calibrate: over ssh the probe's half is measured on the client, by one clock: every key there, each delay as injected" {
	need Xvnc xdotool openssl
	# pair_cell wants tp-server as the server: here it is the client
	PAIR_ON=ssh:tp-client,tp-server pair_cell calibrate --protocol vnc:refecho,vnc --time 1 --repeat 1
	[ "$(jq -r '.lab.client' "$RUN/run.json")" = tp-server ]
	[ "$(jq '[.lab.missing[] | select(startswith("server and link: "))] | length' "$RUN/run.json")" = 1 ]
	usable "$RUN"
	# 25 keys in 1 s, of which all but the first five count
	for path in vnc-refecho vnc; do
		for delay in 0 5 20 80; do
			[ "$(row keys)/$(row lost)" = 20/0 ]
			awk -v want="$delay" -v was="$(row injected_ms)" 'BEGIN { exit !(was >= want) }'	# it may wake late, never early
		done
	done
	[[ $output == *"shared CPUs: the client keeps its earlier calibration"* ]]
}
row() { field "$RUN/summary.tsv" "$1" path="$path" probe=patch delay="$delay ms"; }
