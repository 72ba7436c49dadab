#!/usr/bin/env bash
# sink.sh - does sink hold the share it was asked for? Judged from outside, beside stress-ng --cpu-load, alternating.
#
# usage: bench/sink.sh [SECONDS [ROUNDS]]     (10 and 3: about six minutes; takes one CPU)
# Share = CPU time that the kernel accounts to the finished program and its children / wall-clock time. What others took of
# the same CPU meanwhile stands in the last column: a deviation beside a busy neighbour says little.
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
sink=$here/bin/sink
seconds=${1:-10} rounds=${2:-3}
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
work=$(mktemp -d) || exit 1
started=()
# shellcheck disable=SC2317  # called by the trap
clean_up() {
	[ ${#started[@]} -gt 0 ] && kill "${started[@]}" 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

[ -x "$sink" ] || { echo "sink.sh: $sink is missing: make" >&2; exit 4; }
have_stress=1
command -v stress-ng >/dev/null || { have_stress=0; echo "stress-ng is not installed: sink by itself"; }

# Ticks (user nice system irq softirq steal) that the CPU was busy.
cpu_busy() {
	awk -v c="cpu$cpu" '$1 == c { print $2 + $3 + $4 + $7 + $8 + $9 }' /proc/stat
}

# judged NAME PERCENT COMMAND...: adds a line "name percent got others" (percent of the wall clock) to $work/got
judged() {
	local name=$1 percent=$2 busy before after TIMEFORMAT='%3R %3U %3S'
	shift 2
	before=$(cpu_busy)
	{ time taskset -c "$cpu" "$@" >/dev/null 2>&1; } 2>"$work/time"
	after=$(cpu_busy)
	busy=$((after - before))
	awk -v n="$name" -v p="$percent" -v busy="$busy" -v hz="$(getconf CLK_TCK)" '{
		own = $2 + $3
		others = busy / hz - own
		printf "%s %s %.3f %.1f\n", n, p, 100 * own / $1, 100 * (others > 0 ? others : 0) / $1
	}' "$work/time" | tee -a "$work/got" | awk '{ printf "  %-10s asked %5.1f  got %7.2f  others %5.1f\n", $1, $2, $3, $4 }'
}

echo "share of CPU $cpu for $seconds s, $rounds rounds, in percent ($(uname -sr), load $(cut -d ' ' -f 1 /proc/loadavg))"
for ((round = 1; round <= rounds; round++)); do
	echo "round $round"
	for percent in 10 37 50 80 100; do
		judged sink "$percent" "$sink" -l "$percent" -t "${seconds}s"
		[ $have_stress -eq 1 ] && judged stress-ng "$percent" stress-ng --quiet --cpu 1 --cpu-load "$percent" -t "${seconds}s"
	done
done

echo
awk '
function abs(x) { return x < 0 ? -x : x }
function median(name, p,    n, i, j, t, v) {
	n = count[name, p]
	for (i = 1; i <= n; i++) v[i] = got[name, p, i]
	for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
{
	got[$1, $2, ++count[$1, $2]] = $3
	if (!($2 in seen)) { seen[$2] = 1; order[++orders] = $2 }
	if (abs($3 - $2) > worst[$1, $2]) worst[$1, $2] = abs($3 - $2)
	if ($4 > others[$2]) others[$2] = $4
}
END {
	printf "asked | sink: median  deviation  worst | stress-ng: median  deviation  worst | others, at most | within 1 point\n"
	for (k = 1; k <= orders; k++) {
		p = order[k]
		m = median("sink", p)
		printf "%5.0f | %12.2f  %+9.2f  %5.2f | ", p, m, m - p, worst["sink", p]
		if (count["stress-ng", p]) {
			s = median("stress-ng", p)
			printf "%17.2f  %+9.2f  %5.2f | ", s, s - p, worst["stress-ng", p]
		} else
			printf "%17s  %9s  %5s | ", "-", "-", "-"
		held = "NO"
		if (worst["sink", p] <= 1) held = "yes"
		else if (others[p] > 3) held = "no (the CPU was not free)"
		printf "%13.1f %% | %s\n", others[p], held
	}
}' "$work/got"

# --- beside another greedy task, and afterwards ---------------------------------------------------------------

# run_of PID: CPU time of a process so far and the time now, in ns
run_of() {
	local run
	read -r run _ <"/proc/$1/schedstat" || return 1
	echo "$run $(date +%s%N)"
}

wait_for() {	# command...: up to 20 s
	local i
	for ((i = 0; i < 1000; i++)); do
		"$@" && return 0
		sleep 0.02
	done
	echo "sink.sh: it never came true: $*" >&2
	return 1
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
	wait_for grep -q ready "$work/ready" || return 1
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
	printf '%-10s %6s | %6s | %13s | %20s | %s\n' "$name" "$percent" "$alone" "$with" "$after" "$longest"
}

[ -r "/proc/$$/schedstat" ] || { echo "no schedstat in this kernel: the second table is left out"; exit 0; }
echo
echo "what            asked |  alone | beside greedy | then: most in 0.1 s | most in 1 s (percent of the wall clock)"
for percent in 10 37 50 80; do
	beside sink "$percent" "$sink" -l "$percent"
	[ $have_stress -eq 1 ] && beside stress-ng "$percent" stress-ng --quiet --cpu 1 --cpu-load "$percent" -t 60s
done
