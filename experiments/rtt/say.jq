# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - pings and keys over a loaded link.
include "words";

def mbit: sub("(?<n>[0-9])(?<u>[KMG]?)bit"; "\(.n) \(.u)bit/s");
def transport_words: {udp: "UDP at regular intervals", random: "UDP at random intervals", tcp: "TCP", reno: "TCP with Reno",
	none: "no load"}[.] // .;
# A row's load; of TCP with the congestion control of the kernel.
def load_words: (.transport | transport_words) + if .transport == "tcp" and .congestion then " (\(.congestion))" else "" end;
def is_tcp: .transport | IN("tcp", "reno");
def title: "Pings and keys over a loaded link: \(.run.settings.links // [] | map(mbit) | and_list)";
def setup: .run.settings as $set | [("a queue of \($set.queue | values)"),
	({display: "load from the server to the client",
		input: "load from the client to the server", both: "load both ways"}[$set.direction // ""] | values),
	"\($set.repeats // 0 | plural("repeat")) of \($set.seconds // "?") s",
		run_words] | sentence;
def labels: {value: {transport: {udp: "even", random: "random", tcp: "TCP", reno: "TCP, Reno", none: "none"},
	link: (.run.settings.links // [] | words_for(mbit))}};

def links: measured_rows("summary") | distinct(.link);
def queues: [.summary[]] | distinct(.queue);
def pings($link): queues[0] as $q | [measured_rows("summary")[] | select(.link == $link and .queue == $q and .probe == "ping")];
def idle($rows): first($rows[] | select(.load == 0)) // null;
def fine: if . == null then "unknown" elif . >= 9.995 then "\(number) ms" elif . >= 0.0995 then "\(fixed(2)) ms"
	else "\(fixed(3)) ms" end;
def fine_ends($name): (.[$name] | fine)
	+ (if .[$name + "_both"] != null then figure($name) | figure_interval elif .[$name + "_low"] == null then "" else " (95 % CI"
		+ " \(.[$name + "_low"] | fixed(2)) to \(.[$name + "_high"] | fine))" end);
# A mean: over the pings that came back; a lower bound if a key was never answered.
def mean_words: if .mean_ms_from != null or .mean_ms_why == "overloaded" then figure("mean_ms") | figure_words
	elif .mean_ms == null then "unknown" elif (.later // 0) > 0 then "more than \(.mean_ms | fine)"
		else fine_ends("mean_ms") end;
def none_came: .probe == "ping" and .mean_ms == null and (.lost // 0) > 0 and .lost == .n;
def slowness: if none_came or .mean_ms_why == "overloaded" then infinite else .mean_ms_to // .mean_ms // .mean_ms_from end;
# If the load differed from its nominal value, the finding says so.
def held: .transport == "none" or is_tcp or .load > 100
	or .sent_as_set == "yes";
def caveat: if .load > 0 and (figure("load_percent") | at_least) != null and .falls_short != "no" then
		" (\(figure("load_percent") | figure_words) arrived)" elif held then ""
	elif .sent_percent == null then " (what was sent is not known)"
	else " (\(.sent_percent | fixed(1)) % were sent)" end;
def lost: if (.lost_percent // 0) > 0 then ", \(.lost_percent | percent) % lost" else "" end;
# Whether a link is full is decided by the load that arrived.
def full: .not_full == "no";
def short_words: map(select(full | not)) | if . == [] then "" else "**The load asked for did not surely arrive**: "
	+ (map("\(level("load_percent")) of \(.load | plain) % by \(.transport | transport_words) at \(.link | mbit), where a ping takes"
		+ " \(mean_words)\(lost)") | join("; ")) + "." end;
def told_full(words): [(map(select(full)) | select(. != []) | words), (short_words | select(. != ""))] | join(" ");
# Difference from no load: from the near ends of both intervals to the far ends; without intervals only the difference.
def more_than($idle): .more = .mean_ms - $idle.mean_ms
	| if .mean_ms_low == null or $idle.mean_ms_low == null or .repeats < 3 or $idle.repeats < 3 then . else
		.more_low = .mean_ms_low - $idle.mean_ms_high | .more_high = .mean_ms_high - $idle.mean_ms_low end;

def decisions: . as $doc | (if .run.settings.direction == "both" then 2 else 1 end) as $ways
	| .summary[]? |= (.link as $link | ($doc | idle(pings($link)) // {}) as $idle | ask({
		falls_short: exceeds({value: ([.load // 0, 100] | min | scaled(0.9))}; figure("load_percent")),
		not_full: exceeds({value: 90}; figure("load_percent")),
		sent_as_set: within({value: .sent_percent}; .load | scaled(0.995); .load | scaled(1.005)),
		no_queue: exceeds({value: (if .frame_ms and $idle.mean_ms then .frame_ms + $idle.mean_ms else null end)};
			figure("mean_ms")),
		comes_later: exceeds(figure("mean_ms") | interval_alone; $idle | figure("mean_ms") | interval_alone),
		beyond_queue: exceeds(figure("mean_ms"); {value: (.queue_ms | if . then $ways * . * 1.05 + 5 else null end)})}));

def at_rest: [links[] as $l | idle(pings($l)) | values | select(.mean_ms != null)] | select(. != [])
	| finding("idle"; "**Without load**, a ping of 64 bytes takes \(map("\(mean_words)\(lost) at \(.link | mbit)") | and_list).";
		.[0] | figure("mean_ms") + {figure: "round-trip"});
# Frames at even distances below the link's rate: none waits for another, and a ping for at most one of them.
def no_queue_words: [links[] as $l | pings($l)
		| map(select(.load > 0 and .load < 100 and .transport != "random" and .mean_ms != null)) | group_by(.transport)[]
		| select(all(.no_queue == "yes")) | max_by(.load)]
	| if . == [] then "" else " **No queue builds on average** beside "
		+ "\(map("\(load_words) of up to \(.load | plain) % at \(.link | mbit)") | and_list):"
		+ " the mean ping is later by less than one frame takes on the link (\(map(.frame_ms | fine) | unique | and_list))." end;
# The highest load that the link can carry.
def nearly_full: . as $doc | [links[] as $l | pings($l) as $rows | [$rows[] | .transport] | unique[] as $t
		| [$rows[] | select(.transport == $t and .load >= 96 and .load < 100 and .mean_ms != null)]
		| select(. != []) | min_by([(full | not), .load])] | select(. != [])
	| finding("nearly-full"; told_full("**On a link that is nearly full** (\(map(.load) | max | plain) %), a ping takes "
		+ (map("\(mean_words)\(lost) beside \(load_words) at \(.link | mbit)\(caveat)") | join("; "))
			+ ".") + ($doc | no_queue_words);
		max_by([full, slowness]) | figure("mean_ms")
			+ {verdict: (if full then "none" else "unsure" end), figure: "round-trip"});
def overfull: . as $doc | [links[] as $l | [pings($l)[] | select(is_tcp and .load > 100 and .mean_ms != null)]
	| group_by(.transport)[] | max_by(.load)] | select(. != [])
	| finding("overfull"; told_full("**While TCP saturates the link**, a ping takes "
		+ (map("\(mean_words) on average and \(.max_ms | fine) at most\(lost) at \(.link | mbit)"
			+ (if .congestion then ", with \(.congestion)" else "" end)
			+ if .queue_ms == null then "" else " (full queue: \(.queue_ms | fine))" end) | join("; ")) + "."
		+ (if $doc.run.settings.link_by != "wire"
			and any(.[]; .transport == "tcp" and .queue_ms != null and .max_ms != null and .max_ms < 0.9 * .queue_ms
				and (.lost // 0) == 0) then
			" The queue is inside the sending host, whose TCP slows down before the queue is full." else "" end));
		max_by([full, slowness]) | figure("mean_ms")
			+ {verdict: (if full then "bad" else "unsure" end), figure: "round-trip"});
# Significantly later than without load, compared with M/D/1 at loads up to 90 %.
def random_load: [links[] as $l | pings($l) as $rows | idle($rows) as $idle | select($idle.mean_ms != null)
		| $rows[] | select(.transport == "random" and .load >= 40 and .load <= 90 and .mean_ms != null) | more_than($idle)]
	| select(. != []) | map(select(.more_low != null and .comes_later == "yes")) as $told | map(select(.more_low == null)) as $few
	| finding("random-load"; if $told != [] then
		"**Traffic at random times delays a ping** by "
			+ ($told | map("\(.more | fine) (95 % CI \(.more_low | fixed(2)) to \(.more_high | fine))"
				+ " at \(.load | plain) % of \(.link | mbit)\(caveat)"
				+ " (M/D/1: \(.md1_wait_ms | fine))") | and_list)
			+ (. - $told | if . == [] then "" else
				"; no delay is shown at \(map("\(.load | plain) % of \(.link | mbit)\(caveat)") | and_list)" end)
			+ ". The M/D/1 model has no fitted parameters."
		elif $few != [] then "**Too few repeats to tell whether traffic at random times delays a ping** (three are needed):"
			+ " \($few | map("\(mean_words)\(lost) at \(.load | plain) % of \(.link | mbit)\(caveat)") | and_list)."
		else "**No delay of pings by traffic at random times is shown** at loads of"
			+ " \(map("\(.load | plain) %\(caveat)") | unique | and_list):"
			+ " \(map(.more_high) | max | if . < 0 then "something else changed, since pings take less time than without load" else
				"at most \(fine) of the pings that came back" end)\(max_by(.lost_percent // 0) | lost)." end;
		($told[-1] // .[-1] | {value: .more, low: .more_low, high: .more_high, unit: "ms"}) + {figure: "round-trip",
			verdict: (if $told == [] then "unsure" else "none" end)});
def keys: threshold as $limit | queues[0] as $q
	| [measured_rows("summary")[] | select(.probe != "ping" and .queue == $q)] | group_by([.probe, .link])
	| map(idle(.) as $idle | select($idle != null) | (map(select(.load > 0)) | max_by(slowness) // null) as $worst
		| select($worst != null) | {idle: $idle, worst: $worst})
	| select(. != []) | finding("keys"; "**The response to a key over the loaded link** takes "
		+ (map("\(.worst | mean_words) under a load of \(.worst.load | plain) %\(.worst | caveat)"
			+ " by \(.worst.transport | transport_words)"
			+ " at \(.worst.link | mbit) (\(.worst.probe); \(.idle | mean_words) without load)"
			+ (if .worst.late_percent == null then "" else
				", \(.worst | level("late_percent")) of the keys over \($limit | plain) ms" end)) | join("; "))
					+ ".";
		max_by(.worst | slowness).worst | figure("mean_ms") + {figure: "keys"});
# A ping cannot wait for longer than the queues on its way take to empty.
def beyond: [measured_rows("summary")[] | select(.probe == "ping" and .beyond_queue == "yes")]
	| select(. != []) | finding("beyond-queue"; "**Pings took longer than a full queue explains**:"
		+ " \(map("\(.mean_ms | fine) beside a queue of \(.queue_ms | fine) at \(.load | plain) % of \(.link | mbit)") | and_list).";
		.[0] | figure("mean_ms") + {verdict: "bad", figure: "round-trip"});

def all_lost: [measured_rows("summary")[] | select(none_came)] | select(. != [])
	| finding("all-lost"; "**Every ping was lost** \(map("at \(.load | plain) % of \(.link | mbit) (\(.transport | transport_words))")
		| and_list): these conditions have no round trip, and are in no mean.";
		{verdict: "bad", figure: "round-trip"});

def findings: [all_lost, beyond, at_rest, nearly_full, overfull, random_load, keys][:5];
# Without a ping under load, the first finding is all there is to say.
def verdict: (if measured_rows("summary") == [] then nothing_measured
		else first(findings[].text | gsub("\\*\\*"; "")) // "Nothing was measured under load." end) as $none
	| (queues | if length > 1 then ", with the queue \(.[0])" else "" end) as $queue
	| [links[] as $l | pings($l) as $rows | idle($rows) as $idle
		| ($rows | map(select(.load > 0 and slowness != null)) | max_by(slowness)) as $worst
		| select($worst != null)
		| (if $worst | none_came then "every ping is lost"
			else "a ping takes up to \($worst | mean_words) on average\($worst | lost)" end)
			+ ($worst | " beside \(load_words) at a load of \(.load | plain) %\(caveat)")
			+ " on \($l | mbit) (\(if $idle == null then "not measured" else $idle | mean_words end) without load)"]
	| if . == [] then $none else "Under load\($queue), \(and_list)." end;

def views:
	view("main"; "summary"; "Pings and keys by load"; {by: "link", breaks: ["load", "late_percent", 5]};
		"probe transport load mean_ms sd_ms p50_ms p99_ms max_ms late_percent lost_percent queue n"),
	view("variance"; "summary"; "Variance, and a model"; {by: "link"};
		"probe transport load variance_ms2 md1_wait_ms md1_variance_ms2 even_wait_ms even_variance_ms2 queue_ms congestion"),
	view("load"; "summary"; "The load itself"; {by: "link"};
		"probe transport load sent_percent load_percent received_payload_mbit_s load_lost_percent"),
	view("quality"; "summary"; "Quality"; {by: "link"};
		"probe transport load marked? load_behind_ms_max server_busy_percent_max foreign_percent_max");
