#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What is left of a run that was killed.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	begin_test
	need jq
	export TOP
}

@test "keep.sh: after kill -9 of the driver, or of keep.sh itself, the run is interrupted, and no lock or process is left" {
	local victim
	export LAB_LOCKS=$PWD/locks
	cat >driver <<'END'
. "$TOP/lab/locks.sh"
locks_take "$LAB_LOCKS/cpu0"
printf '%s\0' run 'thinprobe run stalls' >&"$EXP_RUN_TOLD"
echo "$$" >driver.pid
exec {nap}<> <(:) && read -r -t 60 -u "$nap"
END
	mkdir run
	for victim in driver keeper cleaner; do
		rm -f driver.pid
		echo '{"state": "running"}' >run/run.json
		start keeper "$TOP/experiments/engine/keep.sh" ./driver
		until_true test -s driver.pid
		case $victim in
		driver) kill -9 "$(cat driver.pid)" ;;
		keeper) kill -9 "$pid" ;;
		cleaner)	# alone it is not missed
			kill -9 "$(pgrep -P "$pid" -f keep.sh)"
			kill -TERM "$(cat driver.pid)"
			ends "$pid"
			[ "$status" = 143 ]
			continue
			;;
		esac
		until_true grep -q 'go on with: thinprobe run stalls --resume run' keeper.err
		[ "$(jq -r .state run/run.json)" = interrupted ]
		[ ! -e locks ]
		until_true gone "$(cat driver.pid)"
		until_true gone "$pid"
		[ "$victim" != driver ] || { ends "$pid"; [ "$status" = 130 ]; }
	done
}
