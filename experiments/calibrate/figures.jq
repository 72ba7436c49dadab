# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - offset: measured minus injected time over the injected delay, one panel for each path.
include "series";

def figures: [.summary[] | select(.delay != "all" and .offset_ms != null)] as $rows | [.summary[] | select(.delay != "all")]
	| distinct(.delay) as $delays | any(.[]; .probe == "wire") as $wire
	| {name: "offset", title: "Offset of the probe: measured minus injected time", across: 9, high: 350,
		panels: [distinct(.path)[] | . as $path
		| [$rows[] | select(.path == $path)] as $these
		| {title: path_name, x: {words: $delays}, y: {label: "ms"}, curves: [
			(["patch", "from pixels", -0.12], ["wire", "on the wire", 0.12]) as [$probe, $title, $by]
			| {draw: "bars hover", $title, colour: (if $probe == "patch" then light_colour else heavy_colour end),
				shape: (if $probe == "patch" then 7 else 5 end), rows: [$these[] | select(.probe == $probe)
					| {x: (place_of(.delay; $delays) + if $wire then $by else 0 end), y: .offset_ms,
						low: .offset_min_ms,
						high: (.offset_ms + (.tail_ms // 0)), text: "\(.delay): \(.offset_ms | short)"}]},
			{draw: "line", dash: 3, colour: line_colour, title: "server’s least wait",
				rows: [$these[] | select(.probe == "patch" and .floor_ms > 0)
				| {x: place_of(.delay; $delays), y: .floor_ms}]}]}]};
