# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - work: bytes on the wire of each work, a panel for each, a bar for each protocol; key: bytes of a key.
include "series";

def figures: (.summary | distinct(.protocol)) as $protocols | .summary as $all
	| def part($rows; $list; $from; $to; $low; $high; $look): {draw: "box"} + $look
		+ {rows: [$rows[] | row_of(.protocol; $list) as $y
		| {x: (if $from == "" then 0 else .[$from] end), x2: .[$to], y: ($y + $low), y2: ($y + $high)}
			| select(.x2 != null)]};
	  {draw: "box", title: "input", colour: heavy_colour} as $input | {draw: "box", title: "display",
		colour: light_colour} as $display
	# a protocol without a viewer does no work
	| ([$all[] | select(.what | IN("text", "draw", "browse")) | select(.total_wire_bytes != null)] | distinct(.protocol)) as $working
	| {name: "work", title: "Bytes on the wire of the same work, MB", across: 1, high: (72 + 20 * ($working | length)),
		panels: [
		["text", "editing a text"], ["draw", "drawing"], ["browse", "looking at pages"] | . as [$what, $title]
		| [$all[] | select(.what == $what and .state != "failed") | (.input_wire_bytes, .total_wire_bytes) |= (values
			| . / 1e6)]
		| select(. != []) | (map(select(.state == "complete"))) as $same
		| {$title, y: rows_axis($working), x: {from: 0, to: ([.[].total_wire_bytes | values] | max // 1 | . * 1.12)},
			curves: [
			part($same; $working; ""; "input_wire_bytes"; -0.36; 0.36; $input),
				part($same; $working; "input_wire_bytes"; "total_wire_bytes"; -0.36; 0.36; $display),
			part(map(select(.state == "different")); $working; ""; "total_wire_bytes"; -0.36; 0.36;
				{title: "other work", colour: pale_colour}),
			{draw: "beside", rows: [$same[] | select(.total_wire_bytes != null)
				| {x: .total_wire_bytes, y: row_of(.protocol; $working),
					text: (.total_wire_bytes | digits(3))}]}]}]},
	([$all[] | select(.what == "key" and .state == "complete")] | select(. != [])
		| {name: "key", title: "Bytes on the wire of a key and its response", panels: [{
			x: {label: "bytes per key", from: 0}, y: rows_axis($protocols), curves: [
			part(.; $protocols; ""; "input_payload_bytes"; 0.02; 0.38; $input + {title: "input: payload"}),
			part(.; $protocols; "input_payload_bytes"; "input_wire_bytes"; 0.02; 0.38;
				{title: "input: headers", colour: "#f0b890"}),
			part(.; $protocols; ""; "display_payload_bytes"; -0.38; -0.02; $display + {title: "display: payload"}),
			part(.; $protocols; "display_payload_bytes"; "display_wire_bytes"; -0.38; -0.02;
				{title: "display: headers", colour: "#99c7e4"})]}]});
