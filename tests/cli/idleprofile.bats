#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# idleprofile: does the loop see what the kernel accounts, does it yield, does it leave nothing. The machine may be busy: what is
# compared is compared with what the kernel says of the same time. Who ran is in idleprofile_who.bats.

load idleprofile

profile() {	# options...: the report is in `report`
	local got=0

	case " $* " in *" --effect "*) ;; *) set -- --effect 0 "$@" ;; esac
	busy_begin
	"$BIN/idleprofile" --cpus "$CPU" --format json -o report "$@" 2>err || got=$?
	[ $got -eq 0 ] || held_up $got || return $got
}

loops_of() {	# pid: the process of the loops
	local child

	for child in $(children_of "$1"); do
		[ "$(cat "/proc/$child/comm")" != idleprofile ] || echo "$child"
	done
}

loops_there() {	# of $pid
	[ -n "$(loops_of "$pid")" ]
}

loop_of() {	# pid: the thread that spins
	local loops

	loops=$(loops_of "$1")
	for task in /proc/"$loops"/task/*; do
		[ "$(cat "$task/comm")" != "idleloop/$CPU" ] || echo "${task##*/}"
	done
}

groups_of() {	# pid...: the cgroups that exist for this program
	local child

	for child in "$@"; do
		sed -n 's|.*/\(thinprobe-......\)$|\1|p' "/proc/$child/cgroup" 2>/dev/null
	done | sort -u
}

no_group() {	# name
	[ -z "$(find /sys/fs/cgroup -maxdepth 2 -name "$1" 2>/dev/null)" ]
}

# Seconds so far in which the CPU ran no task but belonged to interrupts or to the hypervisor, in whole clock ticks.
untasked() {
	awk -v cpu="cpu$CPU" -v per_s="$(getconf CLK_TCK)" '$1 == cpu { print ($7 + $8 + $9) / per_s }' /proc/stat
}

