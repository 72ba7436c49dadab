# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - over-time: what the blocks of a session measured; of several sessions each has its dashes.
include "series";

def figures: . as $doc | .blocks | select(. != null and . != []) | . as $blocks | distinct([.protocol, .repeat]) as $sessions
	| ([.[].time_h] | max) as $longest | (if $longest > 2 then [1, "hours"] elif $longest > 0.05 then [60, "minutes"]
		else [3600, "seconds"] end)
		as [$by, $unit]
	| ($doc.run.settings | if .warmup_blocks and .block_s then .warmup_blocks * .block_s / 3600 else 0 end) as $warm
	| {name: "over-time", title: "A session over time", across: 2, high: 235,
		legend: [{draw: "box", title: "warm-up", colour: "#e4e4e4"}, dashed + {draw: "line", title: "grows since"}],
			panels: [
		["response time", "ms", ["floor_ms", "10 % value", light_colour], ["median_ms", "median, late keys", mark_colour]],
		["late keys", "percent", ["late_percent", "median, late keys", mark_colour]],
		(["TCP round trip", "ms", "round_trip_ms"], ["packets sent again", "in each block", "sent_again"],
			["memory", "MB", "memory_mb"],
			["open descriptors", "number", "descriptors"]
			| .[:2] + [["viewer_" + .[2], "viewer", heavy_colour], ["server_" + .[2], "server", colour(2)]])
		| . as [$title, $of] | .[2:] as $kinds | select(any($blocks[]; IN(.figure; $kinds[][0])))
		| {$title, x: {label: "\($unit) from the begin of the session", from: 0}, y: {label: $of, from: 0},
			marks: [(select($warm > 0) | {x: 0, to: ($warm * $by), colour: "#f0f0f0"}),
				($kinds[] | . as [$kind, $words, $colour]
				| $doc.figures // [] | .[] | select(.figure == $kind and .since_h != null and [.protocol,
					.repeat] == $sessions[0])
				| {x: ($by * .since_h), $colour, dash: 2})],
			curves: [$kinds[] | . as [$kind, $words, $colour] | $sessions | to_entries[] | .value as $session
				| {draw: "line", width: 1.2, dash: (.key + 1), $colour, title: $words, rows: [$blocks[]
					| select([.protocol, .repeat] == $session and .figure == $kind and .value != null)
						| {x: ($by * .time_h), y: .value}]}]}]};
