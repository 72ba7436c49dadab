#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Words on made-up rows: an experiment's verdict and findings say no more than the rows do.

bats_require_minimum_version 1.5.0
load says

@test "stalls: held and typed keys are compared by a test of the difference, not by overlap of intervals" {
	stalls() {	# stalls LOADS HELD: ten repeats, half an interval is 2: t(9) = 2.262 errors of 0.884
		says stalls 'one("held-light")' <<-END
			{summary: [range($1) as \$sinks | {app: "light", protocol: "vnc", \$sinks}
				+ level("mean_stall_ms"; 100; 98; 102)
				+ level("hold_mean_stall_ms"; $2; $2 - 2; $2 + 2) | row | .repeats = 10]}
		END
	}
	# the difference is 2.6 errors of its own for 103.3: t(18) is 2.10 for one condition, 2.77 for four
	run -0 stalls 1 103.3
	has "typed keys differ**"
	run -0 stalls 4 103.3
	has "no difference shown"
	run -0 stalls 4 103.8
	has "typed keys differ**"
}

@test "stalls: the finding gives the number of overloaded repeats, and the largest backlog" {
	overloaded() {	# overloaded REPEATS: of five
		says stalls 'verdict, one("late-light")' <<-END
			{summary: [{app: "light", protocol: "vnc", keys: 475, late_share_percent: 0, late_share_percent_low: 0,
				late_share_percent_high: 2} | (.sinks = 5 | .overloaded = $1 | .backlog_per_s = 1.04 | .backlog_max_per_s = 5.2),
				(.sinks = 10 | .overloaded = 0) | row | .repeats = 5]}
		END
	}
	run -0 overloaded 1
	[ "$(grep -c "5 CPU hogs in 1 of 5 repeats" <<<"$output")" = 2 ]
	has "5.2 a second"
	run -0 overloaded 5
	lacks repeats
}

@test "stalls: 'with N CPU hogs and more' only if the application is late at each higher load" {
	more() {	# more FILTER: of the rows of vnc and x11, both late with 5 and 10 CPU hogs
		says stalls 'one("late-light")' <<-END
			{summary: [{app: "light", protocol: ("vnc", "x11"), sinks: (0, 5, 10, 20), keys: 475, overloaded: 0}
				| (if .sinks == 0 then 0 else 50 end) as \$late
				| . + level("late_share_percent"; \$late; [\$late - 5, 0] | max; \$late + 2) | row | $1]}
		END
	}
	run -0 more .
	has "With 5 CPU hogs and more: vnc and x11."
	run -0 more 'select(.protocol == "x11" or .sinks < 10)'
	has "With 5 CPU hogs: vnc."
	has "With 5 CPU hogs and more: x11."
	for filter in 'if .protocol == "vnc" and .sinks == 10 then {app, protocol, sinks, repeats: 0} else . end' \
		'if .protocol == "vnc" and .sinks == 20 then . + level("late_share_percent"; 0; 0; 2) else . end'; do
		run -0 more "$filter"
		has "With 5 CPU hogs: vnc."
		has "With 5 CPU hogs and more: x11."
	done
}

@test "what cannot be told is neither yes nor no: a figure that is unknown, a lower bound below the limit, an interval across it" {
	late() {	# late COLUMNS: of the row below the one that is late; and how the whole is judged without that one
		says stalls 'one("late-light"), (.summary |= .[:1] | one("late-light"))' <<-END
			{summary: [({sinks: 2} + $1), ({sinks: 10} + level("late_share_percent"; 50; 45; 55))
				| {app: "light", protocol: "vnc", keys: 475, overloaded: 0} + . | row]}
		END
	}
	run -0 late 'level("late_share_percent"; 1; 0; 4)'
	has "between 3 and 10"
	has "good:"
	for columns in '{}' 'level("late_share_percent"; 4; 2; 6)'; do
		run -0 late "$columns"
		has "10 CPU hogs or fewer"
		has "unsure:"
	done
	keyed() {	# keyed COLUMNS: of a first key that takes 150 ms
		says paging 'one("paged-out"), one("throttled")' <<-END
			{summary: [{protocol: "vnc", swap: "file", session: ("plain", "throttled"), method: ("hog", "typing"), paged_out_n: 3, kept_n: 0}
				+ level("paged_out_p50_ms"; 150; 140; 160) + {typed_max_ms: 80} + $1 | row]}
		END
	}
	run -0 keyed '{in_memory_p50_ms: 20}'
	has "the first key takes up to 7.5 times"
	has "good: **Throttling"
	run -0 keyed '{typed_max_ms_above: 1}'
	has "not shown that the first key takes longer"
	has "unsure: **Throttling"
	run -0 keyed '{typed_max_ms: 130}'
	has "bad: **Throttling"
}

