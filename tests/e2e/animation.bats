#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Animations from end to end, short, over remote X: new frames are sent, those that the display
# keeps are not, and what is sent is what the frames hold.

bats_require_minimum_version 1.5.0
load ../not_here

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export RUN="$BATS_FILE_TMPDIR/a run" SEARCH="$BATS_FILE_TMPDIR/a search"
	export THINPROBE_STATE=$BATS_FILE_TMPDIR/state
	for tool in Xvfb xauth xset xdotool; do command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 0; }; done
	cd /
	status=0
	"$TOP/thinprobe" run animation --protocol x11 --draw pixmap --quick --seconds 2 -o "$RUN" \
		>"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" 3>&- || status=$?
	echo "$status" >"$BATS_FILE_TMPDIR/status"
	if [ "$status" = 4 ]; then not_here "$(tail -n 1 "$BATS_FILE_TMPDIR/err")"; return 0; fi
	status=0
	"$TOP/thinprobe" run cache --protocol x11 --draw pixmap --rate 40 --most 4 -o "$SEARCH" \
		>"$BATS_FILE_TMPDIR/search.out" 2>"$BATS_FILE_TMPDIR/search.err" 3>&- || status=$?
	echo "$status" >"$BATS_FILE_TMPDIR/search.status"
}

step() { jq "$2" "$RUN/cells/x11.pixmap/1/$1/step.json"; }

@test "animation: the run is complete, with its figures, table and findings" {
	cat "$BATS_FILE_TMPDIR/err" "$BATS_FILE_TMPDIR/out"
	[ "$(cat "$BATS_FILE_TMPDIR/status")" = 0 ]
	[ "$(jq -r .state "$RUN/run.json")" = complete ]
	for f in summary.tsv bandwidth.tsv report.html figures/bandwidth.svg; do [ -s "$RUN/$f" ]; done
	grep -q '^ x11 (pixmaps) ' "$BATS_FILE_TMPDIR/out"
	grep -q 'Shown from memory, once it has been sent: x11 (pixmaps) (' "$BATS_FILE_TMPDIR/out"
}

@test "animation: a frame of remote X is 40,000 bytes and the heads of its packets; a copy is none; frames drawn are seen" {
	for s in fresh loop; do step $s .; done
	# 28 packets of 1,448 bytes, 66 of head each; the request's own head, and a tenth for what a busy
	# machine splits or sends again, or sends a little after the window's end
	[ "$(step fresh '.display_payload_bytes / .frames_shown | . > 36000 and . < 44000')" = true ]
	[ "$(step fresh '.bytes_per_frame > 41800 * .9 and .display_wire_bytes / .frames_shown < 41900 * 1.1')" = true ]
	[ "$(step loop '.bytes_per_frame < 400')" = true ]
	for s in fresh loop; do
		[ "$(step $s '.frames_shown > 0 and .frames_seen > 0 and .frames_seen <= 1.1 * .frames_shown + 1
			and .covered_percent > 99 and .cpu_percent > 0')" = true ]
	done
}

@test "cache: pixmaps have no end that is near, and the report says so" {
	cat "$BATS_FILE_TMPDIR/search.err" "$BATS_FILE_TMPDIR/search.out"
	[ "$(cat "$BATS_FILE_TMPDIR/search.status")" = 0 ]
	grep -q 'No end was found, up to 4 frames: x11 (pixmaps)' "$BATS_FILE_TMPDIR/search.out"
	for f in summary.tsv points.tsv overtime.tsv report.html figures/cliff.svg figures/overtime.svg; do [ -s "$SEARCH/$f" ]; done
}

@test "animation, cache: nothing is left: no pipe, no half file" {
	[ -z "$(find "$RUN" "$SEARCH" -type p -o -name '*.new' -o -name '*.ndjson')" ]
}
