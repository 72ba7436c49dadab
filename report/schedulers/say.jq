# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a comparison of scheduler settings found, in words. Medians are told as what they are; better or worse is said only
# where compare.tsv has a verdict, which takes five repeats.
include "lib";

def base: "default";
def settings: .run.rows // [];
def asked: settings | map(select(.here));
def says($doc): . as $name | first($doc | settings[] | select(.setting == $name) | .says) // $name;

# A cell: part, setting, application, cost (null: light) and load.
def cell_of($part; $setting; $app; $cost; $sinks):
	first(.rows[] | select(.part == $part and .setting == $setting and .app == $app and .sinks == $sinks and ($app == "light" or .cost_ms == $cost))) // null;
def table_cell($setting; $app; $cost; $sinks): cell_of("table"; $setting; $app; $cost; $sinks);
def compared($row): first(.compare[] | select(.part == $row.part and .setting == $row.setting and .app == $row.app and .sinks == $row.sinks
	and ($row.app == "light" or .cost_ms == $row.cost_ms))) // null;
def there: . != null and .repeats > 0 and .keys > 0;

# The latest percentile that so many keys allow: "p95 24.1", or the largest.
def tail($res):
	. as $r | first(("p99", "p95", "p90") | select($r["latency_\(.)_ms"] != null)) // "max"
	| . as $which | ($r | latency($which; $res)) as $text
	| if $text == "" or $text == "overloaded" then $text else "\($which) \($text)" end;
def p50($res): if .overloaded > 0 then "overloaded" else latency("p50"; $res) end;
def p50_ms($res): p50($res) | if . == "overloaded" or . == "" or startswith("below") then . else . + " ms" end;
def median_high: .latency_high_p50_ms // .latency_p50_ms;

def loads: .run.settings.loads // [];
def first_load: loads | first;
def main_cost: (.run.settings.full_costs_ms // [10]) as $full | (.run.settings.costs_ms // []) as $costs | first($full[] | select(IN($costs[]))) // ($costs | first);
def fair($cost; $sinks): $cost * ($sinks + 1);
def shares_kept($doc): . as $row | $doc | table_cell(base; $row.app; $row.cost_ms; $row.sinks) as $by | {kept: $row.load_share_percent, base: $by.load_share_percent};

def untested: .compare as $c | $c == [] or all($c[]; .verdict == "too few runs");
def repeats_words: .run.settings.repeats // 0 | if . == 1 then "one repeat" else "\(.) repeats" end;

# By default, and what fair sharing says of it.
def by_default($res):
	. as $doc | first_load as $n | main_cost as $cost
	| table_cell(base; "light"; null; $n) as $light | table_cell(base; "heavy"; $cost; $n) as $heavy
	| [ (if $light | there then "vim's echo takes \($light | p50_ms($res)) (\($light | tail($res)))" else empty end),
	    (if $heavy | there then "one that needs \($cost) ms of CPU a key \($heavy | p50_ms($res)). (Fair sharing alone makes a redraw last \(fair($cost; $n)) ms, and a key that comes meanwhile waits for the next one)" else empty end) ]
	| if . == [] then empty else "By default (\(base | says($doc))), beside \(plural($n; "sink"; "sinks")), \(join("; "))." | sub("\\. (?<p>\\(.*\\))\\.$"; ". \(.p | sub("\\)$"; ".)"))") end;

