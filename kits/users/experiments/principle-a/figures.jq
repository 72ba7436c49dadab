# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - rate, queue and response over the number of users, measured and by mean value analysis; and cov of arrivals. Where
# N/Z is held, figures.gp draws the rate near it (convergence) and over the requests under way (loadlines).
include "series";

def figures: . as $doc | measured_rows("summary") as $rows
	| [["held-think", "fixed think time", heavy_colour, 7], ["held-ratio", "fixed users to think time", light_colour,
		5]] as $ways
	| [$rows[] | select(.part | startswith("held-"))] as $held | [$rows[] | select(.part | startswith("cov-"))] as $counted
	| {label: "users", from: 0, to: ([$held[].users] + [1] | max * 1.03)} as $x
	| ([$held[].concurrency | select(. != null and . > 0)] | min // 1) as $least
	| (select($held != [])
		| (["rate", "Requests a second", {label: "requests a second", from: 0}, "lambda_per_s", "lambda", 1],
			["queue", "Requests under way at the server", {label: "requests", log: true,
				from: pow(10; $least * 0.99 | log10 | floor)},
				"concurrency", "q", 1],
			["response", "Response time", {label: "s", from: ([$held[] | select(.part == "held-think").think_s] + [0]
				| max * -1.1)},
				"response_ms", "r_s", 1000]) as [$name, $title, $y, $c, $model, $scale]
		| {$name, $title, panels: [{$x, $y, grid: "xy", curves: [
			($ways[] | . as [$part, $words, $colour, $shape] | [$doc["model-\($part)"][]?
				| select(.kind == "model")] as $computed
				| {draw: "line", dash: 2, $colour, title: "\($words): computed (exact mean value analysis)",
					rows: [$computed[] | select(.[$model] != null) | {x: .n, y: .[$model]}]},
				  {draw: "bars hover", $colour, $shape, title: "\($words): measured",
					rows: [$held[] | select(.part == $part)
					| place(.users; $c; $words + if $scale == 1 then "" else ", ms" end) | select(.y)
					| .y /= $scale | if .low then .low /= $scale | .high /= $scale else . end]},
				  (select($name == "rate" and $part == "held-think") | dashed + {draw: "line", dash: 3,
					title: "most that think time or the slowest station allow",
						rows: [$computed[] | select(.x_bound) | {x: .n, y: .x_bound}]})),
			(select($name == "rate") | level($doc.run.settings.nz_per_s; {dash: 4, colour: light_colour,
				title: "users / think time: \($doc.run.settings.nz_per_s | plain) per second"})),
			(select($name == "response") | dashed + {draw: "segment", dash: 3,
				title: "asymptote: users × slowest station − think time",
				rows: [$held[] | select(.part == "held-think")
					| {x: 0, y: -.think_s, x2: .users, y2: (.users / ($doc | limit) - .think_s)}]}),
			(select($name == "response") | level(0; {dash: 1}))]}]}),
	(select($counted != []) | ($counted | map(.users)) as $users
		| {name: "cov", title: "When requests come: coefficient of variation of the times between them",
			panels: [{grid: "xy",
			x: {label: "users", log: true, from: ($users | min), to: ($users | max * 1.05)},
			y: {label: "standard deviation by mean", from: 0, to: ([$counted[].cov | values] + [1] | max + 0.3)},
				curves: [
			([$counted[] | select(.part == "cov-ratio")] | sort_by(.users)
				| {draw: "band", colour: mark_colour,
					title: "1 ± 1.96/√n: 95 of 100 such conditions, if requests come at random",
					rows: [.[] | select(.cov_band) | {x: .users, low: (1 - .cov_band), high: (1 + .cov_band)}]},
				  {draw: "line", dash: 2, colour: light_colour, title: "theory: independent users",
					rows: [.[] | select(.cov_independent) | {x: .users, y: .cov_independent}]},
				  curve(.; .users; "cov"; look(1) + {colour: light_colour, title: "fixed users to think time"})),
			curve([$counted[] | select(.part == "cov-think")]; .users; "cov";
				look(0) + {colour: heavy_colour, title: "fixed think time"}),
			level(1; dotted)]}]});
