#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Short cells on two machines that ssh reaches.
# bats file_tags=all,alone:switches

load ../../tests/lab/pair

@test "schedulers: over ssh, session and load run in their groups on the server; an unavailable setting has a reason" {
	need Xvnc xdotool
	pair_cell schedulers --settings default,weight-10-1,own-cpu --parts table --loads 2 --costs 5ms --full-costs 5ms \
		--time 2 --repeat 1 --idle 1
	jq -e '.rows[] | select(.setting == "default").here' "$RUN/run.json"
	jq -e '.rows | length == 3 and any(.here | not) and all(.here or (.why | length > 0))' "$RUN/run.json"
	why=$(jq -r '.rows[] | select(.setting == "weight-10-1") | if .here then "" else .why end' "$RUN/run.json")
	[ -z "$why" ] || skip "no cpu groups here: $why"
	# the groups as the server's kernel reported them
	for cell in "$RUN"/cells/vnc-weight-10-1-*/1/cell.json; do
		jq -e '.autogroup | (.app | contains("-session")) and (.sinks | contains("-load"))' "$cell"
	done
}
