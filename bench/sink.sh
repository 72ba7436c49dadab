#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sink.sh - does sink hold the share it was asked for? Judged from outside, beside stress-ng --cpu-load, in turn.
#
# usage: bench/sink.sh [--quick] [--rounds N]     (8 rounds of 10 s at five shares for each: 17 minutes; quick: 2 rounds of 2 s)
# Share = CPU time that the kernel accounts to the finished program and its children / wall-clock
# time. What others took of the same CPU meanwhile stands in the last column: a deviation beside a
# busy neighbour says little. Errors below 0.05 points count as 0.05: so much is the start of a
# process.
# shellcheck disable=SC2317  # what alternate, holds and on_exit call
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
. "$here/lab/lib.sh"
. "$here/bench/lib.sh"

sink=$TP_BIN/sink
POINTS=1	# that the median share may be off

bench_begin sink "$@"
need stress-ng stress-ng
say_versions "$sink" stress-ng
seconds=10 shares=(10 37 50 80 100)
[ "$BENCH_QUICK" = 0 ] || seconds=2 shares=(37)
n=$(rounds 8 2)
cpu=$(allowed_cpus | tail -n 1)
work=$BENCH_WORK
started=()
end_started() {
	[ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null
}
on_exit end_started

# Ticks (user nice system irq softirq steal) that the CPU was busy.
cpu_busy() {
	awk -v c="cpu$cpu" '$1 == c { print $2 + $3 + $4 + $7 + $8 + $9 }' /proc/stat
}

judged() {	# CONTENDER ROUND, at $percent
	local busy wall cpu_ns status command share error others _
	case $1 in
	sink) command=("$sink" -l "$percent" -t "${seconds}s") ;;
	stress-ng) command=(stress-ng --quiet --cpu 1 --cpu-load "$percent" -t "${seconds}s") ;;
	esac
	busy=$(cpu_busy)
	"$BENCH_TOOLS/clocked" "$work/took" taskset -c "$cpu" "${command[@]}" >/dev/null 2>"$work/err"
	busy=$(($(cpu_busy) - busy))
	read -r wall cpu_ns _ status <"$work/took"
	[ "$status" = 0 ] || die "$1 ended with status $status: $(tail -n 1 "$work/err")"
	read -r share error others < <(awk -v p="$percent" -v cpu="$cpu_ns" -v wall="$wall" -v busy="$busy" \
		-v hz="$(getconf CLK_TCK)" 'BEGIN {
		share = 100 * cpu / wall; error = share > p ? share - p : p - share; others = 100 * (busy / hz * 1e9 - cpu) / wall
		printf "%.3f %.3f %.1f\n", share, (error < 0.05 ? 0.05 : error), (others > 0 ? others : 0) }')
	note "share $percent %" "$1" "$2" "$share"
	note "error $percent %" "$1" "$2" "$error"
	note others "$percent" "$1-$2" "$others"
}

echo "shares of CPU $cpu for $seconds s, in percent of the wall clock"
for percent in "${shares[@]}"; do alternate "$n" judged sink stress-ng; done
echo
awk -F'\t' -v shares="${shares[*]}" '
function off(name, p,    n, i, j, t, v, worst) {	# "median deviation worst"
	n = count[name, p]
	for (i = 1; i <= n; i++) { v[i] = got[name, p, i]; t = v[i] > p ? v[i] - p : p - v[i]; if (t > worst) worst = t }
	for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
	t = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	return sprintf("%7.2f  %+9.2f  %5.2f", t, t - p, worst)
}
$1 ~ /^share/ { split($1, w, " "); got[$2, w[2], ++count[$2, w[2]]] = $4 }
$1 == "others" && $4 > others[$2] { others[$2] = $4 }
END {
	printf "asked | sink: median  deviation  worst | stress-ng: median  deviation  worst | others, at most\n"
	for (k = 1; k <= split(shares, p, " "); k++)
		printf "%5.0f |      %s |           %s | %.1f %%\n", p[k], off("sink", p[k]), off("stress-ng", p[k]), others[p[k]]
}' "$work/values"
echo
ratio_head
for percent in "${shares[@]}"; do
	ratio "share $percent %" sink stress-ng '' 1 %
	ratio "error $percent %" sink stress-ng '' 1 points
done
held() {
	local percent
	for percent in "${shares[@]}"; do
		awk -v got="$(median "share $percent %" sink)" -v p="$percent" \
			-v most="$POINTS" 'BEGIN { exit !(got - p <= most && p - got <= most) }' || return 1
	done
}
holds "sink's median share is within $POINTS point of what was asked" held

# --- beside another greedy task, and afterwards ---------------------------------------------------------------

# run_of PID: CPU time of a process so far and the time now, in ns
run_of() {
	local run
	read -r run _ <"/proc/$1/schedstat" || return 1
	echo "$run $(date +%s%N)"
}

# between A B: percent of the wall clock between two readings of run_of
between() {
	awk -v a="$1" -v b="$2" 'BEGIN { split(a, x); split(b, y); printf "%.1f\n", 100 * (y[1] - x[1]) / (y[2] - x[2]) }'
}

# beside NAME PERCENT COMMAND...: the command's one spinning process, alone, beside a greedy one, and after it has gone
beside() {
	local name=$1 percent=$2 pid child neighbour a b alone with after=0 longest=0 share second i
	shift 2
	taskset -c "$cpu" "$@" >/dev/null 2>&1 &
	pid=$!
	started+=("$pid")
	sleep 1
	# the process that uses the CPU: the youngest of the family
	child=$(pgrep -P "$pid" -n) || child=$pid
	a=$(run_of "$child"); sleep 2; b=$(run_of "$child")
	alone=$(between "$a" "$b")
	taskset -c "$cpu" "$sink" >/dev/null 2>"$work/ready" &
	neighbour=$!
	started+=("$neighbour")
	wait_until 20 grep -q ready "$work/ready" || return 1
	a=$(run_of "$child"); sleep 5; b=$(run_of "$child")
	with=$(between "$a" "$b")
	kill "$neighbour"
	wait "$neighbour" 2>/dev/null
	second=$(run_of "$child")
	a=$second
	for ((i = 1; i <= 30; i++)); do
		sleep 0.1
		b=$(run_of "$child")
		share=$(between "$a" "$b")
		after=$(awk -v x="$share" -v y="$after" 'BEGIN { m = x; if (y > m) m = y; print m }')
		a=$b
		if ((i % 10 == 0)); then
			share=$(between "$second" "$b")
			longest=$(awk -v x="$share" -v y="$longest" 'BEGIN { m = x; if (y > m) m = y; print m }')
			second=$b
		fi
	done
	kill "$pid"
	wait "$pid" 2>/dev/null
	started=()
	printf '%-10s %6s | %6s | %13s | %20s | %s\n' "$name" "$percent" "$alone" "$with" "$after" "$longest"
}

[ -r "/proc/$$/schedstat" ] || { echo "no schedstat in this kernel: the second table is left out"; bench_end; }
echo
echo "what            asked |  alone | beside greedy | then: most in 0.1 s | most in 1 s (percent of the wall clock)"
for percent in "${shares[@]}"; do
	[ "$percent" -lt 100 ] || continue
	beside sink "$percent" "$sink" -l "$percent"
	beside stress-ng "$percent" stress-ng --quiet --cpu 1 --cpu-load "$percent" -t 60s
done
echo
bench_end
