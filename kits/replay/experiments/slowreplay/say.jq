# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run on a disk that is all but stopped found.
include "words";
include "replays";

def title: "A session replayed on a very slow disk";
def verdict: timed[0] as $slow | base_row as $base
	| if $slow == null then "The replay on the slow disk is missing, so there is nothing to compare."
	  else "The session takes \($slow | total_times) times as long on the slow disk; "
		+ if any($base, $slow; .failed > 0) then "some replays did not finish."
		  elif any($base, $slow; .inputs_of_trace == null or .inputs_least == null) then "all replays finished."
		  elif all($base, $slow; .inputs_least == .inputs_of_trace) then
			"all replays finished with every input delivered."
				else "all replays finished, but some inputs were not delivered." end end;
def slower: base_row as $base | .run.settings.over as $over | timed[0] | values | finding("slower";
	"**The session takes \(total_times) times as long** with "
	+ "\(.delay_ms | plain) ms for each read and write\(if $over then ", and transfers at \($over)" else "" end): "
	+ "\(.total_s | seconds) instead of \($base.total_s | seconds).";
	figure("total_ratio") + {figure: "total"});
def findings: [slower, delivered, most_grown, unanalyzed];

def views:
	main_view,
	view("more"; "summary"; "Conditions"; {};
		"says failed? marked? delay_ms inputs_least inputs_of_trace waited? server_busy_percent caches");
