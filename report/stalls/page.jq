# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md: findings first, then figures, tables, what was left out, how it was measured. Readable as it is.
include "lib";
include "markdown";
include "stalls/say";

# Who competed as what: one row for each set of words on record, with the loads it held for.
def words_of: [splits(" ") | capture("^(?<key>[a-z]+)=(?<value>.*)$")] | from_entries;
def competes($rows):
	[ ("session", "app", "sinks") as $who
	| [$rows[] | {sinks, as: (.["competes_\($who)"] // "")} | select(.as != "")] | group_by(.as)[]
	| (.[0].as | words_of) as $w
	| [{session: "display server", app: "application", sinks: "sinks"}[$who], (map(.sinks | tostring) | join(", ")),
		$w.nice, $w.policy, $w.cpus, ($w.autogroup | if . == null then null else sub("^/autogroup-"; "") end), $w.cgroup] ]
	| if length == 0 then "Nice, policy, CPUs and scheduling groups: not on record.", ""
	  else "Who competed as what:", "", table(["process", "beside sinks", "nice", "policy", "CPUs", "autogroup", "cgroup"]; .) end;

# How the keys of an application found their echoes.
def pairing_of: map(.pairing | values | select(. != "")) | unique | if length == 0 then null elif length == 1 then .[0] else "mixed" end;
def pairing_words:
	any(.[]; .ranged_keys > 0) as $ranged
	| pairing_of as $p
	| if $p == "patch" then "echoes are exact"
	  elif $p == "caret" then "echoes are exact: by how far the terminal's caret has walked, held against the number of keys"
	  elif $p == "updates" or $ranged then "keys are paired with updates of the window, so that " + (if $ranged then "a key that may share an update has a range" else "where a train brought as many as keys each has its own" end)
	    + if $p == "mixed" then " (in some trains; exact in the others)" else "" end
	  elif $p == "mixed" then "keys are paired exactly, not in the same way in all trains"
	  else "how keys were paired is not on record" end;

def count_word: {"1": "one repeat", "2": "two repeats", "3": "three repeats", "4": "four repeats"}[tostring];

# Where the time of a key goes: stages as columns, for those an application has.
def stage_words: {due_sent: "due → sent", sent_wire: "→ on the wire", wire_app: "→ in the application", app_drawn: "→ drawn", drawn_wire: "→ reply on the wire",
	wire_wire: "→ reply on the wire", wire_pixels: "→ pixels", latency: "in all"};
def stages_of($stages; $app):
	. as $doc | [$stages[] | select(.app == $app)] as $of
	| (reduce $of[] as $s ([]; if index($s.stage) then . else . + [$s.stage] end)) as $names
	| if $of == [] then empty else
	"Where the time of a key goes, mean ms:", "",
	table(["sinks"] + [$names[] | stage_words[.]] + ["keys split"];
		[$of | group_by(.sinks)[] | . as $row | [.[0].sinks] + [$names[] as $n | first($row[] | select(.stage == $n)) // null | if . == null then "" else .mean_ms | unless_below($doc | stage_resolution($n); fixed(2)) end] + ["\(.[0].keys) of \(.[0].of_keys)"]]) end;

# A train in blocks: what the wire alone tells.
def ends($from; $to): if $from == null then "" elif ($from | number) == ($to | number) then $from | number else "\($from | number)-\($to | number)" end;
def wire_alone($rows):
	[$rows[] | select((.wire_repeats // 0) > 0)] | if length == 0 then empty else
	"Latency from the wire alone (keys in drained blocks; from the early to the late end):", "",
	table(["sinks", "keys", "exact pairs, %", "p50, ms", "p90, ms", "true for, % of keys"];
		[.[] | [.sinks, .wire_keys, (.wire_exact_percent | percent), ends(.wire_latency_p50_ms; .wire_latency_high_p50_ms), ends(.wire_latency_p90_ms; .wire_latency_high_p90_ms),
			(if .wire_truth_percent == null then "" else "\(.wire_truth_percent | percent) (\(.wire_truth_percent_low | percent)–\(.wire_truth_percent_high | percent))" end)]]),
	([.[] | select(.wire_exact_percent != null and .wire_exact_percent < 95)] | if length == 0 then empty else
		"Beside \(at_loads) over 5 % of keys have no exact pair: wire-only latency is a range at this load; use refecho.", "" end) end;

. as $doc | .run as $run | ($run.settings // {}) as $set | resolution as $res | gap_resolution as $gap_res | threshold as $t
| ($doc.thresholds | map(select(.name == "perception")) | first) as $perception
| (attached as $attached
| if $attached then "# Echo of a key in a window of a server that is not ours" else "# Echo of a key beside processes that want all the CPU they can get" end,
"",
(if $attached then "Window \"\($run.protocol.title // "?")\"; server: \($run.protocol.server // "not ours, unknown"); the link as it is;"
	else "\($set.protocol // "unknown protocol"): \($run.protocol // {} | protocol_words); \($set.link | link_words);" end) + " \($set.rate_per_s // "?") keys a second; \(plural($set.repeats // 0; "repeat"; "repeats")) of \($set.seconds // "?") s; run of \($run.started // "?"), \($run.state // "state unknown").",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured. What is missing may change what the rest says." | note($run.state != "complete")),
("**The hosts were lost**: \($run.reason)." | note($run.reason != null)),
("**Indicative: \($set.repeats | count_word // "few repeats").** Five or more make a result." | note(($set.repeats // 5) < 5)),
("**\($doc | marked_words)**" | note($doc | marked_words != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## The figures in short",
"",
"Echo in ms after the key was due, all repeats together. Late: not there after \($t) ms" + (if $perception.value == $t then " (\($perception.source))." else "." end),
"",
(apps[] as $app | ($doc | app_name($app)) as $name | rows_of($app) as $rows
	| "**\($name)**", "",
	table(["sinks", "p50", "p90", "max", "later than \($t) ms, %", "updates a key"];
		[$rows[] | if .repeats == 0 then [.sinks, "failed", "", "", "", ""] else
			[.sinks, latency("p50"; $res), latency("p90"; $res), latency("max"; $res), late_text, (.updates_per_key | fixed(2))] end])),
"## Figures",
"",
"![Share of keys later than \($t) ms against the number of sinks, with 95 % intervals](figures/late-share.svg)",
"",
"The headline: how many keys a person had to wait for. Bars are 95 % intervals over repeats.",
"",
"![Latency of every key as a cumulative share, one curve a load, one panel an application](figures/latency-cdf.svg)",
"",
"Every key, from its due time. A curve that ends below 100 % has keys without an echo. Dashed: \($t) ms" + (if ($run.protocol.floor_ms // 0) > 0 then "; dotted: \($run.protocol.floor_of // "half a frame, what an idle server waits before an update")." else "." end)
	+ (if any($doc.rows[]; .overloaded > 0) then " An overloaded cell has no curve." else "" end)
	+ (if any($doc.rows[]; .ranged_keys > 0) then " Where keys could only be paired with a range of updates, the thick curve is its late end and the thin dotted one its early end." else "" end),
"",
(if $doc.stages == [] then empty else
	"![Mean time of a key in each stage of its way, one bar a load, one panel an application](figures/stages.svg)", "",
	"Where the time of a key goes, from when it was due to the client's pixels. Means add up, percentiles don't. What happens in an application that keeps no log is one stage, from the key on the wire to the reply on the wire."
	+ (if any($doc.rows[]; .overloaded > 0) then " An overloaded cell has no bar." else "" end), "" end),
"![Mean stall against the number of sinks, with the line of fair sharing](figures/mean-stall.svg)",
"",
"After Figure 3 of Wong & Seltzer 2000. The mean tells how many updates came, not how late they were. Dashed: what fair sharing of one CPU gives; a curve on it is arithmetic.",
"",
"![Jitter against the number of sinks](figures/jitter.svg)",
"",
"After Figure 4 of the same." + (if any($doc.rows[]; (.schedule_jitter_ms // 0) > 0) then " Keys were sent on a jittered schedule: the dotted line is the jitter they bring along." else "" end),
"",
"## All figures with their intervals",
"",
"In brackets 95 % intervals: \({"t": "Student t over repeats (on logarithms for latencies)", "bca": "BCa bootstrap over repeats", "none": "none from a single repeat"}[$doc.rows | map(.interval) | unique | if index("bca") then "bca" elif index("t") then "t" else "none" end])."
	+ (if any($doc.rows[]; .late_interval == "exact") then " \\*: all repeats gave the same share, so the exact (Clopper-Pearson) interval of all keys stands, which takes keys as independent." else "" end)
	+ " A tail percentile stands only where at least ten keys lie beyond it. A latency \"below resolution\" is smaller than \(resolution_words)."
	+ (if $gap_res == 0 then "" else " Stalls and jitter know nothing of a constant offset: they are so below \($gap_res | number) ms, the probe's spread for two keys; the mean stall, a sum that telescopes, below two of its errors over the length of a train"
		+ (stage_resolution("sent_wire") | if . == 0 then "." else "; a stage with a packet time at one end, below \(number) ms, what those scatter." end) end)
	+ (if any($doc.rows[]; .censored > 0) then " \">\": later than that; some keys had no echo." else "" end),
"",
(apps[] as $app | ($doc | app_name($app)) as $name | rows_of($app) | measured as $rows
	| select($rows | length > 0)
	| "### \($name)", "",
	"Echo, ms after the key was due:", "",
	table(["sinks", "repeats", "keys", "late, %", "p50", "p90", "p99", "max", "no echo"];
		[$rows[] | [.sinks, .repeats, .keys, late_span, latency_span("p50"; $res), latency_span("p90"; $res), latency_span("p99"; $res), latency("max"; $res), .censored]]),
	"Updates:", "",
	table(["sinks", "mean stall, ms", "fair sharing, ms", "mean positive stall, ms", "stalls a repeat", "largest gap, ms", "jitter (sd), ms", "jitter (variance), ms²", "updates a key", "updates/s"];
		[$rows[] | [.sinks, with_span("mean_stall_ms"; . as $row | $doc | mean_gap_resolution($row)), (.fair_stall_ms | number), with_span("mean_positive_stall_ms"; $gap_res), with_span("stall_count"), (.largest_gap_ms | number),
			with_span("jitter_sd_ms"; $gap_res), with_span("jitter_variance_ms2"; $gap_res * $gap_res), (.updates_per_key | fixed(2)), with_span("updates_per_s")]]),
	"On the wire:", "",
	table(["sinks", "updates at a merge gap of 5 ms", "10 ms", "20 ms", "mean stall, ms", "bytes a key", "packets the capture lost"];
		[$rows[] | [.sinks, .wire_updates_5ms, .wire_updates, .wire_updates_20ms, with_span("wire_mean_stall_ms"), (.wire_bytes_per_key | fixed(0)), .capture_dropped]]),
	($doc | stages_of($doc.stages; $app)),
	wire_alone($rows),
	"Circumstances:", "",
	table(["sinks", "warm-up keys left out", "p50 from due, ms", "p50 from sent, ms", "sent late, p99, µs", "max, µs", "server busy, %", "foreign CPU, max %", "stolen, max %", "both, max %", "probe CPU, max %", "capture CPU, max %"];
		[$rows[] | [.sinks, .skipped_keys, (.latency_p50_ms | unless_below($res; fixed(3))), (.latency_sent_p50_ms | unless_below($res; fixed(3))), (.lateness_p99_us | number), (.lateness_max_us | number), (.server_busy_percent | number),
			(.foreign_percent_max | fixed(2)), (.steal_percent_max | fixed(2)), (disturbed_most | fixed(2)), (.probe_cpu_percent_max | number), (.capture_cpu_percent_max | number)]]),
	competes($rows)),
([$doc.rows[] | select(.depends_on_merge != null)] | if length == 0 then empty else
	(map(select(.depends_on_merge > 0)) | length) as $n
	| if $n == 0 then "Merge gaps of 5 and 20 ms give as many updates as 10 ms, within 5 %, in every train."
	  else "Merge gaps of 5 and 20 ms give another number of updates than 10 ms, by more than 5 %, in \(plural($n; "cell"; "cells")): see the next section." end, "" end),
"## Left out, marked, not certain",
"",
([ ($doc.rows[] | ("\(.app), \(plural(.sinks; "sink"; "sinks"))") as $where
	| (if .failed > 0 then "\($where): \(plural(.failed; "train"; "trains")) left out (\(.reason // "failed"))." else empty end),
	  (if .marked > 0 then "\($where): \(plural(.marked; "train"; "trains")) marked, because other processes or the hypervisor took more than 3 % of the server's CPUs (up to \(disturbed_most | fixed(1)) %)." else empty end),
	  (if .overloaded > 0 then "\($where): overloaded in \(.overloaded) of \(plural(.repeats; "repeat"; "repeats")); no percentiles (they would tell the length of the run)." else empty end),
	  (if (.depends_on_merge // 0) > 0 then "\($where): the number of updates depends on the merge gap in \(plural(.depends_on_merge; "train"; "trains")) (\(.wire_updates_5ms), \(.wire_updates), \(.wire_updates_20ms) updates at 5, 10, 20 ms)." else empty end),
	  (if .censored > 0 then "\($where): \(plural(.censored; "key"; "keys")) without an echo stay in as \"later than\"." else empty end),
	  (if .unknown_keys > 0 then "\($where): of \(plural(.unknown_keys; "key"; "keys")) nothing is known." else empty end),
	  (if (.capture_dropped // 0) > 0 then "\($where): the capture lost \(plural(.capture_dropped; "packet"; "packets"))." else empty end),
	  (if .ranged_keys > 0.05 * .keys and .keys > 0 then "\($where): \(100 * .ranged_keys / .keys | percent) % of keys have no exact pair: latency from updates alone is a range at this load; use refecho." else empty end)),
   ([$doc.rows[] | select(.repeats > 0 and ((.foreign_unknown // 0) > 0 or disturbed_most == null))] | length
	| if . == 0 then empty else "Whether other processes or the hypervisor took CPU time is not known for \(plural(.; "cell"; "cells"))." end),
   ($set.loads // [] | .[] as $l | ($set.apps // [])[] as $a | select(all($doc.rows[]; .app != $a or .sinks != $l)) | "\($a), \(plural($l; "sink"; "sinks")): not measured.") ]
	| if length == 0 then "Nothing: every cell was measured, and in none did others take more than 3 % of the server's CPUs." else (.[] | item) end),
"",
"## What the probe itself costs",
"",
(if $run.chain == null then "Not measured in this run." else $run.chain
	| "A train to a target inside keyrepeat that answers at once (no network, no decoding, no pixels): latency \(if .latency_p50_ms == null then "?" else .latency_p50_ms | fixed(3) end) ms (p50)"
	+ (if .latency_p99_ms == null then "" else ", \(.latency_p99_ms | fixed(3)) ms (p99)" end) + (if .latency_max_ms == null then "" else ", \(.latency_max_ms | fixed(3)) ms at most" end)
	+ (if .lateness_max_us == null then "" else "; keys sent at most \(.lateness_max_us | number) µs late" end)
	+ ". This is keyrepeat alone, a lower bound of the probe's own error."
	+ " It took \(.probe_cpu_percent // "?") % of a CPU, a capture that saw no packets \(.capture_cpu_percent // "?") %; what both took under load stands in Circumstances." end),
"",
(calibrated as $c | if calibration_path == null then empty elif $c == null then
	"The path through pixels is \(not_calibrated).", ""
 else
	"Calibrated \($c | calibration_date)\($c | calibration_marks) on this machine with known delays, on \($c.server), \($c.n) keys: from pixels off by \($c.offset_ms | fixed(2)) ms (median), spread \($c.sd_ms | fixed(2)) ms (sd)\(if $c.tail_percent == null then "" else "; \($c.tail_percent) % of keys within \($c.error_ms | fixed(2)) ms of what really happened" end). This holds the way through the network and the display as well, so it is an upper bound of the probe's own error."
	+ (first($run.calibration.paths[] | select(.path == "vnc" and .probe == "patch")) // null | if . == null or $run.settings.protocol != "vnc" then "" else
		" Through \(.server) an answer came \(.offset_ms | fixed(2)) ms late (spread \(.sd_ms | fixed(2)) ms), of which half a frame would be \(.floor_ms | fixed(2)) ms: the server's share, which stays in every latency here." end), ""
 end),
# kept without its samples a run has no summary.json: for none in W seconds the bound is 3/W all the same
(($doc.summary.result.idle_noise // ($run.idle // {} | map_values(select(.updates != null and .seconds > 0)))) | to_entries
	| if length == 0 then "Idle noise was not measured." else "Updates that no key asked for (a caret that blinks, a clock): "
	  + (map((.value.unsolicited_high_per_s // (if .value.updates == 0 then 3 / .value.seconds else null end)) as $high
		| "\(.key): \(.value.updates) in \(.value.seconds | plain) s" + if $high == null then "" else ", below \($high | number)/s (95 %)" end) | join("; ")) + "." end),
"",
"## How it was measured",
"",
((if $attached then "A client window on this machine, of a server that is not ours: nothing was started or changed there. Keys go into the window by XTEST; " + (if $run.protocol.watch == "patch" then "refecho's patch in it is read" else "changed pixels of its rectangle \($run.protocol.region // "?") count as echo" end)
	else (if $run.lab.client then "Two machines, \($run.lab.server // "?") (server) and \($run.lab.client // "?") (client), with a link between them that was left as it is; the capture was \($run.lab.capture // "?" | if . == "none" then "not allowed" else "made " + . end)" else "Two emulated hosts with \($set.link | link_words) between them" end) + (if $run.lab.cpus_server then ", the server on CPU \($run.lab.cpus_server), the client on CPU \($run.lab.cpus_client)" else "" end) + ($doc | memory_words | if . == null then "" else ", " + . end) end) + ". One key is repeated on an open-loop schedule (\($set.rate_per_s // 20) a second, \($set.schedule // "?")); the client watches its own pixels for the echo. Latency counts from when the key was due, so a late probe or a stalled server never hides a sample. The first keys of each train warm up and are left out"
	+ ([$doc.rows[].skipped_keys | values] | if length == 0 then "." else " (\(add) in all)." end) | item),
(apps[] as $app | rows_of($app) | measured | select(length > 0) | pairing_words as $pairs
	| if $app == "heavy" then "Heavy: a reference application that draws each key's number as a readable patch and burns \($doc | cost_words) of CPU a \($set.cost_per // "redraw"); \($pairs)."
	  elif $app == "light" then "Light: vim in an xterm; \($pairs)."
	  elif $doc | burns($app) then "Own: the server is the reference application itself, which draws each key's number as a readable patch and burns \($doc | cost_words) of CPU a \($set.cost_per // "redraw"); \($pairs)."
	  elif $doc | own_name == "the null target" then "Own: keyrepeat's null target, which answers inside the probe; nothing of a server, a network or a display is in these figures."
	  elif $attached then "Own: whatever has the caret in the window; \($pairs)."
	  else "Own: the server answers keys itself; \($pairs)." end | item),
(if $attached then (if ($set.loads // [0]) == [0] then "Load: none was put there by hand; what else the server did is not known." else "Load: put there by hand by whoever ran this; the number is a label for it." end | item)
elif all($doc.rows[]; .sinks == 0) then empty else
	"Load: processes that never sleep, in the regime \"\($set.regime // "?")\" (" + ({"session": "the session's own scheduling group", "login": "a scheduling group of their own, as another login's"}[$set.regime // ""] // "as set") + ")"
	+ ([apps[] as $a | [rows_of($a)[] | .same_group | values] | unique | if length == 0 then empty elif . == [1] then "\($a): in one scheduling group with the load" elif . == [0] then "\($a): in another scheduling group than the load" else "\($a): not the same in all cells" end] | if length == 0 then "; groups not recorded" else "; on record: " + join("; ") end) + "."
	+ (if any($doc.rows[]; .cost_ms != null) then " Fair sharing gives a redraw one part in (sinks + 1) of a CPU: cost × (sinks + 1) − period." else "" end) | item end),
("Stall: time between two updates minus the period of the keys. Mean positive stall: over all intervals, those below 0 taken as 0. Update: wire messages, or changes of pixels, less than 10 ms apart. Means, counts and jitter are per repeat, then averaged; percentiles are of all keys of all repeats. Largest values have no interval." | item),
("Cells are repeated \($set.repeats // "?") times in a seeded random order (seed \($set.seed // "?")). " + if $attached then "Other work on the server's CPUs is not seen, so no cell is marked for it." else "Foreign and stolen CPU time over 3 % of the server's CPUs marks a cell; up to a quarter of the cells are then measured once more, and the quieter try is kept." end | item),
"",
"Keyboard, USB, compositor and screen of a real client are outside all figures.",
"",
(not_here | if length == 0 then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended],
	($run.protocol | facts | rows_for("protocol: ")), ($run.lab | facts | rows_for("lab: ")),
	($run.host | facts | rows_for("")),
	(($run.host | facts | from_entries) as $before | $run.facts_after | facts | map(select($before[.key] != null and $before[.key] != .value)) | rows_for("after the run: "))]
	| map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), cdf.tsv, run.json\(if $samples != "" then ", cells/ (every key)" else "; the samples of single keys were not kept" end).",
"Made again from them by: thinprobe report RUN.")
| . as $text | $doc | attached_words($text)