@test "animation: of two repeats, the interval counts that Student's t makes of both" {
	caret() {	# caret VALUE TWO: in KB/s
		says animation 'one("simple-animations")' <<-END
			{summary: [{protocol: "vnc", shows: "caret", mbit_per_s: 0.1, kb_per_s: $1, kb_per_s_both: "$2"} | row | .repeats = 2]}
		END
	}
	# t.ppf(0.975, 1) is 12.7
	run -0 caret 9 "8.940 9.060"
	has good:
	run -0 caret 9 "8.900 9.100"
	has unsure:
	run -0 caret 12 "11.900 12.100"
	has bad:
}

@test "wan: the scatter of the single keys' median counts; one repeat gives no finding; protocols are named" {
	typed() {	# typed ALONE TYPED: each VALUE; LOW; HIGH
		says wan 'one("typed")' <<-END
			{summary: [{protocol: "vnc", rtt_ms: 80, loss_percent: 0, keys: 100} | row
				| (.keys_per_s = 0 | . + level("p50_ms"; $1)), (.keys_per_s = 20 | . + level("p50_ms"; $2))]}
		END
	}
	run -0 typed "100; 99; 101" "120; 118; 122"
	has bad:
	run -0 typed "100; 60; 140" "120; 118; 122"
	has unsure:
	run -0 typed "100; 99; 101" "100; 99; 101"
	has good:
	run -0 typed "100; null; null" "100; null; null"
	has unsure:
	run -0 says wan verdict <<<'{summary: [{} | row], slope: [("vnc", "x11") | {protocol: .} + level("slope"; 1; 0.98; 1.02)]}'
	has "over vnc and x11"
	lacks every
}

@test "wan: of two repeats, the whole interval is as many times longer as is asked for" {
	typed() {	# typed FROM TO: the typed keys' range, in ms; single keys take 99.95 and 100.05
		says wan 'one("typed")' <<-END
			{summary: [{protocol: "vnc", rtt_ms: 80, loss_percent: 0, keys: 100} | row | .repeats = 2
				| (.keys_per_s = 0 | .p50_ms = 100 | .p50_ms_both = "99.950 100.050"),
					(.keys_per_s = 20 | .p50_ms_from = $1 | .p50_ms_to = $2)]}
		END
	}
	run -0 typed 110 112	# more than 100.6, but 1.15 times that are 115.7
	lacks "vnc waits"
	run -0 typed 117 119
	has "vnc waits"
}

@test "wan: the link's loss differs from the setting by an exact test for all conditions together" {
	lost() {	# lost CONDITIONS LOST: of 2000 packets, of which 2 % were to be lost; 40 in the other conditions
		says wan 'link_quality | "\(.verdict): \(.text)"' <<-END
			{run: {host: {link: {line: {kind: "wire"}}}}, summary: [range($1) as \$i | {protocol: "vnc", rtt_ms: 80, loss_percent: 2,
				packets: 2000, lost: (if \$i == 0 then $2 else 40 end)} | row]}
		END
	}
	run -0 lost 1 40
	has "good: "
	has "no more than chance"
	lacks "as set"	# of 2000 packets 1.4 to 2.7 % may be
	# 55 or more have a probability of 1.3 %, 70 or more of 0.0009 %
	run -0 lost 1 55
	has "unsure: "
	has "in 1 of 1 condition."
	run -0 lost 12 55
	has "no more than chance"
	run -0 lost 12 70
	has "in 1 of 12 conditions."
	for unknown in "0 0" "1 null"; do
		# shellcheck disable=SC2086 # two words
		run -0 lost $unknown
		lacks loss
		lacks "good: "
	done
}

