# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - latency of a key over a long link: rtt (with each protocol's line) and loss (a panel for each protocol).
include "series";

def figures: . as $doc | measured_rows("summary") as $rows | ($rows | distinct(.protocol)) as $protocols
	| ([$rows[] | .rtt_ms, .ping_ms | values] | max // 1) as $most
	| [$rows[] | select(.keys_per_s == 0)] as $typed
	| {name: "rtt", title: "Response time of a key over the round trip time of the link", panels: [{
		x: {label: "round trip time by ping, ms", from: 0, to: ($most * 1.04)},
			y: {label: "median response time, ms", from: 0},
		curves: [dashed + {draw: "line", title: "one round trip and nothing else", rows: [0, $most | {x: ., y: .}]},
			($protocols | to_entries[] | .value as $protocol | look(.key) as $look
				| first($doc.slope // [] | .[] | select(.protocol == $protocol and .slope != null
					and .slope_low > 0)) // null
				| . as $s | ($protocol + if . == null then ""
					else ": \(.slope | fixed(2)) (\(.slope_low | fixed(2)) to "
					+ "\(.slope_high | fixed(2))) round trips a key, from \(.start_ms | digits(3)) ms on" end)
				as $title
				| dots($typed | map(select(.protocol == $protocol and .loss_percent == 0)); .ping_ms // .rtt_ms;
					"p50_ms";
					$look + {$title, name: $protocol}),
				  (select($s) | $look + {draw: "line", rows: [0, $most
					| {x: ., y: ($s.start_ms + $s.slope * .)}]})),
			($doc | threshold_line)]}]},
	([$typed[] | select(.loss_percent > 0)] | select(. != []) | .[-1].rtt_ms as $rtt
		| ([.[] | .max_ms, .max_ms_to, .p90_ms | values] | max // 1) as $top
		| ([.[] | .p50_ms, .p50_ms_from | values | select(. > 0)] | min // 10) as $least
		| ([.[].loss_percent] | max) as $loss
		| {name: "loss", title: "Response time of a key over packet loss, round trip \($rtt | plain) ms", panels: [
			$protocols[] | . as $protocol | [$typed[] | select(.protocol == $protocol and .rtt_ms == $rtt)] as $these
			| {title: $protocol, x: {label: "loss each way, %", from: (-0.06 * $loss), to: ($loss * 1.06)},
				y: {label: "response time, ms", log: true, unit: "ms", from: ([10, $least / 1.4] | min), to: ($top * 1.4)},
				curves: [curve($these; .loss_percent; "p50_ms"; look(0) + {title: "median"}),
					curve($these; .loss_percent; "p90_ms"; look(1) + {title: "90 %", draw: "line hover"}),
					curve($these; .loss_percent; "max_ms"; {title: "largest", colour: mark_colour, shape: 9,
						draw: "line hover"})]}]});
