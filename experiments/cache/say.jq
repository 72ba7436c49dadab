# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of the search for caches found.
include "words";
include "animations";

# same_size: by steps in random order; else the cache holds no fixed number of frames, or replaces them at random. loses: the cache
# never got the whole loop. few_hits: of a loop that fits nearly all frames hit where the limit is sharp.
def decisions: .summary[]? |= ask({same_size: off(figure("places"); figure("frames_low"); 20),
		scan_differs: exceeds({value: .scan_points | scaled(0.9)}; {value: .scan_agree})})
	| .points[]? |= if .order == "loop" then ask({loses: exceeds({value: .shown_per_s | scaled(0.9)}; {value: .seen_per_s}),
		few_hits: exceeds({value: 90}; {value: .hits_percent})}) else . end;
def frames: if .same_size == "no" then
		"about \(.places | fixed(0)) frames, by random order (loops of up to \(.frames_low) hit half)"
	elif .frames_high == null then "more than \(.frames_low) frames"
	else "\([.frames_low, .frames_high - 1] | unique | map(tostring) | join(" to ")) frames" end;

def title: "How many frames of an animation each protocol caches";
def setup: animation_setup(.most | values | "loops of up to \(.) frames");

def lost_steps: [.points // [] | .[] | select(.name != "miss" and .loses == "yes")];

# Why a size is unsure.
def doubts: . as $doc | with("size") as $size | [(lost_steps | select(. != [])
		| "frames were lost over \(map(.protocol) | unique | and_list)"),
	($size[] | . as $r | select(.same_size != "no")
		| [$doc.points // [] | .[] | select(.name == "fits" and [.protocol, .draw, .few_hits] == [$r.protocol, $r.draw, "yes"])
			.hits_percent] | min | values | "the longest loop that fits hits only \(percent) % over \($r | system)"),
	($size[] | select(.scan_differs == "yes") | "only \(.scan_agree) of \(.scan_points) other loop lengths agree over \(system)")];

def verdict: doubts as $doubts | with("size") as $size | with("beyond") as $beyond | with("none") as $none
	| with("unclear") as $unclear
	| (if (.run.settings.repeats // 1) == 1 then " (one search each)" else "" end) as $searches
	| if rows == [] then nothing_measured
	  elif $size + $beyond + $none == [] then "The repeats disagree about the size of the cache."
	  else [($size | select(. != []) | map("\(system) caches \(frames)") | and_list),
		($beyond | select(. != [])
			| "\(map(system) | and_list): the cache holds at least \(map(.frames_most) | max) frames, the most that were tried"),
		($none | select(. != []) | "\(map(system) | and_list): no cache for animation frames"),
		($unclear | select(. != []) | "\(map(system) | and_list): the repeats disagree")] | join("; ") + $searches + "."
		+ if $doubts == [] then "" else " This is unsure: \($doubts | and_list)." end end;

def limit_words: "**\(system) caches \(frames)**, \(.cache_sent_bytes | bytes) on the wire,"
	+ " \(.cache_picture_bytes | bytes) of pixels: a loop of them takes \(.fits_mbit_per_s | mbit) Mbit/s,"
	+ " a loop of \(.over_frames // .frames_high) frames \(.over_mbit_per_s | mbit) Mbit/s"
	+ if (.scan_points // 0) > 0 then "; \(.scan_agree) of \(.scan_points) other loops agree" else "" end;

def limits: with("size") as $size | with("beyond") as $beyond | with("unclear") as $unclear | ($size + $beyond)[0] as $first
	| lost_steps as $lost | doubts as $doubts | if $size + $beyond + $unclear == [] then empty else
	finding("limit"; ([($size[] | limit_words),
		($beyond | select(. != []) | "the cache holds at least \(map(.frames_most) | max) frames, the most that were tried:"
			+ " \(named("(\(.fits_mbit_per_s | mbit) Mbit/s)"))"),
		($unclear | select(. != []) | "the repeats disagree over \(map(system) | and_list)"),
		($lost | select(. != []) | "in \(length | plural("step")) (\(map(.protocol) | unique | join(", "))) more than 10 % of the frames"
			+ " were lost, so the cache never got the whole loop"), $doubts[if $lost == [] then 0 else 1 end:][]]
			| map(upper_first) | join(". ") + ".");
		{value: $first.frames_low, unit: "frames",
			verdict: (if $first == null or $unclear + $doubts != [] then "unsure" else "good" end),
			figure: "cliff"}) end;

def policy_words: {LRU: "the least recently shown frame (LRU)", FIFO: "the frame that was cached first (FIFO)",
	random: "a random frame", MRU: "the most recently shown frame (MRU)"}[.policy // ""] // "frames by an unknown rule";
def given_up: [rows[] | select(.over_hits_percent != null)] as $r | select($r != [])
	| finding("given-up"; [$r[] | "**\(system) evicts \(policy_words)**: the hit rate is \(.over_hits_percent | percent) % in a loop"
			+ " of \(.over_frames) frames, \(.random_hits_percent | percent) % in random order of \(.random_frames)"
			+ if .hot_hits_percent == null then "" else
				", \(.hot_hits_percent | percent) % if every second frame comes from a small popular set" end]
			| join(". ") + "."; {value: $r[0].over_hits_percent, unit: "%", figure: "overtime",
			verdict: (if $r[0].policy == null then "unsure" else "none" end)});

def hit_share: 100 * .hit_wire_bytes / .new_frame_wire_bytes;
def none: with("none") as $r | select($r != [])
	| finding("no-cache"; "**Animation frames are not cached**: in a loop of two, a repeated frame takes of the bytes of a new one"
		+ " \($r | named("\(hit_share | fixed(0)) %")).";
		{value: ($r[0] | hit_share), unit: "%", verdict: "bad", figure: "cliff"});

# 468 x 60 pixels, 200 frames.
def banners: . as $doc | [with("size", "beyond")[]
	| (.protocol as $p | $doc | settings_of($p).size | split("x") | map(tonumber) | .[0] * .[1]) as $pixels
	| {name: system, open: (.verdict == "beyond"), part: ((.places // .frames_low) * $pixels / (468 * 60 * 200))}];
def too_large: exceeds({value: 1}; {value: .part});
def claims: banners[] | too_large;
def banner: .judged as $judged | banners | select(. != []) | map(.larger = ($judged[too_large] | holds)) as $all
	| finding("banner"; "**The paper's animated banner** (468 x 60 pixels, 200 frames in 10 s: 5.6 million pixels) " + ([
		($all | map(select(.larger | not)) | select(. != []) | "fits, by its pixels, into the cache of \(map(.name) | and_list)"),
		($all | map(select(.larger and .open)) | select(. != [])
			| "may fit into the cache of \(map(.name) | and_list), whose limit was not reached"),
		($all | map(select(.larger and (.open | not))) | select(. != [])
			| "exceeds the cache of \(map("\(.name) (\(100 * .part | fixed(0)) % of it fits)") | join(", "))")]
				| join("; ")) + ". This is calculated from pixels, not measured: a cache may count bytes or tiles.";
		{value: (100 * $all[0].part), unit: "%", figure: "cliff"});

def cpu: [rows[] | select(.over_cpu_percent != null and .fits_cpu_percent != null)] as $r | select($r != [])
	| finding("cpu"; "**CPU of the server** for a loop that fits into the cache, and for a longer one: "
		+ "\($r | named("\(.fits_cpu_percent | fixed(1)) and \(.over_cpu_percent | fixed(1)) %")).";
		{value: $r[0].over_cpu_percent, unit: "%", figure: "overtime"});

# What follows from a size that is unsure is so, too.
def findings: doubts as $doubts | with("unclear") as $unclear
	| [limits, ((given_up, none, banner) | if $doubts + $unclear == [] then . else
		.verdict = "unsure" | .text += " This is unsure, as the size is." end), cpu];

def views:
	view("places"; "summary"; "Frames that are remembered"; {};
		"protocol draw verdict frames_low new_frame_wire_bytes hit_wire_bytes policy"),
	view("loops"; "summary"; "A loop that fits"; {};
		"protocol draw frames_low fits_mbit_per_s fits_cpu_percent fits_seen_per_s"),
	view("over"; "summary"; "A longer loop"; {}; "protocol draw over_frames over_mbit_per_s over_cpu_percent over_seen_per_s"),
	view("orders"; "summary"; "Which frames are given up"; {};
		"protocol draw places over_hits_percent random_hits_percent hot_hits_percent policy"),
	view("size"; "summary"; "Size of the cache"; {};
		"protocol draw random_places cache_sent_bytes cache_picture_bytes scan_points scan_agree");
