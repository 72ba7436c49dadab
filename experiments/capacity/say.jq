# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run that looked for the most users found.
include "words";

def systems: .points // [] | distinct(.system);
def app_words($cost): {light: "vim", heavy: (if $cost == null then "the heavy application"
	else "an editor that computes \($cost | plain) ms per redraw" end)};
def words_of($system): app_words(settings_of($system).cost_ms) as $apps
	| $system | split(".") as $p | "\($apps[$p[-1]] // $p[-1]) over \($p[:-1] | join("."))" | upper_first;
def criterion_words($t): if startswith("p95:") then "95 % of the keys answered within \(.[4:] | rtrimstr("ms")) ms"
	else "an Apdex of \(.[6:]) (T = \($t | plain) ms)" end;
def labels: threshold as $t | app_words(.run.settings.cost_ms) as $apps
	| {value: {app: $apps, criterion: (.run.settings.criteria // [] | words_for(criterion_words($t)))}};
def title: "How many users fit: \(.run.settings.protocols // [] | and_list)";
def setup: [link_words, (.run.settings as $set | [$set.apps // [] | .[] | app_words($set.cost_ms)[.] // .] | and_list),
	(repeats_words | sub("repeats"; "searches") | sub("repeat"; "search")),
	run_words] | sentence;

# What the searches found for the user in front: the least and the most of them; both where there are two. "At least": one found no
# limit, since --most held, or since it ended for another reason.
def open_above: .reached < .repeats;
def most_words:
	open_above as $open
	| (if $open and .users_max == .users_min then "at least \(.users_min | plain)"
	   elif .users_min == .users_max then .users_min | plain
	   else "\(.users_min | plain) \(if .repeats == 2 then "and" else "to" end) \(if $open then "at least " else "" end)\(.users_max
		| plain)" end)
	+ (if .users_max == 1 and $open == false then " user" else " users" end);
# The number to plan for: with it, and with each fewer number that was measured, every user met the criterion in each search. Runs
# that do not have it: the least of the searches, for the user in front.
def planned: .plan // .users_min;
def plan_words: if planned == 0 then "not one user supported" else
	"plan for \(if .reached == 0 and planned == .users_min then "at least " else "" end)\(planned | plural("user"))" end;
def plan_rule($t):
	(if .plan == null then "the user in front" else "every user" end) as $whose
		| (.criterion | criterion_words($t)) as $criterion
	| (if .repeats == 1 then "the one search" elif .repeats == 2 then "both searches"
		else "each of \(.repeats) searches" end) as $all
	| (if planned == 0 then ": \($criterion) was not met for \($whose) in \(
			if .repeats == 1 or .users_max == 0 then $all else "one or more of the \(.repeats) searches" end)"
		else ": \($all) found \(planned | plain) or more users with whom, in most tries, \($whose) had \($criterion)" end)
	+ (if .plan == null then " (\(most_words))" else " (the user in front: \(most_words))" end);
def of($system): [(.points // [])[] | select(.system == $system)];
def rows_of($system): [(.summary // [])[] | select(.system == $system and .repeats > 0)];
# Numbers between that to plan for and the next that was measured.
def gap_words($rows): planned as $n | ([$rows[].users | select(. > $n)] | min) as $next
	| if $n == 0 or $next == null or $next == $n + 1 then ""
	  else "; \($n + 1 | plain)\(if $next == $n + 2 then "" else " to \($next - 1 | plain)" end) users were not measured" end;
# The rules of a limit over the searches: those that were full in most of them first.
def compared($system; $criterion): [(.compare // [])[] | select(.system == $system and .criterion == $criterion)];
def sides($system; $criterion): compared($system; $criterion) | group_by([.name, .unit])
	| map(. as $rows | .[0] + {full: (map(.full) | add), users_bad: ([$rows[] | select(.full > 0) | .users_bad] | unique),
		bad: ([$rows[] | select(.full > 0) | .bad | values] | if . == [] then null else add / length end)})
	| map(select(.full > 0)) | sort_by(- .full);
def bold($system; $text): "**\(if .run.runs == null and (systems | length == 1) then $text | upper_first
	else "\(words_of($system)): \($text)" end)**";
def id($system): $system | gsub("[^a-zA-Z0-9]+"; "-");

def verdict: threshold as $t | (if systems | length > 1 then "; b" else ". B" end) as $join
	| [systems[] as $s | words_of($s) as $words | rows_of($s) as $rows | of($s)[0]
		| "\($words): \(plan_words)\(plan_rule($t))\(gap_words($rows))"
			+ (.limit // "" | if . == "" then "." else "\($join)ottleneck one step beyond these: \(.)." end)]
	| if . == [] then nothing_measured else join(" ") end;

def users_words($searches): if . == null or .median_p95_ms == null then "" else
	" With \(.users | plural("user")), 95 % of the keys of the user in front were answered within"
		+ " \(figure("p95_ms") | figure_words), of the median user within \(.median_p95_ms | with_unit("ms")), and of the slowest"
		+ " within \(.all_p95_ms | with_unit("ms")) (\(if .repeats == $searches then "means over the searches"
			elif .repeats == 1 then "in the one search with \(.users | plural("user"))"
			else "means over the \(.repeats) searches with \(.users | plural("user"))" end))." end;
def fit($system): threshold as $t | of($system) as $limits | $limits[0] as $first | select($first)
	| rows_of($system) as $rows | first(($rows[] | select(.users == ($first | planned))), null) as $row
	| finding("most-\(id($system))"; bold($system; $first | plan_words)
		+ ($first | plan_rule($t) + gap_words($rows))
		+ ([$limits[1:][] | ". \(plan_words | upper_first)\(plan_rule($t))\(gap_words($rows))"] | join(""))
			+ "."
		+ ($row | users_words($first.repeats))
		+ (if ($first.untold // 0) == 0 then "" else " In \($first.untold | plain) of \($first.repeats | plural("search"; "searches"))"
			+ " the limit is by the late ends of ranges: with the early ends, more users may fit." end)
		+ (if $first.users_min > 0 then "" else
			" In some searches even one user alone was too slow: application, display server or machine is too slow." end)
		+ (if $first.reached == 0 and ($first.ended // "") != "" then " \($first.ended | rtrimstr(".") | upper_first)." else "" end);
		{value: ($first | planned), unit: "users", figure: "users",
			verdict: (if $first.users_min == 0 then "bad" else "none" end)});

def busy: .server_busy_percent | percent;
def cpu_words: if .wait_ms == null or .more_ms == null then "the server's CPU was \(busy) % busy"
	else "a response took \(.more_ms | with_unit("ms")) longer than with one user, and waited \(.wait_ms | with_unit("ms")) for a CPU"
		+ " of the server, which was \(busy) % busy" end;
def full($system): first(of($system)[] | select(.limit != null and .reached > 0)) as $l
	| sides($system; $l.criterion) as $sides
	| ([compared($system; $l.criterion)[] | .users_bad | values] | min) as $bad
	| first((rows_of($system)[] | select(.users == $bad)), null) as $row
	| finding("full-\(id($system))"; bold($system; "bottleneck one step beyond: \($l.limit)")
		+ (if $l.ended == null then "" else " (\($l.ended | rtrimstr(".")))" end)
		+ (if $row == null then "" else ". With \($bad | plural("user")), \($row | cpu_words)" end)
		+ ([$sides[] | select(.name != "CPU" and .bad != null)
			| "\(.name): \(.bad | number) \(.unit) with \(.users_bad | map(tostring) | and_list) users, limit \(.at_least | plain)"]
			| if . == [] then "" else "; " + join("; ") end) + ".";
		($row // {} | figure("server_busy_percent"))
			+ {verdict: (if $l.limit | test("unexplained") then "unsure" else "none" end), figure: "delay"});

def no_queue: (.limit // "") as $limit
	| any("memory", "link", "viewers", "alone", "session", "displays", "processes", "run queue", "unexplained";
		. as $word | $limit | contains($word));
# Does the forecast agree with the searches (input: a row of points)? Its interval meets what they found, and holds the plan.
# Searches that differ by more than a factor of two, and an interval to more than twice its low end, would agree with anything.
def decisions: (.slope[]? |= ask({rises: exceeds(figure("slope") | interval_alone; {value: 0})}))
	| .points[]? |= ((figure("forecast") | interval_alone) as $forecast
	| {from: .users_min, to: (if open_above then null else .users_max end)} as $found
	| ask({more_found: exceeds($found; $forecast), less_found: exceeds($forecast; $found),
		wide: exceeds({value: .forecast_high}; {value: (2 * ([.forecast_low, 1] | max))}),
		differ: exceeds({value: .users_max}; {value: (2 * ([.users_min, 1] | max))}),
		as_planned: within({value: planned}; .forecast_low; .forecast_high)}));
def came_out: if .forecast == null then "none" elif .forecast_low == null then "bare"
	elif .more_found == "yes" or .less_found == "yes" then "bad" elif .wide != "no" then "wide"
	elif open_above then "open" elif .differ == "yes" then "differ" elif .as_planned == "no" then "unplanned" else "good" end;
def forecast_words($t): "\(.criterion | criterion_words($t)): "
	+ if .forecast == null then "none (\(.forecast_why // "?"))" else
	"\(.forecast | plural("user"))\(interval(.forecast_low; .forecast_high; "users"; plain)), found \(most_words)"
		+ {good: "", bad: ", which differs", bare: ", without an interval", wide: ", an interval too wide to tell",
			open: ": a search found no limit, cannot tell", differ: ": the searches disagree, cannot tell",
			unplanned: ", but the plan is \(planned | plural("user"))"}[came_out] end;
def foretold($system): . as $doc | threshold as $t | [of($system)[] | select(.users_max > 0)] as $all
	| select($all != [])
	| [$all[] | select(.forecast != null)] as $with | [$with[] | select(came_out == "good")] as $good | $with[0] as $f
	| finding("forecast-\(id($system))"; (if $f == null then ($doc | bold($system; "no forecast"))
		+ ": \($all[0].forecast_why // "?")"
		else ($doc | bold($system; "the forecast from the first third of the curve agrees with searches and plan for \($good | length)"
			+ " of \($all | length | plural("criterion"; "criteria"))"))
		+ ", for the user in front. \($all | map(forecast_words($t)) | join("; "))"
		+ (if $f.forecast_of == "CPU" then "" else ". By the forecast, \($f.forecast_of) is the first bottleneck" end)
		+ (if $f.reached == 0 or ($f | no_queue | not) then "" else
			". The forecast holds for CPUs only, and the bottleneck found is \($f.limit)" end) end) + ".";
		($f // {} | figure("forecast")) + {unit: "users", figure: "users", verdict: (
			if any($all[]; came_out == "bad") then "bad" elif ($good | length) == ($all | length) then "good"
				else "unsure" end)});

def needs($system): first((.slope // [])[]
		| select(.system == $system and .name == "CPU" and .users != null and .rises == "yes")) as $l
	| finding("need-\(id($system))"; bold($system; "a key needs \($l.slope | with_unit("ms")) of CPU time")
		+ "\(interval($l.slope_low; $l.slope_high; "ms")) by the first third of the curve."
		+ " By this slope, the CPU would be saturated with \($l.users | number) users.";
		{value: $l.slope, low: $l.slope_low, high: $l.slope_high, unit: "ms", figure: "resources"});

# The largest of several users' figures is larger by chance alone, so only that they are alike can be told.
def fair($system): threshold as $t | first(of($system)[] | select(.worst_good != null and .users_max > 1)) as $l
	| (if $l.worst_good > 1.25 then ["this run cannot tell whether response times differ between users", "unsure"]
			else ["response times are alike for all users", "good"] end) as [$how, $verdict]
	| finding("fair-\(id($system))"; bold($system; $how) + "."
		+ " With the most users for the user in front (\($l.criterion | criterion_words($t))), the 95th percentile of the slowest user is"
		+ " \($l.worst_good | fixed(2)) times that of the median user"
		+ (if $l.worst_bad == null then "." else "; one step beyond, \($l.worst_bad | fixed(2)) times." end);
		{value: $l.worst_good, unit: "", $verdict});

def findings: systems as $all
	| [fit($all[]), full($all[]), foretold($all[]), needs($all[]), fair($all[])][:5];

def views:
	view("main"; "summary"; "The user in front, and the machine"; {by: "system", breaks: ["users", "p95_ms", "threshold"]};
		"users p95_ms median_p95_ms all_p95_ms apdex server_busy_percent waiting"),
	view("most"; "points"; "The most users"; {by: "system"};
		"criterion plan users users_min users_max reached repeats? limit forecast worst_good worst_bad"),
	view("sides"; "compare"; "On both sides of the limit"; {by: "system"};
		"criterion repeat name unit at_least users_good good users_bad bad full"),
	view("needs"; "slope"; "What a key or a user needs, by the first third"; {by: "system"};
		"criterion name points none slope users"),
	view("steps"; "summary"; "All steps"; {by: "system", floor: "p50_ms"};
		"users repeats? mean_ms p50_ms late_percent worst_over_median jain own_percent more_ms wait_ms");
