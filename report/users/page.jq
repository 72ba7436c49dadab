# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run with users of a web server and of VNC.
include "lib";
include "markdown";
include "users/common";
include "users/say";

def loads_of($p): [part($p)[] | [.cell, (.users | tostring), (.think_s * 1000 | fixed(0))] + (if .repeats == 0 then [.state, "", "", "", "", "", "", "", "", ""] else
	[with_ends("lambda_per_s"; fixed(2)), with_ends("response_ms"; ms), (.concurrency | fixed(2)), (users_back | fixed(2)), (.gap_ms | fixed(2)), (.gap_sd_ms | fixed(2)), cov_words + mark, band_words, random_words, among_words] end)];
def costs_of($p): [part($p)[] | select(.repeats > 0) | [.cell, (.lambda_per_s | number), with_ends("p95_ms"; ms), (if .model_response_s == null then "" else .model_response_s * 1000 | ms end), (.server_busy_percent | number), (.link_percent | number), (.received_kbyte_per_s | number),
	(.requests / .users / .repeats | number), (.fairness_max_by_median | fixed(2)), (.fairness_jain | fixed(3)), (failed_requests | tostring), (.late_p99_ms_max | ms), (.generator_cpu_percent_max | number), (.foreign_percent_max | number)]];
def needs_of($doc): [present[] as $p | ("all", "first") as $which | ($doc | demands_of($p; $which) | if . == [] then empty else worth end)[] | [($p | heading_of), (if $which == "first" then "the \(.rows) of the lowest rates" elif .rows == .of_rows then "all \(.rows)" else "\(.rows)" end) + (if .disturbed == 1 then " *" else "" end), (.name | resource_words), (.source), (.demand_ms | fixed(3)), (.low_ms | fixed(3)), (if .high_ms != null and tells_nothing then "over ten times" else .high_ms | fixed(3) end)]];
def beside_of($doc): [present[] as $p | ($doc | told_of($p; "all"))[] | . as $r | ([$doc | told_of($p; "first")[] | select(.cell == $r.cell)] | first) as $f
	| [.cell, (.lambda_per_s | number), (.lambda_fit_per_s | number), (.response_ms | ms), (.response_fit_ms | ms), (.off_percent | signed)] + (if $f == null then ["", "", ""] else [(if $f.used == 1 then "fitted to" else "foretold" end), ($f.response_fit_ms | ms), ($f.off_percent | signed)] end)];
def world_of($p): [part($p)[] | select(.repeats > 0 and .response_ms != null and .pages_per_s != null) | [.cell, (.lambda_per_s | fixed(2)), (.pages_per_s | fixed(2)), (.response_ms | ms)] + [. as $r | (10, 20, 30, 40, 50) as $z | $r | world($z) | fixed(2)]];

