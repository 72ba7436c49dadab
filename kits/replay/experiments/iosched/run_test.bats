#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# iosched, short: the device takes no more than it was told, more wait in front of it, and two schedulers issue them in different
# orders.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../families/replays

fact() { jq ".facts.$2" "$RUN/cells/$1/1/cell.json"; }

@test "iosched: two schedulers order the requests before a full device differently; an unavailable one is reported" {
	command -v fio >/dev/null || skip "fio is not installed"
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	grep -qs mq-deadline /sys/block/loop*/queue/scheduler || skip "this kernel has no mq-deadline"
	ran iosched --schedulers none,mq-deadline,nowhere
	whole
	[ "$(jq -c '[.settings.base, (.cells | length), .settings.takes]' "$RUN/run.json")" = '["none",2,4]' ]
	jq -e '.lab.missing[] | select(startswith("scheduler nowhere: "))' "$RUN/run.json"
	for s in none mq-deadline; do
		[ "$(jq '.facts.load_reads_per_s > 100' "$RUN/cells/$s/1/cell.json")" = true ]
		jq -e '.requests > 1000' "$RUN/cells/$s/1/order.json" ||
			skip "the order cannot be watched here: $(jq -r '.lab.missing[]' "$RUN/run.json")"
		[ "$(fact "$s" in_device_p90)" -le 4 ]
		[ "$(jq '.facts.waiting_mean > 8' "$RUN/cells/$s/1/cell.json")" = true ]
	done
	# mq-deadline serves the load's sectors before those of the session
	jq -en --argjson a "$(fact none passed_percent)" --argjson b "$(fact mq-deadline passed_percent)" '$a - $b > 20'
	jq -en --argjson a "$(fact none tau)" --argjson b "$(fact mq-deadline tau)" '$a - $b | fabs > 0.2'
	finding order | grep -q ' unsure$'	# one replay of each has no interval
}
