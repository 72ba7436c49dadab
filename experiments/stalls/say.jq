# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - response times of keys beside CPU hogs: a claim about keys rests on the interval's end, not on the value.
include "words";
include "trains";

def title: if attached then "Typing into a window: \(.run.protocol.title // "?")"
	else "Typing latency under CPU load: \(protocol_words)" end;
def setup: [(if attached then "window \"\(.run.protocol.title // "?")\" of a server that others run" else protocol_words end),
	link_words,
	"\(.run.settings.rate_per_s // "?") keys a second",
	repeats_words + (.run.settings.seconds | if . == null then "" else " of \(.) s" end),
	run_words] | sentence;
def labels: train_labels;

def late_limit: 5;	# percent of late keys above which an application counts as late
def late_most: .late_share_high_percent // .late_share_percent;
def late_most_high: .late_share_high_percent_high // .late_share_percent_high // late_most;
def late_least_low: .late_share_percent_low // .late_share_percent;
def late_figure: {value: .late_share_percent, to: late_most, low: .late_share_percent_low, high: late_most_high, unit: "%",
	above: false, figure: "late-share"};
def late_words: late_figure | figure_words + figure_interval;
def slowest: {value: (.latency_high_max_ms // .latency_max_ms), above: (.latency_high_max_ms_above == 1
	or .latency_max_ms_above == 1), unit: "ms"};
def usable: map(select(.repeats > 0 and .keys > 0));

# How an application fares: {is: good|bad|unsure|overloaded, row, clause}. Input: the document.
def judge($role): . as $doc | (rows_of($role) | usable) as $rows | ($rows | map(select(.overloaded == 0))) as $calm
	| if $rows == [] then null
	  elif any($calm[]; late_least_low > late_limit) then
		first($calm[] | select(late_least_low > late_limit)) as $row
		| {is: "bad", row: $row, clause: ("breaks \($doc | at_load($row.sinks)): \($row | late_figure | figure_words) of keys later"
				+ " than \(threshold | plain) ms")}
	  elif any($rows[]; .overloaded > 0) then
		first($rows[] | select(.overloaded > 0)) as $row
			| {is: "overloaded", row: $row, clause: "cannot keep up \($doc | with_load($row.sinks))"}
	  elif ($calm | map(late_most_high) | max) <= late_limit or ($calm | map(late_most) | max) == 0 then
		{is: "good", row: ($calm | max_by(late_most_high)), clause: "stays fast \($doc | loads_tried($calm))"}
	  else {is: "unsure", row: ($calm | max_by(late_most_high)), clause: "may have late keys: this run cannot tell"} end;

