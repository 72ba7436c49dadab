# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - what a loop takes, one line a system, for a terminal.
include "lib";
include "animation/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
def line: if .repeats == 0 then [system_name, .state] else [system_name, (.mbit_per_s | mbit), (.frame_wire_bytes | fixed(0)), (.new_frame_wire_bytes | fixed(0)), .verdict,
	(.users_10mbit | users), (.seen_per_s | if . == null then "?" else fixed(1) end), (.cpu_percent | if . == null then "?" else fixed(1) end)] end;

[["loop", "Mbit/s", "bytes a frame", "a new one", "sent", "users, 10 Mbit/s", "seen/s", "server CPU %"]] + [.rows[] | line]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] // "" | length] | max] as $width
| $all[] | [to_entries[] | .key as $c | .value // "" | if $c == 0 or $c == 4 then left($width[$c]) else right($width[$c]) end] | " " + join("  ") | sub(" +$"; "")
