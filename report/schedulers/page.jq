# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a comparison of scheduler settings.
include "lib";
include "markdown";
include "schedulers/say";

def item_of($text): "- " + $text;
def share: if . == null then "" else fixed(0) end;
def share_span($name): .[$name] as $v | if $v == null then "" else ($v | fixed(0)) + (if .[$name + "_low"] == null then "" else " (\(.[$name + "_low"] | fixed(0))–\(.[$name + "_high"] | fixed(0)))" end) end;
def verdict($doc): . as $row | $doc | compared($row) | if . == null then "" else .verdict end;
def ratio($doc): . as $row | $doc | compared($row) | if . == null or .ratio == null then "" else (.ratio | fixed(2)) + (if .ratio_low == null then "" else " (\(.ratio_low | fixed(2))–\(.ratio_high | fixed(2)))" end) end;
def state_word: if . == null then "not measured" elif .repeats == 0 then "failed" else null end;

# The table beside one load.
def main_table($n; $res):
	. as $doc | main_cost as $cost
	| table(["setting", "vim: p50, ms", "vim: tail", "\($cost) ms a key: p50, ms", "tail", "coalesced, %", "load kept, %", "p50 / default"];
		[settings[] | .setting as $s | if .here then
			($doc | table_cell($s; "light"; null; $n)) as $l | ($doc | table_cell($s; "heavy"; $cost; $n)) as $h | ($doc | table_cell(base; "heavy"; $cost; $n)) as $by
			| ["\(.setting): \(.says)", ($l | state_word) // ($l | p50($res)), (if $l | there then $l | tail($res) else "" end),
				($h | state_word) // ($h | p50($res)), (if $h | there then $h | tail($res), (.coalesced_percent | share), "\(.load_share_percent | share)\(if $s == base then "" else " (\($by.load_share_percent | share))" end)",
					(if $s == base then "" else ratio($doc) + " " + verdict($doc) end) else "", "", "", "" end)]
		  else ["\(.setting): \(.says)", (if .why // "" | startswith("it is so already") then "as default" else "not here" end), "", "", "", "", "", ""] end]);

def cost_rows($res):
	. as $doc | first_load as $n | ($doc.run.settings.costs_ms // []) as $costs
	| if $costs | length < 2 then empty else
	"Median (and largest) echo beside \(plural($n; "sink"; "sinks")), in ms, by CPU time of a key; in the first row what fair sharing makes of that time alone:", "",
	table(["setting"] + [$costs[] | "\(.) ms"];
		[["fair sharing: cost × \($n + 1)"] + [$costs[] | fair(.; $n) | tostring]]
		+ [asked[] | .setting as $s | ["\(.setting): \(.says)"] + [$costs[] as $c | $doc | table_cell($s; "heavy"; $c; $n) | state_word // if .overloaded > 0 then "overloaded" else "\(p50($res)) (\(latency("max"; $res)))" end]]) end;

def length_table($res):
	. as $doc | ([.rows[] | select(.part == "length") | .cost_ms] | unique) as $lengths | (.run.settings.length.sinks // 0) as $n
	| if $lengths == [] then empty else
	table(["setting"] + [$lengths[] | "\(plain) ms"];
		[["fair sharing: length × \($n + 1)"] + [$lengths[] | fair(.; $n) | plain]]
		+ [asked[] | .setting as $s | select(any($doc.rows[]; .part == "length" and .setting == $s))
			| ["\(.setting): \(.says)"] + [$lengths[] as $c | $doc | cell_of("length"; $s; "heavy"; $c; $n) | state_word // if .overloaded > 0 then "overloaded" else "\(p50($res)) (\(latency("max"; $res)))" end]]) end;

# As which group, login, policy … it competed.
def words_of: [splits(" ") | capture("^(?<key>[a-z]+)=(?<value>.*)$")] | from_entries;
def competes_words: if (. // "") == "" then "" else words_of | [(if .cgroup == "/" or .cgroup == null then (.autogroup // "" | sub("^/"; "")) else .cgroup | sub("thinprobe-[0-9a-f]{6}-"; "") end),
	(if .nice == "0" then empty else "nice \(.nice)" end), (if .policy == "other" then empty else .policy end), "CPU \(.cpus)"] | join(", ") end;

. as $doc | .run as $run | ($run.settings // {}) as $set | resolution as $res | main_cost as $cost
| "# What a scheduler can do about stalls",
"",
"\($set.protocol): \($run.protocol.says // $run.protocol.server // "?"); \($set.link | link_words). Table: \($set.rate_per_s) keys a second (fewer for operations over 15 ms), \(plural($set.repeats; "repeat"; "repeats")) of \($set.seconds) s; run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") cells were measured. What is missing may change what the rest says." | note($run.state != "complete")),
("**Indicative: \($doc | repeats_words).** Five or more make a result." | note(($set.repeats // 5) < 5)),
("**\($doc | marked_words)**" | note($doc | marked_words != null)),
("**Not as asked for**: in \($doc | wrong_setting | length) cells something else competed than the setting says: these are left out, see below." | note($doc | wrong_setting != [])),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## Every setting",
"",
(if all($doc.rows[]; .part != "table") then "Not part of this run.", "" else
"![Echo of a key under every setting, of an application that needs little and of one that needs \($cost) ms; keys answered together; what the load kept of the CPU](figures/settings.svg)",
"",
"A point is the median of all keys, the thin line reaches to the slowest key, thick bars are 95 % intervals of the median (none from one repeat). Dashed: \(threshold) ms.",
"",
($doc | loads[] as $n | "### Beside \(plural($n; "sink"; "sinks"))", "", main_table($n; $res)),
([$doc | settings[] | select(.here | not)] | if . == [] then empty else "Not measured (found by trying):", "", (.[] | item_of("\(.setting): \(.why)")), "" end),
"Echo from when a key was due. Tail: the latest percentile with ten keys beyond it, or the slowest key. Coalesced: keys that were answered together with a later one. Load kept: CPU time of all sinks, in percent of one CPU, over their whole life, which is a little longer than the train; in brackets what they have under the default, with the same application.",
"",
($doc | cost_rows($res)) end),
"## Longer operations",
"",
(if all($doc.rows[]; .part != "length") then "Not part of this run.", "" else
"![Echo over the CPU time of the operation, one curve a setting, every key a dot, with the bare cost and fair sharing](figures/length.svg)",
"",
"Beside \(plural($set.length.sinks; "sink"; "sinks")); keys come so slowly (one and a half times what fair sharing needs) that none waits for the one before. Every key is a dot, lines join medians. Wong & Seltzer's counterpart are the boosts of 90 and 180 ms, after which a window had to wait like all others.",
"",
"Median (and slowest) echo, in ms, by CPU time of the operation:", "",
($doc | length_table($res)) end),
"## All figures with their intervals",
"",
"In brackets 95 % intervals over repeats (Student t, on logarithms for latencies). Against the default: ratio of medians in the same repeat, Student t on logarithms, Holm over all rows; below five pairs there is no verdict.",
"",
(("table", "length") as $part | [$doc.rows[] | select(.part == $part)] as $rows | select($rows != [])
	| "### " + {table: "Every setting", length: "Longer operations"}[$part], "",
	table(["setting", "application", "sinks", "repeats", "keys", "p50, ms", "p90, ms", "p95, ms", "p99, ms", "max, ms", "late, %", "coalesced, %", "load kept, %", "against default"];
		[$doc | settings[] | .setting as $s | $rows[] | select(.setting == $s)
			| [($s), (if .app == "light" then "vim" else "\(.cost_ms | plain) ms" end), .sinks, .repeats, .keys, latency_span("p50"; $res), latency_span("p90"; $res), latency_span("p95"; $res), latency_span("p99"; $res),
				latency("max"; $res), late_text, share_span("coalesced_percent"), share_span("load_share_percent"), (if $s == base then "" else ratio($doc) + " " + verdict($doc) end)]])),
"Who competed as what (group or login, what differs from nice 0 and the normal policy, CPU):",
"",
table(["setting", "display server", "application", "load"];
	[$doc | settings[] | .setting as $s | first($doc.rows[] | select(.setting == $s and .app == "heavy" and .repeats > 0)) | [$s, (.competes_session | competes_words), (.competes_app | competes_words), (.competes_sinks | competes_words)]]),
"## Left out, marked, not certain",
"",
([ $doc.rows[] | "\(.setting | if . == "" or . == null then "interrupted" else . end), \(if .app == "light" then "vim" elif .cost_ms then "\(.cost_ms | plain) ms" else .app end), \(plural(.sinks; "sink"; "sinks"))" as $where
	| (if .failed > 0 then "\($where): \(plural(.failed; "train"; "trains")) left out (\(.reason // "failed"))." else empty end),
	  (if .marked > 0 then "\($where): \(plural(.marked; "train"; "trains")) marked (others had up to \(disturbed_most // 0 | fixed(1)) % of the server's CPUs, or the setting was not as asked for)." else empty end),
	  (if .overloaded > 0 then "\($where): overloaded in \(.overloaded) of \(plural(.repeats; "repeat"; "repeats")); no percentiles." else empty end),
	  (if .censored > 0 then "\($where): \(plural(.censored; "key"; "keys")) without an echo stay in as \"later than\"." else empty end),
	  (if .ranged_keys > 0.05 * .keys and .keys > 0 then "\($where): \(100 * .ranged_keys / .keys | percent) % of keys have no exact pair; their latency is a range." else empty end) ]
	| if . == [] then "Nothing." else .[] | item end),
"",
"## How it was measured",
"",
("Two emulated hosts with \($set.link | link_words) between them, the server on CPU \($run.lab.cpus_server), the client on CPU \($run.lab.cpus_client). One key is repeated on an open-loop schedule with jitter (seed \($set.seed)); the client watches its own pixels for the echo." | item),
("For each setting, in random order within each repeat, two sessions are made anew in it (vim in an xterm; a reference application that burns a given CPU time a redraw and draws each key's number as a readable patch), then its cells in random order. Load: processes that never sleep, started once the probe is connected, ended after the train." | item),
("What competed as what is read while it runs, and held against the setting: group, login, nice value, policy, CPU, switch." | item),
("Trains of the table have \($set.seconds) s; those of other costs than \(main_cost) ms 3 s, or fourteen keys. Operations over 15 ms get a key every four times their length, so that the application alone needs a quarter of the CPU; where fourteen keys take over 3 s, two instead of five warm up." | item),
("Weights are cpu.shares of cgroup v1 or cpu.weight of v2 (100 for 1024); a quota has a period of 100 ms; real-time throttling is the group's budget in a second. Groups and switches are taken back at the end, however it comes." | item),
("Foreign and stolen CPU time over \(3) % of the server's CPUs marks a cell; up to one in nine is then measured once more, and the quieter try is kept." | item),
"",
"Keyboard, USB, compositor and screen of a real client are outside all figures.",
"",
(not_here | if . == [] then empty else "## Not on this machine", "", (.[] | item), "" end),
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended], ["autogroup switch", ($run.machine.autogroup | if . == null then "none" else tostring end)],
	($run.protocol | facts | rows_for("protocol: ")), ($run.lab | facts | rows_for("lab: ")), ($run.host | facts | rows_for(""))]
	| map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), compare.tsv (each setting against the default), cdf.tsv, run.json\(if $samples != "" then ", cells/ (every key)" else "" end).",
"Made again from them by: thinprobe report RUN."
