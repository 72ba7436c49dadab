# SPDX-License-Identifier: GPL-3.0-or-later
# replays.jq - what a session replayed at several settings shows, in words.
include "words";

def seconds: if . == null then "?" elif . >= 99.5 then "\(fixed(0)) s" else "\(fixed(1)) s" end;
def times: if . == null then "?" else fixed(if . >= 9.95 then 0 elif . >= 1.95 then 1 else 2 end) end;
# The interval of a column, each end in these words.
def ends($name; words):
	.[$name + "_low"] as $low | if $low == null then "" else " (95 % CI \($low | words) to \(.[$name + "_high"] | words))" end;
# A ratio of total times as percent more: +4.2, -11.
def more_percent:
	(. - 1) * 100 | if fabs < 0.05 then "0.0" else (if . > 0 then "+" else "" end)
		+ fixed(if fabs >= 9.95 then 0 else 1 end) end;

def base_row: . as $doc | first(measured_rows("summary")[] | select(.setting == $doc.run.settings.base)) // null;
def timed: .run.settings.base as $base | [measured_rows("summary")[] | select(.setting != $base and .total_ratio != null)];
def compared: timed | map(select(.ratio != null));
# How much responses differ from the base: by how many more are slower by a half than faster, or the other way round.
def change_of: .[0] - .[1] | fabs;
def change: [([.slower, .faster] | change_of), (.ratio | log | fabs)];
def farthest: compared | max_by(change);

# Zeldovich & Chandra's claim: total time stays within 1 % while responses change.
# few_moved: fewer than a tenth of the responses are slower or faster. few_more: the numbers of slower and of faster ones differ by
# less than a tenth of the responses. one_way: by an exact test these numbers differ; noise makes as many faster as slower.
# floor_ms: a wait in each response; of others' servers half the time between updates.
def floor_ms: .run.protocol.floor_ms // (.run.frame_ms | scaled(0.5));
def decisions: threshold as $limit | floor_ms as $floor
	| (.points[]? |= ask({late: above("latency_ms"; $limit), base_late: above("base_ms"; $limit)}))
	| .summary[]? |= ((figure("ratio") | interval_alone) as $ratio | ask({floor_is_most: (.p50_ms | floor_is(0.5; $floor)),
		few_moved: exceeds({value: .points}; {value: (.slower + .faster | scaled(10))}),
		few_more: exceeds({value: .points}; {value: ([.slower, .faster] | if any(. == null) then null
			else change_of | scaled(10) end)}),
		one_way: claim("share"; 1; {value: .slower, repeats: (.slower + .faster)}; {value: 50}),
		load_as_asked: near("load_reads_per_s"; .value; 0.05; 0), same_total: within({value: .total_ratio}; 0.99; 1.01),
		total_stays: within(figure("total_ratio") | interval_alone; 0.99; 1.01),
		responses_stay: within($ratio; 2 / 3; 1.5), is_slower: exceeds($ratio; {value: 1}), is_faster: exceeds({value: 1}; $ratio)}))
	| if .run.analysis_unsure then .summary[]? += {unsure: true, verdict: ""} else . end;	# nothing is decided on its responses
def total_within: .total_stays == "yes";
def same_total: total_within or .total_ratio_low == null and .same_total == "yes";
def within_unsure: if .total_ratio_low == null then " (no interval)" else "" end;
# Its interval reaches to where nothing changes.
def total_untold: .total_ratio_low != null and .total_stays != "no";
# Have responses changed by more than noise: "yes", "no" or "" (cannot tell)? Without an interval of their ratio the surplus counts.
def moved: if .unsure then "" elif .few_moved != "no" then "no" elif any(.one_way, .is_slower, .is_faster; . == "yes")
	or .ratio_low == null and .few_more == "no" then "yes" else "" end;
def kind: if same_total then {yes: "hidden", no: "unchanged"}[moved] // "noisy"
	elif total_untold then "untold" else {yes: "shown", no: "total-only"}[moved] // "total-noisy" end;
# By the interval of the ratio: slower, faster, or within the limits of a response that changed.
def kind_verdict: if .unsure or .ratio_low == null then "unsure" elif kind == "unchanged" then
		if .responses_stay == "yes" then "good" else "unsure" end
	elif .is_slower == "yes" then "bad" elif .is_faster == "yes" then "good" else "unsure" end;
