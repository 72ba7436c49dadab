# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a session replayed at several settings shows, in words: for cpuspeed, diskload, iosched and slowreplay.
include "lib";

def ms: if . == null then "?" elif . >= 995 then "\(. / 1000 | fixed(if . >= 9950 then 1 else 2 end)) s" else "\(number) ms" end;
def s: if . == null then "?" elif . >= 99.5 then "\(fixed(0)) s" else "\(fixed(1)) s" end;
def times: if . == null then "?" else fixed(if . >= 9.95 then 0 elif . >= 1.95 then 1 else 2 end) end;
def grown: (. - 1) * 100 | if fabs < 0.05 then "0.0" else fixed(if fabs >= 9.95 then 0 else 1 end) end;	# a ratio, as percent more
def is_base($doc): .setting == $doc.run.settings.base;
def measured_rows: [.rows[] | select(.repeats > 0)];
def base_row: . as $doc | first(.rows[] | select(is_base($doc) and .repeats > 0)) // null;
def others: . as $doc | [measured_rows[] | select(is_base($doc) | not)];
def with_ratio: [others[] | select(.ratio != null)];
def span_words($low; $high; f): if $low == null then "" else " (\($low | f) to \($high | f))" end;
def ratio_words: "\(.ratio | times)\(span_words(.ratio_low; .ratio_high; times))";
def total_words: "\(.total_ratio | grown) %\(span_words(.total_ratio_low; .total_ratio_high; grown))";

# The setting at which responses differ most from the base.
def farthest: with_ratio | if . == [] then null else max_by([.slower + .faster, (.ratio | log | fabs)]) end;

# The claim of 2005: the whole session takes as long within 1 %, while its responses differ by a factor. Held against each setting.
def alike: .total_ratio != null and (.total_ratio - 1 | fabs) <= 0.01;
def surely_alike: .total_ratio_low == null or (.total_ratio_low >= 0.99 and .total_ratio_high <= 1.01);
def moved: .points > 0 and (.slower + .faster) * 10 >= .points;	# a tenth of the responses, by the half of themselves
def signed: grown | if startswith("-") or . == "0.0" then . else "+" + . end;
def item_words: "\(.says): total \(.total_ratio | signed) %\(span_words(.total_ratio_low; .total_ratio_high; signed))\(if alike and (surely_alike | not) then ", an interval wider than 1 %" else "" end); responses \(ratio_words) times as long in the median, \([(if .slower > 0 or .faster == 0 then "\(.slower) of \(.points) at least half as long again" else empty end), (if .faster > 0 then "\(.faster) of \(.points) in two thirds of the time or less" else empty end)] | join(", "))";
def claim:
	. as $doc | base_row as $base | with_ratio | map(select(.total_ratio != null))
	| if $base == null or . == [] then empty else
		(map(select(alike and moved)) | if . == [] then empty else "Total time hides what its user feels: held against \($base.says), the session takes as long within 1 %, and yet \(map(item_words) | join("; "))." end),
		(map(select((alike | not) and moved)) | if . == [] then empty else "That total time stays the same within 1 % is refuted where the session's thinking time does not hold what its responses lose or win: \(map(item_words) | join("; "))." end),
		(map(select((alike | not) and (moved | not))) | if . == [] then empty else "Total time changes, though less than a tenth of the responses do by a half: \(map(item_words) | join("; "))." end),
		(map(select(alike and (moved | not))) | if . == [] then empty else "Held against \($base.says), neither total time nor responses are much changed: \(map(item_words) | join("; "))." end) end;

def percentile_words: . as $doc | [measured_rows[] | select(.p50_ms != null)] | if . == [] then empty else
	"Response times, p25 / p50 / p75: " + (map("\(.says) \(.p25_ms | ms) / \(.p50_ms | ms) / \(.p75_ms | ms)") | join("; ")) + "." end;

