# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - offset and spread by path, probe and delay, for a terminal.
include "lib";
include "calibrate/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
def cells: [(.path | path_name(.)), .probe, .delay, (.keys | tostring), (.injected_ms | ms), (.measured_ms | ms), (.offset_ms | ms), (.sd_ms | ms),
	(if .tail_percent == null then "" else "p\(.tail_percent) \(.tail_ms | ms)" end), (.there_ms | ms), (.back_ms | ms)];

[["path", "probe", "delay", "keys", "injected", "measured", "offset", "sd", "tail − p50", "there", "back"]]
	+ [.rows[] | select(.keys > 0) | cells]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] | length] | max] as $width
| $all[] | [to_entries[] | .key as $c | .value | if $c < 3 then left($width[$c]) else right($width[$c]) end] | " " + join("  ")