@test "wan: excess delay is beside the longest round trip; a run without one has none" {
	delayed() {	# delayed MOST RTT: in us and ms
		says wan 'link_quality | "\(.verdict): \(.text)"' <<-END
			{run: {host: {link: {line: {kind: "wire", wire: {added_delay_us: {n: 9, p50: 20, max: $1}}}}}},
				summary: [{protocol: "vnc", rtt_ms: $2, loss_percent: 0} | row]}
		END
	}
	run -0 delayed 8000 80
	has "good: "
	run -0 delayed 8001 80
	has "unsure: "
	has "over 10 %"
	for words in "300 0" "null 80"; do
		# shellcheck disable=SC2086 # two words
		run -0 delayed $words
		has "good: "
		lacks "over 10 %"
	done
}

@test "wan: with loss, the slowest key is bad only if it is late, and waited for a packet only if it could" {
	slowest() {	# slowest COLUMNS [WITHOUT]: with loss and without, over a round trip of 80 ms
		says wan 'losses | "\(.verdict): \(.text)"' <<-END
			{summary: [{protocol: "vnc", rtt_ms: 80, keys: 60, keys_per_s: 0, p50_ms: 82} | row
				| (.loss_percent = 2 | . + $1), (.loss_percent = 0 | . + ${2-"{max_ms: 90}"})]}
		END
	}
	for most in '{max_ms: 95}' '{max_ms: 100}'; do
		run -0 slowest "$most"
		has "none: "
		lacks "long enough"
	done
	run -0 slowest '{max_ms: 101}'
	has "bad: "
	lacks "long enough"
	run -0 slowest '{max_ms: 300}'
	has "bad: "
	has "long enough"
	run -0 slowest '{max_ms: 300}' '{max_ms: 250, max_above: 1}'
	lacks "long enough"
	run -0 slowest '{max_ms: 300}' '{repeats: 0}'
	lacks "long enough"
	run -0 slowest '{max_ms_from: 90, max_ms_to: 110}'
	has "unsure: "
	run -0 slowest '{max_ms: 95, max_above: 1}'
	has "unsure: "
	run -0 slowest '{max_ms: 5000, max_above: 1}'
	has "bad: "
	run -0 slowest '{}'
	has "unsure: "
}

@test "wan: one repeat's median over the longest link is not called late" {
	median() {	# median COLUMNS
		says wan 'one("longest-link")' <<<"{summary: [{protocol: \"vnc\", rtt_ms: 80, loss_percent: 0, keys: 20} + $1 | row]}"
	}
	run -0 median 'level("p50_ms"; 120; 110; 130)'
	has "bad: "
	for columns in '{p50_ms: 120, repeats: 1}' 'level("p50_ms"; 105; 95; 115)' 'level("p50_ms"; 90; 80; 100)'; do
		run -0 median "$columns"
		has "none: "
	done
}

@test "stalls: a range of late keys points to the reference application only in a session of the lab" {
	range() {	# range SETTINGS
		says stalls 'one("late-light")' <<-END
			{run: {settings: $1}, summary: [{app: "light", protocol: "vnc", sinks: 0, keys: 475, overloaded: 0,
				late_share_percent_from: 2, late_share_percent_to: 8} | row]}
		END
	}
	run -0 range '{}'
	has "unsure: "
	has "only a range. The reference application"
	run -0 range '{on: "attach:vnc://host:1"}'
	has "unsure: "
	lacks "--app heavy"
}

