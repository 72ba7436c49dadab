# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - CPU time that idle sessions take: utilisation, ticks, lost-time, per-session.
include "series";

def system_words: (.system | bare) as $name | (if $name == "none" then "no session" elif $name == "desktop" then "a desktop (xfce4)"
	elif .sessions == 1 then "one idle session, \($name)" else "\(.sessions) idle sessions, \($name)" end) + (.system | of_run);
# Measured systems; of several runs the same of all of them together. Grey for the machine alone, the scale of loads for numbers of
# sessions of a protocol, a colour each for other systems (green is in that scale: last); each of several runs has its dashes.
def idle_systems: measured_rows("summary") as $rows | ($rows | distinct("\(.system | bare) \(.sessions)")) as $kinds
	| ($rows | distinct(.system | split("/")[1])) as $runs
	| [$kinds[] | . as $kind | $rows[] | select("\(.system | bare) \(.sessions)" == $kind)]
	| . as $all | [.[] | .system as $s | select([$all[] | select(.system == $s)] | length > 1)] as $several
	| ($several | distinct("\(.system | bare) \(.sessions)")) as $loads
	| ([$all[] | select(IN($several[]) | not) | select(.system | bare != "none")]
		| distinct("\(.system | bare) \(.sessions)")) as $alone
	| map({system, sessions, words: system_words} + ("\(.system | bare) \(.sessions)" as $kind
		| if .system | bare == "none" then {colour: mark_colour, width: 2.5}
		elif IN($kind; $loads[]) then load_look($loads | index([$kind]); $loads | length) | {colour, width: 1.5}
		else {colour: colour([1, 3, 4, 5, 6, 7, 2][($alone | index([$kind])) % 7]), width: 1.5} end)
		+ {dash: (1 + (.system | split("/")[1] as $run | $runs | index([$run])))});
# A panel for each system: what was lost in each bin, one above the other: ticks, the lab's and the kernel's, everything else.
def timeline($name; $title; $table; $x; $y; $scale; $least; $width): . as $doc | idle_systems as $systems
	| any(.[$table][]; .tick_percent != null) as $ticks
	| {$name, $title, stacked: true, across: 1, high: 120, legend: [
		{draw: "box", title: "lab's processes, kernel, interrupts", colour: light_colour},
			{draw: "box", title: "everything else", colour: "#bbbbbb"},
		(select($ticks) | {draw: "box", title: "timer ticks", colour: heavy_colour})],
		panels: [$systems[] | . as $system | [$doc[$table][] | select(.time_ms != null and .system == $system.system
			and .sessions == $system.sessions)] as $rows
		| {title: .words, $x, $y, curves: [
			(["#bbbbbb", "all_percent"], [light_colour, "lost_percent"], [heavy_colour, ""]) as [$colour, $c]
			# (thousands of bins with next to nothing)
			| {draw: "impulse", $colour, width: $width, rows: [$rows[] | {x: (.time_ms / $scale),
				y: ((if $c == "" then 0 else .[$c] // 0 end) + (.tick_percent // 0))}
					| select(.y > 0 and .y >= $least)]}]}]};
def lost_time: . as $doc | measured_rows("summary") as $rows | idle_systems as $systems
	| {name: "lost-time", title: "Lost CPU time by length of event", panels: [{
		x: {label: "length of the event, ms", log: true, from: 0.005,
			to: pow(10; [$rows[].longest_ms | values] + [1] | max * 1.05 | log10 | ceil)},
		y: {label: "lost to events no longer than that, ms/min", from: 0},
		curves: [$systems[] | . as $s | {draw: "steps", title: .words, colour, width, dash, rows: [$doc.curve[]?
			| select(.system == $s.system and .sessions == $s.sessions and .lost_ms_per_min != null
				and .upto_ms >= 0.005)
			| {x: .upto_ms, y: .lost_ms_per_min}]}]}]};
# One more session: points with their intervals, and the line of the slope through their centre; a colour for each of several runs.
def per_session: . as $doc | [.slope // [] | .[] | select(.what == "system" and .slope_ms_per_min != null)] | select(. != [])
	| . as $slopes
	| def of($system): [$doc.summary[] | select(.system == $system or .sessions == 0 and (.system | of_run) == ($system
		| of_run))
		| select(.lost_ms_per_min != null)];
	  ([$slopes[].system as $s | of($s)[].sessions] | max // 1) as $most
	| {name: "per-session", title: "Lost CPU time by number of idle sessions", panels: [{
		x: ({label: "idle sessions of \($slopes[0].system | bare)", from: (-0.02 * $most), to: ($most * 1.04 + 0.1)}
			+ if $most <= 12 then {step: 1} else {} end), y: {label: "lost time, ms/min", from: 0},
		curves: [$slopes | to_entries[] | .key as $k | .value | of(.system) as $rows | (.system | of_run) as $run
			| .slope_ms_per_min as $rate
			| ($rows | map(.sessions) | add / length) as $x | ($rows | map(.lost_ms_per_min) | add / length) as $y
			| dots($rows; .sessions; "lost_ms_per_min"; {colour: colour($k),
				title: "lab's processes, kernel and interrupts\($run)"}),
			  dots($rows; .sessions; "own_ms_per_min"; {colour: (if ($slopes | length) > 1 then colour($k)
				else heavy_colour end), shape: 5,
				title: "of it the lab's processes\($run)"}),
			  {draw: "line", dash: 3, colour: (if ($slopes | length) > 1 then colour($k) else line_colour end),
				title: "\($rate | digits(3)) ms a minute for each session\($run)",
				rows: [0, $most | {x: ., y: ($y + $rate * (. - $x))} | select(.y >= 0 or $rate >= 0)]}]}]};
def figures: ([.utilisation[]?.all_percent | values] | max // 1 | if . <= 0 then 1 elif . > 100 then 100 else . end) as $busiest
	| (select(.utilisation) | timeline("utilisation"; "CPU in use over ten seconds"; "utilisation";
		{label: "seconds", from: 0, to: 10, step: 1};
		{label: "% of 10 ms", from: 0, to: ([$busiest * 1.05, 100] | min),
			step: (if $busiest > 10 then 10 * ($busiest / 25 | ceil) elif $busiest > 1 then $busiest / 2.5
				| ceil else 0.5 end)};
		1000; $busiest / 150; 0.7)),
	(select(.ticks) | timeline("ticks"; "CPU in use over a tenth of a second"; "ticks";
		{label: "milliseconds", from: -0.5, to: 100, step: 10};
		{label: "% of 1 ms", log: true, from: 0.1, to: 100}; 1; 0.1; 3)),
	lost_time, per_session;
