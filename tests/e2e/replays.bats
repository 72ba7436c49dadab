#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions replayed on the emulated hosts, small: recorded on a desk, replayed on a slower CPU and
# on a loaded disk of its own; nothing left.

bats_require_minimum_version 1.5.0
load ../not_here
load left

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export THINPROBE_STATE=$BATS_FILE_TMPDIR/state
	for tool in Xvnc xset xdotool openbox mousepad gnuplot cmark; do
		command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 0; }
	done
	printf '%s\n' '200 move 400,400' '200 button 3 click' '300 Escape' '200 ctrl+alt+t' \
		'1500 move 107,12' '200 button 1 click' '300 Escape' >"$BATS_FILE_TMPDIR/a script"
	cd /
	groups >"$BATS_FILE_TMPDIR/groups.before"
}

ran() {	# ran EXPERIMENT OPTION...: sets RUN, status
	RUN="$BATS_FILE_TMPDIR/$1 run"
	status=0
	"$TOP/thinprobe" run "$@" --script "$BATS_FILE_TMPDIR/a script" --quick -o "$RUN" \
		>"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" 3>&- || status=$?
	cat "$BATS_FILE_TMPDIR/err" "$BATS_FILE_TMPDIR/out"
	if [ "$status" = 4 ]; then skip "$(tail -n 1 "$BATS_FILE_TMPDIR/err")"; fi
	groups >"$BATS_FILE_TMPDIR/groups.after"
}

whole() {	# all inputs delivered in every replay, the same responses found in both
	[ "$status" = 0 ]
	[ "$(jq -r .state "$RUN/run.json")" = complete ]
	[ "$(jq -s 'all(.[]; .state == "complete" and .play.inputs == .play.inputs_of_trace
		and .play.inputs > 5)' "$RUN"/cells/*/1/cell.json)" = true ]
	for f in session.trace analysis.json summary.tsv points.tsv report.html figures/total.svg figures/cdf.svg; do
		[ -s "$RUN/$f" ]
	done
	grep -q '^1\. ' "$BATS_FILE_TMPDIR/out"
	if groups_left; then return 1; fi
	[ -z "$(find "$RUN" -type p -o -name '*.new')" ]
}

@test "cpuspeed: a session recorded here is replayed at both speeds; the quota held it back" {
	ran cpuspeed --speeds 100,25
	whole
	[ "$(jq '.facts.throttled_s > 0' "$RUN/cells/25/1/cell.json")" = true ]
	[ "$(jq '.facts.throttled_s' "$RUN/cells/100/1/cell.json")" = 0 ]
	# the editor's start is a response that both replays have
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["setting"] == "25" && $at["kind"] == "key" && $at["latency_ms"] > 30 { n++ } END { exit !n }' "$RUN/points.tsv"
}

# bats test_tags=all
@test "diskload: the session is read from its own disk, beside the load that was asked for; nothing of the disk is left" {
	command -v fio >/dev/null || skip "fio is not installed"
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	ran diskload --rates 0,50
	whole
	[ "$(jq '.disk.files > 50 and .disk.kind == "slow"' "$RUN/run.json")" = true ]
	[ "$(jq '.disk.reads > 50 and .caches == "dropped"' "$RUN/cells/0/1/cell.json")" = true ]
	[ "$(jq '.facts.load_reads_per_s > 0 and .facts.load_reads_per_s < 65' "$RUN/cells/50/1/cell.json")" = true ]
	[ -z "$(find /var/tmp -maxdepth 1 -name 'thinprobe-disk-*' -newer "$BATS_FILE_TMPDIR/groups.before")" ]
}
