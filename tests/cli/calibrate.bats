#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Calibration: figures of a made-up run worked out by formula, its report, the record and who carries it, and what a later
# report says of figures below the probe's own error. Nothing here touches the user's own record.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	REPORT=$TOP/report
	SUMMARIZE=$TOP/bin/summarize
	MAKE_RUN=$BATS_TEST_DIRNAME/../golden/make_run.sh
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
}

# 45 keys a train, five of them warm-up; of the others every offset from FROM to FROM + 39 us comes just once (7 and 40 have no
# common factor): 100 us there, the rest back. The delay injected is what the log says, not what the settings say.
make_calibration() {	# make_calibration PATH:FROM_US...
	local spec path delay=0 ms
	rm -rf run
	mkdir -p run
	jq -n --args '{schema: "thinprobe.run/1", experiment: "calibrate", version: "0", started: "2026-11-20T10:00:00Z", ended: "2026-11-20T10:03:00Z", state: "complete",
		command: "thinprobe calibrate", settings: {paths: [$ARGS.positional[] | split(":")[0]], delays: [{name: "0 ms", ms: 0}, {name: "5 ms", ms: 5}, {name: "5 to 15 ms", ms: null}],
			repeats: 2, seconds: 2, rate_per_s: 25, seed: 1, link: "100Mbit"},
		protocols: {vnc: {says: "VNC (Xvnc 1.12, 60 frames/s)", frame_rate_per_s: 60, floor_ms: 8.33}, "vnc-refecho": {says: "VNC (refecho)", floor_ms: 0}, x11: {says: "remote X", floor_ms: 0}},
		lab: {rate: "100Mbit", shared_cpus: false, rootless: false, real_time: true}, host: {kernel: "Linux 6.1"}, cells: {total: 6, complete: 6}}' "$@" >run/run.json
	for spec in "$@"; do
		path=${spec%%:*}
		for delay in 0 1 2; do
			ms=$((delay * 5))
			for repeat in 1 2; do
				mkdir -p "run/cells/$path-00$delay/$repeat"
				echo '{"schema": "thinprobe.cell/1", "state": "complete", "marked": ""}' >"run/cells/$path-00$delay/$repeat/cell.json"
				awk -v from="${spec#*:}" -v ms="$ms" -v keys="run/cells/$path-00$delay/$repeat/samples.tsv" -v log_="run/cells/$path-00$delay/$repeat/echo.tsv" -v wire="run/cells/$path-00$delay/$repeat/wire.tsv" 'BEGIN {
					print "schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped" >keys
					print "schema\tseq\treceived_ns\tdraw_ns\tflushed_ns\tdropped\tcoalesced" >log_
					print "schema\tkind\tn\ttime_ns\tend_ns\tpackets\tbytes\tkey\tlow_ns\thigh_ns\texact\tblock" >wire
					for (k = 1; k <= 45; k++) {
						sent = 1e12 + k * 4e7; received = sent + 1e5; flushed = received + ms * 1e6 + 12345
						answer = flushed + (from + k * 7 % 40) * 1000 - 1e5
						printf "keys/1\t%d\t%.0f\t%.0f\t%.0f\t\t\t%d\n", k, sent, sent, (k > 5 ? answer : answer + 9e7), (k <= 5) >keys
						printf "echo/1\t%d\t%.0f\t%.0f\t%.0f\t0\t0\n", k, received, flushed - 1000, flushed >log_
						# seen 40 us before it was received; the answer is on the wire 300 ns before it is logged, and something 90 us before that
						printf "wire/1\tupdate\t\t%.0f\t%.0f\t1\t9\t\t\t\t\t\n", flushed - 9e4, flushed - 9e4 >wire
						printf "wire/1\tupdate\t\t%.0f\t%.0f\t1\t99\t\t\t\t\t\n", flushed - 300, flushed >wire
						printf "wire/1\tkey\t\t%.0f\t\t\t\t%d\t\t\t\t\n", received - 4e4, k >wire
					} }'
			done
		done
	done
}

