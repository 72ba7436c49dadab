# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - bandwidth of loops by their frames, and where the limit was found (cliff: a panel for each condition); the loop that
# fits and a longer one over time (overtime: share of hits so far, bandwidth, the server's CPU).
include "series";

# Several runs share the panel of a condition, and have a colour each.
def condition: .protocol |= bare | system;
def figures: . as $doc | measured_rows("summary") as $rows | ($rows | distinct(condition)) as $systems
	| (.run.runs != null) as $joined | ($rows | distinct(.protocol | of_run)) as $runs
	| ([.points[]? | select(.order == "loop").frames | values] + [100] | max * 1.2) as $most
	| ([.points[]?.mbit_per_s | values | select(. > 0)] + [1]) as $loads
	| {name: "cliff", title: "Bandwidth over the frames of the loop", high: 240, panels: [$systems[] | . as $system
		| [$rows[] | select(condition == $system and .frames_high != null)] as $limits
		| {title: ., x: {label: "frames of the loop", log: true, from: 2, to: $most}, y: {label: "Mbit/s", log: true,
			from: ($loads | min / 2), to: ($loads | max * 2)},
		marks: [$limits[] | {x: ((.frames_low + .frames_high) / 2), dash: 2,
			colour: (if $joined then colour((.protocol | of_run) as $run | $runs | index([$run]))
				else line_colour end)}],
		curves: [$runs | to_entries[] | .key as $r | .value as $run
			| [$doc.points[]? | select(condition == $system and (.protocol | of_run) == $run
				and .mbit_per_s > 0)] as $points
			| {draw: "points", size: 0.5, colour: colour($r), title: "a loop\($run)",
				rows: [$points[] | select(.order == "loop") | {x: .frames, y: .mbit_per_s}]},
			  {draw: "line", width: 1.2, colour: (if $joined then colour($r) else heavy_colour end),
				title: "new frames",
				rows: [$points[] | select(.name == "miss") | {x: 2, y: .mbit_per_s}, {x: $most, y: .mbit_per_s},
					{}]},
			  (select($limits != []) | {draw: "line", dash: 2, title: "the limit", rows: [{x: 1, y: 1e-9}]})]}]},
	(.overtime // [] | select(. != []) | . as $all
		| {name: "overtime", title: "The longest loop that fits, and a longer one", high: 200,
			panels: [distinct(system)[] | . as $system
		| ["hits_percent", "hits so far, %", 105], ["mbit_per_s", "display, Mbit/s", null],
			["cpu_percent", "server CPU, %", null]
		| . as [$c, $title, $most] | {$title, x: {label: "seconds", from: 0}, y: {label: $system, from: 0, to: $most},
			curves: [
			(["fits", "the longest loop that fits", 0], ["over", "a longer loop", 1]) as [$part, $title, $i]
			| {draw: "line points", size: 0.25, width: 1.6, colour: colour($i), $title, rows: [$all[]
				| select(system == $system and .part == $part and .[$c] != null) | {x: .time_s, y: .[$c]}]}]}]});
