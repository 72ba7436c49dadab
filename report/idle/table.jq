# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - lost time a minute by whose it was, and the bound beside the measured wait, for a terminal.
include "lib";
include "idle/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
def line: if .repeats == 0 then [system_name, "failed"] else [system_name, (.lost_ms_per_min | ms), (.own_ms_per_min // null | if . == null then "" else ms end), (.kernel_ms_per_min // null | if . == null then "" else ms end),
	(if .above_ms_per_min == null then "" else .above_ms_per_min | ms end), (.foreign_ms_per_min // null | if . == null then "" else ms end), (.longest_ms | ms), (.bound_1ms_percent | share), measured_share(1)] end;

[["ms of CPU a minute", "lost", "lab's", "kernel", "above none", "others'", "longest ms", "wait >1 ms: bound %", "measured %"]] + [.rows[] | line]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] // "" | length] | max] as $width
| $all[] | [to_entries[] | .key as $c | .value | if $c == 0 then left($width[$c]) else right($width[$c]) end] | " " + join("  ")