cell() {	# cell PATH PROBE DELAY COLUMN
	awk -F'\t' -v path="$1" -v probe="$2" -v delay="$3" -v name="$4" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["path"] == path && $at["probe"] == probe && $at["delay"] == delay { print $at[name] }' run/summary.tsv
}

near() {	# near VALUE EXPECTED: to the last digit printed
	awk -v v="$1" -v e="$2" 'BEGIN { d = v - e; exit !(v != "" && d <= 0.00011 && d >= -0.00011) }' || { echo "$1, not $2" >&2; return 1; }
}

record() {	# record ERROR_MS SD_MS: of this machine
	mkdir -p "$THINPROBE_STATE"
	jq -n --arg machine "$(. "$TOP/lab/calibration.sh"; calibration_machine)" --argjson error "$1" --argjson sd "$2" '{schema: "thinprobe.calibration/1", machine: $machine,
		started: "2026-11-20T10:00:00Z", paths: [
			{path: "vnc-refecho", probe: "patch", server: "VNC (refecho)", n: 1020, offset_ms: ($error / 2), sd_ms: $sd, tail_percent: 99, tail_ms: ($error / 2), error_ms: $error, floor_ms: 0},
			{path: "vnc", probe: "patch", server: "VNC (Xvnc 1.12, 60 frames/s)", n: 1020, offset_ms: 8.7, sd_ms: 0.3, tail_percent: 99, tail_ms: 1, error_ms: 9.7, floor_ms: 8.33}]}' \
		>"$THINPROBE_STATE/calibration.json"
}

carried() {	# the record as a run carries it, put into the made-up run
	jq --argjson c "$(. "$TOP/lab/calibration.sh"; calibration_record)" '.calibration = $c' run/run.json >new && mv new run/run.json
}

@test "offset, spread, there and back of a made-up run, by formula" {
	make_calibration x11:250
	"$SUMMARIZE" --format json -o out run
	[ "$(jq -c .result out)" = '{"trains_complete":6,"trains_failed":0,"trains_marked":0,"summary_rows":8}' ]
	[ "$(cell x11 patch '0 ms' keys)" = 80 ]
	[ "$(cell x11 patch all keys)" = 240 ]
	near "$(cell x11 patch '0 ms' injected_ms)" 0.0123
	near "$(cell x11 patch '5 ms' injected_ms)" 5.0123
	# 250 to 289 us: the median is 269.5, the smallest 250, the largest 289
	near "$(cell x11 patch all offset_ms)" 0.2695
	near "$(cell x11 patch all offset_min_ms)" 0.25
	near "$(cell x11 patch all offset_max_ms)" 0.289
	# 40 whole numbers in a row, each six times: 240/239 (40^2 - 1) / 12
	near "$(cell x11 patch all sd_ms)" "$(awk 'BEGIN { print sqrt(240 / 239 * 1599 / 12) / 1000 }')"
	# ten beyond: of 240 keys the 95th percentile, at place 227.05 of six each: 37.05
	[ "$(cell x11 patch all tail_percent)" = 95 ]
	near "$(cell x11 patch all tail_ms)" 0.01755
	near "$(cell x11 patch all error_ms)" 0.28705
	near "$(cell x11 patch all there_ms)" 0.1
	near "$(cell x11 patch all back_ms)" 0.1695
	near "$(cell x11 patch '5 to 15 ms' less_base_ms)" 0
	# on the wire: 40 us there, 0.3 us too early back
	[ "$(cell x11 wire all keys)" = 240 ]
	near "$(cell x11 wire all offset_ms)" 0.0397
	near "$(cell x11 wire all there_ms)" 0.04
	near "$(cell x11 wire all back_ms)" -0.0003
	near "$(cell x11 wire all sd_ms)" 0
	# nothing was captured: no row for it
	rm run/cells/*/*/wire.tsv
	"$SUMMARIZE" run
	[ -z "$(cell x11 wire all keys)" ]
	[ "$(cell x11 patch all keys)" = 240 ]
}

