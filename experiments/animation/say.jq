# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of animations found.
include "words";
include "animations";

def sent($verdict): with($verdict) | sort_by(-(.mbit_per_s // 0));
def bytes_range: map(.frame_wire_bytes) | (min | bytes) as $least | (max | bytes) as $most
	| if $least == $most then $least else "\($least) to \($most)" end;
def mbit_figure: figure("mbit_per_s") | .unit = "Mbit/s";

def title: "What a small looping animation costs";
def setup: animation_setup("\(.run.settings.frames) frames");

def verdict: sent("again") as $again | sent("cached") as $cached
	| if rows == [] then "No condition was measured to the end: there is nothing to say yet."
	  elif $again + $cached == [] then "Frames are sent again in part only."
	  else [($again | select(. != []) | "\(map(system) | and_list) \(if length == 1 then "sends" else "send" end) each frame"
			+ " of the loop again, with up to \(.[0].mbit_per_s | mbit) Mbit/s for one user"),
		($cached | select(. != []) | "\(map(system) | and_list) \(if length == 1 then "shows" else "show" end) the loop from memory,"
			+ " with at most \(.[0].mbit_per_s | mbit) Mbit/s")] | join("; ") + "." end;

def again: sent("again") as $rows | if $rows == [] then empty else
	finding("sent-again"; "**Each frame is sent again**, at the price of a new one (\($rows | bytes_range)), for each user: "
		+ "\($rows | named(.mbit_per_s | mbit)) Mbit/s.";
		$rows[0] | mbit_figure + {verdict: "bad", figure: "frame-bytes"}) end;

def cached: sent("cached") as $rows | sent("in part") as $part | ($rows + $part)[0] as $most | if $most == null then empty else
	finding("from-memory"; (if $rows == [] then "**No protocol shows all frames from memory**" else
			"**Shown from memory**, once each frame has been sent (then \($rows | bytes_range) each): "
			+ "\($rows | named(.mbit_per_s | mbit)) Mbit/s" end) + "."
		+ (if $part == [] then "" else " In part: \($part | named("(\(.share_percent | percent) % of a new frame)"))." end);
		$most | mbit_figure + {verdict: (if $rows == [] then "none" else "good" end), figure: "bandwidth"}) end;

def users: [rows[] | select(.users_10mbit != null)] | sort_by(.users_10mbit) | if . == [] then empty else
	finding("users-that-fill-a-link"; "**\(.[0].users_10mbit | plural("user")) with such a page"
		+ " \(if .[0].users_10mbit == 1 then "fills" else "fill" end) 10 Mbit/s over \(.[0] | system).** Whole users by display data"
		+ " alone: \(named(.users_10mbit | thousands)). Wong & Seltzer (2000) found five with X.";
		{value: .[0].users_10mbit, unit: "users", verdict: (if .[0].users_10mbit < 10 then "bad" else "none" end),
		 figure: "frame-bytes"}) end;

# Lost: fewer than 95 % of what was drawn.
def frames: [rows[] | select(.seen_per_s != null and .shown_per_s > 0)] | sort_by(.seen_per_s) | if . == [] then empty else
	map(select(.seen_per_s < 0.95 * .shown_per_s)) as $lost
	| finding("frames-seen"; (if $lost == [] then
			"**All frames arrive**: at least \(.[0].seen_per_s | fixed(1)) a second on the user's screen."
		else "**Not all frames arrive** over \($lost | map(system) | and_list): on the user's screen"
			+ " \($lost | named(.seen_per_s | fixed(1))) a second of the \($lost[0].shown_per_s | fixed(1)) that are drawn." end)
		+ " One user takes of the server's CPU, application included: "
		+ (map(select(.cpu_percent != null)) | sort_by(.cpu_percent) | [.[0], .[-1]] | unique | sort_by(.cpu_percent)
			| map("\(.cpu_percent | fixed(1)) % (\(system))") | join(" to ")) + ".";
		.[0] | figure("seen_per_s") + {verdict: (if $lost == [] then "good" else "bad" end), figure: "bandwidth"}) end;

def banner: (.run.settings.banner_size // "468x60" | sub("x"; " x ")) as $size
	| [rows[] | select(.banner_verdict != null)] | sort_by(-.banner_mbit_per_s) | if . == [] then empty else . as $all
	| finding("banner"; "**The paper's banner** (\($size) pixels, 10 s) in its second round is "
		+ ([("again", "in part", "cached") as $v | [$all[] | select(.banner_verdict == $v)] | select(. != [])
			| "\({again: "sent again", "in part": "sent in part", cached: "shown from memory"}[$v]) over "
				+ named("(\(.banner_mbit_per_s | mbit) Mbit/s)")] | join("; ")) + ".";
		{value: .[0].banner_mbit_per_s, unit: "Mbit/s", figure: "frame-bytes"}) end;

def findings: [again, cached, users, frames, banner];