@test "idleprofile: the report has all fields of the man page; its sums agree with each other, the log and the timeline" {
	need jq
	profile -t 600ms --log log --timeline line --bin 20ms
	jq -e '.schema == "thinprobe.idleprofile/1" and
		(.result | [has("resolution_ns", "clock", "step_ns", "placed", "cpus", "ticks", "histogram", "compulsory", "wakeups", "who",
			"unexplained_s", "own", "lost_records", "memory_peak_bytes")] | all) and
		(.result.cpus | length) == 1 and
		(.result.cpus[0] | [has("cpu", "wall_s", "lost_s", "lost_percent", "events", "tick_s", "ticks",
		"itself_s", "unwatched_s", "spin_s")] | all) and
		(.result.own | [has("wakeup_alone_us", "wakeup_beside_us", "throughput_percent", "ticks_alone_per_s", "ticks_beside_per_s",
			"cpu_percent")] | all)' report
	jq -e --arg cpu "$CPU" '.result | (.cpus[0].cpu | tostring) == $cpu and .cpus[0].wall_s == 0.6 and
		(.cpus[0] | .lost_s + .tick_s + .itself_s + .unwatched_s - .wall_s <= 1e-9) and .who == null and .wakeups == null' report
	# no time is lost between the figures: the last bin holds all
	jq -e '.result | (.histogram[-1].cumulative_s - .cpus[0].lost_s | fabs) < 1e-8 and .histogram[-1].events == .cpus[0].events' report
	# at least ten bins a decade, up to 100 s
	jq -e '[.result.histogram[].upto_ms | numbers] | max == 100000
		and (. as $x | [range(1; length)] | all($x[.] / $x[. - 1] < 1.26))' report
	grep -q '^ready$' err
	# the log holds every event, and the figures can be had from it
	awk -F'\t' -v start=0 '
		NR == 1 { next }
		NF != 8 || $1 != "lost/1" || $4 <= 0 || $5 < $4 - 100 || $6 < 1 || ($7 != "tick" && $7 != "event") || $8 != "" {
			print "bad: " $0
			bad = 1
		}
		$7 == "tick" { ticks++; tick_ns += $4; next }
		{ n++; sum += $4; for (x = 5000; x <= 1e9; x *= 10) if ($4 > x) beyond[x] += $4 - x }
		END {
			print bad + 0, n + 0, sum / 1e9, ticks + 0, tick_ns / 1e9, beyond[5000] / 0.6e9, beyond[500000] / 0.6e9, beyond[5000000] / 0.6e9
		}' CONVFMT=%.12g OFMT=%.12g log >sums
	cat sums
	read -r bad n sum ticks tick_ns b5us b500us b5ms <sums
	[ "$bad" -eq 0 ]
	jq -e --argjson n "$n" --argjson sum "$sum" --argjson ticks "$ticks" --argjson tick "$tick_ns" \
		--argjson b "[$b5us, $b500us, $b5ms]" '
		def near($x; $y): ($x - $y | fabs) < 1e-7;
		def bound($ms): .result.compulsory[] | select(.wait_ms == $ms) | .bound;
		.result.cpus[0].events == $n and near(.result.cpus[0].lost_s; $sum) and .result.cpus[0].ticks == $ticks and
		near(.result.cpus[0].tick_s; $tick) and near(bound(0.005); $b[0]) and near(bound(0.5); $b[1]) and near(bound(5); $b[2]) and
		.result.rows == $n + $ticks + 30' report
	# the timeline covers the whole time without a gap, and sums up to the same
	[ "$(head -n 1 line)" = $'schema\tcpu\tstart_ns\tbin_ns\tlost_ns\ttick_ns' ]
	awk -F'\t' '
		NR == 1 { next }
		NR > 2 && $3 != end { print "gap before " $0; bad = 1 }
		$4 != 20000000 || $5 < 0 || $6 < 0 || $5 + $6 > $4 { print "bad " $0; bad = 1 }
		{ end = $3 + $4; lost += $5; tick += $6; n++ }
		END { printf "%d %d %.9f %.9f\n", bad, n, lost / 1e9, tick / 1e9 }' line >sums
	read -r bad n lost tick <sums
	[ "$bad $n" = "0 30" ]
	jq -e --argjson lost "$lost" --argjson tick "$tick" '.result.cpus[0] | (.lost_s - $lost | fabs) < 1e-7
		and (.tick_s - $tick | fabs) < 1e-7' report
}

@test "idleprofile: lost time is the CPU time that the kernel did not give to the loop" {
	local loop a b untasked

	need jq
	untasked=$(untasked)
	start_profile -t 600s
	loop=$(loop_of "$pid")
	[ -r "/proc/$loop/schedstat" ] || skip "no schedstat"
	read -r a _ <"/proc/$loop/schedstat"
	"$BIN/sink" -l 30 --cpus "$CPU" -t 700ms --format json -o sink 2>/dev/null || [ $? = 3 ]	# sure to run there
	read -r b _ <"/proc/$loop/schedstat"
	kill "$pid"
	ends "$pid"
	[ "$status" -eq 130 ]
	jq . report
	# all the CPU time of the sink is lost time
	jq -e --slurpfile sink sink '.result.cpus[0].lost_s >= $sink[0].result.children[0].cpu_s * 0.99' report
	# The loop's CPU time is the kernel's account of it, in which this reading lay; on a busy CPU it had none besides, and the report
	# rounds to a microsecond.
	jq -e --argjson part $((b - a)) '.result.cpus[0] | .spin_s >= $part / 1e9 - 1e-6 and .spin_s <= .wall_s' report
	# the loop's CPU time holds the interrupts, which are lost time too: so lost is at least the rest of the wall clock
	jq -e --argjson more "$(awk -v a="$untasked" -v b="$(untasked)" 'BEGIN { print b - a + 0.02 }')" '.result.cpus[0] |
		.lost_s + .tick_s + .itself_s + .unwatched_s - (.wall_s - .spin_s) | . > -0.01 and . < 0.15 + $more' report
}

