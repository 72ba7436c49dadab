# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what more users do to a server, with the think time held and with the ratio of users to think time held.
include "words";
include "crowds";

def limit: [.run.settings.stations[]? | 1000 / time_ms] | min;
def title: "More users: with a fixed think time, and with a fixed ratio of users to think time";
def labels: {value: {part: {"held-think": "fixed think time", "held-ratio": "fixed users to think time",
	"cov-think": "fixed think time, constant service", "cov-ratio": "fixed users to think time, constant service"}}};
def off($name; $model): (.[$name] / .[$model] - 1) * 100 | fabs;
# A row in which the load generator interfered describes no server.
def valid($p): part($p) | map(select((.invalid // 0) == 0));
# A rate without an interval over repeats has that of chance, by its number of requests.
def rate: .requests as $n | figure("lambda_per_s") | if .low == null then .repeats = $n else . end | select($n > 0) // {};
def sides($of; $a; $b; $tests): {("above_" + $of): claim("rate"; $tests; $a; $b), ("below_" + $of): claim("rate"; $tests; $b; $a)};
# A station serves no faster than it can: then stations or clocks were not what they were set to. All conditions together test the
# model: rates by repeats or by chance, requests under way by repeats alone.
def decisions: . as $doc | limit as $limit | ([.summary[]?.model_lambda_per_s | values] | [2 * length, 1] | max) as $tests
	| .summary[]? |= (.part as $part | (if $part == "held-ratio" then $doc.run.settings.nz_per_s else $limit end) as $most
		| rate as $rate | ($doc | valid($part)[0] | rate) as $first | {value: .model_lambda_per_s} as $model
		| {repeats} as $repeats | (.gaps | if . then {value: 1, repeats: .} else {} end) as $random
		| ask(odd_claims + sides("first"; $rate; $first; 1) + sides("model"; $rate; $model; $tests)
			+ sides("random"; {value: .cov}; $random; 1) + {other_queue: claim("differs"; $tests; .model_concurrency
				| {value: ., low: ., high: .} + $repeats; figure("concurrency")),
			impossible: claim("rate"; 1; $rate; {value: $most | scaled(1.05)}),
			saturates: claim("rate"; 1; $rate; {value: $most | scaled(0.95)})}));
def from_on(holds): . as $all | first(range(length) as $i | $all[$i:] | select(all(.[]; holds)) | .[0]) // null;
def held_think: limit as $limit | valid("held-think") | if length < 2 then empty else last as $top | .[0] as $low
	| (from_on(.saturates == "yes") | if . == null or . == $low then "" else ", from \(.users) users on" end) as $since
	| finding("think-held"; "**With a think time of \($low.think_s | with_unit("s")), the"
		+ " \(if $top.impossible == "yes" then "rate is more than the slowest station allows: do not trust these figures"
			elif $top | failed_requests > 0 then "server may be saturated: requests failed"
			else {yes: "slowest station limits the rate, not the users\($since)", no: "server is not saturated yet"}[$top.saturates // ""]
				// "server may be saturated: this run cannot tell" end).** "
		+ "\($low.users | plural("user")) make \($low.lambda_per_s | number) requests a second, \($top.users) make"
		+ " \($top.lambda_per_s | number)\($top | figure("lambda_per_s") | interval(.low; .high; "")) of at most \($limit | number);"
		+ " requests in progress grow from \($low.concurrency | number) to \($top.concurrency | number).";
		($top | figure("lambda_per_s")) + {figure: "rate"}) end;
def held_ratio: .run.settings.nz_per_s as $nz | valid("held-ratio") | if length < 2 then empty else last as $top | .[0] as $low
	| finding("ratio-held"; "**With a fixed ratio of users to think time (\($nz | number) per second), the rate"
		+ " \(if $top.impossible == "yes" then "exceeds that ratio, which is impossible"
			elif $top.above_first == "yes" then "approaches that ratio"
			elif $top.below_first == "yes" then "does not approach that ratio"
			else "cannot be told to approach that ratio" end)**: "
		+ "\($low.users | plural("user")) make \($low.lambda_per_s | number) requests a second, \($top.users) make"
			+ " \($top.lambda_per_s | number)\($top | figure("lambda_per_s") | interval(.low; .high; "")).";
		($top | figure("lambda_per_s")) + {figure: "rate",
			verdict: (if $top.above_first == "yes" and $top.impossible != "yes" then "good" else "unsure" end)}) end;
def model: [(valid("held-think"), valid("held-ratio"))[] | select(.model_lambda_per_s != null)] | select(. != [])
	| (map(off("lambda_per_s"; "model_lambda_per_s")) | max) as $most | any(.other_queue != null) as $tested
	| (map(select([.above_model, .below_model, .other_queue] | index("yes"))) | length) as $out
	| finding("model"; "**Exact mean value analysis errs by at most \($most | number) %** in the rate and"
		+ " \(map(off("concurrency"; "model_concurrency")) | max | number) % in the requests in progress, without fitted parameters; "
		+ (if $out == 0 and ($tested | not) then "one repeat cannot tell whether this is chance."
			else "\($out) of \(length | plural("condition")) \(if $out == 1 then "errs" else "err" end) by more than chance explains." end)
		+ " Schweitzer's approximation errs by up to "
		+ "\(map(off("lambda_per_s"; "approximate_lambda_per_s")) | max | number) % and"
			+ " \(map(off("concurrency"; "approximate_concurrency")) | max | number) %.";
		{value: $most, unit: "%", figure: "rate",
			verdict: (if $out > 0 then "bad" elif $tested then "good" else "unsure" end)});
def random: valid("cov-ratio") | map(select(.cov != null)) | if length < 2 then empty else last as $top | .[0] as $low
	| from_on([.above_random, .below_random] | index("yes") | not) as $from
	| map(select($from != null and .users >= $from.users and .poisson != null and .judged > 0)) as $tested
	| finding("randomness"; "**With more users,"
		+ " \(if $from then "times between requests vary like those of requests" else "requests do not arrive" end) at random"
			+ " times (Poisson).** "
		+ "The coefficient of variation of interarrival times goes from \($low.cov | fixed(2)) with \($low.users | plural("user")) to "
		+ "\($top.cov | fixed(2))\(interval($top.cov_low; $top.cov_high; ""; fixed(2))) with \($top.users)"
		+ (if $from then "; from \($from.users) users on, the coefficient does not differ significantly from 1." else "." end)
		+ ($tested | if . == [] then "" else " No test rejects random times in"
			+ " \(map("\(.poisson) of \(.judged | plural("repeat")) with \(.users | plural("user"))") | and_list)." end)
		+ (map(select(.cov_independent != null)) | if . == [] then ""
			else " The theory of independent users errs by at most \(map(.cov - .cov_independent | fabs) | max | fixed(3))." end);
		($top | figure("cov")) + {verdict: (if $from then "good" else "unsure" end), figure: "cov"}) end;
def not_held: valid("cov-think") | map(select(.cov != null)) | if length < 2 then empty else last as $top
	| finding("randomness-think-held";
		"**With a fixed think time\($top.think_s | if . == null then "" else " of \(. * 1000 | plain) ms" end),"
		+ " the coefficient of variation is \($top.cov | fixed(2))** with \($top.users) users: "
		+ (if $top.below_random == "yes" then "less than at random times."
			elif $top.above_random == "yes" then "above 1, although theory predicts a value below 1."
		else "not below 1 by more than chance, so it does not show that the server is saturated." end);
		($top | figure("cov")) + {verdict: (if $top.below_random == "yes" then "good" elif $top.above_random == "yes" then "bad"
			else "unsure" end), figure: "cov"}) end;

def verdict: . as $doc | valid("held-think") as $t | valid("held-ratio") as $r | limit as $limit
	| [(if ($t | length) > 1 then "With a fixed think time, "
		+ (if $t[-1].impossible == "yes" then "the rate is more than the server allows: do not trust it"
			elif $t[-1].saturates == "yes" then "more users saturate the server" else
			"\($t | last.users) users do not surely saturate the server" end)
		+ " (\($t | last.lambda_per_s | number) of at most \($limit | number) requests a second)." else empty end),
	   (if ($r | length) > 1 then "With a fixed ratio of users to think time, \($r | last.users) users reach"
		+ " \($r | last.lambda_per_s | number) of at most \(.run.settings.nz_per_s | number) requests a second."
			else empty end)]
	| if . != [] then join(" ") elif $doc | measured_rows("summary") == [] then nothing_measured
	  else "Too few conditions are valid: the load generator interfered, or users were missing." end;
def findings: [invalid_requests, lost_requests, held_think, held_ratio, model, random, not_held, together][:5];

def views:
	view("main"; "summary"; "Rate and queue by users"; {by: "part"};
		"users think_s lambda_per_s model_lambda_per_s concurrency model_concurrency errors? timeouts? unanswered?"),
	view("response"; "summary"; "Response by users"; {by: "part"}; "users think_s response_ms p95_ms late_percent"),
	view("arrivals"; "summary"; "When requests come"; {by: "part"};
		"users think_s cov cov_band cov_independent poisson judged arrivals_p_of_all"),
	view("quality"; "summary"; "Quality"; {by: "part"};
		"users repeats? marked? requests server_busy_percent late_p99_ms_max generator_cpu_percent_max");
