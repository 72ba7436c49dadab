#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Short cells on two machines that ssh reaches.
# bats file_tags=all

load ../../tests/lab/pair

@test "wan: over ssh, the only cell is the real link, with all keys" {
	need Xvnc xdotool ping
	pair_cell wan --protocol vnc --keys 8 --typing none --repeat 1 --idle 1
	[ "$(jq '.cells | length' "$RUN/run.json")" = 1 ]
	[ "$(pair_keys "$RUN"/cells/*/1)" = 11 ]
}

@test "wan: --link measure emulates the link between two machines; run.json has the measured values" {
	need Xvnc xdotool ping
	run env TMPDIR="$W" THINPROBE_STATE="$W/state" timeout -k 10 900 bash "$TOP/tests/lab/sshpair.sh" run "$TOP/thinprobe" run \
		wan \
		--protocol vnc --link measure:tp-server,tp-client --keys 4 --typing none --repeat 1 --idle 1 -o "$RUN"
	echo "$output"
	[ "$status" != 4 ] || skip "$(grep '^thinprobe: ' <<<"$output" | tail -n 1)"
	[ "$status" = 0 ]
	# tbf limits each direction to 100 Mbit/s
	jq -e '.settings | .link == .link_measured.link and (.link_measured | .hosts == "tp-server,tp-client" and .rtt_ms > 0
		and .down_mbit_s < 110 and .up_mbit_s < 110 and .down_mbit_s > 1 and .up_mbit_s > 1 and .down_lost_percent < 100)' \
			"$RUN/run.json"
	[ "$(jq '.settings.rtts_ms | length' "$RUN/run.json")" = 1 ]
}
