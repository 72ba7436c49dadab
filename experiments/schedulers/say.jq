# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - effect of scheduler settings on slow responses. Findings say "better" or "worse" only with a verdict of compare.tsv.
include "words";
include "trains";

def title: "Scheduler settings against slow responses: \(protocol_words)";
def base: "default";
def loads: .run.settings.loads // [];
def main_cost: (.run.settings.full_costs_ms // [10]) as $full | (.run.settings.costs_ms // []) as $costs
	| first($full[] | select(IN($costs[]))) // ($costs | first);
def says($name): first(.run.rows // [] | .[] | select(.setting == $name) | .says) // $name;
def labels: train_labels * {value: {setting: (.run.rows // [] | map({key: .setting, value: .says}) | from_entries),
	part: {table: "every setting", length: "longer operations"}}};

def response: figure("latency_p50_ms");
def slow_end: response | at_most;
# Largest percentage of late keys with which a response counts as nearly as fast as without load. (That response is computed:
# its CPU time and the least wait of the server.)
def late_limit: 5;
def late: figure("late_share_percent");
def late_words: if (late | at_least) == null or .has_late == "no" then "" else ", \(late | figure_words) late" end;
def usable: select((.repeats // 0) > 0 and .keys > 0 and .overloaded == 0 and slow_end != null);
def tried_in($part; $app): (loads | first) as $n | main_cost as $cost
	| [.summary[] | select(.part == $part and .app == $app and .sinks == $n and ($app == "light" or .cost_ms == $cost))];
def rows_in($part; $app): tried_in($part; $app) | map(usable) | sort_by(slow_end);
def row_of($setting; $app): first(rows_in("table"; $app)[] | select(.setting == $setting)) // null;
# "overloaded in 1 of 6 repeats", if the default was.
def default_overload: first(tried_in("table"; "heavy")[] | select(.setting == base and .overloaded > 0)
	| "overloaded in \(.overloaded) of \(.repeats | plural("repeat"))") // null;
def median: response | figure_words;
def named($doc): .setting as $s | "\($doc | says($s)) (\(median)\(late_words))";
# What judge decides of each row, as far as it has the figures, and the default of the same protocol. Nearly as fast as without load
# is within twice the sum of the redraw's CPU time and the server's minimal wait, with few late keys; if that limit is above the
# threshold, every key is late, so the share is compared with the default's. If no key was late, few were, however few were typed;
# else the whole interval counts. Alike: 80 to 125 % of the default's median.
def floor_ms: .run.protocol.floor_ms // 0;
def near_ms: 2 * (main_cost + floor_ms);
def decisions: several as $several | . as $all | threshold as $limit | .summary[]? |= (.protocol as $system
	| ($all | if $several then over($system) else . end) as $doc | ($doc | row_of(base; "heavy") // {}) as $r | response as $own
	| ($r | response | with_both | {low: (.low // at_least), high: (if .above then null else .high // at_most end)}) as $ends
	| ask({is_late: above("latency_p50_ms"; $limit), is_slow: above("latency_p50_ms"; $doc | near_ms),
		has_late: exceeds(late | if at_most == 0 then without_interval else . end; {value: late_limit}),
		has_more_late: exceeds(late; $r | late),
		all_late: exceeds({value: ($doc | near_ms)}; {value: $limit}),
		is_alike: within($own; $ends.high | scaled(0.8); $ends.low | scaled(1.25)), is_slower: exceeds($own; $r | response),
		takes_half: exceeds($own | without_interval; {value: ($r | response | at_least | scaled(0.5))}),
		is_long: exceeds($own | without_interval; {value: (2 * (.cost_ms // 0) + ($doc | floor_ms) + 5)})}));
def others: rows_in("table"; "heavy") | map(select(.setting != base));
def as_without_load: rows_in("table"; "heavy")
	| map(select(.is_slow == "no" and (.has_late == "no"
		or ((late | at_least) != null and .all_late == "yes" and .has_more_late != "yes"))));
def helpful: as_without_load | map(select(.setting != base));
def unneeded: as_without_load | any(.setting == base);
def verdicts: main_cost as $cost | (loads | first) as $n
	| [.compare // [] | .[] | select(.part == "table" and .app == "heavy" and .cost_ms == $cost and .sinks == $n
		and .verdict != "too few runs")];
def overloaded: . as $doc | [.summary[] | select(.part == "table" and .app == "heavy" and .overloaded > 0).setting] | unique
	| map(. as $s | $doc | says($s)) | if . == [] then "" else " Overloaded, so without a median: \(and_list)." end;

def by_default: row_of(base; "heavy") as $r | row_of(base; "light") as $l | (loads | first) as $n
	| if default_overload then finding("default";
		"**By default, with \($n | plural("CPU hog")), the heavy application cannot keep up**:"
			+ " \(default_overload), so there is no median."; {verdict: "bad", figure: "settings"})
	  elif $r == null then empty else finding("default";
		"**By default, with \($n | plural("CPU hog")), the median response of the heavy application is \($r | median).** With"
			+ " fair sharing, \(main_cost | plain) ms of CPU time would take \(main_cost * ($n + 1) | with_unit("ms"))."
			+ (if $l == null then "" else " Vim responds in \($l | median)." end);
		($r | response) + {figure: "settings", verdict: sure_verdict($r.is_late)}) end;
# One repeat says nothing of the next.
def repeated: response | .low != null or .both != null;
def near_words: "nearly as fast as computed without load";
def limit_words: "\(near_ms | with_unit("ms")), twice the \(near_ms / 2 | with_unit("ms")) computed without load";
def surely_words($rows): if all($rows[]; repeated) then "(95 % sure: at most \(limit_words))"
	else "(at most \(limit_words), in one repeat)" end;
# Settings without effect, and harmful ones, by the ends of both intervals (input: the document).
def ineffective: . as $doc | row_of(base; "heavy") as $r | if $r == null or ($r | repeated | not) then "" else
	(others | map(select(repeated))) as $all
	| [($all | map(select(.is_alike == "yes")) | select(. != [])
			| " Hardly any effect (80 to 125 % of the default's median): \(map(named($doc)) | and_list)."),
		($all | map(select(.is_alike != "yes" and .is_slower == "yes")) | select(. != [])
			| " Slower than the default: \(map(named($doc)) | and_list).")] | add // "" end;
def remedies: . as $doc | row_of(base; "heavy") as $r | helpful as $near | rows_in("table"; "heavy")[0] as $fastest
	| if ($r == null and default_overload == null) or others == [] then empty
	  elif unneeded then finding("remedies";
		"**No setting is needed**: by default responses are \(near_words)"
			+ " \(surely_words([$r])), \($r | median).\(ineffective)\(overloaded)";
		($r | response) + {verdict: (if $r | repeated then "good" else "unsure" end), figure: "settings"})
	  elif $near == [] then finding("remedies";
		"**No setting surely makes responses \(near_words)** (median at most \(limit_words);"
			+ " at most \(late_limit) % late). The fastest is \($fastest | named($doc)).\(ineffective)\(overloaded)";
		($fastest | response) + {figure: "settings"})
	  else finding("remedies";
		"**These settings make responses \(near_words)** \(surely_words($near)):"
		+ " \($near | map(named($doc)) | and_list).\(ineffective)\(overloaded)";
		($near[0] | response) + {verdict: (if all($near[]; repeated) then "good" else "unsure" end), figure: "settings"}) end;
def price: . as $doc | row_of(base; "heavy") as $r
	| [others[] | select(.load_share_percent != null and .takes_half == "no")]
	| if . == [] or $r.load_share_percent == null then empty else (max_by(.load_share_percent)) as $cheap
		| finding("price"; "**By default, the CPU hogs get \($r.load_share_percent | fixed(0)) % of a CPU.** Where the median is at most"
			+ " half of the default's, they get "
			+ (group_by(.load_share_percent | fixed(0) | tonumber) | reverse | map("\(.[0].load_share_percent | fixed(0)) % with "
				+ (map(.setting as $s | $doc | says($s)) | and_list)) | join("; ")) + ".";
			($cheap | figure("load_share_percent")) + {figure: "settings"}) end;

# Longer operations: a setting protects up to a length if the median is within twice the operation's CPU time plus the minimal wait
# and 5 ms. One that cannot keep up has no median.
def cannot_keep_up: (.overloaded // 0) > 0;
def lengths: . as $doc | [.summary[] | select(.part == "length") | select(cannot_keep_up), usable] | group_by(.setting)
	| map(select(length > 1) | sort_by(.cost_ms)
		| (first(range(length) as $i | select(.[$i] | cannot_keep_up or .is_long != "no") | $i) // length)
			as $lost
		| {setting: .[0].setting, to: (if $lost == 0 then 0 else .[$lost - 1].cost_ms end), most: .[-1].cost_ms})
	| select(. != []) | sort_by(-.to) | finding("length";
		"**\(if all(.to == .most) then "No operation tried is too long for the protection" else
			"Long operations lose the protection" end)** with \($doc.run.settings | .length_load // .length.sinks // "?") CPU hogs. The"
			+ " median response stays within twice the operation's own CPU time, the server's least wait and 5 ms "
		+ (map("with \(.setting as $s | $doc | says($s)) "
			+ (if .to == 0 then "at no length tried" elif .to == .most then "at every length tried"
				else "up to \(.to | plain) ms" end))
			| join("; ")) + "."
			+ if all($doc.summary[] | select(.part == "length"); .repeats == 1) then " Each length was measured once." else "" end;
		{value: .[0].to, unit: "ms", figure: "length"});
def tested: . as $doc | verdicts as $c | if $c == [] then
	finding("tested";
		"**The differences are not tested for significance**: that needs five repeats that include the default (`--repeat 5`).";
		{verdict: "unsure", figure: "settings"})
	else finding("tested"; "**Compared with the default in the same repeat**"
		+ " (the heavy application: ratio of medians; paired t test, Holm): "
		+ ([("better", "worse", "no difference shown", "too noisy", "not comparable") as $v
			| [$c[] | select(.verdict == $v)]
			| select(. != [])
			| "\($v): " + (map((.setting as $s | $doc | says($s))
				+ (if .pairs_why then " (\(.pairs_why))" else figure("ratio") | if at_least == null then ""
					elif is_range then
					" \(figure_words)" else " \(.value | fixed(2))\(interval(.low; .high; ""; fixed(2)))" end end)
				+ (.setting as $s | ($doc | row_of($s; "heavy")) // {} | late_words | if . == ""
					or $v != "better" then "" else
					" (but\(ltrimstr(",")), by default \($doc | row_of(base; "heavy") | late | figure_words))" end)) | and_list)]
			| join("; ")) + "."; ($c | min_by(figure("ratio") | at_most // 1e9) | figure("ratio"))
				+ {figure: "settings"}) end;

def verdict_of: row_of(base; "heavy") as $r | helpful as $near
	| if $r == null and default_overload == null then
		"The default setting was not measured: there is nothing to compare with." else
		(if $r then "" else "The default cannot keep up (\(default_overload)). " end)
		+ if others == [] then if $r then "Only the default was measured: its median response is \($r | median)."
				else "No other setting has a median response." end
			elif unneeded then "By default an application that needs \(main_cost | plain) ms of CPU is \(near_words)"
				+ " (\($r | median)); it needs no setting."
			elif $near == [] then "No setting tried surely makes an application that needs \(main_cost | plain) ms of CPU \(near_words)."
			else "\($near | length | plural("setting makes"; "settings make")) an application that needs \(main_cost | plain) ms of CPU"
				+ " \(near_words)"
				+ if $r then "; its median response by default is \($r | median)." else "." end end end
	+ (if verdicts == [] then " Too few repeats to test whether one is better." else "" end);
def findings_of: [by_default, remedies, price, lengths, tested][:5];

# With several protocols a finding has a sentence for each.
def over_each(words): . as $doc | [systems[] as $system | $doc | over($system) | words | .system = $system];
def verdict: if several | not then verdict_of else
	over_each({text: verdict_of}) | map("Over \(.system): \(.text)") | join(" ") end;
def findings: if several | not then findings_of else
	over_each(findings_of[]) | [distinct(.id)[] as $id | map(select(.id == $id))
		| .[0] + {text: (map("Over \(.system): \(.text)") | join(" "))} | del(.system)] end;

def views:
	view("main"; "summary"; "Response time by setting"; {by: "part"};
		"protocol? setting app cost_ms sinks latency_p50_ms latency_max_ms load_share_percent"),
	view("more"; "summary"; "More of each setting"; {by: "part"};
		"protocol? setting app cost_ms sinks late_share_percent coalesced_percent repeats marked?"),
	view("compare"; "compare"; "Against the default in the same repeat"; {by: "part"};
		"protocol? setting app cost_ms sinks pairs ratio p verdict");
