# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a long session showed. The verdicts are judge's (drift).
include "words";

def title: "A session over hours: \(protocol_words)";
def duration: if . < 120 then "\(number) s" elif . < 7200 then "\(. / 60 | number) min" else "\(. / 3600 | number) h" end;
def setup: [protocol_words, link_words, (.run.settings.seconds | values | duration), run_words] | sentence;
def hours: . * 3600 | duration;
def names: {floor_ms: "the 10 % value of the response time", median_ms: "the median response time",
	late_percent: "the share of late keys",
	viewer_round_trip_ms: "the TCP round trip seen by the viewer", server_round_trip_ms: "the TCP round trip seen by the server",
	viewer_sent_again: "what the viewer sends again", server_sent_again: "what the server sends again",
	viewer_memory_mb: "the viewer's memory", server_memory_mb: "the server's memory",
	viewer_descriptors: "the viewer's open descriptors", server_descriptors: "the server's open descriptors"};
def labels: {value: {figure: (names | map_values(sub("^the "; "") | upper_first))}};

def from_to: . as $f | "\(.first | number) to \(.last | with_unit($f.unit // ""))";
def speed: (.unit // "") as $unit | if .step != null then ", by \(.step | with_unit($unit)) at once"
	elif .per_hour != null then ", by \(.per_hour | with_unit($unit)) an hour" else "" end;
def since: if .since_h == null then "" else " since \(.since_h | hours)" end;
def halves: (.change_unit // "") as $unit | if .change == null then "too few blocks have a figure"
	elif .told_by == "end" then "the last eighth is \(.end | with_unit($unit)) above the first three quarters"
	else "the second half is \(.change | with_unit($unit)) above the first (\(range_words(.low; .high; $unit)))" end;
def change_figure: {value: .change, low: .low, high: .high, unit: .change_unit, figure: "over-time"};

# Of each session what the verdict is of, the floor first.
def judged: [.figures // [] | .[] | select(.figure | IN("floor_ms", "median_ms", "late_percent"))] | group_by([.protocol, .repeat])
	| map(sort_by(.figure == ("floor_ms", "median_ms") | not));
def words: (names[.figure] // .figure) as $what | (.change_unit // "") as $unit
	| if .verdict == "grows" then "\($what) rose from \(from_to)\(speed)\(since)"
	elif .verdict == "does not grow" then "\($what) grew by less than \(.high | with_unit($unit)) from the first half to the second"
	elif .verdict == "comes and goes" then "\($what) rose, and came back after \(.returned_h | hours)"
	else "whether \($what) grows cannot be told: \(halves)" end;
def heads: {"slower": "The session got slower", "not slower": "The session did not get slower",
	"comes and goes": "The session was slower for a while", "not decided": "Not decided"};
def rank: ["slower", "failed", "comes and goes", "not decided", "not slower"] as $order | .session as $word | $order | index($word);
def with_word($word): map(select(.verdict == $word));
# Of one session: what grew, with what did not beside it; or what is not decided; or the floor.
def session_words: .[0] as $floor | with_word({"slower": "grows"}[$floor.session] // $floor.session) as $told
	| if $told == [] or $told[0].figure == "floor_ms" then ($told + [$floor])[0] | words
	else (if $floor.verdict == "does not grow" then "the fastest keys did not get slower, but "
		elif $floor.verdict == "comes and goes" then "the fastest keys got slower for a while, and "
		else "whether the fastest keys got slower cannot be told, but " end) + ($told | map(words) | and_list) end;
def ended: .[0].ended | if . == null then "" else "\(upper_first). " end;
# Keys whose echo is in doubt do not count, and blocks with mostly such keys are not measured.
def doubtful: [.summary // [] | .[] | select((.keys_in_doubt // 0) > 0)] | if . == [] then "" else
	" \(map(.keys_in_doubt) | add | thousands) of \(map(.keys) | add | plural("key")) were in doubt and do not count"
		+ (map(.blocks_in_doubt // 0) | add | if . > 0 then ", so \(plural("block")) have no response time" else "" end) + "." end;
def verdict: doubtful as $doubtful | judged | if . == [] then nothing_measured
	else length as $n | min_by(.[0] | rank) as $s | (map(select(.[0].session == $s[0].session)) | length) as $same
		| ($s | ended) + if $s[0].session == "failed" then "The session failed, so there is no verdict." else
			(if $s[0].ended then "Before that: " else "" end) + heads[$s[0].session]
				+ (if $n > 1 then " in \($same) of \($n) sessions" else "" end) + ": " + ($s | session_words) + "." end + $doubtful end;

def found: words as $words | finding("\(.figure)-\(.repeat)";
	"**\($words | upper_first)**" + (if .verdict == "grows" and .told_by != "begin" or .verdict == "comes and goes" then "; \(halves)."
		else "." end);
	change_figure + {verdict: (if .verdict == "grows" then "bad" elif .verdict == "does not grow" and .ended == null then "good"
		else "unsure" end)});
def grown: [.figures // [] | .[] | select(.verdict == "grows")] | sort_by(.since_h);
# Of one session.
def order: [grown | group_by([.protocol, .repeat])[] | sort_by(.since_h) | select(length > 1 and .[0].since_h != .[1].since_h)]
	| if length != 1 then empty else .[0] as $all | $all[0] as $first
	| finding("first"; "**\(names[$first.figure] | upper_first) grew first**, \($first | since | ltrimstr(" "))"
		+ "; then \([$all[1:][] | "\(names[.figure])\(since)"] | and_list).";
		($first | change_figure) + {verdict: "none"}) end;
# Of the two worst sessions: the floor, and what else the verdict is of, unless it does not grow.
def findings: (judged | sort_by(.[0] | rank)[:2] | map((.[0], (.[1:][] | select(.verdict != "does not grow"))))) as $judged
	| [($judged[] | found), order, (grown[] | select(IN($judged[]) | not) | found),
	(.figures // [] | .[] | select(.verdict == "comes and goes" and (IN($judged[]) | not)) | found)][:6];

def views:
	view("figures"; "figures"; "What grew"; {}; 
		"protocol? repeat? figure unit first last change_unit change low high end verdict since_h step per_hour"),
	view("main"; "summary"; "Sessions"; {};
		"protocol verdict ended? seconds blocks keys keys_in_doubt floor_ms last_floor_ms moved_first");
