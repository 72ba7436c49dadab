# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of idle sessions found, in words. Times are ms of CPU a minute; "system" is the lab's own tasks, the kernel and interrupts.
include "lib";

def ms: if . == null then "?" elif fabs >= 99.95 then fixed(0) elif fabs >= 9.995 then fixed(1) elif fabs >= 0.0995 or . == 0 then fixed(2) else fixed(3) end;
def thousandths: if . != null and . > 0 and . < 0.0005 then "<0.001" else fixed(3) end;
def system_name: if .system == "none" then "no session" elif .system == "desktop" then "a desktop (xfce4)" elif .sessions == 1 then "one session of \(.system)" else "\(.sessions) sessions of \(.system)" end;
def measured_rows: [.rows[] | select(.repeats > 0)];
def none_row: [.rows[] | select(.sessions == 0 and .repeats > 0)] | first;
def interval($name): .[$name + "_low"] as $l | .[$name + "_high"] as $h | if $l == null or $h == null then "" else " (\($l | ms)–\($h | ms))" end;
def with_interval($name): if .[$name] == null then "" else (.[$name] | ms) + interval($name) end;
def named: [.rows[] | .own_ms_per_min | values] | length > 0;
def waits: [1, 5, 10, 50, 100];
# A share of moments: never a bare 0.
def share: if . == null then "" elif . == 0 then "0" elif . < 0.0001 then "<0.0001" elif . < 0.1 then fixed(4) | sub("0+$"; "") elif . < 10 then fixed(2) else fixed(1) end;
def measured_share($x): ("measured_\($x)ms_percent") as $m | if .[$m] == null then "" elif .[$m] == 0 then "0 (<\(.[$m + "_high"] | share))" else (.[$m] | share) + " (\(.[$m + "_low"] | share)–\(.[$m + "_high"] | share))" end;