def kind_words: {hidden: "Total time hides what the user feels", shown: "Total time and some of the responses change",
	untold: "This run cannot tell whether total time changes",
	unchanged: "Total time does not change, fewer than a tenth of the responses change much",
	"total-only": "Total time changes, fewer than a tenth of the responses change much",
	noisy: "Total time does not change; this run cannot tell whether responses do",
	"total-noisy": "Total time changes; this run cannot tell whether responses do"}[.];
def judged: .verdict // "" | if . == "" or . == "too few runs" then "" else ", \(.)" end;
def row_words: "with \(.says), total time changes by \(.total_ratio | more_percent) %\(ends("total_ratio"; more_percent)) "
	+ "and responses take \(.ratio | times) times as long in a replay's median\(ends("ratio"; times))\(judged); "
	+ "\(.slower) of \(.points) take at least 1.5 times, \(.faster) at most two thirds as long";
def short_words: "\(.says): \(.total_ratio | more_percent) % and \(.ratio | times) times\(ends("ratio"; times))\(judged)";
# How many responses are late at a row's setting (the input), and at the base, of those found at both: $points.
def late_words($points; $limit): .setting as $at | [$points[] | select(.setting == $at and .ratio != null)] as $both
	| def count($late): map(select(.[$late] == "yes")) | length | thousands;
	if $both == [] then "" else " Of \($both | length | plural("response")) found at both, \($both | count("late")) take over"
		+ " \($limit | plain) ms, instead of \($both | count("base_late"))." end;
