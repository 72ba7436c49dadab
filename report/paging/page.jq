# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run of paging.
include "lib";
include "markdown";
include "paging/say";

def numbers($w): if (.[$w + "_n"] // 0) == 0 then "", "", "", "" else
	(.[$w + "_min_ms"] | number), "\(.[$w + "_above"] | above)\(.[$w + "_mean_ms"] | number)", "\(.[$w + "_above"] | above)\(.[$w + "_max_ms"] | number)", median_span($w) end;

. as $doc | .run as $run | ($run.settings // {}) as $set | ($run.lab.memory // {}) as $memory
| "# The first key into an application that was paged out",
"",
"\($set.protocols | join(", ")); an editor in a terminal on a server of \($set.server_memory) of memory; \($set.runs) runs paged out and as many in memory, \(plural($set.repeats; "repeat"; "repeats")), in random order; run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured. What is missing may change what the rest says." | note($run.state != "complete")),
("**Indicative: \($doc | runs_words) runs of each.** Ten or more make a result." | note(($doc | runs_words) < 10)),
("**\(plural($doc | marked_cells | length; "cell is"; "cells are")) marked**: the hypervisor took more than 3 % of the server's CPU." | note($doc | marked_cells != [])),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## In memory and paged out",
"",
"![First key in memory, paged out and protected, every run a dot, one line a cell](figures/first-key.svg)",
"",
"Every run is a dot, the bar is the median. Dashed: \(threshold) ms. Below, for context only, what Wong & Seltzer (2000, section 5) found on the hardware of 1999: least, mean and most of ten runs.",
"",
"Echo of the first key after the pause, ms. In brackets the 95 % interval of the median, where there are three runs.",
"",
table(["cell", "in memory: min", "avg", "max", "median", "paged out: min", "avg", "max", "median", "runs", "not evicted"];
	[$doc.rows[] | select(.session | protected | not) | if .repeats == 0 then [cell_name, .state] + ["", "", "", "", "", "", "", "", ""] else [cell_name, numbers("in_memory"), numbers("paged_out"), .paged_out_n, .not_evicted] end]),
([$doc.rows[] | select(.session | protected)] as $p | if $p == [] then empty else
	"Protected sessions under the same pressure. Here it is the aim not to be paged out: runs in which at most 10 % of the private anonymous memory of each of the two went to swap are the figure.", "",
	table(["cell", "in memory: min", "avg", "max", "median", "under pressure: min", "avg", "max", "median", "runs", "paged out all the same", "in part"];
		[$p[] | if .repeats == 0 then [cell_name, .state] + ["", "", "", "", "", "", "", "", "", ""] else [cell_name, numbers("in_memory"), numbers("kept"), .kept_n, .paged_out_n, .not_evicted] end]) end),
"Wong & Seltzer (2000), for context: Linux 50 / 50 / 50 ms in memory and 330 / 1,170 / 3,000 ms paged out (min / avg / max of ten), Windows NT TSE 50 / 50 / 50 and 2,430 / 4,026 / 11,850 ms.",
"",
(if $run.timeline == null then empty else
"## One run over time",
"",
"![One run: memory of the server's group, memory and swap of editor and terminal, their major faults, and the key with its echo](figures/timeline.svg)",
"",
"\($run.timeline.says): \($run.timeline.first_key_ms | number) ms from the key to its echo. Left the whole run, right the moments around the key. Faults of all that the server runs stand beside those of editor and terminal: a display server on the same machine is paged out with them, and its faults are part of the wait.",
"" end),
"## What was in memory before the key, and what came back after it",
"",
"Of editor and terminal together, means over the runs that were paged out. Evicted: the smaller share, of the two, of private anonymous memory that was in swap; the least of all runs. File pages: what stayed resident of files (programs, libraries), and how much of that was mapped by others too. Major faults are those that had to read; minor ones found the page still in memory (read ahead with another, or file pages that stayed). Read: of the memory that came back from swap after the key, so much came from the device, and not from the swap cache. Read from swap: by all that the server runs, which is mostly the hog itself where that is busy.",
"",
table(["cell", "evicted, least %", "in swap, MB", "file pages, MB", "by others too, MB", "major faults", "least of a process", "minor faults", "read, %", "read from swap, MB"];
	[$doc.rows[] | select(.paged_out_n > 0) | [cell_name, (.evicted_percent_min | fixed(1)), (.swap_bytes | mb), (.file_resident_bytes | mb), (.file_others_bytes | mb), (.major_faults | fixed(0)), (.major_faults_min | fixed(0)),
		(.minor_faults | fixed(0)), (.read_percent | fixed(0)), (.swap_in_bytes | mb)]]),
"The second key, after the first was answered:",
"",
table(["cell", "in memory: median, ms", "max", "after paging: median, ms", "max"];
	[$doc.rows[] | select(.repeats > 0) | (if .paged_out_n > 0 then "paged_out" else "kept" end) as $w
		| [cell_name, (.second_in_memory_p50_ms | number), (.second_in_memory_max_ms | number), (.["second_" + $w + "_p50_ms"] | number), (.["second_" + $w + "_max_ms"] | number)]]),
"## Left out, marked, not certain",
"",
([$doc.rows[] | (if .state == "not measured" then "\(cell_name): not measured." elif .failed > 0 then "\(cell_name): \(plural(.failed; "repeat"; "repeats")) failed." else empty end),
	(if .not_evicted > 0 then "\(cell_name): \(.not_evicted) of \(.attempts) runs left out, not evicted (\(.why // "no reason given"); at the least \(.not_evicted_percent_min // 0 | fixed(0)) % of a process was in swap, 90 % are asked for)." else empty end),
	(if .not_in_memory > 0 then "\(cell_name): \(plural(.not_in_memory; "run"; "runs")) left out that \(if .not_in_memory == 1 then "was" else "were" end) to be in memory and had to read something." else empty end),
	(if .marked > 0 then "\(cell_name): marked, stolen CPU time." else empty end),
	(if (.paged_out_above // 0) + (.in_memory_above // 0) > 0 then "\(cell_name): \(plural(.paged_out_above + .in_memory_above; "key"; "keys")) without an echo stay in as \"later than\"." else empty end)]
	| if . == [] then "Nothing." else .[] | item end),
"",
"## How it was measured",
"",
("The server's session, and what presses on it, live in a memory group of \($set.server_memory); swap is \(if $memory.swap then "\($memory.swap.kind), \($memory.swap.size_bytes // 0 | mb) MB" else "a device of the lab's own" end), exchanged between cells; swap files lie on a loop device with direct I/O, so that nothing of them is in memory twice." | item),
("Runs in memory and runs paged out alternate in one session. Before the key the residency of editor and terminal is read (smaps), after its echo their faults. At least 90 % of each one's private anonymous memory in swap, major faults after the key, and at least half of what came back from swap read from the device, make a run count." | item),
("hog: another process (memhog) fills one and a quarter times the server's memory, touches it until the session is out, and then rests; it stays until the second key was answered. busy: the same, and it keeps touching all of it. cgroup: the kernel is told to reclaim the session's group. madvise: MADV_PAGEOUT on editor and terminal alone; the display server stays. damon: a scheme of the kernel's own that pages out what was not touched for a while." | item),
("private copies: application and libraries are copied by a process of the server's own group, and started through a copied loader, so that their file pages are nobody else's, are accounted to that group, and leave with it. Without them, pages that others map, or that were accounted to others, stay." | item),
("locked: mlock of all that editor, terminal and, where it is on the server, the display server have or will have. beside: the session has a memory group of its own beside the hog's. low: memory.low of cgroup v2. These are today's answers to what Evans et al. did by throttling the process that takes the memory." | item),
("A device of so many ms a read delays each read on its own and serves one at a time, like a disk; it is smooth. The blkio throttle of cgroup v1 was not used: it lets requests through in slices of 100 ms. Neither was io.max of cgroup v2." | item),
("One key, injected at the client, is timed from when it was due to the first change of the client's pixels. The second key follows when the first is answered." | item),
"",
"Keyboard, USB, compositor and screen of a real client are outside all figures.",
"",
(not_here | if . == [] then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended], ($run.protocols // {} | to_entries[] | [.key, .value.says]),
	($run.lab | facts | rows_for("lab: ")), ($run.host | facts | rows_for(""))] | map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), runs.tsv (every run), timeline.tsv, run.json, cells/ (what pagein reported).",
"Made again from them by: thinprobe report RUN."
