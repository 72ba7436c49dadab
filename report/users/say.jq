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
	"Rate times response and think time gives back the number of users within \(map((users_back / .users - 1) * 100 | fabs) | max | number) % in every cell." end;
def finding_model($p):
	part($p) | there | map(select(.model_response_s != null and .response_ms != null)) | if . == [] then empty else
	max_by(.lambda_per_s) | "One queue (\(if $p == "web" then "the link, \(.model_concurrency | number) requests in it" else "the CPU" end)), which nothing was fitted to, would have a mean response of \(.model_response_s * 1000 | ms) ms for the busiest \(.users) \($p | heading_of | sub("^Users"; "users")); it was \(.response_ms | ms)." end;
def finding_random($p):
	part($p) | there | map(select(.cov != null)) | if . == [] then empty else
	[.[] | select(cov_low > 1)] as $more | [.[] | select(cov_high < 1)] as $less
	| "The times between requests of \($p | heading_of | sub("^Users"; "users")) have a coefficient of variation from \(map(.cov) | min | fixed(2)) to \(map(.cov) | max | fixed(2)); "
	+ (if $more == [] and $less == [] then "1 is within the band of each" else
		([if $more == [] then empty else "above 1 with think times of \($more | map(.think_s | time_words) | join_and)" end, if $less == [] then empty else "below it with \($less | map(.think_s | time_words) | join_and)" end] | join(", ")) end) + "." end;
def finding_world:
	part("web") | there | if . == [] then empty else max_by(.lambda_per_s) | "\(.users) users at \(.pages_per_s | number) pages a second stand for \(world(30) | fixed(0)) users of the world who look at each page for 30 s." end;

def findings: . as $doc | [(present[] as $p | $doc | finding_growth($p), finding_model($p), finding_random($p)), finding_world, finding_little, lost_words] | if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;
