# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run that looked for the most users.
include "lib";
include "markdown";
include "capacity/say";

def small: if fabs < 0.1 then fixed(4) else number end;
. as $doc | .run as $run | $run.settings as $set
| "# How many users fit on a server",
"",
"\($set.systems | map(system_words($run)) | join(", ")); \($set.criteria | map(criterion_words) | join(", ")); \(plural($set.repeats; "search"; "searches")) of each kind, in random order; run of \($run.started), \($run.state).",
"",
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") searches were made." | note($run.state != "complete")),
("**\($doc | indicative)**" | note($doc | indicative != null)),
("**\($doc | disturbed)**" | note($doc | disturbed != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## The user in front",
"",
"![p95 of the user in front over the number of users](figures/users.svg)",
"",
"Mean over the searches that measured that number of users, with its 95 % interval where there are two or more (Student's t on logarithms). Squares: the most users for which 95 % of the keys were within that time; crosses: what the model foretold, with its interval.",
"",
"## The most users",
"",
table(["system", "what has to hold", "users", "in the searches", "reached it", "foretold", "its searches alone", "full beyond", "worst / median: last good", "first bad", "Jain: last good", "first bad "];
	[$doc | limits[] | [.system, (.criterion | criterion_words), (if .reached < .repeats then "≥ " else "" end) + (.users | number) + users_span, users_words, "\(.reached) of \(.repeats)",
		(if .forecast == null then .forecast_why // "" else (.forecast | plain) + (if .forecast_low == null then "" else " (\(.forecast_low | plain)–\(.forecast_high // "" | if . == "" then "" else plain end))" end) end),
		(if .forecast_repeats == null then "" else (.forecast_repeats | number) + (if .forecast_repeats_low == null then "" else " (\(.forecast_repeats_low | number)–\(.forecast_repeats_high | number))" end) end),
		(.limit // ""), (.worst_good | fixed(2)), (.worst_bad | fixed(2)), (.jain_good | fixed(3)), (.jain_bad | fixed(3))]]),
"Users: mean over the searches with Student's t interval. A search that did not reach its limit ended at the most sessions asked for (\($set.most)): its number is a lower bound, and the mean is one, too.",
"",
(if ($doc.compare | length) == 0 then empty else
"## What is full",
"",
"![How much longer keys took than with one user alone, and how much of that was waiting for a CPU](figures/delay.svg)",
"",
"Where both lines are one, all that users wait longer for is a CPU of the server. (The lower one may lie above: some of the waiting holds no key up.)",
"",
table(["system and criterion", "what", "full from", "last good users", "there", "first bad users", "there ", "was full"];
	[$doc | limits[] | select(.reached > 0) | . as $l | ($doc | sides($l.system; $l.criterion))[] | select(.good != null or .bad != null)
		| ["\($l.system), \($l.criterion | criterion_words)", "\(.name): \(.unit)", (.at_least | plain), (.users_good | from_to), (.good | number), (.users_bad | from_to), (.bad | number), (if .full == 0 then "" else "\(.full) of \(.repeats)" end)]]),
"Means over the searches (each one's own values: compare.tsv). What they rest on stands under \"All steps\": the delay is what the mean of all users grew by since one user was alone (ms more), and its share of a CPU the processes that waited for one over the keys a second (ms a key); a queue's wait is u' D / (1 - u) at one CPU (the forecast below, exponential service); faults and drops are those of a second over the keys of a second.",
"",
table(["name", "what", "why"]; [$set.limits // [] | .[] | [.name, "\(.at_least | plain) \(.unit)", .note + (if .unless != "" then " (only where the \(.unless) is not full)" else "" end)]]) end),
(if ($doc.slopes | length) == 0 then empty else
"## What the first third told",
"",
table(["system", "what", "points", "without", "for each", "full with users"];
	[$doc.slopes | unique_by([.system, .name, .points, .none, .slope]) | .[] | [.system, ({CPU: "CPU: %, and ms of its time for each key", memory: "memory: MB that are free, and MB for each user"}[.name] // "\(.name): %, and % for each key a second"), .points,
		(.none | number), (.slope | small) + (if .slope_low == null then "" else " (\(.slope_low | small)–\(.slope_high | small))" end),
		(if .users == null then "" else (.users | number) + (if .users_low == null then "" else " (\(.users_low | number)–\(.users_high // "" | if . == "" then "" else number end))" end) end)]]),
"Straight lines by least squares through the numbers of users up to a third of the first that was too many (three numbers at least), all searches together, with Student's t intervals. The forecast takes the line of the CPU, and adds to what one user alone had (its mean, application, frame timer and link in it) a wait in a queue: P(wait > t) = p exp(-t / θ), θ = D / (2 m (1 - u)), p = u' ^ (√(2 (m + 1)) - 1), with D the CPU time of a key, m the CPUs, u how busy they are, u' without the user in front. For p95 the deviations of both parts add in squares. Where the line of viewers or link is full with fewer users, their number is the forecast; it knows nothing of memory.",
"" end),
"## Resources",
"",
"![How busy server and viewers were](figures/resources.svg)",
"",
"## All steps",
"",
"Latency in ms from when a key was due. Worst / median: of the users' mean latencies; Jain: 1 where all fare alike. Waiting: processes of the server that were ready and waited for a CPU, on average; ms a key: that, for each key. Faults: pages read back from disk or swap.",
"",
table(["system", "users", "searches", "mean", "p50", "p95", "Apdex", "later than \(threshold) ms, %", "largest p95 of any user", "worst / median", "Jain", "keys/s", "CPU, %", "its own, %", "viewers, %", "waiting", "ms a key", "ms more", "free memory, MB", "swapped in, MB/s", "faults/s", "link, %", "drops/s"];
	[$doc.rows[] | if .repeats == 0 then [.system, "", "failed"] + [range(20) | ""] else [.system, .users, .repeats, (.mean_ms | number), (.p50_ms | number), with_span("p95_ms"), (.apdex | fixed(3)), (.late_percent | percent),
		(.all_p95_ms | number), (.worst_over_median | fixed(2)), (.jain | fixed(3)), (.keys_per_s | number), (.server_busy_percent | percent), (.own_percent | percent), (.client_busy_percent | percent), (.waiting | fixed(2)), (.wait_ms | number), (.more_ms | number),
		(if .available_bytes == null then "" else .available_bytes / 1048576 | fixed(0) end), (if .swap_in_bytes_per_s == null then "" else .swap_in_bytes_per_s / 1048576 | fixed(2) end), (.link_percent | percent)] end]),
"## How it was measured",
"",
("Every session is a display server with one application, and a client that types and watches for the echo. The user in front has \($set.rate_per_s) keys a second at jittered times, all others \($set.typing_per_s) at random ones (a Poisson process each): an open loop, nobody waits for an echo before the next key.",
 "Sessions are added one by one up to four, then twice as many each time, but no more than one beyond what fills the CPU by their busy time so far, until no criterion holds; then the gap is halved until the most users for which each holds is known: the last below the first number for which it did not. Each number is measured for \($set.seconds) s; that first number is measured once more, and the second time counts.",
 "Sessions stay as they are from one number to the next; those that are too many are ended.",
 "A session that cannot be started, twice, or ends by itself is a limit, too, with the reason it gave.",
 "Where the viewers are full, the number is theirs and not the server's."
 | item),
"",
(absent_words | if . == [] then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended],
	($run.protocols // {} | to_entries[] | [.key, .value.says]),
	["server on CPU", $run.lab.cpus_server], ["client on CPU", $run.lab.cpus_client], ["as root", (if $run.lab.rootless then "no" else "yes" end)],
	["kernel", $run.host.kernel], ["system", $run.host.system], ["virtualisation", $run.host.virtualisation]]
	| map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), points.tsv (the most users), run.json, cells/ (every user at every number).",
"Made again from them by: thinprobe report RUN."