def class_words: {own: "the lab's", kernel: "kernel", foreign: "others'", itself: "this measurement", ended: "not told", unexplained: "stolen or unexplained"}[.] // .;
def culprit_words: if .kind == "task" then .culprit elif .kind == .culprit then .culprit else "\(.culprit) (\(.kind))" end;
# Who took more than on the machine without a session, the most first.
def top($doc; $n): . as $row | [$doc.who[] | select(.class == "own" or .class == "kernel")] as $who
	| [$who[] | select(.sessions == 0) | {key: "\(.kind) \(.culprit)", value: .lost_ms_per_min}] | from_entries as $without
	| [$who[] | select(.system == $row.system and .sessions == $row.sessions) | .lost_ms_per_min -= ($without["\(.kind) \(.culprit)"] // 0) | select(.lost_ms_per_min > 0.05)] | sort_by(-.lost_ms_per_min)[:$n];
def top_words($doc; $n): top($doc; $n) | map("\(culprit_words) \(.lost_ms_per_min | ms)") | join(", ");

def slope_row($what): [.slopes[] | select(.what == $what)] | first;

def finding_slope: . as $doc | slope_row("system") as $s | slope_row("own") as $own | none_row as $none
	| if $s == null or $s.slope_ms_per_min == null then empty else
	(if $s.slope_ms_per_min > 0 then "One more idle session of \($s.system) costs" else "What one more idle session of \($s.system) costs does not show: the slope is" end)
	+ " \($s.slope_ms_per_min | ms)\($s | interval("slope_ms_per_min")) ms of CPU a minute (\($s.slope_cpu_percent | thousandths) % of a CPU; slope from 0 to \($s.sessions_max) sessions)"
	+ (if $own.slope_ms_per_min == null then "." elif $own.slope_ms_per_min == 0 then "; its own processes were not seen to run at all." elif $own.slope_ms_per_min <= $s.slope_ms_per_min then ", \($own.slope_ms_per_min | ms) ms of it in its own processes." else "; its own processes by themselves \($own.slope_ms_per_min | ms) ms." end)
	+ (if $none == null then "" else " The machine without a session loses \($none | with_interval("lost_ms_per_min")) ms a minute, which the slope leaves out." end)
	+ (if $s.slope_ms_per_min_low != null and $s.slope_ms_per_min_low <= 0 then " No difference from nothing is shown." else "" end) end;

def above_words: if .above_ms_per_min == null then "" else "\(.above_ms_per_min | ms)\(interval("above_ms_per_min")) ms a minute above the machine without a session" end;
def finding_others: . as $doc | [.rows[] | select(.sessions == 1 and .repeats > 0 and .above_ms_per_min != null)] | sort_by(-.above_ms_per_min)
	| if length < 2 then empty else "Idle sessions compared: " + (map("\(system_name) \(.above_ms_per_min | ms)\(interval("above_ms_per_min"))") | join(", ")) + " ms a minute above the machine without one." end;

# What the run found when it tried.
def who_why: first(.run.lab.missing // [] | .[] | select(startswith("who took the CPU: ")) | sub("^who took the CPU: "; "") | sub(", so whose time .*"; "")) // "only root may see that";
def finding_who: . as $doc | if named | not then "Who took the CPU is not known (\(who_why)): other people's processes are in the figures." else
	(measured_rows | map(select(.sessions > 0)) | max_by(.above_ms_per_min // .lost_ms_per_min)) as $most | if $most == null then empty else
	($most | top_words($doc; 4)) as $words | if $words == "" then "Nobody took more beside \($most | system_name) than on the machine without a session."
	else "More than without a session, beside \($most | system_name): \($words) ms a minute." end end end;

def finding_waits: (measured_rows | map(select(.bound_1ms_percent != null)) | max_by(.bound_1ms_percent)) as $r | if $r == null then empty else
	"Compulsory latency: the longest event was \(measured_rows | map(.longest_ms // 0) | max | ms) ms. Who had to wait until what runs is done would wait over 1 ms with at most \($r.bound_1ms_percent | share) %, over 10 ms with \($r.bound_10ms_percent | share) % (\($r | system_name))"
	+ (if $r.bound_all_1ms_percent > 1.05 * $r.bound_1ms_percent + 0.001 then "; with everybody else's processes \($r.bound_all_1ms_percent | share) and \($r.bound_all_10ms_percent | share) %" else "" end)
	+ (if $r.measured_1ms_percent == null then "." else "; of \($r.wakeups) normal tasks woken at random \($r | measured_share(1)) % waited over 1 ms." end) end;

def apart: measured_rows as $rows | {foreign: ([$rows[].foreign_ms_per_min | values] | max), unexplained: ([$rows[].unexplained_ms_per_min | values] | max), ended: ([$rows[].ended_ms_per_min | values] | max), tick: ([$rows[].tick_ms_per_min | values] | max)};
def finding_apart: apart | if .foreign == null then empty else "Not in these figures, a minute: up to \(.foreign | ms) ms of processes that are not the lab's, \(.unexplained | ms) ms stolen or unexplained, \(.tick | ms) ms of timer ticks (which the profiler keeps alive)"
	+ (if (.ended // 0) > 0 then ", \(.ended | ms) ms of tasks that ended before anybody could tell whose they were" else "" end) + "." end;

# The kernel's own accounting of the lab's tasks against what was named theirs: two ways to one figure, but that each switch to a task is named
# with it and not accounted to it.
def check_rows: [measured_rows[] | select(.own_ms_per_min != null and (.accounted_ms_per_min // 0) >= 30)];
def finding_check: check_rows | map({row: ., ratio: (.own_ms_per_min / .accounted_ms_per_min)}) | map(select(.ratio < 0.75 or .ratio > 1.5)) | if length == 0 then empty else
	"Beware: for \(map(.row | system_name) | join_and) what was named the lab's is not what the kernel accounts to it (\(map("\(.row.own_ms_per_min | ms) against \(.row.accounted_ms_per_min | ms)") | join(", ")) ms a minute)." end;

# More that waited than all that ran could have made wait: then one of the two is wrong. Only where nobody else was in the way meanwhile.
def finding_bound: [measured_rows[] | select(.marked == 0) | . as $r | waits[] as $x | select(($r["measured_\($x)ms_percent_low"] // 0) > 2 * ($r["bound_all_\($x)ms_percent"] // 0) and $r["bound_all_\($x)ms_percent"] != null) | "\($r | system_name), over \($x) ms: \($r | measured_share($x)) % against \($r["bound_all_\($x)ms_percent"] | share) %"]
	| if length == 0 then empty else "Beware: more tasks waited than what ran before explains (\(join("; "))). The two were not measured at the same moment." end;

def findings: if measured_rows | length == 0 then ["No cell was measured to the end: there is nothing to say yet."] else
	[finding_slope, finding_others, finding_who, finding_waits, finding_apart, finding_check, finding_bound] end;

def absent_words: .run.settings.absent // [] | map("not on this machine: \(.system): \(.why)");
def indicative: .run.settings.repeats as $n | if $n != null and $n < 5 then "indicative: \({"1": "one repeat, so no intervals", "2": "two repeats", "3": "three repeats", "4": "four repeats"}[$n | tostring])" else null end;
def disturbed_words: [.rows[] | select(.marked > 0)] as $m | if $m == [] then null else
	"\($m | map(.marked) | add) of \(.rows | map(.repeats) | add) cells \(if ($m | map(.marked) | add) == 1 then "was" else "were" end) disturbed: processes that are not the lab's, or the hypervisor, took more than 3 % of the server's CPU (up to \($m | map((.foreign_percent_max // 0) + (.steal_percent_max // 0)) | max | number) %)." end;
