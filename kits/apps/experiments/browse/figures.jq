# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - time of a visit by page and scheme, to that of the baseline, whose own time stands above its bar; a figure for each
# job.
include "schemes";

def figures: measured_rows("summary") as $rows
	| (["plain", "text", "table", "icons", "photo", "album", "boxes", "styles", "form", "news"]
		| map(select(. as $p | any($rows[]; .["\($p)_ms"] != null))) + ["all"]) as $pages
	| def top: ([$rows[] | .["\($pages[])_rel"] | values] + [1] | max) as $most | [2 * $most, 2] | min;
	  jobs[] | . as $job
	| [$pages[] as $page | $rows[] | {$page, scheme, job, repeats, ms: .["\($page)_ms"]}
		+ (. as $row | reduce ("", "_low", "_high", "_both") as $part ({};
			.["rel\($part)"] = $row["\($page)_rel\($part)"]))] as $visits
	| [$visits[] | select(.job == $job and .scheme != "alone")] as $these
	| {name: "visits-\($job)", title: "Time of a visit beside the job \($job), to the baseline's", high: 360, panels: [{
		x: {words: $pages}, y: {label: "time of a visit, times the baseline's", from: 0, to: (top * 1.1)},
		marks: [$these[] | select(.scheme == "baseline" and .ms != null) | {x: place_of(.page; $pages), dash: 0,
			text: (if .ms >= 995 then "\(.ms / 1000 | fixed(1)) s" else "\(.ms | fixed(0)) ms" end)}], curves: [
		scheme_bars($these; .page; $pages; "rel"),
		{draw: "segment", dash: 3, width: 1.4, colour: "#000000", title: "alone, without the job", rows: [$visits[]
			| select(.scheme == "alone" and .rel != null) | place_of(.page; $pages) as $x
			| {x: ($x - 0.44), y: .rel, x2: ($x + 0.44), y2: .rel}]}]}]};
