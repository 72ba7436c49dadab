# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of paging found.
include "words";

def swap_words: if startswith("slow:") then (.[5:] | sub("(?<unit>[a-z]+)$"; " \(.unit)")) + " a read"
	elif . == "file" then "swap file" else . end;
def session_words: {plain: "unprotected", private: "private copies", unswapped: "not swapped", beside: "own memory group",
	low: "memory.low", throttled: "batch work throttled"}[.] // .;
def out_rows: [measured_rows("summary")[] | select(.paged_out_n > 0)];
def none_out: measured_rows("summary") != [] and out_rows == [];
def title: "First key into a session \(if none_out then "under memory pressure" else "that was paged out" end):"
	+ " \(.run.settings.protocols // [] | and_list)";
def setup: ["an editor in a terminal\(.run.settings.server_memory
		| if . == null then "" else " on a server with \(.) of memory" end)",
	"\(repeats_words), each \(.run.settings.runs | if . == null then "" else "of \(plural("run")) " end)with an"
		+ " attempt to page the session out and as many without",
	if none_out then "no session was paged out" else empty end,
	run_words] | sentence;
def labels: {value: {swap: (measured_rows("summary") | map(.swap) | words_for(swap_words)),
	session: (["plain", "private", "unswapped", "beside", "low", "throttled"] | words_for(session_words))}};

def within($values): ($values | min) as $least | ($values | max) as $most
	| if ($least | number) == ($most | number) then $most | with_unit("ms") else range_words($least; $most; "ms") end;
