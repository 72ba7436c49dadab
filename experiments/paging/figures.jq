# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - first-key: every run a dot, a row for each condition; timeline: one run that was paged out, over time.
include "series";

def condition: (.swap | if startswith("slow:") then .[5:] + " a read" elif . == "file" then "swap file" else . end) as $swap
	| (.session | if . == "plain" then "" elif . == "private" then ", private copies" else ", " + . end) as $session
	| "\(.protocol), \($swap)\($session), \(.method)";
def papers: [["Linux, hardware of 1999", 330, 1170, 3000], ["Windows NT TSE, 1999", 2430, 4026, 11850]];
def first_key: . as $doc | measured_rows("summary") as $cells | ($cells | map(.cell)) as $names
	| ($cells | map(condition)) as $labels
	| ($labels + (papers | map(.[0]))) as $rows
	| def row: .cell as $cell | ($names | index([$cell])) as $i | if $i == null then null else ($rows | length) - $i end;
	  [["in_memory", "in memory", 0.2, light_colour], ["paged_out", "paged out", -0.2, heavy_colour],
		["kept", "kept in memory", -0.2, colour(2)]] as $states
	| {name: "first-key", title: "Response time of the first key", panels: [{
		x: {label: "response time, ms from when the key was due", log: true, unit: "ms",
			from: (if any(.runs[]?; .first_key_ms != null and .first_key_ms < 1) then 0.1 else 1 end),
			to: (1.3 * ([.runs[]? | .first_key_ms, .typed_max_ms | values] + [12000] | max))},
		y: rows_axis($rows), marks: (stripes($rows) + [{x: threshold, dash: 2}]), curves: [
		($states[] | . as [$state, $title, $by, $colour]
			| [$doc.runs[]? | select(.state == $state and .first_key_ms != null) | row as $y | select($y)
				| {x: .first_key_ms, y: ($y + $by), above: (.first_key_above > 0)}] as $all
			| {draw: "points", size: 0.4, $colour, $title, rows: ($all | map(select(.above | not)))},
			  {draw: "points", shape: 8, $colour, title: "later than that", rows: ($all | map(select(.above)))},
			  {draw: "segment", width: 2.5, $colour, title: "median",
				rows: [$cells[] | .["\($state)_p50_ms"] as $x | select($x)
				| (row + $by) as $y | {x: $x, y: ($y - 0.16), x2: $x, y2: ($y + 0.16)}]},
			  {draw: "hover", shape: 7, size: 0.1, $colour, rows: [$cells[] | row as $y
				| place($y + $by; "\($state)_p50_ms"; "median")
				| select(.y) | {x: .y, y: .x, text}]}),
		{draw: "points", shape: 9, size: 0.5, colour: colour(3), title: "latest key of one who types on",
			rows: [.runs[]? | row as $y | select($y and .typed_max_ms != null) | {x: .typed_max_ms, y: $y}]},
		{draw: "segment points", shape: 2, colour: mark_colour, title: "1999: least, mean, largest",
			rows: [papers[] | row_of(.[0]; $rows) as $y | .[2] as $mean | (.[1], .[3])
				| {x: $mean, y: $y, x2: ., y2: $y}]},	# (a cross where a row begins: the mean)
		{draw: "points", shape: 6, colour: mark_colour, title: "in memory, 1999", rows: [papers[] | {x: 50, y: row_of(.[0]; $rows)}]},
		dashed + {draw: "line", title: "\(threshold | plain) ms", rows: [{x: threshold, y: 0}]}]}]};
def figures: first_key, (select(any(.timeline[]?; .event == null and .time_ms != null))
	| [.timeline[] | select(.event == null and .time_ms != null)] as $rows
	| (first(.timeline[] | select(.event == "echo").time_ms) // null) as $echo
	| (first(.timeline[] | select(.event == "second").time_ms) // null) as $second | ($echo // 100) as $around
	| def before($c): [$rows[] | select(.time_ms <= 0) | .[$c] | values] | last // 0;	# of counters
	  {name: "timeline", title: "One run that was paged out, over time", across: 2, high: 205, panels: [
		(["server, MB", "lines", ["group_bytes", "all that the server runs", line_colour],
			["group_swap_bytes", "in swap", heavy_colour]],
		["session, MB", "lines", ["resident_bytes", "editor and terminal in memory", light_colour],
			["swap_bytes", "in swap", heavy_colour]],
		["major faults", "steps", ["major_faults", "faults of editor and terminal", colour(3)],
			["group_major_faults", "all that the server runs", line_colour]]) as $panel
		| (true, false) as $whole | (if $whole then 1000 else 1 end) as $scale
		| {title: (if $panel[0] != "server, MB" then "" elif $whole then "the whole run"
			elif $echo then "response after \($echo | digits(3)) ms" else "" end),
		x: ({label: (if $whole then "seconds from the key" else "ms from the key" end)} + if $whole
			then {from: ([$rows[].time_ms] | min / 1000), to: ([$rows[].time_ms] | max / 1000)}
			else {from: (-0.35 * $around), to: (1.6 * $around)} end),
		y: {label: $panel[0], from: 0}, marks: [{x: 0}, ($echo | values | {x: (. / $scale), dash: 2}),
			($second | values | select($whole or . < 1.6 * $around) | {x: (. / $scale), colour: mark_colour})],
		curves: [$panel[2:][] | . as [$c, $title, $colour] | before($c) as $before
			| {draw: (if $panel[1] == "lines" then "line" else "steps" end), $colour, $title,
			rows: [$rows[] | select(.[$c] != null and ($whole or (.time_ms > -2 * $around and .time_ms < 3 * $around)))
				| {x: (.time_ms / $scale), y: (if $panel[1] == "lines" then .[$c] / 1048576
				else [0, .[$c] - $before] | max end)}]}]}]});
