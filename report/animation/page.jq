# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run of animations.
include "lib";
include "markdown";
include "animation/say";

def span($name; f): .[$name] as $v | if $v == null then "" else ($v | f) + (if .[$name + "_low"] == null then "" else " (\(.[$name + "_low"] | f)–\(.[$name + "_high"] | f))" end) end;

. as $doc | .run as $run | ($run.settings // {}) as $set
| "# What a small looping animation costs",
"",
"\(at_a_time); \($doc.rows | map(system_name) | join(", ")); \(plural($set.repeats // 1; "repeat"; "repeats")), in random order; \($set.link | link_words); run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured. What is missing may change what the rest says." | note($run.state != "complete")),
("**Indicative: \(plural($set.repeats // 1; "repeat"; "repeats")).** Five or more make a result." | note(($set.repeats // 1) < 5)),
("**\($doc | disturbed_words)**" | note($doc | disturbed_words != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## Bandwidth over time",
"",
"![Bandwidth over time, one panel a protocol: frames that are new, and the loop](figures/bandwidth.svg)",
"",
"Display data on the wire, pieces of half a second, time from when measuring began, of the first repeat. A protocol that remembers frames lies low with the loop once each frame has been sent; one that does not, as high as with new ones. The scale is logarithmic.",
"",
"## The loop",
"",
"On the wire, all headers included. In brackets the 95 % interval of the mean, where there are repeats. Sent: \"again\", a frame of the loop costs at least 80 % of one that was never shown before, in the same session; \"cached\", at most 20 %; \"in part\", between.",
"",
table(["protocol", "display, Mbit/s", "bytes a frame", "bytes a new frame", "share, %", "sent", "drawn a second", "seen a second", "late, %", "packets a frame", "input, Mbit/s"];
	[$doc.rows[] | if .repeats == 0 then [system_name, .state] + ["", "", "", "", "", "", "", "", ""] else [system_name, span("mbit_per_s"; mbit), span("frame_wire_bytes"; fixed(0)), span("new_frame_wire_bytes"; fixed(0)), span("share_percent"; fixed(1)), .verdict,
		(.shown_per_s | fixed(1)), span("seen_per_s"; fixed(1)), (.late_percent | percent), (.packets_per_frame | number), (.input_mbit_per_s | mbit)] end]),
"A frame as it is takes \([$doc.rows[].frame_bytes | values] | first | kb); the chance in it, which lossless coding of a frame by itself cannot go below, \([$doc.rows[].information_bytes | values] | first | kb) (content: \($set.content)).",
"",
"## How many users a link has room for",
"",
table(["protocol", "10 Mbit/s", "100 Mbit/s", "1000 Mbit/s", "server CPU, %", "with new frames, %"];
	[$doc.rows[] | select(.repeats > 0) | [system_name, (.users_10mbit | fixed(0)), (.users_100mbit | fixed(0)), (.users_1000mbit | fixed(0)), span("cpu_percent"; fixed(1)), (.new_cpu_percent | fixed(1))]]),
"Whole users, by display data alone, each with one such animation in sight. CPU: of what the server's host runs for one user, display server and animation included, in percent of one CPU. Wong & Seltzer (2000) found 2.0 Mbit/s with X, 0.8 with LBX, 0.01 with RDP.",
"",
(if any($doc.rows[]; .banner_share_percent != null) then
"## The banner",
"",
"\($set.banner_size | sub("x"; " x ")) pixels, \($set.banner_frames) frames, \($set.rate_per_s) a second: a round is stored, the next one measured. In 256 colours it is 5.6 MB, by which the paper judged the caches of its day.",
"",
table(["protocol", "Mbit/s", "bytes a frame", "bytes a new frame", "share, %", "sent", "seen a second"];
	[$doc.rows[] | select(.banner_share_percent != null) | [system_name, (.banner_mbit_per_s | mbit), (.banner_frame_wire_bytes | fixed(0)), (.banner_new_frame_wire_bytes | fixed(0)), (.banner_share_percent | fixed(1)), .banner_verdict, (.banner_seen_per_s | fixed(1))]])
else empty end),
"## Left out, marked, not certain",
"",
([$doc.rows[] | (if .state == "not measured" then "\(system_name): not measured." elif .failed > 0 then "\(system_name): \(plural(.failed; "repeat"; "repeats")) failed." else empty end),
	(if .marked > 0 then "\(system_name): \(plural(.marked; "repeat"; "repeats")) marked, others had over 20 % of the server's CPU." else empty end),
	(if .repeats > 0 and .seen_per_s == null then "\(system_name): nobody looked at the client's screen; bytes are by frames drawn." else empty end),
	(if lost then "\(system_name): \(.seen_per_s | fixed(1)) of \(.shown_per_s | fixed(1)) frames a second arrive; bytes a frame are of those." else empty end)]
	| if . == [] then "Nothing." else .[] | item end),
"",
"## How it was measured",
"",
("An application draws the frames on an absolute schedule; each carries its number as a small pattern of black and white cells, and a program in front of the client's screen reads the number whenever something was drawn there: a frame that it saw was really shown." | item),
("For every cell the session is new. First run frames none of which is ever shown again: the price of a new frame, whatever the protocol compresses, with losses or without. Then the loop, with other pictures, measured after each frame was shown once." | item),
("Content \"mixed\": squares of 10 pixels, in turn noise of 256 colours and one colour, so that compressing does not hide what remembering does. A frame that comes again is the same to the last pixel." | item),
("\"pixmaps\": the application sends each frame once to its display and copies it there (XCopyArea), as toolkits and browsers do; otherwise it sends each frame every time (XPutImage)." | item),
("Bytes are of Ethernet frames without preamble and gap, captured at the server's link, from when the first measured frame was due to when the one after the last would be." | item),
"",
"Decoding of pictures by a browser, and its own CPU, are outside all figures.",
"",
(([$set.absent // [] | .[] | "\(.protocol): \(.why)"] + ($run.lab.missing // [])) | if . == [] then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended], ($run.protocols // {} | to_entries[] | [.key, .value.says]),
	($run.lab | facts | rows_for("lab: ")), ($run.host | facts | rows_for(""))] | map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), bandwidth.tsv, run.json, cells/ (every frame drawn and seen, bytes in pieces of \($set.bin_ms // 100) ms).",
"Made again from them by: thinprobe report RUN."
