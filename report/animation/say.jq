# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of animations found, in words.
include "lib";

def system_name: .protocol + if .draw == "pixmap" then " (pixmaps)" else "" end;
def measured: [.rows[] | select(.repeats > 0)];
def frame_rate: .run.settings.rate_per_s // 20;
def kb: if . == null then "" elif . >= 99500 then "\(. / 1000 | fixed(0)) KB" elif . >= 995 then "\(. / 1000 | fixed(1)) KB" else "\(fixed(0)) bytes" end;
def mbit: if . == null then "" elif . >= 9.95 then fixed(1) elif . >= 0.0995 then fixed(2) else fixed(3) end;
def users: if . == null then "" elif . >= 1000 then "over \(. / 1000 | floor) thousand" else fixed(0) end;
def named($f): map("\(system_name) \($f)") | join(", ");
def at_a_time: "\(.run.settings.frames // 10) frames of \(.run.settings.size // "100x100" | sub("x"; " x ")) pixels, \(frame_rate) a second";

def sorted_by_load: sort_by(-(.mbit_per_s // 0));

def load: measured as $m | if $m == [] then empty else
	"A loop of \(at_a_time), takes of the network, in Mbit/s: \($m | sorted_by_load | map("\(system_name) \(.mbit_per_s | mbit)") | join(", "))." end;

def resent: measured as $m
	| [$m[] | select(.verdict == "again")] as $again | [$m[] | select(.verdict == "cached")] as $cached | [$m[] | select(.verdict == "in part")] as $part
	| if $m == [] then empty else
		(if $again == [] then "None of these sends each frame again." else "Sent again each time, at the price of a new frame: \($again | map("\(system_name) (\(.frame_wire_bytes | kb) a frame)") | join(", "))." end)
		+ (if $cached == [] then " None of these shows a frame from memory." else " Shown from memory, once it has been sent: \($cached | map("\(system_name) (\(.frame_wire_bytes | kb) in place of \(.new_frame_wire_bytes | kb))") | join(", "))." end)
		+ (if $part == [] then "" else " In part: \($part | map("\(system_name) (\(.share_percent | percent) % of a new frame)") | join(", "))." end) end;

def fill: [measured[] | select(.users_10mbit != null)] | sorted_by_load | if . == [] then empty else
	"10 Mbit/s have room for so many users with such a page in front of them: \(map("\(system_name) \(.users_10mbit | users)") | join(", ")). (Wong & Seltzer, 2000: five with X.)" end;

# Less than 95 % of what was drawn.
def lost: .seen_per_s != null and .shown_per_s > 0 and .seen_per_s < 0.95 * .shown_per_s;
def seen: measured as $m | [$m[] | select(lost)] as $lost | [$m[] | select(.seen_per_s != null)] as $known
	| if $known == [] then empty elif $lost == [] then "The frames that are drawn are shown: at least \($known | map(.seen_per_s) | min | fixed(1)) a second arrive on the user's screen, by its pixels (\($known | map(system_name) | join_and))."
	else "Of \($known | map(.shown_per_s) | max | fixed(1)) frames a second that are drawn, fewer arrive on the user's screen, by its pixels: \($lost | map("\(system_name) \(.seen_per_s | fixed(1))") | join(", "))\($known - $lost | if . == [] then "" else "; all do with \(map(system_name) | join_and)" end)." end;

def cpu: [measured[] | select(.cpu_percent != null)] | sort_by(-.cpu_percent) | if . == [] then empty else
	"The server's CPU for one such user, the application included: \(map("\(system_name) \(.cpu_percent | fixed(1)) %") | join(", ")) of a CPU." end;

def banner: [measured[] | select(.banner_verdict != null and .banner_verdict != "")] as $b | if $b == [] then empty else
	"A banner of \(.run.settings.banner_size // "468x60" | sub("x"; " x ")) pixels and \(.run.settings.banner_frames // 200) frames (10 s), the paper's measure for a cache, in its second round: "
	+ ([("cached", "in part", "again") as $v | [$b[] | select(.banner_verdict == $v)] | select(. != [])
		| "\({cached: "from memory", "in part": "in part from memory", again: "sent again"}[$v]) with \(map("\(system_name) (\(.banner_mbit_per_s | mbit) Mbit/s)") | join(", "))"] | join("; ")) + "." end;

def failures: [.rows[] | select(.repeats == 0) | system_name] | if . == [] then empty else "Not measured: \(join(", "))." end;
def absent_words: [.run.settings.absent // [] | .[].protocol] | if . == [] then empty else "Not on this machine: \(join(", ")); the report says why." end;
def findings: [load, resent, fill, seen, cpu, banner, failures, absent_words] | if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;
def marked_cells: [.rows[] | select(.marked > 0)];
def disturbed_words: marked_cells as $m | if $m == [] then null else "\(plural($m | length; "cell was"; "cells were")) disturbed (\($m | map(system_name) | join(", "))): other processes or the hypervisor took much of the server's CPU." end;
