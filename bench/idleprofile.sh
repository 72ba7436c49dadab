#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# idleprofile.sh - does idleprofile tell the truth about lost time, and who else sees it? Held
# against bursts of CPU time whose log is the truth.
#
# usage: bench/idleprofile.sh [--quick]     (16 minutes; quick: 1, with a tenth of the bursts, decides nothing)
# Bursts of 100 us to 400 ms, log-uniform, at most half of any second, on the profiled CPU:
# real-time ones, which nothing may interrupt but interrupts, and normal ones. Their log (sink
# --burst-log) is their own CPU time. What is compared, and how, stands in truth.py. Then the same
# bursts in the same minute beside perf sched and cyclictest, one tool after the other, since each
# disturbs the others; and a run of ten minutes for its memory and what it writes.
# shellcheck disable=SC2317  # what holds and on_exit call
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
. "$here/lab/lib.sh"
. "$here/bench/lib.sh"

MEMORY=$((32 << 20))

bench_begin idleprofile "$@"
need cyclictest rt-tests
need python3 python3
[ "$(id -u)" = 0 ] || die "-$EXIT_MISSING" "real-time bursts and kernel records take root"
idleprofile=$TP_BIN/idleprofile sink=$TP_BIN/sink truth=$here/bench/truth.py
say_versions "$idleprofile" "$sink" cyclictest
mapfile -t cpus < <(allowed_cpus)
cpu=${cpus[-1]}
# what measures and what waits stays off the profiled CPU
if [ "${#cpus[@]}" -gt 1 ]; then
	taskset -cp "$(IFS=,; echo "${cpus[*]:0:${#cpus[@]}-1}")" $$ >/dev/null
else
	echo "one CPU only: the tools' own work is on it too"
fi
bursts=1000 few=120 long=600
[ "$BENCH_QUICK" = 0 ] || bursts=60 few=30 long=5
cd "$BENCH_WORK" || exit 1
tool=''
end_tool() {
	[ -z "$tool" ] || kill -KILL "$tool" 2>/dev/null
}
on_exit end_tool

policy_of() {	# fifo|normal
	if [ "$1" = fifo ]; then echo fifo:50; else echo other; fi
}

# burst NAME KIND PLAN: plays it, its log in NAME.bursts
burst() {
	"$sink" --cpus "$cpu" --policy "$(policy_of "$2")" --burst "$3" --seed 4 --burst-log "$1.bursts" \
		--format json >"$1.sink" 2>"$1.sink.err" || [ $? = 3 ] ||
		die "sink ended with status $?: $(tail -n 1 "$1.sink.err")"
}

# start NAME COMMAND...: as $tool, its words in NAME.out and NAME.err
start() {
	local name=$1
	shift
	setpriv --pdeathsig KILL "$@" >"$name.out" 2>"$name.err" &
	tool=$!
}

# stop SIGNAL: ends $tool, and waits
stop() {
	kill -"$1" "$tool"
	wait "$tool"
	tool=''
}

start_idleprofile() {	# NAME OPTION...
	local name=$1
	shift
	start "$name" "$idleprofile" -t 3600s --cpus "$cpu" --who --log "$name.lost" --who-log "$name.who" \
		--format json -o "$name.json" "$@"
	wait_until 20 grep -q '^ready' "$name.err" || die "idleprofile does not start: $(tail -n 1 "$name.err")"
}

# profiled NAME KIND PLAN: idleprofile over a plan; what is found in NAME.truth
profiled() {
	start_idleprofile "$1"
	burst "$1" "$2" "$3"
	nap 0.3
	stop TERM
	[ -s "$1.json" ] || die "idleprofile left no report: $(tail -n 1 "$1.err")"
	judge_log "$1"
}

judge_log() {
	local who=(--who "$1.who")
	[ -s "$1.who" ] || who=()
	"$truth" "$1.bursts" --lost "$1.lost" ${who[@]+"${who[@]}"} --report "$1.json" >"$1.truth" ||
		die "the logs of $1 cannot be compared"
}

of() {	# NAME KEY
	awk -F'\t' -v key="$2" '$1 == key { print $2 }' "$1.truth"
}

between() {	# LOW VALUE HIGH
	awk -v low="$1" -v x="$2" -v high="$3" 'BEGIN { exit !(x != "" && x + 0 >= low && x + 0 <= high) }'
}

# line WHAT COMMAND...: as `holds`, but a short run decides nothing
line() {
	if [ "$BENCH_QUICK" = 0 ]; then
		holds "$@"
	elif "${@:2}"; then
		echo "$1: yes (indicative)"
	else
		echo "$1: no (indicative)"
	fi
}

say_truth() {	# NAME
	echo "  $(of "$1" bursts) bursts, $(of "$1" burned_s) s of CPU time by their log; found:" \
		"below 1 ms $(of "$1" found_below_1ms), below 10 ms $(of "$1" found_below_10ms)," \
		"below 100 ms $(of "$1" found_below_100ms), longer $(of "$1" found_longer)"
	echo "  lost inside their intervals $(of "$1" inside_low_percent) to $(of "$1" inside_high_percent) % of the log;" \
		"of it named as the burster $(of "$1" named_percent) %;" \
		"named in all $(of "$1" own_percent) % of the log"
	echo "  intervals $(of "$1" interval_percent) % of the log, a way in and out of p50 $(of "$1" around_us_p50) us"
	echo "  culprit's length in its interval off by p50 $(of "$1" length_error_us_p50)," \
		"p99 $(of "$1" length_error_us_p99), at most $(of "$1" length_error_us_max) us;" \
		"right for $(of "$1" length_good_percent) %" \
		"(by what must lie inside alone $(of "$1" length_strict_percent) %," \
		"with the interrupts in it $(of "$1" with_interrupts_good_percent) %;" \
		"of the $(of "$1" untouched) from which the host took nothing $(of "$1" untouched_good_percent) %);" \
		"rows of one burst at most $(of "$1" rows_most)"
	echo "  outside: $(of "$1" outside_percent) % of the time lost, and $(of "$1" ticks_percent) % to ticks"
}

# --- the truth -------------------------------------------------------------------------------------------------

echo "profiled: CPU $cpu, $bursts bursts of each kind"
echo "real-time bursts (fifo:50):"
profiled fifo fifo "random:$bursts"
say_truth fifo
line "at least 99 % of real-time bursts found" between 99 "$(of fifo found_percent)" 100
line "their culprit's length within max(20 us, 1 %) for at least 99 %" between 99 "$(of fifo length_good_percent)" 100
line "time lost inside their intervals within 1 % of the log" between 99 "$(of fifo inside_low_percent)" \
	"$(awk -v high="$(of fifo inside_high_percent)" 'BEGIN { print high <= 101 ? 101 : 0 }')"
line "at least 99 % of it named as the burster" between 99 "$(of fifo named_percent)" 100
echo
echo "normal bursts:"
profiled normal normal "random:$bursts"
say_truth normal
line "at least 99 % of normal bursts found" between 99 "$(of normal found_percent)" 100
line "their culprit's length within max(20 us, 1 %) for at least 95 %" between 95 "$(of normal length_good_percent)" 100
line "named as the burster: within 2 % of its own CPU time" between 98 "$(of normal own_percent)" 102
echo
echo "normal bursts of 4 s:"
{
	printf 'schema\tstart_ns\tlength_ns\n'
	for start in 0 5000000000 10000000000; do
		printf 'burst-plan/1\t%s\t4000000000\n' "$start"
		[ "$BENCH_QUICK" = 0 ] || break
	done
} >plan
profiled long normal plan
say_truth long
line "each comes out as one" test "$(of long rows_most)" = 1
line "and with its length" between 100 "$(of long length_good_percent)" 100
echo

# --- who else sees them ----------------------------------------------------------------------------------------

# perf mounts tracefs where it is not there; in a mount namespace of its own that goes with it.
perf_why() {
	command -v perf >/dev/null || { echo "it is not installed; apt-get install --no-install-recommends linux-perf"; return; }
	unshare --mount perf sched record -o probe.data -a -k CLOCK_MONOTONIC -- true >probe.out 2>&1 ||
		{ echo "it refuses: $(grep -v '^$' probe.out | head -n 1)"; return; }
	perf sched timehist -i probe.data >/dev/null 2>&1 || echo "it cannot read its own record"
}

beside() {	# TOOL KIND: the few bursts with this tool looking; TOOL-KIND.truth, .bytes
	local name=$1-$2 from priority
	case $1 in
	idleprofile)
		start_idleprofile "$name"
		burst "$name" "$2" "random:$few"
		stop TERM
		judge_log "$name"
		cat "$name.lost" "$name.who" | wc -c >"$name.bytes"
		;;
	perf-sched)
		start "$name" unshare --mount perf sched record -o "$name.data" -a -k CLOCK_MONOTONIC
		wait_until 10 test -s "$name.data"
		nap 0.5
		burst "$name" "$2" "random:$few"
		stop INT
		perf sched timehist -C "$cpu" -i "$name.data" >"$name.hist" 2>/dev/null
		"$truth" "$name.bursts" --perf "$name.hist" >"$name.truth" || die "perf's record cannot be compared"
		wc -c <"$name.data" >"$name.bytes"
		;;
	cyclictest)
		# below the real-time bursts, or normal beside normal ones
		priority=(--policy other)
		[ "$2" = normal ] || priority=(-p 10)
		from=$(python3 -c 'import time; print(time.monotonic_ns())')
		start "$name" cyclictest -v -N --secaligned -m "${priority[@]}" -i 1000 -d 0 -t1 -a "$cpu"
		wait_until 10 grep -q '^ *0: *[0-9]*: ' "$name.out" || die "cyclictest does not start: $(tail -n 1 "$name.err")"
		burst "$name" "$2" "random:$few"
		stop INT
		"$truth" "$name.bursts" --cyclictest "$name.out" --from "$from" >"$name.truth" || die "see $name.out and $name.bursts"
		grep -c '^ *0:' "$name.out" | awk '{ print 26 * $1 }' >"$name.bytes"
		;;
	esac
}

