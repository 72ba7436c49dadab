# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - latency of a key by round trip time and loss, a line each protocol, for a terminal.
include "lib";
include "wan/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
def link_name: "\(.rtt_ms | plain) ms\(if .loss_percent > 0 then ", \(.loss_percent | plain) %" else "" end)\(if alone then "" else ", \(.keys_per_s | plain)/s" end)";
def figure: if . == null or .repeats == 0 then "-" elif .p50_ms == null then ">\(.max_ms | number)" elif ranged_too then "\(.p50_ms | number)-\(.p50_late_end_ms | number) / >\(.max_ms | number)" else "\(.p50_ms | number) / \(.max_above | above)\(.max_ms | number)" end;

. as $doc | (reduce (.rows[] | link_name) as $l ([]; if index($l) then . else . + [$l] end)) as $links
| [["echo, ms: p50 / max"] + $links + ["slope"]] + [protocols[] as $p
	| [$p] + [$links[] as $l | first($doc.rows[] | select(.protocol == $p and link_name == $l)) // null | figure] + [$doc | slope($p) | if . == null then "" else .slope | fixed(2) end]]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] | length] | max] as $width
| $all[] | [to_entries[] | .key as $c | .value | if $c == 0 then left($width[$c]) else right($width[$c]) end] | " " + join("  ")
