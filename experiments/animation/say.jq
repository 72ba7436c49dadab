# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of animations found.
include "words";
include "animations";

def sent($verdict): with($verdict) | sort_by(-(.mbit_per_s // 0));
def bytes_range: map(.frame_wire_bytes) | (min | bytes) as $least | (max | bytes) as $most
	| if $least == $most then $least else "\($least) to \($most)" end;
def mbit_figure: figure("mbit_per_s") | .unit = "Mbit/s";

def shown($what): [measured_rows("summary")[] | select(.shows == $what and .mbit_per_s != null)]
	| sort_by(-(.kb_per_s // (.mbit_per_s * 125)));
def title: "What animations cost";
def setup: animation_setup(.frames | values | "\(.) frames");
def labels: {value: {shows: {loop: "loop", page: "page", caret: "caret", bar: "progress bar"}}};

def verdict: sent("again") as $again | sent("cached") as $cached | sent("in part") as $part | sent("unclear") as $unclear
	| if rows == [] and measured_rows("summary") == [] then nothing_measured
	  elif rows == [] then [("page", "bar", "caret") as $what | shown($what) | select(. != [])
			| "\($what | shown_words) takes up to \(.[0].mbit_per_s | mbit)"
				+ " Mbit/s (\(.[0].protocol))"] | join("; ") | upper_first + "."
	  else [($again | select(. != []) | "\(map(system) | and_list) \(if length == 1 then "sends" else "send" end) repeated"
			+ " frames again in full, at up to \(.[0].mbit_per_s | mbit) Mbit/s per user"),
		($cached | select(. != []) | "\(map(system) | and_list) \(if length == 1 then "shows" else "show" end) repeated frames from"
			+ " the client's cache, at up to \(.[0].mbit_per_s | mbit) Mbit/s per user"),
		($part | select(. != []) | "\(map(system) | and_list) \(if length == 1 then "sends" else "send" end) repeated frames again in"
			+ " part"),
		($unclear | select(. != []) | "the repeats disagree whether \(map(system) | and_list)"
			+ " \(if length == 1 then "sends" else "send" end) repeated frames again"),
		([.summary[] | select((.shows // "loop") == "loop" and .verdict == null)] | select(. != [])
			| "no figure for \(map(system) | and_list)")] | join("; ") | upper_first + "." end;

def again: sent("again") as $rows | select($rows != [])
	| finding("sent-again"; "**Repeated frames are sent again in full** (\($rows | bytes_range) each). Bandwidth per user: "
		+ "\($rows | named(.mbit_per_s | mbit)) Mbit/s.";
		$rows[0] | mbit_figure + {verdict: "bad", figure: "frame-bytes"});

def cached: sent("cached") as $rows | sent("in part") as $part | ($rows + $part)[0] as $most | select($most != null)
	| finding("from-memory"; (if $rows == [] then "**No protocol shows all repeated frames from a cache**" else
			"**Repeated frames come from a cache** (\($rows | bytes_range) each on the wire). Bandwidth per user: "
			+ "\($rows | named(.mbit_per_s | mbit)) Mbit/s" end) + "."
		+ (if $part == [] then "" else " Sent again in part: \($part | named("(\(.share_percent | percent) % of a new frame)"))." end);
		$most | mbit_figure + {verdict: (if $rows == [] then "none" else "good" end), figure: "bandwidth"});

def users_words: if . < 1 then "less than 1 user" else plural("user") end;
# The banner of the page has ten frames a second.
def few_frames: if .seen_per_s == null or .seen_per_s >= 7.5 then "" else " (\(.seen_per_s | fixed(1)) of 10 frames/s arrive)" end;
def users: (shown("page") | map(select(.users_10mbit != null))) as $page | [rows[] | select(.users_10mbit != null)]
	| sort_by(.users_10mbit) as $loop | ($page[0] // $loop[0]) as $first | select($first != null)
	| finding("users-that-fill-a-link"; (if $page == [] then "" else
			"**A link of 10 Mbit/s carries \($first.users_10mbit | users_words) over \($first.protocol)**, each with a page of"
			+ " competing animations and a ticker. Mbit/s per user, and users that the link carries: "
			+ ($page | map("\(.protocol) \(.mbit_per_s | mbit), \(.users_10mbit | thousands)\(few_frames)")
				| join("; ")) + "."
			+ " Wong & Seltzer (2000): well over 1 Mbit/s per user with X, LBX and RDP; five users would fill the link." end)
		+ (if $loop == [] then "" elif $page == [] then
			"**A link of 10 Mbit/s carries \($loop[0].users_10mbit | users_words) over"
			+ " \($loop[0] | system)**, each with the loop. Wong & Seltzer (2000): the loop took 2.0 Mbit/s with X." else "" end
		  + if $loop == [] then "" else " Users with the loop that the link carries, by display data:"
			+ " \($loop | named(.users_10mbit | thousands))." end);
		{value: $first.users_10mbit, unit: "users", verdict: (if $first.users_10mbit < 10 then "bad" else "none" end),
			figure: "load"});

# Simple animations generally took less in the paper, for short durations. Frames are lost if fewer than 95 % of those drawn arrive.
def simple_kb: 10;
def decisions: .summary[]? |= ask({is_simple: exceeds({value: simple_kb}; figure("kb_per_s")),
	loses: exceeds({value: (.shown_per_s | scaled(0.95))}; figure("seen_per_s"))});
def simple: (shown("caret") + shown("bar") | map(select(.kb_per_s != null)) | sort_by(-.kb_per_s)) as $all
	| [$all[] | select(.is_simple == null)] as $untold | [$all[] | select(.is_simple == "no")] as $above
	| ($all | map(.shows | shown_words) | unique | sort_by(. != "a caret")) as $what
	| (if $what | length == 1 then "stays" else "stay" end) as $stay
	| select($all != []) | finding("simple-animations"; (if $above == [] and $untold != [] then
			"**This run cannot tell whether \($what | and_list) \($stay) below \(simple_kb) KB/s**"
			elif $above == [] then
			"**\($what | and_list | upper_first) \($stay) below \(simple_kb) KB/s** over every protocol with a figure"
			else "**\($above | map("\(if .shows == "bar" then "the progress bar" else "the caret" end) over \(.protocol)") | and_list
				| upper_first) \(if $above | length == 1 then "takes" else "take" end) more than \(simple_kb) KB/s**" end)
		+ ([("caret", "bar") as $what | $all | map(select(.shows == $what)) | select(. != [])
			| "; \({caret: "the caret", bar: "the bar"}[$what]) \(map("\(.protocol) \(.kb_per_s | number)") | join(", ")) KB/s"]
			| join("")) + ". Wong & Seltzer (2000): simple animations took generally less than \(simple_kb) KB/s, for short durations.";
		($all[0] | figure("kb_per_s")) + {unit: "KB/s", verdict: (if $above != [] then "bad"
			elif $untold != [] then "unsure" else "good" end),
			figure: "load"});

def frames: [rows[] | select(.seen_per_s != null and .shown_per_s > 0)] | sort_by(.seen_per_s) | select(. != [])
	| map(select(.loses == null)) as $untold | map(select(.loses == "yes")) as $lost
	| finding("frames-seen"; (if $lost == [] and $untold != [] then
			"**This run cannot tell whether 95 % of the frames reach the user's screen** over \($untold | map(system) | and_list):"
			+ " \($untold | named(.seen_per_s | fixed(1))) of \($untold[0].shown_per_s | fixed(1)) frames a second."
		elif $lost == [] then
			"**At least 95 % of the frames reach the user's screen** over each protocol with a figure:"
			+ " at least \(.[0].seen_per_s | fixed(1)) a second."
		else "**Not all frames reach the user's screen** over \($lost | map(system) | and_list):"
			+ " \($lost | named(.seen_per_s | fixed(1))) of \($lost[0].shown_per_s | fixed(1)) frames a second." end)
		+ " CPU time of the server per user, application included: "
		+ (map(select(.cpu_percent != null)) | sort_by(.cpu_percent) | [.[0], .[-1]] | unique | sort_by(.cpu_percent)
			| map("\(.cpu_percent | fixed(1)) % (\(system))") | join(" to ")) + ".";
		.[0] | figure("seen_per_s") + {verdict: (if $lost != [] then "bad" elif $untold != [] then "unsure" else "good" end),
			figure: "bandwidth"});

def banner: (.run.settings.banner_size // "468x60" | sub("x"; " x ")) as $size
	| [rows[] | select(.banner_verdict != null)] | sort_by(-.banner_mbit_per_s) | select(. != []) | . as $all
	| finding("banner"; "**The paper's animated banner** (\($size) pixels, 200 frames), shown a second time, is "
		+ ([("again", "in part", "cached", "unclear") as $v | [$all[] | select(.banner_verdict == $v)] | select(. != [])
			| "\({again: "sent again", "in part": "sent in part", cached: "shown from a cache",
				unclear: "sent again in some repeats"}[$v]) over "
				+ named("(\(.banner_mbit_per_s | mbit) Mbit/s)")] | join("; ")) + ".";
		{value: .[0].banner_mbit_per_s, unit: "Mbit/s", figure: "frame-bytes"});

def findings: [again, cached, users, simple, frames, banner][:5];	# the banner has a table, too

def views:
	view("load"; "summary"; "Network load of what is shown"; {by: "shows"};
		"protocol draw mbit_per_s kb_per_s users_10mbit users_100mbit cpu_percent seen_per_s"),
	view("loop"; "summary"; "The loop"; {only: "frame_wire_bytes"};
		"protocol draw mbit_per_s frame_wire_bytes new_frame_wire_bytes verdict"),
	view("frames"; "summary"; "Frames and packets"; {only: "packets_per_frame"};
		"protocol draw shown_per_s seen_per_s late_percent packets_per_frame input_mbit_per_s"),
	view("banner"; "summary"; "The banner"; {only: "banner_verdict"};
		"protocol draw banner_mbit_per_s banner_frame_wire_bytes banner_share_percent banner_verdict");