@test "stalls: each key left in time only if the latest did" {
	left() {	# left COLUMNS
		says stalls '[probe_finding] | .[] | "\(.verdict): \(.text)"' <<-END
			{summary: [{app: "light", protocol: "vnc", sinks: (0, 5), keys: 475, overloaded: 0, lateness_max_us: 80} | row
				| if .sinks == 5 then . + $1 else . end]}
		END
	}
	run -0 left '{lateness_max_us: 1000}'
	has "good: "
	has "Each key left within 1 ms"
	run -0 left '{lateness_max_us: 1001}'
	has "good: "
	lacks "Each key"
	run -0 left '{lateness_max_us: 10001}'
	has "unsure: "
	# a key that waits for the answer before: only what this machine adds to that is late, and only if over 10 ms
	run -0 left '{lateness_max_us: 1005000, left_late_max_ms: 0}'
	has "good: "
	has "Each key at a fixed rate left within 1 ms of its due time."
	has "No key that goes one by one is known to have left over 10 ms"
	run -0 left '{lateness_max_us: 1005000, left_late_max_ms: 12}'
	has "unsure: "
	has "Each key at a fixed rate left within 1 ms"
	has "one by one, the latest left 12.0 ms after its turn"
	run -0 says stalls '[probe_finding] | .[] | "\(.verdict): \(.value) \(.text)"' <<-END
		{summary: [{app: "light", protocol: "vnc", sinks: 0, keys: 475, overloaded: 0, lateness_max_us: 80, left_late_max_ms: 0} | row]}
	END
	has "good: null"
	lacks "Each key"
	lacks "latest key"
	run -0 says stalls '[probe_finding] | .[] | "\(.verdict): \(.text)"' <<-END
		{summary: [{app: "light", protocol: "vnc", sinks: (0, 5), keys: 475, overloaded: 0, lateness_max_us: 3116} | row
			| if .sinks == 5 then .left_late_max_ms = 0 else . end]}
	END
	has "latest key at a fixed rate left 3.1 ms after its due time"
	# 99 % of the keys are not each
	run -0 says stalls '[probe_finding] | length' <<-END
		{summary: [{app: "light", protocol: "vnc", sinks: 0, keys: 475, overloaded: 0, lateness_p99_us: 80} | row]}
	END
	[ "$output" = 0 ]
}

@test "wan: keys without a response stand beside each median" {
	unanswered() {	# unanswered KEYS: of the 100 keys of vnc
		says wan 'one("longest-link"), one("typed"), one("loss")' <<-END
			{summary: [{protocol: ("vnc", "x11"), rtt_ms: 80, keys: 100, p50_ms: 90} | row
				| .unanswered = (if .protocol == "vnc" then $1 else 0 end) | .loss_percent = (0, 1) | .keys_per_s = (0, 20)]}
		END
	}
	run -0 unanswered 20
	[ "$(grep -c "vnc.*20 % without.*x11" <<<"$output")" = 3 ]
	run -0 unanswered 0
	lacks without
}

@test "rtt: the verdict names its queue, and the loads without a delay" {
	pings() {	# pings QUEUES
		says rtt 'verdict, one("random-load")' <<-END
			{summary: [($1) as \$queue | ([0, "none", 1], [50, "random", 1.001], [80, "random", 3])
				| {link: "10Mbit", \$queue, load: .[0], transport: .[1], probe: "ping", sent_percent: .[0], md1_wait_ms: 1}
				+ level("mean_ms"; .[2]; .[2] - 0.1; .[2] + 0.1) | row]}
		END
	}
	run -0 pings '"fifo", "fq_codel"'
	has "the queue fifo"
	has "no delay is shown at 50 %"
	run -0 pings '"fifo"'
	lacks queue
}

@test "rtt: a link is full by the load that arrived, not by the one asked for" {
	loads() {	# loads ARRIVED HALF: of 96 and of 110 % by TCP, and of 80 % at random times
		says rtt '[findings] | flatten | .[] | "\(.id) \(.verdict): \(.text)"' <<-END
			{summary: [([0, "none"], [80, "random"], [96, "tcp"], [110, "tcp"])
				| {link: "10Mbit", queue: "fifo", load: .[0], transport: .[1], probe: "ping", sent_percent: .[0], max_ms: 2,
					mean_ms: 1} | . + level("load_percent"; $1; $1 - $2; $1 + $2) | row]}
		END
	}
	run -0 loads 98 1
	[ "$(grep -cE "^(overfull|nearly-full)" <<<"$output")" = 2 ]
	has "overfull bad"
	lacks arrive
	for arrived in "60 1" "95 8"; do
		# shellcheck disable=SC2086 # two words
		run -0 loads $arrived
		has "nearly-full unsure: **The load asked for did not surely arrive"
		has "overfull unsure: **The load asked for did not surely arrive"
		lacks saturates
		has "${arrived% *} % (95 % CI"
	done
	run -0 loads 60 1
	[[ $(grep random-load <<<"$output") == *"80 % of 10 Mbit/s (60 % arrived)"* ]]
}

