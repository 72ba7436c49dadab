#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# keyrepeat.sh - is a key sent as punctually as this machine can? Lateness of keyrepeat beside cyclictest's latency, in turn.
#
# usage: bench/keyrepeat.sh [--quick] [--rounds N]     (10 rounds of 30 s for each: 11 minutes; quick: 2 rounds of 3 s)
# keyrepeat sends to the null target, which answers at once and is watched by a second thread, 1,000 keys a second; lateness is
# sent time - due time. cyclictest sleeps 1 ms at a time (clock_nanosleep, absolute); latency is when it ran - when it was to
# run, with the times that a late run passed over put in. Same FIFO priority, same CPU, memory locked, 30,000 samples each.
# keyrepeat wakes up shortly before a key is due, as shortly as it has learnt, and spins the rest: that is how it gets below the
# time of a wake-up, and what it costs stands in the last row.
# shellcheck disable=SC2317  # what alternate, holds and on_exit call
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
. "$here/lab/lib.sh"
. "$here/bench/lib.sh"

LIMIT=1.2
PRIORITY=80

bench_begin keyrepeat "$@"
need cyclictest rt-tests
chrt -f $PRIORITY true 2>/dev/null ||
	die "-$EXIT_MISSING" "real-time priority $PRIORITY is not allowed here; run as root, or set ulimit -r"
say_versions "$TP_BIN/keyrepeat" cyclictest
seconds=30
[ "$BENCH_QUICK" = 0 ] || seconds=3
n=$(rounds 10 2)
cpu=$(allowed_cpus | tail -n 1)
echo "1,000 a second for $seconds s at SCHED_FIFO $PRIORITY on CPU $cpu"

command_of() {	# sets command
	case $1 in
	keyrepeat)
		command=("$TP_BIN/keyrepeat" null: --schedule periodic --rate 1000 -t "${seconds}s" --watch update
			--priority "$PRIORITY" --cpus "$cpu" --format json)
		;;
	cyclictest) command=(taskset -c "$cpu" cyclictest --quiet --mlockall --priority="$PRIORITY"
		--affinity="$cpu" --threads=1 --interval=1000
		--duration="$seconds" --histogram=1000000) ;;
	esac
}

figures() {	# CONTENDER: samples, p50, p99, max in ns
	case $1 in
	keyrepeat) jq -r '.result.lateness_us | "\(.n) \(.p50 * 1000) \(.p99 * 1000) \(.max * 1000)"' "$BENCH_WORK/out" ;;
	cyclictest)
		# "us count" a line, from 0; then totals, among them what was beyond the histogram. A stop of 5 ms is one sample to cyclictest,
		# which passes over the four wake-ups that fell due in it; to who types on a schedule they are keys that went late, by 4, 3, 2
		# and 1 ms. They are put in, so that both have the same population: one sample for each time that was due.
		awk '/^[0-9]+ [0-9]+/ && $2 + 0 { for (late = $1 + 0; late >= 0; late -= 1000) of[late] += $2;
			n += $2 * (1 + int($1 / 1000)); if (top < $1 + 0) top = $1 + 0 }
			/^# Max Latencies/ { max = $4 * 1000 } /^# Histogram Overflows/ { n += $4 }
			END {
				for (i = 0; i <= top; i++) { seen += of[i]; if (p50 == "" && seen >= 0.5 * n) p50 = i * 1000;
				if (p99 == "" && seen >= 0.99 * n) p99 = i * 1000 }
				print n, p50, p99 == "" ? max : p99, max
			}' "$BENCH_WORK/out"
		;;
	esac
}

on_time() {	# CONTENDER ROUND
	local command cpu_ns status samples p50 p99 max _
	command_of "$1"
	"$BENCH_TOOLS/clocked" "$BENCH_WORK/took" "${command[@]}" >"$BENCH_WORK/out" 2>"$BENCH_WORK/err"
	read -r _ cpu_ns _ status <"$BENCH_WORK/took"
	[ "$status" = 0 ] || die "${command[0]} ended with status $status: $(tail -n 1 "$BENCH_WORK/err")"
	read -r samples p50 p99 max < <(figures "$1")
	note p50 "$1" "$2" "$p50"
	note p99 "$1" "$2" "$p99"
	note max "$1" "$2" "$max"
	note cpu "$1" "$2" "$cpu_ns"
	note samples "$1" "$2" "$samples"
	printf 'round %-3d %-11s %6d samples  p50 %8.2f  p99 %8.2f  max %9.2f us\n' "$2" "$1" "$samples" \
		"$(ns "$p50")" "$(ns "$p99")" "$(ns "$max")" >>"$BENCH_WORK/rows"
}
ns() { awk -v n="$1" 'BEGIN { print n / 1e3 }'; }

alternate "$n" on_time keyrepeat cyclictest
sort -s -k 2n,2 "$BENCH_WORK/rows"
echo
ratio_head
ratio p99 keyrepeat cyclictest $LIMIT 1e-3 us
for figure in p50 max; do ratio $figure keyrepeat cyclictest '' 1e-3 us; done
ratio cpu keyrepeat cyclictest '' 1e-6 ms
echo
enough() { awk -F'\t' '$1 == "samples" && $4 < 10000 { few = 1 } END { exit few }' "$BENCH_WORK/values"; }
if [ "$BENCH_QUICK" = 0 ]; then holds "every p99 is from 10,000 samples or more" enough; fi
bench_end
