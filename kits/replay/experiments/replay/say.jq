# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what replays of a user's own session on servers of his own found.
include "words";
include "replays";

def title: "A session of your own, replayed";
def setup: .run.settings as $set | "the session of \($set.trace // "?" | sub(".*/"; "")); "
	+ "\($set.rows | length | plural("VNC server")); \($set.repeats // 0 | plural("replay")) on each; \(run_words).";
def level_words: if .p50_ms == null then "its responses could not be found" else
	"half of its responses come within \(.p50_ms | with_unit("ms")), the latest after \(.max_ms | with_unit("ms"))" end;
def single: base_row | if . == null then "No replay was measured." else
	"The session takes \(.total_s | seconds), and \(level_words)." end;
def outliers_words: (.outliers // []) as $rows | . as $doc | select($rows != [])
	| finding("outliers"; "**The latest responses**, compared with the median of the same input on the first server: "
		+ "\($rows | map("\(input_words($doc)) took \(.latency_ms | with_unit("ms")) in replay \(.repeat) on \(.setting), "
			+ "instead of \(.usual_ms | with_unit("ms"))") | join("; ")).";
		{value: $rows[0].latency_ms, unit: "ms", figure: "outliers"});
# Of servers of others only what is seen: updates that follow each other at a frame's pace.
def seen_floor: .run.frame_ms as $ms | select($ms != null) | floor_words("are half the time between updates: these come "
	+ "no closer than \($ms | with_unit("ms")), as from a frame clock of \(1000 / $ms | fixed(0)) a second");
def replay_verdict: if (.run.settings.rows | length) == 1 then single else verdict end;
def verdict: replay_verdict;
def findings: [unanalyzed, kinds, seen_floor, outliers_words, most_grown, delivered][:6];

def views:
	main_view,
	view("more"; "summary"; "Conditions"; {}; "says failed? inputs_least inputs_of_trace waited?");
