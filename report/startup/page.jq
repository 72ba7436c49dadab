# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run of start-ups.
include "lib";
include "markdown";
include "startup/say";

def span_s($name): .[$name] as $v | if $v == null then "" else ($v / 1000 | fixed(2)) + (if .[$name + "_low"] == null then "" else " (\(.[$name + "_low"] / 1000 | fixed(2))–\(.[$name + "_high"] / 1000 | fixed(2)))" end) end;
def startup_span: if there | not then (if .failed > 0 then "failed" else "" end) else above + span_s("startup_ms") end;
def e_span: if .e == null then "" else (.e | fixed(2)) + (if .e_low == null then "" else " (\(.e_low | fixed(2))–\(.e_high | fixed(2)))" end) end;
def whole: if . == null then "" else fixed(0) end;
def seconds: if . == null then "" else . / 1000 | fixed(2) end;

def rows_table($app; $start; $axis):
	. as $doc | [.rows[] | select(.app == $app and .start == $start and .axis == $axis)] | sort_by([.swap, (if $axis == "left" then -.step else .step end)]) as $rows
	| if $rows == [] then empty else
	"\($app), \($start) start, \({used: "swap in use by an idle hog", left: "memory left beside a hog that keeps touching"}[$axis]):", "",
	table(["swap on", (if $axis == "used" then "MB in swap" else "left, %" end), "measured, MB", "start-up, s", "window, s", "added, s", "T_IO, s", "e", "in, MB", "out, MB", "major faults", "waits for pages, s", "reclaim, s"];
		[$rows[] | [(.swap | swap_short), .step, ((if $axis == "used" then .swap_used_mb else .left_mb end) | whole), startup_span, (.mapped_ms | seconds),
			(if there and .t0_ms != null then (.startup_ms - .t0_ms | seconds) else "" end), (.t_io_ms | seconds), e_span, (.swap_in_mb | number), (.swap_out_mb | number), (.major_faults | whole),
			(if .blkio_ms == null then "" else waits_ms | seconds end), (.freepages_ms | seconds)]]) end;

