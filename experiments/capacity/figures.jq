# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - the user in front over the number of users; how much longer keys took; how busy the machines were.
include "series";

def figures: [.summary[] | select(.state == "measured")] as $rows | ($rows | distinct(.system)) as $systems
	# "p95:100ms" begins a row of what was found
	| [.points[]? | select(.criterion | startswith("p95:")) | .limit_ms = (.criterion[4:] | rtrimstr("ms")
		| tonumber)] as $found
	| ([$rows[].users, ($found[] | .users, .forecast | values)] + [1] | max) as $most
	| ({label: "users", from: 0, to: ($most * 1.05 + 0.5)} + if $most <= 16 then {step: 1} else {} end) as $x
	| labels.value.app as $apps
	| [$systems | to_entries[] | .value as $system | look(.key) + {rows: [$rows[] | select(.system == $system)],
		found: [$found[] | select(.system == $system)], title: ($system | index(".") as $dot
			| "\($apps[.[$dot + 1:]] // .[$dot + 1:]), \(.[:$dot])")}] as $curves
	| def whose: if ($curves | length) > 1 then ", \(.title)" else "" end;
	  def line_of($c; $look): .rows as $rows | del(.rows, .found, .title) + {draw: "line hover"} + $look | . as $look
		| curve($rows; .users; $c; $look);
	  {name: "users", title: "Response time of the user in front over the number of users", panels: [{$x,
		y: {label: "95 % of the keys within, ms", from: 0,
			to: ([($rows[].p95_ms, $found[].limit_ms, threshold) | values] | max * 1.15)},
		curves: [($curves[] | line_of("p95_ms"; {draw: "line bars hover", title: .title}),
			(["users", "the most users, found", 4, 1.2], ["forecast", "forecast from the first third", 2, 1.4]) as [$c,
				$title, $shape, $size]
			| .colour as $colour | {draw: "spans points", $colour, $shape, $size, $title,
				rows: [.found[] | select(.[$c] != null)
				| {x: .[$c], y: .limit_ms, low: .["\($c)_low"], high: .["\($c)_high"]}]}), threshold_line]}]},
	(select(any($rows[]; .more_ms != null))
		| {name: "delay", title: "How much longer keys took than with one user alone",
			panels: [{$x, y: {label: "mean of all users, ms more", from: 0},
			curves: [$curves[] | line_of("more_ms"; {title: "a key\(whose)"}),
				{draw: "line points", shape: 8, dash: 2, colour, title: "of that, waiting for a CPU\(whose)",
					rows: [.rows[] | select(.users > 1 and .wait_ms != null) | {x: .users, y: .wait_ms}]}]}]}),
	{name: "resources", title: "How busy server and viewers were", across: 1, high: 300, panels: [
		{$x, y: {label: "percent of the CPUs", from: 0, to: 105}, curves: [$curves[]
			| line_of("server_busy_percent"; {shape: 7, title: "server\(whose)"}),
			  line_of("client_busy_percent"; {shape: 6, dash: 3, title: "viewers"})]},
		{$x, y: {label: "processes that wait for a CPU", from: 0}, curves: [$curves[]
			| line_of("waiting"; {shape: 8, dash: 2, title: "waiting for a CPU of the server"})]}]};
