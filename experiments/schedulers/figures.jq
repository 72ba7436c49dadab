# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - settings: a row for each setting with response times of both applications, coalesced keys, the load's CPU share;
# length: response time over the CPU time of the operation.
include "series";

def figures: . as $doc | several as $several | measured_rows("summary") as $rows | (over(systems[0] // "?") | main_cost) as $cost
	| def setting: if $several then "\(.protocol)/\(.setting)" else .setting end;
	  ([.run.rows // [] | .[].setting] as $order | (if $several then systems else [null] end) as $systems
		| [$order[] as $s | $systems[] | if . then "\(.)/\($s)" else $s end]) as $order
	| def names: [.[] | setting] as $there | [$order[] | select(IN($there[]))];
	  ([$rows[] | select(.part == "table")] | select(. != []) | names as $names | distinct(.sinks) as $loads | . as $all
		| def by: ($loads | length) as $n | .sinks as $s | if $n < 2 then 0
			else 0.34 * (0.5 - ($loads | index([$s])) / ($n - 1)) end;
		  def at: row_of(setting; $names) + by;
		  {name: "settings", title: "Response time and load by setting", across: 4, panels: [
			(["light", "latency_p50_ms", ($doc | role_name("light"))],
				["heavy", "latency_p50_ms", "\($cost // 0 | plain) ms of CPU per key"],
				["heavy", "coalesced_percent", "coalesced"], ["heavy", "load_share_percent", "load kept"]) as [$app,
					$c, $title]
			| [$all[] | select(.app == $app and ($app == "light" or .cost_ms == $cost) and .[$c] != null)] as $these
			| ($c | startswith("latency")) as $times
			| {$title, y: rows_axis($names), marks: (stripes($names) + [select($times)
				| {x: ($doc | threshold), dash: 2}]),
			x: (if $times then {label: "response time, ms", log: true, unit: "ms",
					from: ([$these[] | .[$c + "_low"] // .[$c]] | min // 5 | [., 5] | min),
					to: ([$these[] | .latency_high_max_ms // .latency_max_ms | values] + [200] | max)}
				else {label: "%", from: -4, to: 104, step: 50} end),
			curves: [$loads | to_entries[] | .value as $load | look(.key) as $look
				| [$these[] | select(.sinks == $load)] as $these
				| $look + {draw: "hover", title: "with \($load) CPU hogs",
					rows: [$these[] | at as $y | place($y; $c; setting) | {x: .y, y: .x, text}]},
				  ($look + {draw: "segment", width: 3, title: "95 % interval",
					rows: [$these[] | select(.[$c + "_low"])
					| {x: .[$c + "_low"], y: at, x2: .[$c + "_high"], y2: at}]}),
				  (select($times) | $look + {draw: "segment", width: 0.8, title: "to the slowest key",
					rows: [$these[]
					| (.latency_high_max_ms // .latency_max_ms) as $x | select($x)
						| {x: .[$c], y: at, x2: $x, y2: at}]})]}]}),
	([$rows[] | select(.part == "length")] | select(. != []) | names as $names | . as $all | .[-1].sinks as $hogs
		| ($names | length) as $n | ($doc.run.protocol.floor_ms // 0) as $floor | ([.[].cost_ms] | [min, max]) as $ends
		# dots of the same length are moved apart
		| def at: setting as $s | .cost_ms * if $n > 1 then 1 + 0.09 * (($names | index([$s])) / ($n - 1) - 0.5) else 1 end;
		  {name: "length", title: "Response time by length of the operation, with \($hogs) CPU hogs", panels: [{
			x: {label: "CPU time of the operation, ms", log: true, from: ($ends[0] / 1.25), to: ($ends[1] * 1.25),
				tics: distinct(.cost_ms)},
			y: {label: "response time, ms", log: true, unit: "ms"}, curves: [
			dashed + {draw: "line", dash: 3, title: ("its own CPU time"
				+ if $floor > 0 then " and \($doc.run.protocol.floor_of // "half a frame")" else "" end),
				rows: [$ends[] | {x: ., y: (. + $floor)}]},
			dashed + {draw: "line", title: "fair sharing: × \($hogs + 1)",
				rows: [range(41) | $ends[0] * pow($ends[1] / $ends[0]; . / 40)
				| {x: ., y: (. * ($hogs + 1) + $floor)}]},
			($names | to_entries[] | .value as $name | look(.key)
				+ {colour: colour([6, 0, 1, 2, 3, 4, 5][.key % 7])} as $look
				| ($look + {draw: "points", shape: 7, size: 0.25,
					rows: [$doc.cdf[]? | select(.part == "length" and setting == $name and .latency_ms != null)
					| {x: at, y: .latency_ms}]}),
				  curve([$all[] | select(setting == $name)]; at; "latency_p50_ms";
					$look + {draw: "line hover", title: $name}))]}]});