@test "idleprofile: the loop yields to a task of another session, in every placement" {
	local place part

	need jq setsid setpriv
	"${user[@]}" test -x "$BIN/idleprofile" || skip "an ordinary user cannot get at the program"
	for place in root user; do
		part=()
		[ $place = root ] || part=("${user[@]}")
		: >ready
		busy_begin
		start place "${part[@]}" "$BIN/idleprofile" --cpus "$CPU" --effect 0 --format json -t 600s
		ready_or_busy place.err
		setsid --wait "$BIN/sink" --cpus "$CPU" -t 600ms --format json -o sink 2>/dev/null
		kill "$pid"
		ends "$pid"
		placed=$(jq -r .result.placed place.out)
		echo "$placed"
		[ "$placed" != "SCHED_IDLE alone" ] || continue		# it says that it does not, there
		[ "$(id -u)" -ne 0 ] || [ $place = root ] || [ "$placed" = "autogroup nice 19" ]
		# The sink ran for 0.6 s; others may have had the CPU too, but the loop must have had next to nothing of what the
		# two had then: all of its time but what the profile had besides the sink's
		jq -e --slurpfile sink sink '.result.cpus[0] as $c | $sink[0].result.children[0] as $s |
			[$c.spin_s, $c.wall_s, $s.wall_s, $s.cpu_s] | tostring | debug |
			$c.spin_s <= ($c.wall_s - $s.wall_s) + 0.1 * $s.wall_s' place.out
	done
}

@test "idleprofile: a signal at any moment of the start leaves a report or no output, and no process" {
	stopped_at_start 130 "0 .02 .13 .3" "$BIN/idleprofile" --cpus "$CPU" --effect 100ms -o report --format json
}

@test "idleprofile: a signal before the profile begins gives one line and no report" {
	local children

	start early env --default-signal=HUP "$BIN/idleprofile" --cpus "$CPU" --effect 60s -o report --log log
	until_true loops_there
	children=$(children_of "$pid")
	kill -HUP "$pid"
	ends "$pid"
	[ "$status" -eq 130 ]
	[ "$(cat early.err)" = "idleprofile: interrupted before the profile began" ]
	[ "$(find . -name 'report*' | wc -l)" -eq 0 ]
	# shellcheck disable=SC2086
	until_true gone $children
}

@test "idleprofile: Ctrl-C ends it early with a report; no loop and no control group is left, nor after kill -9" {
	local children groups signal

	need jq
	for signal in INT KILL; do
		start_profile -t 600s --log log
		children=$(children_of "$pid")
		# shellcheck disable=SC2086
		groups=$(groups_of $children)
		[ "$(id -u)" -ne 0 ] || [ ! -w /sys/fs/cgroup/cpu ] || [ -n "$groups" ]
		kill -$signal "$pid"
		ends "$pid"
		if [ $signal = INT ]; then
			[ "$status" -eq 130 ]
			jq -e '.result.cpus[0].wall_s < 500' report
			# shellcheck disable=SC2086
			gone $children
			[ -z "$groups" ] || no_group "$groups"
		fi
		# shellcheck disable=SC2086
		until_true gone $children
		[ -z "$groups" ] || until_true no_group "$groups"
	done
	# what was written by then is whole rows
	[ "$(head -n 1 log)" = $'schema\tcpu\tstart_ns\tlost_ns\tspan_ns\tparts\tkind\twho' ]
	awk -F'\t' 'NF != 8 { exit 1 }' log
}

rests() {	# of a thread: does it sleep (one that only waits for a CPU does not)
	grep -q '^State:	S' "/proc/$1/status"
}

