# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run that looked for the most users found, in words.
include "lib";

def kind_words($run): {light: "vim in a terminal", heavy: "the editor that computes \($run.settings.cost_ms | plain) ms for each redraw"}[.] // .;
def system_words($run): "\(.app | kind_words($run)) over \(.protocol)";
def criterion_words: if startswith("p95:") then "95 % of the keys within \(.[4:] | sub("ms$"; " ms"))" else "an Apdex of \(.[6:])" end;
def limits: .points;
def limits_of($system): [.points[] | select(.system == $system)];
def at_users($system; $n): [.rows[] | select(.system == $system and .users == $n and .repeats > 0)] | first;
def measured_rows: [.rows[] | select(.repeats > 0)];
def users_span: if .users_low == null then "" else " (\(.users_low | number)–\(.users_high | number))" end;
def users_words: if .reached < .repeats and .users_max == .users_min then "at least \(.users | plain)" elif .users_min == .users_max then "\(.users | plain)"
	else "\(.users_min | plain) to \(if .reached < .repeats then "at least " else "" end)\(.users_max | plain)" end;
# The sides of a limit, over the repeats: one object for each rule.
def sides($system; $criterion): [.compare[] | select(.system == $system and .criterion == $criterion)] | group_by([.name, .unit])
	| map({name: .[0].name, unit: .[0].unit, at_least: .[0].at_least, good: (map(.good | values) | if . == [] then null else add / length end), bad: (map(.bad | values) | if . == [] then null else add / length end),
		users_good: (map(.users_good) | unique), users_bad: (map(.users_bad | values) | unique), full: (map(.full) | add), users_full: (map(select(.full > 0) | .users_bad) | unique),
		bad_full: (map(select(.full > 0) | .bad | values) | if . == [] then null else add / length end), repeats: length, fullness: (map((.bad // 0) / .at_least) | add)})
	| sort_by([- .full, - .fullness]);
def from_to: if length == 0 then "" elif length == 1 then "\(first)" else "\(min)–\(max)" end;

# The strictest criterion first, as it was asked for.
def finding_users: . as $doc | [.run.settings.systems[] | . as $s | ($doc | limits_of($s.system)) as $l | select($l != [])
		| "\($s | system_words($doc.run)): " + ($l | map("\(users_words) \(if .users_max == 1 and .users_min == 1 then "user" else "users" end) with \(.criterion | criterion_words)") | join(", "))]
	| if . == [] then empty else "So many users fit: " + join("; ") + "." end;

# What was full, with what it rests on; of the CPU always, since that is asked first.
def busy_words: "\(.server_busy_percent | percent) % busy" + (if .own_percent != null and .own_percent + 3 < .server_busy_percent then ", \(.own_percent | percent) % by the sessions themselves" else "" end);
def cpu_words: if .wait_ms == null or .more_ms == null then "the server's CPU was \(busy_words)"
	else "of the \(.more_ms | number) ms that a key takes longer than with one user alone, \(.wait_ms | number) ms went by waiting for a CPU of the server, which was \(busy_words)" end;
def finding_limit: . as $doc | [.run.settings.systems[] | . as $s | ($doc | limits_of($s.system) | map(select(.limit != null and .reached > 0)) | first) as $l | select($l != null)
		| ($doc | sides($s.system; $l.criterion)) as $sides
		| ($sides | map(.users_bad[]) | min) as $bad | ($doc | at_users($s.system; $bad)) as $row
		| "for \($s | system_words($doc.run)) (\($l.criterion | criterion_words)): \($l.limit)"
		+ (if $l.ended == null then "" else " (\($l.ended | rtrimstr(".")))" end)
		+ (if $row == null then "" else "; at \($bad) user\(if $bad == 1 then "" else "s" end) \($row | cpu_words)"
			+ ([$sides[] | select(.bad_full != null and .name != "CPU") | "\(.name): \(.bad_full | number) \(.unit)\(if .users_full == [$bad] then "" else " at \(.users_full | from_to)" end), full from \(.at_least | plain)"] | if . == [] then "" else "; " + join("; ") end) end)]
	| if . == [] then empty else "What is full with the next users: " + join("; ") + "." end;

def not_a_queue: .limit // "" | test("memory|link|viewers|alone|session|displays|processes|run queue|unexplained");
def finding_forecast: . as $doc | [limits[] | select(.users > 0)] | if all(.[]; .forecast == null and .forecast_why == null) then empty else
	"From the first third of the curve: " + (map("\(if .forecast == null then "no forecast" else "\(.forecast | plain) users"
			+ (if .forecast_low == null or .forecast_low == .forecast_high then "" else " (\(.forecast_low | plain)–\(.forecast_high // "" | if . == "" then "" else plain end))" end) end) for \(.criterion | criterion_words)"
		+ (if ($doc.run.settings.systems | length) > 1 then " of \(.system)" else "" end)
		+ " (found: \(users_words)\(if .forecast_why then "; " + .forecast_why elif .forecast_of != null and .forecast_of != "CPU" then "; by the \(.forecast_of)" else "" end))") | join(", "))
	+ ". Model: a key's share of the CPU is a line (utilization law), its wait that of arrivals at random which all cost the same (M/D/m, exponential tail), on top of what one user alone has; the interval is the line's alone."
	+ ([.[] | select(.reached > 0 and not_a_queue)] | if . == [] then "" else " What was full for \(map(.criterion | criterion_words) | unique | join_and) (\(map(.limit) | unique | join("; "))) is no queue of this model: there it can be far off." end) end;

def line_of($system; $name): [.slopes[] | select(.system == $system and .name == $name and .users != null and .slope_low != null and .slope_low > 0)] | first;
def finding_bound: . as $doc | [.run.settings.systems[] | . as $s | ($doc | line_of($s.system; "CPU")) as $l | ($doc | line_of($s.system; "memory")) as $m | select($l != null)
		| "\($l.slope | number) ms (\($l.slope_low | number)–\($l.slope_high | number)) of CPU time for each key of \($s.app | kind_words($doc.run)) over \($s.protocol): it would be busy all the time with \($l.users | number) users"
			+ (if $m == null or $m.users > 2 * $l.users then "" else ", and the memory used up with \($m.users | number) (\($m.slope | number) MB each)" end)]
	| if . == [] then empty else "By the first third, " + join("; ") + ". Of more the keys come faster than they can be answered." end;

def finding_fair: . as $doc | [.run.settings.systems[] | . as $s | ($doc | limits_of($s.system) | map(select(.jain_good != null and .users > 1)) | first) as $l | select($l != null)
		| "\($s.app | kind_words($doc.run)) over \($s.protocol): at the most users for \($l.criterion | criterion_words) the p95 of the one who fares worst is \($l.worst_good | fixed(2)) times the median of all (Jain's index of the mean latencies \($l.jain_good | fixed(3)))"
		+ (if $l.jain_bad == null then "" else "; with the next users \($l.worst_bad | fixed(2)) times (\($l.jain_bad | fixed(3)))" end)]
	| ([$doc | limits[] | .worst_good // empty] | max) as $worst
	| if . == [] then empty else (if $worst > 2 then "Users fare unequally: " elif $worst > 1.25 then "Not all users fare alike: " else "Users fare alike: " end) + join("; ") + "." end;

def finding_none: . as $doc | [limits[] | select(.users_min == 0)] | if . == [] then empty else
	"Even one user alone had it worse than \(map(.criterion | criterion_words) | unique | join_and) in some searches: without a session beside it, what is slow is application, display server or this machine." end;

# Where it was not the server that had too little.
def finding_ended: . as $doc | [limits[] | select(.ended != null and .reached < .repeats) | .ended | rtrimstr(".")] | unique | if . == [] then empty else
	"A search ended without a limit of the server: \(join("; "))." end;

def findings: [finding_users, finding_limit, finding_ended, finding_bound, finding_forecast, finding_fair, finding_none] | if . == [] then ["No search came to its end: there is nothing to say yet."] else . end;

def disturbed: [.rows[] | select(.marked > 0) | .system] | unique | if . == [] then null else "Disturbed: other programs had more than 3 % of the server's CPU in searches of \(join_and); fewer users may fit then than without them." end;
def absent_words: [.run.lab.missing // [] | .[] | "Not on this machine: \(.)."];
def indicative: .run.settings.repeats as $r | if $r >= 5 then null else "Indicative: \(plural($r; "search"; "searches")) of each kind." end;
