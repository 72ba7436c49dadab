# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# lib.sh - what every bench needs: contenders in turn, ratios round by round, their interval, the machine and its noise.
#
#   . lab/lib.sh; . bench/lib.sh
#   bench_begin NAME "$@"                     options, work folder $BENCH_WORK, the machine
#   alternate ROUNDS FUNCTION CONTENDER...    FUNCTION CONTENDER ROUND notes what it saw:
#       note FIGURE CONTENDER ROUND VALUE
#   ratio_head; ratio FIGURE A B [LIMIT]      one row: median of A/B and its interval; at most LIMIT? ">LIMIT": at least?
#   bench_end                                 noise, then the exit status: 0 all limits shown to hold, 1 one is not
#
# Ratios are taken round by round, so that drift of the machine cancels, and the order within a
# round turns around from round to round. The interval is the distribution-free one of the median:
# of n sorted ratios the k-th from either end, k the largest for which 1 - 2 P(Bin(n, 1/2) < k) is
# at least 95 % (n = 8: smallest and largest, 99.2 %; n = 10: second from either end, 97.9 %; below
# six rounds no interval has 95 %, smallest and largest are shown). A limit is met when the whole
# interval is on its right side, from eight rounds on; below that the row says "indicative" and
# decides nothing.

BENCH_ENOUGH=8		# rounds
BENCH_NOISE=3		# percent of one CPU that others may take before the figures are called indicative
BENCH_TOOLS=$TP_HOME/build/bench

# bench_begin NAME [--quick] [--rounds N]: sets BENCH_QUICK (0, 1; also by QUICK=1) and BENCH_ROUNDS ('' unless asked for).
bench_begin() {
	local program
	TP_TOOL=$1
	shift
	BENCH_QUICK=${QUICK:-0} BENCH_ROUNDS='' BENCH_STATUS=0
	while [ $# -gt 0 ]; do
		case $1 in
		--quick) BENCH_QUICK=1 ;;
		--rounds)
			[[ ${2-} =~ ^[1-9][0-9]{0,2}$ ]] || die "-$EXIT_USAGE" "--rounds needs a number from 1 to 999"
			BENCH_ROUNDS=$2
			shift
			;;
		*) die "-$EXIT_USAGE" "what is $1? usage: bench/$TP_TOOL.sh [--quick] [--rounds N]" ;;
		esac
		shift
	done
	for program in "$TP_HOME"/bench/*.c; do
		program=${program##*/}
		[ -x "$BENCH_TOOLS/${program%.c}" ] ||
			die "-$EXIT_MISSING" "$BENCH_TOOLS/${program%.c} is missing; make it with: make bench-programs"
	done
	BENCH_WORK=$(mktemp -d "$(roomy)/thinprobe-bench.XXXXXX") || exit "$EXIT_RUN"
	on_exit rm -rf "$BENCH_WORK"
	trap 'exit 130' INT TERM HUP
	: >"$BENCH_WORK/values"
	say_machine
	noise_begin
}

# rounds FULL QUICK: how many are asked for.
rounds() {
	if [ -n "$BENCH_ROUNDS" ]; then echo "$BENCH_ROUNDS"; elif [ "$BENCH_QUICK" = 1 ]; then echo "$2"; else echo "$1"; fi
}

# Where large files go: memory, if most of it is free, so that no disk is measured.
roomy() {
	local free
	free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
	if [ -z "${TMPDIR-}" ] && [ -w /dev/shm ] && [ "${free:-0}" -gt 6000000 ] &&
		[ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -gt 8000000 ]; then
		echo /dev/shm
	else
		echo "${TMPDIR:-/tmp}"
	fi
}

say_machine() {
	local model virtual=''
	model=$(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo)
	grep -qw hypervisor /proc/cpuinfo && virtual=', virtual'
	echo "machine: ${model:-$(uname -m)}, $(nproc) CPUs$virtual, $(uname -sr), load average $(cut -d ' ' -f 1 /proc/loadavg)"
}

# say_versions COMMAND...: "versions: tcpdump 4.99.3, ..."
say_versions() {
	local command text said=''
	for command; do
		# some warn of root first, and cyclictest knows --help only
		text=$({ "$command" --version || "$command" --help; } 2>&1 </dev/null |
			grep -oiE '(version|V|\(thinprobe\)|\(Wireshark\)) [0-9]+\.[0-9][0-9A-Za-z.]*' | head -n 1)
		said+="${said:+, }${command##*/} ${text##* }"
	done
	echo "versions: $said"
}

# The CPUs that this process may run on, one a line.
allowed_cpus() {
	awk '/^Cpus_allowed_list/ { n = split($2, part, ","); for (i = 1; i <= n; i++) { split(part[i], e, "-");
		for (c = e[1]; c <= (e[2] == "" ? e[1] : e[2]); c++) print c } }' /proc/self/status
}

# --- noise -----------------------------------------------------------------------------------------------------

