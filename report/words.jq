# SPDX-License-Identifier: GPL-3.0-or-later
# words.jq - vocabulary of all reports: numbers and intervals as text, notes, what is asked of `judge`.
# An experiment's say.jq includes this file, defines title, verdict and findings, and may redefine setup and labels.
# The document is {run, schema: [columns], thresholds: [...], TABLE: [rows]}; each filter says what its input is.

# ---- a number as text (input: the number or null) ----
def fixed($decimals):
	if . == null then "" else
		(fabs * pow(10; $decimals) | round) as $n | ($n | tostring) as $digits
		| (if . < 0 and $n > 0 then "-" else "" end)
		+ if $decimals == 0 then $digits
		  else ("0" * ($decimals + 1 - ($digits | length)) // "") + $digits | .[:-$decimals] + "." + .[-$decimals:] end
	end;
def number:	# as many decimals as make sense to read
	if . == null then "" elif fabs >= 99.95 then fixed(0) elif fabs >= 0.995 or . == 0 then fixed(1)
	elif fabs >= 0.0095 then fixed(2) else fixed(4) | sub("\\.?0+$"; "") end;
def plain: if . == null then "" elif . == round then fixed(0) else fixed(3) | sub("\\.?0+$"; "") end;	# a setting: 10, 2.5
def percent:
	if . == null then "" elif . == round then fixed(0) elif . >= 99.95 and . < 100 then "99.9"
	elif fabs < 0.1 then fixed(2) else fixed(1) end;
def thousands: fixed(0) | [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",");
def plural($one; $many): "\(thousands) \(if . == 1 then $one else $many end)";
def plural($one): plural($one; $one + "s");
def and_list: if length < 2 then join("") else (.[:-1] | join(", ")) + " and " + .[-1] end;
def upper_first: (.[:1] | ascii_upcase) + .[1:];
def with_unit($unit):
	if . == null then "unknown" elif $unit == "%" then "\(percent) %" elif $unit == "ms" and fabs >= 9950 then
		"\(. / 1000 | number) s"
	elif $unit == "" or $unit == "/s" then number + $unit else "\(number) \($unit)" end;

# ---- a figure of a column NAME (input: a row), by NAME_low, _high, _both, _above, _from, _to and _why if there ----
# value: the one number, null for a range; from and to: the ends of a range, `to` null where no late end is known; low and high: the
# interval; both: the values of two repeats, which have no interval; above: only a lower bound, which has no high end; least: below
# it the probe cannot tell (NAME_least, of `resolve`); why: the reason of absence.
def unit_of($name):
	$name / "_" | if length < 2 then "" elif .[-1] == "percent" then "%" elif .[-2:] == ["per", "s"] then "/s"
		else .[-1] | select(IN("ms", "s", "us", "bytes", "kib", "mib")) // "" end;
def figure($name): {value: .[$name], from: .[$name + "_from"], to: .[$name + "_to"], low: .[$name + "_low"],
	high: (if .[$name + "_above"] == 1 then null else .[$name + "_high"] end),
	both: ((.[$name + "_both"] | values / " " | map(tonumber)) // null), above: (.[$name + "_above"] == 1),
	least: .[$name + "_least"], why: (.[$name + "_why"] // if .repeats == 0 then "not measured" else null end),
	repeats, unit: unit_of($name)};
# The least and the most that the true figure can be (input: a figure); null: absent. Of a lower bound the most is infinite.
def at_least: .value // .from;
def at_most: if at_least == null then null elif .above then infinite else .value // .to end;
def is_range: .value == null and .to != null;
def is_unresolved: .least != null and at_most != null and (at_most | fabs) < .least;
def why_words: {"overloaded": "overloaded", "too few": "too few keys", "failed": "failed", "range": "only a range",
	"resolution": "below the probe's error"}[. // ""] // . // "n/a";
def range_words($low; $high; $unit; words):
	if $unit == "%" then "\($low | percent) to \($high | percent) %"
	elif $unit == "ms" and ($high | fabs) >= 9950 then range_words($low / 1000; $high / 1000; "s"; words)
	else "\($low | words) to \($high | words)\(if $unit == "" or $unit == "/s" then $unit else " \($unit)" end)" end;
def range_words($low; $high; $unit): range_words($low; $high; $unit; number);
def interval($low; $high; $unit; words):
	if $low == null or $high == null then "" else " (95 % CI \(range_words($low; $high; $unit; words)))" end;
def interval($low; $high; $unit): interval($low; $high; $unit; number);
def figure_words:	# "19.1 ms", "12.5 to 201 ms", "more than 812 ms", "less than 0.4 ms"; input: a figure
	.unit as $unit | if at_least == null then if .why then "unknown (\(.why | why_words))" else "unknown" end
	elif is_unresolved then "less than \(.least | with_unit($unit))"
	elif .above then "more than \(at_least | with_unit($unit))"
	elif is_range then range_words(.from; .to; $unit) | sub("^(?<both>[^ ]+) to \\k<both>(?= |/|$)"; .both)
	else .value | with_unit($unit) end;
# With as many decimals as the value has. Two repeats give no interval: both values instead.
def figure_interval: (at_least // 0) as $v | if is_unresolved then "" else
	(if .unit == "ms" and (.high // .both[1] // 0 | fabs) >= 9950 then $v / 1000 else $v end | number
		| (split(".")[1] // "" | length)) as $decimals
	| def words: if $v == 0 then number else fixed($decimals) end;
	  if .both then " (two repeats: \(range_words(.both[0]; .both[1]; .unit; words) | sub(" to "; " and ")))"
	  else interval(.low; .high; .unit; words) end end;
# ", 20 % without a response" (input: a row); "" without such keys.
def unanswered_words: if (.unanswered // 0) > 0 and (.keys // 0) > 0
	then ", \(100 * .unanswered / .keys | percent) % without a response" else "" end;
# Two repeats of which only ranges are known (input: a row). A largest value never has an interval.
def lacks_interval($name): .repeats == 2 and has($name + "_low") and .[$name + "_low"] == null and ($name | test("max") | not)
	and (figure($name) | at_least != null and .both == null);
def level($name):	# "19.1 ms (95 % CI 18.8 to 19.3 ms)"; input: a row
	(figure($name) | figure_words + figure_interval) + if lacks_interval($name) then " (2 repeats: no interval)" else "" end;

# ---- requests of a row that failed ----
def failed_requests: (.errors // 0) + (.timeouts // 0) + (.unanswered // 0);
# Where more than one request in twenty failed, the mean of the others says nothing of a response.
def mostly_answered: 19 * failed_requests <= .requests;
# What is only known of answered keys and requests, where more than one in twenty had no answer.
def is_of_answered($name): (.unanswered // .censored // 0) as $keys | (if .requests then failed_requests else $keys end) as $failed
	| 20 * $failed > (if .requests then .requests + $failed else .keys end // 0) and (.requests as $requests
		| $name | test(if $requests then "^((response|p[0-9]+|max)_ms|late_percent)$" else "stall|_gap|jitter|updates_per" end));
def failed_words: (.requests + failed_requests) as $of | "\(failed_requests | thousands) of \($of | plural("request")) failed";

# ---- claims: what `judge --claims` decides before words are made of it (report.sh) ----
# A claim is a row of claims/1: its kind, how many share the 95 %, and one or two figures with their numbers of repeats.
def claim($kind; $share; $a; $b): [$kind, $share, ($a, $b | at_least, (if .above then null else at_most end), .low, .high,
	.repeats)] | map(. // "" | tostring) | join("\t");
# The claims of an experiment (input: the document), and what was decided of one: {verdict, value, low, high}, or null.
def claims: empty;
# (Input: judge's report. + 0: jq 1.7 writes a number as it was read.)
def answers($claims): [$claims, (.result.claims // [] | map(map_values(if type == "number" then . + 0 else . end)))]
	| transpose | map({key: .[0], value: .[1]}) | from_entries;
def decided($doc; $claim): $doc.judged[$claim] | if .verdict == "cannot tell" then null else . end;
def holds: . != null and .verdict == "holds";
# What is asked of rows: `decisions` of an experiment gives the document with ask({NAME: claim}) in rows; they then have as NAME
# what `is` gives of a claim: "yes", "no" or null (cannot tell), or of a multiple its figure.
def is($judged): $judged[.] | if .kind == "times" then {value, low, high} else {holds: "yes", fails: "no"}[.verdict // ""] end;
def decisions: .;
def ask($claims): . + {"?": $claims};	# (no column has that name)
def questions(decisions): decisions[] | arrays | .[] | objects | .["?"] // empty | .[];
def answered(decisions; $judged): .judged = $judged | decisions | map_values(if type == "array" then
	map(if type == "object" and .["?"] then . + (.["?"] | map_values(is($judged))) | del(.["?"]) else . end) else . end);
def sure_verdict($answer): {yes: "bad", no: "good"}[$answer // ""] // "unsure";	# of what is bad
# Is the figure surely more than the other one? Of two repeats both values count, of which judge makes an interval; of other figures
# of two repeats, such as a median of many starts, it takes the interval as it is.
def with_both: if .both then .low //= (.both | min) | .high //= (.both | max) | .repeats = 2
	elif .repeats == 2 then .repeats = null else . end;
def exceeds($a; $b): claim("above"; 1; $a | with_both; $b | with_both);
# Is a row's figure surely above a number; is a figure in a range; is a row's within a share and so much more of a number (or null)?
def above($name; $limit): exceeds(figure($name); {value: $limit});
def within($a; $from; $to): claim("within"; 1; $a | with_both; {$from, $to});
def near($name; $value; $share; $more): [$value | values | (fabs * $share + $more) as $by | . - $by, . + $by] as [$from, $to]
	| within(figure($name); $from; $to);
def off($a; $b; $percent): claim("off \($percent)"; 1; $a | with_both; $b | with_both);	# by at most so many percent?
# Of what was decided of a claim, one of three; and of several claims, what holds of all.
def by_verdict($holds; $fails; $untold): {holds: $holds, fails: $fails}[.verdict // ""] // $untold;
def of_all: {verdict: (map(.verdict) | if any(. == "fails") then "fails" elif all(. == "holds") then "holds" else null end)};
# Of a figure only what its interval says, or only what it is without one; a number or a figure, so many times.
def interval_alone: {from: .low, to: .high};
def without_interval: {value, from, to, above};
def scaled($by): if . == null then null elif type == "number" then . * $by
	else (.value, .from, .to, .low, .high, .both[]?) |= scaled($by) end;
# (The interval of a percentile, a share of keys or a median of starts is of the keys or starts of all repeats together, not of
# Student's t over the repeats.)
def differs($a; $b; $name; $pairs): def one: figure($name) | if .repeats > 2 and ($name
		| test("(^|_)p[0-9]{2,3}(_|$)|^late_(share_)?percent|^(startup|event|t0_(warm|cold)|used|left)_ms"))
		then .repeats = null else . end;
	claim("differs"; $pairs; $a | one; $b | one);
def multiple($a; $b): claim("times"; 1; $a; $b);
# Is a known floor of a value (input: a number) at least this share of it, and no more than it?
def floor_is($share; $floor): . as $ms | within({value: $floor}; $ms | scaled($share); $ms | scaled(1.1));

# ---- tables of the page ----
# The columns of a table of the run: NAME? only where its values differ; TABLE:NAME from the row of that table with the same first
# column. In $more, by: a column whose values are headings; only: a column whose rows with 0 or nothing are left out; rank: the
# column that ranks the rows, at: where ({axis: "least", "most" or a value}); breaks: [axis, column, limit], the first row of each
# group where the column is surely above the limit, a number or "threshold"; floor: the column of medians that may for the most part
# be the display server's own wait.
def view($id; $table; $title; $more; $columns): {$id, $table, $title, columns: ($columns / " ")} + $more;

# ---- findings ----
# id: stable words; text: Markdown, a bold verdict first; about: a figure with verdict (good, bad, none, unsure) and figure (stem of
# the SVG that shows it).
def finding($id; $text; $about):
	{id: $id, text: $text, value: $about.value, from: $about.from, to: $about.to, low: $about.low, high: $about.high,
	 above: ($about.above == true), unit: $about.unit, verdict: ($about.verdict // "none"), figure: $about.figure};
def threshold: .run.settings.threshold_ms // 100;
def threshold_source: .run.settings.threshold as $name | first((.thresholds // [])[] | select(.name == $name) | .source) // null;
# A time such as 2.5ms, in ms.
def time_ms: capture("^(?<n>[0-9.]+)(?<u>us|ms|s)$") | (.n | tonumber) * {us: 1e-3, ms: 1, s: 1e3}[.u];
# A window of another's server: at least one of several runs, or all.
def attached: any((.run.runs // [.run.settings])[]; .on // "" | startswith("attach:"));
def all_attached: all((.run.runs // [.run.settings])[]; .on // "" | startswith("attach:"));
def nothing_measured: "No condition has a complete measurement, so there are no findings yet.";
def no_baseline: "The baseline was not measured, so there is nothing to compare with.";
def measured_rows($table): [.[$table] // [] | .[] | select((.repeats // 1) > 0)];
def distinct(value): reduce (.[] | value) as $v ([]; if index([$v]) then . else . + [$v] end);

# ---- notes (input: the document); null: nothing to say ----
def in_guest: .run.settings.place == "guest";	# no client takes part
def shared_note: in_guest as $alone | .run.lab // {} | if .shared_cpus != true or $alone then null
	elif .cpus_server == .cpus_client and .cpus_server != null then
		"Server and client shared CPUs, so latencies are upper bounds."
	elif ((.cpus_client // "-") / ",") - ((.cpus_server // "") / ",") == [] then
		"The client had CPU \(.cpus_client), one of the server's; cells in which it took too much are flagged."
	else "Other labs were allowed to use the same CPUs: their work is part of these figures." end;
def incomplete_note: .run | if (.state // "unknown") == "complete" then null else
	"(\(.state // "unknown")\(if .reason then ": \(.reason)" else "" end))" as $state | .counts
	| if .total != null and .complete == .total then "**Ended early** \($state), after all \(.total) measurements were made."
	  else "**Incomplete** \($state): \(.complete // "?") of \(.total // "?") measurements were made. What is missing may change the"
		+ " findings." end end;
# The command of the run with more repeats, into a folder of its own; and the minutes that it takes.
def again_command: .run | select(.runs == null) | .command // "" | select(startswith("thinprobe "))
	| gsub(" ((--rep[a-z]*|--res[a-z]*|--ou[a-z-]*)(=| +)|-o(=| *))('[^']*'|([^ \\\\]|\\\\.)+)"; "") + " --repeat 5";
def again_minutes: [.run | try (.measured_s * .counts.total / .counts.complete / 60 * 5 / .settings.repeats | ceil
	| select(. > 0)) catch null] | .[0];
def repeats_words: [.run.runs // [.run.settings] | .[].repeats | values] | unique | select(. != [])
	| if length > 1 then "\(min) to \(max | plural("repeat"))" else .[0] | plural("repeat") end;
def preliminary_note: . as $doc | .run.settings.repeats 
	| if . == null or . >= ($doc.run.settings.repeats_needed // 5) then null else
	"**Preliminary**: \($doc | repeats_words) per condition. Use 5 or more before you rely on this"
		+ ([$doc | again_command] | if $doc.run.sweep then " (`repeat 5` in the sweep's file)." elif . == [] then
			" (`--repeat 5`)." else
			": `\(.[0])`" + ($doc | again_minutes | if . == null then "" else " (about \(plural("minute")))" end)
				+ "." end) end;
def measured_cells: [.run.cells // [] | .[] | select(.state != "missing")];
def flagged_cells: measured_cells | map(select((.flags // []) != []));
def mostly_flagged: (flagged_cells | length) * 2 > (measured_cells | length);
# Of several runs in one report: the name of the run in that of a cell or system; the document of the runs $names; those of which
# most conditions were disturbed; and the document without them, which verdict, findings and comparisons are made of.
def run_name: split("/")[-1] | split(".")[0];
def of_runs($names): map_values(if type == "array" then map(select(.run_name // .run | . == null or IN($names[]))) else . end)
	| .run |= (.runs |= map(select(.name | IN($names[]))) | .cells |= map(select(.name | run_name | IN($names[])))
		| .settings.protocols |= map(select(run_name | IN($names[])))
		| .protocols |= with_entries(select(.key | run_name | IN($names[]))));
# An experiment without protocols speaks of one run at a time: the document of one, as its own report has it, without its name.
def one_by_one: .run.joined // "protocol" | . != "protocol";
def only_run($name): .run.joined as $axis | of_runs([$name]) | .run = .run.runs[0].run
	| map_values(if type == "array" then map(reduce ($axis, "protocol", "cell") as $c (.;
		if .[$c] | type == "string" then .[$c] |= (. / "/\($name)" | join("")) else . end)) else . end);
def each_run(words): . as $doc | .run.runs[].name | . as $name | $doc | only_run($name) | words | {$name, words: .};
# The settings of the run that a system is of.
def settings_of($system): .run
	| .settings + ((.differs // {}) | with_entries(.value |= .[$system | run_name] | select(.value != null)));
def disturbed_runs: . as $doc | [.run.runs[]?.name | . as $name | select($doc | of_runs([$name]) | mostly_flagged)];
def disturbed: if .run.runs then disturbed_runs == [.run.runs[].name] else mostly_flagged end;
def undisturbed_runs: disturbed_runs as $out | if $out == [] or disturbed then . else of_runs([.run.runs[].name] - $out) end;
def is_foreign: contains("foreign CPU time");	# a flag of cells.sh
def by_others: map(select(any(.flags[]; is_foreign)));
# Why cells are flagged, each reason once.
def flag_words: reduce (.[].flags[] | split("; ")[] | select(. != "")) as $flag ([];
		($flag | if is_foreign then "other processes or the hypervisor took too much of the server's CPUs" else . end) as $words
		| if index([$words]) then . else . + [$words] end)
	| (.[:3] | join("; ")) + if length > 3 then "; and \(length - 3) more" else "" end;
# Why nothing can be concluded: most conditions were disturbed, or none could keep up. null: something can.
def unusable: measured_cells as $cells | (flagged_cells | by_others) as $flagged | measured_rows("summary") as $rows
	| if disturbed and ($flagged | length) * 2 <= ($cells | length) then
		"\(flagged_cells | length) of \($cells | length | plural("condition")) \(if ($cells | length) == 1 then "is" else "are" end)"
			+ " flagged: \(flagged_cells | flag_words)."
	  elif disturbed then
		(flagged_cells | map(.flags |= map(split("; ")[] | select(is_foreign | not))) | flag_words) as $also
		| ([$rows[].steal_percent_max // 0] | max // 0) as $stolen
		| ([$rows[] | if $stolen < 1 then .foreign_percent_max else .disturbed_percent_max // .foreign_percent_max end
			| values] | max)
			as $most
		| "other processes\(if $stolen < 1 then "" else " and the hypervisor" end) took "
			+ (if $most == null then "too much" else "up to \($most | percent) %" end)
				+ " of the server's CPUs, in \($flagged | length) of"
			+ " \($cells | length | plural("condition")). Repeat it on a quiet machine."
			+ (if $also == "" then "" else " Also flagged: \($also)." end)
	  elif $rows != [] and all($rows[]; (.overloaded // 0) > 0) then
		"the server cannot keep up with the keys\(if any($rows[]; .overloaded < (.repeats // 0)) then " in repeats of each"
			else " in any" end) condition (overloaded), so there is no response time."
	  else null end;
def unusable_runs: if disturbed then empty else disturbed_runs[] as $name | "\($name): \(of_runs([$name]) | unusable)" end;
def unusable_runs_note: [unusable_runs] as $why | if $why == [] then null else
	"**Not usable**: \($why | join(" ")) Verdict and findings leave out \(disturbed_runs | and_list)." end;
def flagged_note: . as $doc | if disturbed then null else
	def count: (flagged_cells | length) as $n | select($n > 0) | "\($n) of \(.run.cells | length | plural("condition"))";
	[if .run.runs then ([.run.runs[].name] - disturbed_runs)[] as $name | of_runs([$name]) | count | "\(.) of \($name)"
		else count end]
	| if . == [] then null else "**Flagged**: in \(and_list), "
		+ ($doc | undisturbed_runs | flagged_cells | flag_words as $words | if all(.[].flags[]; is_foreign and (contains("; ") | not))
			then "\($words) in at least one repeat." else "in at least one repeat: \($words)." end) end end;
def missing_cells: [.run.cells // [] | .[] | select(.state == "missing") | .name];
def missing_note: missing_cells | if . == [] then null else
	"**Missing**: no complete measurement of \(.[:6] | join(", "))"
		+ (if length > 6 then " and \(length - 6) more." else "." end) end;
# Of a kept run whose samples were too large (thinprobe gallery).
def kept_note: .run | (.cells // [] | length) as $all | .kept | objects | select((.left_out_bytes // 0) > 0)
	| "**Samples left out**: those of \(.conditions // 0) of \($all | plural("condition")) are kept with this run; "
		+ "its tables and figures were made from all.";
# Of several runs in one report: which they are, and what was set otherwise in some.
def runs_note: .run.runs | values | "**\(length) runs in one report**: "
	+ (map("\(.name) (\([.host, (.started // "" | .[:16] | sub("T"; " "))] - [null, .name] | join(", ")))") | and_list) + ".";
# Of objects only what differs.
def unlike: if all(.[]; type == "object") | not then . else
	map_values([paths(scalars) as $p | {($p | map(tostring) | join(" ")): getpath($p)}] | add // {}) | . as $all
	| map_values(with_entries(.key as $key | select([$all[][$key]] | unique | length > 1))
		| to_entries | map("\(.key | gsub("_"; " ")) \(.value)") | join(", ")) end;
def differs_note: .run.differs // {} | select(. != {}) | "**Not alike**: " + ([to_entries[] | "\(.key | gsub("_"; " ")) "
	+ ([.value | unlike | to_entries[] | "\(.value | if type == "array" then map(tostring) | join(" ")
		else tostring end) (\(.key))"] | and_list)] | join("; "))
	+ ". What differs between the runs may come from this.";
# Figures that summarize refused, of a mistake in measuring or computing.
def impossible_note: . as $doc | [.impossible // [] | .[] | . as $row
		| ([$doc.schema[] | select(.table == $row.table and .column == $row.metric).heading] | first // $row.metric)
		+ ([$doc.run.axes // [] | .[] as $axis | $row[$axis] | values] | if . == [] then "" else " (\(join(", ")))" end)]
	| if . == [] then null else
		"**Left out as impossible**: \(.[:6] | and_list)\(if length > 6 then ", and \(length - 6) more" else "" end). Please report "
			+ "it: only a mistake of thinprobe makes a negative time, or a figure outside its interval." end;
# Without the lab's hosts, or without a view of the kernel's threads.
def unwatched_note: if .run.unwatched != true then null else "**Interference unknown**: what other processes took of the "
	+ "server's CPUs was not watched, so no condition is flagged for it. Take verdicts as preliminary." end;
def notes: [incomplete_note, missing_note, impossible_note, kept_note // null, runs_note // null, differs_note // null,
	preliminary_note, unwatched_note, unusable_runs_note, flagged_note, shared_note]
	| map(values);
def not_here: in_guest as $alone | [(.run.host, .run.lab, .run) | objects | (.missing, .cannot, .not_here) | values
	| if type == "object" then to_entries[] | "\(.key): \(.value)" elif type == "array" then .[] | if type == "object" then
		"\(.what // .name): \(.why)" else tostring end
	  else tostring end | select(($alone and contains("client_percent")) | not)];

# ---- what was set up (input: the document) ----
def link_words: .run.settings.link as $link | if $link == null then null
	elif any((.run.runs // [.run.settings])[]; .on // "lab" | . != "lab") then "the link as it is" elif $link == "none" then
	"a link without a limit" else
	$link | split(",") | map(sub("(?<n>[0-9])(?<u>us|ms|s)$"; "\(.n) \(.u)")) | (.[1:3][] |= if . == "0" then null else . end)
		| (.[0] | split("/") | map(sub("(?<n>[0-9])(?<u>[KMG]?)bit"; "\(.n) \(.u)bit/s"))
			| if .[1] then "\(.[0]) to the client and \(.[1]) from it" elif .[0] == "none" then "a link without a rate limit"
				else .[0] end)
		+ (if .[1] then ", \(.[1])\(if .[2] then " ± \(.[2])" else "" end) of delay" else "" end)
		+ ((.[3] // "0" | rtrimstr("%") | tonumber) as $loss | (if $loss > 0 then ", \($loss) % of loss" else "" end)
			+ (if .[1] or $loss > 0 then " each way" else "" end)) end;
def protocols: .run.settings | .protocols // [.protocol | values];	# that were asked for, as far as they can run here
def protocol_words:
	if attached and .run.runs == null then
		(.run.protocol | if .window == null then .title else "window \"\(.title // "?")\"" end) + " of a server that others run"
	elif .run.protocol.server then [.run.protocol.server, .run.protocol.version] | map(values | select(. != "")) | join(" ")
	else protocols | if . == [] then null else join(", ") end end;
def run_words: if .run.runs then "\(.run.runs | length) runs" else
	"run of \(.run.started // "?" | .[:16] | sub("T"; " ")), \(.run.state // "state unknown")" end;
def sentence: map(values | select(. != "")) | join("; ") + ".";
def setup: [protocol_words, link_words, repeats_words, run_words] | sentence;
def words_for(words): map({key: ., value: words}) | from_entries;	# the words of each value of a list, for labels
# Words for columns and values: {heading: {COLUMN: text}, value: {COLUMN: {VALUE: text}}}.
def labels: {};
# The document with NAME_least in its rows, where the probe's error is known.
def resolve: .;
