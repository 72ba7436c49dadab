# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - round-trip and variance of pings, and response times of keys, over the load of a link; a panel for each link.
include "series";

def link_title: capture("^(?<n>.*)(?<u>[KMG]bit.*)$") // {n: ., u: ""} | "\(.n) \(.u)/s";
def kind_words: {none: "no load", udp: "UDP at regular intervals", random: "UDP at random intervals", tcp: "TCP",
	reno: "TCP with Reno"}[.] // .;
def kind_colour: {udp: light_colour, random: colour(2), tcp: heavy_colour, reno: colour(3)}[.];
def figures: . as $doc | measured_rows("summary") as $rows | (.run.runs != null) as $joined
	| ($rows | distinct(.queue)) as $queues | ($queues | map(bare) | unique | length > 1) as $named
	| ($rows | distinct(.transport | select(. != "none"))) as $kinds
	| ([$rows[].load_percent] + [100] | max) as $most
	| {label: "load, % of the link (bits of whole frames)", from: 0, to: ($most * 1.02)} as $x
	# a curve for each kind of load and queue, which begins with the row without load
	| def curves_over($probe; $link; $column; $begin; $shape):
		$queues | to_entries[] | .key as $q | .value as $queue | $kinds[] | . as $kind
		| {colour: ($kind | kind_colour),
			dash: (if $q > 0 then $q + 2 else 1 end), $shape} as $look
		| curve([$rows[] | select(.link == $link and .queue == $queue and .probe == $probe and (.transport
			| IN($kind, "none")))];
			.load_percent; $column; $look + {name: ($kind | kind_words), title: ($begin + ($kind | kind_words)
				+ (if $named then ", \($queue | bare)" else "" end) + ($queue | of_run))});
	  ($rows | map(select(.probe == "ping")) | select(. != []) | (["round-trip", "mean_ms", "wait_ms", "mean", "ms"],
			["variance", "variance_ms2", "variance_ms2", "variance", "ms²"]) as [$name, $column, $model, $words, $unit]
		| [(select($kinds | index("random")) | [$model, 2, "theory, not fitted: random distances (M/D/1)"]),
			(select($kinds - ["random"] != []) | ["even_\($model)", 4, "theory, not fitted: even distances"])] as $models
		| {$name, title: "Round trip of a ping beside a load, \($words)", across: 9,
			panels: [$rows | distinct(.link)[] | . as $link
			| [$rows[] | select(.link == $link and .probe == "ping" and .transport == "none")
				| select(($queues | map(bare))[0] == (.queue | bare))] as $base
			| {title: (. | link_title), $x, y: {label: $unit, log: true}, grid: "xy", curves: [
				curves_over("ping"; $link; $column; ""; 7),
				($base[] as $b | $models[] as [$wait, $dash, $title] | dashed + {draw: "line", $dash, $title,
					rows: [$doc.curve // [] | .[] | select(.link == $link
						and (($joined | not) or .run_name == $b.run_name)
						and .[$wait] != null) | {x: .load_percent, y: ($b[$column] + .[$wait])}]}),
				($base[] | select($name == "round-trip" and .queue_ms != null)
					| level(.mean_ms + .queue_ms; dotted + {title: "no load, and a queue that is full"}))]}]}),
	($rows | distinct(.probe | select(. != "ping")) as $probes | select($probes != [])
		| {name: "keys", title: "Response time of a key beside a load", across: ($rows | distinct(.link) | length),
			panels: [
			$probes[] | . as $probe | $rows | distinct(.link)[] | . as $link
			| {title: ((if $probes | length > 1 then "\($probe), " else "" end) + link_title), $x,
				y: {label: "ms after the key was due", log: true, unit: "ms"}, grid: "xy", curves: [
				curves_over($probe; $link; "mean_ms"; "mean beside "; 7),
				($kinds[] | . as $kind | {draw: "points", colour: ($kind | kind_colour), shape: 2,
					title: "the slowest key", rows: [$rows[] | select(.link == $link and .probe == $probe
						and .max_ms != null
						and (.transport | IN($kind, "none")) and ($joined or .queue == $queues[0]))
							| {x: .load_percent, y: .max_ms}]}),
				($doc | threshold_line)]}]});
