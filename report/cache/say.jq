# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of the search for caches found, in words.
include "lib";

def system_name: .protocol + if .draw == "pixmap" then " (pixmaps)" else "" end;
def measured: [.rows[] | select(.repeats > 0)];
def kb: if . == null then "" elif . >= 999950 then "\(. / 1e6 | fixed(1)) MB" elif . >= 995 then "\(. / 1000 | fixed(1)) KB" else "\(fixed(0)) bytes" end;
def mbit: if . == null then "" elif . >= 9.95 then fixed(1) elif . >= 0.0995 then fixed(2) else fixed(3) end;
def pixels: (.run.settings.size // "100x100") | split("x") | map(tonumber) | .[0] * .[1];
def size_words: .run.settings.size // "100x100" | sub("x"; " x ");
def cliff_words: if .frames_low == null then "" elif .frames_high == null then "more than \(.frames_low)" elif .frames_high - .frames_low == 1 then "\(.frames_low)" else "\(.frames_low) to \(.frames_high - 1)" end;

def none: [measured[] | select(.verdict == "none")] as $n | if $n == [] then empty else
	"No cache that an animation could use: \($n | map("\(system_name) (a loop of two frames costs \(100 * .hit_wire_bytes / .new_frame_wire_bytes | fixed(0)) % of new ones)") | join(", "))." end;

def policy_words: if .policy == null or .policy == "" then
		if .over_hits_percent == null then "" else "; which frames it gives up is not told apart from these figures (a loop of \(.over_frames) hits \(.over_hits_percent | percent) %, random order \(.random_hits_percent | percent) %)" end
	else "; it gives up " + ({LRU: "what was not shown for longest (LRU)", FIFO: "what was stored first (FIFO), shown since or not", random: "any frame, by chance", MRU: "what was shown last"}[.policy]) +
		": a loop of \(.over_frames) hits \(.over_hits_percent | percent) %, random order of \(.random_frames) \(.random_hits_percent | percent) %" + (if .hot_hits_percent == null then "" else ", with hot frames every second time \(.hot_hits_percent | percent) %" end) end;

def sizes: . as $doc | measured[] | select(.verdict == "size")
	| "\(system_name) remembers \(cliff_words) frames of \($doc | size_words) pixels" + (if .places != null and (.places - .frames_low | fabs) > 1 then " (about \(.places | fixed(0)) by random order)" else "" end)
	+ ", \(.cache_sent_bytes | kb) as they are sent, \(.cache_picture_bytes | kb) as pictures: a loop of them takes \(.fits_mbit_per_s | mbit) Mbit/s, one of \(.over_frames // .frames_high) \(.over_mbit_per_s | mbit)" + policy_words + "."
	+ (if (.scan_points // 0) > 0 then " A linear scan of \(.scan_points) loops agrees in \(.scan_agree)." else "" end);

def beyond: [measured[] | select(.verdict == "beyond")] as $b | if $b == [] then empty else
	"No end was found, up to \($b | map(.frames_most) | max) frames: \($b | map("\(system_name) (\(.fits_mbit_per_s | mbit) Mbit/s)") | join(", "))." end;

def unclear: [measured[] | select(.verdict == "unclear")] as $u | if $u == [] then empty else
	"Repeats do not agree, so nothing is said of: \($u | map(system_name) | join(", "))." end;

# 468 x 60 pixels, 200 frames.
def banner: . as $doc | [measured[] | select(.verdict == "size" or .verdict == "beyond")] as $c | if $c == [] then empty else
	([$c[] | ((.places // .frames_low) * ($doc | pixels)) as $have | {name: system_name, fits: ($have >= 468 * 60 * 200), open: (.verdict == "beyond"), part: ($have / (468 * 60 * 200))}]) as $all
	| "The paper's banner (468 x 60 pixels, 200 frames in 10 s: 5.6 million pixels) " + ([
		($all | map(select(.fits)) | select(. != []) | "would fit, by pixels, into what \(map(.name) | join_and) remembers"),
		($all | map(select(.fits | not) | select(.open)) | select(. != []) | "may or may not fit with \(map(.name) | join_and) (not tried that far)"),
		($all | map(select(.fits | not) | select(.open | not)) | select(. != []) | "overflows \(map("\(.name) (\(100 * .part | fixed(0)) % of it fits)") | join_and)")] | join("; ")) + "." end;

def cpu: [measured[] | select(.over_cpu_percent != null and .fits_cpu_percent != null)] as $c | if $c == [] then empty else
	"The server's CPU, for a loop that fits and one that does not: \($c | map("\(system_name) \(.fits_cpu_percent | fixed(1)) and \(.over_cpu_percent | fixed(1)) %") | join(", ")) of a CPU." end;

def not_seen: [.points[] | select(.name != "miss" and .order == "loop" and .seen_per_s != null and .seen_per_s < 0.9 * .shown_per_s)] as $p | if $p == [] then empty else
	"In \(plural($p | length; "step"; "steps")) fewer than 90 % of the frames arrived (\($p | map(.protocol) | unique | join(", "))): what a cache saw there was no whole loop." end;

def failures: [.rows[] | select(.repeats == 0) | system_name] | if . == [] then empty else "Not measured: \(join(", "))." end;
def absent_words: [.run.settings.absent // [] | .[].protocol] | if . == [] then empty else "Not on this machine: \(join(", ")); the report says why." end;
def findings: [sizes, beyond, none, unclear, banner, cpu, not_seen, failures, absent_words] | if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;
def marked_cells: [.rows[] | select(.marked > 0)];
def disturbed_words: marked_cells as $m | if $m == [] then null else "\(plural($m | length; "cell was"; "cells were")) disturbed (\($m | map(system_name) | join(", "))): other processes or the hypervisor took much of the server's CPU." end;
