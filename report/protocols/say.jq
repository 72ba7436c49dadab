# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of protocols found, in words.
include "lib";

def works: .run.settings.works // [];
def work_words: {text: "editing a text", draw: "drawing", browse: "looking at pages", all: "all of it", setup: "set-up", window: "a terminal comes", idle: "an idle minute", key: "a key"}[.] // .;
def protocols: .run.settings.protocols // [];
def row($protocol; $what): first(.rows[] | select(.protocol == $protocol and .what == $what)) // null;
def sound: . != null and .state == "complete";
# Rows that count of one kind, those with fewest bytes first.
def ranked($what): [protocols[] as $p | row($p; $what) | select(sound)] | sort_by(.total_wire_bytes);

def bytes:	# as people say it; 1 KB is 1,000 bytes, as on a link
	if . == null then "" elif . >= 999500 then "\(. / 1e6 | if . >= 9.95 then fixed(1) else fixed(2) end) MB" elif . >= 9995 then "\(. / 1000 | fixed(0)) KB" elif . >= 999.5 then "\(. / 1000 | fixed(1)) KB" else "\(number) bytes" end;
def times: if . >= 9.95 then fixed(0) elif . >= 1.95 then fixed(1) else fixed(2) end;
def count: if . == null then "" elif . >= 9.95 then fixed(0) else fixed(1) end;
def grouped: if . == null then "" else fixed(0) | . as $t | [range(0; $t | length) as $i | (if $i > 0 and (($t | length) - $i) % 3 == 0 then "," else "" end) + $t[$i:$i + 1]] | join("") end;
def span_of($k): if .[$k] == null then "" else (.[$k] | grouped) + (if .[$k + "_low"] == null then "" else " (\(.[$k + "_low"] | grouped)–\(.[$k + "_high"] | grouped))" end) end;

# The whole, first to last, each with how many times the first; whose intervals meet are not told apart.
def order_words($rows): $rows[0] as $least
	| [$rows | to_entries[] | .key as $i | .value | "\(.protocol) \(.total_wire_bytes | bytes)" + (if $i == 0 then "" else
		" (\(.total_wire_bytes / $least.total_wire_bytes | times) times\(if .total_wire_bytes_low != null and $rows[$i - 1].total_wire_bytes_high != null and .total_wire_bytes_low <= $rows[$i - 1].total_wire_bytes_high then ", not told apart from \($rows[$i - 1].protocol)" else "" end))" end)]
	| join(", ");

# Of one kind of work alone there is no sum.
def together: if works | length == 1 then works[0] else "all" end;
def whole:
	ranked(together) as $r
	| if ($r | length) == 0 then empty
	  elif ($r | length) == 1 then "The same work (\(works | map(work_words) | join_and)) takes \($r[0].total_wire_bytes | bytes) on the wire over \($r[0].protocol), \($r[0].display_wire_bytes / $r[0].total_wire_bytes * 100 | fixed(0)) % of it in the display channel."
	  else "The same work (\(works | map(work_words) | join_and)) takes least over \(order_words($r)), in bytes on the wire, both channels. The display channel has \([$r[] | .display_wire_bytes / .total_wire_bytes * 100] | "\(min | fixed(0)) to \(max | fixed(0))") % of them." end;

def each_work:
	. as $doc | [works[] as $w | ($doc | ranked($w)) as $r | select(($r | length) > 1) | "\($w | work_words): \(order_words($r))"] | if length < 2 then empty else "By work: \(join("; "))." end;

# Does the order of 1999 still hold?
def as_in_1999:
	row("x11"; "all") as $x | row("rdp"; "all") as $r | row("nx"; "all") as $n
	| if ($x | sound) and ($r | sound) then
		($r.total_ip_bytes / $x.total_ip_bytes * 100) as $share
		| "In 1999 RDP took 13 % of the bytes of X for work of this kind" + (if $n | sound then " and 23 % of those of LBX" else "" end) + "; here it takes \($share | fixed(0)) %"
		+ (if $n | sound then " and \($r.total_ip_bytes / $n.total_ip_bytes * 100 | fixed(0)) % of those of NX, which stands where LBX stood; NX takes \($n.total_ip_bytes / $x.total_ip_bytes * 100 | fixed(0)) % of X (LBX: 57 %)" else "" end) + "."
	  else empty end;

def messages:
	ranked(together) as $r
	| if ($r | length) < 2 then empty else
		($r | min_by(.mean_message_ip_bytes)) as $small | ($r | max_by(.mean_message_ip_bytes)) as $large | ($r | min_by(.vip_saving_percent)) as $little | ($r | max_by(.vip_saving_percent)) as $much
		| "A message on the wire has on average \($small.mean_message_ip_bytes | grouped) bytes (\($small.protocol)) to \($large.mean_message_ip_bytes | grouped) (\($large.protocol)), IP headers included; without IP headers work would take \($little.vip_saving_percent | fixed(1)) % (\($little.protocol)) to \($much.vip_saving_percent | fixed(1)) % (\($much.protocol)) less." end;

