#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Display protocols: each starts, takes a train of keys that come back, and leaves nothing on the
# machine; also as an ordinary user, and when the driver is killed.
# bats file_tags=all

OF=(-vE '^(nx|ssh|xpra|wayvnc|weston|novnc|grd)')
load protocols

@test "protocols: each answers a train of keys, and its settings are complete" { protocols_answered train; }

@test "protocols: a viewer's window fills the screen" {
	local p here=''
	for p in rdp rdp:vnc spice vnc:viewer; do
		[[ " $LIST " == *" $p "* ]] && [ -z "$(protocols_said train skip "$p")" ] || continue
		here=1
		echo "$p: $(protocols_said train view "$p")"
		[ "$(protocols_said train view "$p")" = 1 ]
	done
	[ -n "$here" ] || skip "none of these protocols can run here"
}

@test "protocols: after the stop no process, socket or lock is left in the hosts; after the lab nothing on the machine" {
	protocols_stopped
}

@test "protocols: kill -9 of an ordinary user's driver leaves nothing" { protocols_killed; }

@test "protocols: a client or server that ends at once gives one line, and nothing is left" {
	BROKEN="xfreerdp spicy vncviewer x11vnc" protocols_broken rdp spice vnc:viewer vnc:x11vnc
}