@test "rtt: pings wait longer than a full queue explains where the whole interval of their mean does" {
	beyond() {	# beyond LOW HIGH: of 61 ms beside a queue of 50 ms, which with 5 % and 5 ms are 57.5 ms
		says rtt '[beyond] | length' <<-END
			{summary: [{link: "10Mbit", queue: "fifo", probe: "ping", transport: "tcp", load: 110, queue_ms: 50}
				+ level("mean_ms"; 61; $1; $2) | row]}
		END
	}
	run -0 beyond 58 64
	[ "$output" = 1 ]
	run -0 beyond 40 82
	[ "$output" = 0 ]
}

@test "idle: with one repeat the cost of a session is neither significant nor zero" {
	slope() {	# slope VALUE LOW HIGH
		says idle verdict <<-END
			{summary: [{} | row], slope: [{what: "system", system: "vnc", slope_cpu_percent: 0.1}
				+ level("slope_ms_per_min"; $1; $2; $3)]}
		END
	}
	run -0 slope 42 null null
	has "without an interval"
	lacks costs
	run -0 slope -1 null null
	lacks significant
	run -0 slope 42 40 44
	has "costs 42.0 ms/min (95 % CI"
}

@test "idle: a slope significantly below 0 is not a session's cost; the drawn line begins at the first measured point" {
	slope() {	# slope VALUE LOW HIGH LEAST: of LEAST to 5 sessions
		says idle 'verdict, one("cost")' <<-END
			{summary: [{system: "vnc", sessions: ($4, 5)} | row], slope: [{what: "system", system: "vnc", slope_cpu_percent: 0.1,
				sessions_max: 5} + level("slope_ms_per_min"; $1; $2; $3)]}
		END
	}
	run -0 slope -5 -6 -4 0
	has "unsure: "
	has "omething else changed"
	lacks "whether one more"
	lacks "does not differ"
	has "from 0 to 5"
	run -0 slope -1 -6 4 1
	has "cannot tell whether one more idle session of vnc takes CPU time"
	has "does not differ significantly"
	has "from 1 to 5"
	run -0 slope 80.1 -182 343 1
	has "cannot tell whether"
}

@test "idle: work of the kernel that came up in one of two measurements is not the session's" {
	took() {	# took LOW HIGH: what one session takes beyond none; there a worker of the kernel ran, which did not run without it
		says idle 'one("who")' <<-END
			{summary: [("none", "vnc") | {system: ., sessions: (if . == "none" then 0 else 1 end), own_ms_per_min: 4} | row
				| if .sessions == 1 then . + level("above_ms_per_min"; 4; $1; $2) else . end],
			who: [{system: "none", sessions: 0, class: "kernel", kind: "task", culprit: "rcu", lost_ms_per_min: 1},
				({system: "vnc", sessions: 1, kind: "task"} | . + ({class: "kernel", culprit: "kworker", lost_ms_per_min: 3},
					{class: "own", culprit: "Xvnc", lost_ms_per_min: 4}))]}
		END
	}
	run -0 took -1 9
	has Xvnc
	lacks kworker
	run -0 took 2 6
	has kworker
}

@test "session-memory: a desktop costs more than a terminal only if the intervals of both lie apart" {
	cost() {	# cost LOW HIGH: of a desktop's 3 MB; a terminal costs 2.8 to 3 MB
		says session-memory 'one("cost")' <<-END
			{summary: [{system: "vnc.light", logins: 1, private_mb: 3} | row], slope: [{what: "private", repeats: 5, logins_min: 1,
				logins_max: 10} | . + ({system: "vnc.light"} + level("slope_mb"; 2.9; 2.8; 3), {system: "vnc.typical"}
					+ level("slope_mb"; 3; $1; $2))]}
		END
	}
	run -0 cost 2.9 3.1
	lacks "A desktop instead"
	run -0 cost 3.01 3.1
	has "A desktop instead"
}

