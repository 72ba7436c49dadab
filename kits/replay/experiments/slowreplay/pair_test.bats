#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# On two machines, a session replayed on a disk in front of the server's files that is slowed down.
# bats file_tags=all

load ../../../../tests/lab/pair

@test "slowreplay: over ssh, a replay on a disk behind a link ends with all inputs delivered" {
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	need Xvnc openbox mousepad
	printf '%s\n' '200 move 400,400' '200 button 3 click' '300 Escape' '200 ctrl+alt+t' '1500 move 107,12' \
		'200 button 1 click' '300 Escape' >"$W/script"
	pair_cell slowreplay --quick --over 50Mbit/20Mbit,2ms --script "$W/script"
	usable "$RUN"
	jq -en --slurpfile s "$RUN/cells/slow/1/cell.json" --slurpfile p "$RUN/cells/plain/1/cell.json" '
		$s[0].play.total_s > $p[0].play.total_s and $s[0].disk.reads > 50 and $s[0].facts.delay_ms == 4
		and $s[0].play.inputs == $s[0].play.inputs_of_trace'
}
