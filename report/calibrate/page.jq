# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a calibration.
include "lib";
include "calibrate/say";

def cells: "| " + (map(. // "" | tostring | gsub("[|\n]"; " ")) | join(" | ")) + " |";
def table($head; $rows): ($head | cells), ($head | to_entries | map(if .key < 3 and (.value | IN("path", "probe", "delay", "fact", "value")) then ":--" else "--:" end) | cells), ($rows[] | cells), "";
def note($say): if $say then "> \(.)", "" else empty end;

. as $doc | .run as $run
| "# How far the probe itself is off",
"",
"Known delays over \(plural($run.settings.paths | length; "path"; "paths")); \($run.settings.link | link_words); \($run.settings.rate_per_s) keys a second; \(plural($run.settings.repeats; "repeat"; "repeats")) of \($run.settings.seconds) s; run of \($run.started), \($run.state).",
"",
("**\($doc | shared_words)**" | note($doc | shared_words != null)),
("**This run is \($run.state // "of unknown state")**: \($run.cells.complete // "?") of \($run.cells.total // "?") trains were measured." | note($run.state != "complete")),
("**\($doc | disturbed_words)**" | note($doc | disturbed_words != null)),
"## Findings",
"",
(findings | to_entries[] | "\(.key + 1). \(.value)"),
"",
"## Offset by delay and path",
"",
"![Offset of measured minus injected, by injected delay, one panel a path, with its spread](figures/offset.svg)",
"",
"Points: median. Bars: from the smallest offset to the percentile that the table names. Dotted: half a frame of the server's clock, where it has one.",
"",
"All in ms, over all repeats. Injected and measured, there and back are medians.",
"",
table(["path", "probe", "delay", "keys", "no answer", "injected", "measured", "offset", "smallest", "largest", "spread (sd)", "tail − p50", "there", "back", "less that at 0 ms", "less half a frame"];
	[.rows[] | select(.keys > 0) | [path_name(.path), .probe, .delay, .keys, .lost, (.injected_ms | ms), (.measured_ms | ms), (.offset_ms | ms), (.offset_min_ms | ms), (.offset_max_ms | ms),
		(.sd_ms | ms), (if .tail_percent == null then "" else "p\(.tail_percent) \(.tail_ms | ms)" end), (.there_ms | ms), (.back_ms | ms),
		(if .less_base_ms == null then "" else .less_base_ms | ms end), (if has_floor then .less_floor_ms | ms else "" end)]]),
"## How it was measured",
"",
"- The reference application answers each key after a scripted delay and logs, on the same clock, when it received the key and when its answer was flushed. Injected is the time between the two, not the delay it was told, so its own late waking is no error of the probe.",
"- Measured, from pixels: from the moment the probe sent the key to the moment it had read the key's number from its pixels. On the wire: from the key's first packet to the first update after the application began to draw, both on the server's link.",
"- Offset: measured minus injected. It is the way there (sent to received) and the way back (flushed to measured): the probe and the path, which cannot be told apart from outside. So it is an upper bound of the probe's own error.",
"- A server with a frame clock holds answers back by half a frame when its screen was at rest. That is the server, not the probe; the probe's own error towards it is that on the path without a clock (vnc:refecho: the same client code).",
"- Due times are jittered (seed \($run.settings.seed)); delays, paths and repeats come in random order. The first five keys of a train are left out. Trains whose CPUs others used for more than 3 % are marked and, up to one in nine, measured once more.",
"",
"Keyboard, USB, compositor and screen of a real client are outside all figures.",
"",
"## This machine and this run",
"",
table(["fact", "value"]; [["command", $run.command], ["thinprobe", $run.version], ["started", $run.started], ["ended", $run.ended],
	($run.protocols // {} | to_entries[] | [path_name(.key), .value.says]),
	["server on CPU", $run.lab.cpus_server], ["client on CPU", $run.lab.cpus_client], ["real-time priority for the probe", (if $run.lab.real_time then "yes" else "no" end)],
	["as root", (if $run.lab.rootless then "no" else "yes" end)],
	["kernel", $run.host.kernel], ["system", $run.host.system], ["CPU", $run.host.cpu.model], ["virtualisation", $run.host.virtualisation], ["clock", $run.host.clocksource]]
	| map(select(.[1] != null) | map(tostring))),
"Data beside this report: summary.tsv (all figures), run.json, cells/ (every key), calibration.json (what this run adds to the record that later runs carry).",
"Made again from them by: thinprobe report RUN."
