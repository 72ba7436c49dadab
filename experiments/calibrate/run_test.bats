#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A short calibration from end to end: its offsets against an independent reading of the same logs, its record, and a run that uses
# the record.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/not_here

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/experiments/*}
	export RUN="$BATS_FILE_TMPDIR/a run"
	export THINPROBE_STATE=$BATS_FILE_TMPDIR/state HOME=$BATS_FILE_TMPDIR/home
	for tool in Xvfb xauth xset; do command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 0; }; done
	cd /
	# the record of a path that is not measured must stay
	mkdir -p "$THINPROBE_STATE"
	jq -n --arg machine "$(. "$TOP/lab/calibration.sh"; calibration_machine)" \
		'{schema: "thinprobe.calibration/1", machine: $machine, started: "2026-01-01T00:00:00Z",
		paths: [{path: "vnc", probe: "patch", error_ms: 9.7}, {path: "x11", probe: "patch", error_ms: 77, quick: true}]}' \
		>"$THINPROBE_STATE/calibration.json"
	cp "$THINPROBE_STATE/calibration.json" "$BATS_FILE_TMPDIR/before.json"
	# interrupted after the first train, then finished
	"$TOP/thinprobe" calibrate --protocol vnc:refecho,x11 --time 1 --repeat 1 -o "$RUN" >/dev/null 2>&1 3>&- &
	driver=$!
	for _ in $(seq 3600); do
		[ -n "$(find "$RUN/cells" -name cell.json 2>/dev/null)" ] && break
		kill -0 "$driver" 2>/dev/null || break
		sleep 0.1
	done
	kill -TERM "$driver"
	status=0
	wait "$driver" || status=$?
	echo "$status $(jq -r .state "$RUN/run.json") $(cmp "$THINPROBE_STATE/calibration.json" "$BATS_FILE_TMPDIR/before.json" &&
		echo untouched)" >"$BATS_FILE_TMPDIR/interrupted"
	real_run "$RUN" "$TOP/thinprobe" calibrate --resume "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err" 3>&-
	echo "$status" >"$BATS_FILE_TMPDIR/status"
}

# Skips where server and client share CPUs: then nothing is recorded.
kept() {
	[ "$(jq .lab.shared_cpus "$RUN/run.json")" = false ] || skip "server and client share CPUs here"
}

figure() {	# figure PATH DELAY COLUMN
	awk -F'\t' -v path="$1" -v delay="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["path"] == path && $at["probe"] == "patch" && $at["delay"] == delay { print $at[name] }' "$RUN/summary.tsv"
}

@test "calibrate: the run is complete, with table, figure, report and record" {
	cat "$BATS_FILE_TMPDIR/err"
	run_complete "$RUN" "$(cat "$BATS_FILE_TMPDIR/status")"
	for f in summary.tsv report.md report.html figures/offset.svg calibration.json; do [ -s "$RUN/$f" ]; done
	[ "$(finding "$RUN" vnc-refecho-patch unit)" = ms ]
	[ "$(jq -r '[.paths[] | select(.probe == "patch") | .path] | join(" ")' "$RUN/calibration.json")" = "vnc-refecho x11" ]
	[ ! -e "$HOME" ]
}

@test "calibrate: interrupted, it ends with 130 and leaves the record unchanged" {
	[ "$(cat "$BATS_FILE_TMPDIR/interrupted")" = "130 interrupted untouched" ]
}

@test "calibrate: it replaces the measured paths in the record, marked quick, and keeps the others" {
	kept
	record=$THINPROBE_STATE/calibration.json
	[ "$(jq -r '[.paths[] | select(.probe == "patch") | .path] | join(" ")' "$record")" = "vnc vnc-refecho x11" ]
	[ "$(jq '.paths[] | select(.path == "vnc") | .error_ms' "$record")" = 9.7 ]
	[ "$(jq '[.paths[] | select(.path != "vnc")]' "$record")" = "$(jq .paths "$RUN/calibration.json")" ]
	[ "$(jq '[.paths[] | select(.path != "vnc") | .quick] | all' "$record")" = true ]
}

@test "calibrate: every key is answered, later than its injected delay" {
	usable "$RUN"
	for path in vnc-refecho x11; do
		[ "$(figure "$path" all keys)" = 120 ]
		[ "$(figure "$path" all lost)" = 0 ]
		for delay in 0 5 20 80; do
			awk -v nominal="$delay" -v injected="$(figure "$path" "$delay ms" injected_ms)" \
				-v least="$(figure "$path" "$delay ms" offset_min_ms)" \
				'BEGIN { exit !(injected >= nominal && least > 0) }'
		done
		# delays have both modes of the list, 2 and 15 ms, and none is below 2 ms
		awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ ms = ($at["flushed_ns"] - $at["received_ns"]) / 1e6; if (ms < 2) bad = 1; if (ms < 12) early++; if (ms >= 15) late++ }
			END { exit !(!bad && early && late) }' "$(cell_of "$RUN" path="$path" delay="2 or 15 ms")/1/echo.tsv"
	done
}

@test "calibrate: the median offset equals that of an independent script over the same logs" {
	for path in vnc-refecho x11; do
		expected=$(python3 - "$(cell_of "$RUN" path="$path" delay="20 ms")/1" <<'END'
import csv, statistics, sys
def rows(name):
    return list(csv.DictReader(open(sys.argv[1] + name), delimiter="\t"))
echo = {r["seq"]: r for r in rows("/echo.tsv")}
def in_server(k):
    return int(echo[k["key"]]["flushed_ns"]) - int(echo[k["key"]]["received_ns"])
print("%.4f" % statistics.median([(int(k["answer_ns"]) - int(k["sent_ns"]) - in_server(k)) / 1e6
      for k in rows("/samples.tsv") if k["skipped"] == "0"]))
END
)
		awk -v a="$expected" -v b="$(figure "$path" '20 ms' offset_ms)" \
			'BEGIN { d = a - b; exit !(d < 0.0002 && d > -0.0002) }'
	done
}

@test "calibrate: a later run has the record in run.json and prints the probe's own error" {
	kept
	run "$TOP/thinprobe" run stalls --protocol vnc:refecho --quick --loads 0 --time 2 --repeat 1 --idle 1 \
		-o "$BATS_TEST_TMPDIR/run"
	echo "$output"
	[ "$status" = 0 ]
	cmp <(jq -S .calibration "$BATS_TEST_TMPDIR/run/run.json") <(jq -S . "$THINPROBE_STATE/calibration.json")
	grep -qE '^probe: own error ± [0-9.]+ ms from pixels \(calibrated 20[0-9-]+\)( \(from a disturbed calibration\))? \(quick\)' \
		<<<"$output"
}
