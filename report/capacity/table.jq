# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - the user in front and the server by the number of users, for a terminal.
include "lib";
include "capacity/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
. as $doc
| [["system", "users", "p50, ms", "p95, ms", "Apdex", "worst / median", "CPU, %", "waiting", "viewers, %"]]
+ [.rows[] | if .repeats == 0 then [.system, "", "failed"] else [.system, "\(.users)", (.p50_ms | number), (.p95_ms | number), (.apdex | fixed(2)), (.worst_over_median | fixed(2)),
	(.server_busy_percent | percent), (.waiting | fixed(1)), (.client_busy_percent | percent)] end]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] // "" | length] | max] as $width
| $all[] | [to_entries[] | .key as $c | .value | if $c == 0 then left($width[$c]) else right($width[$c]) end] | " " + join("  ")