def kinds: .points as $points | threshold as $limit | (base_row | .says) as $base
	| compared | group_by(kind) | sort_by(-length)[] | sort_by(change) | reverse
	| (.[0] | kind) as $kind
	| finding($kind; "**\($kind | kind_words)** (compared with \($base)): \(.[0] | row_words)."
			+ (.[0] | late_words($points // []; $limit))
			+ if length > 1 then " With \(.[1:] | map(short_words) | join("; "))." else "" end;
		(.[0] | figure("ratio")) + if $kind == "total-only" then {figure: "total"}
			else {verdict: (.[0] | kind_verdict), figure: "ratio"} end);

def input_words($doc): ($doc.run.inputs // {})["\(.input)"] // "the \(.kind), input \(.input)";
def most_grown: . as $doc | farthest as $far
	| [$doc.points // [] | .[] | select(.setting == $far.setting and .ratio != null)] as $all
	| ($all | max_by(.ratio)) as $most
	| if $most == null or $far.slower == 0 or $far.unsure then empty else	# (none takes at least 1.5 times as long)
		finding("most-grown"; "**The response to \($most | input_words($doc)) grows most in proportion** with \($far.says): from "
			+ "\($most.base_ms | with_unit("ms")) to \($most.latency_ms | with_unit("ms")) in the mean of its replays."
			+ ($far | if .max_ms == null then "" else " The longest response of all took \(.max_ms | with_unit("ms"))." end);
			{value: $most.ratio, verdict: (if $far.is_slower == "yes" then "bad" else "unsure" end), figure: "cdf"}) end;

# Where floor_ms is most of the base's median response.
def floor_words($what): floor_ms as $floor | base_row | values | select(.floor_is_most == "yes")
	| finding("floor"; "**Of the median response with \(.says), \(.p50_ms | with_unit("ms")), \($floor | with_unit("ms")) \($what)**."
			+ " So ratios between settings are nearer to 1 than those of what server and application did.";
		{value: $floor, unit: "ms", verdict: "unsure"});
def server_floor: floor_words("are half a frame of the display server, for which a response waits on average");

def failed_words: map(.failed) | (add | plural("replay")) + " failed";
def delivered: [.summary[] | select(.failed > 0)] as $failed | measured_rows("summary") as $rows
	| select($rows != []) | ($rows | map(.repeats) | add) as $n | ([$rows[].inputs_of_trace | values] | max) as $of
		| ([$rows[].inputs_least | values] | min) as $least | ($rows | map(.missing) | add) as $missing
		| finding("delivered";
			(if $failed != [] then
				"**\($failed | failed_words)** (\($failed | map("\(.says): \(.reason // "?")") | join("; "))). The other \($n)"
			 else "**\(["", "The replay", "Both replays"][$n] // "All \($n) replays")" end)
			+ " came to \(if $n == 1 then "its" else "their" end) end\(if $failed == [] then "**" else "" end)"
			+ (if $of == null then "." elif $least == $of then ", with all \($of) inputs of the session delivered."
			   else ", with \($least) of \($of) inputs delivered in the worst of them." end)
			+ (if $missing > 0 then " Responses of the base that were not found at another setting: \($missing)."
				+ " They have no ratio, and are in no percentile there."
			   else "" end);
			{value: $least, verdict: (if $failed == [] and $least == $of then "good" else "bad" end),
				figure: "total"});

# What the settings did to the machine: the load's reads, and time without the CPU.
def load: [measured_rows("summary")[] | select(.load_reads_per_s != null)] as $rows | select($rows != [])
	| [$rows[] | select(.load_as_asked == "no")] as $off
	| finding("load"; (if $off == [] then "**The load made** "
			else "**The disk did not give the load what was asked for**: it made " end)
		+ ($rows | map("\(.load_reads_per_s | fixed(if . < 100 then 1 else 0 end)) reads/s (\(.says)"
			+ "\(if .load_read_p50_ms then ", median \(.load_read_p50_ms | with_unit("ms"))" else "" end))") | and_list)
				+ ".";
		{value: $rows[-1].load_reads_per_s, unit: "/s", verdict: (if $off == [] then "none" else "unsure" end)});
def throttled: [measured_rows("summary")[] | select((.throttled_s // 0) >= 0.05)] as $rows | select($rows != [])
	| finding("throttled"; "**The quota stopped the session** for "
		+ "\($rows | map("\(.throttled_s | seconds) (\(.says))") | and_list), when it wanted more CPU time.";
		{value: $rows[-1].throttled_s, unit: "s"});
def unanalyzed: .run | (.analysis_failed | values
		| "**Total times only**: the replays could not be analyzed (\(.)). Try again with `thinprobe vncplay analyze`."),
	(.analysis_unsure | values | "**The response times are not to be relied on**: \(sub("[.]$"; "")).")
	| finding("analysis"; .; {verdict: "unsure"});

# What an experiment's say.jq has unless it defines its own.
def setup: .run.settings as $set | "\($set.app), \(($set.trace // $set.script) as $own
	| if $own then "the session of \($own | sub(".*/"; ""))" elif $set.quick then "a short session" else "the whole session" end); "
	+ "\(.run.protocol.says // "VNC"); \($set.repeats // 0 | plural("replay")) per setting; "
	+ run_words + ".";
# Where total time changes, and where it hides what responses do.
def moved_words: if .ratio == null then "responses were not compared"
	elif .slower >= .faster then "\(.slower) of \(.points) responses take at least 1.5 times as long"
	else "\(.faster) of \(.points) responses take at most two thirds of the time" end;
def total_times: "\(.total_ratio | times)\(if .total_ratio_low == null then " (no interval)" else ends("total_ratio"; times) end)";
def verdict: (base_row | .says) as $base | timed as $rows
	| ([$rows[] | select(same_total or total_untold | not)] | max_by(.total_ratio | log | fabs)) as $shown
	| ([$rows[] | select(.ratio != null and kind == "hidden")] | max_by(change)) as $hidden
	| if $rows == [] then "There is nothing to compare: no setting was measured beside the base."
	  elif $shown then "With \($shown.says) the session takes \($shown | total_times) times as long as with \($base), and "
		+ ($shown | moved_words) + "." + if $hidden then
			" With \($hidden.says) total time changes by at most 1 %\($hidden | within_unsure), but "
			+ ($hidden | moved_words) + "." else "" end
	  elif $hidden then "With \($hidden.says) the session's total time differs by at most 1 % from that with \($base)"
		+ "\($hidden | within_unsure), but "
		+ ($hidden | moved_words) + "."
	  elif any($rows[]; total_untold and (total_within | not)) then
		([$rows[] | select(total_untold and (total_within | not))] | max_by(.total_ratio_high / .total_ratio_low)) as $untold
		| "This run cannot tell whether a setting changes total time by more than 1 %: with \($untold.says) the session takes "
			+ "\($untold | total_times) times as long as with \($base), and \($untold | moved_words)."
	  elif any($rows[]; .ratio == null) then "No setting is seen to change total time by more than 1 %;"
		+ " responses were not all compared."
	  elif any($rows[]; kind == "noisy") then first($rows[] | select(kind == "noisy"))
		| "This run cannot tell whether a setting changes responses: with \(.says) \(.slower) of \(.points) take at least 1.5"
			+ " times as long, and \(.faster) at most two thirds."
	  else "No setting is seen to change total time by more than 1 %, or a tenth of the responses by half." end;
def replays_findings: [kinds, server_floor, most_grown, delivered, load, throttled, unanalyzed];
def findings: replays_findings[:6];
def main_view: view("main"; "summary"; "Total and response times"; {};
	"says repeats? total_s total_ratio p50_ms p75_ms p90_ms max_ms late_percent ratio verdict missing?");
