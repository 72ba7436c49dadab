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

@test "stopped: no process in the hosts, no socket, no lock; the lab down: nothing on the machine" {
	cat "$W/train.out" "$W/train.err"
	[ "$(cat "$W/train.status")" = 0 ]
	[ "$(protocols_said train left server)" = "" ]
	[ "$(protocols_said train left client)" = "" ]
	protocols_left
}

@test "kill -9 of the driver, an ordinary user's: nothing is left" {
	protocols_as_user || skip "this system forbids user namespaces to ordinary users, or the checkout is not for them"
	# shellcheck disable=SC2086 # words
	protocols_hold user $LIST || return 1
	[ "$(protocols_survivors | wc -l)" -ge 10 ]	# they are seen
	kill -KILL "$DRIVER"
	wait "$DRIVER" 2>/dev/null || true
	protocols_left
}

@test "a client that ends at once, a server that does: one line that says so, and nothing is left" {
	local p
	mkdir -p "$W/keep"
	for p in xfreerdp spicy vncviewer x11vnc; do
		printf '#!/bin/sh\necho "ERROR: %s has no luck" >&2\nexit 1\n' $p >"$W/keep/$p"
		chmod 755 "$W/keep/$p"
	done
	for p in rdp spice vnc:viewer vnc:x11vnc; do
		PATH="$W/keep:$PATH" protocols_train "broken-$p" "$p" &
	done
	wait
	for p in rdp spice vnc:viewer vnc:x11vnc; do
		[ -z "$(protocols_said train skip "$p")" ] || continue
		cat "$W/broken-$p.out" "$W/broken-$p.err"
		[ "$(cat "$W/broken-$p.status")" = 1 ]
		[ "$(wc -l <"$W/broken-$p.err")" = 1 ]
		grep -q "has no luck; see " "$W/broken-$p.err"
	done
	protocols_left
}