# 20 users of one law, lognormal with sigma 1.2 and 60 keys each: the 95 % value of one scatters by 0.33 of itself
# (sqrt(0.95 x 0.05 / 60) / (dnorm(1.645) / 1.2)), and the largest of 20 lies 1.87 such above their middle.
@test "capacity: the slowest of many users who are all alike is no user who fares worse" {
	fair() {	# fair TIMES: the slowest user's 95 % value, by that of the median user
		says capacity 'one("fair-vnc-heavy")' <<-END
			{points: [{system: "vnc.heavy", criterion: "p95:100ms", users_min: 20, users_max: 20, reached: 3, repeats: 3,
				worst_good: $1}]}
		END
	}
	run -0 fair 1.2
	has "good: "
	for times in 1.3 1.62 2.1; do
		run -0 fair $times
		has "unsure: "
		has "cannot tell"
	done
}

@test "schedulers: only measured settings help, do not help, or lose protection" {
	settings() {	# settings FILTER ROWS: of the row of the default
		says schedulers "$1" <<-END
			{run: {settings: {loads: [5], costs_ms: [10], length_load: {sinks: 5}}}, summary: [
				{app: "heavy", sinks: 5, cost_ms: 10, keys: 100, overloaded: 0, part: "table", setting: "default", load_share_percent: 50}
				+ level("latency_p50_ms"; 140; 130; 150) | row | $2]}
		END
	}
	run -0 settings verdict .
	lacks "No setting"
	run -0 settings 'verdict, one("remedies")' '., (.setting = "nice-19" | . + level("latency_p50_ms"; 120; 15; 200))'
	has "surely makes"
	lacks "Hardly any effect"
	run -0 settings 'one("length")' '.part = "length" | (.latency_p50_ms = 15), (.cost_ms = 200 | .latency_p50_ms = 210)'
	lacks "lose the protection"
	run -0 settings 'one("length")' '.part = "length" | (.latency_p50_ms = 15), (.cost_ms = 200 | .latency_p50_ms = 900)'
	has "lose the protection"
}

@test "schedulers: with many late keys a fast median is not 'nearly as fast'; the share of late keys is given" {
	median() {	# median LATE: of a setting with a median of 15 ms, where near is 20 ms
		says schedulers 'verdict, one("remedies"), one("tested")' <<-END
			{run: {settings: {loads: [5], costs_ms: [10]}}, summary: [
				{app: "heavy", sinks: 5, cost_ms: 10, keys: 100, overloaded: 0, part: "table", setting: "default",
					late_share_percent: 12, latency_p50_ms: 90}, ({app: "heavy", sinks: 5, cost_ms: 10, keys: 100, overloaded: 0,
					part: "table", setting: "nice-19", latency_p50_ms: 15} + $1) | row],
			compare: [{part: "table", app: "heavy", sinks: 5, cost_ms: 10, setting: "nice-19", ratio: 0.17, verdict: "better"}]}
		END
	}
	run -0 median '{late_share_percent: 4}'
	has "1 setting makes"
	lacks late
	run -0 median 'level("late_share_percent"; 0; 0; 9)'
	has "1 setting makes"
	run -0 median 'level("late_share_percent"; 4; 0.5; 14)'
	has "No setting tried"
	run -0 median '{late_share_percent: 30}'
	has "No setting tried"
	has "30 % late, by default 12 %"
	run -0 median '{late_share_percent_from: 4, late_share_percent_to: 49}'
	has "No setting tried"
	has "4 to 49 % late, by default 12 %"
}

@test "schedulers: an overloaded default is reported, and the other settings are still judged" {
	run -0 says schedulers 'verdict, one("default"), one("remedies")' <<-END
		{run: {settings: {loads: [5], costs_ms: [10]}}, summary: [
			{app: "heavy", sinks: 5, cost_ms: 10, keys: 100, part: "table", repeats: 6, setting: "default", overloaded: 1},
			({app: "heavy", sinks: 5, cost_ms: 10, keys: 100, part: "table", repeats: 6, overloaded: 0, setting: ("rr", "idle")}
				| . + if .setting == "rr" then {latency_p50_ms: 15, late_share_percent: 0}
					else {latency_p50_ms: 95, late_share_percent: 9} end)]}
	END
	lacks "not measured"
	has "1 of 6"
	has bad:
	has "1 setting makes"
	lacks idle
}

@test "protocols: work of which no byte was seen is no figure" {
	run -0 says protocols verdict <<-END
		{run: {settings: {works: ["text"]}, cells: [("vnc", "x11") | {parameters: {part: "work", protocol: .}}]},
			summary: [{protocol: "vnc", what: "text", total_wire_bytes: 900}, {protocol: "x11", what: "text", total_wire_bytes: 0}
				| row]}
	END
	has "over vnc"
	has "No figure of the whole work for x11"
}

