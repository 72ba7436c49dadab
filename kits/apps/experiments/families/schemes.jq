# SPDX-License-Identifier: GPL-3.0-or-later
# schemes.jq - what figures of schemes beside a job share: names and colours of the schemes, and how long tasks run at a time.
include "series";

# Greys without a scheme, a hue for each kind of them, from light to dark by the ratio.
def scheme_colours: {alone: "#c8c8c8", baseline: "#666666", autogroup: "#E69F00", nice: "#009E73",
	L: "#a9d3f0", M: "#56a4dc", H: "#0060a0", "L+iso": "#f2b08a", "M+iso": "#D55E00", "H+iso": "#8a3600",
	hostL: "#a8dcc8", hostM: "#3cb48c", hostH: "#00694c",
	vmL: "#dcb8d0", vmM: "#CC79A7", vmH: "#8b3a68", "vmL+iso": "#c5c69a", "vmM+iso": "#8f9138", "vmH+iso": "#55571a",
	"vmL+iso-irq": "#b0d4d0", "vmM+iso-irq": "#4aa39a", "vmH+iso-irq": "#1d5f58"};
def scheme_colour: scheme_colours[.] // "#000000";
def scheme_title: {alone: "without the job", autogroup: "autogroups", nice: "nice 19"}[.]
	// if in(scheme_colours) and . != "baseline" then "vamp \(.)" else . end;
def job_title: {parallel: "job: xz with several threads", quanta: "job: threads that hand over every 100 µs",
	bursts: "job: threads that compute for about 1 ms and wait for each other", pipes: "job: pipelines of two processes"}[.] // .;
# A bar for each scheme at each of the places of an axis of words; `word` is the row's place there.
def scheme_bars($rows; word; $words; $c): ($rows | distinct(.scheme)) as $schemes | ($schemes | length) as $n
	| (0.86 / ([$n, 1] | max)) as $wide
	| $schemes | to_entries[] | .key as $s | .value as $scheme
	| bars([$rows[] | select(.scheme == $scheme)]; place_of(word; $words) | values | . + ($s - ($n - 1) / 2) * $wide; $c;
		$wide * 0.88;
		{title: ($scheme | scheme_title), colour: ($scheme | scheme_colour)});
# How long tasks run at a time: a curve for each kind, in this order.
def quanta: .quanta // [] | select(. != []) | . as $all
	| {other: "what is not the job", video: "video playback", launch: "launch of an application",
		single: "job with one thread", quanta: "job: threads that hand over"} as $titles
	| {name: "quanta", title: ("Time for which a task runs until another one does, "
		+ if any(.kind == "other") then "under the baseline" else "each alone" end), panels: [{
		x: {label: "ms", log: true, from: 0.001}, y: {label: "share of all that are no longer", from: 0, to: 1}, curves: [
		distinct(.kind) | to_entries[] | .value as $kind | colour(.key) as $colour
		| [$all[] | select(.kind == $kind)] | {draw: "line", width: 2, $colour,
			title: "\($titles[$kind] // "job: \($kind)")\(.[0].n | if . then " (\(thousands))" else "" end)",
			rows: map({x: .ms, y: .share})}]}]};