# Ticks since boot: of all CPUs busy; stolen; of this shell and what it has waited for.
ticks() {
	local user nice system _ irq softirq steal rest
	read -r _ user nice system _ _ irq softirq steal rest </proc/stat
	rest=$(<"/proc/$$/stat")
	# shellcheck disable=SC2086  # fields
	set -- ${rest##*) }
	echo "$((user + nice + system + irq + softirq)) $steal $((${12} + ${13} + ${14} + ${15}))"
}

noise_begin() {
	BENCH_TICKS=$(ticks)
	BENCH_SINCE=$EPOCHREALTIME
}

# What others took meanwhile: of all CPUs together, in percent of one.
say_noise() {
	awk -v a="$BENCH_TICKS" -v b="$(ticks)" -v s="$BENCH_SINCE" -v e="$EPOCHREALTIME" \
		-v hz="$(getconf CLK_TCK)" -v most="$BENCH_NOISE" 'BEGIN {
		split(a, x); split(b, y); wall = (e - s) * hz
		others = 100 * (y[1] - x[1] - (y[3] - x[3])) / wall; stolen = 100 * (y[2] - x[2]) / wall
		if (others < 0) others = 0
		printf "noise: others took %.1f %% of one CPU, the host %.1f %%, in %.0f s: %s\n", others, stolen, e - s, \
			others + stolen <= most ? "a quiet machine" : "NOT a quiet machine, figures are indicative"
	}'
}

# --- rounds and ratios -----------------------------------------------------------------------------------------

note() {
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >>"$BENCH_WORK/values"
}

alternate() {
	local rounds=$1 run=$2 round i names
	shift 2
	names=("$@")
	for ((round = 1; round <= rounds; round++)); do
		[ ! -t 2 ] || printf '\r%s: round %d of %d ' "$TP_TOOL" "$round" "$rounds" >&2
		for ((i = 0; i < ${#names[@]}; i++)); do
			"$run" "${names[round % 2 ? i : ${#names[@]} - 1 - i]}" "$round" || return
		done
	done
	[ ! -t 2 ] || printf '\r%60s\r' '' >&2
}

# median FIGURE CONTENDER
median() {
	awk -F'\t' -v f="$1" -v c="$2" '$1 == f && $2 == c { print $4 }' "$BENCH_WORK/values" | sort -g |
		awk '{ v[NR] = $1 } END { if (!NR) print "-"; else printf "%.6g\n", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

ratio_head() {
	printf '%-34s %13s %13s %3s %7s  %-16s %5s  %s\n' 'figure: A / B' 'median A' 'median B' n ratio interval limit verdict
}

# ratio FIGURE A B [LIMIT [SCALE [UNIT]]]: values are shown times SCALE. A limit that is not shown to hold fails the bench.
ratio() {
	local figure=$1 a=$2 b=$3 limit=${4:-} scale=${5:-1} unit=${6:-} row
	row=$(awk -F'\t' -v f="$figure" -v a="$a" -v b="$b" '
		$1 == f && $2 == a { x[$3] = $4 }
		$1 == f && $2 == b { y[$3] = $4 }
		END { for (r in x) if (r in y && y[r] > 0) printf "%.9g\n", x[r] / y[r] }' "$BENCH_WORK/values" | sort -g |
		awk -v name="$figure: $a / $b" -v unit="$unit" -v a="$(median "$figure" "$a")" \
		-v b="$(median "$figure" "$b")" -v limit="$limit" -v scale="$scale" -v enough="$BENCH_ENOUGH" '
		{ v[NR] = $1 }
		END {
			n = NR
			if (!n) { printf "%-34s nothing was measured\n", name; exit 1 }
			m = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
			# below: P(Bin(n, 1/2) < k)
			k = 1; term = 2 ^ -n; below = term
			for (i = 1; i < n / 2; i++) {
				term = term * (n - i + 1) / i
				if (1 - 2 * (below + term) < 0.95) break
				below += term; k++
			}
			low = v[k]; high = v[n + 1 - k]
			least = sub(/^>/, "", limit); if (limit != "") limit += 0
			met = least ? low >= limit : high <= limit
			missed = least ? high < limit : low > limit
			if (limit == "") verdict = "-"
			else if (n < enough) verdict = "indicative: fewer than " enough " rounds"
			else verdict = met ? "met" : missed ? "MISSED" : "NOT SHOWN"
			printf "%-34s %13s %13s %3d %7.3f  %-16s %5s  %s\n", name, sprintf("%.4g %s", a * scale, unit),
			sprintf("%.4g %s", b * scale, unit), n, m, \
				sprintf("%.3f to %.3f", low, high), limit == "" ? "-" : (least ? ">" : "") limit, verdict
			exit limit != "" && n >= enough && !met
		}') || BENCH_STATUS=$EXIT_RUN
	printf '%s\n' "$row"
}

# holds WHAT COMMAND...: a fact that is true or not; prints it, and a false one fails the bench.
holds() {
	local what=$1
	shift
	if "$@"; then
		echo "$what: yes"
	else
		echo "$what: NO"
		BENCH_STATUS=$EXIT_RUN
	fi
}

bench_end() {
	say_noise
	exit "$BENCH_STATUS"
}
