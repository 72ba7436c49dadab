#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The same work over a protocol, small: a text edited over remote X, what was captured against
# tshark, the end state as a picture, nothing left.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../not_here

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export RUN="$BATS_FILE_TMPDIR/a run" THINPROBE_STATE=$BATS_FILE_TMPDIR/state
	for tool in Xvfb xauth xset xdotool xterm mousepad import convert; do
		command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 0; }
	done
	cd /
	status=0
	timeout 200 "$TOP/experiments/protocols.sh" --protocol x11 --work text --quick --keys 20 \
		--idle 1 --keep-captures -o "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" 3>&- || status=$?
	echo "$status" >"$BATS_FILE_TMPDIR/status"
	if [ "$status" = 4 ]; then not_here "$(tail -n 1 "$BATS_FILE_TMPDIR/err")"; return 0; fi
}

row() {
	awk -F'\t' -v what="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["what"] == what { print $at[name] }' "$RUN/summary.tsv"
}

@test "protocols: the run is complete, with its table, findings and figures" {
	cat "$BATS_FILE_TMPDIR/err" "$BATS_FILE_TMPDIR/out"
	[ "$(cat "$BATS_FILE_TMPDIR/status")" = 0 ]
	[ "$(jq -r .state "$RUN/run.json")" = complete ]
	for f in summary.tsv report.html figures/work.svg figures/key.svg cells/x11.text/1/picture.png; do [ -s "$RUN/$f" ]; done
	[ "$(jq '.settings.scripts | length' "$RUN/run.json")" = 1 ]
	grep -q '^ x11 ' "$BATS_FILE_TMPDIR/out"
}

@test "protocols: what was captured is what tshark finds, packets and bytes" {
	command -v tshark >/dev/null || skip "tshark is not installed"
	for part in text:prototap session:keys; do
		folder="$RUN/cells/x11.${part%:*}/1"
		tshark -r "$folder/${part#*:}.pcap" -Y tcp -T fields -e frame.len 2>/dev/null |
			awk '{ n++; s += $1 } END { print n, s }' >"$BATS_TEST_TMPDIR/truth"
		[ "$(jq -r '.result.channels.total | "\(.packets) \(.wire_bytes)"' "$folder/${part#*:}.json")" \
			= "$(cat "$BATS_TEST_TMPDIR/truth")" ]
	done
}

@test "protocols: a key is two events of 32 bytes, and was echoed; the work typed, and the view came to rest" {
	# X11's events are 32 bytes; beside those of the keys there may be one or the other, such as of the pointer
	awk -v v="$(row key input_payload_bytes)" 'BEGIN { exit !(v >= 64 && v < 72) }'
	[ "$(jq .result.keys_answered "$RUN/cells/x11.session/1/keyrepeat.json")" -ge 15 ]
	[ "$(jq .result.keys_sent "$RUN/cells/x11.text/1/keyrepeat.json")" -gt 30 ]
	[ "$(jq -c '[.restless, .picture.same, .picture.differs_percent]' "$RUN/cells/x11.text/1/cell.json")" = '[false,true,0]' ]
	# letters on white: many colours at the end, the window's white the most of them
	[ "$(convert "$RUN/cells/x11.text/1/picture.png" -crop 880x600+0+40 -fill black +opaque white -format '%[fx:100*mean>50]' info:)" \
		= 1 ]
}

@test "protocols: nothing is left: no capture that was not asked for, no pipe, no log, no process" {
	[ -z "$(find "$RUN" -type p -o -name '*.new' -o -name pictures)" ]
	[ ! -e "$RUN/cells/x11.text/1/log" ]
	if grep -qzsxF "LAB_RUN=$RUN" /proc/[0-9]*/environ; then return 1; fi
}
