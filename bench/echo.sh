#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# echo.sh - does the probe tell the truth? Latency from the client's pixels against the log of the application that answered.
#
# The reference VNC server answers after scripted delays; for each key (answer - sent) is held against (flushed - received) of
# the server's own log, which shares the clock. Printed: median offset (also less the one at delay 0), its standard
# deviation and p99 - p50; and whether coalescing by three is counted exactly.
#
# usage: bench/echo.sh [--quick]     (20 s for each of six delays: three minutes; quick: 3 s)
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/lib.sh" || exit 1
. "$TP_HOME/bench/lib.sh" || exit 1

bench_begin echo "$@"
seconds=20
[ "$BENCH_QUICK" = 0 ] || seconds=3
export LAB_RUN=$BENCH_WORK LAB_LOG=$BENCH_WORK LAB_RATE=100Mbit
lab_use local
lab_up

train() {	# train NAME REFECHO-OPTIONS...: leaves NAME.keys, NAME.echo, NAME.out
	local name=$1 server
	shift
	lab_start -R server "$name-refecho" "$TP_BIN/refecho" --vnc 5999 --listen "$LAB_ADDR_server" \
		--log "$LAB_RUN/$name.echo" --priority 20 --format json "$@"
	server=$LAB_PID
	lab_ready "$name-refecho" 10 || die "refecho does not start: $(tail -n 1 "$LAB_RUN/$name-refecho.err")"
	lab_exec -R client "$TP_BIN/keyrepeat" "vnc:$LAB_ADDR_server:5999" -t "${seconds}s" \
		--schedule jittered --watch patch --priority 20 \
		--log "$LAB_RUN/$name.keys" --format json >"$LAB_RUN/$name.out" 2>"$LAB_RUN/$name.err" || die "$(tail -n 1 "$LAB_RUN/$name.err")"
	lab_stop "$server"
}

row() {	# row NAME: per-key difference in us, then median, sd, p99 - p50
	awk -F'\t' '
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		FILENAME ~ /echo$/ { took[$at["seq"]] = $at["flushed_ns"] - $at["received_ns"]; next }
		$at["skipped"] == 0 && $at["answer_ns"] != "" && $at["key"] in took {
			printf "%.3f\n", ($at["answer_ns"] - $at["sent_ns"] - took[$at["key"]]) / 1e3 }' "$LAB_RUN/$1.echo" "$LAB_RUN/$1.keys" |
			sort -n |
		awk -v name="$1" -v base="${base:-}" '
			{ v[NR] = $1; sum += $1 } END {
			if (!NR) { print name, "no key answered: nothing was measured"; exit 1 }
			mean = sum / NR; for (i = 1; i <= NR; i++) q += (v[i] - mean) ^ 2
			p50 = v[int((NR + 1) / 2)]; p99 = v[int(NR * 0.99 + 0.5)]
			printf "%-14s %6d %12.3f %14s %10.3f %12.3f\n", name, NR, p50 / 1e3,
				base == "" ? "-" : sprintf("%.3f", (p50 - base) / 1e3), sqrt(q / (NR - 1)) / 1e3, (p99 - p50) / 1e3
			print p50 > "/dev/stderr" }'
}

printf '%-14s %6s %12s %14s %10s %12s\n' delay keys offset_ms less_base_ms sd_ms p99_p50_ms
base=''
train 0ms --answer-delay const:0ms
base_line=$(row 0ms 2>"$LAB_RUN/base") || BENCH_STATUS=$EXIT_RUN
echo "$base_line"
base=$(cat "$LAB_RUN/base")
for d in 5ms 20ms 80ms; do
	train "$d" --answer-delay "const:$d"
	row "$d" 2>/dev/null || BENCH_STATUS=$EXIT_RUN
done
train uniform5-15ms --answer-delay uniform:5ms,15ms
row uniform5-15ms 2>/dev/null || BENCH_STATUS=$EXIT_RUN

train by-three --answer-delay const:0ms --coalesce 3
# the warm-up keys are in the server's log but in no figure of the probe
awk -F'\t' -v probe="$(jq .result.coalesced "$LAB_RUN/by-three.out")" \
	-v skipped="$(jq .result.keys_skipped "$LAB_RUN/by-three.out")" '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["seq"] > skipped { keys++; coalesced += $at["coalesced"] }
	END { printf "coalescing by 3: %d keys, coalesced by the log of the server %d, by the probe %d: %s\n",
	keys, coalesced, probe, coalesced == probe ? "exact" : "WRONG"
	exit !keys || coalesced != probe }' "$LAB_RUN/by-three.echo" || BENCH_STATUS=$EXIT_RUN
lab_down
bench_end
