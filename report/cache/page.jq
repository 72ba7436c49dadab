# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run of the search for caches.
include "lib";
include "markdown";
include "cache/say";

. as $doc | .run as $run | ($run.settings // {}) as $set
| "# How many frames of an animation each protocol remembers",
"",
"Frames of \(size_words) pixels, \($set.rate_per_s) a second, content \($set.content); \($doc.rows | map(system_name) | join(", ")); loops of up to \($set.most) frames; \(plural($set.repeats // 1; "repeat"; "repeats")); \($set.link | link_words); run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured. What is missing may change what the rest says." | note($run.state != "complete")),
("**Indicative: \(plural($set.repeats // 1; "search"; "searches")) of each.** Five or more make a result." | note(($set.repeats // 1) < 5)),
("**\($doc | disturbed_words)**" | note($doc | disturbed_words != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## Bandwidth by the number of frames",
"",
"![Bandwidth of loops by their number of frames, one panel a protocol, with the cliff that was found](figures/cliff.svg)",
"",
"Every dot is a loop, measured after a round that stored its frames. Both scales are logarithmic. Wong & Seltzer (2000, Figure 7): 0.01 Mbit/s with RDP up to 65 frames, 0.96 from 66 on, by an LRU cache of 1.5 MB.",
"",
table(["protocol", "frames that fit", "the next that does not", "longest tried", "a new frame, bytes", "a hit, bytes", "cache as sent", "as pictures", "scan: loops", "agree"];
	[$doc.rows[] | if .repeats == 0 then [system_name, .state, "", "", "", "", "", "", "", ""] else [system_name, (if .verdict == "none" then "no cache" elif .verdict == "unclear" then "unclear" else .frames_low end), .frames_high, .frames_most,
		(.new_frame_wire_bytes | fixed(0)), (.hit_wire_bytes | fixed(0)), (.cache_sent_bytes | kb), (.cache_picture_bytes | kb), (if .scan_points > 0 then .scan_points else "" end), (if .scan_points > 0 then .scan_agree else "" end)] end]),
"As pictures: the frames that fit at 4 bytes a pixel; as sent: at what a new frame costs on the wire.",
"",
(if all($doc.rows[]; .fits_mbit_per_s == null) then empty else
"## As time goes by",
"",
"![Hits so far, bandwidth and server CPU of the longest loop that fits and one that does not](figures/overtime.svg)",
"",
"From the first frame of the loop on. Hits so far are cumulative, as in the paper's Figure 6: the first round stores and cannot hit.",
"",
table(["protocol", "fits: Mbit/s", "CPU, %", "seen/s", "over: frames", "Mbit/s", "CPU, %", "seen/s"];
	[$doc.rows[] | select(.fits_mbit_per_s != null) | [system_name, (.fits_mbit_per_s | mbit), (.fits_cpu_percent | fixed(1)), (.fits_seen_per_s | fixed(1)), .over_frames, (.over_mbit_per_s | mbit), (.over_cpu_percent | fixed(1)), (.over_seen_per_s | fixed(1))]]) end),
(if all($doc.rows[]; .over_hits_percent == null) then empty else
"## Which frames are given up",
"",
table(["protocol", "places", "loop: frames", "hits, %", "random order: frames", "hits, %", "tell places", "hot: frames", "hits, %", "policy"];
	[$doc.rows[] | select(.over_hits_percent != null) | [system_name, (.places | fixed(0)), .over_frames, (.over_hits_percent | percent), .random_frames, (.random_hits_percent | percent), (.random_places | fixed(0)), .hot_frames, (.hot_hits_percent | percent), (if (.policy // "") == "" then "not told" else .policy end)]]),
"A loop longer than the cache hits nothing with LRU and with FIFO, exp(−(n − 1)(1 − h)/C) = h with random replacement, (C − 1)/(n − 1) where what was shown last goes. A random order hits (C − 1)/(n − 1) with all but the last: it tells the size C. Hot frames every second time hit half of all showings with LRU, fewer with FIFO, which does not care that they are shown. A policy is named where simulating it with the very orders that were shown is off by no more than 12 points in any, and the next one by 5 more.",
"" end),
"## Left out, marked, not certain",
"",
([$doc.rows[] | (if .state == "not measured" then "\(system_name): not measured." elif .failed > 0 then "\(system_name): \(plural(.failed; "repeat"; "repeats")) failed." else empty end),
	(if .marked > 0 then "\(system_name): marked, others had over 20 % of the server's CPU." else empty end),
	(if .verdict == "size" and .random_places != null and (.random_places - .frames_low | fabs) > 0.2 * .frames_low then "\(system_name): random order tells \(.random_places | fixed(0)) places, the cliff \(.frames_low): the cache is no fixed number of frames, or gives up places by chance." else empty end)]
	| if . == [] then "Nothing." else .[] | item end),
"",
"## How it was measured",
"",
("A new frame's price, by frames of which none is shown twice; a hit's, by a loop of two. There is a cache where the second is less than half of the first. What costs b hits in (new − b)/(new − hit) of all cases." | item),
("The longest loop that hits (in most showings) is doubled until one does not, then bisected. Every loop has pictures of its own and is measured over whole rounds, after one that stored them." | item),
("Frames are counted by their numbers on the user's screen, and bytes are of Ethernet frames at the server's link. CPU is of all that the server's host runs, in percent of one CPU, looked at once a second." | item),
("\"pixmaps\": the application sends its frames once to pixmaps of its display and copies them there; what remembers is the display, for the application." | item),
"",
(([$set.absent // [] | .[] | "\(.protocol): \(.why)"] + ($run.lab.missing // [])) | if . == [] then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended], ($run.protocols // {} | to_entries[] | [.key, .value.says]),
	($run.lab | facts | rows_for("lab: ")), ($run.host | facts | rows_for(""))] | map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), points.tsv (every step), overtime.tsv, run.json, cells/ (every frame drawn and seen).",
"Made again from them by: thinprobe report RUN."
