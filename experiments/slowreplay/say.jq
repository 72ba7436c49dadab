# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run on a disk that is all but stopped found.
include "words";
include "replays";

def title: "A session replayed on a disk that is all but stopped";
def setup: replays_setup;
def labels: replays_labels;
def verdict: compared[0] as $slow
	| if $slow == null then "There is nothing to compare: the replay on the slow disk is not there."
	  else "The session takes \($slow.total_ratio | times) times as long, and the replay "
		+ if $slow.failed > 0 then "does not always come to its end." elif $slow.inputs_least == $slow.inputs_of_trace then
			"comes to its end with every input delivered." else "comes to its end with inputs missing." end end;
def slower: base_row as $base | .run.settings.over as $over | compared[0] | values | finding("slower";
	"**The session takes \(.total_ratio | times) times as long** with "
	+ "\(.delay_ms | plain) ms for each read and write\(if $over then ", and their data at the rates of \($over)" else "" end): "
	+ "\($base.total_s | seconds) becomes \(.total_s | seconds).";
	figure("total_ratio") + {figure: "total"});
def findings: [slower, delivered, most_grown, unanalyzed];
