# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run with users of a web server and of VNC found, in words.
include "lib";
include "users/common";

def heading_of: {web: "Users of a web server", vnc: "Users of VNC"}[.] // .;
def what_of: {web: "objects", vnc: "keys"}[.] // "requests";
def present: [.run.settings.parts[] as $p | select(any(.rows[]; .part == $p)) | $p];
# Users by Little's law: what was measured must give back how many there were.
def users_back: .lambda_per_s * (.response_ms / 1000 + .think_s);
def pages_by_requests: if .requests > 0 and .lambda_per_s > 0 then .pages_per_s / .lambda_per_s else null end;
def world($think): .pages_per_s * (.response_ms / 1000 + $think);

def finding_growth($p):
	part($p) | there | if length < 2 then empty else
	max_by(.lambda_per_s) as $top | min_by(.lambda_per_s) as $low
	| "\($p | heading_of) (\($top.users)): from \($low.lambda_per_s | number) to \($top.lambda_per_s | number) \($p | what_of) a second the mean response goes from \($low.response_ms | ms) to \($top.response_ms | ms) ms, and what 95 % stay below \(if $low.p95_ms == null then "is" else "from \($low.p95_ms | ms) to" end) \($top.p95_ms | if . == null then "not known of so few" else "\(ms) ms" end); the server's CPU is busy for \($top.server_busy_percent | number) % then\(if $p == "web" then ", and \($top.received_kbyte_per_s | number) kB a second come over the link" else "" end)." end;
def finding_little:
	[.rows[] | select(.repeats > 0 and .response_ms != null)] | if . == [] then empty else
	"Rate times response and think time gives back the number of users within \(map((users_back / .users - 1) * 100 | fabs) | max | about) % in every cell." end;
def finding_model($p):
	part($p) | there | map(select(.model_response_s != null and .response_ms != null)) | if . == [] then empty else
	max_by(.lambda_per_s) | "One queue (\(if $p == "web" then "the link, \(.model_concurrency | number) requests in it" else "the CPU" end)), which nothing was fitted to, would have a mean response of \(.model_response_s * 1000 | ms) ms for the busiest \(.users) \($p | heading_of | sub("^Users"; "users")); it was \(.response_ms | ms)." end;
def finding_random($p):
	part($p) | there | map(select(.cov != null)) | if . == [] then empty else
	[.[] | select(cov_above)] as $more | [.[] | select(cov_below)] as $less
	| "The times between requests of \($p | heading_of | sub("^Users"; "users")) have a coefficient of variation from \(map(.cov) | min | fixed(2)) to \(map(.cov) | max | fixed(2)); "
	+ (if $more == [] and $less == [] then "each is as near to 1 as chance allows" else
		([if $more == [] then empty else "above 1 with think times of \($more | map(.think_s | time_words) | join_and)" end, if $less == [] then empty else "below it with \($less | map(.think_s | time_words) | join_and)" end] | join(", ")) + " (by more than 1.96/√n; each cell by itself)" end) + "." end;

# What was fitted: rows of slopes are demands, rows of compare what the model says of each measured row.
def resource_words: {cpu: "the server's CPU", link: "the link", delay: "time in which nobody waits for anybody"}[.] // "a queue";
def tells_nothing: .high_ms > 10 * .demand_ms;
def span_words: if .low_ms == null or .high_ms == null then " (too few rows for an interval)" elif tells_nothing then " (of which the rows tell nothing: the interval ends at over ten times that)" else " (\(.low_ms | ms)–\(.high_ms | ms)\(if .high_ms > 2 * .low_ms then ", so the rows hardly tell it" else "" end))" end;
def demand_words: "\(.demand_ms | ms) ms of \(.name | resource_words)" + span_words;
def demands_of($p; $which): [.slopes // [] | .[] | select(.part == $p and .fitted == $which)];
def told_of($p; $which): [.compare // [] | .[] | select(.part == $p and .fitted == $which)];
# A delay that is a thousandth of the demands is none.
def worth: (map(.demand_ms) | add) as $all | map(select(.name != "delay" or .demand_ms > 0.001 * $all));
def foretold_words: "\(.lambda_per_s | number) a second: \(.response_fit_ms | ms) ms (was \(.response_ms | ms): \(.off_percent | signed) %)";
def finding_fit($p):
	. as $doc | demands_of($p; "all") | if . == [] then empty else
	(if .[0].disturbed == 1 then " (disturbed ones among them, since there are too few others)" else "" end) as $disturbed
	| "Fitted to \(if .[0].rows == .[0].of_rows then "all " else "" end)\(.[0].rows) rows of \($p | heading_of | sub("^Users"; "users"))\($disturbed), \({web: "an object", vnc: "a key"}[$p] // "a request") needs \(worth | map(demand_words) | join_and)"
	+ (if $p == "vnc" then "; \($doc.run.settings.cost_ms | plain) ms of CPU were burnt for each on purpose" else "" end)
	+ (.[0].error_percent as $e | if $e == null then "." else "; the model's response is then off by \($e | about) % (root mean square)." end) end;
def finding_foretold($p):
	demands_of($p; "first") as $slopes | [told_of($p; "first")[]] as $rows | [$rows[] | select(.used == 0)] as $later | [$rows[] | select(.used == 1)] as $used | if $later == [] or $used == [] then empty else
	($later | map(.off_percent | fabs) | max) as $most
	| "Fitted to the \($used | length) rows of the lowest rates of \($p | heading_of | sub("^Users"; "users")) alone (up to \($used | map(.lambda_per_s) | max | number) a second), the model foretells at " + ($later | map(foretold_words) | join("; "))
	+ (if $most <= 10 then ": within \($most | about) %." elif $most <= 30 then ": a first idea." elif any($slopes[]; .disturbed == 1) then ": no forecast, of rows that were disturbed." else ": no forecast; rows far from the limit need not tell how the response bends." end) end;
def finding_world:
	part("web") | there | map(select(.response_ms != null and .pages_per_s != null)) | if . == [] then empty else max_by(.lambda_per_s) | "\(.users) users at \(.pages_per_s | number) pages a second stand for \(world(30) | fixed(0)) users of the world who look at each page for 30 s." end;

def findings: . as $doc | [(present[] as $p | $doc | finding_growth($p), finding_model($p), finding_fit($p), finding_foretold($p), finding_random($p)), finding_together, finding_world, finding_little, lost_words] | if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;
