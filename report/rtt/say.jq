# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run over loaded links found, in words.
include "lib";

def mbit: sub("(?<n>[0-9])(?<u>[KMG]?)bit"; "\(.n) \(.u)bit/s");
def transport_words: {udp: "datagrams at even distances", random: "datagrams at random distances", tcp: "TCP", none: "no load"}[.] // .;
def probe_words: if . == "ping" then "pings" else "keys over \(.)" end;
def queue_words: if . == "fifo" then "first come, first served" else . end;
def cell_words: [(.link | mbit), (if .queue == "fifo" then empty else .queue end), (if .load == 0 then "no load" else "\(.load) % by \(.transport | transport_words)" end)] | join(", ");
def ms: if . == null then "" elif . >= 9.995 then fixed(1) elif . >= 0.0995 then fixed(2) else fixed(3) end;
def ms2: if . == null then "" elif . >= 99.95 then fixed(0) elif . >= 0.995 then fixed(1) elif . >= 0.00995 then fixed(3) else fixed(5) end;
def later: if (.later // 0) > 0 then ">" else "" end;

def measured_cells: [.rows[] | select(.repeats > 0)];
def links: reduce .rows[].link as $l ([]; if index($l) then . else . + [$l] end);
def queues: reduce .rows[].queue as $l ([]; if index($l) then . else . + [$l] end);
def transports: reduce (.rows[].transport | select(. != "none")) as $l ([]; if index($l) then . else . + [$l] end);
def probes: reduce .rows[].probe as $l ([]; if index($l) then . else . + [$l] end);
def cells_of($link; $queue; $probe): [measured_cells[] | select(.link == $link and .queue == $queue and .probe == $probe)];
def idle_of($link; $queue; $probe): first(cells_of($link; $queue; $probe)[] | select(.load == 0)) // null;
# The loads that the link can carry.
def bearable: map(select(.load > 0 and .load < 100));
def at_least($load): [.[] | select(.load >= $load)] | min_by(.load) // null;

# A load that was not what the cell's name says, and a cell that others disturbed, are no finding without these words.
def held: .transport == "none" or .transport == "tcp" or .load > 100 or (.sent_percent / .load - 1 | fabs) <= 0.005;
def caveats: [(if held then empty else "\(.sent_percent | fixed(1)) % were sent" end), (if (.marked // 0) > 0 then "disturbed" else empty end)] | if . == [] then "" else " (\(join(", ")))" end;

def spread: "\(later)\(.mean_ms | ms) ms (variance \(.variance_ms2 | ms2) ms²)";
def lost_words: if (.lost_percent // 0) > 0 then ", \(.lost_percent | percent) % lost" else "" end;

def finding_idle:
	. as $doc | [$doc | links[] as $l | queues[0] as $q | ($doc | idle_of($l; $q; "ping")) | select(. != null) | "\(.mean_ms | ms) ms (standard deviation \(.sd_ms | ms)) at \(.link | mbit)\(caveats)"]
	| if . == [] then empty else "Without load a ping of 64 bytes takes \(join_and)." end;

# Near the top, where the paper saw it rise.
def finding_full:
	. as $doc | links[] as $l | ($doc | queues[0]) as $q
	| [$doc | transports[] as $t | [cells_of($l; $q; "ping")[] | select(.transport == $t)] | bearable | at_least(96) | select(. != null) | {t: $t, c: .}]
	| if . == [] then empty else
		"At \(map(.c.load) | max) % of \($l | mbit), in bits of whole frames, a ping takes \(map("\(.c | spread)\(.c | lost_words) beside \(.t | transport_words)\(.c | caveats)") | join("; "))." end;

def finding_over:
	. as $doc | links[] as $l | ($doc | queues[0]) as $q
	| [$doc | cells_of($l; $q; "ping")[] | select(.transport == "tcp" and .load > 100)] | max_by(.load)
	| if . == null then empty else
		"TCP that is offered more than \($l | mbit) gets \(.received_payload_mbit_s | fixed(2)) Mbit/s of payload through. Of a queue that may hold \(.queue_ms | ms) ms, a ping then finds \(.mean_ms | ms) ms on average and \(.max_ms | ms) at most\(lost_words)\(caveats)\(if $doc.run.settings.link_by != "wire" and .max_ms < 0.9 * .queue_ms then ": the queue is the sender's own, and its TCP holds back before it is full." else "." end)"
		+ (if $l == "10Mbit" then " (The paper, on 10 Mbit/s Ethernet of 1999: 55 ms at 9.6 Mbit/s.)" else "" end) end;

# What the textbook says of frames at random, held against it where it holds: below the last tenth of the link. told: later than without load,
# by the intervals where there are any.
def waits_of($link; $transport): . as $doc | queues[0] as $q | ($doc | idle_of($link; $q; "ping")) as $idle
	| if $idle == null then [] else [cells_of($link; $q; "ping")[] | select(.transport == $transport and .load >= 40 and .load <= 90)
		| {load, more: (.mean_ms - $idle.mean_ms), md1: .md1_wait_ms, told: (.mean_ms > $idle.mean_ms and (.mean_ms_low == null or $idle.mean_ms_high == null or .mean_ms_low > $idle.mean_ms_high)), caveats: caveats}] end;
def loads_words: map("\(.load) %") | join_and;
def finding_queue:
	. as $doc | links[] as $l | ($doc | waits_of($l; "random")) as $all | ($all | map(select(.told))) as $c | ($all | map(select(.told | not))) as $not
	| ($doc | waits_of($l; "udp") | map(. as $even | {load, more, random: first($c[] | select(.load == $even.load) | .more)})) as $even
	| (if any($doc.rows[]; (.bucket_bytes // 0) > 0) then " beyond what the shaper's bucket lets through at once" else "" end) as $past
	| if $all == [] then empty else
		"Beside frames that come at random at \($l | mbit), a ping takes "
		+ (if $c == [] then "no longer than without load, as far as these figures show, at \($not | loads_words)." else
			"longer than without load by \($c | map("\(.more | ms) ms at \(.load) %\(.caveats) (\(.md1 | ms))") | join(", "))\(if $not == [] then "" else "; no difference is shown at \($not | loads_words)" end). In brackets what a queue with one server, M/D/1, gives\($past); nothing was fitted."
			+ (if $even != [] and ($even | all(.more < 0.5 * .random)) then " Datagrams at even distances meet less of it: at \($even | loads_words) a ping takes at most \([$even[].more, 0] | max | ms) ms longer." else "" end) end) end;

def way_factor: if .run.settings.direction == "both" then 2 else 1 end;
# A ping cannot wait for more than the queues that it meets can hold.
def beyond: way_factor as $f | [measured_cells[] | select(.probe == "ping") | select(.mean_ms > $f * .queue_ms * 1.05 + 5)];
def finding_beyond: beyond | if . == [] then empty else "More than the queue can hold, which should not be: \(map("\(cell_words) (\(.mean_ms | ms) of \(.queue_ms | ms) ms)") | join("; "))." end;

def finding_keys:
	. as $doc | [probes[] | select(. != "ping")][] as $p | links[] as $l | ($doc | queues[0]) as $q | ($doc | idle_of($l; $q; $p)) as $idle
	| [$doc | transports[] as $t | [cells_of($l; $q; $p)[] | select(.transport == $t)] | ((bearable | at_least(96)), (map(select(.load > 100)) | max_by(.load))) | select(. != null) | {t: $t, c: .}]
	| if . == [] or $idle == null then empty else
		"The echo of a key over \($p) at \($l | mbit) takes \($idle | later)\($idle.mean_ms | ms) ms without load; \(map("\(.c | later)\(.c.mean_ms | ms) ms (at most \(.c | later)\(.c.max_ms | ms)) beside \(.c.load) % by \(.t | transport_words)\(.c | caveats)") | join("; "))." end;

def finding_queues:
	. as $doc | (queues[1:])[] as $q | links[] as $l
	| [$doc | cells_of($l; $q; "ping")[] | select(.transport == "tcp" and .load > 100)] | max_by(.load) | select(. != null)
	| "With \($q) in place of one queue for all, a ping beside TCP on a full \($l | mbit) takes \(.mean_ms | ms) ms\(caveats).";

def findings: [finding_idle, finding_full, finding_over, finding_queue, finding_keys, finding_queues, finding_beyond] | if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;

def indicative: .run.settings as $s | if ($s.repeats // 1) < 5 then "indicative: \(plural($s.repeats // 1; "repeat"; "repeats")) of \($s.seconds) s" else null end;
def not_held: [measured_cells[] | select(held | not)];
def marked_cells_words: [measured_cells[] | select(.marked > 0)] as $m | if $m == [] then null else
	"\($m | length) of \(plural(.rows | length; "cell"; "cells")) \(if ($m | length) == 1 then "was" else "were" end) disturbed (others, or the hypervisor, had up to \([$m[] | (.foreign_percent_max // 0) + (.steal_percent_max // 0)] | max | number) % of the server's CPU)\(not_held as $n | if $n == [] then "" else "; in \($n | length) the load was off by more than half a percent" end)." end;