@test "a train that is not complete is left out; a broken file is named" {
	make_calibration x11:250
	rm run/cells/x11-001/2/cell.json
	run "$SUMMARIZE" run
	[ "$status" = 3 ]
	[ "$(cell x11 patch '5 ms' keys)" = 40 ]
	cp run/summary.tsv before
	echo "keys/1	46	x" >>run/cells/x11-000/1/samples.tsv
	run --separate-stderr "$SUMMARIZE" run
	[ "$status" = 1 ]
	[[ $stderr == *"cells/x11-000/1/samples.tsv: line 47 cannot be read" ]]
	cmp before run/summary.tsv
	rm run/cells/x11-000/1/echo.tsv
	sed -i '$d' run/cells/x11-000/1/samples.tsv
	run --separate-stderr "$SUMMARIZE" run
	[[ $stderr == *"cells/x11-000/1/echo.tsv: No such file or directory" ]]
}

@test "a number of repeats that no calibration has is refused" {
	local repeats

	make_calibration x11:250
	for repeats in 9000000000000000000 1001 0 -1; do
		sed -i "s/\"repeats\": [-0-9]*/\"repeats\": $repeats/" run/run.json
		run timeout 10 "$SUMMARIZE" run
		echo "$status $output"
		[ "$status" = 1 ]
		[ "$output" = "summarize: run/run.json: settings.repeats is not 1 to 1000" ]
		[ ! -e run/summary.tsv ]
	done
}

@test "findings: a floor is the server's, a miss is said, and the page is whole" {
	for tool in gnuplot cmark; do command -v $tool >/dev/null || skip "$tool is not installed"; done
	make_calibration vnc-refecho:150 vnc:8600 x11:1200
	"$REPORT/report.sh" run
	"$REPORT/findings.sh" run >findings
	cat findings
	grep -qF '1. vnc:refecho from pixels: off by 0.17 ms (median of 240 keys), spread 0.01 ms (sd), p95 − p50 0.02 ms. 95 % of keys are within 0.19 ms of what really happened.' findings
	grep -qF '3. vnc from pixels: 8.62 ms later than the application answered' findings
	grep -qF 'Of this 8.33 ms would be half a frame of the server'\''s clock (60 a second); 0.29 ms are left' findings
	grep -qF 'More than this probe needs (offset below 1 ms, spread below 0.5 ms) on: x11.' findings
	"$REPORT/table.sh" run | grep -E '^ x11 +patch +all +240 '
	grep -q '<svg' run/report.html
	grep -qF '| x11 | patch | all | 240 |' run/report.md
	[ "$("$REPORT/record.sh" run | jq -r '[.paths[] | select(.probe == "patch") | .path, .probe, .n, .error_ms] | map(tostring) | join(" ")')" = \
		"vnc-refecho patch 240 0.187 vnc patch 240 8.637 x11 patch 240 1.237" ] || "$REPORT/record.sh" run | jq -e '[.paths[] | select(.probe == "patch") | .error_ms] | (.[0] - 0.187 | fabs) < 0.0002 and (.[1] - 8.637 | fabs) < 0.0002 and (.[2] - 1.237 | fabs) < 0.0002'
}

@test "the record: carried on its machine, not on another; state folder by override, XDG, home" {
	. "$TOP/lab/calibration.sh"
	[ "$(calibration_record)" = null ]
	[ "$(calibration_file)" = "$THINPROBE_STATE/calibration.json" ]
	[ "$(THINPROBE_STATE='' XDG_STATE_HOME=/x calibration_file)" = /x/thinprobe/calibration.json ]
	[ "$(THINPROBE_STATE='' XDG_STATE_HOME='' HOME=/h calibration_file)" = /h/.local/state/thinprobe/calibration.json ]
	record 0.3 0.05
	[ "$(calibration_record | jq .paths[0].error_ms)" = 0.3 ]
	jq '.machine = "another"' "$THINPROBE_STATE/calibration.json" >new && mv new "$THINPROBE_STATE/calibration.json"
	[ "$(calibration_record)" = null ]
	run "$TOP/thinprobe" doctor
	[[ $output == *"the record is of another machine or kernel"* ]]
	echo '{"schema": ' >"$THINPROBE_STATE/calibration.json"
	[ "$(calibration_record)" = null ]
	# whole or not at all
	if echo 'no json' | calibration_save; then return 1; fi
	[ "$(cat "$THINPROBE_STATE/calibration.json")" = '{"schema": ' ]
	echo '{"schema": "thinprobe.calibration/1"}' | calibration_save
	[ "$(ls "$THINPROBE_STATE")" = calibration.json ]
	# who comes while another writes waits, and none loses what it found
	rm "$THINPROBE_STATE/calibration.json"
	for n in 1 2 3 4 5 6 7 8; do echo '{"schema": "thinprobe.calibration/1", "paths": [{"path": "p'$n'"}]}' | calibration_add >/dev/null & done
	wait
	[ "$(calibration_record | jq '.paths | length')" = 8 ]
	[ "$(ls "$THINPROBE_STATE")" = calibration.json ]
	if echo '{"schema": 1}' | THINPROBE_STATE=/dev/null/x calibration_save; then return 1; fi
	record 0.3 0.05
	run "$TOP/thinprobe" doctor
	[[ $output == *"calibrated 2026-11-20: vnc:refecho ± 0.3 ms"* ]]
}

