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
def users_words: if .reached < .repeats and .users_max == .users_min then "at least \(.users | plain)" elif .users_min == .users_max then "\(.users | plain)" else "\(.users_min | plain) to \(.users_max | plain)" end;

# The strictest criterion first, as it was asked for.
def finding_users: . as $doc | [.run.settings.systems[] | . as $s | ($doc | limits_of($s.system)) as $l | select($l != [])
		| "\($s | system_words($doc.run)): " + ($l | map("\(users_words) \(if .users_max == 1 and .users_min == 1 then "user" else "users" end) with \(.criterion | criterion_words)") | join(", "))]
	| if . == [] then empty else "So many users fit: " + join("; ") + "." end;

def finding_limit: . as $doc | [.run.settings.systems[] | . as $s | ($doc | limits_of($s.system) | map(select(.limit != null and .reached > 0)) | first) as $l | select($l != null)
		| ($l.users_max + 1) as $beyond | ([$doc.rows[] | select(.system == $s.system and .users >= $beyond and .repeats > 0)] | first) as $row
		| "for \($s | system_words($doc.run)): \($l.limit)" + (if $row == null then "" else " (at \($row.users) users the server's CPU was \($row.server_busy_percent | percent) % busy and \($row.waiting | fixed(1)) processes waited for it"
			+ (if $row.client_busy_percent == null then "" else ", the viewers' CPU \($row.client_busy_percent | percent) %" end)
			+ (if $row.link_percent == null then "" else ", the link \($row.link_percent | percent) %" end) + ")" end)]
	| if . == [] then empty else "What is full with the next users: " + join("; ") + "." end;

def finding_forecast: . as $doc | [limits[] | select(.forecast != null and .users > 0)] | if . == [] then empty else
	"From the first third of the curve the model foretold " + (map("\(.forecast | number) users for \(.criterion | criterion_words) (found: \(.users | plain))") | join_and)
	+ "; demands from busy times, an open stream at each station, the percentile by its share of the mean there." end;

def finding_fair: . as $doc | [.run.settings.systems[] | . as $s | ([$doc | limits_of($s.system)[] | .users_min] | max) as $n | ([$doc | measured_rows[] | select(.system == $s.system and .users <= ($n // 0) and .users > 1)] | max_by(.users)) as $row
		| select($row != null and $row.jain != null)
		| "at \($row.users) users of \($s.app | kind_words($doc.run)) the one who fares worst waits \($row.worst_over_median | fixed(2)) times the median of all (Jain's index \($row.jain | fixed(3)))"]
	| ([$doc.rows[] | select(.repeats > 0 and .users > 1) | .worst_over_median // empty] | max) as $worst
	| if . == [] then empty else (if $worst > 2 then "Users fare unequally somewhere: " elif $worst > 1.25 then "Not all users fare alike: " else "Users fare alike: " end) + join("; ") + "." end;

def finding_none: . as $doc | [limits[] | select(.users_min == 0)] | if . == [] then empty else
	"Even one user alone had it worse than \(map(.criterion | criterion_words) | unique | join_and) in some searches: without a session beside it, what is slow is application, display server or this machine." end;

def findings: [finding_users, finding_limit, finding_forecast, finding_fair, finding_none] | if . == [] then ["No search came to its end: there is nothing to say yet."] else . end;

def disturbed: [.rows[] | select(.marked > 0) | .system] | unique | if . == [] then null else "Disturbed: other programs had more than 3 % of the server's CPU in searches of \(join_and); fewer users may fit then than without them." end;
def absent_words: [.run.lab.missing // [] | .[] | "Not on this machine: \(.)."];
def indicative: .run.settings.repeats as $r | if $r >= 5 then null else "Indicative: \(plural($r; "search"; "searches")) of each kind." end;
