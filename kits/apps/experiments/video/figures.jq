# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - frames of a video that were shown a second, by scheme, with the share that was dropped above the bars (a figure for
# each job); counters of sound over time, a panel for each scheme; the distribution of time quanta.
include "schemes";

# As the paper: vamp without a look at sound, and with it; what there is without vamp beside both.
def panels: [["without", "vamp may throttle sound players"], ["with", "vamp exempts sound players"]];
def figures: (.run.settings.rate_per_s // 24) as $rate | [measured_rows("summary")[] | select(.fps_per_s != null)] as $rows
	| (jobs[] | . as $job
		| {name: "frames-\($job)", title: "Video frames shown per second, and dropped (above), with the job \($job)", high: 380,
		across: 2,
		panels: [panels[] as [$mult, $title]
		| [$rows[] | select((.job == $job or .job == "none") and (.mult == $mult or .mult == "none"))]
		| select(any(.mult == $mult) or $mult == "with") | . as $these | distinct(.scheme) as $schemes
		| {title: (if any(.mult == $mult) then $title else null end),
			x: {words: [$schemes[] | if . == "alone" then "no job" else . end | sub("\\+"; "|+")]},
			y: {label: "frames shown per second", from: 0, to: ($rate * 1.18)}, curves: [
			($schemes[] | . as $scheme | bars([$these[] | select(.scheme == $scheme)]; place_of(.scheme; $schemes);
				"fps_per_s"; 0.7; {title: ($scheme | scheme_title), colour: ($scheme | scheme_colour)})),
			{draw: "points", shape: 2, colour: "#000000", title: "seen on the screen",
				rows: [$these[] | select(.seen_per_s != null)
				| {x: place_of(.scheme; $schemes), y: .seen_per_s}]},
			level($rate; dotted),
			{draw: "label", rows: [$these[] | {x: place_of(.scheme; $schemes),
				y: ([.fps_per_s_high // .fps_per_s, 1.12 * $rate] | min),
				text: "\(.dropped_percent | fixed(1)) %"}]}]}]}),
	([.audio[]? | select(.s != null and .average != null)] | select(. != []) | . as $all | distinct(.comm) as $names
		| {name: "sound", title: "Counters of wake-ups of the sound server, by process", across: 1, high: 240, panels: [
			distinct([.scheme, .job])[] | . as $pair | {title: "vamp \($pair[0]), job \($pair[1])",
			x: {label: "seconds since vamp began", from: 0, to: ([$all[].s] | max * 1.02)},
			y: {label: "counter, averaged", log: true, from: 0.1, tics: [{at: 0.1, text: "0"}, 1, 10, 100, 1000],
				to: ([$all[].average] + [1] | max * 2)},	# (less than 0.1 is drawn there)
			curves: [$names | to_entries[] | .value as $name | look(.key) + {draw: "line points", title: $name,
				rows: [$all[]
				| select([.scheme, .job] == $pair and .comm == $name) | {x: .s, y: ([.average, 0.1] | max)}]}]}]}),
	quanta;
