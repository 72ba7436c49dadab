#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# answers.sh - does vncplay analyze find the answer to every click, and when it came? Judged by the
# log of the desktop that answered.
#
# usage: kits/replay/bench/answers.sh [--quick] [--rounds N]     (20 clicks over 5 replays, eleven kinds of
#        screens, once: 10 minutes; quick: 6 clicks, 3 replays, 3 kinds)
# right: clicks with one row, in each replay within 5 ms of the desktop's own latency, and none
# where it gave none. extra: rows of no click. disturbed: how late the desktop itself was at worst,
# by the machine's doing; the replays of one kind run at once.
# shellcheck disable=SC2317  # what holds calls
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd) || exit 1
. "$here/lab/lib.sh"
. "$here/bench/lib.sh"

bench_begin answers "$@"
need python3 python3
need setpriv util-linux
clicks=20 replays=5 kinds=(plain noise1.6 noise3 caret strips alternate absent mark slow bits mixed)
[ "$BENCH_QUICK" = 0 ] || clicks=6 replays=3 kinds=(plain strips absent)
cd "$BENCH_WORK" || exit 1

running=''
end_running() {
	[ -z "$running" ] || kill "$running" 2>/dev/null
}
on_exit end_running

known() {	# KIND: its line is in $said
	local status=0
	setpriv --pdeathsig TERM -- "$TP_HOME/kits/replay/tests/lab/known.sh" "$1" "$clicks" "$replays" >said 2>&1 &
	running=$!
	wait "$running" || status=$?
	running=''
	said=$(grep -m 1 '^right=' said || tail -n 1 said)
	tail -n +2 said
	return "$status"
}

what() {	# NAME: a number of $said
	local v=${said##*"$1="}
	echo "${v%% *}"
}

printf '%-5s %-10s %9s %10s %12s %12s %6s %13s\n' round screen right 'worst (ms)' 'release (ms)' 'last (ms)' extra 'disturbed (ms)'
for ((round = 1; round <= $(rounds 1 1); round++)); do
	for kind in "${kinds[@]}"; do
		verdict=met
		known "$kind" >wrong || verdict=MISSED BENCH_STATUS=$EXIT_RUN
		if [[ $said == right=* ]]; then
			printf '%-5s %-10s %9s %10s %12s %12s %6s %13s  %s\n' "$round" "$kind" "$(what right) of $(what of)" \
				"$(what worst_ms)" "$(what from_release_ms)" \
				"$(what complete_ms)" "$(what extra)" "$(what disturbed_ms)" "$verdict"
		else
			echo "$round $kind: $said"
		fi
		cat wrong
		rm -rf "known-$kind"
	done
done
bench_end
