# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a run over loaded links.
include "lib";
include "markdown";
include "rtt/say";

def with_low_high($name; format): (later) + (.[$name] | format) + (if .[$name + "_low"] == null then "" else " (\(.[$name + "_low"] | format)–\(.[$name + "_high"] | format))" end);
def rows_for_probe($doc; $link; $queue; $probe):
	[$doc.rows[] | select(.link == $link and .queue == $queue and .probe == $probe)
	| [if .load == 0 then "none" else "\(.load) % \(.transport)" end] + if .repeats == 0 then [.state, "", "", "", "", "", "", "", "", "", ""] else
		[(.sent_percent | fixed(2)), with_low_high("load_percent"; fixed(2)), (.n | tostring), with_low_high("mean_ms"; ms), with_low_high("sd_ms"; ms), with_low_high("variance_ms2"; ms2),
		(.p50_ms | ms), (.p90_ms | ms), (.p99_ms | ms), later + (.max_ms | ms), (.lost_percent | percent)] end];

def bucket_words: [.rows[] | select(.repeats > 0 and .bucket_bytes > 0)] | if . == [] then "nothing: each frame takes its time" else "what the shaper's bucket lets through at once (\(map("\(.bucket_bytes) bytes at \(.link | mbit)") | unique | join_and))" end;

. as $doc | .run as $run | $run.settings as $set
| "# A ping and a key over a link that others load",
"",
"\($set.links | map(mbit) | join_and); a queue of \($set.queue); \($set.seconds) s of \($set.probes | map(if . == "ping" then "pings, one each \($set.interval_ms) ms" else "keys, \($set.rate_per_s) a second" end) | join(", or ")); \({display: "the load goes from the server to the client, as pictures do", input: "the load goes from the client to the server", both: "the load goes both ways"}[$set.direction] // $set.direction); \(plural($set.repeats; "repeat"; "repeats")), in random order; run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured." | note($run.state != "complete")),
("**\($doc | marked_cells_words)**" | note($doc | marked_cells_words != null)),
("**\($doc | indicative | values | (.[0:1] | ascii_upcase) + .[1:]).**" | note($doc | indicative != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
(if [$doc | probes[] | select(. == "ping")] == [] then empty else
"## Round trip and its variance",
"",
"![Mean round trip of a ping over the load on the link, one line for each kind of load](figures/round-trip.svg)",
"",
"![Variance of the round trip over the load on the link](figures/variance.svg)",
"",
"The load is what came through, in percent of the link, in bits of whole frames. Dashed, for orientation and not fitted to anything: the round trip without load and on top of it, for one way, the mean (or the variance) of the work that a ping finds ahead of it in a queue with one server, frames of 1,514 bytes and arrivals at random (M/D/1), as far as it exceeds \(bucket_words). It speaks of the random load: frames at even distances wait less, and TCP gives way. Dotted: the round trip without load and a queue that is full.",
"",
(links[] as $l | queues[] as $q | rows_for_probe($doc; $l; $q; "ping") | select(. != []) | . as $rows
	| "### Pings, \($l | mbit), \($q | queue_words)", "", table(["load", "sent, %", "arrived, %", "pings", "mean, ms", "sd, ms", "variance, ms²", "p50", "p90", "p99", "max", "lost, %"]; $rows)) end),
(if [$doc | probes[] | select(. != "ping")] == [] then empty else
"## The echo of a key",
"",
"![Latency of keys over the load on the link](figures/keys.svg)",
"",
"From when a key was due to when its echo was in the client's pixels; the application answers at once and at no cost. The paper could bound this from below only, by its pings.",
"",
(links[] as $l | queues[] as $q | (probes[] | select(. != "ping")) as $p | rows_for_probe($doc; $l; $q; $p) | select(. != []) | . as $rows
	| "### Keys over \($p), \($l | mbit), \($q | queue_words)", "", table(["load", "sent, %", "arrived, %", "keys", "mean, ms", "sd, ms", "variance, ms²", "p50", "p90", "p99", "max", "lost, %"]; $rows)) end),
"## The load itself",
"",
table(["cell", "asked, %", "sent, %", "arrived, %", "payload, Mbit/s", "lost, %", "late at most, ms", "server's CPU busy, %", "client's CPU busy, %", "others, %"];
	[$doc.rows[] | select(.repeats > 0) | ["\(cell_words), \(.probe | probe_words)\(if .marked > 0 then " *" else "" end)", (.load | tostring), (.sent_percent | fixed(2)), (.load_percent | fixed(2)), (.received_payload_mbit_s | fixed(2)), (.load_lost_percent | percent),
		(.load_behind_ms_max | number), (.server_busy_percent_max | number), (.client_busy_percent_max | number), (.foreign_percent_max | number)]]),
"\\* marked: other processes or the hypervisor had more than 3 % of the server's CPU, or the load was not what was asked for.",
"",
"## How it was measured",
"",
"- \(if $set.link_by == "wire" then "Two emulated hosts on one machine, joined by a delay line of our own that hands on one frame after the other at the rate of the link: its queue is nobody's own, like a router's" else "Two emulated hosts on one machine, joined by a pair of virtual interfaces with the kernel's token bucket at either end. Its bucket holds three frames, or a millisecond: so many pass at the speed of memory before anything waits. And it stands at the sender itself, where today's TCP sees its own frames wait and holds back; it fills a router's queue (--link-by wire), not its own (more --streams fill more of it)" end). Segmentation offloads are off, so that a frame is a frame.",
"- Loads are netload's: random data in frames of 1,514 bytes. udp: one each so many microseconds, whatever becomes of them. random: at exponential distances, stretched so that each second has what the rate says. tcp: offered at that rate; TCP decides when it goes.\(if $run.lab.rootless == true then "" else " The sender has real-time priority: one that waits for its turn would send in bursts." end)",
"- The load begins a second before the first ping or key, and lasts beyond the last. Pings are those of iputils: 56 bytes of data, 64 with the header of ICMP; its times have three digits. The mean, as in the paper, is over all that came back.",
"- Keys: \($set.rate_per_s) a second at times that vary by a third of the period; the first five are left out. A key without an echo is \"later than\" the wait for it, and stays in.",
"- What a load costs the server is processor time too, and there is one processor for it: its share stands in the table above.",
"- Cells come in a random order (seed \($set.seed)).",
"",
"Keyboard, USB, compositor and screen of a real client are outside all figures.",
"",
(not_here | if . == [] then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended], ($run.protocols // {} | to_entries[] | [.key, .value.says]),
	($run.lab | facts | rows_for("lab: ")), ($run.host | facts | rows_for(""))] | map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), run.json, cells/ (every ping and key, and netload's reports).",
"Made again from them by: thinprobe report RUN."
