#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# calibrate: figures of a made-up run against formulas, its findings, the record and which runs use it.
# Nothing here touches the user's own record.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/figures
load ../../tests/warm

setup() {
	begin_test
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	undrawn
}

# 45 keys a train, five of them warm-up; of the others every offset from FROM to FROM + 39 us comes just once (7 and 40 have no
# common factor): 100 us there, the rest back. The delay injected is what the log says, not what the settings say.
make_calibration() { once "$*" run made "$@"; }	# make_calibration PATH:FROM_US...
made() {
	local spec folder delay repeat
	mkdir run
	jq -n '[{name: "0 ms", ms: 0}, {name: "5 ms", ms: 5}, {name: "5 to 15 ms", ms: null}] as $delays
		| [$ARGS.positional[] | split(":")[0]] as $paths
		| {schema: "thinprobe.run/1", experiment: "calibrate", started: "2026-11-20T10:00:00Z", state: "complete",
		settings: {paths: $paths, delays: $delays, repeats: 2, seconds: 2, rate_per_s: 25, seed: 1, link: "100Mbit"},
		protocols: {vnc: {says: "VNC (Xvnc 1.12, 60 frames/s)", frame_rate_per_s: 60, floor_ms: 8.33},
			"vnc-refecho": {says: "VNC (refecho)", floor_ms: 0}, x11: {says: "remote X", floor_ms: 0}},
		lab: {rate: "100Mbit", shared_cpus: false, rootless: false, real_time: true}, axes: ["path", "delay"],
		cells: [$paths[] as $p | $delays | to_entries[] | {name: "\($p)-\(.key)", parameters: {path: $p, delay: .value.name}}]}' \
		--args "$@" >run/run.json
	for spec in "$@"; do
		for delay in 0 1 2; do
			for repeat in 1 2; do
				folder=run/cells/${spec%%:*}-$delay/$repeat
				mkdir -p "$folder"
				echo '{"schema": "thinprobe.cell/1", "state": "complete", "marked": ""}' >"$folder/cell.json"
				calibration_train "$folder" "${spec#*:}" $((delay * 5))
			done
		done
	done
}

calibration_train() {	# FOLDER FROM_US DELAY_MS
	awk -v from="$2" -v ms="$3" -v keys="$1/samples.tsv" -v echoes="$1/echo.tsv" -v wire="$1/wire.tsv" 'BEGIN {
		print "schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped" >keys
		print "schema\tseq\treceived_ns\tdraw_ns\tflushed_ns\tdropped\tcoalesced" >echoes
		print "schema\tkind\tn\ttime_ns\tend_ns\tpackets\tbytes\tkey\tlow_ns\thigh_ns\texact\tblock" >wire
		for (k = 1; k <= 45; k++) {
			sent = 1e12 + k * 4e7; received = sent + 1e5; flushed = received + ms * 1e6 + 12345
			answer = flushed + (from + k * 7 % 40) * 1000 - 1e5 + (k > 5 ? 0 : 9e7)
			printf "keys/1\t%d\t%.0f\t%.0f\t%.0f\t\t\t%d\n", k, sent, sent, answer, (k <= 5) >keys
			printf "echo/1\t%d\t%.0f\t%.0f\t%.0f\t0\t0\n", k, received, flushed - 1000, flushed >echoes
			# seen 40 us before it was received; the answer is on the wire 300 ns before it is logged, and something 90
			# us before that
			printf "wire/1\tupdate\t\t%.0f\t%.0f\t1\t9\t\t\t\t\t\n", flushed - 9e4, flushed - 9e4 >wire
			printf "wire/1\tupdate\t\t%.0f\t%.0f\t1\t99\t\t\t\t\t\n", flushed - 300, flushed >wire
			printf "wire/1\tkey\t\t%.0f\t\t\t\t%d\t\t\t\t\n", received - 4e4, k >wire
		} }'
}

cell() { field run/summary.tsv "$4" path="$1" probe="$2" delay="$3"; }	# cell PATH PROBE DELAY COLUMN

NEAR=0.00011

@test "calibrate: summary.tsv: offset, spread, error, time to the server and back, as the formulas say" {
	make_calibration x11:250
	warm summarize --format json -o out run
	jq -e '.result | .trains_complete == 6 and .trains_failed == 0 and .trains_marked == 0 and .summary_rows == 8' out
	[ "$(cell x11 patch '0 ms' keys)/$(cell x11 patch all keys)" = 80/240 ]
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
	# on the wire: 40 us to the server; back, 0.3 us before the log
	[ "$(cell x11 wire all keys)" = 240 ]
	near "$(cell x11 wire all offset_ms)" 0.0397
	near "$(cell x11 wire all there_ms)" 0.04
	near "$(cell x11 wire all back_ms)" -0.0003
	near "$(cell x11 wire all sd_ms)" 0
	# without a capture there are no wire rows
	rm run/cells/*/*/wire.tsv
	warm summarize run
	[ "$(awk -F'\t' '$3 == "wire"' run/summary.tsv | wc -l)" = 0 ]
	[ "$(cell x11 patch all keys)" = 240 ]
}

