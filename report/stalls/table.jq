# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - the figures that a person asks for first, one line a load, for a terminal.
include "lib";

def column($head; cell): {head: $head, cell: [.[] | cell // ""]};

def widths: .width = ([(.head | length)] + [.cell[] | length] | max);
def right($n): (" " * ($n - length) // "") + .;

. as $doc | resolution as $res
| ([.rows[].sinks] + (.run.settings.loads // []) | unique) as $loads
| (apps | map(. as $app | $loads | map(. as $l | first($doc.rows[] | select(.app == $app and .sinks == $l)) // {sinks: $l, overloaded: 0, missing: true})
	| map(if .missing then .text = "not measured" elif .repeats == 0 then .text = "failed" elif .overloaded > 0 then .text = "overloaded" else . end)
	| ($doc | app_name($app)) as $name | ($doc | burns($app)) as $burns
	| (if $burns then $name + ": p50" else $name + ": echo p50" end) as $head
	| [column($head; .text // latency("p50"; $res)), column("p90"; if .text then "" else latency("p90"; $res) end),
	   column("max"; if .text then "" else latency("max"; $res) end),
	   column(if $app == ($doc | apps[0]) then "later than \($doc | threshold) ms" else "later" end; if .late_share_percent == null then "" else late_text + " %" end)]
	  + if $burns | not then [] else [column("updates/key"; .updates_per_key | fixed(2))] end))
| [[{head: (if $doc | attached then "load" else "sinks" end), cell: ($loads | map(tostring))}]] + . | map(map(widths))
| . as $groups
| ([$groups[] | map(. as $c | $c.head | right($c.width)) | join("  ")] | " " + join(" | ")),
  (range($loads | length) as $i | [$groups[] | map(. as $c | $c.cell[$i] | right($c.width)) | join("  ")] | " " + join(" | "))
