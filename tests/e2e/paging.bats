#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Paging on the emulated hosts, small: two ways out of memory, one protected session, each proven by
# the kernel's own figures; nothing left.
# bats file_tags=alone:swap

bats_require_minimum_version 1.5.0
load ../not_here
load left

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export RUN="$BATS_FILE_TMPDIR/a run"
	export THINPROBE_STATE=$BATS_FILE_TMPDIR/state
	for tool in Xvnc xset xterm xdotool; do command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 0; }; done
	cd /
	groups >"$BATS_FILE_TMPDIR/groups.before"
	status=0
	"$TOP/thinprobe" run paging --protocol vnc --swap file --sessions plain,locked --methods cgroup,busy \
		--runs 1 --repeat 1 --server-memory 256M -o "$RUN" \
		>"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" 3>&- || status=$?
	groups >"$BATS_FILE_TMPDIR/groups.after"
	echo "$status" >"$BATS_FILE_TMPDIR/status"
	if [ "$status" = 4 ]; then not_here "$(tail -n 1 "$BATS_FILE_TMPDIR/err")"; return 0; fi
}

report() { jq "$2" "$RUN/cells/$1/1/pagein.json"; }

@test "paging: the run is complete, with its figures, table, findings and one run over time" {
	cat "$BATS_FILE_TMPDIR/err" "$BATS_FILE_TMPDIR/out"
	[ "$(cat "$BATS_FILE_TMPDIR/status")" = 0 ]
	[ "$(jq -r .state "$RUN/run.json")" = complete ]
	[ "$(jq '.settings.cells | length' "$RUN/run.json")" = 3 ]
	for f in summary.tsv runs.tsv timeline.tsv report.html figures/first-key.svg figures/timeline.svg; do [ -s "$RUN/$f" ]; done
	grep -q '^ vnc, swap on file, cgroup ' "$BATS_FILE_TMPDIR/out"
}

@test "paging: what counts as paged out was in swap, and was read from there after the key" {
	for cell in vnc.file.plain.cgroup vnc.file.plain.busy; do
		report "$cell" '.result.runs[1]'
		[ "$(report "$cell" '.result.runs | map(.state)[0]')" = '"in_memory"' ]
		if [ "$(report "$cell" '.result.runs[1].state')" != '"paged_out"' ]; then
			# so the report must say: in no figure
			[ "$(report "$cell" '.result.runs[1] | .first_key_ms == null and (.why | length > 0)')" = true ]
			grep -q 'Not evicted, and so in no figure' "$BATS_FILE_TMPDIR/out"
			continue
		fi
		[ "$(report "$cell" '.result.runs[1] | all(.processes[]; .swap_bytes >= 0.9 * .anonymous_private_bytes
			and .anonymous_private_bytes > 0) and ([.processes[].major_faults] | add) > 0')" = true ]
		[ "$(report "$cell" '.result.runs[1] | .swap_in_bytes > 0 and .first_key_ms > 0')" = true ]
		[ "$(report "$cell" '[.result.runs[1].processes[].name] | sort | join(" ") | test("vi.* xterm")')" = true ]
	done
}

@test "paging: a locked session stays in memory under the same pressure" {
	report vnc.file.locked.busy '.result.runs[1]'
	[ "$(report vnc.file.locked.busy '.result.runs[1] | .state == "kept"
		and all(.processes[]; .swap_bytes == 0 and .major_faults == 0 and .locked_bytes > 0)')" = true ]
}

@test "paging: nothing is left: no group (the last to go, after the swap), no pipe, no copy" {
	if groups_left; then return 1; fi
	[ -z "$(find "$RUN" -type p -o -name '*.new' -o -name copies)" ]
}
