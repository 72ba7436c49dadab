# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - memory of all logins together, by their number, for a terminal.
include "lib";
include "session-memory/say";

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
. as $doc
| [["MB, all logins together", "logins", "processes", "private", "for each", "private clean", "fair share (PSS)", "charged by the kernel"]]
+ [.rows[] | select(.logins > 0)
	| if .repeats == 0 then ["\(login_words)", "\(.logins)", "failed"] else [login_words, "\(.logins)", (.processes | plain), (.private_bytes | mb), (.private_bytes / .logins | mb), (.private_clean_bytes | mb), (.pss_bytes | mb), (.group_bytes | mb)] end]
| . as $all | [range($all[0] | length) as $c | [$all[][$c] // "" | length] | max] as $width
| $all[] | [to_entries[] | .key as $c | .value | if $c == 0 then left($width[$c]) else right($width[$c]) end] | " " + join("  ")
