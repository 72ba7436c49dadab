# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - memory of logins: logins, processes.
include "series";

def login_words: (.system | split(".")) as [$protocol, $kind] | "\($kind) login, \($protocol | bare)\($protocol | of_run)";
def figures: . as $doc | [measured_rows("summary")[] | select(.logins > 0)] as $rows | ($rows | distinct(.system)) as $systems
	| ([$rows[].logins] | max // 1) as $most | ([$rows[].logins] | min) as $least
	| [$systems | to_entries[] | .value as $system | look(.key) + {$system, rows: [$rows[] | select(.system == $system)]}
		| .fewest = (.rows | map(.logins) | min) | .words = (.rows[0] | login_words)
		| .slope = (first($doc.slope // [] | .[] | select(.system == $system and .what == "private")) // null)
		| .charged = (first($doc.slope // [] | .[] | select(.system == $system and .what == "group").slope_mb
			| values) // null)] as $curves
	| {name: "logins", title: "Memory of all logins together", panels: [{
		x: ({label: "logins at once", from: 0, to: ($most * 1.04 + 0.1)} + if $most <= 12 then {step: 1}
			else {} end),	# whole logins only
		y: {label: "MB", from: 0}, curves: [$curves[] | .slope as $s
			| (.words + if $s.slope_mb == null then "" else ": \($s.slope_mb | digits(3)) MB for one more"
				+ if .charged then " (charged \(.charged | digits(3)))" else "" end end) as $title
			| dots(.rows; .logins; "private_mb"; {colour, shape: 7, $title}),
			  (select($s.slope_mb) | {draw: "line", dash: 3, colour,
				rows: [$least, $most | {x: ., y: ($s.start_bytes / 1048576 + $s.slope_mb * .)}]}),
			  {draw: "points", shape: 2, colour, title: "charged by the kernel",
				rows: [.rows[] | select(.group_mb != null)
				| {x: .logins, y: .group_mb}]}]}]},
	# private memory by process, of a login at the smallest number of logins
	([["services", "message bus, settings, sshd", "#999999"], ["desktop", "desktop", "#E69F00"],
		["terminal", "terminal and shell", "#56B4E9"], ["display", "display server", "#0072B2"]] as $classes
		| [$curves[] | . as $c | reduce ($classes | reverse[]) as $class ({words: .words, parts: [], upto: 0};
			.upto as $from
			| ([$doc.who // [] | .[] | select(.system == $c.system and .logins == $c.fewest
				and .class == $class[0]).private_kb | values]
				| add // 0 | . / 1024) as $mb | .upto += $mb
					| .parts += [{class: $class[0], y: $from, y2: .upto}])] as $bars
		| {name: "processes", title: "What the private memory of one login goes to", panels: [{
			x: {words: [$bars[].words | if ($bars | length) > 3 then gsub(" login, |, "; "|") else . end]},
				y: {label: "private memory, MB", from: 0},
			curves: [($classes[] | . as [$class, $title, $colour]
				| select(any($bars[].parts[]; .class == $class and .y2 > .y))
				| {draw: "box", $title, $colour, rows: [$bars | to_entries[] | .key as $i
					| .value.parts[] | select(.class == $class) | {x: ($i + 0.72), x2: ($i + 1.28), y, y2}]}),
				{draw: "label", rows: [$bars | to_entries[] | {x: (.key + 1), y: .value.upto,
					text: (.value.upto | fixed(1))}]}]}]});
