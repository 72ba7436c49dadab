# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run over long links found.
include "words";

def title: "Typing over a long link: \(.run.settings.protocols | and_list)";
def setup: [(if .run.settings.app == "light" then "vim in a terminal" else "the reference application" end), link_words,
	"round trips of \(.run.settings.rtts_ms // [] | map(plain) | and_list) ms", repeats_words, run_words] | sentence;
def lone: select((.keys_per_s // 0) == 0);
def ranged: (.ranged // 0) > 0.05 * .keys;
def slopes: [.slope // [] | .[] | select(.slope != null and .points > 1) | .trips = whole_slope("slope")];
def slope_words: "\(.protocol) \(.slope | fixed(2))\(interval(.slope_low; .slope_high; ""; fixed(2)))";
def trips($n): if $n == 0 then "no round trip" else $n | plural("round trip") end;
def p50_words: if ranged then "\(.p50_ms | number) to \(.p50_late_end_ms | with_unit("ms"))" else .p50_ms | with_unit("ms") end;

def verdict: slopes as $s
	| (measured_rows("summary") | length) as $measured
	| if $measured == 0 then nothing_measured
	  elif $s == [] and (measured_rows("summary") | distinct(.protocol) | length > 1) then ""	# the ranking says it
	  elif $s == [] then "This run has too few round trip times to tell how many round trips a key takes."
	  elif all($s[]; .trips == 1) then
		"A single key takes one round trip over \(if $s | length == 1 then $s[0].protocol else "every protocol tried" end),"
			+ " the minimum."
	  elif any($s[]; .trips | type == "number" and . > 1) then
		"A key takes more than one round trip over \([$s[] | select(.trips | type == "number" and . > 1) | .protocol] | and_list)."
	  else "For some protocols, this run cannot tell how many round trips a key takes." end;

def round_trips: slopes | group_by(.trips | tostring)[] | .[0].trips as $n
	| ({none: "**A key takes no whole number of round trips**", unsure: "**Too few keys to tell the number of round trips per key**"}
		[$n | tostring]
		// "**\(trips($n) | upper_first) per key**") as $head
	| finding("round-trips-\($n)"; "\($head): \(map(slope_words) | join("; "))."
		+ (if $n == 0 then " Less than one round trip is impossible; do not trust these figures." elif $n == 1 then
			" One round trip is the minimum."
		   elif $n | type == "number" then " The protocol waits for \(trips($n - 1)) more than the minimum." elif $n == "none" then
			" Some keys, or parts of what they draw, wait longer than others." else "" end);
		.[0] | figure("slope") + {verdict: (if $n == 1 then "good" elif $n | type == "number" then "bad" else "unsure" end),
			figure: "rtt"});

# Typed at a steady rate over the longest link: a protocol that waits for a round trip between updates shows several keys at once.
def late_from($ms): .alone.p50_ms != null and $ms > 1.15 * .alone.p50_ms;
def typed: . as $doc | [measured_rows("summary")[] | select((.keys_per_s // 0) > 0 and .p50_ms != null) | . as $t
		| .alone = (first($doc | measured_rows("summary")[] | lone
			| select(.protocol == $t.protocol and .rtt_ms == $t.rtt_ms and .loss_percent == 0)) // null)] as $all
	| if $all == [] then empty else
		[$all[] | select(if ranged then (.updates_per_key // 1) < 0.8 else late_from(.p50_ms_low // .p50_ms) end)] as $wait
		| [$all[] | select((ranged | not) and late_from(.p50_ms_high // .p50_ms) and (late_from(.p50_ms_low // .p50_ms) | not))
			| .protocol] as $untold
		| finding("typed"; (if $wait != [] then
				"**\($wait | map(.protocol) | and_list) \(if $wait | length == 1 then "waits" else "wait" end) between screen updates**:"
				+ " several keys appear at once, or late,"
			elif $untold != [] then "**This run cannot tell whether \($untold | and_list)"
				+ " \(if $untold | length == 1 then "waits" else "wait" end) between screen updates**, since the intervals are too wide,"
			else "**No protocol waits significantly between screen updates**" end)
			+ " when keys are typed at \($all[0].keys_per_s | plain)/s over a round trip of \($all[0].rtt_ms | plain) ms. Medians: "
			+ ($all | map("\(.protocol) \(p50_words)\(if .alone.p50_ms then " (alone \(.alone.p50_ms | with_unit("ms")))" else "" end)")
				| join("; ")) + ".";
			($wait[0] // $all[0] | figure("p50_ms"))
				+ {verdict: (if $wait != [] then "bad" elif $untold != [] then "unsure" else "good" end), figure: "rtt"}) end;

def longest: threshold as $limit | ([measured_rows("summary")[] | lone | select(.loss_percent == 0)] | (map(.rtt_ms) | max) as $rtt
		| map(select(.rtt_ms == $rtt and .p50_ms != null)) | sort_by(.p50_ms)) as $rows
	| if $rows == [] then empty else
		finding("longest-link"; "**At a round trip of \($rows[0].rtt_ms | plain) ms** the median response is"
			+ " \($rows | map("\(.p50_ms | with_unit("ms")) (\(.protocol))") | and_list)."
			+ ([slopes[] | select(.slope > 0.2 and .trips != "unsure" and .start_ms < $limit) | ($limit - .start_ms) / .slope]
				| if . == [] then "" else
				" Half of the keys take longer than \($limit | plain) ms from a round trip of"
					+ " \(min | fixed(0))\(if max - min >= 1 then " to \(max | fixed(0))" else "" end) ms on (by the fitted lines)." end);
			($rows[-1] | figure("p50_ms")) + {verdict: (if $rows[-1] | surely_above("p50_ms"; $limit) then "bad" else "none" end),
				figure: "rtt"}) end;

def losses: . as $doc | [measured_rows("summary")[] | lone | select(.loss_percent > 0 and .p50_ms != null)]
	| (map(.loss_percent) | max) as $most
	| map(select(.loss_percent == $most)) | if . == [] then empty else
		(max_by(.max_ms // 0)) as $worst
		| ([$doc | measured_rows("summary")[] | lone | select(.loss_percent == 0 and .protocol == $worst.protocol
			and .rtt_ms == $worst.rtt_ms) | .max_ms | values] | max) as $without
		| ($without != null and $worst.max_ms > $without and $worst.max_ms >= 2 * $worst.rtt_ms) as $again
		| finding("loss";
			"**With \($most | plain) % of packets lost each way** at a round trip of \(.[0].rtt_ms | plain) ms, median responses are"
			+ " \(map("\(.p50_ms | with_unit("ms")) (\(.protocol))") | and_list)."
			+ " The slowest key took \($worst | figure("max_ms") | .above = ($worst.max_above == 1) | figure_words) (\($worst.protocol))"
				+ (if $again then ": long enough for the retransmission of a lost packet." else "." end);
			($worst | figure("max_ms")) + {verdict: "bad", figure: "loss"}) end;

def link_quality: . as $doc | (.run.facts_after.link.line // .run.host.link.line) as $line
	| [measured_rows("summary")[] | select(.loss_percent > 0 and .lost_percent_low != null)] as $lossy
	| if $line == null then empty else $line.wire.added_delay_us as $added
		| ([$lossy[] | select(.loss_percent < .lost_percent_low or .loss_percent > .lost_percent_high)] | length) as $out
		| ([$doc | measured_rows("summary")[].rtt_ms] | max // 0) as $longest
		| (($added.max // 0) > 100 * $longest) as $late	# us over a tenth of ms
		| finding("link"; "**The emulated link** is " + (if $line.kind == "wire" then "a delay line in user space" else $line.kind end)
			+ (if ($added.n // 0) > 0 then ", with a delay \($added.p50 | plain) µs too long in the median"
				+ (if $added.max == null then "." else " and \($added.max / 1000 | with_unit("ms")) at most." end)
				+ (if $late then " The largest excess delay is over 10 % of the longest round trip." else "" end) else "." end)
			+ (if $lossy == [] then "" elif $out == 0 then " The packet loss was as set."
				else " Its packet loss differed from the setting in \($out) of \($lossy | length | plural("condition")) (one in twenty"
				+ " is normal)." end);
			{value: $added.p50, unit: "us", verdict: (if $out > 1 or $late then "unsure" else "good" end)}) end;

def findings: [([round_trips][:2][]), typed, longest, losses, link_quality][:5];
