# SPDX-License-Identifier: GPL-3.0-or-later
# markdown.jq - what pages share: tables, figures with their intervals, facts of a machine as rows.
include "lib";

def cells: "| " + (map(. // "" | tostring | gsub("[|\n]"; " ")) | join(" | ")) + " |";
# Words stand left, and may be broken into lines; numbers right.
def of_words: IN("value", "why", "what", "whose", "culprit", "application", "display server", "load", "p50 / default", "against default");
def table($head; $rows): ($head | cells), ($head | map(if . == $head[0] or of_words then ":--" else "--:" end) | cells), ($rows[] | cells), "";

def with_span($name; $res): .[$name] as $v | if $v == null then "" elif ($v | fabs) < $res then "below resolution" else ($v | number)
	+ (if .[$name + "_low"] == null then "" else " (\(.[$name + "_low"] | number)–\(.[$name + "_high"] | number))" end) end;
def with_span($name): with_span($name; 0);
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
def rows_for($prefix): any(.[]; .key == "floor_of") as $other | .[] | select([.key, .value] != ["floor_ms", "0"])
	| [$prefix + (if .key == "floor_ms" then if $other then "least wait, ms" else "half a frame, ms" end elif .key == "floor_of" then "least wait" else .key end), .value];
def protocol_words:
	if (.server // "none") == "none" then "no server"
	else ([.server, .version] | map(values | select(. != "")) | join(" ")) + if .frame_rate_per_s then ", \(.frame_rate_per_s) frames/s" else "" end end;
def not_here: [(.run.host, .run.lab, .run) | objects | (.missing, .cannot, .not_here) | select(. != null)
	| if type == "object" then to_entries[] | "\(.key): \(.value)" elif type == "array" then .[] | if type == "object" then "\(.what // .name): \(.why)" else tostring end else tostring end];