@test "the record: quick or disturbed is marked where it is named, and replaces only what is one or the other" {
	for tool in gnuplot cmark; do command -v $tool >/dev/null || skip "$tool is not installed"; done
	. "$TOP/lab/calibration.sh"
	paths() { calibration_record | jq -r '[.paths[] | select(.probe == "patch") | "\(.path) \(.n) \(.quick) \(.disturbed)"] | join(", ")'; }
	merge() { "$REPORT/report.sh" run >/dev/null && "$REPORT/record.sh" run | calibration_add >merged; }
	make_calibration x11:250
	jq '.settings.seconds = 1' run/run.json >new && mv new run/run.json
	merge
	[ "$(paths)" = "x11 240 true false" ]
	run "$TOP/thinprobe" doctor
	[[ $output == *"x11 ± 0.29 ms (quick)"* ]]
	# half of the trains is not over half
	make_calibration x11:250 vnc-refecho:250
	mark() { local f; for f in run/cells/x11-00"$1"/*/cell.json; do jq '.marked = "it was"' "$f" >new && mv new "$f"; done; }
	mark 0
	jq '.marked = "it was"' run/cells/x11-001/1/cell.json >new && mv new run/cells/x11-001/1/cell.json
	merge
	[ "$(paths)" = "x11 240 false false, vnc-refecho 240 false false" ] || [ "$(paths)" = "vnc-refecho 240 false false, x11 240 false false" ]
	# the record loses x11, and a disturbed one comes: kept, and marked
	jq 'del(.paths[] | select(.path == "x11"))' "$THINPROBE_STATE/calibration.json" >new && mv new "$THINPROBE_STATE/calibration.json"
	mark 1
	merge
	[[ $(paths) == *"x11 240 false true"* ]]
	run "$TOP/thinprobe" doctor
	[[ $output == *"x11 ± 0.29 ms (from a disturbed calibration)"* ]]
	# ... but not in the place of a full and quiet one, of which every byte stays
	make_calibration x11:250
	merge
	[[ $(paths) == *"x11 240 false false"* ]]
	before=$(calibration_record)
	jq '.settings.seconds = 1' run/run.json >new && mv new run/run.json
	mark 1
	merge
	[ "$(calibration_record)" = "$before" ]
	mark 2
	merge
	[ "$(calibration_record)" = "$before" ]
}

@test "below the probe's own error there is no number in table, findings and report; the TSV keeps it" {
	for tool in gnuplot cmark; do command -v $tool >/dev/null || skip "$tool is not installed"; done
	# light: 9 to 11 ms; heavy 18 ms at 0 sinks
	record 10.5 8
	"$MAKE_RUN" run
	carried
	"$REPORT/report.sh" run
	"$REPORT/table.sh" run >table
	cat table
	# p50 9.99 and 50 us more a sink: below up to ten of them; p90 10.79: above
	grep -qE '^ +0 \| +below resolution +10\.8 ' table
	[ "$(grep -o 'below resolution' table | wc -l)" -lt 4 ]
	"$REPORT/findings.sh" run >findings
	grep -qF "Without load an echo takes less than the probe's own error (10.5 ms)." findings
	grep -qF 'is smaller than the probe'\''s own error (10.5 ms).' run/report.md
	# latencies of the light application without load; jitter below 8 x sqrt(2) = 11.3 ms (16.7 / sqrt(6) = 6.8 of the schedule)
	awk -F' [|] ' '/^### vim/ { vim = 1 } /^### heavy/ { vim = 0 } vim && /^[|] 0 / { print }' run/report.md >rows
	sed -n 1p rows | grep -q 'below resolution'
	[ "$(sed -n 2p rows | grep -o 'below resolution' | wc -l)" -ge 3 ]
	if grep -E '[|(] ?(9\.9|10\.0)' rows; then return 1; fi
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["app"] == "light" && $at["sinks"] == 0 { exit !($at["latency_p50_ms"] > 9 && $at["latency_p50_ms"] < 10.5 && $at["jitter_sd_ms"] > 0) }' run/summary.tsv
	# the same run without a calibration has its numbers
	jq '.calibration = null' run/run.json >new && mv new run/run.json
	"$REPORT/report.sh" run
	if "$REPORT/table.sh" run | grep 'below resolution'; then return 1; fi
	grep -qF 'The path through pixels is not calibrated on this machine (thinprobe calibrate).' run/report.md
}

@test "a run over Xvnc takes its own error from the path without a clock, and names the server's share" {
	for tool in gnuplot cmark; do command -v $tool >/dev/null || skip "$tool is not installed"; done
	record 0.3 0.05
	"$MAKE_RUN" run
	carried
	"$REPORT/report.sh" run
	grep -qF 'Calibrated 2026-11-20 on this machine with known delays, on VNC (refecho), 1020 keys: from pixels off by 0.15 ms (median), spread 0.05 ms (sd); 99 % of keys within 0.30 ms' run/report.md
	grep -qF 'Through VNC (Xvnc 1.12, 60 frames/s) an answer came 8.70 ms late (spread 0.30 ms), of which half a frame would be 8.33 ms' run/report.md
	if "$REPORT/table.sh" run | grep 'below resolution'; then return 1; fi
	# no path of that name is on record
	jq '.settings.protocol = "x11"' run/run.json >new && mv new run/run.json
	"$REPORT/report.sh" run
	grep -qF 'The path through pixels is not calibrated on this machine' run/report.md
	# nor does this machine's record hold for others
	jq '.settings.on = "ssh:a,b"' run/run.json >new && mv new run/run.json
	"$REPORT/report.sh" run
	grep -qF 'not calibrated: the record of thinprobe calibrate holds for the emulated hosts of its own machine' run/report.md
}

@test "bad options of calibrate name the thing, cost nothing and exit 2" {
	for bad in '--protocol rdp' '--protocol vnc,vnc' '--seconds 0' '--seconds x' '--repeat 0' '--seed -1' '--link fast' '--nonsense' '--resume /nowhere' '--protocol'; do
		# shellcheck disable=SC2086
		run --separate-stderr "$TOP/thinprobe" calibrate $bad
		[ "$status" = 2 ] || { echo "$bad: $status" >&2; return 1; }
		[ "$(wc -l <<<"$stderr")" = 1 ]
		[ -z "$output" ]
	done
	[ ! -e "$THINPROBE_STATE" ]
}

@test "a driver that has lost its keeper before it began does not begin; one started by a run has its own" {
	EXP_KEPT=1 run "$TOP/experiments/calibrate.sh" --help
	[ "$status" = 130 ]
	[ -z "$output" ]
	run env -u EXP_KEPT "$TOP/experiments/calibrate.sh" --help
	[ "$status" = 0 ]
	# nothing of the keeper is handed on
	printf '%s\n' "TP_HOME='$TOP'; . '$TOP/experiments/lib.sh'" 'echo "kept: ${EXP_KEPT-nothing}"; "$TP_HOME/experiments/calibrate.sh" --help | head -n 1' >driver
	run bash driver
	[ "$status" = 0 ]
	[[ $output == "kept: nothing"*"usage: thinprobe calibrate"* ]]
}
