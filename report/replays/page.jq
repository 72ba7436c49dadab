# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run that replays a session. A stem's own page.jq gives its title and what its settings are.
include "lib";
include "markdown";
include "replays/say";

def spanned($name; $d): if .[$name] == null then "" else (.[$name] | fixed($d)) + (if .[$name + "_low"] == null then "" else " (\(.[$name + "_low"] | fixed($d))–\(.[$name + "_high"] | fixed($d)))" end) end;

def replays_page($title; $what; $how):
	. as $doc | .run as $run | ($run.settings // {}) as $set | ($run.disk // null) as $disk
	| "# \($title)",
	"",
	"\($set.app), \(if $set.trace // $set.script then "a session from \($set.trace // $set.script | sub(".*/"; ""))" else "the \(if $set.quick then "short " else "" end)session that data/sessions/\($set.app).script describes" end), recorded once and replayed \(plural($set.repeats // 0; "time"; "times")) at each setting; run of \($run.started), \($run.state).",
	"",
	("**\($doc | shared_words)**" | note($doc | shared_words != null)),
	("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") replays were measured. What is missing may change what the rest says." | note($run.state != "complete")),
	("**The hosts were lost**: \($run.reason)." | note($run.reason != null)),
	("**\($doc | analysis_words)**" | note($doc | analysis_words != null)),
	("**Indicative: \(plural($set.repeats // 0; "repeat"; "repeats")).** Five or more make a result." | note(($set.repeats // 5) < 5)),
	("**\($doc | disturbed_words)**" | note($doc | disturbed_words != null)),
	"A session is recorded once and replayed under other circumstances. Its *total time* is what a benchmark of throughput would tell; its *response times* are what its user waits for.",
	"",
	"## Findings",
	"",
	($doc | findings | to_entries[] | "\(.key + 1). \(.value)"),
	"",
	"## Total time",
	"",
	"![Total time of the session at each setting](figures/total.svg)",
	"",
	"From the first to the last input of the session, thinking time included. The mean of the replays\(if ($set.repeats // 1) > 1 then ", with its 95 % interval" else "" end).",
	"",
	(if any($doc.rows[]; .p50_ms != null) then
	"## Response times",
	"",
	"![The share of responses that are there within a time, a curve for each setting](figures/cdf.svg)",
	"",
	"From a press to the first change of the screen that is its answer, as all replays have it in common. Left and up is better.",
	"",
	"![25th, 50th and 75th percentile of response times at each setting](figures/percentiles.svg)",
	"",
	(if ($doc | farthest) != null then
	"![How many responses take how many times as long as at the base](figures/ratio.svg)",
	"",
	"Each response held against itself: how many times as long it takes with \($doc | farthest | .says) as with \($doc | base_row | .says).",
	"" else empty end) else empty end),
	"## All settings",
	"",
	"Total time and its ratio to the base's; response times in ms; how many times as long responses take as at the base (\($doc | base_row | if . then .says else "not measured" end)): the median over responses, and the middle half of them. In brackets 95 % intervals over replays.",
	"",
	table(["value", "replays", "total, s", "total / base", "p25", "p50", "p75", "p90", "longest", "times as long", "middle half", "against the base", "missing"];
		[$doc.rows[] | if .repeats == 0 then [.says, 0, .state] + ["", "", "", "", "", "", "", "", "", ""] else
			[.says, .repeats, spanned("total_s"; 2), spanned("total_ratio"; 3), with_span("p25_ms"), with_span("p50_ms"), with_span("p75_ms"), with_span("p90_ms"), (.max_ms | number),
			(if .ratio == null then "" else spanned("ratio"; 2) end), (if .ratio_p25 == null then "" else "\(.ratio_p25 | times)–\(.ratio_p75 | times)" end), (.verdict // ""), .missing] end]),
	(if any($doc.points[]; .setting != $set.base) then ($doc | farthest) as $far |
	"## The responses",
	"",
	"Those that take longest with \($far.says), in ms.",
	"",
	table(["what", "at, s", "with \($doc | base_row | .says)", "with \($far.says)", "times as long"];
		[$doc.points[] | select(.setting == $far.setting)] | sort_by(-.latency_ms) | .[:12] | map([input_words($doc), (.at_s | fixed(1)), (.base_ms | number), (.latency_ms | number), (.ratio | times)])) else empty end),
	"## Method",
	"",
	($what,
	 "Two emulated hosts, the server on CPU \($run.lab.cpus_server), the client on CPU \($run.lab.cpus_client). The session was recorded at full speed on this very server; the client replays it at its own pace, and before a click or a key that could go astray it waits until the screen around it is as it was then. So a slow response delays the session only where it takes longer than its user thought.",
	 "Each replay has a new display, desk and home. \($doc | same_caches // "") Settings come in random order within each repeat (seed \($set.seed)).",
	 $how,
	 (if $disk then "The session's disk: an ext4 on a loop device with direct I/O over \($disk.backing // "a file")\(if $disk.kind == "slow" then ", and over a file system in user space (slowdisk) that takes a stated time for each request, one after the other: a request that finds another one waits for it" else "" end). On it are the home and the \($disk.files) files of /usr (\($disk.files_bytes / 1048576 | fixed(0)) MiB) that were read while the session was recorded; the server sees these in place of its own, and nobody else has them in memory. While a session is being made the disk takes no time." else empty end),
	 "Responses are found by what all replays have in common (vncplay analyze); those matched with a confidence below 0.5 are left out. Ratios pair replays of the same repeat; the interval is Student's t on logarithms. Updates of the VNC server come \($run.protocol.frame_rate_per_s // "?") times a second: no response is told finer than that.",
	 "Keyboard, USB, compositor and screen of a real client are outside all figures."
	 | select(. != "") | item),
	"",
	(($doc | not_here) as $not | if $not == [] then empty else "## Not on this machine", "", ($not[] | item), "" end),
	"## Machine",
	"",
	table(["what", "value"]; [$run.host // {} | del(.tools, .link) | facts | rows_for("")]),
	"The recorded session is session.trace, the replays are cells/*/*/replay.rfb: any player of FBS files shows them. Again, from the samples: `thinprobe report RUN`. Made by: `\($run.command // "thinprobe run \($run.experiment)")`";
