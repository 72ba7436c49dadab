# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - what each protocol remembers, one line a system, for a terminal.
include "lib";
include "cache/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
def share: if . == null then "" else fixed(0) end;
def line: if .repeats == 0 then [system_name, .state] else [system_name, (if .verdict == "none" then "no cache" elif .verdict == "unclear" then "unclear" else cliff_words end), (.new_frame_wire_bytes | fixed(0)), (.hit_wire_bytes | fixed(0)),
	(.fits_mbit_per_s | mbit), (.over_mbit_per_s | mbit), (.over_hits_percent | share), (.random_hits_percent | share), (.hot_hits_percent | share), (.policy // "")] end;

[["cache", "frames", "a new one", "a hit", "fits, Mbit/s", "over", "hits: loop %", "random", "hot", "gives up"]] + [.rows[] | line]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] // "" | length] | max] as $width
| $all[] | [to_entries[] | .key as $c | .value // "" | if $c == 0 or $c == 9 then left($width[$c]) else right($width[$c]) end] | " " + join("  ") | sub(" +$"; "")
