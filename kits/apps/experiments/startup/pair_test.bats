#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# One short cell on two machines.
# bats file_tags=all,alone:swap

load ../../../../tests/lab/pair

@test "startup: over ssh, an application starts while the server has 32 MB in swap" {
	[ "$(id -u)" = 0 ] || skip "memory groups and swap need root"
	need Xvnc xterm xdotool
	pair_cell startup --app xterm --axis used --used 32 --swap file --warm --server-memory 160M --swap-size 256M --repeat 1
	[ "$(jq '.result.runs | length' "$RUN/cells/xterm-warm-none-none-0/1/startup.json")" -ge 1 ]
	# the hog has 32 MB in swap
	[ "$(jq '.memory.swap_used_bytes >= 32 * 1048576' "$RUN/cells/xterm-warm-used-file-32/1/cell.json")" = true ]
}
