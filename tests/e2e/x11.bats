#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Remote X from end to end: which clients may connect, the direction of the data (against tshark), a report without words on VNC.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../cli/helpers
load ../not_here

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export RUN="$BATS_FILE_TMPDIR/run"
	for tool in Xvfb xauth xset; do command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 0; }; done
	real_run "$RUN" "$TOP/thinprobe" run stalls --protocol x11 --quick --loads 0 --time 4 --repeat 1 --idle 1 \
		--keep-captures -o "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err"
	echo "$status" >"$BATS_FILE_TMPDIR/status"
}

@test "x11: the run is complete, and run.json names the display server" {
	cat "$BATS_FILE_TMPDIR/err"
	run_complete "$RUN" "$(cat "$BATS_FILE_TMPDIR/status")"
	[ "$(jq -r '.protocol | [.server, .encryption, .compression, .floor_ms, .frame_rate_per_s] |
		map(tostring) | join(" ")' "$RUN/run.json")" = "Xvfb none none 0 null" ]
	for f in summary.tsv report.md report.html figures/latency-cdf.svg; do [ -s "$RUN/$f" ]; done
	# (without the list of versions of installed programs, which names VNC)
	run grep -i -e vnc -e 'frame timer' -e 'half a frame' <(grep -Ev '^\| ([a-z]+: )?tools |^\| calibration: ' "$RUN/report.md") \
		"$BATS_FILE_TMPDIR/out"
	echo "$output"
	[ "$status" = 1 ]
}

@test "x11: two sessions; clients without a cookie are refused on both hosts; after the stop nothing listens" {
	printf 'set -u\nLAB_RUN=%q TOP=%q\n' "$BATS_TEST_TMPDIR/lab" "$TOP" >"$BATS_TEST_TMPDIR/driver"
	cat >>"$BATS_TEST_TMPDIR/driver" <<'END'
. "$TOP/lab/lib.sh"
lab_use local
lab_up
protocol_use x11
must protocol_start one
first=$PROTOCOL_PORT
must protocol_start two
echo "$first $PROTOCOL_PORT $PROTOCOL_DISPLAY $PROTOCOL_TARGET"
lab_exec server env DISPLAY="$PROTOCOL_DISPLAY" xset q >/dev/null && echo "server may"
lab_exec client env DISPLAY=":${PROTOCOL_TARGET##*:}" xset q >/dev/null && echo "client may"
lab_exec server env DISPLAY="$PROTOCOL_DISPLAY" XAUTHORITY=/dev/null timeout 5 xset q >/dev/null 2>&1 ||
	echo "server may not without"
lab_exec client env DISPLAY=":${PROTOCOL_TARGET##*:}" XAUTHORITY=/dev/null timeout 5 xset q >/dev/null 2>&1 ||
	echo "client may not without"
protocol_stop one
lab_listens client "${first#x11:}" || echo "one stopped"
protocol_stop
lab_listens client "${PROTOCOL_PORT#x11:}" || echo "two stopped"
END
	cd /
	run bash "$BATS_TEST_TMPDIR/driver"
	echo "$output"
	[ "$status" = 0 ]
	for words in 'x11:6001 x11:6002 10.203.0.2:2 x11::2' 'server may' 'client may' 'server may not without' \
		'client may not without' 'one stopped' 'two stopped'; do
		grep -qxF "$words" <<<"$output" || { echo "missing: $words"; return 1; }
	done
}
