# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - total and response times by setting, for a terminal.
include "lib";
include "replays/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");

def replays_table:
	. as $doc | [["setting", "total", "p25", "p50", "p75", "longest", "times the base's"]] + [.rows[] | if .repeats == 0 then [.says, .state, "", "", "", "", ""] else
		[.says, (.total_s | s), (.p25_ms // null | if . == null then "" else ms end), (.p50_ms // null | if . == null then "" else ms end), (.p75_ms // null | if . == null then "" else ms end), (.max_ms // null | if . == null then "" else ms end),
		(if .ratio == null then "" else ratio_words end)] end]
	| . as $all | [range($all[0] | length) as $c | [$all[][$c] | length] | max] as $width
	| $all[] | [to_entries[] | .key as $c | .value | if $c == 0 then left($width[$c]) else right($width[$c]) end] | " " + join("  ");
