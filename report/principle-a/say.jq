# say.jq - what a run on think times found, in words.
include "lib";
include "users/common";

def heading_of: {"held-think": "Think time held", "held-ratio": "Users by think time held", "cov-think": "Think time held, constant service", "cov-ratio": "Users by think time held, constant service"}[.] // .;
def parts: ["held-think", "held-ratio", "cov-ratio", "cov-think"];
def limit: [.run.settings.stations[] | capture("^(?<n>[0-9.]+)(?<u>us|ms|s)$") | (.n | tonumber) * {us: 1e-6, ms: 1e-3, s: 1}[.u]] | max | 1 / .;

def modelled: map(select(.model_lambda_per_s != null));
def off: (.lambda_per_s / .model_lambda_per_s - 1) * 100;
def queue_off: (.concurrency / .model_concurrency - 1) * 100;

def finding_held:
	. as $doc | part("held-think") | there | if length < 2 then empty else
	"With a think time of \(.[0].think_s | time_words), \(last.users) users instead of \(.[0].users) make \(last.lambda_per_s | number) instead of \(.[0].lambda_per_s | number) requests a second, and \(last.concurrency | number) instead of \(.[0].concurrency | number) of them are under way: "
	+ (if last.lambda_per_s > 0.95 * ($doc | limit) then "the slowest station (\($doc | limit | number) a second) decides, not the users." else "the server is not full yet (\($doc | limit | number) a second)." end) end;
def finding_ratio:
	. as $doc | part("held-ratio") | there | if length < 2 then empty else
	"With the ratio of users to think time held at \($doc.run.settings.nz_per_s | number) a second, from \(.[0].users) to \(last.users) users the rate goes from \(.[0].lambda_per_s | number) to \(last.lambda_per_s | number) requests a second, and what is under way for each second of thinking (Q/Z) from \(.[0].concurrency / .[0].think_s | number) to \(last.concurrency / last.think_s | number): the rate nears the ratio." end;
def finding_model:
	[(part("held-think"), part("held-ratio"))[]] | there | modelled | if . == [] then empty else
	"Exact mean value analysis of the stations, which nothing was fitted to, is off by up to \(map(off | fabs) | max | number) % in the rate and \(map(queue_off | fabs) | max | number) % in the requests under way over \(plural(length; "cell"; "cells"))\(if any(.[]; .marked > 0) then ", disturbed ones among them" else "" end)." end;
# From which cell on it holds in all that follow; null: not in the last.
def from_on(holds): . as $all | first(range(length) as $i | $all[$i:] | select(all(.[]; holds)) | .[0]) // null;
def finding_cov:
	. as $doc | part("cov-ratio") | there | map(select(.cov != null)) | if length < 2 then empty else
	from_on(cov_high >= 1 and cov_low <= 1) as $from | from_on(.judged > 0 and .poisson == .judged) as $random
	| "With the ratio held (\($doc.run.settings.cov_nz_per_s | number) a second), the coefficient of variation of the times between requests goes from \(.[0].cov | fixed(2)) with \(plural(.[0].users; "user"; "users")) to \(last.cov | fixed(2)) with \(last.users)"
	+ (if $from == null then "; with \(last.users) 1 is not within its band." else "; from \($from.users) users on 1 is within its band." end)
	+ (if $random != null then " All tests together call it random from \($random.users) users on."
		elif any(.[]; .judged > 0 and .poisson == .judged) then " All tests together call it random with some numbers of users, but not with \(last.users)." else " All tests together call none of them random." end) end;
def finding_not_held:
	part("cov-think") | there | map(select(.cov != null)) | if length < 2 then empty else
	"With the think time held at \(.[0].think_s | time_words) instead, it is \(last.cov | fixed(2)) with \(last.users) users: " + (if (last | cov_high) < 1 then "they ask when the server lets them, one after the other." else "no less, within its band, which should not be: this server is not full." end) end;

def findings: [finding_held, finding_ratio, finding_model, finding_cov, finding_not_held, lost_words] | if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;