. as $doc | .run as $run | ($run.settings // {}) as $set | main_start as $main
| "# Start-up of applications under memory pressure",
"",
"\(apps_asked | join(", ")) on a server of \($set.server_memory) of memory; swap on \(swaps_asked | map(swap_words) | join_and); \(plural($set.repeats; "repeat"; "repeats")) in random order; run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured. What is missing may change what the rest says." | note($run.state != "complete")),
("**\($doc | indicative | (.[:1] | ascii_upcase) + .[1:]).** Five or more make a result." | note(($doc | indicative) != null)),
("**\($doc | disturbed_words)**" | note($doc | disturbed_words != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
(if any($doc.rows[]; .axis == "used" and there) then
	"![Start-up against swap in use, one panel an application, one curve a swap device](figures/start-used.svg)", "",
	"After Figures 2 to 5 of Wu, Zhang, Gu & Sun (2005), whose applications took 12 to 220 s on the hardware of 2004. The hog has filled the server's memory, has so much of itself in swap, and sleeps. Bars are 95 % intervals. Dashed: T0, without pressure.", "" else empty end),
(if any($doc.rows[]; .axis == "left" and there) then
	"![Start-up against memory left, one panel an application, one curve a swap device](figures/start-left.svg)", "",
	"The hog keeps touching its memory, all of it twice a second if it could, so that what it leaves is all that others have: in percent of what the application has in memory at rest without pressure. Less is to the right.", "" else empty end),
(if any($doc.rows[]; .axis != "none" and .t_io_ms != null) then
	"![What pressure adds to start-up beside its input and output alone, and beside a file of the same size](figures/file-time.svg)", "",
	"After their Figures 6 and 7: what pressure adds (T_startup − T0), beside T_IO, the swap traffic of the start repeated on the same device when the application is gone, in the sizes it had. Beside a hog that keeps touching, T_IO holds the hog's traffic too, and is more than the start's. Thin: what they took for it, writing a file as large as the swap in use, at the rate that 16 MiB were written with.", "" else empty end),
(if any($doc.rows[]; .e != null) then
	"![e against swap in use](figures/e.svg)", "",
	"e = (T_startup − T0 − T_IO) / (T_startup − T0), where what is added exceeds three times the spread of T0. Near 1: the device by itself explains little; near 0: all of it; below 0: repeated one after the other, the requests take longer than they delayed the start. Beside a hog that keeps touching there is no e: the traffic of the device is the hog's too; waits and reclaim in the tables say more there.", "" else empty end),
"## The applications",
"",
"After their Table 1.",
"",
table(["application", "what", "program, KB", "all it maps, MB", "memory at rest, MB", "own of it, MB", "T0 warm, s", "T0 cold, s"];
	[apps_asked[] as $app | ($run.applications[$app] // {}) as $a | [$app + (if $a.version then " \($a.version)" else "" end), $a.kind, (if $a.program_bytes then $a.program_bytes / 1000 | whole else "" end), ($a.files_bytes | megabytes), ($a.rss_bytes | megabytes), ($a.anonymous_bytes | megabytes),
		($doc | base_row($app; "warm") | if . == null then "" else startup_span end), ($doc | base_row($app; "cold") | if . == null then "" else startup_span end)]]),
"Memory at rest: resident, of all its processes, at its first start in this run; own: anonymous pages. What it maps: its program and all libraries, fonts and caches that are mapped at rest, however much of them is read.",
"",
"## Start-up at every step",
"",
"Medians; in brackets 95 % intervals, where there are three starts. Added: T_startup − T0. In, out: swap traffic up to stable content, everybody's on the server. Waits for pages: of the application's threads by delay accounting, the larger of blkio and swapin + thrashing, which may count the same wait; reclaim: direct reclaim.",
"",
(apps_asked[] as $app | starts[] as $start | ("used", "left") as $axis | $doc | rows_table($app; $start; $axis)),
(if ($doc.events // []) == [] then empty else
	"## Further events, still under pressure", "",
	"From the first key sent to content at rest, ms; median and, in brackets, its 95 % interval, where there are three.", "",
	(apps_asked[] as $app | [$doc.events[] | select(.app == $app)] as $of | select($of != [])
	| ([$of[] | [.start, .axis, .swap, .step]] | unique) as $where | (reduce $of[] as $e ([]; if index($e.event) then . else . + [$e.event] end)) as $names
	| "\($app):", "",
	table(["load"] + $names; [$where | sort_by([.[0] != $main, {"none": 0, "used": 1, "left": 2}[.[1]], .[2]])[] as [$start, $axis, $swap, $step]
		| [(if $axis == "none" then "no pressure" else "\($step) \({used: "MB in swap", left: "% left"}[$axis]), \($swap | swap_short)" end) + (if $start == "cold" then " (cold start)" else "" end)]
		+ [$names[] as $n | first($of[] | select(.event == $n and .start == $start and .axis == $axis and .swap == $swap and .step == $step)) // null
			| if . == null then "" elif .event_ms == null then (if .unchanged > 0 then "no change" else "" end) else (if .event_ms_above == 1 then ">" else "" end) + with_span("event_ms") end]]))  end),
($doc | ranked) as $ranked | (if $ranked == [] then empty else
	"## What users feel",
	"",
	"Events that every class of users (\($set.model.classes | map(.class) | join(", "))) asks for and that were measured, ranked by their time at the last step of \"\({left: "memory left", used: "swap in use", none: "no pressure"}[$doc | worst_axis])\"\(if ($doc | worst_axis) == "none" then "" else " on \($doc | worst_swap | swap_short)" end). T_total = T_index + T_think + T_handle: the way through the menus (or the keys of a shortcut that all classes use), the thought before, and what was measured. T, what is expected, is the first two and \($set.model.tolerance_s | plain) s; felt is (T_total − T)^\($set.model.beta | plain) beyond T, and nothing up to it.",
	"",
	table(["load", "an hour, all", "shortcut", "T_index, s", "T_think, s", "T_handle, s", "T_total, s", "felt, s", "T_handle under pressure, s", "T_total, s", "felt, s"];
		[$ranked[] | [event_words, .count, .shortcut, (.index_s | fixed(2)), (.think_s | fixed(2)), (.none_s | fixed(2)), (if .none_s then .index_s + .think_s + .none_s | fixed(2) else "" end), (.user_none_s | fixed(2)),
			(.worst_s | fixed(2)), (if .worst_s then .index_s + .think_s + .worst_s | fixed(2) else "" end), (.user_worst_s | fixed(2))]]),
	"The profiles that come with the suite are examples made by hand; those of your users: --profile.", "" end),
"## Left out, marked, not certain",
"",
([ ($doc.rows[] | "\(.app), \(.start), \(.axis)\(if .axis == "none" then "" else " \(.step) \({used: "MB", left: "%"}[.axis]) on \(.swap)" end)" as $where
	| (if .failed > 0 then "\($where): \(plural(.failed; "repeat"; "repeats")) not measured." else empty end),
	  (if .broken > 0 then "\($where): \(plural(.broken; "start"; "starts")) without a window, or ended by itself." else empty end),
	  (if .ceiling > 0 then "\($where): \(plural(.ceiling; "start"; "starts")) not at rest by the ceiling." else empty end),
	  (if (.delays_discarded // 0) > 0 then "\($where): delays that cannot be true were discarded." else empty end)),
   ($run.lab.missing // [] | .[]) ] | if length == 0 then "Nothing: every cell was measured." else (.[] | item) end),
"",
"## How it was measured",
"",
"- All that runs on the server is in one memory group of \($set.server_memory): the display, the application, the hog. Its swap is a device of its own; \"\("slow:2.5ms" | swap_short)\" is a file that takes so long for each read, one at a time, however many are asked for; writes are not delayed.",
"- The application's files were dropped from memory once and read by the server, so that they are accounted to it; what other processes of this machine have mapped (the C library) stays theirs. Warm: they were read again before the pressure was made, which may push them out again. Cold: they were dropped after it was made. They are read from this machine's disk, which nobody slows down.",
"- A start lasts from exec to content at rest for 1 s (bin/startup; a caret that blinks counts as rest). Each start is new: its own settings, no message bus, no screen reader. The watcher runs on the server's CPU, beside the application and the hog.",
"- Swap in use: the hog grows until that much of it is in swap, and sleeps. Memory left: the hog has all of the server's memory but for what is in use and that much, and touches its pages at random, all of them twice a second if it could; so others' pages, touched more rarely, go before its own.",
"- Cells come in random order (seed \($set.seed)), one device after the other in each repeat. A cell in which others took over 3 % of the CPU is marked and, up to one in twenty, measured once more.",
"- Not told: the disk's and the host's own caches below the swap file; what an application does after it is at rest.",
"",
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended],
	($run.devices // {} | to_entries[] | ["swap on \(.key)", "\(.value.backing // "")\(if .value.read_4k_ms then "; a read of 4 KiB \(.value.read_4k_ms | fixed(2)) ms" else "" end)\(if .value.write_bytes_per_s then "; writes \(.value.write_bytes_per_s | megabytes) MB/s" else "" end)"]),
	($run.protocol | facts | rows_for("protocol: ")), ($run.lab | facts | rows_for("lab: ")), ($run.host | facts | rows_for(""))]
	| map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), events.tsv, runs.tsv (every start), run.json, cells/.",
"Made again from them by: thinprobe report RUN."
