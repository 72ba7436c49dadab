# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - one line a setting: echo of both applications, coalesced echoes, what the load kept; for a terminal, beside the first load.
include "lib";
include "schedulers/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");

. as $doc | resolution as $res | first_load as $n | main_cost as $cost
| [["setting, beside \($n) sinks", "vim: p50", "tail", "\($cost) ms: p50", "tail", "coalesced %", "load kept %"]]
	+ [asked[] | .setting as $s | $doc | table_cell($s; "light"; null; $n) as $l | table_cell($s; "heavy"; $cost; $n) as $h
		| [($s | says($doc)), (if $l | there then $l | p50($res), tail($res) else "", "" end),
		   (if $h | there then $h | p50($res), tail($res), (.coalesced_percent | fixed(0)), (.load_share_percent | fixed(0)) else "not measured", "", "", "" end)]]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] | length] | max] as $width
| ($all[] | [to_entries[] | .key as $c | .value | if $c == 0 then left($width[$c]) else right($width[$c]) end] | " " + join("  ")),
  ($doc | settings[] | select(.here | not) | " \(.says): not on this machine: \(.why)")
