# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run of protocols.
include "lib";
include "markdown";
include "protocols/say";

def starred: .protocol + if .state == "different" then " *" else "" end;

# The paper's table, one line a protocol and channel.
def paper_table($doc; $what):
	table(["protocol", "channel", "bytes on the wire", "IP bytes", "payload", "messages", "packets", "IP bytes a message"];
		[$doc | protocols[] as $p | row($p; $what) | select(. != null and .state != "failed") | . as $r
			| ("input", "display", "total") as $c
			| [(if $c == "input" then starred else "" end), $c, span_of($c + "_wire_bytes"), (.[$c + "_ip_bytes"] | grouped), (.[$c + "_payload_bytes"] | grouped), (.[$c + "_messages"] | grouped), (.[$c + "_packets"] | grouped),
				(if (.[$c + "_messages"] // 0) > 0 then .[$c + "_ip_bytes"] / .[$c + "_messages"] | fixed(2) else "" end)]]);

def saving_table($doc; $what):
	table(["protocol", "IP bytes", "without IP headers", "saved, %"];
		[$doc | protocols[] as $p | row($p; $what) | select(sound) | [.protocol, (.total_ip_bytes | grouped), (.total_ip_bytes - 20 * .total_packets | grouped), (.vip_saving_percent | fixed(2))]]);

def counted($what): any(.rows[]; .what == $what and .state != "failed");

. as $doc | .run as $run | ($run.settings // {}) as $set
| "# The same work over every protocol",
"",
"\($set.protocols | join(", ")); \($set.works | map(work_words) | join_and | if . == "" then "keys only" else . end); \(plural($set.repeats; "repeat"; "repeats")), in random order; \($set.link | link_words); run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured. What is missing may change what the rest says." | note($run.state != "complete")),
("**Indicative: \(plural($set.repeats; "repeat"; "repeats")).** Five or more make a result." | note($doc | repeats_words != null)),
("**A quick run**: only the first part of each piece of work was done." | note($set.quick == true)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
(if $set.works == [] then empty else
"## Bytes of the same work",
"",
"![Bytes on the wire for each piece of work, input and display, one bar a protocol](figures/work.svg)",
"",
"Both channels on the wire, Ethernet headers and acknowledgements included. The scale differs from work to work.",
"",
(($set.works + (if ($set.works | length) > 1 then ["all"] else [] end) | reverse)[] as $w | select($doc | counted($w))
	| "### \($w | if . == "all" then "All work together" else work_words | (.[0:1] | ascii_upcase) + .[1:] end)", "", paper_table($doc; $w)),
(if any($doc.rows[]; .state == "different") then "\\* did not do the same work: what the view showed at the end was not what the others showed. In no comparison.", "" else empty end),
"In brackets the 95 % interval over the repeats, where there is more than one. A message is what can be seen as one on the wire (segments up to a push, a turn or a pause); the bytes a message are those of the paper: IP bytes over messages.",
"",
"### What IP headers cost",
"",
saving_table($doc; if ($set.works | length) > 1 then "all" else $set.works[0] end),
"For context, Wong & Seltzer (2000, section 6), IP bytes and messages of work of this kind in 1999 (a word processor, a paint program, a browser): RDP 2,245,475 in 3,577, LBX 9,615,786 in 93,506, X 16,933,170 in 40,142; a message 627.75, 102.84 and 421.83 bytes; savings 3.38, 19.45 and 4.94 %. The work was another: their ratios compare, their bytes do not.",
"" end),
(if $doc | counted("key") then
"## A key",
"",
"![Bytes on the wire of a key and its echo, payload and headers, input above display](figures/key.svg)",
"",
"vim in a terminal, \($set.keys) keys at \($set.rate_per_s) a second, the first ten left out; per key, both channels.",
"",
table(["protocol", "input: wire bytes", "payload", "packets", "display: wire bytes", "payload", "packets", "bare acknowledgements", "Ethernet, IP, TCP headers, %", "headers of TLS records, %"];
	[$doc | protocols[] as $p | row($p; "key") | select(sound) | [.protocol, (.input_wire_bytes | fixed(0)), (.input_payload_bytes | fixed(1)), (.input_packets | fixed(2)), (.display_wire_bytes | fixed(0)), (.display_payload_bytes | fixed(1)),
		(.display_packets | fixed(2)), (.total_acks | fixed(2)), (.ethernet_percent + .ip_percent + .transport_percent | fixed(1)), (.tls_percent | if . == null then "" elif . == 0 then "none" else fixed(1) end)]]),
"" else empty end),
(if $doc | counted("setup") then
"## Before anybody works",
"",
"Bytes on the wire, both channels. Set-up: from nothing until the view is at rest, without an application. Terminal: what the first window takes; where windows travel as requests, most of a session's set-up is there. Idle: \($set.idle_seconds) s in which nobody does anything, as a minute.",
"",
table(["protocol", "set-up", "input", "display", "terminal", "idle minute", "packets of it"];
	[$doc | protocols[] as $p | row($p; "setup") | select(sound) | . as $s | ($doc | row($p; "window")) as $w | ($doc | row($p; "idle")) as $i
		| [$p, span_of("total_wire_bytes"), (.input_wire_bytes | grouped), (.display_wire_bytes | grouped), (if $w | sound then $w | span_of("total_wire_bytes") else "" end), (if $i | sound then $i | span_of("total_wire_bytes") else "" end),
			(if $i | sound then $i.total_packets | fixed(0) else "" end)]]),
"For context, Wong & Seltzer (2000): 45,328 bytes for a session of TSE, 16,312 for X, nothing when idle.",
"" else empty end),
(if $set.works == [] then empty else
"## Was it the same work?",
"",
"What the person sees at the end, as a picture (cells/*/*/picture.png), against that of one protocol in the same repeat: percent of all pixels of which a colour differs by more than \($set.picture.steps) of 255 steps, the most of all repeats. Up to \($set.picture.differs_percent) % is the same: codecs lose a little, carets blink, a browser tells how long a page took.",
"",
table(["protocol"] + ($set.works | map(work_words)); [$doc | protocols[] as $p | select(any($set.works[] as $w | $doc | row($p; $w); . != null)) | [$p] + [$set.works[] as $w | $doc | row($p; $w) | if . == null then "" elif .differs_percent == null then .state else "\(.differs_percent | fixed(2))\(if .state == "different" then ", not the same" elif .different > 0 then ", not always the same" else "" end)" end]]),
"" end),
"## Left out, marked, not certain",
"",
([$doc.rows[] | select(.what | IN("all", "window", "idle", "key") | not) | (if .failed > 0 then "\(.protocol), \(.what | work_words): \(plural(.failed; "repeat"; "repeats")) not measured." else empty end),
	(if .restless > 0 then "\(.protocol), \(.what | work_words): the view did not come to rest in \(plural(.restless; "repeat"; "repeats"))." else empty end),
	(if .marked > 0 then "\(.protocol), \(.what | work_words): others had much of the server's CPU meanwhile in \(plural(.marked; "repeat"; "repeats")), so that updates may have come together." else empty end)]
	| if . == [] then "Nothing." else .[] | item end),
"",
"## How it was measured",
"",
("Each repeat of a protocol is a new session. Its set-up is captured from before the server starts; then a terminal with vim, nothing, and keys; then the work, each application started fresh and at rest before its capture begins: starts are in no figure of work." | item),
(if $set.works == [] then empty else "Work is one script of keys, motion and clicks with think times, sent on its schedule whatever the display does (keyrepeat, XTEST on the client's display; drags move every 20 ms): " + ([$set.scripts[]? | "\(.work | work_words) \(.keys) keys, \(.moves) ways of the pointer, \(.buttons) presses and turns in \(.seconds | number) s"] | join("; ")) + "." | item end),
("Captured at the server's end of the link and counted by prototap: packets and bytes as they cross, acknowledgements included; payload once." | item),
("Every protocol as its packages set it up, with the settings below: what a vendor would tune for a slow link is not tuned." | item),
"",
"Keyboard, USB, compositor and screen of a real client are outside all figures.",
"",
(($run.lab.missing // []) | if . == [] then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended],
	($run.protocols // {} | to_entries[] | [.key, "\(.value.says // .value.server); compression: \(.value.compression // "?"); encryption: \(.value.encryption // "?")\(if .value.frame_rate_per_s then "; \(.value.frame_rate_per_s) frames/s" else "" end)"]),
	($run.lab | facts | rows_for("lab: ")), ($run.host | facts | rows_for(""))] | map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), run.json, cells/ (what prototap reported, and the pictures).",
"Made again from them by: thinprobe report RUN."
