#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Short cells on two machines that ssh reaches.
# bats file_tags=all

load ../../../../tests/lab/pair

@test "users: over ssh, web and VNC satisfy Little's law within 20 %" {
	local parts=vnc
	if command -v lighttpd >/dev/null; then parts=web,vnc; fi
	pair_cell users --parts "$parts" --users 10 --think-time 0.5 --vnc-users 4 --vnc-think-time 0.5 --cost 1ms --time 8 \
		--repeat 1
	usable "$RUN"
	for cell in "$RUN"/cells/*/1/vusers.json; do
		n=$(jq '.settings.users // .settings.n' "$cell")
		jq -e --argjson n "$n" '.result | .rate_per_s * (.response_ms.mean + 500) / 1000 / $n | . > 0.8 and . < 1.2' "$cell"
	done
}
