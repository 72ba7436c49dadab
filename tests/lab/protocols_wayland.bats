#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# As protocols.bats, for servers that are Wayland compositors, and for VNC in a browser.
# bats file_tags=all

OF=(-E '^(wayvnc|weston|novnc|grd)')
load protocols

@test "protocols, Wayland and browser: each answers a train of keys, and its settings are complete" { protocols_answered train; }

@test "protocols, Wayland and browser: the browser's window fills the screen" {
	[ -n "$(protocols_said train begins novnc)" ] || skip "none of these protocols can run here"
	[ "$(protocols_said train view novnc)" = 1 ]
}

@test "protocols, Wayland and browser: after the stop nothing is left" { protocols_stopped; }

@test "protocols, Wayland and browser: kill -9 of an ordinary user's driver leaves nothing" { protocols_killed; }

@test "protocols, Wayland and browser: a client or server that ends at once gives one line, and nothing is left" {
	BROKEN="wayvnc chromium weston mutter" protocols_broken wayvnc novnc weston:rdp grd
}
