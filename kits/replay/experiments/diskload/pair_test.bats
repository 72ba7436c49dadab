#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short replay on two machines: on an emulated disk in front of the server's files, and on the server's own disk.
# bats file_tags=all,alone:disk

load ../../../../tests/lab/pair

begin() {
	need Xvnc openbox mousepad fio
	printf '%s\n' '200 move 400,400' '200 button 3 click' '300 Escape' '200 ctrl+alt+t' '1500 move 107,12' \
		'200 button 1 click' '300 Escape' >"$W/script"
}

@test "diskload: over ssh, a session on a slow disk in front of the server's files, beside reads from it" {
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	begin
	pair_cell diskload --quick --rates 50 --script "$W/script"
	[ "$(jq -r '.disk.kind + " " + (.disk.files > 50 | tostring)' "$RUN/run.json")" = "slow true" ]
	usable "$RUN"
	[ "$(jq '.disk.reads > 50 and .caches == "dropped" and .facts.load_reads_per_s > 0 and .facts.load_reads_per_s < 65
		and .play.inputs == .play.inputs_of_trace' "$RUN/cells/50/1/cell.json")" = true ]
	[ -z "$(find /var/tmp -maxdepth 1 -name 'thinprobe-disk-??????' -newer "$W/script")" ]
}

@test "diskload: over ssh, a session on the server's own disk, beside reads of a file of the load's own" {
	begin
	pair_cell diskload --quick --rates 50 --disk file --script "$W/script"
	[ "$(jq -r .disk.kind "$RUN/run.json")" = own ]
	usable "$RUN"
	[ "$(jq '.facts.load_reads_per_s > 25 and .facts.load_reads_per_s < 75' "$RUN/cells/50/1/cell.json")" = true ]
	caches=$(jq -r .caches "$RUN/cells/50/1/cell.json")
	if [ "$(id -u)" != 0 ]; then
		[ "$caches" = kept ]
		jq -e '.lab.missing | any(test("caches"))' "$RUN/run.json"
	fi
	[ -z "$(find /var/tmp -maxdepth 1 -name 'thinprobe-disk-??????' -newer "$W/script")" ]
}
