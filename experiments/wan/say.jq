# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run over long links found.
include "words";

def title: "Typing over a long link: \(if attached and .run.runs == null then protocol_words else protocols | and_list end)";
def setup: [(.run.settings.app | values | {light: "vim in a terminal", heavy: "the reference application",
		own: "the application in the window"}[.]), link_words,
	(.run.settings.rtts_ms | values | "round trips of \(map(plain) | and_list) ms"), repeats_words, run_words] | sentence;
def lone: select((.keys_per_s // 0) == 0);
def ranged: .mostly_ranges == "yes";
# Lines through at least two round trip times that were set apart, with an interval (summarize's extractor `slope`).
# trips: a whole number; "none" where the interval excludes each, "impossible" where it is surely below one, or "unsure".
def trips_claim: claim("whole"; 1; figure("slope"); {});
def slopes: . as $doc | [.slope // [] | .[] | select(.slope != null)
	| .trips = (decided($doc; trips_claim) | if . == null then "unsure" elif holds then .value
		elif .value == 0 then "impossible" else "none" end)];
def no_line: [.slope // [] | .[] | select(.slope == null)];
def slope_words: "\(.protocol) "
	+ if .rises == "yes" then "\(.slope | fixed(2))\(interval(.slope_low; .slope_high; ""; fixed(2)))"
	  else "at most \([.slope_high, 0] | max | fixed(2))" end;
def trips($n): $n | plural("round trip");
# A median is one number, a range (from and to) or a lower bound.
def known: .p50_ms != null or .p50_ms_from != null;
def p50_words: if .p50_ms != null and ranged and .p50_late_end_ms != null then
		"\(.p50_ms | number) to \(.p50_late_end_ms | with_unit("ms"))" else figure("p50_ms") | figure_words end;
def by_p50: sort_by(.p50_late_end_ms // .p50_ms_to // .p50_ms // infinite);

def verdict: slopes as $s | measured_rows("summary") as $rows
	| if $rows == [] then nothing_measured
	  elif $s == [] and ($rows | distinct(.protocol) | length > 1) then	# (where the links are alike, the ranking has it)
		if $rows | map(select(lone and known)) | (map(.rtt_ms) | max) as $far | map(select(.rtt_ms == $far))
			| distinct(.protocol) | length > 1 then "" else
			"At the longest round trip, the median response is known for one protocol at most, so none is ranked." end
	  elif $s == [] then [$rows[] | lone | select(known)] | max_by([.rtt_ms, -.loss_percent])
		| if . == null then "The median response is not known: too many keys are unanswered or late." else
			"At a round trip of \(.rtt_ms | plain) ms, the median response over \(.protocol) is"
				+ " \(p50_words)\(figure("p50_ms") | figure_interval)\(unanswered_words)." end
	  elif all($s[]; .trips == 1) and no_line == [] then
		"A single key takes one round trip over \($s | map(.protocol) | and_list), the minimum."
	  elif any($s[]; .trips | type == "number" and . > 1) then
		"A key takes more than one round trip over \([$s[] | select(.trips | type == "number" and . > 1) | .protocol] | and_list)."
	  else "For some protocols, this run cannot tell how many round trips a key takes." end;

def round_trips: slopes | group_by(.trips | tostring)[] | .[0].trips as $n
	| ({none: "**A key takes no whole number of round trips**",
		unsure: "**This run cannot tell the number of round trips per key**",
		impossible: "**A key seems to take less than a round trip, which is impossible**"}[$n | tostring]
		// "**\(trips($n) | upper_first) per key**") as $head
	| finding("round-trips-\($n)"; "\($head): \(map(slope_words) | join("; "))."
		+ (if $n == "impossible" then " Do not trust these figures." elif $n == 1 then " One round trip is the minimum."
		   elif $n | type == "number" then " The protocol waits for \(trips($n - 1)) more than the minimum."
			elif $n == "none" then
			" Some keys, or parts of what they draw, wait longer than others."
		   else " More round trip times (`--rtt`) or more repeats narrow the interval." end);
		(if .[0].rises == "yes" then .[0] | figure("slope") else {} end)
			+ {verdict: (if $n == 1 then "good" elif $n | type == "number" then "bad" else "unsure" end),
				figure: "rtt"});
def no_round_trips: no_line | select(. != []) | finding("no-round-trips"; "**No number of round trips per key** for "
		+ (map("\(.protocol) (\(.slope_why))") | and_list) + ".";
		{verdict: "unsure", figure: "rtt"});

# Typed at a steady rate over the longest link: a protocol that waits for a round trip between updates shows several keys at once.
# (Where less than half of the keys wait for others, the median does not know of it.)
def later: 1.15;
def alone($doc): . as $typed | first($doc | measured_rows("summary")[] | lone
	| select(.protocol == $typed.protocol and .rtt_ms == $typed.rtt_ms and .loss_percent == 0)) // null;
def lossy: [measured_rows("summary")[] | select(.loss_percent > 0 and .packets != null)];
def surely: {from: (.low // .from // if .above then .value else null end), to: (.high // .to)};
def slowest: (.max_above == 1) as $above | figure("max_ms") | without_interval + {$above, unit};
# mostly_ranges: of more than one key in twenty only a range is known; then several keys a screen update tell that they wait.
# outlasts: longer than any without loss. loss_differs: in one condition of all with loss.
def decisions: threshold as $limit | . as $doc | ([1, (lossy | length)] | max) as $lossy
	| (.slope[]? |= ask({rises: exceeds(figure("slope") | interval_alone; {value: 0})}))
	| .summary[]? |= (alone($doc) as $alone | ask({is_late: exceeds(figure("p50_ms") | surely; {value: $limit}),
		mostly_ranges: exceeds({value: (.ranged // 0)}; {value: (.keys | scaled(0.05))}),
		few_updates: exceeds({value: 0.8}; {value: .updates_per_key}),
		waits: exceeds(figure("p50_ms") | del(.above) | surely; $alone // {} | figure("p50_ms") | scaled(later)),
		tail_waits: exceeds(figure("p90_ms") | interval_alone; $alone // {} | figure("p90_ms") | interval_alone | scaled(later)),
		tail_later: exceeds({value: .p90_ms}; {value: ($alone // {} | .p90_ms | scaled(later))}),
		is_slow: exceeds(slowest; {value: $limit}), outlasts: exceeds(slowest; $alone // {} | slowest),
		resent: exceeds(slowest; {value: (.rtt_ms | scaled(2))}),
		loss_differs: claim("share"; $lossy; {value: .lost, repeats: .packets}; {value: .loss_percent})}));
def surely_late: .waits == "yes" or .tail_waits == "yes";
def alone_words: [(.alone.p50_ms | values | with_unit("ms")), (select(.tail_later == "yes") | "90 %:"
	+ " \(.p90_ms | with_unit("ms")), alone \(.alone.p90_ms | with_unit("ms"))")]
	| if . == [] then "" else " (alone \(join("; ")))" end;
# A protocol without a median of typed or of single keys is not compared: whether it waits is unknown.
def typed: . as $doc | [measured_rows("summary")[] | select((.keys_per_s // 0) > 0 and known) | .alone = alone($doc)] as $all
	| select($all != []) | [$all[] | select(if ranged then .few_updates == "yes" else surely_late end)] as $wait
		| ([$all[] | select(if ranged then .updates_per_key == null else
				(surely_late | not) and (.waits == null or .tail_later == "yes") end) | .protocol]
			+ ([$doc.summary[] | select((.keys_per_s // 0) > 0)] | distinct(.protocol) - [$all[].protocol])
				| unique) as $untold
		| finding("typed"; (if $wait != [] then
				"**\($wait | map(.protocol) | and_list) \(if $wait | length == 1 then "waits" else "wait" end) between screen updates**:"
				+ " several keys appear at once, or late,"
			elif $untold != [] then "**This run cannot tell whether \($untold | and_list)"
				+ " \(if $untold | length == 1 then "waits" else "wait" end) between screen updates**, since intervals are too wide"
				+ " or a median is not known,"
			elif any($all[]; .p90_ms == null) then
				"**By the median, no protocol waits significantly between screen updates**"
			else "**No protocol waits significantly between screen updates**" end)
			+ " when keys are typed at \($all[0].keys_per_s | plain)/s over a round trip of \($all[0].rtt_ms | plain) ms. Medians: "
			+ ($all | map("\(.protocol) \(p50_words)\(alone_words)"
					+ unanswered_words)
				| join("; ")) + ".";
			($wait[0] // $all[0] | figure("p50_ms"))
				+ {verdict: (if $wait != [] then "bad" elif $untold != [] then "unsure" else "good" end),
					figure: "rtt"});

def longest: . as $doc | threshold as $limit | ([measured_rows("summary")[] | lone | select(.loss_percent == 0)]
		| (map(.rtt_ms) | max) as $rtt
		| map(select(.rtt_ms == $rtt and known)) | by_p50) as $rows
	| select($rows != [])
		| finding("longest-link"; "**At a round trip of \($rows[0].rtt_ms | plain) ms** the median response is"
			+ " \($rows | map("\(p50_words) (\(.protocol)\(unanswered_words))") | and_list)."
			+ ([$doc.summary[] | lone | select(.loss_percent == 0 and .rtt_ms == $rows[0].rtt_ms)] | distinct(.protocol)
				- [$rows[].protocol] | if . == [] then "" else " Not known: \(and_list)." end)
			+ ([slopes[] | select(.trips | IN("unsure", "impossible") | not).late_from_ms | values]
				| if . == [] then "" else
				" Half of the keys take longer than \($limit | plain) ms from a round trip of"
					+ " \(min | fixed(0))\(if max - min >= 1 then " to \(max | fixed(0))" else "" end) ms on (by the fitted lines)." end);
			$rows[-1] | figure("p50_ms") + {verdict: (if .is_late == "yes" then "bad" else "none" end), figure: "rtt"});

def losses: [measured_rows("summary")[] | lone | select(.loss_percent > 0 and known)]
	| (map(.loss_percent) | max) as $most
	| map(select(.loss_percent == $most)) | select(. != []) | (max_by(slowest | at_most // 0)) as $worst
		| finding("loss";
			"**With \($most | plain) % of packets lost each way** at a round trip of \(.[0].rtt_ms | plain) ms, median responses are"
			+ " \(map("\(p50_words) (\(.protocol)\(unanswered_words))") | and_list)."
			+ " The slowest key took \($worst | slowest | figure_words) (\($worst.protocol))"
				+ (if $worst.outlasts == "yes" and $worst.resent == "yes" then
					": long enough for the retransmission of a lost packet." else "." end);
			($worst | slowest) + {verdict: ({yes: "bad", no: "none"}[$worst.is_slow // ""] // "unsure"), figure: "loss"});

def line: .run.facts_after.link.line // .run.host.link.line;
def worst_delay: line.wire.added_delay_us | .at_worst // .max;
# Of the longest round trip, over a tenth (in us and ms).
def delays: exceeds({value: worst_delay}; {value: ([measured_rows("summary")[].rtt_ms | select(. != 0)] | max | scaled(100))});
def link_quality: .judged as $judged | ((delays | is($judged)) == "yes") as $late | lossy as $lossy | worst_delay as $worst
	| [$lossy[].loss_differs | values] as $tested | ([$tested[] | select(. == "yes")] | length) as $out
	| line | values | .wire.added_delay_us as $added
		| finding("link"; "**The emulated link** is \(if .kind == "wire" then "a delay line in user space" else .kind end)"
			+ (if ($added.n // 0) > 0 then ", with a delay \($added.p50 | plain) µs too long in the median"
				+ (if $worst == null then "." else " and \($worst / 1000 | with_unit("ms")) at most." end)
				+ if $late then " The largest excess delay is over 10 % of the longest round trip." else "" end else "." end)
			+ (if $tested == [] then "" elif $out == 0 then
				" Its packet loss differed from the setting by no more than chance explains."
				else " Its packet loss differed from the setting in \($out) of \($tested | length | plural("condition"))." end);
			{value: $added.p50, unit: "us", verdict: (if $out > 0 or $late then "unsure"
				elif $tested == [] and ($added.n // 0) == 0 then "none" else "good" end)});

# A real link (cell.sh: wan_real_link). Claims of it: the window's connection ends long before the server; pings scatter.
def ends_early: exceeds({value: .ping_ms.min}; {value: ((.tcp_min_ms | scaled(2) | values + 1) // null)});
def scatters: exceeds({value: .ping_ms.max}; {value: ((.ping_ms.min | scaled(2) | values + 5) // null)});
def real_link: .judged as $judged | .run.link | values | .ping_ms as $ping
	| finding("link"; "**The link is a real one, not emulated.** "
		+ (if $ping == null then "The server answers no ping." else "Round trips by ping: \($ping.min | with_unit("ms")) at least,"
			+ " \($ping.mean | with_unit("ms")) in the mean, \($ping.max | with_unit("ms")) at most; \(.ping_lost_percent | plain) %"
			+ " of \(.pings) pings were lost." end)
		+ (if .tcp_min_ms == null then "" else " TCP saw \(.tcp_min_ms | with_unit("ms")) at least on the window's own connection"
			+ (if (ends_early | is($judged)) == "yes" then ": it ends before the server, as at a proxy, and the"
				+ " rest of the way is in the responses." else "." end) end);
		{value: ($ping.min // .tcp_min_ms), unit: "ms", verdict: ({yes: "unsure", no: "good"}[scatters | is($judged) // ""] // "none")});

def claims: (.slope // [] | .[] | select(.slope != null) | trips_claim), (.run.link // empty | ends_early, scatters), delays;
def findings: [([round_trips][:2][]), no_round_trips, typed, longest, losses, real_link, link_quality][:5];

def views:
	view("rank"; "summary"; "Which protocol on this link";
		{rank: "p50_ms", at: {keys_per_s: "least", rtt_ms: "most", loss_percent: "most"}};
		"protocol p50_ms p95_ms wire_bytes_per_key late_percent"),
	view("slopes"; "slope"; "Round trips per key"; {}; "protocol slope slope_why? late_from_ms start_ms spread_ms points"),
	view("main"; "summary"; "Response time by condition"; {by: "protocol", floor: "p50_ms"};
		"rtt_ms loss_percent keys_per_s p50_ms p90_ms max_ms late_percent keys unanswered?");