@test "idleprofile: stopped with SIGSTOP it frees the CPU, and later reports the time it did not watch" {
	local loop begin

	need jq
	start_profile -t 6s
	begin=${EPOCHREALTIME/[.,]/}
	loop=$(loop_of "$pid")
	kill -STOP "$pid"
	until_true rests "$loop"
	# it must have had the CPU to see that it is not watched
	[ $((${EPOCHREALTIME/[.,]/} - begin)) -lt 4500000 ] || { machine_was_busy 3000; skip "the CPU was too busy"; }
	kill -CONT "$pid"
	ends "$pid"
	jq -c '.result.cpus[0]' report
	[ "$status" -eq 3 ]
	grep -q '^idleprofile: not watched for .* s, in which this program was stopped or hung' profile.err
	jq -e '.result.cpus[0] | .wall_s == 6 and .unwatched_s > 0 and .spin_s + .unwatched_s < .wall_s + 0.1 and
		.lost_s + .tick_s + .itself_s + .unwatched_s - .wall_s <= 1e-9' report
}

@test "idleprofile: a loop that was moved from its CPU pauses, and its time is not watched" {
	local loop

	need jq
	[ "$(nproc)" -gt 1 ] || skip "there is one CPU"
	start_profile -t 6s
	loop=$(loop_of "$pid")
	taskset -cp "$(taskset -cp $$ | sed 's/.*: //')" "$loop"	# all that we may use
	until_true rests "$loop"
	ends "$pid"
	[ "$status" -eq 3 ]
	[ "$(jq '.result.cpus[0].unwatched_s > 0' report)" = true ]
}

@test "idleprofile: a killed loop is reported, not taken for a busy CPU" {
	start_profile -t 600s
	kill -9 "$(loops_of "$pid")"
	ends "$pid"
	[ "$status" -eq 1 ]
	[ "$(grep -cv '^ready$' profile.err)" -eq 1 ]
	grep '^idleprofile: .*idle loops' profile.err
	[ ! -e report ]
}

@test "idleprofile: ticks are no more than the CPU's timer interrupts, and have the kernel's period" {
	local hz before after

	need jq
	before=$(awk -v c="CPU$CPU" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i + 1 }
		$1 == "LOC:" { print $k }' /proc/interrupts)
	[ -n "$before" ] || skip "/proc/interrupts does not say"
	profile -t 500ms
	after=$(awk -v c="CPU$CPU" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i + 1 }
		$1 == "LOC:" { print $k }' /proc/interrupts)
	jq -c '.result.ticks' report
	jq -e '.result.ticks | .told_by == "period" and .count > 0' report ||
		{ machine_was_busy 200; skip "too busy to tell ticks apart"; }
	# no more of them than there were timer interrupts, or than fit
	jq -e --argjson most $((after - before)) '.result.ticks | .count > 0 and .count <= $most
		and .count <= 1000 / .period_ms + 1' report
	hz=$(sed -n 's/^CONFIG_HZ=//p' "/boot/config-$(uname -r)" 2>/dev/null || true)
	[ -n "$hz" ] || hz=$(zcat /proc/config.gz 2>/dev/null | sed -n 's/^CONFIG_HZ=//p' || true)
	[ -z "$hz" ] || jq -e --argjson hz "$hz" '1000 / .result.ticks.period_ms | round == $hz' report
}

@test "idleprofile: waits of a woken task are reported beside the bound; memory stays small with any threshold" {
	need jq
	profile -t 700ms --wakeups 500 --threshold 500ns --log log --timeline line
	jq -c '.result | .wakeups, .cpus, .compulsory' report
	# Poisson: 350 + 5 standard deviations; those due in the last moments may not have been woken on a busy CPU
	jq -e '.result.wakeups | .n >= 175 and .n <= 444 and .wait_us.n == .n and .wait_us.min > 0' report
	jq -e '[.result.compulsory[] | .measured <= .measured_high] | all' report
	# on a CPU that was not watched at all nothing bounds a wait
	jq -e '.result | (.cpus[0] | .unwatched_s >= .wall_s) as $unwatched
		| [.compulsory[].bound | . == null and $unwatched or . != null and . >= 0 and . <= 1] | all' report
	# the shares fall with the wait, as those of any distribution
	jq -e '[.result.compulsory[].measured] as $m | [.result.compulsory[].bound] as $b |
		[range(1; $m | length)] | all($m[.] <= $m[. - 1] and $b[.] <= $b[. - 1])' report
	jq -e '.result | .memory_peak_bytes < 32 * 1048576 and .lost_records == 0 and .rows > 0' report
}