def late($role): . as $doc | judge($role) as $j | if $j == null then empty else
	(rows_of($role) | usable) as $rows | ($rows | map(select(.overloaded == 0))) as $calm | role_name($role) as $name
		| ($name | upper_first) as $who
	| $j.row as $r | "\(threshold | plain) ms" as $t
	| finding("late-\($role)";
		if $j.is == "good" then ($calm | max_by(slowest.value // 0) | slowest) as $s
			| "**\($who): \(if ($calm | map(late_most) | max) == 0 then "no slow key" else "hardly a slow key" end).** "
			+ "\($doc | loads_tried($calm) | upper_first), \(if ($r | late_most) == 0 then "none" else $r | late_words end) of the keys"
				+ " took longer than \($t); the slowest took \($s | figure_words)."
			+ (if ($r | late_most) == 0 and $r.late_share_percent_high != null then
				" With 95 % confidence, at most \($r.late_share_percent_high | percent) % are late at any load." else "" end)
			+ ([$calm[].same_group | values] | unique | if $role != "light" or ($calm | last.sinks) < 5 then "" elif . == [0] then
				" It runs in its own scheduling group, which may be why; `thinprobe run schedulers` can tell." elif . == [1] then
					" The scheduler protects programs that need little CPU." else "" end)
		elif $j.is == "bad" then ($calm | last) as $most
			| "**\($who): late \($doc | with_load($r.sinks)).** \($r | late_words) of the keys took longer than \($t)"
			+ (if $most.sinks != $r.sinks then ", \($most | late_figure | figure_words) \($doc | with_load($most.sinks))" else "" end)
			+ (if $calm[0].latency_p50_ms != null and $most.latency_p50_ms != null and $calm[0].sinks != $most.sinks then
				". The median rises from \($calm[0].latency_p50_ms | with_unit("ms")) to \($most.latency_p50_ms | with_unit("ms"))."
					else "." end)
			+ (if $rows | any(.overloaded > 0) then
				" It cannot keep up \(first($rows[] | select(.overloaded > 0)) | .sinks as $n | $doc | with_load($n))." else "" end)
		elif $j.is == "overloaded" then
			"**\($who): cannot keep up \($doc | with_load($r.sinks)).** Unanswered keys grow by up to"
				+ " \([$rows[] | select(.overloaded > 0).backlog_per_s // 0] | max | number) a second. Response times are omitted: they"
				+ " would grow with the length of the run."
		elif ($r | late_most) > $r.late_share_percent then
			"**\($who): this run cannot tell whether keys are late.** \($r | late_words) of the keys took longer than \($t)"
				+ " \($doc | with_load($r.sinks)): screen updates give only a range. The reference application (`--app heavy`) is exact."
		else "**\($who): this run cannot tell whether keys are late.** \($r | late_words) of the keys took longer than \($t)"
			+ " \($doc | with_load($r.sinks)). More repeats narrow the interval (`--repeat 10`)." end;
		($r | late_figure) + {verdict: {good: "good", bad: "bad", overloaded: "bad", unsure: "unsure"}[$j.is]}) end;

# ---- fair sharing: what (hogs + 1) parties that want all of a CPU leave each other ----
def fair_near: (.mean_stall_ms - .fair_stall_ms | fabs) <= 0.1 * .fair_stall_ms + 5;
# Repeats that scatter over the prediction do not contradict it.
def fair_ok: fair_near or (.mean_stall_ms_low != null and .mean_stall_ms_low <= 1.1 * .fair_stall_ms + 5
	and .mean_stall_ms_high >= 0.9 * .fair_stall_ms - 5);
def gap: .period_ms as $p | {value: (.mean_stall_ms + $p), low: (if .mean_stall_ms_low == null then null else
	[.mean_stall_ms_low + $p, 0] | max end),
	high: (if .mean_stall_ms_high == null then null else .mean_stall_ms_high + $p end), unit: "ms", above: false};
def fair_pair: (gap | figure_words + figure_interval) as $is
	| "fair sharing gives one update every \(.fair_stall_ms + .period_ms | with_unit("ms")); measured: \($is)";

def widest: max_by((.mean_stall_ms_high // 0) - (.mean_stall_ms_low // 0));
def fair_sharing: . as $doc
	| (rows_of("heavy") | usable | map(select(.mean_stall_ms != null and .fair_stall_ms != null and .overloaded == 0))) as $known
	| ($known | map(select(.fair_stall_ms > 0))) as $full | ($full | map(select(fair_ok | not))) as $off
	| ($known | map(.updates_per_key // 1) | max // 0) as $goes
	| if $full == [] or ($full | last.sinks) == 0 or attached then empty else
		# of the row that shows it, if one does: a verdict in words, the same as one word, what follows from it
		(if $goes > 1.2 then [null, "unsure",
			"**Fair sharing cannot be tested here**: one update of the application reaches the screen as up to"
			+ " \($goes | number) updates."]
		elif $off == [] and all($full[]; fair_near) then [($full | last), "good", "**The cause is fair sharing, not a fault.**",
			", the application gets 1/\($full | last.sinks + 1) of the CPU:", " A faster server helps; a faster link does not."]
		elif $off == [] then [($full | map(select(fair_near | not)) | widest), "unsure",
			"**Stalls differ too much between repeats to test fair sharing.**", ",", ""]
		elif all($off[]; .mean_stall_ms > .fair_stall_ms) then [($off | max_by(.mean_stall_ms - .fair_stall_ms)), "bad",
			"**Stalls are longer than fair sharing explains.**", ",",
			" Something else takes CPU time, or an update needs more CPU time than was set."]
		elif all($off[]; .mean_stall_ms < .fair_stall_ms) then [($off | min_by(.mean_stall_ms - .fair_stall_ms)), "none",
			"**The application gets more than a fair share.**", ",",
			if [$off[].same_group] | unique == [0] then " It is in another scheduling group than the CPU hogs." else "" end]
		else [null, "unsure", "**Stalls are partly longer, partly shorter than with fair sharing**, at"
			+ " \($off | map(.sinks | tostring) | and_list) CPU hogs: too noisy to tell more."] end) as [$row, $verdict, $head, $gets, $so]
		| finding("fair-sharing"; $head + if $row == null then "" else
				" \($doc | with_load($row.sinks) | upper_first)\($gets) \($row | fair_pair).\($so)" end;
			($row | if . == null then {} else gap end) + {$verdict, figure: "mean-stall"}) end;

# Late although the CPU is not saturated: the sum of costs does not explain that.
def late_below_saturation: . as $doc
	| [rows_of("heavy") | usable[] | select(.cost_ms != null and .sinks > 0 and .overloaded == 0
		and .cost_ms * (.sinks + 1) < .period_ms and late_least_low > late_limit)]
	| if . == [] then empty else last | finding("late-below-saturation";
		"**Keys are late although the CPU is not saturated.** \(late_words) are late \(.sinks as $n | $doc | with_load($n)),"
			+ " where \(.sinks + 1) × \(.cost_ms | plain) ms of CPU time fit before the next key. Fair sharing does not explain that.";
		late_figure + {verdict: "bad"}) end;

# ---- without load: what of a response the server's own wait and the link explain ----
def link_ms($bytes): (.run.lab.rate // .run.settings.link // ""
	| split(",")) as $link | ($link[0] // "" | capture("^(?<n>[0-9.]+)(?<u>[KMG]?)bit") // null) as $r
	| if $r == null or $bytes == null then null
		else ($bytes * 8 / (($r.n | tonumber) * ({"": 1, K: 1e3, M: 1e6, G: 1e9}[$r.u])) * 1000)
		+ 2 * ($link[1] // "" | time_ms // 0) end;
def idle_response: . as $doc
	| ([("light", "heavy") as $role | rows_of($role) | usable[] | select(.sinks == 0 and .latency_p50_ms != null and .overloaded == 0)]
		| first) as $r
	| if $r == null then empty else
		($r.latency_p50_ms - ($r.cost_ms // 0)) as $p50 | .run.protocol.floor_ms as $floor | link_ms($r.wire_bytes_per_key) as $link
		| (.run.protocol.floor_of // "the mean wait for the next frame") as $wait | ($p50 | floor_explains($floor)) as $explains
		| "\($p50 | with_unit("ms"))\(if ($r.cost_ms // 0) > 0 then " beyond its own \($r.cost_ms | plain) ms" else "" end)" as $takes
		| (if $link == null then "" elif $link < 0.005 then "; the link adds less than 0.01 ms"
			else "; the link adds \($link | with_unit("ms"))" end)
			as $network
		| finding("idle-response";
			if $p50 < resolution then "**Without load, the response is too fast to measure**: less than the probe's error of"
				+ " \(resolution | with_unit("ms"))."
			elif $explains | IN("all", "most") then
				"**Without load, the server's own delay dominates.** The median response takes \($takes); \($wait) takes"
				+ " \($floor | with_unit("ms")) of that\($network)."
			elif $link != null and $link >= 0.5 * $p50 then
				"**Without load, the link dominates**: it takes \($link | with_unit("ms")) of the median response of \($takes)."
			elif attached then "**Without load, the median response takes \($takes).** The client cannot tell which part is the server's."
			else "**Without load, the median response takes \($takes).** "
				+ (if ($floor // 0) > 0 then "\($wait | upper_first) would take \($floor | with_unit("ms"))"
					else "No known delay of the server explains it" end)
				+ "\($network)." end;
			($r | figure("latency_p50_ms")) + {figure: "latency-cdf"}) end;

# ---- several curves: each is judged by itself, and said in one finding ----
# The largest load that all curves have, of rows; null if there is none.
def common_most: group_by(.protocol) | map(map(.sinks)) | reduce .[1:][] as $loads (.[0] // []; . - (. - $loads)) | max;
def judged($role): . as $doc | (rows_of($role) | usable | common_most) as $n
	| [systems[] as $system | $doc | over($system) | judge($role) as $j | select($j != null)
		| $j + {$system, most: (rows_of($role) | usable | map(select(.sinks == $n)) | first)}];
def names: map(.system) | and_list;
def count_of($all): if ($all | length) == 1 then names
	elif length == ($all | length) then "each of the \(length)" else "\(length) of the \($all | length)" end;
def breaks($doc): map(select(.is == "bad")) | sort_by(.row.sinks) | group_by(.row.sinks)
	| map("\(.[0].row.sinks as $n | $doc | at_load($n)) over \(names) ("
		+ (map(.row.late_share_percent) | [min, max] | map(fixed(0)) | if .[0] == .[1] then .[0] else join(" to ") end)
		+ " % of keys over \($doc | threshold | plain) ms)") | and_list | select(. != "") | ", \(.)";
def clause_several: . as $all | map(select(.is | IN("bad", "overloaded"))) as $bad
	| if $bad != [] then "late over \($bad | count_of($all))" elif all(.is == "good") then "fast over \(count_of($all))"
	  else "this run cannot tell whether keys are late over \(map(select(.is == "unsure")) | names)" end;
def late_several($role): . as $doc | judged($role) as $all | if $all == [] then empty else
	($all | map(select(.is | IN("bad", "overloaded"))) | group_by(.row.sinks)) as $bad
	| (rows_of($role) | usable | map(.sinks) | max) as $top | $all[0].most.sinks as $n
	| ($all | sort_by(.most.late_share_percent)) as $ends
	| def share: .system as $s | .most | "\(late_words) over \(if $ends[0].most.late_share_percent == $ends[-1].most.late_share_percent
		and ($ends | length) > 1 then "each" else $s end)";
	finding("late-\($role)"; "**\(role_name($role) | upper_first): \($all | clause_several).**"
		+ ([($bad[] | "\(.[0].row.sinks as $from | $doc | with_load($from) + if $from > 0 and $from < $top then " and more" else "" end
				| upper_first): \(names)."),
			(("good", "unsure") as $is | $all | map(select(.is == $is)) | select(. != [])
				| if $is == "good" then "Fast with every load tried: \(names)."
					elif $bad != [] then "Cannot be told: \(names)." else empty end)]
			| if length == 1 and $bad == [] then "" else map(" " + .) | add end)
		+ if $n == null then "" else " Keys later than \(threshold | plain) ms \($doc | with_load($n)): \($ends[0] | share)"
			+ (if $ends[0].most.late_share_percent != $ends[-1].most.late_share_percent then " to \($ends[-1] | share)." else "." end) end;
		($ends[-1].most | late_figure)
			+ {verdict: (if $bad != [] then "bad" elif all($all[]; .is == "good") then "good" else "unsure" end)}) end;

def from_to($name): def one: "\(level($name)) over \(.protocol)";
	"\(.[0] | one)\(if length > 1 then " to \(.[-1] | one)" else "" end)";
def apart($name): length < 2 or .[0][$name + "_high"] == null or .[-1][$name + "_low"] == null
	or .[0][$name + "_high"] < .[-1][$name + "_low"];
# Of the application with a stated cost, where one was measured.
def stalls_several: . as $doc | first(("heavy", "light") as $role | rows_of($role) | usable
		| map(select(.mean_stall_ms != null)) | select(any(.overloaded == 0))) // [] | common_most as $n
	| map(select(.sinks == $n and .overloaded == 0)) | sort_by(.mean_stall_ms) | if . == [] then empty else
		# if an update arrives as several, the time between two of them does not show fair sharing
		map(select((.updates_per_key // 1) > 1.2)) as $split
		| map(select(.fair_stall_ms != null and .fair_stall_ms > 0 and (.updates_per_key // 1) <= 1.2)) as $full
		| ($full | map(select(fair_ok | not))) as $off | ($full | map(select(fair_ok and (fair_near | not)))) as $wide
		| finding("mean-stall"; "**The mean stall \($doc | with_load($n)) is \(from_to("mean_stall_ms"))"
			+ (if apart("mean_stall_ms") then "" else ", no significant difference" end) + ".**"
			+ " The jitter is \(sort_by(.jitter_sd_ms) | from_to("jitter_sd_ms"))."
			+ (if $full == [] or ($doc | attached) then "" else
				" Fair sharing gives a mean stall of \($full[0].fair_stall_ms | with_unit("ms"))"
				+ (if $off == [] then "" else "; different over \($off | map(.protocol) | and_list)" end)
				+ (if $wide == [] then "" else "; too variable to tell over \($wide | map(.protocol) | and_list)" end)
				+ (if $off + $wide == [] then "; all protocols agree with fair sharing." else "." end) end)
			+ (if $split == [] then "" else " One update of the application reaches the screen as several over"
				+ " \($split | map(.protocol) | and_list)." end);
			(.[-1] | figure("mean_stall_ms")) + {figure: "mean-stall", verdict: (if $off + $wide == [] then "none" else "unsure" end)}) end;
def idle_several: first(("light", "heavy") as $role | rows_of($role) | usable
		| map(select(.sinks == 0 and .latency_p50_ms != null and .overloaded == 0)) | select(. != [])) // []
	| sort_by(.latency_p50_ms) | if . == [] then empty else
		finding("idle-response"; "**Without load, the median response is \(from_to("latency_p50_ms")).** From fast to slow: "
			+ (map("\(.protocol) \(.latency_p50_ms | with_unit("ms"))") | join(", ")) + ".";
			(.[-1] | figure("latency_p50_ms")) + {figure: "latency-cdf"}) end;

def verdict_several: . as $doc | [("light", "heavy") as $role | judged($role) | select(. != [])
	| "\($doc | role_name($role) | if test("^[0-9]") then "An application that needs \(.)" else upper_first end):"
		+ " \(clause_several)\(first(breaks($doc), ""))."] | if . == [] then nothing_measured else join(" ") end;
def verdict_single: [("light", "heavy") as $role | judge($role) as $j | select($j != null)
	| {is: $j.is, text: "\(role_name($role) | if test("^[0-9]") then "an application that needs \(.)" else . end) \($j.clause)"}]
	| if . == [] then nothing_measured else map(.text | upper_first) | join(". ") + "." end;
def verdict: if several then verdict_several else verdict_single end;
def findings: (if several then [late_several("light"), late_several("heavy"), stalls_several, idle_several, probe_finding]
	else [late("light"), late("heavy"), fair_sharing, late_below_saturation, idle_response, probe_finding] end)[:5];
