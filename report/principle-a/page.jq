# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run on think times.
include "lib";
include "markdown";
include "users/common";
include "principle-a/say";

def loads_of($p): [part($p)[] | [(.users | tostring), (.think_s | time_words)] + (if .repeats == 0 then [.state, "", "", "", "", "", ""] else
	[(.users / .think_s | number), with_ends("lambda_per_s"; number), with_ends("concurrency"; number) + mark, (.concurrency / .think_s | number), with_ends("response_ms"; ms), (.p95_ms | ms), (.requests | tostring)] end)];
def beside_of($p): [part($p) | there | modelled | .[] | [(.users | tostring), (.lambda_per_s | number), (.model_lambda_per_s | number), (off("lambda_per_s") | signed), (.approximate_lambda_per_s | number), (off_approximate("lambda_per_s") | signed), (chance | number),
	(.concurrency | number), (.model_concurrency | number), (off("concurrency") | signed), (.approximate_concurrency | number), (off_approximate("concurrency") | signed)]];
def arrivals_of($p): [part($p)[] | [(.users | tostring), (.think_s | time_words)] + (if .repeats == 0 then [.state, "", "", "", "", "", "", "", "", ""] else
	[(.lambda_per_s | number), (.gaps // 0 | tostring), (.gap_ms | ms), (.gap_sd_ms | ms), cov_words + mark, band_words, (.cov_independent | fixed(2)), random_words, among_words, (.concurrency | number)] end)];

. as $doc | .run as $run | $run.settings as $set
| "# How users have to think, so that their requests come at random",
"",
"Users of \({vnc: "VNC: a key and its echo", http: "HTTP: a page"}[$set.kind] // $set.kind); think times \($set.spread); stations of \($set.stations | map(sub("(?<u>[a-z]+)$"; " \(.u)")) | join_and); \($set.seconds) s a cell; \(plural($set.repeats; "repeat"; "repeats")), in random order; run of \($run.started), \($run.state).",
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
"## What the server sees",
"",
"![Requests a second over the number of users, measured and modelled](figures/rate.svg)",
"",
"![Requests under way over the number of users, measured and modelled](figures/queue.svg)",
"",
"![Response time over the number of users, measured and modelled](figures/response.svg)",
"",
"After Table 1 and Figures 5 and 6 of Brady & Gunther 2016, with all times a tenth of theirs and all rates ten times theirs where the settings are the default ones. Two ways to have more users: let each think as long as before (N/Z grows with N, until the slowest station is full and R grows by its service time with each user), or let each think longer, so that N/Z is held. The server's service times are known and exponential, so nothing is fitted. Bars are 95 % intervals over repeats, where there are any.",
"",
(("held-think", "held-ratio") as $p | ($doc | loads_of($p)) | select(. != []) | . as $rows | "### \($p | heading_of)", "",
	table(["users N", "think time Z", "N/Z, 1/s", "rate, 1/s", "under way Q", "Q/Z, 1/s", "response, ms", "p95, ms", "requests"]; $rows),
	(($doc | beside_of($p)) | if . == [] then empty else "Measured beside computed:", "",
	table(["users", "rate", "exact", "off, %", "Schweitzer", "off, %", "chance, ± %", "under way", "exact", "off, %", "Schweitzer", "off, %"]; .) end)),
"Exact: mean value analysis of the stations; Schweitzer: the approximation that Table 1 was made with. Off: measured against computed. Chance: 1.96/√n of n requests, as far as the rate of a full server with exponential service is off 95 times in 100 (of one that is not full, less). How far the requests under way are off by chance, only repeats can tell.",
"",
"## When requests come",
"",
"![Coefficient of variation of the times between requests over the number of users](figures/cov.svg)",
"",
"After Figure 9 of the same. Here the service takes the same time for each request, as a server's own randomness would hide that of the users. Grey: where a Poisson process lies in 95 of 100 cases; each cell has its own band, and the more requests there are the narrower it is, so that in the end it tells any finite number of users from a Poisson process. Bars: 95 % intervals over repeats. Dashed: the closed formula for so many users who know nothing of each other, each of whom waits for the measured mean response and then thinks; without a response, √((2N − 1)/(2N + 1)) for uniform think times.",
"",
(("cov-ratio", "cov-think") as $p | ($doc | arrivals_of($p)) | select(. != []) | . as $rows | "### \($p | heading_of)", "",
	table(["users", "Z", "rate, 1/s", "gaps", "gap, ms", "sd, ms", "CoV", "if random", "theory", "random", "among all", "under way"]; $rows)),
((random_items,
	"Theory: the closed formula, see above. Where the think time is held the server is full, users do depend on each other, and it does not hold.",
	"\\* marked: others had more than 3 % of the server's CPU, or the users' own program was late.") | item),
"",
"## How it was measured",
"",
"- Two emulated hosts on one machine; on one the users (vusers), on the other a server of known queues (vusers serve): each request passes the stations one after the other, first come, first served.",
"- A cell begins when all are connected and each has thought about four times; what came before is left out.",
"- Others: what neither the lab's programs nor the kernel's interrupts (packets) had of the server's CPU, at least; over 3 % the cell is marked.",
"- Rate: requests answered of those due in the cell, by its length. Under way: the mean over time of requests that were sent and not answered. Response: from when a request was due.",
"- Times between requests are of sends, in the order in which they went.",
"- Cells come in a random order (seed \($set.seed)).",
"",
(not_here | if . == [] then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended], ($run.lab | facts | rows_for("lab: ")), ($run.host | facts | rows_for(""))] | map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), run.json, cells/ (every request, and the reports of users, server, arrivals and model).",
"Made again from them by: thinprobe report RUN."
