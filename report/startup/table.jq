# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - start-up by application, device and step, in seconds, for a terminal.
include "lib";
include "startup/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
def s: if there then above + (.startup_ms / 1000 | fixed(2)) else "-" end;

. as $doc | main_start as $start
| def axis_steps($axis): [$doc.rows[] | select(.axis == $axis and .start == $start) | .step] | unique | if $axis == "left" then reverse else . end;
  axis_steps("used") as $used | axis_steps("left") as $left
| def cell($app; $axis; $swap; $step): [$doc.rows[] | select(.app == $app and .start == $start and .axis == $axis and .swap == $swap and .step == $step)] | first | s;
  [["start-up, s (\($start))", "swap on", "T0"] + [$used[] | tostring] + [$left[] | tostring]]
	+ [$doc | apps_asked[] as $app | swaps_asked | to_entries[] | .value as $swap
		| [(if .key == 0 then $app else "" end), ($swap | swap_short), (if .key == 0 then $doc | base_row($app; $start) | s else "" end)] + [$used[] | cell($app; "used"; $swap; .)] + [$left[] | cell($app; "left"; $swap; .)]]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] // "" | length] | max] as $width
| (if ($used | length) + ($left | length) > 0 then
	([$width[:3][] + 2] | add) as $indent | ([$width[3:3 + ($used | length)][] + 2] | add // 0) as $room
	| (" " * $indent) + (if $used != [] then ("  MB in swap, hog asleep" | left($room)) else "" end) + (if $left != [] then "  memory left, % of its own, hog touching" else "" end) else empty end),
  ($all[] | [to_entries[] | .key as $c | .value // "" | if $c < 2 then left($width[$c]) else right($width[$c]) end] | " " + join("  "))
