# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - response and load over the rate of requests, fit (measured rows beside a model), cov of arrivals, a panel a part;
# what each web server does (servers). The arrivals of one cell are drawn by figures.gp.
include "series";

def part_short: if . == "vnc" then "VNC" else . end;
def part_title: {web: "web: objects of lighttpd", pages: "pages: their objects in parallel",
	open: "open loop: objects of lighttpd"}[.]
	// "VNC: keys of refecho";
def think_near($all): $all | min_by((. - 6.25 | fabs));	# the think time nearest to that of the paper
# Load lines: N users who think for Z ask N/Z times a second, and 1/Z less for each request under way.
def load_lines($rows; $upto): {draw: "segment", title: "load lines: (users − under way) / think time"} + dotted
	+ {rows: [$rows[] | select(.n != null and .z_s > 0) | ([.n, $upto] | min) as $x
		| {x: 0, y: (.n / .z_s), x2: $x, y2: ((.n - $x) / .z_s)}]};
def figures: . as $doc | measured_rows("summary") as $rows | ($rows | distinct(.part)) as $parts
	| def part($p): [$rows[] | select(.part == $p)];
	  {label: "requests a second", from: 0} as $rate
	| {name: "response", title: "Response time by rate of requests", across: 2, high: 340,
		panels: [$parts[] | . as $p | part($p) as $these
		| pow(10; [$these[].response_ms | values] | min // 1 | . / 2 | log10 | floor) as $least
		| {title: ($p | part_title), x: $rate, y: {label: "ms", log: true, unit: "ms", from: $least}, grid: "xy", curves: [
			curve($these; .lambda_per_s; "response_ms"; look(0) + {title: "mean"}),
			curve($these; .lambda_per_s; "p95_ms"; look(1) + {title: "95 % are faster", draw: "line hover"}),
			dashed + {draw: "line", title: "mean of one queue, not fitted: the link (web), the CPU (VNC)",
				rows: ([$these[]
				| select(.model_response_s) | {x: .model_lambda_per_s, y: (.model_response_s * 1000)}]
					| sort_by(.x))}, ($doc | threshold_line)]}]},
	{name: "load", title: "How busy CPU and link are", across: 2, high: 330,
		panels: [$parts[] | . as $p | {title: ($p | part_title), x: $rate,
		y: {label: "busy, %", from: 0, to: 100}, grid: "xy", curves: [
		curve(part($p); .lambda_per_s; "server_busy_percent"; look(0) + {title: "CPU of the server", draw: "line hover"}),
		curve(part($p); .lambda_per_s; "link_percent"; look(1) + {title: "link, from server to users",
			draw: "line hover"})]}]},
	# web servers behind a balancer
	([part("web")[] | select(.web1_cpu_percent != null)] | select(. != [])
		| any(.web2_of_share_percent != null) as $shared
		| (if $shared then "_of_share_percent" else "_cpu_percent" end) as $cpu
		| ([.[] | .received_kbyte_per_s, .frames_out_kbyte_per_s | values] | max // 1 | . * 1.1) as $most
		| ($doc | lines | map(.low)) as $fits
		| def of($c; $i; $title): curve(.; .lambda_per_s; $c; look($i) + {$title, draw: "line hover"});
		  {name: "servers", title: "Web servers over the rate of requests", across: 2, high: 300, panels: [
			{title: "response time, ms", x: $rate, y: {from: 0}, grid: "xy",
				curves: [of("response_ms"; 0; "mean"), of("p95_ms"; 1; "95 % are faster")]},
			{title: ((if $shared then "CPU, % of its share" else "CPU, % of one" end)
				+ if $fits != [] then "; R² \($fits | min | fixed(3))" else "" end), x: $rate,
					y: {from: 0, to: 100}, grid: "xy", curves: [
				of("web1\($cpu)"; 2; "server 1"), of("web2\($cpu)"; 3; "server 2"),
					of("balancer\($cpu)"; 4; "balancer"),
				dotted + {draw: "line", rows: [({lambda_per_s: 0}, max_by(.lambda_per_s))
					| {x: .lambda_per_s, y: $doc.judged[line($doc; "web1")].value} | select(.y != null)]}]},
			{title: "received by users, KB/s", x: $rate, y: {from: 0, to: $most},
				grid: "xy",
				curves: [of("received_kbyte_per_s"; 5; "users; all servers")]},
			{title: "sent, KB/s", x: $rate, y: {from: 0, to: $most}, grid: "xy",
				curves: [
				of("web1_sent_kbyte_per_s"; 2; "server 1"), of("web2_sent_kbyte_per_s"; 3; "server 2"),
				(map(select(.web2_sent_kbyte_per_s) | .sent = .web1_sent_kbyte_per_s + .web2_sent_kbyte_per_s)
					| of("sent"; 5; "users; all servers")),
				(sort_by(.lambda_per_s) | dashed + {draw: "line", title: "frames on the link",
					rows: [.[] | select(.frames_out_kbyte_per_s)
					| {x: .lambda_per_s, y: .frames_out_kbyte_per_s}]})]}]}),
	# the open loop beside users who think: what is asked for by how many requests are under way
	([part("open")[].concurrency | values] | select(. != []) | ([.[], (part("web")[].concurrency | values)]
		| max * 1.1) as $upto
		| {name: "loadlines", title: "Rate of requests by how many are under way",
			panels: [{x: {label: "requests under way", from: 0, to: $upto},
			y: {label: "requests a second", from: 0}, curves: [
			(["web", "users who think", 7, light_colour], ["open", "open loop", 9, heavy_colour]) as [$p, $title,
				$shape, $colour]
			| {draw: "points", $title, $shape, $colour, rows: [part($p)[] | select(.concurrency)
				| {x: .concurrency, y: .lambda_per_s}]},
			  (if $p == "web" then dotted + {title: "load lines of users: (users − under way) / think time"}
				else dashed + {title: "rates of the open loop"} end) + {draw: "segment",
					rows: [part($p)[] | (.users / .think_s) as $asked
				| {x: 0, y: $asked, x2: $upto, y2: ($asked - if $p == "web" then $upto / .think_s
					else 0 end)}]}]}]}),
	# the fitted model: response over rate; and the load lines of users who think: a row lies where line and server meet
	(.curve // [] | select(. != []) | . as $all
		| {name: "fit", title: "Measured rows beside a fitted model", across: 2, high: 340,
			panels: [distinct(.part)[] | . as $p
			| [$all[] | select(.part == $p)] as $these | ([$these[].lambda | values] | max // 1) as $most
				| ([$these[].q | values] | max // 1 | . * 1.1) as $upto
			| (if any($these[]; .kind == "later") then "first" else "all" end) as $with
			| def rows($fitted; $kind; x; y): [$these[] | select(.fitted == $fitted and .kind == $kind) | {x: x, y: y}
				| select(.x != null and .y != null)];
			  def all_curves(x; y): {draw: "line points", shape: 6, size: 0.5, colour: light_colour,
				title: "model, fitted to all rows",
					rows: rows("all"; "fit"; x; y)},
				dashed + {draw: "line points", shape: 8, size: 0.5, title: "fitted to the lowest rates",
					rows: rows("first"; "fit"; x; y)},
				{draw: "points", colour: heavy_colour, title: "measured", rows: rows($with; "measured"; x; y)},
				{draw: "points", shape: 9, size: 1.1, colour: heavy_colour,
					title: "measured, not known to the dashed line",
					rows: rows($with; "later"; x; y)};
			  {title: "\($p | part_short): mean response, ms", x: {label: "requests a second", from: 0,
				to: ($most * 1.05)}, y: {from: 0}, grid: "xy",
				curves: [all_curves(.lambda; .r_s | values * 1000)]},
			  {title: "\($p | part_short): requests a second", x: {label: "requests under way", from: 0, to: $upto},
				y: {from: 0, to: ($most * 1.15)},
				grid: "xy", curves: [all_curves(.q; .lambda),
					load_lines([$these[] | select(.fitted == "all" and .kind == "measured")]; $upto)]}]}),
	# when requests come, as one user after the other is counted in: with the think time nearest to the paper's, and the
	# shortest
	(.points // [] | select(. != []) | . as $all | distinct(.part) as $counted
		| [$counted[] as $p | [$all[] | select(.part == $p).think_s]
			| {part: $p, near: think_near(.), shortest: min}] as $of
		| {name: "cov", title: "Coefficient of variation of the times between requests", across: 2, high: 340,
			panels: [$of[]
			| .part as $p | {title: ($p | part_title), x: {label: "users counted in", from: 0}, y: {from: 0},
				grid: "xy", curves: [
			([.near, "think time nearest to the paper's 6.25 s, not scaled: " + ($of
				| map("\(.near | plain) s (\(.part | part_short))") | join(", ")),
				light_colour], (select(.shortest != .near) | [.shortest, "the shortest think time: "
					+ ($of | map("\(.shortest | plain) s (\(.part | part_short))") | join(", ")),
						heavy_colour])) as [$z, $title, $colour]
			| [$all[] | select(.part == $p and .think_s == $z)] | group_by(.repeat) as $repeats
			| {draw: "band", $colour, rows: [$repeats[0][] | (.cov_high - .cov) as $half
				| {x: .users, low: ([0, 1 - $half] | max), high: (1 + $half)}]},
			  ($repeats[] | {draw: "line", width: 0.4, $colour, title: "each repeat",
				rows: [.[] | {x: .users, y: .cov}]}),
			  # only at users that every repeat has: a mean of some would jump
			  {draw: "line", width: 2, $colour, $title, rows: [group_by(.users)[]
				| select(length == ($repeats | length))
				| {x: .[0].users, y: (map(.cov) | add / length)}]},
			level(1; dotted + {title: "requests at random (a Poisson process); shaded: 95 in 100 of such"})]}]});
