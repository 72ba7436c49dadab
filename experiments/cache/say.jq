# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of the search for caches found.
include "words";
include "animations";

# How many frames fit. A random order may tell another size: then the cache is no fixed number of frames, or gives up frames by
# chance.
def frames:
	(if .frames_high == null then "more than \(.frames_low)" elif .frames_high - .frames_low == 1 then "\(.frames_low)"
	 else "\(.frames_low) to \(.frames_high - 1)" end)
	+ if .places != null and (.places - .frames_low | fabs) > 1 then " (about \(.places | fixed(0)) by random order)" else "" end;

def title: "How many frames of an animation each protocol remembers";
def setup: animation_setup("loops of up to \(.run.settings.most) frames");

def verdict: with("size") as $size | with("beyond") as $beyond | with("none") as $none
	| if rows == [] then "No condition was measured to the end: there is nothing to say yet."
	  elif $size + $beyond + $none == [] then "The repeats do not agree."
	  else [($size | select(. != []) | map("\(system) remembers \(frames) frames") | and_list),
		($beyond | select(. != []) | "\(map(system) | and_list): no limit up to \(map(.frames_most) | max) frames"),
		($none | select(. != []) | "\(map(system) | and_list): no cache for an animation")] | join("; ") + "." end;

def limit_words: "**\(system) remembers \(frames) frames**, \(.cache_sent_bytes | bytes) as they are sent,"
	+ " \(.cache_picture_bytes | bytes) as pictures: a loop of them takes \(.fits_mbit_per_s | mbit) Mbit/s,"
	+ " one of \(.over_frames // .frames_high) frames \(.over_mbit_per_s | mbit) Mbit/s"
	+ if (.scan_points // 0) > 0 then "; \(.scan_agree) of \(.scan_points) scanned loops agree" else "" end;

def limits: with("size") as $size | with("beyond") as $beyond | with("unclear") as $unclear | ($size + $beyond)[0] as $first
	| [.points // [] | .[] | select(.name != "miss" and .order == "loop" and .seen_per_s != null)
		| select(.seen_per_s < 0.9 * .shown_per_s)] as $lost
	| if $size + $beyond + $unclear == [] then empty else
	finding("limit"; ([($size[] | limit_words),
		($beyond | select(. != []) | "no limit up to \(map(.frames_most) | max) frames: \(named("(\(.fits_mbit_per_s | mbit) Mbit/s)"))"),
		($unclear | select(. != []) | "the repeats do not agree: \(map(system) | and_list)"),
		($lost | select(. != []) | "in \(length | plural("step")) (\(map(.protocol) | unique | join(", "))) fewer than 90 % of the frames"
			+ " arrived, so the cache saw no whole loop")] | map(upper_first) | join(". ") + ".");
		{value: $first.frames_low, unit: "frames", verdict: (if $first == null then "unsure" else "good" end), figure: "cliff"}) end;

def policy_words: {LRU: "the frame not shown for the longest time (LRU)", FIFO: "the oldest frame (FIFO), shown since or not",
	random: "frames by chance", MRU: "the frame shown last (MRU)"}[.policy // ""] // "frames in a way that these figures do not tell";
def given_up: [rows[] | select(.over_hits_percent != null)] as $r | if $r == [] then empty else
	finding("given-up"; [$r[] | "**\(system) gives up \(policy_words)**: a loop of \(.over_frames) hits"
			+ " \(.over_hits_percent | percent) %, a random order of \(.random_frames) \(.random_hits_percent | percent) %"
			+ if .hot_hits_percent == null then "" else ", hot frames every second time \(.hot_hits_percent | percent) %" end]
			| join(". ") + "."; {value: $r[0].over_hits_percent, unit: "%", figure: "overtime",
			verdict: (if $r[0].policy == null then "unsure" else "none" end)}) end;

def hit_share: 100 * .hit_wire_bytes / .new_frame_wire_bytes;
def none: with("none") as $r | if $r == [] then empty else
	finding("no-cache"; "**No cache that an animation could use**: a loop of two frames costs at least half as much as new"
		+ " ones: \($r | named("\(hit_share | fixed(0)) %")).";
		{value: ($r[0] | hit_share), unit: "%", verdict: "bad", figure: "cliff"}) end;

# 468 x 60 pixels, 200 frames.
def banner: (.run.settings.size | split("x") | map(tonumber) | .[0] * .[1]) as $pixels
	| [with("size", "beyond")[] | {name: system, open: (.verdict == "beyond"),
		part: ((.places // .frames_low) * $pixels / (468 * 60 * 200))}] as $all
	| if $all == [] then empty else
	finding("banner"; "**The paper's banner** (468 x 60 pixels, 200 frames in 10 s: 5.6 million pixels) " + ([
		($all | map(select(.part >= 1)) | select(. != []) | "fits, by pixels, into what \(map(.name) | and_list) remembers"),
		($all | map(select(.part < 1 and .open)) | select(. != []) | 
			"may or may not fit with \(map(.name) | and_list) (not tried that far)"),
		($all | map(select(.part < 1 and (.open | not))) | select(. != [])
			| "overflows \(map("\(.name) (\(100 * .part | fixed(0)) % of it fits)") | join(", "))")] | join("; ")) + ".";
		{value: (100 * $all[0].part), unit: "%", figure: "cliff"}) end;

def cpu: [rows[] | select(.over_cpu_percent != null and .fits_cpu_percent != null)] as $r | if $r == [] then empty else
	finding("cpu"; "**The server's CPU** for a loop that fits and for a longer one: "
		+ "\($r | named("\(.fits_cpu_percent | fixed(1)) and \(.over_cpu_percent | fixed(1)) %")).";
		{value: $r[0].over_cpu_percent, unit: "%", figure: "overtime"}) end;

def findings: [limits, given_up, none, banner, cpu];
