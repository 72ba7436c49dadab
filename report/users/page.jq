# page.jq - report.md of a run with users of a web server and of VNC.
include "lib";
include "markdown";
include "users/common";
include "users/say";

def loads_of($p): [part($p)[] | [(.users | tostring), (.think_s * 1000 | fixed(0))] + (if .repeats == 0 then [.state, "", "", "", "", "", "", "", "", ""] else
	[with_ends("lambda_per_s"; fixed(2)), with_ends("response_ms"; ms), (.concurrency | fixed(2)), (users_back | fixed(2)), (.gap_ms | fixed(2)), (.gap_sd_ms | fixed(2)), cov_words + mark, random_words, (.p95_ms | ms),
		(if .model_response_s == null then "" else .model_response_s * 1000 | ms end)] end)];
def costs_of($p): [part($p)[] | select(.repeats > 0) | [(.think_s * 1000 | fixed(0)), (.lambda_per_s | number), (.server_busy_percent | number), (.received_kbyte_per_s | number), (.fairness_max_by_median | fixed(2)), (.fairness_jain | fixed(3)),
	(failed_requests | tostring), (.late_p99_ms_max | ms), (.generator_cpu_percent_max | number), (.foreign_percent_max | number)]];
def world_of($p): [part($p)[] | select(.repeats > 0 and .response_ms != null) | [(.think_s * 1000 | fixed(0)), (.lambda_per_s | fixed(2)), (.pages_per_s | fixed(2)), (.response_ms | ms)] + [. as $r | (10, 20, 30, 40, 50) as $z | $r | world($z) | fixed(2)]];

. as $doc | .run as $run | $run.settings as $set
| "# Users who ask more and more often",
"",
"\(present | map(heading_of) | join_and); think times \($set.spread); \($set.link | link_words); \($set.seconds) s a cell (VNC: half of it); \(plural($set.repeats; "repeat"; "repeats")), in random order; run of \($run.started), \($run.state).",
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
"![CPU of the server and bytes received over the rate of requests](figures/load.svg)",
"",
"After Figure 10 of Brady & Gunther 2016: over requests a second, not over users. Dashed: the mean response of one queue, by exact mean value analysis, with what the link needs for an object of average size, or the CPU time that a key costs; nothing was fitted.",
"",
(present[] as $p | ($doc | loads_of($p)) as $rows | "### \($p | heading_of)", "", "After Table 3 of the same.", "",
	table(["N", "Z, ms", "rate, 1/s", "R, ms", "Q", "N by λ(R + Z)", "gap, ms", "sd, ms", "CoV", "random", "p95, ms", "model's R, ms"]; $rows),
	table(["Z, ms", "rate, 1/s", "server's CPU, %", "received, kB/s", "slowest user by median", "Jain's index", "failed", "late p99, ms", "generator's CPU, %", "others, %"]; ($doc | costs_of($p)))),
"Random: whether five tests together (CoV, Kolmogorov and Smirnov, dispersion of counts, correlation, periodogram; Holm) leave it at that. \\* marked: other processes or the hypervisor had more than 3 % of the server's CPU, or the users' own program was late.",
"",
(if $doc.points == [] then empty else
"## When requests come",
"",
"![Coefficient of variation of the times between requests as one user after the other is counted in](figures/cov.svg)",
"",
"After Figure 9 of the same: of the requests that all users made, those of the first user, of the first two, and so on.",
"" end),
(($doc | world_of("web")) | if . == [] then empty else
"## Users of the world",
"",
"After Table 4 of the same: how many users who look at each page for Z' (s) make as many pages a second, N' = λ(R + Z').",
"",
table(["Z, ms", "objects, 1/s", "pages, 1/s", "R, ms", "Z' 10", "20", "30", "40", "50"]; .) end),
"## How it was measured",
"",
"- Two emulated hosts on one machine, one for the servers, one for the users (vusers), each of whom has a connection of its own.",
"- Web: \($run.web // "lighttpd") serves six objects of 60 kB on average (weighted), which are fetched as fifteen in nine pages; users think before each object.",
"- VNC: each user types into a reference application of its own (refecho), which burns \($set.cost_ms | plain) ms of CPU time for each key; the echo is exact, by the number that it draws. One CPU serves all of them in turn.",
"- A cell begins when all are connected and each has thought about twice; what came before is left out.",
"- Response: from when a request was due. Q: the mean over time of requests that were sent and not answered.",
"- Cells come in a random order (seed \($set.seed)).",
"",
(not_here | if . == [] then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended], ($run.lab | facts | rows_for("lab: ")), ($run.host | facts | rows_for(""))] | map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), points.tsv, run.json, cells/ (every request, and the reports of users, arrivals and model).",
"Made again from them by: thinprobe report RUN."