# harder: longer than beside a process that takes the memory and then rests, by both intervals.
def decisions: threshold as $limit | (.summary // []) as $all | .summary[]? |= (. as $r
	| (first($all[] | select(.session == "plain" and .method == "hog" and .protocol == $r.protocol and .swap == $r.swap)) // {})
		as $base
	| ask({longer: exceeds(figure("paged_out_p50_ms"); figure("in_memory_p50_ms")), is_late: above("paged_out_p50_ms"; $limit),
		harder: exceeds(figure("paged_out_p50_ms") | interval_alone; $base | figure("paged_out_p50_ms") | interval_alone),
		kept_late: above("kept_p50_ms"; $limit), typed_late: above("typed_max_ms"; $limit),
		kept_breaks: exceeds(figure("kept_p50_ms") | interval_alone; {value: $limit}),
		second_late: above("second_paged_out_p50_ms"; $limit),
		second_twice: exceeds(figure("second_paged_out_p50_ms"); figure("in_memory_p50_ms") | scaled(2)),
		second_felt: above("second_paged_out_p50_ms"; 20)}));
# Ratio of medians: a lower bound if the numerator is one, none if the denominator is one.
def ratio: if (.in_memory_p50_ms // 0) > 0 and .in_memory_p50_ms_above != 1 and .paged_out_p50_ms != null then
	.paged_out_p50_ms / .in_memory_p50_ms else null end;
def times: ratio as $ratio | if $ratio == null then null else "\(if .paged_out_p50_ms_above == 1 then "more than " else "" end)"
	+ "\($ratio | fixed(if . >= 9.95 then 0 else 1 end)) times" end;

def verdict: ([out_rows[] | select(.session == "plain")] | max_by(.paged_out_p50_ms)) as $worst
	| ([measured_rows("summary")[] | select(.kept_n > 0 and (.session | IN("unswapped", "beside", "low", "throttled")))]
		| min_by(.kept_p50_ms // infinite)) as $kept
	| [measured_rows("summary")[] | select(.typed_max_ms != null)] as $typed
	| if measured_rows("summary") == [] then nothing_measured
	  elif $worst == null and $typed != [] then "Beside a process that tries to fill the memory, the slowest key while typing takes "
		+ ($typed | map("\(figure("typed_max_ms") | figure_words) (\(.session | session_words))") | join(", ")) + "."
	  elif $worst == null then "No unprotected session was paged out: there is nothing to compare."
	  else "The first key after a session was paged out takes \($worst | level("paged_out_p50_ms"))"
		+ " (\(if [measured_rows("summary")[].protocol] | unique | length > 1 then "\($worst.protocol), " else "" end)"
		+ "\($worst.swap | swap_words); median)"
		+ ($worst | times | if . == null then "; with the session in memory it is not known."
			else ", \(.) as long as with the session in memory"
				+ (if $worst.longer == "yes" then "." else " (not shown to be longer)." end) end)
		+ if $kept == null then "" else " A session that is \({unswapped: "in a memory group that may not swap",
			beside: "given its own memory group", low: "protected by memory.low",
			throttled: "typed into while batch work is throttled"}[$kept.session])"
			+ " takes \($kept | level("kept_p50_ms")) under the same pressure"
			+ (if $kept.kept_n < $kept.attempts then
				", in the runs in which it was kept (\($kept.kept_n) of \($kept.attempts))."
				else "." end) end end;

# The main condition, as in the paper: another process takes the memory and then rests; if it was not measured, another method.
def paged: out_rows | map(select(.session == "plain" and (.method | IN("busy", "typing") | not))) | group_by([.protocol, .swap])
	| map(first(.[] | select(.method == "hog")) // .[0]) | sort_by(.paged_out_p50_ms) | select(. != []) | last as $worst
		| finding("paged-out"; (if any(.longer == "yes") then "**After paging out, the first key takes "
			+ "\(map(select(.longer == "yes")) | max_by([.paged_out_p50_ms_above == 1, ratio, .paged_out_p50_ms])
				| (times | values | "\(.) as long") // (figure("paged_out_p50_ms") | figure_words)
				| if startswith("more") then . else "up to " + . end)**: "
			else "**It is not shown that the first key takes longer after paging out**: " end)
			+ (map("\(level("paged_out_p50_ms")) over \(.protocol) (\(.swap | swap_words), \(.method); "
				+ "in memory \(figure("in_memory_p50_ms") | figure_words))") | join("; ")) + ".";
			($worst | figure("paged_out_p50_ms")) + {figure: "first-key",
				verdict: (if $worst.is_late == "yes" then "bad"
					elif any(.longer == "yes") then "none" else "unsure" end)});

def harder: out_rows
	| map(select((.session == "plain" and .method == "busy") or (.session == "private" and .method == "hog")))
	| select(. != []) | (map(select(.harder == "yes")) | length) as $longer
		| finding("harder"; (if $longer == length then
				"**The first key takes longer still if memory stays scarce or more must be read**: "
			elif $longer > 0 then "**In \($longer) of \(length | plural("condition")), the first key takes longer still**: "
			else "**It is not shown that the first key takes longer still if memory stays scarce or more must be read**: " end) + (map(
			(if .method == "busy" then "while the other process keeps using its memory"
				else "with private copies of the programs" end)
			+ " \(level("paged_out_p50_ms")) (\(.protocol), \(.swap | swap_words))") | join("; ")) + ".";
		(max_by(.paged_out_p50_ms) | figure("paged_out_p50_ms"))
			+ {verdict: (if $longer > 0 then "bad" else "unsure" end), figure: "first-key"});

def group_mib($groups): $groups[.protocol].group_bytes | if . then " (\(. / 1048576 | fixed(0)) MiB)" else "" end;
def protected: (.run.unswapped // {}) as $unswapped
	| [measured_rows("summary")[] | select(.session | IN("unswapped", "beside", "low"))]
	| select(. != []) | (min_by(.kept_p50_ms // infinite)) as $best
		| map(select(.kept_n > 0 and .kept_n == .attempts)) as $kept
		| ($kept | map(select(.kept_breaks == "no")) | length) as $always
		| finding("protected"; (if $always > 0 then
				"**Protection works\(if $always < length then " in \($always) of \(length | plural("condition"))" else "" end)**: "
			elif $kept != [] then "**Protection keeps the session in memory, but the first key may still be late**: "
			elif $best.kept_n > 0 then "**Protection works only at"
				+ " times**: " else "**No protection worked**: " end)
			+ (map((.session | session_words) + (if .session == "unswapped" then group_mib($unswapped) else "" end) + ", "
				+ (if .kept_n == 0 then "kept in no run" else
					"\(level("kept_p50_ms")), the latest \(figure("kept_max_ms") | figure_words)"
					+ (if .kept_n == .attempts then ""
						else ", but kept only in \(.kept_n) of \(.attempts) runs" end) end)
				+ " (\(.protocol))")
				| join("; ")) + ", while another process uses more memory than the server has.";
			($best | figure("kept_p50_ms")) + {verdict: (if $always > 0 then "good"
				elif any($kept[]; .kept_late == "yes") then "bad" elif $best.kept_n > 0 then
					"unsure" else "bad" end),
				figure: "first-key"});

# The same hog, throttled after a key and not throttled: continuous typing, and the first key after a pause.
def throttled: measured_rows("summary") as $all | [$all[] | select(.session == "throttled")] as $rows
	| select($rows != [])
	| def row($session; $method): first($all[] | select(.session == $session and .method == $method
			and .protocol == $rows[0].protocol
			and .swap == $rows[0].swap)) // {};
		def typed: "\(figure("typed_max_ms") | figure_words) (median \(figure("typed_p50_ms") | figure_words))";
		row("throttled"; "typing") as $t | row("plain"; "typing") as $p | row("throttled"; "busy") as $tb
			| row("plain"; "busy") as $pb
		| finding("throttled"; "**Throttling batch work while a user types** (\($rows[0].protocol), \($rows[0].swap | swap_words)): "
			+ ([if $t.typed_max_ms == null then empty
				else "beside a process that tries to fill the memory, the slowest key takes \($t | typed)"
					+ if $p.typed_max_ms == null then "" else ", without throttling \($p | typed)" end end,
				if $tb.paged_out_p50_ms == null then empty
					else "after a pause that paged the session out, the first key takes"
					+ " \($tb | level("paged_out_p50_ms"))"
					+ if $pb.paged_out_p50_ms == null then ""
						else ", without throttling \($pb | level("paged_out_p50_ms"))" end end]
				| join("; ")) + ".";
			(if $t.typed_max_ms != null then $t | figure("typed_max_ms") else $tb | figure("paged_out_p50_ms") end)
				+ {figure: "first-key", verdict: (if $t.typed_max_ms == null then "none" else sure_verdict($t.typed_late) end)});

def second: out_rows | map(select(.second_paged_out_p50_ms != null and .in_memory_p50_ms != null))
	| select(. != []) | map(select(.second_late == "yes")) as $again
	| map(select(.second_late == null)) as $untold
	| map(select(.second_twice == "yes" and .second_felt == "yes")) as $slow
	| finding("second-key"; (if $again != [] then
				"**The second key is late, too, in \($again | length) of \(length | plural("condition"))**: "
			elif $untold != [] then "**This run cannot tell whether the second key is late**: "
			elif $slow != [] then
				"**The second key takes over twice as long as in memory in \($slow | length) of \(length | plural("condition"))**: "
			elif all(.is_late == "yes") then "**By the median, only the first key is late**: "
			else "**By the median, the second key is not late**: " end)
		+ "after the first key has brought the pages back, the second takes \(within(map(.second_paged_out_p50_ms)))"
			+ "\(if any(.second_paged_out_p50_ms_above == 1) then " or more" else "" end), the latest"
			+ " \(map(figure("second_paged_out_max_ms")) | max_by(at_most // 0) | figure_words).";
		(max_by(.second_paged_out_p50_ms) | figure("second_paged_out_p50_ms"))
			+ {verdict: (if $again != [] then "bad" elif $untold + $slow != [] then "unsure" else "good" end)});

def proof: [measured_rows("summary")[] | select(.not_evicted > 0)] as $not | out_rows | if . == [] and $not == [] then empty else
	(map(.evicted_percent_min) | min) as $least
	| finding("evicted"; (if . == [] then "**No run was paged out**" else
			"**Paging out was verified**: at least \($least | percent) % of the private anonymous memory of editor and terminal was in "
			+ "swap, and each had at least \(map(.major_faults_min) | min | plural("major fault")) after the key" end)
				+ "."
		+ if $not == [] then "" else " Runs excluded because too little memory was in swap, or it came back from the swap cache: "
			+ ($not | map("\(.not_evicted) of \(.attempts) runs (\(.protocol), \(.swap | swap_words), \(.session | session_words), "
				+ "\(.method))") | join("; ")) + "." end;
		{value: $least, unit: "%", verdict: (if $not == [] then "good" else "unsure" end), figure: "timeline"}) end;

# (The second key also has a table.)
def findings: if measured_rows("summary") == [] then [] else [paged, harder, protected, throttled, proof, second][:5] end;

def views:
	view("medians"; "summary"; "First key"; {by: "protocol"};
		"swap session method in_memory_p50_ms paged_out_p50_ms paged_out_max_ms kept_p50_ms not_evicted"),
	view("typing"; "summary"; "While somebody types"; {only: "typed_max_ms", by: "protocol"};
		"swap session method typed_n typed_p50_ms typed_max_ms typed_above evicted_percent_min"
			+ " second_paged_out_p50_ms second_kept_p50_ms"),
	view("range"; "summary"; "First key: least, mean and largest"; {by: "protocol"};
		"swap session method in_memory_min_ms in_memory_mean_ms in_memory_max_ms paged_out_min_ms"
			+ " paged_out_mean_ms paged_out_max_ms kept_min_ms kept_mean_ms kept_max_ms"),
	view("residency"; "summary"; "In memory before the key, and read after it"; {by: "protocol"};
		"swap session method evicted_percent_min swap_bytes file_resident_bytes file_others_bytes"
			+ " major_faults major_faults_min minor_faults read_percent swap_in_bytes"),
	view("second"; "summary"; "Second key"; {by: "protocol"};
		"swap session method second_in_memory_p50_ms second_in_memory_max_ms second_paged_out_p50_ms"
			+ " second_paged_out_max_ms second_kept_p50_ms second_kept_max_ms"),
	view("excluded"; "summary"; "Excluded runs"; {by: "protocol"};
		"swap session method attempts not_evicted? not_evicted_percent_min why not_in_memory? failed?");