# The heavy application under every other setting, from early to late.
def ranked($cost; $n): . as $doc | [asked[] | .setting | select(. != base) | . as $s | $doc | table_cell($s; "heavy"; $cost; $n) | select(there and .overloaded == 0 and .latency_p50_ms != null)] | sort_by(.latency_p50_ms);
def with_median($doc; $res): "\(.setting | says($doc)) (\(p50_ms($res)))";
def who_helps($res):
	. as $doc | first_load as $n | main_cost as $cost | table_cell(base; "heavy"; $cost; $n) as $by | ranked($cost; $n) as $all
	| if ($by | there | not) or $by.latency_p50_ms == null or $all == [] then empty else
		(2 * ($cost + ($doc.run.protocol.floor_ms // 0))) as $near
		| ($all | map(select(.latency_p50_ms <= $near))) as $early
		| ($all | map(select(.latency_p50_ms > $near and .latency_p50_ms <= 0.8 * $by.latency_p50_ms))) as $between
		| ($all | map(select(.latency_p50_ms > $near and .latency_p50_ms > 0.8 * $by.latency_p50_ms and .latency_p50_ms < 1.25 * $by.latency_p50_ms))) as $same
		| ($all | map(select(.latency_p50_ms >= 1.25 * $by.latency_p50_ms))) as $late
		| (if $early == [] then "No setting tried brings that below \($near | number) ms; the earliest is \($all[0] | with_median($doc; $res))."
		   else "Nearly as without load (at most \($near | number) ms, twice the sum of its own time and half a frame): " + ($early | map(with_median($doc; $res)) | join_and) + "." end),
		  (if $between == [] then empty else "Earlier than by default, and not so early: " + ($between | map(with_median($doc; $res)) | join_and) + "." end),
		  (if $same == [] then empty else "Within a quarter of the default's median, so hardly a remedy: " + ($same | map(with_median($doc; $res)) | join_and) + "." end),
		  (if $late == [] then empty else "Later than by default: " + ($late | map(with_median($doc; $res)) | join_and) + "." end)
	  end;

# What the load lost to that, against what it had by default.
def prices($res):
	. as $doc | first_load as $n | main_cost as $cost | table_cell(base; "heavy"; $cost; $n) as $by
	| [ranked($cost; $n)[] | select(.load_share_percent != null)] as $all
	| if ($by | there | not) or $by.load_share_percent == null or $all == [] then empty else
		($all | map(select(.latency_p50_ms <= 0.5 * $by.latency_p50_ms))) as $helps
		| if $helps == [] then empty else
			($helps | max_by(.load_share_percent)) as $cheap | ($helps | min_by(.load_share_percent)) as $dear
			| "The price, in CPU that the load kept (\($by.load_share_percent | fixed(0)) % by default\(if $by.load_share_percent > $cheap.load_share_percent then ", where the application gets less done" else "" end)): of what halves the echo, least is taken by \($cheap.setting | says($doc)) (\($cheap.load_share_percent | fixed(0)) % kept)"
			+ (if $dear.setting == $cheap.setting then "." else ", most by \($dear.setting | says($doc)) (\($dear.load_share_percent | fixed(0)) %)." end) end end;

# The application that needs little.
def lights($res):
	. as $doc | first_load as $n
	| [asked[] | .setting as $s | $doc | table_cell($s; "light"; null; $n) | select(there and .overloaded == 0 and .latency_p50_ms != null)] as $all
	| if $all == [] then empty else
		($all | min_by(median_high)) as $best | ($all | max_by(median_high)) as $worst | ($doc | threshold) as $t
		| ($all | map(select((.late_share_percent // 0) > 5))) as $late
		| "vim beside \(plural($n; "sink"; "sinks")): \($best | p50_ms($res)) (\($best.setting | says($doc)))" + (if $best == $worst then "" else " to \($worst | p50_ms($res)) (\($worst.setting | says($doc)))" end)
		+ (if $late == [] then "; under no setting are more than 5 % of its keys later than \($t) ms." else "; more than 5 % of its keys are later than \($t) ms under: " + ($late | map("\(.setting | says($doc)) (\(.late_share_percent | percent) %)") | join_and) + "." end) end;

# Longer operations: how far each setting keeps them.
def lengths($setting): [.rows[] | select(.part == "length" and .setting == $setting and there)] | sort_by(.cost_ms);
# Beyond its own CPU time a key waits: for half a frame of the server, a little for everything else, and for others.
def kept($doc): .overloaded == 0 and .latency_p50_ms != null and .latency_p50_ms <= 2 * .cost_ms + ($doc.run.protocol.floor_ms // 0) + 5;
def as_fair($doc): .latency_p50_ms != null and .latency_p50_ms - ($doc.run.protocol.floor_ms // 0) >= 0.8 * fair(.cost_ms; .sinks);
def length_words($res):
	. as $doc | [asked[].setting as $s | {s: $s, rows: lengths($s)} | select(.rows | length > 1)
	| (.rows | map(kept($doc)) | index(false)) as $lost
	| .from = (if $lost == null then null else .rows[$lost] end)
	| .upto = (if $lost == 0 then null elif $lost == null then .rows[-1] else .rows[$lost - 1] end)
	| (.rows | map(as_fair($doc))) as $late
	| .fair = (first(range($late | length) as $i | select(all($late[$i:][]; .)) | .rows[$i]) // null)] as $all
	| if $all == [] then empty else
		"Longer operations beside \(plural($doc.run.settings.length.sinks; "sink"; "sinks")), keys so slow that even fair sharing is done before the next: a median within twice the operation's own CPU time (and half a frame, and 5 ms) is kept "
		+ ([$all[] | "under \(.s) " + (if .upto == null then "at no length tried" elif .from == null then "at every length tried (to \(.upto.cost_ms | plain) ms)" else "up to \(.upto.cost_ms | plain) ms" end)
			+ (if .fair != null then ", as late as fair sharing from \(.fair.cost_ms | plain) ms on" else "" end)] | join("; ")) + "." end;

def tested($res):
	. as $doc | if untested then "None of these differences is tested: " + if (.run.settings.repeats // 0) >= 5 then "five repeats of the same cell with the default beside it are needed."
		else "\(repeats_words) \(if .run.settings.repeats == 1 then "is" else "are" end) too few (five are needed, --repeat 5)." end
	else first_load as $n | main_cost as $cost
		| [.compare[] | select(.part == "table" and .app == "heavy" and .cost_ms == $cost and .sinks == $n)] as $c
		| "Held against the default in the same repeat (\($cost) ms, \($n) sinks; t test of paired ratios, Holm; ratio of medians with its 95 % interval): "
		+ ([("better", "worse", "no difference shown", "too noisy", "too few runs") as $v | [$c[] | select(.verdict == $v)] | select(length > 0)
			| "\($v): " + (map((.setting | says($doc)) + (if .ratio == null or .ratio_low == null then "" else " \(.ratio | fixed(2)) (\(.ratio_low | fixed(2))–\(.ratio_high | fixed(2)))" end)) | join_and)] | join("; ")) + "." end;

# What is so by default already is no lack.
def lacking: settings | map(select((.here | not) and ((.why // "") | startswith("it is so already") | not)));
def missing_words: lacking | if . == [] then empty else
	"Not on this machine, by trying: " + (map(.says) | join_and) + "; the report says why." end;

def wrong_setting: [.rows[] | select((.reason // "") | contains("not the setting"))];

def findings:
	. as $doc | resolution as $res
	| [by_default($res), who_helps($res), prices($res), lights($res), length_words($res), tested($res), missing_words]
	| if all(.[]; false) or ([$doc.rows[] | select(.setting != null and there)] | length) == 0 then ["No cell was measured to the end: there is nothing to say yet."] else . end;
