# SPDX-License-Identifier: GPL-3.0-or-later
# settings.jq - figures of a session replayed at several settings: total (time by setting), percentiles (of response times by
# setting), cdf (a curve for each setting) and ratio (each response by itself at the base, for the setting furthest from it).
include "series";

# $numeric: the settings have a place on the axis.
def settings_x($rows; $numeric): [$rows | to_entries[] | {setting: .value.setting, says: .value.says,
		x: (if $numeric and .value.value != null then .value.value else .key + 1 end)}] as $spots
	| ($spots | map(.x)) as $all | ($all | [min, max]) as [$from, $to]
	| ($all | sort | [.[1:], .[:-1]] | [transpose[] | .[0] - .[1] | select(. > 0)] | min // 1) as $gap
	| (if $to > $from then ($to - $from) * (if ($all | length) > 2 then 0.1 else 0.4 end) else 1 end) as $pad
	| {spots: ($spots | map({key: .setting, value: .x}) | from_entries), $gap, axis: {from: ($from - $pad), to: ($to + $pad),
		tics: [$spots[] | {at: .x, text: (if $numeric then .setting else .says end)}]}};
def setting_bars($name; $title; $y; $axis; $numeric; $c): measured_rows("summary") as $rows | select(any($rows[]; .[$c] != null))
	| settings_x($rows; $numeric) as $s
	| {$name, $title, high: 330, panels: [{x: ($s.axis + {label: $axis}), $y, curves: [
		bars($rows; $s.spots[.setting]; $c; 0.5 * $s.gap; {name: $y.label, colour: "#a6cce4"})]}]};
def settings_figures($axis; $numeric): . as $doc | measured_rows("summary") as $rows | select($rows != [])
	| settings_x($rows; $numeric) as $s
	| ([$rows[].p75_ms | values] | max // 0) as $p75 | farthest as $far | (base_row | .says // "") as $base
	| setting_bars("total"; "Total time of the session by setting"; {label: "total time, s", from: 0}; $axis; $numeric;
		"total_s"),
	(select($p75 > 0)
	| {name: "percentiles", title: "Response times by setting", panels: [{x: ($s.axis + {label: $axis}),
		y: {label: "response time, ms", from: 0, to: ($p75 * 1.3)}, curves: [
		curve($rows; $s.spots[.setting]; "p75_ms"; look(4) + {shape: 13, title: "75 % of the responses are faster"}),
		curve($rows; $s.spots[.setting]; "p50_ms"; look(0) + {title: "median"}),
		curve($rows; $s.spots[.setting]; "p25_ms"; look(2) + {shape: 5, title: "25 % are faster"})]}]},
	{name: "cdf", title: "Share of responses within a time", panels: [{x: {label: "response time, ms", log: true, unit: "ms"},
		y: {label: "share of the responses", from: 0, to: 1}, marks: [{x: threshold, text: "\(threshold | plain) ms",
			dash: 2}],
		curves: [$rows | to_entries[] | .value.setting as $setting | load_look(.key; $rows | length) + {draw: "steps",
			width: 1.6,
			title: .value.says, rows: [$doc.cdf[]? | select(.setting == $setting) | {x: .latency_ms, y: .share}]}]}]},
	# in half octaves
	(select($far) | [$doc.points[]? | select(.setting == $far.setting and .ratio > 0) | .ratio | log2 * 2 + 0.5 | floor / 2]
		| select(. != [])
		| ([.[], 0] | min) as $from | ([.[], 2] | max) as $to
		| {name: "ratio", title: "How many times as long each response takes", high: 350,
			panels: [{y: {label: "responses", from: 0},
			x: {label: "times as long with \($far.says) as with \($base)", from: ($from - 0.6), to: ($to + 0.6),
				tics: [range($from | ceil; $to + 1) | {at: .,
					text: (if . < 0 then "1/\(pow(2; -.) | plain)" else pow(2; .) | plain end)}]},
			marks: [{x: 0, dash: 3, colour: mark_colour}], curves: [{draw: "box", colour: "#eaae80",
				rows: [group_by(.)[]
				| {x: (.[0] - 0.21), x2: (.[0] + 0.21), y: 0, y2: length}]}]}]}));
