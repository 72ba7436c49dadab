#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Words on made-up rows: an experiment's verdict and findings say no more than the rows do.

bats_require_minimum_version 1.5.0
load ../../../../tests/liars/says

# replayed FILTER ROW [CHANGE]: the setting "at b" beside the base "at a"; CHANGE is made to the whole.
replayed() {
	says "${EXPERIMENT-cpuspeed}" "$1" <<-END
		{run: {settings: {base: "a", threshold_ms: 150}, protocol: {floor_ms: 10}}, summary: [
			{setting: "a", says: "at a", p50_ms: 20, points: 0, slower: 0, faster: 0},
			({setting: "b", says: "at b", points: 70, slower: 0, faster: 0} + level("total_ratio"; 1; 0.995; 1.005)
				+ level("ratio"; 1; 0.9; 1.1) + $2) | . + {failed: 0, missing: 0} | row],
		points: [{setting: "b", input: 1, kind: "key", ratio: 1.5, base_ms: 100, latency_ms: (150, 151)}]} | ${3-.}
	END
}

@test "replays: responses have changed from a tenth of them on; later than the limit is more than it" {
	run -0 replayed '[findings[].id] | join(" ")' '{slower: 7, faster: 0}'
	has hidden
	has most-grown
	run -0 replayed '[findings[].id] | join(" ")' '{slower: 6, faster: 0}'
	has unchanged
	run -0 replayed '[findings[].id] | join(" ")' '{}'
	has unchanged
	lacks most-grown	# none takes at least 1.5 times as long
	run -0 replayed 'findings[].text' '{}'
	has "Of 2 responses found at both, 1 take over 150 ms, instead of 0."
	run -0 replayed 'findings[].text' '{slower: 6, faster: 0}'
	has "fewer than a tenth of the responses change much"
	# seven of 70 took longer, the median response did not
	run -0 replayed 'findings[].text' '{slower: 7, faster: 0} + level("total_ratio"; 1.2; 1.1; 1.3)'
	has "Total time and some of the responses change"
}

@test "replays: one replay hides nothing surely, and a single response that took longer is bad only if responses do" {
	run -0 replayed verdict '{slower: 7, faster: 0, ratio: 1.3}'
	has "at most 1 % from that with at a, but"
	run -0 replayed verdict '{slower: 7, faster: 0, total_ratio_low: null, total_ratio_high: null}'
	has "at most 1 % from that with at a (no interval), but"
	grown() { replayed 'one("most-grown")' "{slower: 7, faster: 1} + $1"; }
	run -0 grown 'level("ratio"; 1.3; 1.1; 1.5)'
	has "bad: "
	for ratio in 'level("ratio"; 1.3; 0.9; 1.7)' '{ratio: 1.3, ratio_low: null, ratio_high: null}'; do
		run -0 grown "$ratio"
		has "unsure: "
	done
}

# Noise makes as many responses faster as slower: of seven, 5 and 2 by it in 45 of 100 cases, 7 and 0 in 2 (binom.cdf).
@test "replays: responses that change both ways have not changed surely, and a total time with a wide interval is not the same" {
	for moved in 'slower: 5, faster: 2' 'slower: 4, faster: 4'; do
		run -0 replayed 'findings[].id, verdict' "{$moved}"
		has noisy
		has "cannot tell whether a setting changes responses"
		run -0 replayed 'findings[].id' "{$moved} + level(\"total_ratio\"; 1.2; 1.1; 1.3)"
		has total-noisy
		lacks shown
	done
	# without an interval, as of one replay, the surplus counts
	run -0 replayed 'findings[].id' '{slower: 8, faster: 1, ratio_low: null, ratio_high: null}'
	has hidden
	run -0 replayed 'findings[].id' '{slower: 4, faster: 4, ratio_low: null, ratio_high: null}'
	has noisy
	# all responses by a little: the interval of their ratio tells
	run -0 replayed 'findings[].id' '{slower: 5, faster: 2} + level("ratio"; 1.3; 1.1; 1.5)'
	has hidden
	run -0 replayed 'findings[].id' '{slower: 9, faster: 0} + level("total_ratio"; 1.004; 0.93; 1.08)'
	has untold
	lacks hidden
}

@test "replays: a wait that is in each response is named from half of the median on, if it is no longer than that" {
	for floor in 10 22; do
		run -0 replayed '[server_floor] | length' '{}' ".run.protocol.floor_ms = $floor"
		[ "$output" = 1 ]
	done
	for floor in 9.9 22.1 null; do
		run -0 replayed '[server_floor] | length' '{}' ".run.protocol.floor_ms = $floor"
		[ "$output" = 0 ]
	done
	run -0 replayed '[server_floor] | length' '{}' '.summary[0].p50_ms = null'
	[ "$output" = 0 ]
}

@test "replays: a load is as asked for within a twentieth; a setting without a rate has none to keep" {
	load_is() { replayed '[load] | .[] | .verdict' '{value: 100, load_reads_per_s: 95}' ".summary[1] |= (. + $1)"; }
	for row in '{}' '{load_reads_per_s: 105}' '{value: null}'; do
		run -0 load_is "$row"
		[ "$output" = none ]
	done
	for row in '{load_reads_per_s: 94.9}' '{load_reads_per_s: 105.1}'; do
		run -0 load_is "$row"
		[ "$output" = unsure ]
	done
	run -0 load_is '{load_reads_per_s: null}'
	[ -z "$output" ]
}

@test "iosched: the device held too many requests only above its limit; two orders differ only by intervals that lie apart" {
	local EXPERIMENT=iosched
	order_is() {	# order_is TAU LOW HIGH MOST: of the second, beside 0.9 (0.8 to 1); MOST in the device, of 4
		replayed '[order] | .[] | .verdict' '{}' ".run.settings.takes = 4 | .summary |= [.[] + {in_device_p90: $4, waiting_mean: 9}]
			| .summary[0] += level(\"tau\"; 0.9; 0.8; 1) | .summary[1] += level(\"tau\"; $1; $2; $3)"
	}
	run -0 order_is 0.1 0 0.2 4
	[ "$output" = good ]
	run -0 order_is 0.1 0 0.2 4.1
	[ "$output" = unsure ]
	run -0 order_is 0.1 0 0.2 null
	[ "$output" = good ]
	run -0 order_is 0.7 0.6 0.8 4
	[ "$output" = none ]
	run -0 order_is 0.1 null null 4
	[ "$output" = unsure ]
}
