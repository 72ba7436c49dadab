#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# stalls.sh - do updates come as often as keys without load, and as fair sharing has it beside CPU hogs?
#
# Keys go to the heavy application (10 ms of CPU time per redraw) every 50 ms, over VNC and over remote X. Without load every key is
# an update; beside ten hogs the interval between two updates is that of eleven processes that share one CPU: 110 ms.
#
# usage: bench/stalls.sh [--quick] [--rounds N]
# shellcheck disable=SC2317 # alternate calls train
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/lib.sh" || exit 1
. "$TP_HOME/bench/lib.sh" || exit 1
bench_begin stalls "$@"

column() {	# column RUN NAME HOGS
	awk -F'\t' -v name="$2" -v hogs="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["sinks"] == hogs { print $at[name] }' "$1/summary.tsv"
}

train() {	# train PROTOCOL ROUND
	local run=$BENCH_WORK/$1-$2
	"$TP_HOME/thinprobe" run stalls --quick --protocol "$1" --app heavy --loads 0,10 --time "$SECONDS_EACH" \
		--repeat 1 --idle 1 -o "$run" >"$run.out" 2>"$run.err" || die "thinprobe run stalls: $(tail -n 1 "$run.err")"
	note "updates a second" "$1" "$2" "$(column "$run" updates_per_s 0)"
	note "updates a second" keys "$2" 20
	note "interval beside 10 hogs, ms" "$1" "$2" "$(awk -v stall="$(column "$run" mean_stall_ms 10)" 'BEGIN { print stall + 50 }')"
	note "interval beside 10 hogs, ms" fair "$2" 110
}

SECONDS_EACH=20
[ "$BENCH_QUICK" = 0 ] || SECONDS_EACH=3
alternate "$(rounds 8 1)" train vnc x11 || exit
ratio_head
for protocol in vnc x11; do
	ratio "updates a second" "$protocol" keys ">0.95"
	ratio "interval beside 10 hogs, ms" "$protocol" fair 1.3
done
bench_end
