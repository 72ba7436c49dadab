# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - bytes on the wire by protocol and work, one line a protocol, for a terminal.
include "lib";
include "protocols/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
def kb($what): if . == null then "" elif .state == "failed" then "failed" else (.total_wire_bytes / 1000 | if . >= 9.95 then grouped else fixed(1) end) + (if .state == "different" then "*" else "" end) end;

. as $doc | works as $works | (if ($works | length) > 1 then $works + ["all"] else $works end) as $what
| [["KB on the wire"] + ($what | map(if . == "all" then "all" else work_words end)) + (if ($works | length) > 1 then ["messages", "bytes each", "VIP saves"] else [] end) + ["set-up", "idle/min", "key: bytes in", "out"]]
+ [protocols[] as $p | [$p] + [$what[] as $w | $doc | row($p; $w) | kb($w)]
	+ (if ($works | length) > 1 then ($doc | row($p; "all") | if sound then [(.total_messages | grouped), (.mean_message_ip_bytes | grouped), "\(.vip_saving_percent | fixed(1)) %"] else ["", "", ""] end) else [] end)
	+ [($doc | row($p; "setup") | kb("setup")), ($doc | row($p; "idle") | kb("idle"))]
	+ ($doc | row($p; "key") | if sound then [(.input_wire_bytes | fixed(0)), (.display_wire_bytes | fixed(0))] else ["", ""] end)]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] | length] | max] as $width
| ($all[] | [to_entries[] | .key as $c | .value | if $c == 0 then left($width[$c]) else right($width[$c]) end] | " " + join("  ") | sub(" +$"; "")),
(if any($doc.rows[]; .state == "different") then " * did not do the same work" else empty end)
