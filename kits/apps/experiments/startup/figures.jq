# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - start-up and swap traffic of each application against memory pressure (memory-APP: a panel for each kind, a curve
# for each swap device), start-up beside CPU hogs and other readers of the disk (start-loads, start-reads: a panel for each
# application), what memory pressure adds beside its input and output alone (file-time), e, and the menus as trees.
# Starts with files in memory, those from a disk that others read from apart; without any, those from disk.
include "series";

def device: (bare | if . == "file" then "fast file" elif startswith("slow:") then "\(.[5:]) a read" else . end) + of_run;
def curve_title: if bare == "none" then "start-up\(of_run)" else "swap: \(device)" end;
def figures: . as $doc | [measured_rows("summary")[] | select(.startup_ms != null)] as $all
	| ($all | map(select(.axis != "reads").start) | unique | if . == [] or index(["warm"]) then "warm" else .[0] end) as $start
	| ($all | map(select(.start == (if .axis == "reads" then "cold" else $start end)))) as $rows
	| def along($axis): [$rows[] | select(.axis == $axis)];
	  # memory left by doublings, less to the right; all else from 0 on
	  def steps_axis($axis): (along($axis) | distinct(.step)) as $steps | {tics: $steps,
		label: {used: "MB of the idle hog in swap",
			left: "memory left, % of the application's at rest", loads: "CPU hogs",
				reads: "other reads from the disk, 1/s"}[$axis]}
		+ if $axis == "left" then {log: true, from: ($steps | max * 1.15), to: ($steps | min / 1.15)}
			else {from: 0, to: ($steps | max * 1.05 + 0.01)} end;
	  {log: true, unit: "ms", label: "ms"} as $time
	| # Start-up of an application by a kind of pressure, T0, and the threshold.
	  # an interval of three repeats may reach far: a panel shows what was measured, and cuts it
	  def times($app; $axis; $here; $swaps): {x: steps_axis($axis), y: ($time + {
			from: ([$here[].startup_ms_min | values] | min // 1 | . * 0.7),
			to: ([$here[].startup_ms_max | values] | max // 10 | . * 1.5)}), curves: [
		($swaps | to_entries[] | .value as $swap | look(.key) as $look
			| [$here[] | select(.axis == $axis and .swap == $swap)] as $own
			| curve($own; .step; "startup_ms"; $look + {title: ($swap | curve_title)}),
			  (select($doc.run.runs) | {draw: "line", dash: 2, colour: $look.colour, title: "without pressure (T0)",
				rows: [$own[] | select(.t0_ms != null) | {x: .step, y: .t0_ms}]})),
		(select($doc.run.runs | not) | [$here[] | select(.axis == $axis).t0_ms | values] | select(. != [])
			| level(.[-1]; {title: "without pressure (T0)"})), ($doc | threshold_line)]};
	  # What all on the server swapped meanwhile; log: a hog that goes on swaps much.
	  def traffic($axis; $here; $swaps): [$here[] | .swap_in_mb, .swap_out_mb | select(. != null and . > 0)] as $mb
		| {x: steps_axis($axis), y: {label: "MB a start", log: true, from: ($mb | min // 1 | . * 0.7), to: ($mb | max // 10 | . * 1.5)},
			curves: [$swaps | to_entries[] | .value as $swap | look(.key) as $look
				| [$here[] | select(.axis == $axis and .swap == $swap)] as $own
				| curve([$own[] | select(.swap_in_mb > 0)]; .step; "swap_in_mb"; $look + {title: ($swap | curve_title)}),
				  {draw: "line points", dash: 3, size: 0.4, colour: $look.colour, shape: $look.shape, title: "written to swap",
					rows: [$own[] | select(.swap_out_mb > 0) | {x: .step, y: .swap_out_mb}] | sort_by(.x)}]};
	  ([$rows[] | select(.axis == "used" or .axis == "left")] | distinct(.app)[] as $app
		| [$rows[] | select(.app == $app and (.axis | IN("used", "left", "none")))] as $here
		| [("used", "left") | select(IN($here[].axis))] as $axes
		| [$here[] | select(.axis != "none")] | distinct(.swap) as $swaps
		| {name: "memory-\($app)", title: "Start-up of \($app) under memory pressure, and its swap traffic",
			across: ($axes | length), high: 260, panels: [
				($axes[] | times($app; .; $here; $swaps) + {title: "start-up"}),
				($axes[] | traffic(.; $here; $swaps) + {title: "read from swap, and written"})]}),
	((["loads", "CPU load"], ["reads", "disk load"]) as [$axis, $words] | along($axis) | select(. != []) | distinct(.swap) as $swaps
		| {name: "start-\($axis)", title: "Start-up by \($words)", across: 2, high: 260,
			panels: [distinct(.app)[] | . as $app
				| times($app; $axis; [$rows[] | select(.app == $app and (.axis == $axis or $axis != "reads" and .axis == "none"))]; $swaps)
					+ {title: $app}]}),
	# what pressure adds, beside its input and output alone
	((if along("used") != [] then "used" else "left" end) as $axis | along($axis) | select(any(.t_io_ms != null)) | . as $these
		| distinct(.swap) as $swaps
		| {name: "file-time", title: "What pressure adds to start-up, beside its input and output alone", across: 2,
			high: 260,
			panels: [($all | distinct(.app))[] | . as $app | {title: $app, x: steps_axis($axis), y: ($time + {from: 2,
				to: ([$these[] | select(.app == $app) | .added_ms, .t_io_ms, .file_ms, .file_ms_high | values]
					+ [20] | max * 1.5)}), curves: [
				$swaps | to_entries[] | .value as $swap | look(.key) as $look
					| [$these[] | select(.app == $app and .swap == $swap)] as $own
				| def shown($c): [$own[] | select(.[$c] != null and .[$c] >= 2)];
				  curve(shown("added_ms"); .step; "added_ms";
					$look + {draw: "line points", title: ($swap | curve_title)}),
				  curve(shown("t_io_ms"); .step; "t_io_ms"; $look + {draw: "line points", size: 0.5, dash: 3,
					title: "its requests repeated alone (T_IO)"}),
				  curve(shown("file_ms"); .step; "file_ms"; $look + {draw: "line points bars", size: 0.4,
					width: 0.7}
					+ if $axis == "used" then {title: "to write a file of that size"} else {} end)]}]}),
	# e; beside a hog that goes on there is none
	(along("used") | select(any(.[]; .e != null)) | . as $these | ($all | distinct(.app)) as $apps | distinct(.swap) as $swaps
		| {name: "e", title: "e: what of the added time the device by itself does not explain",
			legend: [($apps | to_entries[] | {draw: "line", width: 2, colour: colour(.key), title: .value}),
				($swaps | to_entries[] | {draw: "line hover", shape: shape(.key),
					dash: (if .key > 0 then 2 else 1 end), colour: line_colour,
					title: (.value | device)})],
			panels: [{x: steps_axis("used"), y: {label: "e (below -2 at the edge)", from: -2.1, to: 1.05, step: 0.5},
				curves: [level(0; {dash: 1, width: 0.8}), ($apps | to_entries[] | .key as $i | .value as $app
					| $swaps | to_entries[] | .value as $swap
					| {draw: "line points", shape: shape(.key), dash: (if .key > 0 then 2 else 1 end),
						colour: colour($i),
						rows: ([$these[] | select(.app == $app and .swap == $swap and .e != null)
							| {x: .step, y: ([.e, -2.03] | max)}] | sort_by(.x))})]}]}),
	# the menus: the trees, and how many nodes lie how deep and have how many entries
	(.menus // [] | select(. != []) | map(.walked = .application + if .run_name then "/\(.run_name)" else "" end) | . as $nodes
		| distinct(.walked) as $walked | (map(.depth) | max) as $deepest
		| {name: "menu-tree", title: "The menus of an application as a tree, after Fig. 1", across: 1, high: 190,
			panels: [$walked[] | . as $name
			| [$nodes[] | select(.walked == $name)] as $tree
			| {title: $name, x: {from: 0, tics: []}, y: {label: "depth", from: ($deepest + 0.4), to: -0.4,
				tics: [range($deepest + 1)]}, curves: [
				{draw: "segment", colour: "#bbbbbb", width: 0.5, rows: [$tree[] | select(.parent_place != null)
					| {x: .parent_place, y: (.depth - 1), x2: .place, y2: .depth}]},
				(["application", "application", 13, 0.75, line_colour], ["menu", "menu", 5, 0.7, light_colour],
					["event", "event", 7, 0.4, line_colour],
					["shortcut", "event with a shortcut", 7, 0.6, heavy_colour]) as [$kind, $title, $shape,
						$size, $colour]
				| {draw: "points", $title, $shape, $size, $colour, rows: [$tree[]
					| select((if .kind == "event" and .shortcut != null then "shortcut"
						else .kind end) == $kind) | {x: .place, y: .depth}]}]}]},
		  {name: "menu-shape", title: "The shape of the menus", across: 2, high: 340, panels: [
			{title: "nodes by depth", x: {label: "depth", from: -0.2, to: ($deepest + 0.2), step: 1},
				y: {label: "nodes", from: 0}, curves: [
				$walked | to_entries[] | .value as $name | look(.key) + {draw: "line points", title: $name,
					rows: [[$nodes[]
					| select(.walked == $name)] | group_by(.depth)[] | {x: .[0].depth, y: length}]}]},
			{title: "menus by their entries (degree)", x: {label: "entries of a menu", from: 0,
				to: (map(.children // 0) | max + 1)}, y: {from: 0}, curves: [
				$walked | to_entries[] | .key as $i | .value as $name
					| {draw: "impulse", width: 2, colour: colour($i), rows: [[$nodes[]
					| select(.walked == $name and .children > 0)] | group_by(.children)[]
						| {x: (.[0].children + 0.25 * $i), y: length}]}]}]});
