# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of animations found.
include "words";
include "animations";

def sent($verdict): with($verdict) | sort_by(-(.mbit_per_s // 0));
def bytes_range: map(.frame_wire_bytes) | (min | bytes) as $least | (max | bytes) as $most
	| if $least == $most then $least else "\($least) to \($most)" end;
def mbit_figure: figure("mbit_per_s") | .unit = "Mbit/s";

def shown($what): [measured_rows("summary")[] | select(.shows == $what and .mbit_per_s != null)] | sort_by(-.mbit_per_s);
def title: "What animations cost";
def setup: animation_setup("\(.run.settings.frames) frames");
def labels: {value: {shows: {loop: "loop", page: "page", caret: "caret", bar: "progress bar"}}};

def verdict: sent("again") as $again | sent("cached") as $cached
	| if rows == [] and measured_rows("summary") == [] then "No condition was measured to the end: there is nothing to say yet."
	  elif rows == [] then [("page", "bar", "caret") as $what | shown($what) | select(. != [])
			| "\({page: "a page with animations", bar: "a progress bar", caret: "a caret"}[$what]) takes up to \(.[0].mbit_per_s | mbit)"
				+ " Mbit/s (\(.[0].protocol))"] | join("; ") | upper_first + "."
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

def fill: if . == 1 then "1 user fills" elif . < 1 then "Less than one user fills" else "\(plural("user")) fill" end;
# The banner of the page has ten frames a second.
def few_frames: if .seen_per_s == null or .seen_per_s >= 7.5 then "" else " (\(.seen_per_s | fixed(1)) of 10 frames/s arrive)" end;
def users: (shown("page") | map(select(.users_10mbit != null))) as $page | [rows[] | select(.users_10mbit != null)]
	| sort_by(.users_10mbit) as $loop | ($page[0] // $loop[0]) as $first | if $first == null then empty else
	finding("users-that-fill-a-link"; (if $page == [] then "" else
			"**\($first.users_10mbit | fill) 10 Mbit/s over \($first.protocol) with a page of competing animations and a ticker.**"
			+ " Mbit/s and users by protocol: "
			+ ($page | map("\(.protocol) \(.mbit_per_s | mbit), \(.users_10mbit | thousands)\(few_frames)") | join("; ")) + "."
			+ " Wong & Seltzer (2000) found well over 1 Mbit/s with X, LBX and RDP, and a link full with five users." end)
		+ (if $loop == [] then "" elif $page == [] then "**\($loop[0].users_10mbit | fill) 10 Mbit/s over \($loop[0] | system) with the"
			+ " loop.** Wong & Seltzer (2000) found five with X. Users" else " With the loop alone" end
		  + if $loop == [] then "" else " by display data alone: \($loop | named(.users_10mbit | thousands))." end);
		{value: $first.users_10mbit, unit: "users", verdict: (if $first.users_10mbit < 10 then "bad" else "none" end), figure: "load"})
	end;

# The paper's limit, of short simple animations.
def simple_kb: 10;
def simple: (shown("caret") + shown("bar") | map(select(.kb_per_s != null)) | sort_by(-.kb_per_s)) as $all
	| [$all[] | select(.kb_per_s >= simple_kb)] as $above | if $all == [] then empty else
	finding("simple-animations"; (if $above == [] then
			"**A caret and a progress bar stay below \(simple_kb) KB/s** over every protocol"
			else "**\($above | map("\(if .shows == "bar" then "the progress bar" else "the caret" end) over \(.protocol)") | and_list
				| upper_first) \(if $above | length == 1 then "takes" else "take" end) more than \(simple_kb) KB/s**" end)
		+ ([("caret", "bar") as $what | $all | map(select(.shows == $what)) | select(. != [])
			| "; \({caret: "the caret", bar: "the bar"}[$what]) \(map("\(.protocol) \(.kb_per_s | number)") | join(", ")) KB/s"]
			| join("")) + ". That is the limit that Wong & Seltzer (2000) give for such animations.";
		($all[0] | figure("kb_per_s")) + {unit: "KB/s", verdict: (if $above == [] then "good" else "bad" end), figure: "load"}) end;

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

def findings: [again, cached, users, simple, frames, banner][:5];	# the banner has a table, too
