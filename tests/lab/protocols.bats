#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Display protocols: each starts, takes a train of keys that come back, and leaves nothing on the
# machine; also as an ordinary user, and when the driver is killed.
# bats file_tags=all

load protocols

setup_file() {
	protocols_world || return 0
	LIST=$(protocols_listed -vE '^(nx|ssh|xpra)')
	export LIST
	# shellcheck disable=SC2086 # words
	protocols_train train $LIST
}

teardown_file() {
	rm -rf -- "$W"
}

@test "each takes a train of keys, which come back, and its settings say what there is to know" { protocols_answered train; }

@test "a viewer's window fills the screen" {
	local p
	for p in rdp rdp:vnc spice vnc:viewer; do
		[ -z "$(protocols_said train skip "$p")" ] || continue
		echo "$p: $(protocols_said train view "$p")"
		[ "$(protocols_said train view "$p")" = 1 ]
	done
}

@test "stopped: no process in the hosts, no socket, no lock; the lab down: nothing on the machine" { protocols_stopped; }

@test "kill -9 of the driver, an ordinary user's: nothing is left" { protocols_killed; }

@test "a client that ends at once, a server that does: one line that says so, and nothing is left" {
	BROKEN="xfreerdp spicy vncviewer x11vnc" protocols_broken rdp spice vnc:viewer vnc:x11vnc
}