def verdict_words: . as $doc | with_ratio | if . == [] or ($doc.run.settings.repeats // 0) < 5 then empty else
	"Held against \($doc.run.settings.base), in pairs of replays of one repeat (Holm's correction): " + (map("\(.says): \(.verdict), \(ratio_words) times as long") | join("; ")) + "." end;

def input_words($doc): ($doc.run.inputs // {})["\(.input)"] // "the \(.kind), input \(.input)";
def most_grown: . as $doc | farthest as $far | if $far == null then empty else
	([.points[] | select(.setting == $far.setting and .ratio != null)] | sort_by(-.ratio)) as $all
	| if $all == [] or $all[0].ratio < 1.5 then empty else
		"With \($far.says), the response that grows most is to \($all[0] | input_words($doc)) at \($all[0].at_s | fixed(1)) s of the session: \($all[0].base_ms | ms) becomes \($all[0].latency_ms | ms); the longest one is \($all | max_by(.latency_ms) | "to \(input_words($doc)) at \(.at_s | fixed(1)) s, \(.latency_ms | ms)")\(if $doc.run.settings.repeats > 1 then " (means of the repeats)" else "" end)." end end;

def delivered:
	. as $doc | measured_rows | if . == [] then empty else
		(map(.repeats) | add) as $n | ([.[].inputs_of_trace | values] | max) as $of | ([.[].inputs_least | values] | min) as $least
		| "\(if ($doc.rows | map(.failed) | add) > 0 then plural($n; "replay"; "replays") elif $n == 1 then "The one replay" else "All \($n) replays" end) came to \(if $n == 1 then "its" else "their" end) end"
		+ (if $of == null then "." elif $least == $of then ", with all of the \($of) inputs of the session delivered." else ", with \($least) of \($of) inputs delivered in the worst of them." end) end;

def failures: [.rows[] | select(.failed > 0)] | if . == [] then empty else
	"Replays that are in no figure: " + (map("\(.says): \(.failed)\(if .reason then " (\(.reason))" else "" end)") | join("; ")) + "." end;
def missed: [measured_rows[] | select(.missing > 0)] | if . == [] then empty else
	"Responses that were found at the base and not there: " + (map("\(.says) \(.missing) of \(.missing + .responses)") | join("; ")) + ". They are in no ratio." end;

def load_words: [measured_rows[] | select(.load_reads_per_s != null)] | if . == [] then empty else
	"The load, as it was: " + (map("\(.says): \(.load_reads_per_s | fixed(if . < 100 then 1 else 0 end)) reads a second\(if .load_read_p50_ms then ", \(.load_read_p50_ms | ms) each (p50)" else "" end)") | join("; ")) + "." end;
def load_missed: [measured_rows[] | select(.value != null and .value > 0 and .load_reads_per_s != null and (.load_reads_per_s / .value - 1 | fabs) > 0.05)] | if . == [] then empty else
	"The disk did not give what was asked for: " + (map("\(.load_reads_per_s | fixed(0)) of \(.value | plain) reads a second") | join("; ")) + "." end;
def slowed: [measured_rows[] | select(.throttled_s != null and .throttled_s > 0)] | if . == [] then empty else
	"The quota had the session stand still for " + (map("\(.throttled_s | s) (\(.says))") | join(", ")) + ", whenever it wanted more." end;

def slow_replay: . as $doc | base_row as $base | first(others[] | select(.total_ratio != null)) as $slow
	| "With \($slow.delay_ms | plain) ms for each read and write the session takes \($slow.total_ratio | times) times as long: \($base.total_s | s) becomes \($slow.total_s | s)"
	+ ", and the replay comes to its end\(if $slow.inputs_least != null and $slow.inputs_least == $slow.inputs_of_trace then " with all of its \($slow.inputs_of_trace) inputs delivered" else "" end).";

def same_caches: [measured_rows[].caches] | unique | if . == ["dropped"] then "Before each replay what was in memory and mapped by nobody was dropped." elif . == ["kept"] then "Nothing was dropped from memory before a replay: the first ones may have read more from the disk than others." else empty end;

def found:
	if .run.experiment == "slowreplay" then ((slow_replay? // empty), delivered, failures, percentile_words, most_grown, missed)
	else claim, percentile_words, verdict_words, most_grown, delivered, failures, missed, load_missed, load_words, slowed end
	| values;
def findings: [found];

def disturbed_words: [.rows[] | select(.marked > 0)] as $marked | if $marked == [] then null else
	"\(plural($marked | map(.marked) | add; "replay was"; "replays were")) disturbed: other processes or the hypervisor took more than 3 % of the server's CPUs." end;
def analysis_words: if .run.analysis_failed then "The replays could not be analyzed (\(.run.analysis_failed)): there are total times only. Again: thinprobe vncplay analyze" else null end;