. as $doc | .run as $run | $run.settings as $set
| "# Users who ask more and more often",
"",
"\(present | map(heading_of) | join_and | (.[0:1] + (.[1:] | gsub("Users"; "users")))); think times \($set.spread); \($set.link | link_words); \($set.seconds) s a cell (VNC: half of it); \(plural($set.repeats; "repeat"; "repeats")), in random order; run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured." | note($run.state != "complete")),
("**\($doc | marked_cells_words)**" | note($doc | marked_cells_words != null)),
("**\($doc | invalid_words)**" | note($doc | invalid_words != null)),
("**\($doc | indicative | values | (.[0:1] | ascii_upcase) + .[1:]).**" | note($doc | indicative != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## Response and load",
"",
"![Response time over the rate of requests](figures/response.svg)",
"",
"![CPU of the server and its link over the rate of requests](figures/load.svg)",
"",
"After Figure 10 of Brady & Gunther 2016: over requests a second, not over users. Dashed: the mean response of one queue, by exact mean value analysis, with what the link needs for an object of average size, or the CPU time that a key costs; nothing was fitted.",
"",
(present[] as $p | ($doc | loads_of($p)) as $rows | "### \($p | heading_of)", "", "After Table 3 of the same.", "",
	table(["run", "N", "Z, ms", "λ, 1/s", "R, ms", "Q", "N by λ(R + Z)", "gap, ms", "sd, ms", "CoV", "if random", "random", "among all"]; $rows),
	table(["run", "λ, 1/s", "p95, ms", "R of one queue, ms", "server's CPU, %", "link, %", "received, kB/s", "requests a user", "slowest user by median", "Jain's index", "failed", "late p99, ms", "generator's CPU, %", "others, %"]; ($doc | costs_of($p)))),
(("Z: mean think time; λ: requests a second; R: mean response time; Q: requests under way, on average. In brackets, here and below: 95 % intervals over repeats.",
	random_items,
	"R of one queue: nothing fitted, see above. Link: from the server to the users.",
	"Slowest user and Jain's index (1: all fare alike): of the users' own mean responses; with few requests a user, of objects of different sizes, they are mostly chance.",
	"\\* marked: others had more than 3 % of the server's CPU, or the users' own program was late.") | item),
"",
(if ($doc.slopes // []) == [] then empty else
"## What a request needs, by the measured rows",
"",
"![Measured response times beside a fitted model, over the rate of requests; and the load lines of the users](figures/fit.svg)",
"",
"After Figures 1 and 10 of the same. Left: what was measured, and what the model (thinprobe queue fit) makes of it. CPU and link: from how busy they were, U = λD, by least squares; time in which nobody waits: from what is left of the response times. The dashed line knows only the rows of the lowest rates. Right: users ask the less the more of their requests are under way, along their load line (dotted, one for each think time); the flatter it is, the less they feel the server.",
"",
table(["requests of", "fitted to rows", "what", "from", "needs, ms", "low", "high"]; needs_of($doc)),
table(["run", "λ, 1/s", "fitted λ", "R, ms", "fitted R", "off, %", "by the first rows", "their R", "off, %"]; beside_of($doc)),
"Low, high: 95 % intervals (Student's t); empty where there are too few rows. They know the scatter of the rows, not whether one queue each for CPU and link is the right model. \\* disturbed rows among them.",
"" end),
(if $doc.points == [] then empty else
"## When requests come",
"",
"![Coefficient of variation of the times between requests as one user after the other is counted in](figures/cov.svg)",
"",
"After Figure 9 of the same: of the requests that all users made, those of the first user, of the first two, and so on; from the first repeat. Shaded: 1 ± 1.96/√n, for each number of users by itself.",
"" end),
(($doc | world_of("web")) | if . == [] then empty else
"## Users of the world",
"",
"After Table 4 of the same: how many users who look at each page for Z' (in seconds) make as many pages a second, N' = λ(R + Z') with λ in pages. Nine pages have fifteen objects on average (9:15).",
"",
table(["run", "objects, 1/s", "pages, 1/s", "R, ms", "Z' 10", "20", "30", "40", "50"]; .),
($doc | part("web") | there | map(select(.response_ms != null and .pages_per_s != null)) | max_by(.lambda_per_s) | "Other think times, such as of the last row: thinprobe queue users --rate \(.pages_per_s | fixed(2)) --response \(.response_ms | fixed(2))ms --think 60s,120s", "") end),
"## How it was measured",
"",
"- Two emulated hosts on one machine, one for the servers, one for the users (vusers), each of whom has a connection of its own.",
"- Web: \($run.web // "lighttpd") serves six objects of 60 kB on average (weighted), which are fetched as fifteen in nine pages; users think before each object.",
"- VNC: each user types into a reference application of its own (refecho), which burns \($set.cost_ms | plain) ms of CPU time for each key; the echo is exact, by the number that it draws. One CPU serves all of them in turn.",
"- A cell begins when all are connected and each has thought about four times; what came before is left out.",
"- Others: what neither the lab's programs nor the kernel's interrupts (packets) had of the server's CPU, at least. Link: bytes of frames that the server sent, by its rate.",
"- Response: from when a request was due. Q: the mean over time of requests that were sent and not answered.",
"- Cells come in a random order (seed \($set.seed)).",
"",
(not_here | if . == [] then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended], ($run.lab | facts | rows_for("lab: ")), ($run.host | facts | rows_for(""))] | map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), points.tsv, curve.tsv, slope.tsv and compare.tsv (what was fitted), fit/, run.json, cells/ (every request, and the reports of users, arrivals and model).",
"Made again from them by: thinprobe report RUN."
