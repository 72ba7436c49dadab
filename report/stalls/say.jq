# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - the findings in words. Each is said only as far as the figures carry it: a claim about keys rests on the interval's
# end, not on the figure; where the figures leave a question open, that is the finding.
include "lib";

def span($low; $high; $unit):	# " (95 %: a to b UNIT)", nothing without an interval
	if $low == null or $high == null then "" else " (95 %: \($low | number) to \($high | number) \($unit))" end;
def share_span: if .late_share_percent_low == null then "" else " (95 %: \(late_least_low | percent) to \(late_most_high | percent) %)" end;

def beside($sinks): if $sinks == 0 then "without load" else "beside \(plural($sinks; "sink"; "sinks"))" end;
def at_loads: map(.sinks | tostring) | join_and | if . == "1" then "1 sink" else . + " sinks" end;
def tried: map(.sinks) | if . == [0] then "without load" elif length == 1 then "at the one load tried (\(plural(.[0]; "sink"; "sinks")))" else "at every load tried (\(min) to \(plural(max; "sink"; "sinks")))" end;

# Above which share of late keys an application counts as late, and how many percent may be taken for "hardly any".
def late_limit: 5;

def overload_words($who):
	map(select(.overloaded > 0)) | if length == 0 then empty else
	"\($who) cannot keep up \(if length == 1 then beside(.[0].sinks) else "beside " + at_loads end): its backlog grows by \(if length == 1 then "" else "up to " end)\([.[].backlog_per_s // 0] | max | number) keys a second. No latency is given: it would tell how long the run was."
	end;

# A disturbed cell may owe what it shows to others.
def disturbed: map(select(.marked > 0)) | if length == 0 then "" else " Other processes or the hypervisor took up to \(map(disturbed_most // 0) | max | number) % of the server's CPUs meanwhile (marked), which may be why." end;