@test "animation: protocols without a figure are named, not part of every protocol" {
	run -0 says animation 'verdict, one("frames-seen")' <<-END
		{summary: [{protocol: "vnc", verdict: "in part", mbit_per_s: 1, seen_per_s: 19.5, shown_per_s: 20, cpu_percent: 1,
			share_percent: 50, frame_wire_bytes: 9}, {protocol: "nx"} | row]}
	END
	has "no figure for nx"
	lacks Every
	lacks "All frames"
}

@test "calibrate: the paths on which the probe is accurate are named" {
	run -0 says calibrate verdict <<-END
		{summary: [{path: "x11", probe: "patch", delay: "all", keys: 9, offset_ms: 0.1, sd_ms: 0.1} | row]}
	END
	has "on x11."
}

@test "calibrate: a probe that does not see the answers to one key in twenty is not accurate" {
	seen() {	# seen LOST: of 100 keys
		says calibrate 'verdict, one("x11-patch")' <<-END
			{summary: [{path: "x11", probe: "patch", delay: "all", keys: (100 - $1), lost: $1, offset_ms: 0.1, sd_ms: 0.1} | row]}
		END
	}
	run -0 seen 5
	has "is accurate"
	has "good:"
	run -0 seen 6
	lacks "is accurate"
	has "bad:"
	has "6 of 100 keys"
}

@test "calibrate: a probe that sees answers early, or whose error is not known, is not accurate" {
	for error in 'offset_ms: -5, sd_ms: 0.1' 'offset_ms: 5, sd_ms: 0.1' 'sd_ms: 0.1' 'offset_ms: 0.1'; do
		run -0 says calibrate 'verdict, one("x11-patch")' <<-END
			{summary: [{path: "x11", probe: "patch", delay: "all", keys: 9, $error} | row]}
		END
		echo "$error: $output"
		lacks "is accurate"
		has "x11"
		has bad:
	done
}

@test "paging: an unanswered key makes the largest value a lower bound; the largest second key is given" {
	run -0 says paging 'one("throttled"), one("second-key")' <<-END
		{summary: [{protocol: "vnc", swap: "file", session: "throttled", method: "typing", attempts: 3, kept_n: 0, not_evicted: 0,
			typed_max_ms: 50, typed_max_ms_above: 1, typed_p50_ms: 5, in_memory_p50_ms: 5, paged_out_n: 3, paged_out_p50_ms: 50,
			second_paged_out_p50_ms: 5, second_paged_out_max_ms: 700, evicted_percent_min: 95, major_faults_min: 1} | row]}
	END
	has "more than 50.0 ms"
	has "the latest 700 ms"
	lacks "good: **Throttling"
}

@test "paging: a lower bound has no upper end; no figure is called later than it, and no ratio to it is given" {
	paged() {	# paged PLAIN BUSY: what is added to rows of a first key of 600 ms, 500 to 700, and of 900 ms, 800 to 1000
		says paging 'verdict, one("paged-out"), one("harder")' <<-END
			{summary: [{protocol: "vnc", swap: "file", session: "plain", paged_out_n: 3, attempts: 3, kept_n: 0, not_evicted: 0,
				in_memory_p50_ms: 2, evicted_percent_min: 95, major_faults_min: 1} | row
				| (.method = "hog" | . + level("paged_out_p50_ms"; 600; 500; 700) + $1),
					(.method = "busy" | . + level("paged_out_p50_ms"; 900; 800; 1000) + $2)]}
		END
	}
	run -0 paged '{}' '{}'
	has "takes 900 ms (95 % CI 800 to 1000 ms)"
	has "450 times"
	has "up to 300 times"
	has "bad: **The first key takes longer still"
	run -0 paged '{paged_out_p50_ms_above: 1}' '{paged_out_p50_ms_above: 1}'
	has "takes more than 900 ms (swap file; median), more than 450 times"
	has "takes more than 300 times"
	lacks "up to"
	lacks "700 ms"
	has "unsure: **It is not shown"
	run -0 paged '{}' '{in_memory_p50_ms_above: 1}'
	lacks "450 times"
}