def payload: .input_payload_bytes + .display_payload_bytes;
def one_key: "\(.protocol) \(.total_wire_bytes | fixed(0)) (\(.input_wire_bytes | fixed(0)) + \(.display_wire_bytes | fixed(0)); payload \(.input_payload_bytes | fixed(0)) + \(.display_payload_bytes | fixed(0)))";
def keys:
	ranked("key") as $r
	| if $r == [] then empty else
		"A key in vim with its echo, bytes on the wire (input + display): \([$r[] | one_key] | join(", ")).",
		([$r[] | .ethernet_percent + .ip_percent + .transport_percent] | "Of these bytes \(min | fixed(0)) to \(max | fixed(0)) % are Ethernet, IP and TCP headers, since almost every packet is as small as a key.") end;

# Why one key differs from another on the wire: how many packets, of which acknowledgements alone; how many messages the protocol makes of a
# press and a release; what encryption adds.
def of_each(what): [ranked("key")[] | "\(.protocol) \(what)"] | join(", ");
def why_key:
	ranked("key") as $r
	| if ($r | length) < 2 then empty else
		"Why: every packet brings 66 bytes of headers, so what counts is how many there are: packets for a key, bare acknowledgements among them in brackets: \(of_each("\(.total_packets | fixed(1))" + if .total_acks == null then "" else " (\(.total_acks | fixed(1)))" end)).",
		([{least: 0, most: 1.5, words: "press and release go in one message (or without a release)"}, {least: 1.5, most: 2.5, words: "as a message each"}, {least: 2.5, most: 1e9, words: "with more beside them, such as a request for the next picture"}]
			| map(. as $c | [$r[] | select(.input_messages >= $c.least and .input_messages < $c.most) | .protocol] | select(. != []) | "\($c.words) over \(join_and)") | join("; ") | (.[0:1] | ascii_upcase) + .[1:] + "."
			| if startswith("As a") then "Press and release go " + (.[0:1] | ascii_downcase) + .[1:] elif startswith("With more") then "Press and release go " + (.[0:1] | ascii_downcase) + .[1:] else . end),
		([$r[] | select((.tls_percent // 0) > 0.05) | "\(.tls_percent * .total_wire_bytes / 100 | fixed(0)) bytes over \(.protocol)"] | if . == [] then empty else "Of a key, headers of TLS records are \(join(", ")); what seals each record comes on top." end) end;

def compulsory:
	. as $doc
	| ([ranked("setup")[] | "\(.protocol) \(.total_wire_bytes | bytes)" + (.protocol as $p | $doc | row($p; "window") | if sound then " (and \(.total_wire_bytes | bytes) for a first terminal)" else "" end)]) as $setup
	| ranked("idle") as $idle | ([$idle[] | select(.total_wire_bytes == 0) | .protocol]) as $silent | ([$idle[] | select(.total_wire_bytes > 0) | "\(.protocol) \(.total_wire_bytes | bytes)"]) as $talk
	| if $setup == [] then empty else "Set-up of a session, until its view is at rest: \($setup | join(", "))." end,
	  (if $idle == [] then empty else "In an idle minute: " + ([(if $silent == [] then empty else "nothing over \($silent | join_and)" end), ($talk | if . == [] then empty else join(", ") end)] | join("; ")) + (if .run.settings.idle_seconds < 10 then " (from \(.run.settings.idle_seconds) s)" else "" end) + "." end);

def unlike: [.rows[] | select(.what != "all" and (.different // 0) > 0) | "\(.protocol), \(.what | work_words): \(if .state == "different" then "always" else "in \(.different) of \(.repeats + .different) repeats" end) (up to \(.differs_percent | fixed(1)) % of the pixels differ)"];
def not_the_same: unlike | if . == [] then empty else "Did not do the same work, by what the view showed at the end, and so in no comparison: \(join("; "))." end;
def not_measured: [.rows[] | select(.state == "failed" and .what != "all" and (.what | IN("window", "idle", "key") | not)) | "\(.protocol), \(.what | work_words)"] | if . == [] then empty else "Not measured: \(join("; ")); the report says why." end;
def absent_words: [.run.lab.missing // [] | .[] | sub(": .*"; "")] | if . == [] then empty else "Not on this machine: \(join(", ")); the report says why." end;
def terminals: [protocols[] as $p | select(all(works[] as $w | row($p; $w); . == null)) | $p] | if . == [] or (.[0] == null) then empty else "Keys only over \(join_and): there is no view in which graphical work could be done and compared." end;

def findings: [whole, each_work, as_in_1999, messages, keys, why_key, compulsory, (if works == [] then empty else terminals end), not_the_same, not_measured, absent_words] | if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;

def disturbed_words: [.rows[] | select((.marked // 0) > 0 and (.what | IN("all", "window", "idle", "key") | not)) | "\(.protocol), \(.what | work_words)"] | if . == [] then null else
	"Others had much of the server's CPU meanwhile, so that updates may have come together: \(join("; "))." end;
def repeats_words: .run.settings.repeats // 0 | if . < 5 then "indicative: \(plural(.; "repeat"; "repeats"))" else null end;
