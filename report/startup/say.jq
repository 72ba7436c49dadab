# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of start-ups found, in words. Times in the tables are ms; "used": MB of an idle hog in swap, "left": memory left beside
# one that keeps touching, in percent of what the application has at rest.
include "lib";
include "startup/model";

def there: . != null and .repeats > 0 and .startup_ms != null;
def time: if . == null then "?" elif . >= 9995 then "\(. / 1000 | fixed(0)) s" elif . >= 995 then "\(. / 1000 | fixed(1)) s" else "\(fixed(0)) ms" end;
def above: if .startup_ms_above == 1 then ">" else "" end;
def start_time: if there then above + (.startup_ms | time) else "not measured" end;
def times_of($a; $b): if $a == null or ($b // 0) == 0 then null else $a / $b end;
def factor: if . == null then "?" elif . >= 9.95 then fixed(0) else fixed(1) end;
def megabytes: if . == null then "" elif . >= 99.95e6 then . / 1e6 | fixed(0) else . / 1e6 | fixed(1) end;

def apps_asked: .run.settings.apps // ([.rows[].app] | unique);
def swaps_asked: .run.settings.swaps // ([.rows[].swap | select(. != "none")] | unique);
def swap_words: if startswith("slow:") then "a swap file that takes \(.[5:] | sub("(?<n>[0-9.]+)(?<u>[a-z]+)"; "\(.n) \(.u)")) a read" elif . == "file" then "a swap file on the disk" elif . == "zram" then "compressed memory (zram)" else . end;
def swap_short: if startswith("slow:") then "\(.[5:] | sub("(?<n>[0-9.]+)(?<u>[a-z]+)"; "\(.n) \(.u)")) a read" elif . == "file" then "fast file" else . end;
def base_row($app; $start): [.rows[] | select(.app == $app and .start == $start and .axis == "none")] | first;
def steps($app; $start; $axis; $swap): [.rows[] | select(.app == $app and .start == $start and .axis == $axis and .swap == $swap and there)] | sort_by(.step) | if $axis == "left" then reverse else . end;
def starts: [.rows[] | select(there) | .start] | unique | sort_by({"warm": 0, "cold": 1}[.] // 2);
def main_start: starts | if index("warm") then "warm" else .[0] end;

def least_most(f): [.[] | f | values] | if length == 0 then "?" elif (min | factor) == (max | factor) then min | factor else "\(min | factor) to \(max | factor)" end;

def finding_base: . as $doc | main_start as $start
	| [apps_asked[] | . as $app | $doc | base_row($app; $start) | select(there) | {app: $app, row: ., cold: ($doc | base_row($app; "cold"))}] | sort_by(.row.startup_ms)
	| if length == 0 then empty else
		"Without pressure, its files \(if $start == "cold" then "on disk" else "in memory" end), \(map("\(.app) is ready after \(.row | start_time)") | join_and)."
		+ ([.[] | select($start == "warm" and (.cold | there)) | "\(.app) \(times_of(.cold.startup_ms; .row.startup_ms) | factor)"] | if length == 0 then "" else " With its files on disk it takes so many times as long: \(join(", "))." end) end;

# One sentence a device: from the first step of an axis to its last.
def ends($axis): . as $doc | main_start as $start | [swaps_asked[] as $swap | {swap: $swap, of: [apps_asked[] as $app | ($doc | steps($app; $start; $axis; $swap)) as $s
	| select(($s | length > 0) and $s[0].t0_ms != null) | {app: $app, first: $s[0], last: $s[-1], t0: $s[0].t0_ms, steps: $s}]} | select(.of | length > 0)];
def finding_used: . as $doc | ends("used") | if length == 0 then empty else
	"Swap in use by a process that sleeps: " + (map(. as $d
		| (.of | map(times_of(.last.startup_ms; .first.startup_ms) // empty) | max) as $grows
		| "on \(.swap | swap_short) start-up is \(.of | least_most(times_of(.first.startup_ms; .t0))) times T0 at \(.of[0].first.step) MB in swap and \(.of | least_most(times_of(.last.startup_ms; .t0))) times at \(.of[0].last.step) MB"
		+ (if $grows == null or (.of[0].steps | length) < 2 then "" else ": at the last step at most \($grows | factor) times as long as at the first" end)) | join("; ")) + "." end;

# The first step from which on, at all that follow, start-up takes more than twice T0.
def breaks: . as $a | reduce (.steps | reverse[]) as $s ({all: true, first: null}; if .all and ($s.startup_ms // 0) > 2 * ($a.t0 // infinite) then .first = $s else .all = false end) | .first;
def finding_left: . as $doc | ends("left") | if length == 0 then empty else
	"Memory left beside a process that keeps touching its own, in percent of what the application has at rest: " + (map("on \(.swap | swap_short) " + (.of | map(breaks as $b | .app + " takes over twice T0 " + (if $b == null then "at no step" else "from \($b.step) % on" end)
		+ ", \(.last | above)\(times_of(.last.startup_ms; .t0) | factor) times at \(.last.step) %") | join(", "))) | join("; ")) + "." end;

# What e says: pairs of device and its cells with an e.
def with_e($swap): [.rows[] | select(.axis == "used" and .swap == $swap and .e != null)];
def without_e: [.rows[] | select(.axis == "used" and there and .e == null)];
# Over cells of different applications and steps there is a range, no statistic.
def range_of(f): if (min | f) == (max | f) then min | f else "\(min | f) to \(max | f)" end;
def finding_e: . as $doc | [swaps_asked[] as $swap | {swap: $swap, of: ($doc | with_e($swap))} | select(.of | length > 0)]
	| if length == 0 then "e is not given: nowhere does start-up exceed T0 by three times its spread." else
	"Of what swap in use adds to start-up, the part that its input and output by themselves do not explain (e, from 0 to 1; below 0 they take longer one after the other than they did): " + (map("\(.swap | swap_short): \([.of[].e] | range_of(fixed(2))) (\(plural(.of | length; "cell"; "cells")))") | join("; "))
	+ "." + ($doc | without_e | if length == 0 then "" else " In \(plural(length; "other cell"; "other cells")) start-up does not exceed T0 by three times its spread, and e would be noise." end) end;

# The kernel's own figures beside it: waits for pages, and direct reclaim.
def waits_ms: [.blkio_ms // 0, (.swapin_ms // 0) + (.thrashing_ms // 0)] | max;
def finding_delays: [.rows[] | select(.axis == "left" and there and .blkio_ms != null and .startup_ms_above == 0 and (.startup_ms - (.t0_ms // infinite)) > 3 * (.t0_spread_ms // infinite))] as $rows
	| if $rows == [] then empty else
	([$rows[] | 100 * waits_ms / (.startup_ms - .t0_ms)] | range_of(fixed(0))) as $waits | ([$rows[] | 100 * (.freepages_ms // 0) / (.startup_ms - .t0_ms)] | range_of(fixed(0))) as $reclaim
	| "By the kernel's own accounting, with little memory left the application's threads together waited for pages for \($waits) % of what pressure adds, and reclaimed memory themselves for \($reclaim) % (\(plural($rows | length; "cell"; "cells")); threads that wait at once count each)." end;

# Further events: what the same one takes without pressure, and at the last step of an axis.
def event_row($app; $start; $axis; $swap; $event): [.events[] | select(.app == $app and .start == $start and .axis == $axis and .swap == $swap and .event == $event and .event_ms != null)] | sort_by(.step) | if $axis == "left" then first else last end;
def events_of($axis): . as $doc | main_start as $start | [swaps_asked[] as $swap | .events[] | select(.start == $start and .axis == "none" and .event_ms != null) | . as $none
	| ($doc | event_row($none.app; $start; $axis; $swap; $none.event)) as $row | select($row != null) | {swap: $swap, app: .app, event: .event, none_ms: .event_ms, ms: $row.event_ms, step: $row.step, times: ($row.event_ms / .event_ms)}];
def finding_events: . as $doc | [("used", "left") as $axis | ($doc | events_of($axis)) as $e | swaps_asked[] as $swap | {axis: $axis, swap: $swap, of: [$e[] | select(.swap == $swap)]} | select(.of | length > 0)]
	| if length == 0 then empty else "After the start, still under pressure, " + (map((.of | max_by(.times)) as $worst
		| "at \(.of[0].step) \({used: "MB in swap", left: "% left"}[.axis]) on \(.swap | swap_short) a further event takes \([.of[].times] | range_of(factor)) times as long (\(plural(.of | length; "event"; "events"))), the most for \($worst.app), \($worst.event): \($worst.ms | time)") | join("; ")) + "." end;

# The models: the handling time of an event is what was measured.
def handle_s($event; $axis; $swap): main_start as $start | if $event.path == "start" then
		(if $axis == "none" then base_row($event.application; $start) else steps($event.application; $start; $axis; $swap) | last end) | if there then .startup_ms / 1000 else null end
	else event_row($event.application; $start; $axis; (if $axis == "none" then "none" else $swap end); $event.path) | if . == null then null else .event_ms / 1000 end end;
def model: .run.settings.model // {classes: []};
def worst_swap: swaps_asked | (map(select(startswith("slow:"))) | last) // last;
# The common events, ranked by their measured time at the last step of "left" (else of "used", else without pressure).
def worst_axis: [.rows[] | select(there) | .axis] | unique | if index("left") then "left" elif index("used") then "used" else "none" end;
def ranked: . as $doc | model as $m | worst_axis as $axis | worst_swap as $swap | ($m.times_s // {}) as $t
	| [$m.classes | common_events[] | . as $e | ($doc | handle_s($e; "none"; "none")) as $none | ($doc | handle_s($e; $axis; $swap)) as $worst | select($none != null or $worst != null)
	| t_expected($t; $m.tolerance_s) as $T
	| . + {none_s: $none, worst_s: $worst, index_s: t_index($t), think_s: t_think($t), T_s: $T,
		user_none_s: (if $none == null then null else t_user(t_total($t; $none); $T; $m.beta) end),
		user_worst_s: (if $worst == null then null else t_user(t_total($t; $worst); $T; $m.beta) end)}]
	| sort_by(-(.worst_s // .none_s));
def event_words: if .path == "start" then "starting \(.application)" else "\(.path | gsub("/"; " › ")) in \(.application)" end;
def finding_model: . as $doc | ranked as $r | if $r == [] then empty else
	"Of the \($r | length) measured events that all \(model.classes | length) classes of users have in common the slowest under pressure \(if ($r | length) == 1 then "is" else "are" end) \($r[:3] | map("\(event_words) (\((.worst_s // .none_s) * 1000 | time))") | join_and)"
	+ "; felt, with a wait of \(model.tolerance_s | plain) s tolerated and β = \(model.beta | plain): \($r[:3] | map("\((.user_worst_s // .user_none_s) | fixed(1)) s") | join(", "))." end;

def broken_words: [.rows[] | select(.broken > 0)] | if . == [] then empty else (map(.broken) | add) as $n | "\(plural($n; "start"; "starts")) showed no window or ended by \(if $n == 1 then "itself" else "themselves" end) and \(if $n == 1 then "is" else "are" end) in no figure: \(map("\(.app) at \(.axis) \(.step) on \(.swap)") | unique | join_and)." end;
def ceiling_words: [.rows[] | select(.ceiling > 0)] | if . == [] then empty else (map(.ceiling) | add) as $n | "\(plural($n; "start"; "starts")) had not come to rest after \(map(.startup_ms_max) | max | time) and \(if $n == 1 then "counts" else "count" end) as later than that." end;

def findings: if [.rows[] | select(there)] == [] then ["No cell was measured to the end: there is nothing to say yet."] else
	[finding_base, finding_used, finding_left, finding_e, finding_delays, finding_events, finding_model, ceiling_words, broken_words] end;

def marked_rows: [.rows[] | select(.marked > 0)];
def disturbed_words: marked_rows as $m | if $m == [] then null else "\($m | map(.marked) | add) of \(.rows | map(.repeats) | add) starts were disturbed: processes that are not the lab's, or the hypervisor, took more than 3 % of the server's CPU (up to \($m | map(.foreign_percent_max // 0) | max | number) %)." end;
def indicative: .run.settings.repeats as $n | if $n != null and $n < 5 then "indicative: \({"1": "one repeat, so no intervals", "2": "two repeats", "3": "three repeats", "4": "four repeats"}[$n | tostring])" else null end;