@test "calibrate: an incomplete train is excluded" {
	make_calibration x11:250
	rm run/cells/x11-1/2/cell.json
	run warm summarize run
	[ "$status" = 3 ]
	[ "$(cell x11 patch '5 ms' keys)" = 40 ]
}

@test "calibrate: findings subtract the server's frame clock; an inaccurate path is bad; the record has each path's error" {
	make_calibration vnc-refecho:150 vnc:8600 x11:1200
	drawn warm report run
	cat run/findings.json
	# the median of 40 consecutive offsets is 19.5 us above the smallest
	near "$(finding run vnc-refecho-patch)" 0.17
	[ "$(finding run vnc-refecho-patch verdict)/$(finding run vnc-patch verdict)/$(finding run x11-patch verdict)" = \
		good/none/bad ]
	[[ $(finding run vnc-patch text) == *"8.62 ms after"*"8.33 ms"*"0.29 ms"* ]]
	[[ $(verdict run) == *x11* ]]
	grep -q '<svg' run/report.html
	warm report --record run |
		jq -c '[.paths[] | select(.probe == "patch") | {path, n, e: (.error_ms * 1000 | round)}]' >record
	jq -e '. == [{path: "vnc-refecho", n: 240, e: 187}, {path: "vnc", n: 240, e: 8637}, {path: "x11", n: 240, e: 1237}]' record
}

record() {	# record ERROR_MS SD_MS: writes a record of this machine
	mkdir -p "$THINPROBE_STATE"
	jq -n --arg machine "$(. "$TOP/lab/calibration.sh"; calibration_machine)" --argjson error "$1" --argjson sd "$2" '
		{schema: "thinprobe.calibration/1", machine: $machine, started: "2026-11-20T10:00:00Z", paths: [
			{path: "vnc-refecho", probe: "patch", server: "VNC (refecho)", n: 1020, offset_ms: ($error / 2), sd_ms: $sd,
				tail_percent: 99, tail_ms: ($error / 2), error_ms: $error, floor_ms: 0},
			{path: "vnc", probe: "patch", server: "VNC (Xvnc 1.12, 60 frames/s)", n: 1020, offset_ms: 8.7, sd_ms: 0.3,
				tail_percent: 99, tail_ms: 1, error_ms: 9.7, floor_ms: 8.33}]}' >"$THINPROBE_STATE/calibration.json"
}

# The choice of paths, where only those of ABLE can run; GIVEN is an option on the command line.
choose() {	# PATHS ABLE [GIVEN]
	PATHS=$1 ABLE=$2 GIVEN=${3-} run bash -c '
		declare -A OPT=()
		EXIT_MISSING=4 ABSENT=()
		die() { printf "%s\n" "${*:2}"; exit "${1#-}"; }
		plan_given() { [ "$1" = "$GIVEN" ]; }
		app_use() { :; }
		protocol_use() { protocol=$1; }
		protocol_can() { [[ ,$ABLE, == *",$protocol,"* ]] || { echo "no $protocol"; return 1; }; }
		. "$1"
		exp_choose
		printf "%s\n" "$PATHS" ${ABSENT[@]+"${ABSENT[@]}"}' bash "$TOP/experiments/calibrate/cell.sh"
	echo "$output"
}

@test "calibrate: a default path that cannot run here is left out, and named; one of --protocol, or no path at all: exit 4" {
	choose vnc-refecho,vnc,x11 vnc:refecho,vnc,x11
	[ "$status:$output" = 0:vnc-refecho,vnc,x11 ]
	choose vnc-refecho,vnc,x11 vnc:refecho,vnc
	[ "$status:$output" = $'0:vnc-refecho,vnc\npath x11: no x11' ]
	choose vnc-refecho,x11 vnc:refecho protocol
	[ "$status:$output" = "4:x11 cannot run here: no x11 (or leave it out with --protocol)" ]
	choose vnc,x11 ""
	[ "$status:$output" = "4:no path can run here: no x11" ]
}

# What thinprobe doctor says of the record, without its look at the machine.
doctor_says() {
	TP_HOME=$TOP bash -c 'have() { :; }; row() { echo "$3"; }
		eval "$(sed -n "/^calibration() {/,/^}/p" "$TP_HOME/lab/doctor.sh")" && calibration'
}

