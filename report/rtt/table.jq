# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - pings and keys by load, for a terminal.
include "lib";
include "rtt/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
[["link", "load", "really, %", "probe", "n", "mean ms", "sd", "variance", "median", "most", "lost %", "M/D/1 wait"]]
+ [.rows[] | [(.link | mbit) + (if .queue == "fifo" then "" else " " + .queue end), (if .load == 0 then "none" else "\(.load) % \(.transport)" end)]
	+ (if .repeats == 0 then [.state] else [(.load_percent | fixed(1)), .probe, "\(.n)", later + (.mean_ms | ms), (.sd_ms | ms), (.variance_ms2 | ms2), (.p50_ms | ms), later + (.max_ms | ms), (.lost_percent | percent), (if .transport == "random" and .load < 100 then .md1_wait_ms | ms else "" end)] end)]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] // "" | length] | max] as $width
| $all[] | [to_entries[] | .key as $c | .value | if $c < 2 or $c == 3 then left($width[$c]) else right($width[$c]) end] | " " + join("  ")
