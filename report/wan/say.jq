# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run over long links found, in words.
include "lib";

def ms: if . == null then "?" elif . >= 995 then "\(. / 1000 | fixed(if . >= 9950 then 1 else 2 end)) s" else "\(number) ms" end;
def above: if . > 0 then ">" else "" end;
def protocols: reduce .rows[].protocol as $p ([]; if index($p) then . else . + [$p] end);
def measured_rows: [.rows[] | select(.repeats > 0)];
def ranged_too: .ranged > 0.05 * .keys;	# which update answered is not sure
def p50_words: if ranged_too then "between \(.p50_ms | ms) and \(.p50_late_end_ms | ms)" else .p50_ms | ms end;
def alone: (.keys_per_s // 0) == 0;
def of($p): [measured_rows[] | select(.protocol == $p and alone)];
def slope($p): first(.slopes[] | select(.protocol == $p and .slope != null)) // null;
def slope_span: "\(.slope | fixed(2))" + if .slope_low == null then "" else " (\(.slope_low | fixed(2))–\(.slope_high | fixed(2)))" end;
def longest: [measured_rows[] | select(.loss_percent == 0)] | max_by(.rtt_ms) | .rtt_ms;

# How many round trips a key takes: a whole number where the slope's interval says so; "none" where it holds no whole number, "unsure" where it holds too much.
def trips: (.slope | round) as $n
	| if .slope_low == null then (if (.slope - $n | fabs) <= 0.1 then $n else "none" end)
	  elif .slope_high - .slope_low >= 1 then "unsure"
	  elif .slope_low > $n + 0.1 or .slope_high < $n - 0.1 then "none"
	  elif (.slope - $n | fabs) > 0.25 then "unsure" else $n end;
def trips_words: if . == 0 then "no round trip" elif . == 1 then "one round trip" else "\(.) round trips" end;

def ways:
	. as $doc | [.slopes[] | select(.slope != null and .points > 1)] as $all
	| if $all == [] then empty else
		($all | map(.trips = trips) | group_by(.trips) | map({trips: .[0].trips, who: .})) as $groups
		| ($groups[] | select(.trips | type == "number")
			| "A key that stands alone takes \(.trips | trips_words) over \(.who | map("\(.protocol) (slope \(slope_span))") | join_and)"
			+ (if .trips == 0 then ": less than there can be, so these figures are not to be believed."
			   elif .trips == 1 then ": there and back, the least there can be; \(if .who | length == 1 then "it waits" else "they wait" end) for nothing else."
			   else ": \(if .who | length == 1 then "it waits" else "they wait" end) for \(.trips - 1 | trips_words) more than the one there must be." end)),
		  ($groups[] | select(.trips == "unsure")
			| "How many round trips a key takes cannot be told from so few keys over \(.who | map("\(.protocol) (slope \(slope_span))") | join_and)."),
		  ($groups[] | select(.trips == "none")
			| "No whole number of round trips a key over \(.who | map("\(.protocol) (slope \(slope_span))") | join_and): part of the keys, or of what they draw, waits for more than others.") end;

# What a person has in front of them at the longest link.
def far:
	. as $doc | longest as $rtt | if $rtt == null then empty else
		[protocols[] as $p | first($doc | of($p)[] | select(.rtt_ms == $rtt and .loss_percent == 0 and .p50_ms != null)) // empty | "\(.protocol) \(.p50_ms | ms)"]
		| if . == [] then empty else "At a round trip of \($rtt | plain) ms without loss the echo of a key comes (p50) after: \(join("; "))." end end;

# The round trip from which on the threshold is passed, by the line.
def reach:
	. as $doc | threshold as $t | [.slopes[] | select(.slope != null and .slope > 0.2 and .points > 1 and trips != "unsure")
		| (($t - .start_ms) / .slope) as $at | if $at <= 0 then "\(.protocol) at any" else "\(.protocol) beyond \($at | fixed(0)) ms" end]
	| if . == [] then empty else "Half of the keys are later than \($t | plain) ms at round trips of: \(join("; ")) (by the line)." end;

def losses:
	. as $doc | .run.settings.loss_rtt_ms as $rtt | ([.rows[].loss_percent] | max) as $most
	| [protocols[] as $p | select($most > 0) | ($doc | of($p) | map(select(.keys > 0))) as $r | first($r[] | select(.loss_percent == $most)) as $worst
		| {p: $p, $worst, clean: (first($r[] | select(.loss_percent == 0 and .rtt_ms == $rtt)) // null)}] as $all
	| if $all == [] then empty else
		"With \($most | plain) % of all packets lost, each way, at a round trip of \($rtt | plain) ms, "
		+ (if any($all[]; .clean.p50_ms == null or .worst.p50_ms == null or .worst.p50_ms > 1.1 * .clean.p50_ms + 2) then "keys take: " else "half of the keys are as early as without loss, but what is lost is waited for: " end)
		+ ($all | map("\(.p) p50 \(if .worst.p50_ms then .worst.p50_ms | ms else "without an echo" end)\(if .clean.p50_ms then " (without loss \(.clean.p50_ms | ms))" else "" end)"
			+ (if .worst.p90_ms != null then ", p90 \(.worst.p90_ms | ms)" else "" end) + ", at most \(.worst.max_above | above)\(.worst.max_ms | ms)") | join("; ")) + "." end;

# Typed as a person types, at the longest link: who waits for a round trip between two updates shows several keys at once.
def typed:
	. as $doc | [protocols[] as $p | first($doc.rows[] | select(.protocol == $p and (alone | not) and .p50_ms != null)) as $t
		| (first($doc | of($p)[] | select(.rtt_ms == $t.rtt_ms and .loss_percent == 0 and .p50_ms != null)) // null) as $a | {p: $p, $t, $a}] as $all
	| if $all == [] then empty else
		($all | map(select(if .t | ranged_too then (.t.updates_per_key // 1) < 0.8 else .a != null and (.t.p50_ms_low // .t.p50_ms) > 1.15 * .a.p50_ms end))) as $wait
		| ($all | all((.t | ranged_too | not) and .a != null and (.t.p50_ms_high // .t.p50_ms) <= 1.15 * .a.p50_ms and .t.rtt_ms > 1000 / .t.keys_per_s)) as $alike
		| "Typed at \($all[0].t.keys_per_s | plain) keys a second over a round trip of \($all[0].t.rtt_ms | plain) ms, "
		+ (if $wait != [] then
			"\($wait | map(.p) | join_and) \(if $wait | length == 1 then "waits" else "wait" end) between two updates and \(if $wait | length == 1 then "shows" else "show" end) several keys at once, or late"
		   elif $alike then "keys are about as early as alone: several round trips are under way at once"
		   else "no protocol is shown to wait between two updates" end)
		+ " (" + ($all | map("\(.p) p50 \(.t | p50_words)\(if .a then ", alone \(.a.p50_ms | ms)" else "" end)\(if .t.updates_per_key then ", \(.t.updates_per_key | fixed(2)) updates a key" else "" end)") | join("; ")) + ")."
		+ (if any($all[].t; ranged_too) and $doc.run.settings.app == "light" then " Which keys an update showed can only be told as a range here; with --app heavy it is read." else "" end) end;

# What the emulated link did, held against what it was told.
def link_kept:
	[measured_rows[] | select(.packets != null and .loss_percent > 0 and .lost_percent_low != null)] as $r
	| if $r == [] then empty else
		([$r[] | select(.loss_percent < .lost_percent_low or .loss_percent > .lost_percent_high)] | length) as $out
		| "The link lost \($r | map(.lost) | add) of \($r | map(.packets) | add) packets where it was told to lose some: "
		+ (if $out == 0 then "in each cell what was asked for lies within the 95 % interval of the share." else "in \($out) of \(plural($r | length; "cell"; "cells")) what was asked for lies outside of the 95 % interval of the share (one in twenty may)." end) end;

def own_delay:
	(.run.facts_after.link.line // .run.host.link.line) as $line | $line.wire.added_delay_us as $d
	| if $line == null then empty elif $line.kind != "wire" then "The kernel's netem delays the packets; the round trip in every figure is the one ping found."
	  elif $d == null or $d.n == 0 then empty
	  else "The delay line hands a packet over \($d.p50 | plain) us late (p50\(if $d.p99 != null then "; p99 \($d.p99 | plain) us" else "" end))\(if $line.wire.real_time then "" else ", without real-time priority" end); the round trip in every figure is the one ping found." end;

def disturbed_words: [.rows[] | select(.marked > 0)] as $marked | if $marked == [] then null else
	"\(plural($marked | length; "cell was"; "cells were")) disturbed: other processes or the hypervisor took more than 3 % of the server's CPUs in some repeat." end;
def failures: [.rows[] | select(.repeats == 0)] | if . == [] then empty else "Not measured: " + (map("\(.protocol) at \(.rtt_ms | plain) ms\(if .loss_percent > 0 then " and \(.loss_percent | plain) % of loss" else "" end)\(if alone then "" else ", typed" end)") | join(", ")) + "." end;
def ranged_words: [measured_rows[] | select(ranged_too and alone)] | if . == [] then empty else
	"Which update answered a key could not be told for sure in \(plural(length; "cell"; "cells")) (\(map(.protocol) | unique | join(", "))): there the next update counts, which is the key's own as long as none is later than the next key." end;

def findings: [ways, typed, far, reach, losses, link_kept, own_delay, ranged_words, failures] | if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;
