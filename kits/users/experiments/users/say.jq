# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - users of a web server and of VNC who send more and more requests.
include "words";
include "crowds";

def part_words: {vnc: "VNC", open: "open loop"}[.] // .;
def present: . as $doc | [.run.settings.parts // [] | .[] | select(. as $p | any($doc.summary[]; .part == $p))];
def title: "Response time as users send more requests: \(present | map(part_words) | and_list)";
def labels: {value: {part: {web: "web (objects)", pages: "whole pages", open: "open loop (objects)", vnc: "VNC (keys)"},
	fitted: {all: "all rows", first: "the lowest rates"},
	name: {cpu: "the server's CPU", link: "the link", delay: "delay without queueing"}}};
# Rows in which the load generator interfered describe no server.
def valid($p): part($p) | map(select((.response_ms != null or failed_requests > 0) and (.invalid // 0) == 0));
# By the rate that users ask for: a server that thrashes answers fewer requests the more are asked.
def offered: if .think_s > 0 then .users / .think_s else infinite end;
def busiest($p): valid($p) | if . == [] then null else max_by(offered) end;
def calmest($p): valid($p) | if . == [] then null else min_by(offered) end;
def what: {web: "objects", pages: "pages", open: "objects", vnc: "keys"}[.] // "requests";

def rises($p): exceeds(busiest($p) | figure("lambda_per_s"); calmest($p) | figure("lambda_per_s"));
def growth($p): threshold as $limit | .judged[rises($p)] as $rises | busiest($p) as $top | calmest($p) as $low
	| if $top == null or $top == $low then empty else
	finding("growth-\($p)"; "**\($p | part_words | upper_first): the mean response goes from \($low | response_words) to"
		+ " \($top | response_words)** "
		+ "while \(if $p == "open" then "requests at random" else $top.users | plural("user") end)"
		+ " \($rises | by_verdict("raise the rate from"; "ask for more, and get"; "ask for more, and get"))"
		+ " \($low.lambda_per_s | number) to \($top.lambda_per_s | number) \($p | what) a second\($top | late_words($limit))."
		+ " The server's CPU is then busy for \($top.server_busy_percent | percent) %"
		+ (if $top.model_response_s == null then "."
			else "; a model of one queue, without fitted parameters, predicts \($top.model_response_s * 1000 | with_unit("ms"))." end);
		($top | if mostly_answered then figure("response_ms") else {verdict: "bad"} end) + {figure: "response"}) end;
# A row's CPU of a server by its rate, as a point of a straight line.
def line($doc; $server): claim("line \($doc.run.started) \($server)"; 1; {value: .lambda_per_s};
	{value: .["\($server)_of_share_percent"]});
def lines: . as $doc | [{lambda_per_s: 0} | $doc.judged[line($doc; "web1", "web2")] | select(.low != null)];
def straight_words: lines | if . == [] then "" else
	" CPU time by rate: over \(of_all | by_verdict("all rates that is a"; "the rates that is no"; "the rates that may be a"))"
	+ " straight line"
	+ " (R² \(map(.low) | min | fixed(3)), at most \(map(.high) | max | fixed(1)) points off)." end;
# How busy a program was: of its share of the CPU, where it had one.
def busy_words($n): if .[$n + "_of_share_percent"] == null then "\(.[$n + "_cpu_percent"] | percent) % of a CPU"
	else "\(.[$n + "_of_share_percent"] | percent) % of its share" end;
def even: off(figure("web2_cpu_percent"); figure("web1_cpu_percent"); 10);
def balance: straight_words as $line | .judged as $judged | busiest("web") | if . == null or .web2_cpu_percent == null then empty
	else $judged[even] as $off | finding("balance"; "**\($off | by_verdict("The two web servers share";
			"The two web servers do not share"; "This run cannot tell whether the two web servers share")) the load evenly**: at"
		+ " \(.lambda_per_s | number) objects a second one is busy for \(busy_words("web1")), the other for"
		+ " \(busy_words("web2")), and the balancer for \(busy_words("balancer")).\($line) Together they send"
		+ " \(.web1_sent_kbyte_per_s + .web2_sent_kbyte_per_s | thousands) KB/s; users receive \(.received_kbyte_per_s | thousands).";
		{value: $off.value, low: $off.low, high: $off.high, unit: "%", figure: "servers",
			verdict: ($off | by_verdict("good"; "bad"; "unsure"))}) end;
# The open loop beside users who wait, and whole pages beside their objects one by one, each with the shortest think time.
def open_loop: busiest("open") as $o | select($o != null)
	| [valid("web")[] | select(.think_s == $o.think_s)][0] as $w | select($w != null)
	| finding("open-loop"; "**Asked for \($o | offered | number) objects a second, an open loop waits \($o | response_words),"
		+ " users who think \($w | response_words)**: users ask for \($w.lambda_per_s | number), since users who wait do not ask.";
		$o | figure("response_ms") + {verdict: "none", figure: "loadlines"});
def whole_pages: busiest("pages") as $p | busiest("web") as $w | if $p == null or $w.pages_per_s == null then empty else
	finding("pages"; "**A whole page takes \($p | response_words)** at \($p.pages_per_s | number) pages a second; an object alone"
		+ " \($w | response_words) at \($w.pages_per_s | number).";
		$p | figure("response_ms") + {verdict: "none", figure: "response"}) end;
def resource: {cpu: "the server's CPU", link: "the link", delay: "delay without queueing"}[.] // "a queue";
# (22 %: the limit of queue fit, beyond which it says so itself.)
def decisions: . as $doc | .summary[]? |= ask(odd_claims)
	| .slope[]? |= (. as $row | ([$doc.slope[] | select(.part == $row.part and .fitted == $row.fitted).demand_ms] | add) as $all
		| ask({fits_badly: above("error_percent"; 22), tells_nothing: exceeds({value: .high_ms}; {value: .demand_ms | scaled(10)}),
			matters: above("demand_ms"; $all | scaled(0.001))}));
def fitted($p): [.slope // [] | .[] | select(.part == $p and .fitted == "all" and (.name != "delay" or .matters == "yes"))]
	| select(. != [])
	| finding("demand-\($p)"; "**\({web: "An object", pages: "A page", vnc: "A key"}[$p] // "A request") needs** "
		+ (map("\(.demand_ms | number) ms of \(.name | resource)"
			+ (if .tells_nothing == "yes" then " (not determined by the measurements)"
			else interval(.low_ms; .high_ms; "ms") end)) | and_list)
		+ (.[0] | if .error_percent == null then "."
			else "; the fitted model errs by \(.error_percent | number) % in response times (root mean square)"
				+ (if .fits_badly == "yes" then ", too much to forecast response times with these numbers." else "." end) end);
		.[0] | {value: .demand_ms, low: .low_ms, high: .high_ms, unit: "ms",
			verdict: (if .tells_nothing == "yes" or .fits_badly == "yes" then "unsure" else "none" end), figure: "fit"});
# Rows that the model did not know, with the response of their condition.
def foretold_rows($p): . as $doc | [.compare // [] | .[] | select(.part == $p and .fitted == "first" and .used == 0)
	| .cell as $cell | .is = (first($doc.summary[] | select(.cell == $cell)) // . | figure("response_ms"))];
def predicts($percent): off({value: .response_fit_ms}; .is; $percent);
def foretold($p): .judged as $judged | foretold_rows($p) | select(. != []) | (map(.off_percent | fabs) | max) as $most
	| (map($judged[predicts(30)]) | of_all | by_verdict(["unsure", " That is a rough estimate."];
		["bad", " That is too far off for a forecast."];
		["unsure", " Whether that is too far off for a forecast this run cannot tell."])) as $far
	| (map($judged[predicts(10)]) | of_all | by_verdict(["good", ""]; $far; $far)) as [$verdict, $so]
	| finding("forecast-\($p)"; "**From the lowest rates alone, the model predicts the \($p | part_words) responses within"
		+ " \($most | number) %**: "
		+ (map("\(.response_fit_ms | with_unit("ms")) at \(.lambda_per_s | number) a second (measured \(.response_ms | with_unit("ms")))")
			| join("; ")) + ".\($so)";
		{value: $most, unit: "%", $verdict, figure: "fit"});
# Little's law: rate times response and think time must give back how many users there were. All are of the same users' requests:
# that checks the measurement, and tells nothing of the server.
def by_little: off(figure("little_users"); {value: .users}; 10);
def little: .judged as $judged
	| [.summary[] | select(.part != "open" and .repeats > 0 and (.invalid // 0) == 0) | $judged[by_little]]
	| ([.[].value | values | fabs] | max) as $most | select($most != null) | of_all as $all
	| finding("little"; "**Little's law \($all | by_verdict("holds within"; "does not hold: off by up to";
			"may hold or not: off by up to")) \($most | number) %**. Request rate times (response time + think time) is to give the"
		+ " number of users; if not, users were missing, requests failed, or the run was too short.";
		{value: $most, unit: "%", verdict: ($all | by_verdict("good"; "bad"; "unsure"))});
def claims: . as $doc | (present[] as $p | rises($p), (foretold_rows($p)[] | predicts(10, 30))),
	(.summary[] | by_little), (busiest("web") | even), (({lambda_per_s: 0}, valid("web")[]) | line($doc; "web1", "web2"));
# By the table of these users, which counts pages from objects; without it, by the pages fetched.
def world: (.world // []) as $world | busiest("web")
	| if . == null or .pages_per_s == null or .response_ms == null or (mostly_answered | not) then empty
	else .cell as $cell | ([$world[] | select(.part == "web" and .cell == $cell and .users_30s != null)][0]
		// {pages_per_s, users_30s: (.pages_per_s * (.response_ms / 1000 + 30))}) as {$pages_per_s, users_30s: $users}
	| finding("world";
		"**\(.users | plural("simulated user")) at \($pages_per_s | number) pages a second equal \($users | fixed(0)) real users**"
		+ " who look at each page for 30 s.";
		{value: $users, unit: "", figure: "response"}) end;

def verdict: . as $doc | [present[] as $p | $doc | busiest($p) as $top | calmest($p) as $low | select($top != null)
		| "\($p | part_words | upper_first): at \($low.lambda_per_s | number) \($p | what) a second the mean response is"
			+ " \($low | response_words)"
			+ if $low == $top then "." else ", at \($top.lambda_per_s | number) a second \($top | response_words)." end]
	| if . == [] then
		if any($doc.summary[]; .repeats > 0) then "No condition is valid: the load generator interfered, or users were missing."
		else nothing_measured end
	  else join(" ") end;
def findings: . as $doc | [invalid_requests, lost_requests, (present[] as $p | $doc | growth($p)), balance, open_loop, whole_pages,
	(present[] as $p | $doc | foretold($p)), (present[] as $p | $doc | fitted($p)),
	world, little, together][:5];

def views:
	view("main"; "summary"; "Response and load by think time"; {by: "part", breaks: ["think_s", "late_percent", 5]};
		"users think_s lambda_per_s response_ms p95_ms late_percent errors? timeouts? unanswered? server_busy_percent"),
	view("arrivals"; "summary"; "When requests come"; {by: "part"};
		"users think_s gap_ms gap_sd_ms cov cov_band poisson judged arrivals_p_of_all"),
	view("servers"; "summary"; "Web servers"; {only: "web1_cpu_percent"};
		"think_s lambda_per_s web1_cpu_percent web2_cpu_percent balancer_cpu_percent web1_of_share_percent? web2_of_share_percent?"
			+ " balancer_of_share_percent? web1_sent_kbyte_per_s"
			+ " web2_sent_kbyte_per_s received_kbyte_per_s frames_out_kbyte_per_s frames_in_kbyte_per_s"),
	view("world"; "world"; "Users of the world that these stand for"; {by: "part"};
		"think_s lambda_per_s response_ms q n_calculated pages_per_s q_pages users_10s users_20s users_30s"
			+ " users_40s users_50s"),
	view("demands"; "slope"; "What a request needs, by the fitted model"; {by: "part"};
		"name demand_ms low_ms high_ms fitted rows error_percent"),
	view("model"; "compare"; "Measured rows beside the fitted model"; {by: "part"};
		"fitted lambda_per_s response_ms response_fit_ms off_percent used"),
	view("quality"; "summary"; "Quality"; {by: "part"};
		"users think_s requests errors? timeouts? unanswered? link_percent late_p99_ms_max"
			+ " started_late_ms_max? foreign_percent_max");
