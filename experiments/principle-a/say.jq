# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what more users do to a server, with the think time held and with the ratio of users to think time held.
include "words";
include "crowds";

def limit: [.run.settings.stations[] | capture("^(?<n>[0-9.]+)(?<u>us|ms|s)$") | (.n | tonumber) * {us: 1e-6, ms: 1e-3, s: 1}[.u]]
	| max | 1 / .;
def title: "More users: think time held, and users by think time held";
def labels: {value: {part: {"held-think": "think time held", "held-ratio": "users by think time held",
	"cov-think": "think time held, constant service", "cov-ratio": "users by think time held, constant service"}},
	figures: {slowest_s: (1 / limit), nz_per_s: .run.settings.nz_per_s}};
def off($name; $model): (.[$name] / .[$model] - 1) * 100 | fabs;
# So far may the rate of a full server be off by chance, in percent: of n exponential services the sum varies by 1/sqrt(n).
def chance: if .requests > 0 then 196 / (.requests | sqrt) else null end;

def held_think: limit as $limit | part("held-think") | if length < 2 then empty else last as $top | .[0] as $low
	| finding("think-held"; "**With a think time of \($low.think_s | with_unit("s")), the"
		+ " \(if $top.lambda_per_s > 0.95 * $limit then "slowest station decides, not the users" else "server is not full yet" end).** "
		+ "\($low.users | plural("user")) make \($low.lambda_per_s | number) requests a second, \($top.users) make"
			+ " \($top.lambda_per_s | number)"
		+ "\($top | figure("lambda_per_s") | interval(.low; .high; "")) of at most \($limit | number); requests under way grow from"
			+ " \($low.concurrency | number) to \($top.concurrency | number).";
		($top | figure("lambda_per_s")) + {figure: "rate"}) end;
def held_ratio: .run.settings.nz_per_s as $nz | part("held-ratio") | if length < 2 then empty else last as $top | .[0] as $low
	| finding("ratio-held"; "**With users / think time fixed at \($nz | number) per second, the rate"
		+ " \(if $top.lambda_per_s > $low.lambda_per_s then "nears" else "does not near" end) that ratio**: "
		+ "\($low.users | plural("user")) make \($low.lambda_per_s | number) requests a second, \($top.users) make"
			+ " \($top.lambda_per_s | number)\($top | figure("lambda_per_s") | interval(.low; .high; "")).";
		($top | figure("lambda_per_s")) + {verdict: (if $top.lambda_per_s > $low.lambda_per_s then "good" else "unsure" end),
			figure: "rate"}) end;
def out_of($name; $model): .[$name + "_low"] != null and (.[$model] < .[$name + "_low"] or .[$model] > .[$name + "_high"]);
# What chance allows requests under way is known from repeats alone.
def model: [(part("held-think"), part("held-ratio"))[] | select(.model_lambda_per_s != null)] | if . == [] then empty else
	(map(off("lambda_per_s"; "model_lambda_per_s")) | max) as $most
		| any(.concurrency_low != null) as $tested
		| (map(select((chance != null and off("lambda_per_s"; "model_lambda_per_s") > chance)
			or out_of("concurrency"; "model_concurrency"))) | length) as $out
	| finding("model"; "**Exact mean value analysis is off by at most \($most | number) %** in the rate, and"
		+ " \(map(off("concurrency"; "model_concurrency")) | max | number) % in the requests under way, with nothing fitted; "
		+ (if $out == 0 and ($tested | not) then "one repeat cannot tell whether that is chance."
			else "\($out) of \(length | plural("condition")) \(if $out == 1 then "is" else "are" end) off by more than chance allows." end)
		+ " Schweitzer's approximation is off by up to "
		+ "\(map(off("lambda_per_s"; "approximate_lambda_per_s")) | max | number) % and"
			+ " \(map(off("concurrency"; "approximate_concurrency")) | max | number) %.";
		{value: $most, unit: "%", figure: "rate",
			verdict: (if $out > length / 10 then "bad" elif $tested then "good" else "unsure" end)}) end;
def from_on(holds): . as $all | first(range(length) as $i | $all[$i:] | select(all(.[]; holds)) | .[0]) // null;
def random: part("cov-ratio") | map(select(.cov != null)) | if length < 2 then empty else last as $top | .[0] as $low
	| from_on((cov_above or cov_below) | not) as $from
	| finding("randomness"; "**With more users, requests \(if $from then "come" else "do not come" end) at random.** "
		+ "The coefficient of variation goes from \($low.cov | fixed(2)) with \($low.users | plural("user")) to "
		+ "\($top.cov | fixed(2))\(interval($top.cov_low; $top.cov_high; "")) with \($top.users)"
			+ (if $from then "; from \($from.users) users on it is as near to 1 as chance allows." else "." end)
		+ (map(select(.cov_independent != null)) | if . == [] then ""
			else " Theory of independent users is off by at most \(map(.cov - .cov_independent | fabs) | max | fixed(3))." end);
		($top | figure("cov")) + {verdict: (if $from then "good" else "unsure" end), figure: "cov"}) end;
def not_held: part("cov-think") | map(select(.cov != null)) | if length < 2 then empty else last as $top
	| finding("randomness-think-held"; "**With a fixed think time instead, it is \($top.cov | fixed(2))** with \($top.users) users: "
		+ (if $top | cov_below then "a full server lets requests through one after the other." elif $top | cov_above then
			"above 1, which should not be."
		else "not below 1, which should not be: this server is not full." end);
		($top | figure("cov")) + {verdict: (if $top | cov_below then "good" else "bad" end), figure: "cov"}) end;

def verdict: part("held-think") as $t | part("held-ratio") as $r | limit as $limit
	| [(if ($t | length) > 1 then "With a fixed think time, more users fill the server (\($t | last.lambda_per_s | number) of at"
		+ " most \($limit | number) requests a second)." else empty end),
	   (if ($r | length) > 1 then "With users / think time fixed, \($r | last.users) users make \($r | last.lambda_per_s | number) of"
		+ " \(.run.settings.nz_per_s | number) requests a second." else empty end)]
	| if . == [] then "No condition was measured to the end: there is nothing to say yet." else join(" ") end;
def findings: [invalid_requests, lost_requests, held_think, held_ratio, model, random, not_held, together][:5];
