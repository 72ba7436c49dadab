# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - CPU time that idle sessions take, in ms a minute: of the lab's processes, the kernel and interrupts.
include "words";

def title: "CPU time that idle sessions take";
def labels: {value: {system: {none: "no session", desktop: "desktop (xfce4)"},
	class: {own: "lab", ended: "not known", itself: "this measurement", foreign: "other processes"},
	what: {system: "all", own: "lab's processes", kernel: "kernel and interrupts"}}};

def unit: "ms/min";
def rows: measured_rows("summary");
def row_words: if .system == "none" then "no session" elif .system == "desktop" then "a desktop"
	elif .sessions == 1 then "one session of \(.system)" else "\(.sessions) sessions of \(.system)" end;
def per_minute($name): figure($name) | .unit = unit;
def amount($name): per_minute($name) | figure_words + figure_interval;
def share($name): .[$name] | if . == null or . == 0 or . >= 0.1 then percent else fixed(4) | sub("0+$"; "") end | "\(.) %";
def bound($name): share($name) + (figure($name) | interval(.low; .high; .unit));
def slope_of($what): first((.slope // [])[] | select(.what == $what and .slope_ms_per_min != null)) // null;
def named: any(rows[]; .own_ms_per_min != null);

# on_line: does a number of sessions take the time that the slope makes them? If not, the next one costs something else.
def waits_of: 1, 5, 10, 50, 100;
def decisions: slope_of("system") as $s
	| (.slope[]? |= ask({rises: above("slope_ms_per_min"; 0), falls: exceeds({value: 0}; figure("slope_ms_per_min"))}))
	| .summary[]? |= ((.sessions // 0) as $n | (figure("above_ms_per_min") | interval_alone) as $above
		| ask({takes_more: exceeds($above; {value: 0}),
			on_line: within($above; $s.slope_ms_per_min_low | scaled($n); $s.slope_ms_per_min_high | scaled($n))}
			+ ([waits_of as $x | {"odd_\($x)ms": exceeds(figure("measured_\($x)ms_percent") | interval_alone;
				{value: (.["bound_all_\($x)ms_percent"] | scaled(2))})}] | add)));
# Whether the slope's whole interval is above 0. (If it is below 0, something else than the sessions changed.)
def shown: if .slope_ms_per_min_low == null then "one repeat" elif .rises == "yes" then "yes"
	elif .falls == "yes" then "below" else "no" end;
def off_line($s): [rows[] | select(.system == $s.system and .on_line == "no")]
	| if . == [] then "" else " But not each costs the same: \(map("\(row_words) \(amount("above_ms_per_min"))") | and_list)"
		+ " beyond none." end;

def verdict: slope_of("system") as $s
	| if rows == [] then nothing_measured
	  elif $s == null then "The CPU time of one more session was not measured, only that of the whole machine."
	  elif ($s | shown) == "one repeat" then
		"One more idle session of \($s.system) took \($s | amount("slope_ms_per_min")) of CPU time, without an interval."
	  elif ($s | shown) == "below" then
		"With more idle sessions of \($s.system) the machine takes less CPU time: \($s | amount("slope_ms_per_min")) a session. Something"
			+ " else changed, so this run cannot tell what a session costs."
	  elif ($s | shown) == "no" then
		"This run cannot tell whether one more idle session of \($s.system) takes CPU time: \($s | amount("slope_ms_per_min"))."
	  else "One more idle session of \($s.system) costs \($s | amount("slope_ms_per_min")) of CPU time,"
		+ " \($s.slope_cpu_percent | fixed(3)) % of a CPU.\(off_line($s))" end;

def cost: slope_of("system") as $s | slope_of("own") as $own | (first(rows[] | select(.sessions == 0)) // null) as $none
	| select($s != null)
	| finding("cost"; "**One more idle session of \($s.system) takes \($s | amount("slope_ms_per_min")) of CPU time**, the slope from"
		+ " \([rows[] | select(.sessions == 0 or .system == $s.system).sessions] | min) to \($s.sessions_max) sessions"
		+ (if $own == null then "." else "; the session's own processes account for \($own | amount("slope_ms_per_min"))." end)
		+ (if $none == null then "" else " Without a session, the machine itself takes \($none | amount("lost_ms_per_min"))." end)
		+ ({no: " The slope does not differ significantly from 0.",
			below: (" The slope is significantly below 0, which no session"
			+ " explains: something else changed.")}[$s | shown] // "") + off_line($s);
		($s | per_minute("slope_ms_per_min")) + {verdict: (if ($s | shown) == "yes" and off_line($s) == "" then "none"
			else "unsure" end),
			figure: "per-session"});

def compared: [rows[] | select(.sessions == 1 and .above_ms_per_min != null)] | sort_by(-.above_ms_per_min)
	| length as $n | if $n < 2 then empty else
	finding("compared"; "**CPU time of one idle session**, beyond that of the machine without sessions: "
		+ (map("\(row_words) \(amount("above_ms_per_min"))") | join("; ")) + "."
			+ (map(select(.takes_more != "yes") | row_words) as $not | if $not == [] then ""
				elif $not | length == $n then " None of these is surely above 0."
				else " Not surely above 0: \($not | and_list)." end);
		(.[0] | per_minute("above_ms_per_min")) + {figure: "lost-time"}) end;

# Processes that took more CPU time than on the machine without a session, the most first. One that ran there, too, and one of the
# kernel only where the whole machine surely took more: from one measurement to the next it varies by itself.
def top($row): any(rows[]; .sessions == 0) as $none
	| [(.who // [])[] | select(.class == "own" or .class == "kernel")] as $who
	| ([$who[] | select(.sessions == 0) | {key: "\(.kind) \(.culprit)", value: .lost_ms_per_min}] | from_entries) as $without
	| [$who[] | select(.system == $row.system and .sessions == $row.sessions)
		| $without["\(.kind) \(.culprit)"] as $there | .lost_ms_per_min -= ($there // 0)
		| select(.lost_ms_per_min > 0.05 and (($none | not) or $row.takes_more == "yes" or (.class == "own" and $there == null)))]
	| sort_by(-.lost_ms_per_min)[:4];
def top_words: map("\(.culprit) (\(.lost_ms_per_min | with_unit(unit)))") | and_list;
def who: . as $doc | (rows | map(select(.sessions > 0)) | max_by(.above_ms_per_min // .lost_ms_per_min)) as $row
	| if named | not then
		finding("who";
			"**The profile has no process names**, so all figures include processes outside the sessions.";
				{verdict: "unsure"})
	  elif $row == null then empty else
		($doc | top($row)) as $top | any(rows[]; .sessions == 0) as $none
		| ($row.own_ms_per_min // 0) as $own | ($row.accounted_ms_per_min // 0) as $kernel
		| finding("who"; (if $top == [] then "**No process is shown to take more CPU with \($row | row_words)** than without a session."
			elif $none and $row.takes_more != "yes" then
				"**Of the sessions' own processes, these took CPU time with \($row | row_words)**: \($top | top_words)."
				+ " The whole machine is not shown to take more than without a session."
			else "**With \($row | row_words), these took \(if $none then "more " else "" end)CPU time**: "
				+ "\($top | top_words)." end)
			+ (if $kernel >= 30 and ($own < 0.75 * $kernel or $own > 1.5 * $kernel) then
				" Inconsistent: the profiler attributes \($own | with_unit(unit)) to the lab's processes, the kernel"
					+ " \($kernel | with_unit(unit))." else "" end);
			{value: ($top[0].lost_ms_per_min // 0), unit: unit, figure: "lost-time",
				verdict: (if $kernel >= 30 and ($own < 0.75 * $kernel or $own > 1.5 * $kernel) then "unsure"
					else "none" end)}) end;

# More waits than all lost time could have caused: one of the two is wrong, or the machine changed between the two measurements.
def unexplained: [rows[] | select(.marked == 0) | . as $r | waits_of as $x | select($r["odd_\($x)ms"] == "yes")
			| "\($r | row_words), over \($x) ms"];
def waits: unexplained as $odd | threshold as $limit
	| (rows | map(select(.bound_1ms_percent != null)) | max_by(.bound_1ms_percent)) as $r
	| select($r != null)
	| finding("waits"; "**\(if named then "Sessions, kernel and interrupts kept the CPU" else "The CPU was" end) busy for at most"
		+ " \(rows | map(.longest_ms // 0) | max | with_unit("ms")) at a stretch\(if named then
			", without processes that ended before they were identified" else "" end).** With \($r | row_words), a task that wakes at a"
		+ " random moment waits\(if named then " for them" else "" end) over 1 ms with a probability of at most"
		+ " \($r | bound("bound_1ms_percent")), over \($limit | plain) ms with \($r | bound("bound_late_percent"))."
		+ (if $r.measured_1ms_percent == null then "" else " Measured"
			+ (if named then ", with other processes (at most \($r | share("bound_all_1ms_percent")))" else "" end)
			+ ": of \($r.wakeups | plural("random wake-up")), \($r | share("measured_1ms_percent"))"
			+ (if $r.measured_1ms_percent_low == null then "" else
				" (95 % CI \($r | share("measured_1ms_percent_low") | rtrimstr(" %")) to"
				+ " \($r | share("measured_1ms_percent_high")))" end) + " waited over 1 ms."
			+ if named then " \($r | share("bound_all_1ms_percent")) is the bound with other processes." else "" end end)
		+ (if $odd == [] then "" else " More tasks waited than the CPU use explains (\($odd | join("; ")));"
			+ " waits and CPU use were measured one after the other." end);
		($r | figure("bound_1ms_percent")) + {figure: "lost-time",
			verdict: (if $odd == [] then "none" else "unsure" end)});

def apart: if named | not then empty else rows as $rows
	| def most($name): [$rows[][$name] | values] | max // 0;
	finding("apart";
		"**Excluded from these figures**, at most: other processes \(most("foreign_ms_per_min") | with_unit(unit)), stolen"
		+ " by the hypervisor or unexplained \(most("unexplained_ms_per_min") | with_unit(unit)), processes that ended before they were"
		+ " identified \(most("ended_ms_per_min") | with_unit(unit)), timer ticks that the profiler causes"
		+ " \(most("tick_ms_per_min") | with_unit(unit)).";
		{value: most("foreign_ms_per_min"), unit: unit, figure: "utilisation"}) end;

def findings: if rows == [] then [] else [cost, compared, who, waits, apart] end;

def views:
	view("main"; "summary"; "Lost CPU time"; {};
		"system sessions lost_ms_per_min own_ms_per_min kernel_ms_per_min above_ms_per_min longest_ms"),
	view("slope"; "slope"; "Cost of one more idle session"; {};
		"system what slope_ms_per_min slope_cpu_percent sessions_max repeats?"),
	view("who"; "who"; "Who took the CPU"; {by: "system"};
		"sessions culprit class lost_ms_per_min share_percent times_per_min longest_ms"),
	view("bound"; "summary"; "Bound on waits"; {};
		"system sessions bound_1ms_percent bound_5ms_percent bound_10ms_percent bound_late_percent"),
	view("waits"; "summary"; "Measured waits"; {};
		"system sessions measured_1ms_percent measured_5ms_percent measured_10ms_percent"),
	view("apart"; "summary"; "Time apart"; {};
		"system foreign_ms_per_min ended_ms_per_min unexplained_ms_per_min accounted_ms_per_min");