tools=(idleprofile perf-sched cyclictest)
why=$(perf_why)
if [ -n "$why" ]; then
	echo "perf sched is left out: $why"
	tools=(idleprofile cyclictest)
else
	say_versions perf
fi
echo "the same $few bursts with one tool after the other" \
	"(cyclictest wakes every ms, at fifo:10 and as a normal task; what it reports is how late)"
echo "bursts | seen by     | found | below 1 ms | below 10 ms | below 100 ms |   longer |" \
	"length off by p50, most, us | right | named as the burster | bytes it kept | in s"
for kind in fifo normal; do
	for t in "${tools[@]}"; do
		took=$EPOCHREALTIME
		beside "$t" "$kind"
		took=$(awk -v a="$took" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f", b - a }')
		name=$t-$kind
		named=$(of "$name" named_percent)
		if [ -n "$named" ]; then named="$named %"; else named=no; fi
		printf '%-6s | %-11s | %3.0f %% | %10s | %11s | %12s | %8s | %27s | %3.0f %% | %20s | %13s | %4s\n' \
			"$kind" "$t" "$(of "$name" found_percent)" \
			"$(of "$name" found_below_1ms)" "$(of "$name" found_below_10ms)" "$(of "$name" found_below_100ms)" "$(of "$name" found_longer)" \
			"$(of "$name" length_error_us_p50), $(of "$name" length_error_us_max)" "$(of "$name" length_good_percent)" \
			"$named" "$(cat "$name.bytes")" "$took"
	done
done
echo

# --- a long run ------------------------------------------------------------------------------------------------

echo "a run of $long s beside normal bursts, with both logs:"
mkdir long
"$sink" --cpus "$cpu" --burst random:100000 --seed 5 >/dev/null 2>long.sink.err &
load=$!
end_load() {
	kill "$load" 2>/dev/null
}
on_exit end_load
"$BENCH_TOOLS/clocked" took "$idleprofile" -t "${long}s" --cpus "$cpu" --who --log long/lost \
	--who-log long/who --format json -o long/report 2>long.err
read -r _ used peak status <took
kill "$load"
wait "$load" 2>/dev/null
case $status in 0 | 3) ;; *) die "idleprofile ended with status $status: $(tail -n 1 long.err)" ;; esac
rows=$(($(wc -l <long/lost) - 1))
told=$(jq '[.result.cpus[] | .events + .ticks] | add' long/report)
awk -v peak="$peak" -v said="$(jq .result.memory_peak_bytes long/report)" -v rows="$rows" \
	-v bytes="$(cat long/* | wc -c)" -v used="$used" -v s="$long" 'BEGIN {
	printf "  peak memory %.1f MiB (it says %.1f), %d rows of lost time, %.1f kB a minute in all files\n",
	peak / 1048576, said / 1048576, rows, bytes / 1000 / s * 60 }'
line "peak memory below 32 MiB" test "$peak" -lt "$MEMORY"
line "a row for each event and tick that it reports, and no other file" test "$rows $(find long -type f | wc -l)" = "$told 3"
echo
bench_end
