#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# iosched: the findings of a made-up run, and a short run. (Figures: ../cpuspeed/test.bats.)

bats_require_minimum_version 1.5.0
load ../engine/replays

@test "settings without a place on an axis are drawn by name; faster responses count" {
	REPEATS=3 made iosched none none::1:40 bfq::0.5:40
	reported
	[ "$(finding hidden)" = "0.5 good" ]
	[ "$(column bfq faster)" = 3 ]
	grep -q '>at bfq<' "$RUN/figures/total.svg"
}

# of NONE-TAU and BFQ-TAU
made_orders() {
	made iosched none "none::1:40:{\"tau\":$1,\"passed_percent\":3,\"in_device_p90\":4,\"waiting_mean\":28}" \
		"bfq::0.5:40:{\"tau\":$2,\"passed_percent\":88,\"in_device_p90\":4,\"waiting_mean\":27}"
}

@test "orders that differ are told and drawn, and those that do not; a device that took more than it was told is no proof" {
	made_orders 0.95 0.1
	reported
	[ "$(finding order)" = "88 unsure" ]	# two repeats have no interval
	local REPEATS=3
	made_orders 0.95 0.1
	reported
	[ "$(finding order)" = "88 good" ]
	[ "$(column bfq tau)" = 0.1000 ]
	[ -s "$RUN/figures/order.svg" ]
	grep -q 'tau 0.95' "$RUN/report.md"
	made_orders 0.95 0.95
	reported
	[ "$(finding order)" = "88 none" ]
	made_orders 0.95 0.1
	jq '.settings.takes = 3' "$RUN/run.json" >x && mv x "$RUN/run.json"
	reported
	[ "$(finding order)" = "88 unsure" ]
}

@test "a run without the order of requests has the other figures" {
	made iosched none none::1:40 bfq::0.5:40
	reported
	[ -z "$(finding order)" ]
	[ ! -e "$RUN/figures/order.svg" ]
	[ -s "$RUN/figures/cdf.svg" ]
}
