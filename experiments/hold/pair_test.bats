#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines that ssh reaches.
# bats file_tags=all

load ../../tests/lab/pair

@test "hold: over ssh, held and typed keys both come 20 times a second" {
	need Xvnc xdotool
	pair_cell hold --app heavy --cost 1ms --modes hold,tap --loads 0 --time 3 --repeat 1
	for mode in hold tap; do
		# 20 a second
		[ "$(pair_keys "$RUN/cells/vnc-heavy-$mode-0/1")" = 60 ]
	done
}
