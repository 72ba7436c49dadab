# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run on think times found, in words.
include "lib";
include "users/common";

def heading_of: {"held-think": "Think time held", "held-ratio": "Users by think time held", "cov-think": "Think time held, constant service", "cov-ratio": "Users by think time held, constant service"}[.] // .;
def parts: ["held-think", "held-ratio", "cov-ratio", "cov-think"];
def limit: [.run.settings.stations[] | capture("^(?<n>[0-9.]+)(?<u>us|ms|s)$") | (.n | tonumber) * {us: 1e-6, ms: 1e-3, s: 1}[.u]] | max | 1 / .;

def modelled: map(select(.model_lambda_per_s != null));
def off($name): (.[$name] / .["model_" + $name] - 1) * 100;
def off_approximate($name): (.[$name] / .["approximate_" + $name] - 1) * 100;
# So far may the rate of a full server be off by chance, in percent: of n exponential services the sum varies by 1/sqrt(n); a server that is not full varies less.
def chance: if .requests > 0 then 196 / (.requests | sqrt) else null end;
def short($ratio): (1 - .lambda_per_s / $ratio) * 100;

def finding_held:
	. as $doc | part("held-think") | there | if length < 2 then empty else
	"With a think time of \(.[0].think_s | time_words), \(last.users) users instead of \(.[0].users) make \(last.lambda_per_s | number) instead of \(.[0].lambda_per_s | number) requests a second, and \(last.concurrency | number) instead of \(.[0].concurrency | number) of them are under way: "
	+ (if last.lambda_per_s > 0.95 * ($doc | limit) then "the slowest station (\($doc | limit | number) a second) decides, not the users." else "the server is not full yet (\($doc | limit | number) a second)." end) end;
def finding_ratio:
	.run.settings.nz_per_s as $nz | part("held-ratio") | there | if length < 2 then empty else
	"With the ratio of users to think time held at \($nz | number) a second, \(.[0].users) users make \(.[0].lambda_per_s | number) requests a second (\(.[0] | short($nz) | fixed(1)) % short of the ratio) and \(last.users) make \(last.lambda_per_s | number) (\(last | short($nz) | fixed(1)) %); what is under way for each second of thinking (Q/Z) goes from \(.[0].concurrency / .[0].think_s | number) to \(last.concurrency / last.think_s | number): "
	+ (if last.lambda_per_s > .[0].lambda_per_s then "the rate nears the ratio." else "but the rate comes no nearer to the ratio in this run." end) end;
def within($name): .[$name + "_low"] != null and .[$name + "_low"] <= .["model_" + $name] and .["model_" + $name] <= .[$name + "_high"];
def finding_model:
	[(part("held-think"), part("held-ratio"))[]] | there | modelled | if . == [] then empty else
	"Measured beside computed, with nothing fitted, over \(plural(length; "cell"; "cells"))\(if any(.[]; .marked > 0) then ", disturbed ones among them" else "" end): from exact mean value analysis the rate is off by up to \(map(off("lambda_per_s") | fabs) | max | number) % (\(map(select(chance != null and (off("lambda_per_s") | fabs) > chance)) | length | if . == 0 then "in no cell by more than chance allows" else "in \(.) by more than chance allows" end)) and the requests under way by up to \(map(off("concurrency") | fabs) | max | number) %; "
	+ "from Schweitzer's approximation by up to \(map(off_approximate("lambda_per_s") | fabs) | max | number) and \(map(off_approximate("concurrency") | fabs) | max | number) %."
	+ (if all(.[]; .lambda_per_s_low == null) then "" else " The exact figure lies within the 95 % interval over repeats in \(map(select(within("lambda_per_s"))) | length) of them for the rate, in \(map(select(within("concurrency"))) | length) for the requests under way." end) end;
# From which cell on it holds in all that follow; null: not in the last.
def from_on(holds): . as $all | first(range(length) as $i | $all[$i:] | select(all(.[]; holds)) | .[0]) // null;
def finding_cov:
	. as $doc | part("cov-ratio") | there | map(select(.cov != null)) | if length < 2 then empty else
	from_on(cov_random) as $from | from_on(.judged > 0 and .poisson == .judged) as $random
	| "With the ratio held (\($doc.run.settings.cov_nz_per_s | number) a second), the coefficient of variation of the times between requests goes from \(.[0].cov | fixed(2)) with \(plural(.[0].users; "user"; "users")) to \(last.cov | fixed(2)) with \(last.users)"
	+ (if $from == null then "; with \(last.users) it is not within \(last | band_words)." else "; from \($from.users) users on it is as near to 1 as chance allows (with \(last.users) users: \(last | band_words))." end)
	+ (if $random != null then " All tests together call requests random from \($random.users) users on."
		elif any(.[]; .judged > 0 and .poisson == .judged) then " All tests together call requests random with some numbers of users, but not with \(last.users)." else " All tests together call none of them random." end) end;
def finding_theory:
	part("cov-ratio") | there | map(select(.cov != null and .cov_independent != null)) | if length < 2 then empty else
	"Theory of so many users who know nothing of each other, with the measured mean response, has it go from \(.[0].cov_independent | fixed(3)) to \(last.cov_independent | fixed(3)); what was measured is off by up to \(map((.cov - .cov_independent) | fabs) | max | fixed(3))." end;
def finding_not_held:
	part("cov-think") | there | map(select(.cov != null)) | if length < 2 then empty else
	"With the think time held at \(.[0].think_s | time_words) instead, it is \(last.cov | fixed(2)) with \(last.users) users: "
	+ (if last | cov_below then "they ask when the server lets them, one after the other."
		elif last | cov_above then "above 1, which should not be: requests of users who wait for a full server come too evenly, not in bursts."
		else "no less than 1, as far as chance allows to say, which should not be: this server is not full." end) end;

def findings: [finding_held, finding_ratio, finding_model, finding_cov, finding_theory, finding_not_held, finding_together, lost_words] | if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;
