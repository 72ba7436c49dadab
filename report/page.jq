# page.jq - report.md: findings first, then figures, tables, what was left out, how it was measured. Readable as it is.
include "lib";
include "say";

def cells: "| " + (map(. // "" | tostring | gsub("[|\n]"; " ")) | join(" | ")) + " |";
def table($head; $rows): ($head | cells), ($head | map(if . == $head[0] or . == "value" then ":--" else "--:" end) | cells), ($rows[] | cells), "";

def with_span($name): .[$name] as $v | if $v == null then "" else ($v | number)
	+ (if .[$name + "_low"] == null then "" else " (\(.[$name + "_low"] | number)–\(.[$name + "_high"] | number))" end) end;
def resolved($name; $res): if .[$name] != null and (.[$name] | fabs) < $res then "below resolution" else with_span($name) end;
def latency_span($which; $res):
	latency($which; $res) as $text
	| (.["latency_high_\($which)_ms_high"] // .["latency_\($which)_ms_high"]) as $high | .["latency_\($which)_ms_low"] as $low
	| $text + if $low == null or .overloaded > 0 or $text == "below resolution" or $text == "" then "" else " (\($low | number)–\($high | number))" end;
def late_span: if .late_share_percent == null then "" else late_text
	+ (if .late_share_percent_low == null then "" else " (\(late_least_low | percent)–\(late_most_high | percent))" end)
	+ (if .late_interval == "exact" then " *" else "" end) end;

def note($say): if $say then "> \(.)", "" else empty end;
def item: "- " + .;
# An object of plain values is one row; what changes all the time is no fact.
def plain_value: if . == true then "yes" elif . == false then "no" else tostring end;
def volatile: IN("taken", "uptime_s", "cpu_time", "load", "available_bytes", "swap_free_bytes", "says");
def facts:
	if type != "object" then [] else
	[to_entries[] | select(.value != null and (.key | volatile | not) and (.key | IN("missing", "cannot", "not_here") | not))
	| if (.value | type) == "object" then
		.key as $k
		| (.value | to_entries | map(select(.value != null and (.key | volatile | not)))) as $in
		| ({key: $k, value: ($in | map(select(.value | type != "object") | "\(.key) \(if .value | type == "array" then .value | map(plain_value) | join(" ") else .value | plain_value end)") | join(", "))},
		   ($in[] | select(.value | type == "object") | {key: "\($k).\(.key)", value: ([.value | paths(type | IN("object", "array") | not) as $p | "\($p | map(tostring) | join(".")) \(getpath($p) | plain_value)"] | join(", "))}))
	  elif (.value | type) == "array" then {key, value: (.value | map(plain_value) | join(", "))}
	  else {key, value: (.value | plain_value)} end
	| select(.value != "")] end;
def rows_for($prefix): .[] | [$prefix + .key, .value];
def protocol_words: "\(.server // "") \(.version // "")" + if .frame_rate_per_s then ", \(.frame_rate_per_s) frames/s" else "" end;
def not_here: [(.run.host, .run.lab, .run) | objects | (.missing, .cannot, .not_here) | select(. != null)
	| if type == "object" then to_entries[] | "\(.key): \(.value)" elif type == "array" then .[] | if type == "object" then "\(.what // .name): \(.why)" else tostring end else tostring end];

def count_word: {"1": "one repeat", "2": "two repeats", "3": "three repeats", "4": "four repeats"}[tostring];

. as $doc | .run as $run | ($run.settings // {}) as $set | resolution as $res | threshold as $t
| ($doc.thresholds | map(select(.name == "perception")) | first) as $perception
| "# Echo of a key beside processes that want all the CPU they can get",
"",
"\($set.protocol // "unknown protocol"): \($run.protocol.says // ($run.protocol // {} | protocol_words)); link \($set.link | bitrate); \($set.rate_per_s // "?") keys a second; \(plural($set.repeats // 0; "repeat"; "repeats")) of \($set.seconds // "?") s; run of \($run.started // "?"), \($run.state // "state unknown").",
"",
("**Server and client shared CPUs**: load on the server slows the probe too. All figures are upper bounds." | note($run.lab.shared_cpus == true)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured. What is missing may change what the rest says." | note($run.state != "complete")),
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
"Every key, from its due time. A curve that ends below 100 % has keys without an echo. Dashed: \($t) ms" + (if ($run.protocol.floor_ms // 0) > 0 then "; dotted: half a frame of the server's timer, the floor." else "." end)
	+ (if any($doc.rows[]; .ranged_keys > 0) then " Where keys could only be paired with a range of updates, the thick curve is its late end and the thin dotted one its early end." else "" end),
"",
"![Mean stall against the number of sinks, with the line of fair sharing](figures/mean-stall.svg)",
"",
"After Figure 3 of Wong & Seltzer 2000. The mean tells how many updates came, not how late they were. Dashed: what fair sharing of one CPU gives; a curve on it is arithmetic.",
"",
"![Jitter against the number of sinks](figures/jitter.svg)",
"",
"After Figure 4 of the same." + (if any($doc.rows[]; .schedule_jitter_ms // 0 > 0) then " Keys were sent on a jittered schedule: the dotted line is the jitter they bring along." else "" end),
"",
"## All figures with their intervals",
"",
"In brackets 95 % intervals: \({"t": "Student t over repeats (on logarithms for latencies)", "bca": "BCa bootstrap over repeats", "none": "none from a single repeat"}[$doc.rows | map(.interval) | unique | if index("bca") then "bca" elif index("t") then "t" else "none" end])."
	+ (if any($doc.rows[]; .late_interval == "exact") then " \\*: all repeats gave the same share, so the exact (Clopper-Pearson) interval of all keys stands, which takes keys as independent." else "" end)
	+ " A tail percentile stands only where at least ten keys lie beyond it. \"below resolution\": smaller than the chain's own error (\($res | number) ms)."
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
		[$rows[] | [.sinks, resolved("mean_stall_ms"; $res), (.fair_stall_ms | number), resolved("mean_positive_stall_ms"; $res), with_span("stall_count"), (.largest_gap_ms | number),
			resolved("jitter_sd_ms"; $res), with_span("jitter_variance_ms2"), (.updates_per_key | fixed(2)), with_span("updates_per_s")]]),
	"Circumstances:", "",
	table(["sinks", "keys sent late, p99, µs", "max, µs", "server busy, %", "foreign CPU, max %", "probe CPU, %", "capture CPU, %", "capture dropped", "wire bytes a key", "mean stall on the wire, ms"];
		[$rows[] | [.sinks, (.lateness_p99_us | number), (.lateness_max_us | number), (.server_busy_percent | number), (.foreign_percent_max | fixed(2)),
			(.probe_cpu_percent_max | number), (.capture_cpu_percent_max | number), .capture_dropped, (.wire_bytes_per_key | fixed(0)), with_span("wire_mean_stall_ms")]])),
"## Left out, marked, not certain",
"",
([ ($doc.rows[] | ("\(.app), \(plural(.sinks; "sink"; "sinks"))") as $where
	| (if .failed > 0 then "\($where): \(plural(.failed; "train"; "trains")) left out (\(.reason // "failed"))." else empty end),
	  (if .marked > 0 then "\($where): \(plural(.marked; "train"; "trains")) marked, because other processes or the hypervisor took more than 3 % of the server's CPUs (at most \(.foreign_percent_max | fixed(1)) % foreign)." else empty end),
	  (if .overloaded > 0 then "\($where): overloaded in \(.overloaded) of \(plural(.repeats; "repeat"; "repeats")); no percentiles (they would tell the length of the run)." else empty end),
	  (if .censored > 0 then "\($where): \(plural(.censored; "key"; "keys")) without an echo stay in as \"later than\"." else empty end),
	  (if .unknown_keys > 0 then "\($where): of \(plural(.unknown_keys; "key"; "keys")) nothing is known." else empty end),
	  (if (.capture_dropped // 0) > 0 then "\($where): the capture lost \(plural(.capture_dropped; "packet"; "packets"))." else empty end),
	  (if .ranged_keys > 0.05 * .keys and .keys > 0 then "\($where): \(100 * .ranged_keys / .keys | percent) % of keys have only a range: wire-only latency is a range at this load; use refecho." else empty end)),
   ($set.loads // [] | .[] as $l | ($set.apps // [])[] as $a | select(all($doc.rows[]; .app != $a or .sinks != $l)) | "\($a), \(plural($l; "sink"; "sinks")): not measured.") ]
	| if length == 0 then "Nothing: every cell was measured, and none was disturbed." else (.[] | item) end),
"",
"## What the measuring chain itself costs",
"",
(if $run.chain == null then "Not measured in this run." else $run.chain
	| "The same train to a target that answers at once, with the same capture beside it: latency \(if .latency_p50_ms == null then "?" else .latency_p50_ms | fixed(3) end) ms (p50)"
	+ (if .latency_p99_ms == null then "" else ", \(.latency_p99_ms | fixed(3)) ms (p99)" end) + (if .latency_max_ms == null then "" else ", \(.latency_max_ms | fixed(3)) ms at most" end)
	+ (if .lateness_max_us == null then "" else "; keys sent at most \(.lateness_max_us | number) µs late" end)
	+ "; the probe took \(.probe_cpu_percent // "?") % of a CPU, the capture \(.capture_cpu_percent // "?") %." end),
"",
(($doc.summary.result.idle_noise // {}) | to_entries
	| if length == 0 then "Idle noise was not measured." else "Updates that no key asked for (a caret that blinks, a clock): "
	  + (map("\(.key): \(.value.updates) in \(.value.seconds | plain) s, below \(.value.unsolicited_high_per_s | number)/s (95 %)") | join("; ")) + "." end),
"",
"## How it was measured",
"",
("Two emulated hosts with a link of \($set.link | bitrate) between them" + (if $run.lab.cpus_server then ", the server on CPU \($run.lab.cpus_server), the client on CPU \($run.lab.cpus_client)" else "" end) + ". One key is repeated on an open-loop schedule (\($set.rate_per_s // 20) a second, \($set.schedule // "?")); the client watches its own pixels for the echo. Latency counts from when the key was due, so a late probe or a stalled server never hides a sample. The first five keys of each train are left out." | item),
("Heavy: a reference application that draws each key's number as a readable patch and burns \(cost // $set.cost_ms // 0 | plain) ms of CPU a \($set.cost_per // "redraw"); its echoes are exact. Light: vim in an xterm, watched by updates" + (if any($doc.rows[]; .app == "light" and .ranged_keys > 0) then "; a key that shares an update is known as a range." else "." end) | item),
("Load: processes that never sleep, in the regime \"\($set.regime // "?")\" (" + ({"session": "the session's own scheduling group", "login": "a scheduling group of their own, as another login's"}[$set.regime // ""] // "as set") + ")"
	+ ([apps[] as $a | [rows_of($a)[] | .same_group | values] | unique | if length == 0 then empty elif . == [1] then "\($a): in one scheduling group with the load" elif . == [0] then "\($a): in another scheduling group than the load" else "\($a): not the same in all cells" end] | if length == 0 then "; groups not recorded" else "; on record: " + join("; ") end) + ". Fair sharing gives a redraw one part in (sinks + 1) of a CPU: cost × (sinks + 1) − period." | item),
("Stall: time between two updates minus the period of the keys. Mean, count and jitter are per repeat, then averaged; percentiles are of all keys of all repeats. Largest values have no interval." | item),
("Cells are repeated \($set.repeats // "?") times in a seeded random order (seed \($set.seed // "?")). Foreign CPU time over 3 % marks a cell." | item),
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
"Data beside this report: summary.tsv (this table in full), cdf.tsv, run.json, cells/ (every key).",
"Made again from them by: thinprobe report RUN."