# Below the threshold or not: an application that should need little CPU, or one of which nothing is known.
def light($doc):
	($doc | threshold) as $t
	| (if .[0].app == "own" then $doc | own_name | sub("^the"; "The") else "vim" end) as $who
	| (map(late_most) | max) as $most | (map(late_most_high) | max) as $high | max_by(late_most_high) as $worst
	| (map(.latency_high_max_ms // .latency_max_ms // 0) | max) as $slowest
	| (any(.[]; .latency_max_ms_above == 1 or .latency_high_max_ms_above == 1)) as $open
	| (map(select(.sinks >= 5)) | length > 0) as $loaded
	| (map(.same_group | values) | unique) as $groups
	| overload_words($who),
	(map(select(.overloaded == 0)) | if length == 0 then empty
	elif $most == 0 then
		"\($who)'s echo stays under \($t) ms for every key \(tried): slowest \($slowest | if . < ($doc | resolution) then "below resolution" else number + " ms" end)"
		+ (if .[0].late_share_percent_high == null then "" else ", at most \($high | percent) % late (95 %, keys taken as independent)" end)
		+ (if ($loaded | not) or .[0].app != "light" then "."
		   elif $groups == [0] then ". Its own scheduling group may be why; this run cannot tell."
		   elif $groups == [1] then ". This scheduler protects who needs little CPU."
		   else "." end)
	elif $high <= late_limit then
		"\($who)'s echo stays under \($t) ms for nearly every key \(tried): at most \($most | percent) % are late\($worst | share_span), \(beside($worst.sinks))"
		+ (if $slowest > 0 then "; the slowest took \(if $open then "more than " else "" end)\($slowest | number) ms." else "." end)
	elif any(.[]; late_least_low > late_limit) then
		(map(select(late_least_low > late_limit)) | .[0].sinks) as $from | max_by(.late_share_percent) as $w
		| "\($who)'s echo is late: \(beside($w.sinks)) \($w | late_text) % of keys come later than \($t) ms\($w | share_span)"
		+ (map(select(.sinks < $from)) | if $from == 0 then ", and without load too." elif length == 0 then "; no smaller load was tried."
		   elif last.sinks == 0 then "; without load it is not." else "; up to \(plural(last.sinks; "sink"; "sinks")) it is not shown to be." end) + ([$w] | disturbed)
	elif ($worst.late_share_high_percent // 0) > $worst.late_share_percent then
		"Whether \($who)'s echo stays under \($t) ms cannot be told: \(beside($worst.sinks)) between \($worst.late_share_percent | percent) and \($worst | late_most | percent) % of keys are late. Latency from updates alone is a range at this load; use refecho (--app heavy)."
	else
		"Too noisy to tell whether \($who)'s echo stays under \($t) ms: \(beside($worst.sinks)) \($worst.late_share_percent | percent) % of keys were late\($worst | share_span). More repeats would tell (--repeat 10)." + ([$worst] | disturbed)
	end);

# Fair sharing: what (sinks + 1) greedy parties leave of a CPU.
def fair_near: (.mean_stall_ms - .fair_stall_ms | fabs) <= 0.1 * .fair_stall_ms + 5;
# Repeats that scatter over the prediction do not contradict it.
def fair_ok: fair_near or (.mean_stall_ms_low != null and .mean_stall_ms_low <= 1.1 * .fair_stall_ms + 5 and .mean_stall_ms_high >= 0.9 * .fair_stall_ms - 5);
def plus(a; $b): a as $a | if $a == null then null else $a + $b end;
def fair_pair($where):
	.period_ms as $p
	| "an update every \(.mean_stall_ms + $p | number) ms\(span(plus(.mean_stall_ms_low; $p); plus(.mean_stall_ms_high; $p); "ms"))\($where) against \(.cost_ms | plain) ms x \(.sinks + 1) = \(.fair_stall_ms + $p | plain) ms";

def late_phrase($t):
	if .late_share_percent >= 99.5 then "late for every key" elif .late_share_percent == 0 then "late for no key" else "late for \(.late_share_percent | percent) % of keys" end
	+ " \(beside(.sinks))";

def heavy($doc):
	($doc | threshold) as $t | ($doc.run.settings.cost_per // "redraw") as $per
	| "An application that needs \(map(.cost_ms | values) | first | plain) ms of CPU per \($per)" as $who
	| map(select(.mean_stall_ms != null and .fair_stall_ms != null and .overloaded == 0)) as $known	# of the others enough is said
	| ($known | map(select(.fair_stall_ms > 0))) as $full
	| ($known | map(select(.cost_ms * (.sinks + 1) < .period_ms and .sinks > 0))) as $free
	| (map(.updates_per_key | values) | max) as $goes	# a viewer may paint one redraw in several
	| overload_words($who),
	(if ($full | length) == 0 and any(.[]; .overloaded > 0) then empty
	elif ($full | length) == 0 then
		max_by(.sinks) as $top
		| "\($who) is \($top | late_phrase($t)). No load tried fills the CPU by the sum of fair sharing (\($top.cost_ms | plain) ms x \($top.sinks + 1) against a key every \($top.period_ms | plain) ms)."
	else ($full | last) as $top | ($full | map(select(fair_ok | not))) as $off
		| "\($who) is \($top | late_phrase($t))"
		+ (if ($goes // 0) > 1.2 then
			". One redraw is seen as up to \($goes | number) updates here, so the time between two cannot be held against fair sharing."
		elif ($off | length) == 0 and ($full | all(fair_near) | not) then
			($full | map(select(fair_near | not))) as $far
			| ". Its stalls scatter too widely to hold against fair sharing: \($far | max_by(.mean_stall_ms_high - .mean_stall_ms_low) | fair_pair(" " + beside(.sinks)))." + ($far | disturbed)
		elif ($off | length) == 0 then
			". As fair sharing predicts, \($top | fair_pair("")). That is arithmetic."
		elif $off | all(.mean_stall_ms > .fair_stall_ms) then
			". It stalls for longer than fair sharing predicts at \($off | at_loads): \($off | max_by(.mean_stall_ms - .fair_stall_ms) | fair_pair(" " + beside(.sinks))). " + ($off | disturbed | if . == "" then "Something besides the sinks takes CPU from it, or a redraw costs more than asked." else ltrimstr(" ") end)
		elif $off | all(.mean_stall_ms < .fair_stall_ms) then
			". It stalls for less than fair sharing predicts at \($off | at_loads): \($off | min_by(.mean_stall_ms - .fair_stall_ms) | fair_pair(" " + beside(.sinks))). "
			+ (if [$off[].same_group] | unique == [0] then "It does not share the CPU one by one with the sinks: they are in another scheduling group (autogroup)." else "The application gets more than one part in (sinks + 1) of the CPU." end)
		else
			". Its stalls fit fair sharing at \($full | map(select(fair_ok)) | if length > 0 then at_loads else "no load" end) and miss it, both ways, at \($off | at_loads): too noisy for more."
		end)
	end),
	# What the sum cannot explain is worth more than what it can.
	($free | map(select(.overloaded == 0 and late_least_low > late_limit)) | if length == 0 then empty else
		"Below saturation it is late too: \(last.late_share_percent | percent) % of keys\(last | share_span) \(beside(last.sinks)), though \(last.cost_ms | plain) ms x \(last.sinks + 1) leave the CPU room before the next key. Fair sharing does not explain that." end);

# Bits on the link both ways for one key and its echo.
def link_ms($doc; $bytes):
	($doc.run.lab.rate // $doc.run.settings.link // "") as $rate
	| ($rate | capture("^(?<n>[0-9.]+)(?<u>[KMG]?)bit(,(?<d>[0-9.]+)(?<t>us|ms|s))?") // null) as $r
	| if $r == null or $bytes == null then null else
		($bytes * 8 / (($r.n | tonumber) * ({"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[$r.u])) * 1000)
		+ (if $r.d == null then 0 else 2 * ($r.d | tonumber) * {"us": 0.001, "ms": 1, "s": 1000}[$r.t] end) end;

# What is left when nobody else wants the CPU: explained from what is known of server and link, not measured.
def idle_echo($doc):
	map(select(.sinks == 0 and .latency_p50_ms != null and .overloaded == 0)) | sort_by(.app != "light") | first | select(. != null)
	| (.latency_p50_ms - (.cost_ms // 0)) as $p50 | $doc.run.protocol.floor_ms as $frame | link_ms($doc; .wire_bytes_per_key) as $link
	| $doc.run.protocol.floor_of as $of	# what it is, where it is no frame clock
	| (if $of then "the protocol's own wait" else "the server's frame timer" end) as $timer_words
	| (if $of then "\($of) takes" else "half a frame would be" end) as $would
	| (if .cost_ms != null and .cost_ms > 0 then " beyond its own \(.cost_ms | plain) ms" else "" end) as $beyond
	| "Without load an echo takes \($p50 | number) ms\($beyond) (p50)" as $start
	| (if $doc.run.lab.rate // $doc.run.settings.link // "" | contains(",") then "by its rate and delay" else "by its rate" end) as $by
	| (if $link == null then "" else "; the link adds \(if $link < 0.005 then "less than 0.01" else $link | number end) ms \($by)" end) as $network
	| if $p50 < ($doc | resolution) then
		"Without load an echo takes less than \($doc | resolution_words)\($beyond)."
	  elif $frame != null and $frame > $p50 and $frame <= 1.1 * $p50 then
		"Without load \($timer_words) explains an echo: it takes \($p50 | number) ms\($beyond) (p50), \($would) \($frame | number) ms\($network)."
	  elif $frame != null and $frame > 0 and $frame <= $p50 and $frame >= 0.5 * $p50 and ($link == null or $link < $frame) then
		"Without load \($timer_words) explains most of an echo: \($would) \($frame | number) of \($p50 | number) ms\($beyond) (p50)\($network)."
	  elif $link != null and $link >= 0.5 * $p50 then
		"\($start), and the link \($by) explains \($link | number) ms of it."
	  elif $frame != null and $frame > $p50 then
		"\($start), less than \(if $of then $of else "half a frame of the server's timer" end) (\($frame | number) ms)\($network): \(if $of then "that" else "the timer" end) does not hold every update back."
	  elif $doc | attached then
		"\($start). What that is made of cannot be told from here."
	  else
		($frame != null and $frame > 0) as $timer
		| "\($start)" + (if $timer then "; \(if $of then $would else "half a frame of the server's timer would be" end) \($frame | number) ms" else "" end) + "\($network). "
		+ (if $timer and $link != null then "Neither explains" elif $timer and $of then "That does not explain" elif $timer then "The timer does not explain" elif $link != null then "The link does not explain" else "Nothing known of server and link explains" end) + " most of it."
	  end;

# What a capture alone would have told, where it was tried.
def wire($doc):
	map(select(.wire_keys != null and .wire_keys > 0)) | if length == 0 then empty else
		(map(.wire_exact_percent) | if min == max then "\(min | percent)" else "\(min | percent) to \(max | percent)" end) as $exact
		| (map(select(.wire_truth_keys != null and .wire_truth_keys > 0)) | map(.wire_truth_percent)) as $truth
		| "From packets alone, of keys in drained blocks, \($exact) % pair exactly; of the others latency is a range"
		+ (if $truth == [] then "." elif ($truth | min) == 100 then ", which holds the truth of the pixels for every key." else ", which holds the truth of the pixels for \($truth | min | percent) % of keys or more." end) end;

def probe($doc):
	(map(.lateness_p99_us // .lateness_max_us // 0) | max) as $late
	| if $late > 1000 then "The probe itself sent keys up to \($late / 1000 | number) ms late; latencies count from the due time, so they hold that too." else empty end;

def findings:
	. as $doc
	| [ (("light", "own", "heavy") as $app | rows_of($app) | measured
		| if length == 0 then empty elif $doc | burns($app) then heavy($doc) else light($doc) end),
	    ([.rows[]] | measured | idle_echo($doc)),
	    ([.rows[]] | measured | wire($doc)),
	    ([.rows[]] | measured | probe($doc)) ]
	| map(. as $text | $doc | attached_words($text))
	| if length == 0 then ["No cell was measured to the end: there is nothing to say yet."] else . end;