@test "paging: 'only the first key is late' needs a first key surely late and a second surely not" {
	second() {	# second FIRST LOW SECOND [FILTER]
		says paging 'one("second-key")' <<-END
			{summary: [{in_memory_p50_ms: 2, paged_out_n: 3, second_paged_out_p50_ms: $3, second_paged_out_max_ms: 70}
				+ level("paged_out_p50_ms"; $1; $2; 900) | row | ${4-.}]}
		END
	}
	run -0 second 600 500 6
	has "only the first key"
	for first in "20 15" "150 90"; do
		# shellcheck disable=SC2086 # two words
		run -0 second $first 6
		has "good: "
		lacks "the first key is"
		has "second key is not late"
	done
	run -0 second 600 500 19 '.second_paged_out_p50_ms_above = 1 | .second_paged_out_max_ms_above = 1'
	has "unsure: "
	lacks "only"
	has "19.0 ms or more, the latest more than 70.0 ms"
}

@test "paging: a second key that takes twice as long as in memory, or is late, does so with its whole interval" {
	second() {	# second LOW HIGH: of a median of 41 ms, beside 18 to 20 ms in memory
		says paging 'one("second-key")' <<-END
			{summary: [{paged_out_n: 5, second_paged_out_max_ms: 900} + level("paged_out_p50_ms"; 600; 500; 900)
				+ level("in_memory_p50_ms"; 19; 18; 20) + level("second_paged_out_p50_ms"; 41; $1; $2) | row]}
		END
	}
	run -0 second 40.5 42
	has "over twice as long"
	run -0 second 15 90
	lacks twice
	has "good: "
	run -0 second 15 300
	has "cannot tell whether the second key is late"
}

@test "several runs: a setting that differs is left out of title, set-up and labels, with no default in its place" {
	local stem words
	for stem in animation cache capacity paging protocols schedulers stalls wan; do
		words=$(sed -n 's/^def \(title\|setup\|labels\):.*/\1/p' "$TOP/experiments/$stem/say.jq" | paste -sd ,)
		run -0 says "$stem" "[$words] | tojson" <<-END
			{run: {settings: {protocols: ["vnc/a", "vnc/b"], apps: ["heavy"]}, runs: [{name: "a"}, {name: "b"}],
				differs: {costs_ms: {a: [5], b: [7]}}},
				summary: [("vnc/a", "vnc/b") as \$protocol
					| {\$protocol, app: "heavy", sinks: 0, cost_ms: 5, swap: "file"} | row]}
		END
		echo "$stem: $output"
		[[ ! $output =~ null[^],}] && ! $output =~ '? '|'of  '|'each of run'|[^0-9]1?0\ ms|'reference application' ]]
	done
}

@test "several runs: schedulers' loads and costs, and a cache's frames, are those of each run" {
	run -0 says schedulers verdict <<-END
		{run: {settings: {protocols: ["vnc/a", "vnc/b"], full_costs_ms: [10]}, runs: [{name: "a"}, {name: "b"}],
			differs: {loads: {a: [10], b: [20]}, costs_ms: {a: [10], b: [30]}}},
			summary: [[["vnc/a", 10, 10, 111], ["vnc/b", 20, 30, 222]][] as [\$protocol, \$sinks, \$cost_ms, \$ms]
				| {\$protocol, \$sinks, \$cost_ms, setting: "default", part: "table", app: "heavy", keys: 9}
				+ {overloaded: 0} + level("latency_p50_ms"; \$ms; \$ms; \$ms) | row]}
	END
	has "vnc/a: Only the default was measured: its median response is 111 ms"
	has "vnc/b: Only the default was measured: its median response is 222 ms"
	# 5.6 million pixels of the banner, of 10 x 10 and 1000 x 1000 each
	run -0 says cache 'banner | .text' <<-END
		{run: {settings: {}, runs: [{name: "a"}, {name: "b"}], differs: {size: {a: "10x10", b: "1000x1000"}}},
			summary: [("vnc/a", "vnc/b") as \$protocol
				| {\$protocol, draw: "image", verdict: "size", places: 100} | row]}
	END
	has "fits, by its pixels, into the cache of vnc/b; exceeds the cache of vnc/a (0 % of it fits)"
}
