# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run over long links.
include "lib";
include "markdown";
include "wan/say";

def reached($name): if .[$name] == null then "" else .[$name] | number end;

. as $doc | .run as $run | ($run.settings // {}) as $set
| ($run.facts_after.link.line // $run.host.link.line // {}) as $line
| "# Keys over a long link",
"",
"\($set.protocols | join(", ")); \(if $set.app == "light" then "vim in a terminal" else "the reference application" end); \($set.link | link_words), delayed by \(if $line.kind == "wire" then "a delay line in user space (wire)" else "\($line.kind // "?")" end); \($set.keys) keys a train (\($set.loss_keys) with loss), \(plural($set.repeats // 0; "repeat"; "repeats")); run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured. What is missing may change what the rest says." | note($run.state != "complete")),
("**The hosts were lost**: \($run.reason)." | note($run.reason != null)),
("**Indicative: \(plural($set.repeats // 0; "repeat"; "repeats")).** Five or more make a result." | note(($set.repeats // 5) < 5)),
("**\($doc | disturbed_words)**" | note($doc | disturbed_words != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## Latency over the round trip time",
"",
"![Latency of a key over the round trip time, one line a protocol, with its slope](figures/rtt.svg)",
"",
"p50 over the round trip that ping found in the cell, without loss; a point for each cell with its 95 % interval where there are two repeats or more, and the line of least squares through the repeats. The slope is how many round trips a key takes: 1 is there and back, the least there can be (dashed). Where the line begins is what server and client need by themselves.",
"",
table(["protocol", "round trips a key (slope)", "begins at, ms", "scatter around it, ms", "points"];
	[$doc.slopes[] | [.protocol, (if .slope == null then "" else slope_span end), (.start_ms | number), (.spread_ms | number), .points]]),
(if any($doc.rows[]; .loss_percent > 0) then
"## Latency over loss",
"",
"![Latency of a key over the loss of the link, p50, p90 and the maximum, one panel a protocol](figures/loss.svg)",
"",
"At a round trip of \($set.loss_rtt_ms | plain) ms. Behind a lost packet all waits until it was sent again: soon, where others follow that tell of it; a key that stands alone has none that follow, and TCP finds out by its timers, after two round trips at best and 200 ms and more beyond one round trip at worst.",
"" else empty end),
"## All cells",
"",
"Latency in ms from when a key was due. In brackets the 95 % interval of p50. A percentile is there where ten keys lie beyond it. Keys/s: typed at that rate; else every key stood alone. Updates a key: below 1 where one picture answered several keys; which keys these were is then a range (\"to\"), and what stands beside it is its early end.",
"",
table(["protocol", "round trip, ms", "by ping", "loss, %", "lost, %", "keys/s", "p50", "p90", "p99", "max", "later than \(threshold) ms, %", "updates a key", "keys", "unanswered"];
	[$doc.rows[] | if .repeats == 0 then [.protocol, (.rtt_ms | plain), "", (.loss_percent | plain), "", "", .state] + ["", "", "", "", "", "", ""] else
		[.protocol, (.rtt_ms | plain), (.ping_ms | number), (.loss_percent | plain), (if .lost_percent == null then "" else "\(.lost_percent | fixed(2)) (\(.lost_percent_low | fixed(2))–\(.lost_percent_high | fixed(2)))" end),
		(if alone then "" else .keys_per_s | plain end), (if ranged_too then "\(.p50_ms | number) to \(.p50_late_end_ms | number)" else with_span("p50_ms") end), reached("p90_ms"), reached("p99_ms"), "\(.max_above | above)\(.max_ms | number)", (.late_percent | percent), (.updates_per_key | fixed(2)), .keys, .unanswered] end]),
"## Method",
"",
("Two emulated hosts, the server on CPU \($run.lab.cpus_server), the client on CPU \($run.lab.cpus_client). One session per protocol stays connected for the whole run while the link changes under it, in random order (seed \($set.seed)).",
 "Every key stands alone: the next one is due two round trips and 250 ms later (up to a third of that later still, at random). The first \($set.skip) keys of a train are left out: they also teach TCP the new round trip.",
 (if $set.app == "light" then "The echo is the change of pixels at the client. Which key it answers is told by the place of the terminal's caret, exactly, or else by the number of updates." else "The echo is read from the reference application's patch at the client: exact." end),
 "Loss is each packet's own, by a seeded sequence: the same repeat of two protocols meets the same sequence. What TCP makes of it depends on which packets these are.",
 (if $line.kind == "wire" then "The link: each frame gets its time when it is read (its turn at the rate, then the delay) and is handed over when that has come; docs/links.md has its error. \(if $line.wire.real_time then "It had real-time priority." else "It had no real-time priority (only root may give it)." end)" else empty end),
 "Keyboard, USB, compositor and screen of a real client are outside all figures."
 | item),
"",
(([$run.protocols // {} | to_entries[] | .key as $p | .value | facts | rows_for("\($p): ")] + [$line | del(.wire) | facts | rows_for("link: ")]
	+ [$line.wire.added_delay_us // empty | ["link: what it adds of its own, us", "p50 \(.p50), p99 \(.p99), at most \(.max), of \(.n) packets"]]) as $rows
| if $rows == [] then empty else "## Settings and link", "", table(["what", "value"]; $rows) end),
(($doc | not_here) as $not | if $not == [] then empty else "## Not on this machine", "", ($not[] | item), "" end),
"## Machine",
"",
table(["what", "value"]; [$run.host // {} | del(.tools, .link) | facts | rows_for("")]),
"Again, from the samples: `thinprobe report RUN`. Made by: `\($run.command // "thinprobe run wan")`"
