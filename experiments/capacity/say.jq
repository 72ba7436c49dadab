# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run that looked for the most users found.
include "words";

def systems: .points // [] | distinct(.system);
def app_words($cost): {light: "vim", heavy: "an editor that computes \($cost // 10 | plain) ms per redraw"};
def words_of($system): app_words(.run.settings.cost_ms) as $apps
	| $system | split(".") as $p | "\($apps[$p[-1]] // $p[-1]) over \($p[:-1] | join("."))" | upper_first;
def criterion_words($t): if startswith("p95:") then "95 % of the keys answered within \(.[4:] | rtrimstr("ms")) ms"
	else "an Apdex of \(.[6:]) (T = \($t | plain) ms)" end;
def labels: threshold as $t | app_words(.run.settings.cost_ms) as $apps
	| {value: {app: $apps, criterion: (.run.settings.criteria // [] | words_for(criterion_words($t)))},
		figures: {app_light: $apps.light, app_heavy: $apps.heavy}};
def title: "How many users fit: \(.run.settings.protocols // [] | and_list)";
def setup: [link_words, (.run.settings as $set | [$set.apps // [] | .[] | app_words($set.cost_ms)[.] // .] | and_list),
	(.run.settings.repeats | values | plural("search"; "searches")),
	run_words] | sentence;

# What was found for each system, strictest criterion first, as it was asked for.
def most_words:
	(if .reached < .repeats and .users_max == .users_min then "at least \(.users | plain)"
	 elif .users_min == .users_max then .users | plain
	 else "\(.users_min | plain) to \(if .reached < .repeats then "at least " else "" end)\(.users_max | plain)" end)
	+ (if .users_max == 1 and .reached == .repeats then " user" else " users" end);
def of($system): [(.points // [])[] | select(.system == $system)];
def rows_of($system): [(.summary // [])[] | select(.system == $system and .repeats > 0)];
# The rules of a limit over the searches: those that were full in most of them first.
def compared($system; $criterion): [(.compare // [])[] | select(.system == $system and .criterion == $criterion)];
def sides($system; $criterion): compared($system; $criterion) | group_by([.name, .unit])
	| map(. as $rows | .[0] + {full: (map(.full) | add), users_bad: ([$rows[] | select(.full > 0) | .users_bad] | unique),
		bad: ([$rows[] | select(.full > 0) | .bad | values] | if . == [] then null else add / length end)})
	| map(select(.full > 0)) | sort_by(- .full);
def bold($system; $text): "**\(if systems | length == 1 then $text | upper_first else "\(words_of($system)): \($text)" end)**";
def id($system): $system | gsub("[^a-zA-Z0-9]+"; "-");

def verdict: threshold as $t | [systems[] as $s | words_of($s) as $words
		| of($s)[0] | "\($words): \(most_words) supported with \(.criterion | criterion_words($t))"] as $fit
	| if $fit == [] then nothing_measured
	  else "\($fit | join("; "))"
		+ ([(.points // [])[] | .limit | values] | if . == [] then "." else ". Bottleneck one step beyond: \(.[0])." end) end;

def fit($system): threshold as $t | of($system) as $limits | $limits[0] as $first | select($first)
	| finding("most-\(id($system))"; bold($system; $first | most_words) + " supported with \($first.criterion | criterion_words($t))"
		+ ($first | interval(.users_low; .users_high; "users"))
		+ ([$limits[1:][] | "; \(most_words) with \(.criterion | criterion_words($t))"] | join("")) + "."
		+ (if $first.users_min > 0 then "" else
			" In some searches even one user alone was too slow: application, display server or machine is too slow." end);
		($first | figure("users")) + {unit: "users", figure: "users",
			verdict: (if $first.users_min == 0 then "bad" else "none" end)});

def cpu_words: if .wait_ms == null or .more_ms == null then "the server's CPU was \(.server_busy_percent | percent) % busy"
	else "a response took \(.more_ms | with_unit("ms")) longer than with one user, and waited \(.wait_ms | with_unit("ms")) for a CPU"
		+ " of the server, which was \(.server_busy_percent | percent) % busy" end;
def full($system): . as $doc | first(of($system)[] | select(.limit != null and .reached > 0)) as $l
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
def foretold($system): . as $doc | threshold as $t | [of($system)[] | select(.users > 0)] as $all | select($all != [])
	| first(($all[] | select(.forecast != null)), null) as $f
	| finding("forecast-\(id($system))"; (if $f == null then ($doc | bold($system; "no forecast")) + ": \($all[0].forecast_why // "?")"
		else ($doc | bold($system; "forecast from the first third of the curve: \($f.forecast | plural("user"))"))
		+ " with \($f.criterion | criterion_words($t))"
		+ interval($f.forecast_low; $f.forecast_high; "users") + "; found: \($f | most_words)"
		+ (if $f.forecast_of == "CPU" then "" else ". By the forecast, \($f.forecast_of) is the first bottleneck" end)
		+ (if $f.reached == 0 or ($f | no_queue | not) then "" else
			". The forecast holds for CPUs only, and the bottleneck found is \($f.limit)" end) end) + ".";
		($f // {} | figure("forecast")) + {unit: "users", figure: "users", verdict: ($f
			| if . == null or .forecast_low == null then "unsure"
			elif .users_max >= .forecast_low and (.forecast_high == null or .users_min <= .forecast_high) then "good" else "bad" end)});

def needs($system): first((.slope // [])[]
		| select(.system == $system and .name == "CPU" and .users != null and (.slope_low // 0) > 0)) as $l
	| finding("need-\(id($system))"; bold($system; "a key needs \($l.slope | with_unit("ms")) of CPU time")
		+ "\(interval($l.slope_low; $l.slope_high; "ms")) by the first third of the curve."
		+ " The CPU would be saturated with \($l.users | number) users.";
		{value: $l.slope, low: $l.slope_low, high: $l.slope_high, unit: "ms", figure: "resources"});

def fair($system): threshold as $t | first(of($system)[] | select(.worst_good != null and .users > 1)) as $l
	| (if $l.worst_good > 2 then ["response times differ much between users", "bad"] elif $l.worst_good > 1.25 then
		["response times differ between users", "unsure"] else ["response times are alike for all users", "good"] end) as [$how, $verdict]
	| finding("fair-\(id($system))"; bold($system; $how) + "."
		+ " With the most users supported (\($l.criterion | criterion_words($t))), the 95th percentile of the slowest user is"
		+ " \($l.worst_good | fixed(2)) times that of the median user"
		+ (if $l.worst_bad == null then "." else "; one step beyond, \($l.worst_bad | fixed(2)) times." end);
		{value: $l.worst_good, unit: "", $verdict});

def findings: . as $doc | systems as $all
	| [fit($all[]), full($all[]), foretold($all[]), needs($all[]), fair($all[])][:5];
