# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - response times of keys beside CPU hogs: findings depend on the end of an interval, not on the value.
include "words";
include "trains";

def held_alone: .run.settings.modes == ["hold"];
def title: if attached and .run.runs == null then
		"Typing into \(if .run.protocol.window then "a window: " else "" end)\(.run.protocol.title // "?")"
	else "Typing latency under CPU load\(if held_alone then ", a key held down" else "" end): \(protocol_words)" end;
def setup: [protocol_words, link_words,
	(.run.settings.rate_per_s | values | "up to \(.) keys a second"),
	repeats_words + (.run.settings.seconds | if . == null then "" else " of \(.) s" end),
	run_words] | sentence;
def labels: train_labels;

# Percent of late keys above which an application breaks: by the lower end of the interval; it stays fast if no upper end is above.
# If no key was late, but too few were typed to exclude so many, or there is no interval, it "had no late key".
# (Also described in GLOSSARY.md.)
def late_limit: 5;
def late: figure("late_share_percent");
def late_figure: late + {figure: "late-share"};
def late_words: level("late_share_percent");
def late_most: late | at_most;
def late_surely_most: late | .high // (.both // [] | max) // at_most;
def link_ms($bytes): (.run.lab.rate // .run.settings.link // ""
	| split(",")) as $link | ($link[0] // "" | capture("^(?<n>[0-9.]+)(?<u>[KMG]?)bit") // null) as $r
	| if $r == null or $bytes == null then null
		else ($bytes * 8 / (($r.n | tonumber) * ({"": 1, K: 1e3, M: 1e6, G: 1e9}[$r.u])) * 1000)
		+ 2 * ($link[1] // "" | time_ms // 0) end;
# A stall is near the prediction of fair sharing within 10 % and 5 ms. takes: a response without the application's own work.
def fair_near: "to within 10 % + 5 ms";
def takes: (.cost_ms // 0) as $own | figure("latency_p50_ms") | at_most | if . then . - $own else null end;
# CPU time of the server for a key: at least the application's, and what a key takes of the CPU without load, which has the display
# server's and the compositor's. null: it was not measured.
def key_cpu_ms($doc): . as $r | first(($doc.summary[] | select(.sinks == 0 and .app == $r.app and .protocol == $r.protocol)), {})
	| [$r.cost_ms, (.server_busy_percent | scaled(($r.period_ms // 0) / 100))] | if any(. == null) then null else max end;
def decisions: . as $doc | .run.protocol.floor_ms as $floor | .summary[]? |= ask({floor_is_all: (takes | floor_is(0.9; $floor)),
	floor_is_most: (takes | floor_is(0.5; $floor)),
	link_is_less: exceeds({value: (takes | scaled(0.5))}; {value: (.wire_bytes_per_key as $bytes | $doc | link_ms($bytes))}),
	is_late: above("late_share_percent"; late_limit),
	breaks_limit: exceeds(late | interval_alone; {value: late_limit}),
	is_fair: near("mean_stall_ms"; .fair_stall_ms; 0.1; 5),
	stalls_longer: exceeds(figure("mean_stall_ms"); {value: .fair_stall_ms}),
	splits_updates: exceeds({value: .updates_per_key}; {value: 1.2}),
	fits_period: exceeds({value: .period_ms}; {value: ((.sinks // 0) as $n | key_cpu_ms($doc) | scaled($n + 1))}),
	lacks_load: exceeds({value: 25}; {value: .load_share_percent})});
def stays_fast: all(.breaks_limit == "no");
def never_late: all(late_most == 0);
def slowest: figure("latency_max_ms");
def usable: map(select(.repeats > 0 and .keys > 0));

# Words for the load at which an application breaks. Input: rows in the order of loads; loads between two tried ones are unknown.
def break_words($doc; $rows; $row): ([$rows[] | select(.sinks < $row.sinks)] | last) as $before | $row.sinks as $n
	| if ($doc | attached) or $n == 0 then $doc | with_load($n)
	  elif $before == null or ($before | late_most != 0 and .is_late != "no") then
		"at \($n | plural("CPU hog")) or fewer"
	  else (if $before.sinks == $n - 1 then $doc | at_load($n) else "between \($before.sinks + 1) and \($n) CPU hogs" end)
		+ if $before.is_late == "no" then "" else " (no key was late \($before.sinks as $least | $doc | with_load($least)))" end end;
# Input: an overloaded row.
def overload_words($doc): .sinks as $n | "cannot keep up \($doc | with_load($n))"
	+ if .overloaded < .repeats then " in \(.overloaded) of \(.repeats) repeats" else "" end;
# How an application fares: {is: good|bad|unsure|overloaded, row, clause, from}. Input: the document.
def judge($role): . as $doc | (rows_of($role) | usable) as $rows | ($rows | map(select(.overloaded == 0))) as $calm
	| if $rows == [] then null
	  elif any($calm[]; .is_late == "yes") then
		first($calm[] | select(.is_late == "yes")) as $row | break_words($doc; $calm; $row) as $from
		| {is: "bad", $row, $from, clause: ("breaks \($from): \($row | late | figure_words) of keys later than"
				+ " \(threshold | plain) ms" + if $from | test("between|fewer") then
					" \($doc | with_load($row.sinks))" else "" end
				+ ($calm | last | if [.] | stays_fast then ", but \(late | figure_words) \(.sinks as $n | $doc | with_load($n))"
					else "" end))}
	  elif any($rows[]; .overloaded > 0) then
		first($rows[] | select(.overloaded > 0)) as $row
			| {is: "overloaded", row: $row, clause: ($row | overload_words($doc))}
	  elif $calm | stays_fast or never_late then
		{is: "good", fast: ($calm | stays_fast), row: ($calm | max_by(late_surely_most)),
			unmeasured: ($doc | loads_unmeasured($calm)), clause:
			((if $calm | stays_fast then "stays fast " else "had no late key " end)
				+ ($doc | loads_tried($calm)) + if $doc | attached then
					" (median \($calm | max_by(late_surely_most) | figure("latency_p50_ms") | figure_words))" else "" end)}
	  else {is: "unsure", row: ($calm | max_by(late_surely_most)), clause: "may have late keys: this run cannot tell"} end;

# Upper bound of the share of late keys if none was late, with 95 % confidence for all loads together.
def none_late: length as $rows | .[] | claim("none"; $rows; late; {});
def late_bound($doc): [none_late as $claim | decided($doc; $claim)] | if any(. == null) then null
	else map(.high) | max end;
def rise: differs(.[0]; .[-1]; "latency_p50_ms"; 1);

def late($role): . as $doc | judge($role) as $j | select($j != null)
	| (rows_of($role) | usable) as $rows | ($rows | map(select(.overloaded == 0))) as $calm | role_name($role) as $name
		| ($name | upper_first) as $who
	| (if $j.is == "good" then $calm | max_by([late_most, late_surely_most]) else $j.row end) as $r
	| "\(threshold | plain) ms" as $t
	| finding("late-\($role)";
		if $j.is == "good" then
			"**\($who): \(if $calm | never_late then "no slow key" else "hardly a slow key" end).** "
			+ "\($doc | loads_tried($calm) | upper_first), \(if ($r | late_most) == 0 then "none" else $r | late_words end) of the keys"
				+ " took longer than \($t); the slowest took \($calm | map(slowest) | max_by(at_most // 0) | figure_words)."
			+ ($calm | late_bound($doc) | if . == null then "" else " With 95 % confidence, at most \(percent) % are late at"
				+ " \(if $calm | length > 1 then "each of these \($calm | length) loads" else "this load" end)"
				+ if any($calm[]; .late_interval == "exact") then
					", if stalls are independent of each other and take half a second." else "." end end)
			+ ([$calm[].same_group | values] | unique | if $role != "light" or ($calm | last.sinks) < 5 then ""
				elif . == [0] then
				" It runs in its own scheduling group, which may be why; `--app light,grouped` can tell."
					elif . == [1] then
					" The scheduler may protect programs that need little CPU; this run did not vary that."
						else "" end)
		elif $j.is == "bad" then ($calm | last) as $most
			| "**\($who): late \($j.from).** \($r | late_words) of the keys took longer than \($t) \($doc | with_load($r.sinks))"
			+ (if $most.sinks != $r.sinks then ", \($most | late | figure_words) \($doc | with_load($most.sinks))"
				else "" end)
			+ ([$calm[0], $most] | map(figure("latency_p50_ms")) | if any(at_least == null)
				or $calm[0].sinks == $most.sinks then "."
				elif decided($doc; $calm | rise) | holds then
					". The median " + (if (.[0] | at_least) < (.[1] | at_least) then "rises" else "falls" end)
						+ " from \(.[0] | figure_words) to \(.[1] | figure_words)."
				else ". The median is \(.[0] | figure_words) \($calm[0].sinks as $n | $doc | with_load($n)), \(.[1] | figure_words)"
					+ " \($doc | with_load($most.sinks))." end)
			+ (if $rows | any(.overloaded > 0) then
				" It \(first($rows[] | select(.overloaded > 0)) | overload_words($doc))." else "" end)
		elif $j.is == "overloaded" then
			"**\($who): \($r | overload_words($doc)).**"
				+ ([$rows[] | select(.overloaded > 0).backlog_max_per_s | values] | max
					| if . == null then "" else " Unanswered keys grow by up to \(number) a second." end)
				+ " Response times are omitted: they would grow with the length of the run."
		else "**\($who): this run cannot tell whether keys are late.** \($r | late_words) of the keys took longer than \($t)"
			+ " \($doc | with_load($r.sinks))\(if $r | late | is_range then
				": screen updates give only a range."
					+ if $doc | attached then "" else " The reference application (`--app heavy`) is exact." end
				else ". More repeats narrow the interval (`--repeat 10`)." end)" end;
		($r | late_figure) + {verdict: {good: "good", bad: "bad", overloaded: "bad", unsure: "unsure"}[$j.is]});

# ---- fair sharing: (hogs + 1) processes that each want all of a CPU get equal shares ----
def gap: .period_ms as $p | {value: (.mean_stall_ms + $p), low: (if .mean_stall_ms_low == null then null else
	[.mean_stall_ms_low + $p, 0] | max end),
	high: (if .mean_stall_ms_high == null then null else .mean_stall_ms_high + $p end), unit: "ms", above: false,
	both: ((figure("mean_stall_ms").both | values | map(. + $p)) // null)};
def fair_pair: (gap | figure_words + figure_interval) as $is
	| "fair sharing would give one update every \(.fair_stall_ms + .period_ms | with_unit("ms")); measured: \($is)";

def widest: max_by(figure("mean_stall_ms") | with_both | (.high // 0) - (.low // 0));
def fair_sharing: . as $doc
	| (rows_of("heavy") | usable | map(select(.mean_stall_ms != null and .fair_stall_ms != null
		and .overloaded == 0))) as $known
	| ($known | map(select(.fair_stall_ms > 0))) as $full | ($full | map(select(.is_fair == "no"))) as $off
	| if $full == [] or ($full | last.sinks) == 0 or attached then empty else
		# from the row that shows it, if any: the verdict in words, its id, and what follows
		(if any($known[]; .splits_updates == "yes") then [null, "unsure",
			"**Fair sharing cannot be tested here**: one update of the application reaches the screen as up to"
			+ " \($known | map(.updates_per_key // 1) | max | number) updates."]
		elif $off == [] and all($full[]; .is_fair == "yes") then
			[($full | last), "good", "**Stalls are as long as fair sharing makes them, \(fair_near).**",
			" and 1/\($full | last.sinks + 1) of the CPU,", ""]
		elif $off == [] then [($full | map(select(.is_fair == null)) | widest), "unsure",
			"**Stalls differ too much between repeats to test fair sharing.**", ",", ""]
		elif all($off[]; .stalls_longer == "yes") then [($off | max_by(.mean_stall_ms - .fair_stall_ms)), "bad",
			"**Stalls are longer than fair sharing explains.**", ",",
			" Something else may take CPU time, or an update may need more CPU time than was set."]
		elif all($off[]; .stalls_longer == "no") then [($off | min_by(.mean_stall_ms - .fair_stall_ms)), "none",
			"**The application gets more than a fair share.**", ",",
			if all($off[]; .same_group == 0) then
				" It is in another scheduling group than the CPU hogs, which may be why." else "" end]
		else [null, "unsure", "**Stalls are partly longer, partly shorter than with fair sharing**, at"
			+ " \($off | map(.sinks | tostring) | and_list) CPU hogs: too noisy to tell more."] end) as [$row, $verdict,
				$head, $gets, $so]
		| finding("fair-sharing"; $head + if $row == null then "" else
				" \($doc | with_load($row.sinks) | upper_first)\($gets) \($row | fair_pair).\($so)" end;
			($row | if . == null then {} else gap end) + {$verdict, figure: "mean-stall"}) end;

# A key held down beside typed keys with the largest load, by Welch's test for all conditions together; of several protocols, the
# one where they differ most.
def held: with_entries(select(.key | startswith("mean_stall_ms") | not))
	+ with_entries(select(.key | startswith("hold_mean_stall_ms")) | .key |= ltrimstr("hold_"));
def held_rows: [measured_rows("summary")[] | select(.mean_stall_ms != null and .hold_mean_stall_ms != null)]
	| length as $n | map(.claim = differs(.; held; "mean_stall_ms"; $n));
def held_keys: . as $doc | several as $several | held_rows | map(.more = decided($doc; .claim))
	| group_by(.app)[] | .[0].app as $app | (map(.sinks) | max) as $most
	| map(select(.sinks == $most)) | map(select(.more | holds)) as $apart | any(.more != null) as $told
	| max_by([(.more | holds), (.hold_mean_stall_ms - .mean_stall_ms | fabs)])
	| finding("held-\($app)"; "**\($doc | app_name($app) | upper_first): "
		+ (if $told | not then "too few repeats to compare held with typed keys (three are needed)"
			elif $apart == [] then "no difference shown between held and typed keys"
			elif $several then "held and typed keys differ over \($apart | map(.protocol) | and_list)"
			else "held and typed keys differ" end)
		+ "** \($doc | with_load($most)): the mean stall is \(level("hold_mean_stall_ms")) with a held key,"
		+ " \(level("mean_stall_ms")) with typed keys"
		+ "\(if $several then " (over \(.protocol), where the difference is largest)" else "" end).";
		figure("hold_mean_stall_ms")
			+ {verdict: (if $apart == [] and $told then "none" else "unsure" end), figure: "mean-stall"});

# Vim in the CPU hogs' scheduling group and in its own, with the largest load of both: mean stall and median, by Welch's test for
# all protocols together.
def group_pairs: [systems[] as $system | [over($system) | rows_of("light", "grouped") | map(select(.repeats > 0))]
		| [.[0][] as $alone | .[1][] | select(.sinks > 0 and .sinks == $alone.sinks and .same_group == 1 and $alone.same_group == 0)
			| {$system, sinks, grouped: ., $alone}] | max_by(.sinks) | values]
	| (length * 2) as $n | map(. as $pair | .claims = (["mean_stall_ms", "latency_p50_ms"]
		| map({key: ., value: (. as $c | $pair | differs(.alone; .grouped; $c; $n))}) | from_entries));
def grouping: . as $doc | group_pairs | select(. != [])
	| def longer($c; $one; $other): map(select((decided($doc; .claims[$c]) | holds)
		and ([.[$one, $other] | figure($c) | at_least] | .[0] > .[1])).system);
	  def over($systems): if $doc | several then " over \($systems | and_list)" else "" end;
	  def told($c): "\(.grouped | level($c)) and \(.alone | level($c))";
	  longer("mean_stall_ms"; "grouped"; "alone") as $stalls | longer("latency_p50_ms"; "grouped"; "alone") as $keys
	| longer("mean_stall_ms"; "alone"; "grouped") as $own_stalls | longer("latency_p50_ms"; "alone"; "grouped") as $own_keys
	| finding("grouping"; "**" + (if all(.grouped.repeats < 3 or .alone.repeats < 3) then
			"Too few repeats to tell what vim's own scheduling group does"
		elif all(.claims[] | decided($doc; .) == null) then "This run cannot tell what vim's own scheduling group does"
		elif $stalls != [] then "In the CPU hogs' scheduling group vim stalls longer than in its own\(over($stalls))"
		elif $own_stalls != [] then "In its own scheduling group vim stalls longer than in the CPU hogs'\(over($own_stalls))"
			+ (if $keys == [] then "" else ", though it answers sooner" end)
		elif $keys != [] then "In the CPU hogs' scheduling group vim answers later than in its own\(over($keys)); longer"
			+ " stalls are not shown"
		elif $own_keys != [] then "In its own scheduling group vim answers later than in the CPU hogs'\(over($own_keys))"
		else "No difference shown between vim in the CPU hogs' scheduling group and in its own" end) + ".**"
		+ (map(" \(.sinks as $n | $doc | with_load($n) | upper_first)\(over([.system])), in their group and in its own:"
			+ " mean stall"
			+ " \(told("mean_stall_ms")), median key \(told("latency_p50_ms")).") | add);
		(max_by(.grouped.mean_stall_ms // 0).grouped | figure("mean_stall_ms"))
			+ {figure: "mean-stall", verdict: (if $stalls + $own_stalls == [] then "unsure" else "none" end)});

# Late although the sum of costs, beside as many CPU hogs, is less than the period. (Beside them nothing of the CPU is measured.)
def late_below_saturation: . as $doc
	| [rows_of("heavy") | usable[] | select(.sinks > 0 and .overloaded == 0 and .fits_period == "yes" and .is_late == "yes")]
	| select(. != []) | last | finding("late-below-saturation";
		"**Keys are late although fair sharing would leave enough CPU time.** \(late_words) are late"
			+ " \(.sinks as $n | $doc | with_load($n)). By arithmetic, not measured: with fair sharing, \(.sinks + 1) ×"
			+ " \(key_cpu_ms($doc) | with_unit("ms")) of CPU time, that of a key without load, fit before the next key.";
		late_figure + {verdict: "bad"});

# ---- without load: how much of a response the server's frame clock and the link explain ----
def idle_rows: first(all_roles as $role | rows_of($role) | usable
	| map(select(.sinks == 0 and (figure("latency_p50_ms") | at_least) != null)) | select(. != [])) // [];
# The parts of frame clock and link are calculated, not measured, so the text says "would".
def idle_response: . as $doc | idle_rows[0] as $r | select($r != null)
		| ($r | figure("latency_p50_ms")) as $f | .run.protocol.floor_ms as $floor | link_ms($r.wire_bytes_per_key) as $link
		| (.run.protocol.floor_of // "the mean wait for the next frame") as $wait
		| (if ($r.cost_ms // 0) == 0 then $r | level("latency_p50_ms") else ($r.cost_ms | plain) as $cost
			| $f | .value |= (values | . - $r.cost_ms) | .from |= (values | . - $r.cost_ms)
				| .to |= (values | . - $r.cost_ms)
			| "\(figure_words) beyond its own \($cost) ms" end) as $takes
		| [(if ($floor // 0) > 0 then "\($wait) would be \($floor | with_unit("ms"))" else empty end),
			(if $link == null then empty elif $link < 0.005 then "the link would add less than 0.01 ms"
				else "the link would add \($link | with_unit("ms"))" end)] as $parts
		| finding("idle-response";
			if $f | is_unresolved then "**\($doc | unloaded | upper_first), the response is too fast to measure**:"
				+ " less than the probe's error of \(resolution | with_unit("ms"))."
			else "**\($doc | unloaded | upper_first), the median response takes \($takes).**"
				+ (if $parts == [] then "" else " By arithmetic, not measured: \($parts | join("; "))."
					+ if $r.floor_is_most == "yes" then
						" So \(if $r.floor_is_all == "yes" then "all" else "most" end) of it may be the server's own wait."
						elif $r.link_is_less == "no" then " So most of it may be the link." else "" end end)
				+ (if attached then " The client cannot tell which part is the server's."
					elif ($floor // 0) > 0 then "" else " No wait of the server itself is known"
						+ (.run.protocol.frame_rate_per_s // 0 | if . > 0 then
							"; half a frame, at its \(plain) frames/s, would be \(500 / . | with_unit("ms"))" else "" end)
						+ "." end) end;
			$f + {figure: "latency-cdf"});

# ---- several curves: each is judged separately, in one finding ----
# The largest load that all curves have, of rows; null if there is none.
def common_most: group_by(.protocol) | map(map(.sinks)) | reduce .[1:][] as $loads (.[0] // []; . - (. - $loads)) | max;
# `more`: the curve is late also at each higher load, and there is at least one.
def judged($role): . as $doc | (rows_of($role) | usable | common_most) as $n
	| [systems[] as $system | $doc | over($system) | judge($role) as $j | select($j != null)
		| $j + {$system, most: (rows_of($role) | usable | map(select(.sinks == $n)) | first),
			more: (rows_of($role) | map(select(.sinks > $j.row.sinks)) | $j.row.sinks > 0 and . != []
				and all(.repeats > 0 and .keys > 0 and (.overloaded > 0 or .is_late == "yes")))}];
def names: map(.system) | and_list;
def count_of($doc; $all): ($doc | systems_word) as $word | if ($all | length) == 1 then names
	elif length == ($all | length) then "each of the \(length) \($word)" else "\(length) of the \($all | length) \($word)" end;
def breaks($doc): map(select(.is == "bad")) | sort_by(.row.sinks) | group_by(.from)
	| map("\(.[0].from) over \(names) ("
		+ (map(.row | late | [at_least, at_most]) | add | [min, max] | map(fixed(0)) | if .[0] == .[1] then .[0]
			else join(" to ") end)
		+ " % of keys over \($doc | threshold | plain) ms \(.[0].row.sinks as $n | $doc | with_load($n)))")
	| and_list | select(. != "") | ", \(.)";
def clause_several($doc): . as $all | map(select(.is | IN("bad", "overloaded"))) as $bad
	| if $bad != [] then "late over \(if any(.is == "unsure") then "at least " else "" end)\($bad | count_of($doc; $all))"
	  elif all(.is == "good") then
		(if all(.fast) then "fast" elif any(.fast) then "fast or without a late key" else "no late key" end)
		+ (if all(.most.sinks? == 0) then " \($doc | with_load(0))" else "" end)
		+ " over \(count_of($doc; $all))" + ([.[] | "\(.unmeasured[]) over \(.system)"] | but_unmeasured)
	  else "this run cannot tell whether keys are late over \(map(select(.is == "unsure")) | names)" end;
def late_several($role): . as $doc | judged($role) as $all | select($all != [])
	| ($all | map(select(.is | IN("bad", "overloaded"))) | group_by([.row.sinks, .more])) as $bad
	| $all[0].most.sinks as $n
	| ($all | sort_by(.most // {} | late_most // 0)) as $ends
	| def share: .system as $s | .most | "\(late_words) over \($s)";
	finding("late-\($role)"; "**\(role_name($role) | upper_first): \($all | clause_several($doc)).**"
		+ ([($bad[] | "\(.[0] as $b | ($doc | with_load($b.row.sinks)) + if $b.more then " and more" else "" end
				| upper_first): \(names)."),
			($all | map(select(.is == "good")) | group_by(.fast | not)[]
				| (if .[0].fast then "Fast with every load tried" else "No late key with any load tried" end)
					+ ": \(map(.system + (.unmeasured | but_unmeasured)) | and_list)."),
			($all | map(select(.is == "unsure")) | select(. != [] and $bad != []) | "Cannot be told: \(names).")]
			| if length == 1 and $bad == [] then "" else map(" " + .) | add end)
		+ if $n == null then "" else " Keys later than \(threshold | plain) ms \($doc | with_load($n)): \($ends[0] | share)"
			+ (if $ends | length > 1 then "\(if $ends | length == 2 then " and" else " to" end) \($ends[-1] | share)"
				else "" end) + "." end;
		($ends[-1].most // {} | late_figure)
			+ {verdict: (if $bad != [] then "bad" elif all($all[]; .is == "good") then "good" else "unsure" end)});

def from_to($name): def one: "\(level($name)) over \(.protocol)";
	"\(.[0] | one)\(if length > 1 then (if length == 2 then " and " else " to " end) + (.[-1] | one) else "" end)";
# Input: rows in the order of a figure, of $n. By how much each exceeds the first, with intervals for all pairs of the $n together,
# since the data decide which is the first: "x11 is 0.4 ms (95 % CI 0.2 to 0.6 ms) slower than vnc."
def excess($name; $n): .[0] as $a | ($n * ($n - 1) / 2) as $pairs
	| .[1:] | map({who: .protocol, claim: differs($a; .; $name; $pairs)});
def more_words($doc; $name; $n; $more): .[0] as $a | if length < 2 then "" else
	excess($name; $n) | map(.is = decided($doc; .claim))
	| [(map(select(.is | holds) | "\(if .is.value == null then "" else "by " + ({value: .is.value, low: .is.low,
			high: .is.high, unit: unit_of($name)} | figure_words + figure_interval) + " " end)over \(.who)")
				| select(. != [])
			| "\($more | upper_first) than over \($a.protocol): \(and_list)"),
		(map(select(.is != null and (.is | holds | not)).who) | select(. != [])
			| "\(and_list) cannot be told apart from \($a.protocol)"),
		(map(select(.is == null).who) | select(. != [])
			| "without intervals, \([$a.protocol] + . | and_list) cannot be compared"
			| upper_first)] | map(" \(.).") | add end;
# Systems that are not among the rows.
def none_over($doc; $what): (($doc | systems) - map(.protocol)) | if . == [] then "" else " No \($what) over \(and_list)." end;
# For the application with a known cost, if it was measured: [those with the largest common load, those of them of which a redraw
# arrives as several updates, so that the time between updates shows no stalls].
def stall_rows: first(("heavy", "grouped", "light") as $role | rows_of($role) | usable
		| map(select(.mean_stall_ms != null)) | select(any(.overloaded == 0))) // [] | common_most as $n
	| map(select(.sinks == $n and .overloaded == 0)) | sort_by(.mean_stall_ms)
	| map(select(.splits_updates == "yes")) as $split | [. - $split, $split];
def stalls_several: . as $doc | stall_rows as [$rows, $split] | $rows[0].sinks as $n | $rows | select(. != [])
		| map(select(.fair_stall_ms != null and .fair_stall_ms > 0)) as $full
		| ($full | map(select(.is_fair == "no"))) as $off | ($full | map(select(.is_fair == null))) as $wide
		| finding("mean-stall"; "**The mean stall \($doc | with_load($n)) is \(from_to("mean_stall_ms"))"
			+ ".**" + more_words($doc; "mean_stall_ms"; $rows + $split | length; "longer")
			+ ($rows + $split | none_over($doc; "mean stall")) + " The jitter is \(sort_by(.jitter_sd_ms) | from_to("jitter_sd_ms"))."
			+ (if $full == [] then "" else
				" Fair sharing would give a mean stall of \($full | group_by(.fair_stall_ms) | if length == 1
					then .[0][0].fair_stall_ms | with_unit("ms") else map("\(.[0].fair_stall_ms | with_unit("ms"))"
						+ " over \(map(.protocol) | and_list)") | and_list end)"
				+ (if $off == [] then "" else "; different over \($off | map(.protocol) | and_list)" end)
				+ (if $wide == [] then ""
					else "; too variable to tell over \($wide | map(.protocol) | and_list)" end)
				+ (if $off + $wide == [] then "; all agree with it \(fair_near)." else "." end) end)
			+ (if $split == [] then "" else " One update of the application reaches the screen as several over"
				+ " \($split | map(.protocol) | and_list), so that the time between updates shows no stalls." end);
			(.[-1] | figure("mean_stall_ms"))
				+ {figure: "mean-stall", verdict: (if $off + $wide == [] then "none" else "unsure" end)});
def idle_sorted: idle_rows | sort_by(figure("latency_p50_ms") | at_most);
def idle_several: . as $doc | idle_sorted | select(. != [])
		| finding("idle-response"; "**\($doc | unloaded | upper_first), the median response is \(from_to("latency_p50_ms")).**"
			+ more_words($doc; "latency_p50_ms"; length; "slower") + none_over($doc; "such median")
			+ if any($doc.summary[]; .sinks > 0) then " Medians with load are not compared." else "" end;
			(.[-1] | figure("latency_p50_ms")) + {figure: "latency-cdf"});

def claims: held_rows[].claim, group_pairs[].claims[], late_claims,
	# (Each row of stalls may be the first: which of them split updates is decided in the same step.)
	if several then (stall_rows[0] | length as $n | range($n) as $i | .[$i:] | excess("mean_stall_ms"; $n)[]),
		(idle_sorted | excess("latency_p50_ms"; length)[]) | .claim
	else ("light", "heavy") as $role | rows_of($role) | usable | map(select(.overloaded == 0)) | select(. != [])
		| none_late, rise end;

def verdict_several: . as $doc | [all_roles as $role | judged($role) | select(. != [])
	| "\($doc | role_name($role) | if test("^[0-9]") then "An application that needs \(.)" else upper_first end):"
		+ " \(clause_several($doc))\(first(breaks($doc), ""))."] | if . == [] then nothing_measured else join(" ") end;
def verdict_single: [all_roles as $role | judge($role) as $j | select($j != null)
	| {is: $j.is, text: "\(role_name($role) | if test("^[0-9]") then "an application that needs \(.)" else . end) \($j.clause)"}]
	| if . == [] then nothing_measured else map(.text | upper_first) | join(". ") + "." end;
# Hogs that got less than a quarter of a CPU between them were no load, by whatever limit.
def no_load: [measured_rows("summary")[] | select(.sinks > 0 and .lacks_load == "yes")]
	| if . == [] then "" else " But the CPU hogs themselves got only \(map(.load_share_percent) | [min, max] | map(percent) | unique
		| join(" to ")) % of a CPU \(map(.sinks) | unique | map(tostring) | "with \(and_list)"): that was not the load asked for." end;
def verdict: (if several then verdict_several else verdict_single end) + no_load;
def findings: (if several then [late_several("light"), grouping, late_several("heavy"), stalls_several, held_keys, idle_several,
		probe_finding]
	else [late("light"), grouping, late("heavy"), held_keys, fair_sharing, late_below_saturation, idle_response,
		probe_finding] end)[:5];

def views:
	view("main"; "summary"; "Response time by load"; {by: "app", breaks: ["sinks", "late_share_percent", 5]};
		"protocol? sinks late_share_percent latency_p50_ms latency_p90_ms latency_max_ms"),
	view("updates"; "summary"; "Screen updates"; {by: "app"};
		"protocol? sinks mean_stall_ms hold_mean_stall_ms fair_stall_ms largest_gap_ms jitter_sd_ms hold_jitter_sd_ms"
			+ " updates_per_key"),
	view("stages"; "stages"; "Where the time of a key goes (means)"; {by: "app"};
		"protocol? sinks stage mean_ms p50_ms p90_ms max_ms keys"),
	view("wire"; "summary"; "On the wire"; {by: "app"};
		"protocol? sinks wire_updates_5ms wire_updates wire_updates_20ms wire_mean_stall_ms"
			+ " wire_jitter_sd_ms hold_wire_mean_stall_ms hold_wire_jitter_sd_ms wire_bytes_per_key"),
	view("blocks"; "summary"; "From the wire alone (keys in drained blocks)"; {only: "wire_keys", by: "app"};
		"protocol? sinks wire_keys wire_exact_percent wire_latency_p50_ms"),
	view("run"; "summary"; "Quality"; {by: "app"};
		"protocol? sinks repeats? marked? keys skipped_keys? lateness_max_us left_late_max_ms server_busy_percent disturbed_percent_max");