@test "calibration record: used on its own machine only; its folder; written whole; parallel writers lose nothing" {
	. "$TOP/lab/calibration.sh"
	[ "$(calibration_record)" = null ]
	[ "$(calibration_file)" = "$THINPROBE_STATE/calibration.json" ]
	[ "$(THINPROBE_STATE='' XDG_STATE_HOME=/x calibration_file)" = /x/thinprobe/calibration.json ]
	[ "$(THINPROBE_STATE='' XDG_STATE_HOME='' HOME=/h calibration_file)" = /h/.local/state/thinprobe/calibration.json ]
	record 0.3 0.05
	[ "$(calibration_record | jq .paths[0].error_ms)" = 0.3 ]
	# of a client that ssh reaches: a file of its own, and not one that is another machine's
	[ "$(LAB_CALIBRATION_OF=abc calibration_record)" = null ]
	jq '.machine = "abc"' "$THINPROBE_STATE/calibration.json" >"$THINPROBE_STATE/calibration-abc.json"
	[ "$(LAB_CALIBRATION_OF=abc calibration_record | jq .paths[0].error_ms)" = 0.3 ]
	mv "$THINPROBE_STATE/calibration-abc.json" "$THINPROBE_STATE/calibration-def.json"
	[ "$(LAB_CALIBRATION_OF=def calibration_record)" = null ]
	rm "$THINPROBE_STATE/calibration-def.json"
	edit_json "$THINPROBE_STATE/calibration.json" '.machine = "another"'
	[ "$(calibration_record)" = null ]
	run doctor_says
	[[ $output == *"the record is of another machine or kernel"* ]]
	echo '{"schema": ' >"$THINPROBE_STATE/calibration.json"
	[ "$(calibration_record)" = null ]
	# the file is replaced whole or not at all
	if echo 'no json' | calibration_save; then return 1; fi
	[ "$(cat "$THINPROBE_STATE/calibration.json")" = '{"schema": ' ]
	echo '{"schema": "thinprobe.calibration/1"}' | calibration_save
	[ "$(ls "$THINPROBE_STATE")" = calibration.json ]
	# eight writers at a time: all eight paths are in the record
	rm "$THINPROBE_STATE/calibration.json"
	for n in 1 2 3 4 5 6 7 8; do echo '{"schema": "thinprobe.calibration/1", "paths": [{"path": "p'$n'"}]}' |
		calibration_add >/dev/null & done
	wait
	[ "$(calibration_record | jq '.paths | length')" = 8 ]
	[ "$(ls "$THINPROBE_STATE")" = calibration.json ]
	if echo '{"schema": 1}' | THINPROBE_STATE=/dev/null/x calibration_save; then return 1; fi
	record 0.3 0.05
	run "$TOP/thinprobe" doctor
	[[ $output == *"calibrated 2026-11-20: vnc:refecho ± 0.3 ms"* ]]
}

@test "calibration record: a quick or disturbed calibration is marked, and never replaces a full, quiet one" {
	. "$TOP/lab/calibration.sh"
	paths() {
		calibration_record | jq -r '[.paths[] | select(.probe == "patch") | "\(.path) \(.n) \(.quick) \(.disturbed)"] | sort
			| join(", ")'
	}
	merge() { report_findings run && warm report --record run | calibration_add >merged; }
	make_calibration x11:250
	edit_json run/run.json '.settings.seconds = 1'
	merge
	[ "$(paths)" = "x11 240 true false" ]
	run doctor_says
	[[ $output == *"x11 ± 0.29 ms (quick)"* ]]
	# disturbed: more than half of the trains; exactly half is not
	make_calibration x11:250 vnc-refecho:250
	mark() { local f; for f in run/cells/x11-"$1"/*/cell.json; do edit_json "$f" '.marked = "it was"'; done; }
	mark 0
	edit_json run/cells/x11-1/1/cell.json '.marked = "it was"'
	merge
	[ "$(paths)" = "vnc-refecho 240 false false, x11 240 false false" ]
	# without x11 in the record, a disturbed calibration is recorded, and marked
	edit_json "$THINPROBE_STATE/calibration.json" 'del(.paths[] | select(.path == "x11"))'
	mark 1
	merge
	[[ $(paths) == *"x11 240 false true"* ]]
	run doctor_says
	[[ $output == *"x11 ± 0.29 ms (from a disturbed calibration)"* ]]
	# a full and quiet one is not replaced by a disturbed one
	make_calibration x11:250
	merge
	[[ $(paths) == *"x11 240 false false"* ]]
	before=$(calibration_record)
	edit_json run/run.json '.settings.seconds = 1'
	mark 1
	merge
	[ "$(calibration_record)" = "$before" ]
	mark 2
	merge
	[ "$(calibration_record)" = "$before" ]
}
