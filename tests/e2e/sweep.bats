#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A sweep of two cells on emulated hosts, killed in the middle and resumed. What it measures once is measured again if a test of
# kernel switches runs beside it, so none does.
# bats file_tags=alone:switches

load ../busy
load ../not_here

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export DIR="$BATS_FILE_TMPDIR/a sweep"
	printf '%s\n' 'experiment stalls' 'app light' 'loads 0 1' 'repeat 1' 'time 2' 'idle 2' quick >"$BATS_FILE_TMPDIR/file"
}

# Ends what a failed test has left in the background.
teardown() { [[ " $(jobs -pr | xargs) " != *" ${sweep-none} "* ]] || kill "$sweep"; }

there() { find "$DIR"/stalls/cells -mindepth 3 -maxdepth 3 -name cell.json 2>/dev/null | wc -l; }
ours() { grep -lsF -f <(printf %s "$DIR") /proc/[0-9]*/cmdline | wc -l; }

@test "sweep: killed after its first cell, it leaves that cell intact and no process" {
	local i
	"$TOP/thinprobe" sweep "$BATS_FILE_TMPDIR/file" -o "$DIR" >"$BATS_FILE_TMPDIR/out" 2>&1 3>&- &
	sweep=$!
	for ((i = 0; i < 3000; i++)); do
		[ "$(there)" = 0 ] && kill -0 "$sweep" 2>/dev/null || break
		sleep 0.1
	done
	[ "$(there)" -ge 1 ] || { cat "$BATS_FILE_TMPDIR/out" "$DIR"/log/*; return 1; }
	kill -9 "$sweep" 2>/dev/null || skip "the sweep was at its end before it was killed"
	wait "$sweep" || true
	for ((i = 0; i < 300; i++)); do [ "$(ours)" != 0 ] || break; sleep 0.1; done
	[ "$(ours)" = 0 ]
	jq -e '.state == "complete"' "$DIR"/stalls/cells/*/1/cell.json >/dev/null
	cp "$DIR"/pairs/*.json "$BATS_FILE_TMPDIR/pair.json"
}

@test "sweep --resume: each cell is measured once, the first one stays unchanged, and the report has both" {
	local before
	before=$(find "$DIR/stalls/cells" -name cell.json -exec stat -c '%n %Y' {} + | sort | head -n 1)
	real_run "$DIR/stalls" "$TOP/thinprobe" sweep --resume "$DIR"
	run_complete "$DIR/stalls"
	[ "$(there)" = 2 ]
	find "$DIR/stalls/cells" -name cell.json -exec stat -c '%n %Y' {} + | grep -qxF "$before"
	jq -e '.counts.complete == 2 and .host.kernel != null' "$DIR/stalls/run.json"
	# idle noise was measured once
	jq -e '.["idle noise of vnc, light, in 2 s"].value.seconds == 2' "$BATS_FILE_TMPDIR/pair.json"
	cmp "$BATS_FILE_TMPDIR/pair.json" "$DIR"/pairs/*.json
	[ "$(jq -c .idle "$DIR"/stalls/parts/*.json | uniq -c | awk '{ print $1 }')" = 2 ]
	[ "$(awk -F'\t' 'NR > 1 && $2 == "there" && $3 == "lab"' "$DIR/cells.tsv" | wc -l)" = 2 ]
	[ "$(wc -l <"$DIR/stalls/summary.tsv")" = 3 ]
	[ -s "$DIR/stalls/report.html" ]
	# the same report again
	[ -z "$(EXP_SWEEP=sum "$TOP/experiments/engine/run.sh" stalls --resume "$DIR/stalls" -q 2>&1)" ]
	[ -z "$(ls -A "$DIR/.parts")" ]
}

# bats test_tags=all
@test "sweep: interrupted during a cell, the cell and its processes end before the sweep does" {
	local i dir="$BATS_FILE_TMPDIR/stopped" status=0
	"$TOP/thinprobe" sweep "$BATS_FILE_TMPDIR/file" -o "$dir" >"$BATS_FILE_TMPDIR/out2" 2>&1 3>&- &
	sweep=$!
	# its first keys are typed
	for ((i = 0; i < 1200; i++)); do
		if compgen -G "$dir/.parts/*/run/cells/*/1/*" >/dev/null || ! kill -0 "$sweep" 2>/dev/null; then break; fi
		sleep 0.1
	done
	kill "$sweep"
	wait "$sweep" || status=$?
	[ "$status" = 130 ] || { cat "$BATS_FILE_TMPDIR/out2"; return 1; }
	[ "$(grep -lsF -f <(printf %s "$dir") /proc/[0-9]*/cmdline | wc -l)" = 0 ]
	[ -z "$(ls -A "$dir/.parts")" ]
	[ "$(awk -F'\t' 'NR > 1 && $2 == "there"' "$dir/cells.tsv" | wc -l)" = "$(find "$dir"/stalls/cells -name cell.json | wc -l)" ]
}

# bats test_tags=all
@test "sweep: two cells are measured on hosts that came up once; of two processes with the same cell, both report success" {
	local first second status=0
	rm -rf "$DIR/stalls/cells"/* "$DIR"/log/*
	(cd "$DIR" && "$TOP/thinprobe" cell stalls/vnc-light-0.1 stalls/vnc-light-1.1) 3>&- &
	first=$!
	"$TOP/thinprobe" cell --sweep "$DIR" stalls/vnc-light-1.1 || status=$?
	wait "$first"
	[ "$status" = 0 ]
	[ "$(there)" = 2 ]
	[ "$(cat "$DIR"/log/*_*.log | grep -c '^lab: ')" -le 2 ]
	jq -e '.sweep | .seconds > 0 and (.figure | length > 0)' "$DIR"/stalls/cells/*/1/cell.json >/dev/null
}