@test "idleprofile --effect: measures the loop's effect on other tasks" {
	need jq
	profile -t 10ms --effect 600ms
	jq -c .result.own report
	jq -e '.result.own | if .why_none == "disturbed" then .others_percent > 3 and .throughput_percent == null
		and .wakeup_beside_us == null
		else .others_percent <= 3 and .wakeup_alone_us.n > 20 and .wakeup_beside_us.n > 20 and .wakeup_beside_us.min > 0 and
			.throughput_low_percent <= .throughput_percent and .throughput_percent <= .throughput_high_percent end' report
	profile -t 10ms
	jq -e '.result.own | .wakeup_alone_us.n == 0 and .throughput_percent == null and .why_none == "not asked for"' report
}

@test "idleprofile: without a cycle counter it reads the clock, and finds the same events" {
	local untasked

	need jq
	untasked=$(untasked)
	profile -t 300ms --clock vdso
	jq -e --argjson more "$(awk -v a="$untasked" -v b="$(untasked)" 'BEGIN { print b - a + 0.02 }')" \
		'.result | .clock == "vdso" and .cpus[0].wall_s == 0.3 and .step_ns.p50 > 0 and
		(.cpus[0] | .lost_s + .tick_s + .itself_s + .unwatched_s - (.wall_s - .spin_s) | . > -0.01 and . < 0.04 + $more)' report
	jq -e '.settings.why_no_tsc == "as asked"' report
}

@test "idleprofile: an ordinary user gets a profile without culprits ('who' is null), and the reason" {
	need jq setpriv
	"${user[@]}" test -x "$BIN/idleprofile" || skip "an ordinary user cannot get at the program"
	chmod 777 .
	busy_begin
	"${user[@]}" "$BIN/idleprofile" --cpus "$CPU" --effect 0 -t 100ms --who --who-log rows --format json >out 2>err || held_up $?
	jq -e '.settings.who == true and (.result.cpus[0].wall_s == 0.1)' out
	if [ "$(jq .result.who out)" = null ]; then
		grep -q '^idleprofile: profiling without culprits: ' err
		jq -e --arg err "$(cat err)" '.settings.why_no_who as $why | $err | contains($why)' out
		[ "$(wc -l <rows)" -eq 1 ]
	fi
	[ "$(grep -c culprits err)" -le 1 ]
}

@test "idleprofile: a log that cannot be written is reported once; the profile goes on" {
	need jq
	[ -w /dev/full ] || skip "no /dev/full"
	run profile -t 500ms --log /dev/full --timeline /dev/full
	cat err
	[ "$status" -eq 3 ]
	[ "$(grep -c "^idleprofile: cannot write /dev/full: No space left on device; it ends there" err)" -eq 2 ]
	jq -e '.result.cpus[0].wall_s == 0.5' report
}

@test "idleprofile: verbose text lists culprits first and no empty bins; 'ready' goes to the descriptor asked for" {
	busy_begin
	"$BIN/idleprofile" -v --cpus "$CPU" --effect 0 -t 100ms --threshold 1us --ready-fd 7 >out 2>err 7>ready || held_up $?
	awk '/^  who/ { who = NR } /^  histogram:/ { histogram = NR } END { exit !(who && histogram && who < histogram) }' out
	# each line of it adds events
	awk '/^  [a-z]/ { on = /^  histogram:/ } on && /upto_ms/ { n++; if ($NF <= last) bad = 1; last = $NF }
		END { exit bad || !n }' out
	[ "$(cat ready)" = ready ]
	run -1 grep -x ready err out
}
