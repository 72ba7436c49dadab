# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - load: network load by protocol and kind of animation; frame-bytes: bytes of a frame, when it is new and when it is
# repeated; bandwidth: over time, a panel for each condition, the page in the panel of its protocol's loop.
include "series";

def shown_kinds: [["page", "a page with animations", 2], ["loop", "the loop", 0], ["bar", "a progress bar", 4],
	["caret", "a caret", 3]];
def figures: measured_rows("summary") as $rows | ($rows | distinct(system)) as $systems
	| ($rows | map(select(.shows == "loop")) | distinct(system)) as $loops
		| ([$rows[].mbit_per_s | values | select(. > 0)]) as $loads
	| {name: "load", title: "Network load of what is shown, for one user", panels: [{y: rows_axis($systems),
		x: {label: "display data on the wire, Mbit/s", log: true, from: ([$loads[], 0.1] | min / 2),
			to: ([$loads[], 10] | max * 2)},
		marks: [{x: 0.08, dash: 2}, {x: 2, dash: 3}], curves: [
		(shown_kinds | to_entries[] | .key as $i | .value as [$kind, $title, $k]
			| {draw: "spans hover", $title, colour: colour($k), shape: shape($i),
			size: 1, rows: [$rows[] | select(.shows == $kind and .mbit_per_s > 0) | row_of(system; $systems) as $y
				| place($y; "mbit_per_s"; $title) | {x: .y, y: .x,
					low: (.low | if . == null or . > 0 then . else 1e-9 end), high, text}]}),
		({draw: "line", colour: line_colour, rows: [{x: 0.08, y: 0}]} | . + {dash: 2, title: "10 KB/s"},
			. + {dash: 3, title: "five users fill 10 Mbit/s"})]}]},
	(select($loops != []) | {name: "frame-bytes", title: "Bytes on the wire for a frame of the loop, and for a new frame",
		panels: [{
		y: rows_axis($loops), x: {label: "bytes on the wire per frame seen", log: true}, curves: [
		(["new_frame_wire_bytes", "a new frame", heavy_colour, 7, 1.5],
			["frame_wire_bytes", "a frame of the loop", light_colour, 5, 0.8])
			as [$c, $title, $colour, $shape, $size] | {draw: "spans hover", $title, $colour, $shape, $size,
				rows: [$rows[] | select(.shows == "loop" and .[$c] > 0) | row_of(system; $loops) as $y
					| place($y; $c; $title)
					| {x: .y, y: .x, low, high, text}]}]}]}),
	(.bandwidth // [] | map(select(.mbit_per_s > 0)) | select(any($rows[]; .shows == "loop" or .shows == "page")) | . as $all
		| {name: "bandwidth", title: "Bandwidth over time", high: 210, panels: [$systems[] | . as $system | {title: .,
			x: {label: "seconds", from: 0, to: ([$all[].time_s, 1] | max),
				step: (if any($all[]; .time_s > 8) then 5 else 1 end)},
			y: {label: "Mbit/s", log: true, from: ([$all[].mbit_per_s, 1] | min / 2),
				to: ([$all[].mbit_per_s, 1] | max * 2)},
			curves: [(["loop", "fresh", "new frames", heavy_colour], ["loop", "loop", "the loop", light_colour],
				["page", "loop", "the page", colour(2)])
				as [$shows, $step, $title, $colour] | {draw: "line", width: 1.6, $title, $colour, rows: [$all[]
					| select(system == $system and .shows == $shows and .step == $step)
						| {x: .time_s, y: .mbit_per_s}]}]}]});
