# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - response times of keys beside CPU hogs: a curve for each application; of several protocols a panel for each
# application, and in it a curve for each protocol.
include "series";

def load_word: if attached then "load" else "CPU hogs" end;
def load_axis: ([.summary[].sinks] | max // 0 | if . > 0 then . else 20 end) as $most
	| {label: (if all_attached then "load on the server, in the numbers of who set it"
		elif attached then "load: CPU hogs, or in front of a window the numbers of who set it"
		elif several then load_word else "CPU hogs: processes beside the session that want all the CPU they can get" end),
		from: (-0.03 * $most), to: (1.03 * $most)}
		+ (.summary | distinct(.sinks) | if length < 12 then {tics: .} else {} end);
def role_title($role): if $role == "heavy" and costs != [] then "the heavy application" else role_name($role) end;
def roles: . as $doc | [all_roles] | map(select(. as $role | $doc | rows_of($role) != []));
# Looks, rows and title of the curves of each panel, [{title, role, curves}]; curves of one panel are moved a little apart.
def groups: . as $doc | roles as $roles | systems as $systems | ([.summary[].sinks] | max) as $most
	| def apart: length as $n | to_entries | map(.value + {by: (if $n < 2 then 0 else
		(.key - ($n - 1) / 2) * 0.0084 * $most * ([4 / $n, 1] | min) end)});
	  if several then $roles[] | . as $role | {$role, title: ($doc | role_title($role)), curves: ($systems | to_entries
			| map(.value as $system | look(.key) + {title: $system,
				rows: ($doc | rows_of($role) | map(select(.protocol == $system)))})
			| apart)}
	  else {title: "", role: $roles[-1], curves: ([$roles[] | . as $role | look({light: 0, heavy: 1, grouped: 2}[$role])
			+ {title: ($doc | role_title($role)), rows: ($doc | rows_of($role))}] | apart)} end;
# A figure over the load: `shown` makes what is drawn of a curve, `more` what else is in the panel of a group.
def over_load($name; $title; $y; shown; more): load_axis as $x | {$name, $title, across: 2, panels: [groups
	| {title, $x, $y, curves: [(.curves[] | shown), more]}]};
def shown($c): .by as $by | curves_of(.sinks + $by; $c);

# The paper's text: from that load on its Windows server could not be used.
def unusable: {x: 15, text: "TSE, 2000: unusable", colour: mark_colour, dash: 3};
# Typed and held keys have panels of their own; packets are dashes beside pixels. Panels of vim have one scale.
def over_load_ways($name; $title; $y; $c; more):
	any(.summary[]; .hold_mean_stall_ms != null) as $held | held_alone as $alone
	| ($held or ([.run.settings.wire, .run.differs.wire[]?] | any(. == true))) as $packets
	| [{from: "", title: "pixels", shape: 7, dash: 1}, if $packets then {from: "wire_", title: "packets", shape: 6, dash: 2}
		else empty end] as $ways
	| load_axis as $x | [select((attached | not) and $x.to > 15.5) | unusable] as $marks
	| {$name, $title, across: 2, panels: [groups | . as $group
		| ({from: "", words: (if $alone then "a key held down" else "typed keys" end)},
			if $held then {from: "hold_", words: "a key held down"} else empty end) as $how
		| {$x, $y, vim: ($group.role | IN("light", "grouped")), $marks,
			title: ([$group.title, (select($packets) | $how.words)] | map(select(. != "")) | join(": ")),
			curves: [($group.curves[] | . as $curve | $ways[] as $way | $curve
				| if $packets then .name = "\(.title), \($way.title)" | .shape = $way.shape | .dash = $way.dash else . end
				| shown($how.from + $way.from + $c)), ($group | more)]}]}
	# room for intervals, unless those of few repeats would flatten the curves
	| first(([.panels[] | select(.vim)] | select(length > 1) | [.[].curves[].rows[]] | (map(.y | values) | max) as $most
		| [(map(.high // .y | values) | max * 1.05), 2.5 * $most] | min | select(. > 0)), null) as $to
	| .panels[] |= if .vim then .y.to = $to else . end
	| if $packets then .legend = [$ways[] | {draw: "line hover", title, colour: line_colour, shape, dash}] else . end;

# Every key: a panel for each application and protocol, a curve for each load.
def every_key: . as $doc | costly as $costly | (.cdf | distinct(.sinks)) as $loads
	| ($loads | length) as $n
	| ([.cdf[].latency_ms | select(. > 0)]) as $ms
	| ([($ms | min // 1) / 1.4, ($doc.run.protocol.floor_ms // 0 | select(. > 0) / 1.3)] | min) as $from
	| ([($ms | max // 1) * 1.3, ($doc | threshold) * 1.6] | max) as $to
	| {name: "latency-cdf", title: "Response time of every key\(if load_as_is then "" elif attached then ", by load"
			else ", by number of CPU hogs" end)", high: 400, panels: [
		.summary | distinct([role_of(.app; IN(.protocol; $costly[])), .protocol])[] | . as [$role, $protocol]
		| {title: ($doc | if several then $protocol + ": " else "" end + role_title($role)),
			x: {label: "ms after the key was due", log: true, unit: "ms", $from, $to},
			y: {label: "keys answered by then", from: 0, to: 1.02, tics: [{at: 0, text: "0"}, {at: 0.25, text: "25 %"},
				{at: 0.5, text: "50 %"}, {at: 0.75, text: "75 %"}, {at: 0.9, text: "90 %"},
					{at: 1, text: "100 %"}]},
			marks: [{x: ($doc | threshold), text: ($doc | "\(threshold | plain) ms"), dash: 2},
				($doc.run.protocol | select((.floor_ms // 0) > 0)
					| {x: .floor_ms, text: (.floor_of // "half a frame"), dash: 3, colour: "#777777"})],
			curves: [$loads | to_entries[] | .value as $load | load_look(.key; $n) as $look
				| [$doc.cdf[] | select(.sinks == $load and .protocol == $protocol
					and role_of(.app; IN(.protocol; $costly[])) == $role and .latency_ms != null)]
				| map({x: .latency_ms, y: .share, bound}) as $rows
				| ($look + {draw: "steps", width: 1.6,
					title: (if $doc | load_as_is then "load as it is" else "\($load)" end),
					rows: ($rows | map(select(.bound != "low")))}),
				  ($look + {draw: "steps", width: 0.8, dash: 3, rows: ($rows | map(select(.bound == "low")))})]}]};

# Where the time of a key goes: a panel for each application and protocol, a row for each load.
def stages_of: . as $doc | (.stages | distinct(.sinks)) as $loads
	| [["due_sent", "due → sent", "#bbbbbb"], ["sent_wire", "sent → on the wire", "#56B4E9"],
		["wire_app", "on the wire → in the application", "#009E73"], ["app_drawn", "in the application → drawn", "#D55E00"],
		["drawn_wire", "drawn → response on the wire", "#0072B2"],
		["wire_wire", "on the wire → response on the wire", "#CC79A7"],
			["wire_pixels", "response on the wire → pixels", "#E69F00"]] as $stages
	| (.stages | distinct(.stage)) as $known
	| {name: "stages", title: "Where the time of a key goes",
		legend: [$stages[] | select(IN(.[0]; $known[])) | {draw: "box", title: .[1], colour: .[2]}],
			panels: [.stages | distinct([.app, .protocol])[] | . as [$app, $protocol]
		| {title: ($doc | (if several then $protocol + ": " else "" end) + app_name($app)),
			x: {label: "ms after the key was due, mean of all keys", from: 0},
				y: (rows_axis($loads | map(tostring)) + {label: ($doc | load_word)}),
			curves: [$stages[] | . as [$stage, $title, $colour] | {draw: "box", $title, $colour,
				rows: [$doc.stages[] | select(.app == $app and .protocol == $protocol and .stage == $stage
					and .to_ms != null)
					| row_of(.sinks; $loads) as $row | {x: .from_ms, x2: .to_ms, y: ($row - 0.32),
						y2: ($row + 0.32)}]}]}]};

# Over the one load in front of a window each figure would be a dot.
def one_dot: attached and .cdf != null and (several | not) and (.summary | distinct(.sinks) | length) == 1;

def figures: . as $doc | [.summary[].cost_ms | values] as $costs
	| (select(one_dot | not) | over_load("late-share"; "Late keys: no response within \(threshold | plain) ms";
		{label: "late keys, %", from: -2, to: 104};
		shown("late_share_percent"); {draw: "points", shape: 6, size: 1.8, colour: "#000000",
			title: "overloaded: falls further and further behind",
			rows: [.curves[] | .by as $by | .rows[] | select(.overloaded > 0 and .late_share_percent != null)
				| {x: (.sinks + $by), y: .late_share_percent}]}),
	over_load("median"; "Median response time"; {label: "median response time, ms", from: 0}; shown("latency_p50_ms");
		$doc | threshold_line),
	over_load_ways("mean-stall"; "Mean stall: time between updates beyond the period of the keys"; {label: "mean stall, ms"};
		"mean_stall_ms"; level(0; {colour: pale_colour, dash: 1}),
		(select(.role == "heavy") | [.curves[].rows[] | select(.fair_stall_ms != null)] | (map(.sinks) | max) as $most
			| (map({x: .sinks, y: .fair_stall_ms}) + [.[] | select(.cost_ms > 0) | {x: (.period_ms / .cost_ms - 1), y: 0}
				| select(.x > 0 and .x < $most)]	# (where it begins to rise)
				| unique)
			| dashed + {draw: "line", title: ("fair sharing" + ($costs | unique | if length == 1 then
				": \(.[0] | plain) ms × (\($doc | load_word) + 1) − \($doc.summary[0].period_ms // 50 | plain) ms"
					else "" end)), rows: .})),
	over_load_ways("jitter"; "Jitter: standard deviation of the time between updates"; {label: "jitter, ms", from: 0};
		"jitter_sd_ms";
		([$doc.summary[].schedule_jitter_ms | values] | max | select(. > 0)
			| level(.; dotted + {title: "in the keys themselves, whose schedule jitters by \(fixed(1)) ms"})))),
	(select(.cdf) | every_key), (select(.stages) | stages_of);
