#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# slowreplay, short: on a throttled disk, and on one behind a link, and told to stop in the middle.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../families/replays

@test "slowreplay: a replay on a much slower disk is complete" {
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	ran slowreplay --factor 3
	whole
	[ "$(jq '.facts.delay_ms' "$RUN/cells/plain/1/cell.json")" = 0 ]
	[ "$(jq '.facts.delay_ms > 0' "$RUN/cells/slow/1/cell.json")" = true ]
}

@test "slowreplay: --over a link: reads are delayed by its round trip, and the session takes longer" {
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	ran slowreplay --over 50Mbit/20Mbit,2ms
	whole
	[ "$(jq -r .settings.over "$RUN/run.json")" = 50Mbit/20Mbit,2ms ]
	[ "$(jq '.facts.delay_ms' "$RUN/cells/slow/1/cell.json")" = 4 ]
	# the session waits for its reads, so it takes longer in total
	jq -en --slurpfile s "$RUN/cells/slow/1/cell.json" --slurpfile p "$RUN/cells/plain/1/cell.json" '
		$s[0].disk as $d | $s[0].play.total_s > $p[0].play.total_s and $d.reads > 50 and $d.read_bytes > 1e6'
}

@test "slowreplay: SIGTERM beside a very slow disk ends it within 20 s with 130, and no control group is left" {
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	ended() { ! kill -0 "$driver" 2>/dev/null; }
	slow_begun() { [ -s "$RUN/cells/slow/1/replay.rfb" ] || ended; }
	BEGIN_ONLY=1 ran slowreplay --factor 20
	for _ in {1..3000}; do ! slow_begun || break; sleep 0.1; done
	sleep 3
	ended && { cat err; return 1; }
	from=${EPOCHREALTIME/[.,]/}
	kill -TERM "$driver"
	for _ in {1..1500}; do [ ! -e "$RUN/cells/slow/1/cell.json" ] || break; sleep 0.05; done
	took=$((${EPOCHREALTIME/[.,]/} - from))	# the session and all that waits for its disk; a report follows
	wait "$driver" && status=0 || status=$?
	cat err out
	echo "took $took us"
	[ "$status" = 130 ]
	[ "$took" -lt 20000000 ]
	[ "$(jq -r .state "$RUN/run.json")" = interrupted ]
	groups >"$BATS_FILE_TMPDIR/groups.after"
	if groups_left; then return 1; fi
}
