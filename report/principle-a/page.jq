# page.jq - report.md of a run on think times.
include "lib";
include "markdown";
include "users/common";
include "principle-a/say";

def table_of($p): [part($p)[] | [(.users | tostring), (.think_s | time_words)] + (if .repeats == 0 then [.state, "", "", "", "", "", "", "", "", ""] else
	[(.users / .think_s | number), with_ends("lambda_per_s"; number), (.model_lambda_per_s | number), (.approximate_lambda_per_s | number), with_ends("concurrency"; number) + mark, (.model_concurrency | number), (.approximate_concurrency | number),
		(.concurrency / .think_s | number), with_ends("response_ms"; ms), (.p95_ms | ms)] end)];
def arrivals_of($p): [part($p)[] | [(.users | tostring), (.think_s | time_words)] + (if .repeats == 0 then [.state, "", "", "", "", "", ""] else
	[(.lambda_per_s | number), (.gaps | tostring), (.gap_ms | ms), (.gap_sd_ms | ms), cov_words + mark, random_words, (.concurrency | number)] end)];

. as $doc | .run as $run | $run.settings as $set
| "# How many users have to think, so that their requests come at random",
"",
"Users of \({vnc: "VNC: a key and its echo", http: "HTTP: a page"}[$set.kind] // $set.kind); think times \($set.spread); stations of \($set.stations | join_and); \($set.seconds) s a cell; \(plural($set.repeats; "repeat"; "repeats")), in random order; run of \($run.started), \($run.state).",
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
"After Table 1 of Brady & Gunther 2016, with all times a tenth of theirs and all rates ten times theirs where the settings are the default ones. The server's service times are known and exponential, so the model has nothing to be fitted: exact is mean value analysis, approximate is Schweitzer's, which the table there was made with.",
"",
(("held-think", "held-ratio") as $p | ($doc | table_of($p)) | select(. != []) | . as $rows | "### \($p | heading_of)", "",
	table(["users", "Z", "N/Z, 1/s", "rate, 1/s", "exact", "approximate", "under way", "exact", "approximate", "Q/Z", "response, ms", "p95, ms"]; $rows)),
"## When requests come",
"",
"![Coefficient of variation of the times between requests over the number of users](figures/cov.svg)",
"",
"After Figure 9 of the same. Here the service takes the same time for each request, as a server's own regularity is what must not come through. Bars are 95 %: over repeats, or of one repeat's own (1.96/√n). Random: whether five tests together (CoV, Kolmogorov and Smirnov, dispersion of counts, correlation, periodogram; Holm) leave it at that.",
"",
(("cov-ratio", "cov-think") as $p | ($doc | arrivals_of($p)) | select(. != []) | . as $rows | "### \($p | heading_of)", "",
	table(["users", "Z", "rate, 1/s", "gaps", "mean, ms", "sd, ms", "CoV", "random", "under way"]; $rows)),
"\\* marked: other processes or the hypervisor had more than 3 % of the server's CPU, or the users' own program was late.",
"",
"## How it was measured",
"",
"- Two emulated hosts on one machine; on one the users (vusers), on the other a server of known queues (vusers serve): each request passes the stations one after the other, first come, first served.",
"- A cell begins when all are connected and each has thought about twice; what came before is left out.",
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
