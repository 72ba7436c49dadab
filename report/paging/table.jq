# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - first key in memory and paged out, as the paper has them, one line a cell, for a terminal.
include "lib";
include "paging/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
def line: if .repeats == 0 then [cell_name, .state] else [cell_name, least_mean_most("in_memory"), median("in_memory"),
	least_mean_most("paged_out"), median("paged_out"), (.second_paged_out_p50_ms | number),
	(if .session | protected then "protected: \(least_mean_most("kept"))" elif .not_evicted > 0 then "\(.not_evicted) of \(.attempts)" else "" end)] end;

[["first key, ms", "in memory: min / avg / max", "p50", "paged out: min / avg / max", "p50", "second key", "not evicted"]] + [.rows[] | line]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] // "" | length] | max] as $width
| $all[] | [to_entries[] | .key as $c | .value // "" | if $c == 0 or $c == 6 then left($width[$c]) else right($width[$c]) end] | " " + join("  ") | sub(" +$"; "")
