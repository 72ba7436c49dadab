#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Short cells on two machines that ssh reaches.
# bats file_tags=all

load ../../../../tests/lab/pair

@test "principle-a: over ssh, rate and response time satisfy Little's law within 10 %" {
	pair_cell principle-a --users 20 --cov-users 1 --stations 2ms,1ms --think-time 0.2 --users-per-second 100 --time 4 \
		--repeat 1
	usable "$RUN"
	# Little: N = X (R + Z)
	jq -e '.result | .rate_per_s * (.response_ms.mean + 200) / 1000 | . > 18 and . < 22' \
		"$RUN/cells/held-think-20-0.2/1/vusers.json"
}
