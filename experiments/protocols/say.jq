# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - bytes of the same work over each protocol.
include "words";

def works: .run.settings.works // [];
def part_words: {text: "editing a text", draw: "drawing", browse: "looking at pages", all: "all work", setup: "set-up",
	window: "first terminal", idle: "idle minute", key: "a key"};
def works_words: works | map(part_words[.] // .) | and_list;
def row($protocol; $what): first(.summary[] | select(.protocol == $protocol and .what == $what)) // null;
def sound: . != null and .state == "complete";
# Usable rows of one kind, those with fewest bytes first.
def ranked($what): [.summary[] | select(.what == $what and sound)] | sort_by(.total_wire_bytes);
# Work that took no byte was not seen.
def seen: map(select(.total_wire_bytes > 0));
def work_rows: ranked(if works | length == 1 then works[0] else "all" end) | seen;	# a single work has no row "all"
def key_rows: ranked("key") | seen;
def bytes:	# 1 KB is 1,000 bytes, as on a link
	if . >= 999500 then "\(. / 1e6 | if . >= 9.95 then fixed(1) else fixed(2) end) MB" elif . >= 9995 then
		"\(. / 1000 | fixed(0)) KB"
	elif . >= 999.5 then "\(. / 1000 | fixed(1)) KB" else "\(fixed(0)) bytes" end;
def times: if . >= 9.95 then fixed(0) elif . >= 1.95 then fixed(1) else fixed(2) end;
def named(value): map("\(.protocol) \(value)") | join(", ");
# The span of some rows, such as "1.9 KB (vnc) to 287 KB (spice)".
def extremes($name; words): map(select(.[$name] != null)) | sort_by(.[$name]) | [.[0], .[-1]] | unique
	| sort_by(.[$name]) | if length == 2 and (map(.[$name] | words) | unique | length) == 1 then "\(.[0][$name] | words) (all)"
	  else map("\(.[$name] | words) (\(.protocol))") | join(" to ") end;
def total: figure("total_wire_bytes") | .unit = "bytes";
def range_of(value): map(value) | [min, max] | map(fixed(0)) | unique | "\(join(" to ")) %";

def title: if attached and .run.runs == null then "Bytes of a key in a window: \(.run.protocol.title // "?")"
	else "The same work over every protocol" end;
def setup: [protocol_words, (if works == [] then "keys only" else works_words end), link_words, repeats_words,
	(if .run.settings.quick then "quick: only the first part of each piece of work" else null end)] | sentence;

# Protocols that did no work, and of which no variant in this run did it: {protocol, use: [variant]}.
def without_work: protocols as $all | .run.settings.without_work // {} | to_entries
	| map(select(.value - ($all - [.key]) == .value) | {protocol: .key, use: .value});
def without_work_words: without_work | if . == [] then "" else " No work was done over " + (map(.protocol
	+ if .use == [] then "" else " (use \(.use | join(" or ")))" end) | and_list)
		+ ", because no client shows such a session." end;

# Protocols that should have done the work (or keys, if no work was asked for), but have no usable figure.
def no_figure($rows): (works == []) as $keys | ([.run.cells[].parameters | select((.part == "session") == $keys)]
		| distinct(.protocol)) - [$rows[].protocol] | if . == [] then "" else
	" No figure of \(if $keys then "a key" else "the whole work" end) for \(and_list)." end;

# Significantly fewer bytes for the same work, by the ends of both intervals; two repeats have no interval.
def decisions: (.summary // []) as $all | .summary[]? |= (.what as $what | (figure("total_wire_bytes") | interval_alone) as $own
	| ask([$all[] | select(.what == $what)
		| {"fewer_than_\(.protocol)": exceeds(figure("total_wire_bytes") | interval_alone; $own)}] | add));
def fewer($than): .["fewer_than_\($than.protocol)"] == "yes";
def unsure($a; $b; $how): if $a | fewer($b) then "" else ", not significantly \($how)" end;
def verdict: (work_rows as $r | key_rows as $k
	| if $r + $k == [] then nothing_measured
	  elif $r | length > 1 then
		"The same work takes fewest bytes over \($r[0].protocol) (\($r[0].total_wire_bytes | bytes)"
		+ unsure($r[0]; $r[1]; "fewer than over \($r[1].protocol)") + ") and most over \($r[-1].protocol)"
		+ " (\($r[-1].total_wire_bytes | bytes), \($r[-1].total_wire_bytes / $r[0].total_wire_bytes | times) times as many"
		+ unsure($r[-2]; $r[-1]; "more than over \($r[-2].protocol)") + ")."
	  elif $r != [] then "The same work takes \($r[0].total_wire_bytes | bytes) on the wire over \($r[0].protocol)."
	  else "A key with its response takes \($k[0].total_wire_bytes | fixed(0)) bytes on the wire over \($k[0].protocol)"
		+ (if $k | length > 1 then " and \($k[-1].total_wire_bytes | fixed(0)) over \($k[-1].protocol)"
			+ unsure($k[0]; $k[-1]; "more") else "" end) + "." end
	  + if $r + $k == [] then "" else no_figure(if works == [] then $k else $r end) end) + without_work_words;

# Each row with its ratio to the first; if intervals overlap, the order is uncertain.
def ordered: . as $r | [to_entries[] | .key as $i | .value | "\(.total_wire_bytes | bytes) over \(.protocol)"
	+ if $i == 0 then "" else $r[$i - 1] as $before | " (\(.total_wire_bytes / $r[0].total_wire_bytes | times) times as many"
		+ unsure($before; .; "more than \($before.protocol)") + ")" end]
	| and_list;
def shares_words: [(["rdp", "x11"], ["rdp:cache", "x11"], ["rdp", "nx"], ["rdp:cache", "nx"], ["nx", "x11"]) as [$a, $b]
	| .shares // [] | .[] | select(.protocol == $a and .other == $b and .share_percent != null)
	| "\($a) \(level("share_percent")) of \($b)"] | if . == [] then "" else " IP bytes: \(join(", "))."
		+ " Wong & Seltzer (2000): RDP, with a cache at its client, 13 % of X and 23 % of LBX; LBX 57 % of X." end;
def work: work_rows as $r | select($r != [])
	| finding("work"; "**The same work** (\(works_words)) takes, in bytes on the wire, \($r | ordered). "
		+ "\($r | range_of(.display_wire_bytes / .total_wire_bytes * 100)) of them are display data.\(shares_words)";
		$r[0] | total + {figure: "work"});

def messages: work_rows as $r | if $r | length < 2 then empty else
	($r | sort_by(.mean_message_ip_bytes)) as $size | ($r | sort_by(.vip_saving_percent)) as $saving
	| finding("messages"; "**The mean message has \($size[0].mean_message_ip_bytes | thousands) bytes over \($size[0].protocol),"
		+ " \($size[-1].mean_message_ip_bytes | thousands) over \($size[-1].protocol)**, IP headers included. Without IP headers"
		+ " the work would take \($saving[0].vip_saving_percent | fixed(1)) % (\($saving[0].protocol)) to"
		+ " \($saving[-1].vip_saving_percent | fixed(1)) % (\($saving[-1].protocol)) less.";
		{value: $saving[-1].vip_saving_percent, unit: "%", figure: "work"}) end;

# What of a key's bytes are headers, and how many packets it needs: each brings 66 bytes of them.
def keys: key_rows as $r | select($r != [])
	| finding("key"; "**A key with its response takes \($r[0].total_wire_bytes | fixed(0)) bytes over \($r[0].protocol)"
		+ (if $r | length > 1 then ", \($r[-1].total_wire_bytes | fixed(0)) over \($r[-1].protocol)"
			+ unsure($r[0]; $r[-1]; "more") else "" end)
		+ "**. \($r | range_of(.ethernet_percent + .ip_percent + .transport_percent)) are packet headers. Packets of a key:"
		+ " \($r | extremes("total_packets"; fixed(1))), pure acknowledgements included."
		+ ([$r[] | select((.tls_percent // 0) > 0.05)] | if . == [] then "" else
			" Headers of TLS records: \(named("\(.tls_percent * .total_wire_bytes / 100 | fixed(0)) bytes"))." end);
		$r[0] | total + {figure: "key"});

def before_work: ranked("setup") as $setup | ranked("window") as $window | ranked("idle") as $idle
	| if $setup + $idle == [] then empty else
	finding("set-up-and-idle"; (if $setup == [] then "" else
			"**Set-up of a session** takes \($setup | extremes("total_wire_bytes"; bytes))"
			+ (if $window == [] then "" else ", and a first terminal \($window | extremes("total_wire_bytes"; bytes))" end) + ". " end)
		+ "**An idle minute** takes "
		+ ([($idle | map(select(.total_wire_bytes == 0) | .protocol) | select(. != []) | "nothing over \(and_list)"),
			($idle | map(select(.total_wire_bytes > 0)) | select(. != []) | named(.total_wire_bytes | bytes))]
				| join("; "))
		+ (if (.run.settings.idle_seconds // 60) < 60 then " (from \(.run.settings.idle_seconds) s)" else "" end) + ".";
		($setup + $idle)[0] | total) end;

def other_work: [.summary[] | select(.what != "all" and .different > 0)] as $r | select($r != [])
	| finding("other-work"; "**Excluded from comparison**, since the screen at the end differs: " + ($r
		| map("\(.protocol), \(part_words[.what] // .what): \(if .state == "different" then "always" else
			"in \(.different) of \(.repeats + .different) repeats" end) (up to \(.differs_percent | fixed(1)) % of the pixels differ)")
		| join("; ")) + "."; {value: ($r | map(.differs_percent) | max), unit: "%", verdict: "unsure", figure: "work"});

def findings: [work, messages, keys, before_work, other_work];
def labels: {value: {what: part_words}};

def views:
	view("rank"; "keys"; "Which protocol on this link"; {rank: "key_p50_ms", at: {part: "session"}, floor: "key_p50_ms"};
		"protocol key_p50_ms key_p95_ms protocols:key_bytes late_percent"),
	view("bytes"; "protocols"; "Bytes on the wire"; {};
		"protocol all_bytes text_bytes draw_bytes browse_bytes setup_bytes idle_bytes key_bytes"),
	view("work"; "summary"; "Input and display"; {by: "protocol"};
		"what state input_wire_bytes display_wire_bytes total_wire_bytes"),
	view("channels"; "summary"; "IP bytes and messages by channel"; {by: "protocol"};
		"what input_ip_bytes display_ip_bytes input_messages display_messages"),
	view("messages"; "summary"; "Messages"; {by: "protocol"};
		"what total_ip_bytes total_messages mean_message_ip_bytes vip_saving_percent"),
	view("shares"; "shares"; "Bytes beside those of another protocol"; {by: "protocol"}; "other share_percent"),
	view("headers"; "summary"; "Packets and headers"; {by: "protocol"};
		"what total_packets total_acks transport_percent tls_percent"),
	view("same"; "summary"; "Was it the same work?"; {by: "protocol"};
		"what state repeats? failed? marked? different? restless? differs_percent");
