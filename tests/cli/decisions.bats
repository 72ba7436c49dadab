#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# compare, gate, export and bundle, on the kept run of stalls: its numbers are found again in other forms, and a change that was
# made to its samples is what compare finds.

bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	KEPT=${BATS_TEST_DIRNAME%/tests/cli}/results/reference/stalls
	export KEPT RUN=$BATS_FILE_TMPDIR/before
	cp -r "$KEPT" "$RUN"
	tar --zstd -xf "$RUN/samples.tar.zst" -C "$RUN"
	rm "$RUN/samples.tar.zst"
	# a fast start is enough: one application with two loads
	jq '.cells |= map(select(.name == "vnc-light-0" or .name == "vnc-light-5")) | .kept = null' "$RUN/run.json" >"$RUN/new"
	mv "$RUN/new" "$RUN/run.json"
	"${BATS_TEST_DIRNAME%/tests/cli}/bin/summarize" --format json -o "$RUN/summary.json" "$RUN"
}

setup() { begin_test; }

# later NAME MS: a copy of the run, in which all answers of vnc-light-5 came so much later
later() {
	local file
	cp -r "$RUN" "$1"
	for file in "$1"/cells/vnc-light-5/*/samples.tsv; do
		awk -F'\t' -v OFS='\t' -v by="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at["answer_ns"] != "" {
			$at["answer_ns"] = sprintf("%.0f", $at["answer_ns"] + by * 1e6)
			$at["answer_high_ns"] = sprintf("%.0f", $at["answer_high_ns"] + by * 1e6) } { print }' "$file" >new
		mv new "$file"
	done
}

@test "compare: a run with itself, and with one whose answers came later in one condition" {
	later same 0
	run -0 "$TOP/thinprobe" compare "$RUN" same --json
	jq -e '.not_alike == {} and ([.metrics_decided[].verdict] | index("worse") == null)' <<<"$output"
	later after 5
	run -0 "$TOP/thinprobe" compare "$RUN" after --metrics p50 --json
	jq -e '.metrics_decided | length == 2 and
		(map(select(.cell | endswith("5"))) | .[0] | .verdict == "worse" and .b - .a > 4.9 and .b - .a < 5.1) and
		(map(select(.cell | endswith("0"))) | .[0] | .verdict == "no difference of that size")' <<<"$output"
	jq '.settings.cost_ms = 77' after/run.json >new && mv new after/run.json
	run -0 "$TOP/thinprobe" compare "$RUN" after --metrics p50
	[[ $output == *"cost_ms"*"77"* ]]
	run -1 "$TOP/thinprobe" compare "$RUN" after --strict
	[[ $output == *cost_ms* ]]
	run -2 "$TOP/thinprobe" compare "$RUN"
	run -2 "$TOP/thinprobe" compare "$RUN" after --metrics nothing
	[[ $output == *"there are"*latency_p50_ms* ]]
}

@test "gate: limits and a baseline; exit status, TAP and JUnit" {
	printf '%s\n' '# a comment' 'p50 vnc-light-0 < 50ms' 'late * <= 1%' >good
	run -0 "$TOP/thinprobe" gate "$RUN" --limits good
	printf '%s\n' 'p50 vnc-light-0 < 50ms' 'p50 *-5 < 5ms' >bad
	run -5 "$TOP/thinprobe" gate "$RUN" --limits bad --tap --junit out.xml
	[ "${lines[1]}" = 1..2 ]
	grep -q '^ok 1 ' <<<"$output"
	grep -q '^not ok 2 ' <<<"$output"
	python3 -c 'import xml.etree.ElementTree as t; r = t.parse("out.xml").getroot()[0]
assert r.get("tests") == "2" and r.get("failures") == "1", r.attrib'
	printf 'p50 none < 5ms\n' >unknown
	run -3 "$TOP/thinprobe" gate "$RUN" --limits unknown
	later after 5
	run -5 "$TOP/thinprobe" gate after --baseline "$RUN" --metrics p50
	later same 0
	run -0 "$TOP/thinprobe" gate same --baseline "$RUN" --metrics p50
	printf 'p50 x < 5\n' >wrong
	run -2 "$TOP/thinprobe" gate "$RUN" --limits wrong
	[[ $output == *"wrong, line 1: "*unit* ]]
	run -2 "$TOP/thinprobe" gate "$RUN"
}

@test "export: the figures and samples of the run in each format, read by another program" {
	local p50

	p50=$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["app"] == "light" && $at["sinks"] == 0 {
		print $at["latency_p50_ms"] }' "$RUN/summary.tsv")
	run -0 "$TOP/thinprobe" export "$RUN" --as github
	jq -e --argjson p50 "$p50" 'map(select(.name == "vnc-light-0 latency_p50_ms"))[0] | .value == $p50 and .unit == "ms"' <<<"$output"
	run -0 "$TOP/thinprobe" export "$RUN" --as bencher
	jq -e --argjson p50 "$p50" '."vnc-light-0".latency_p50_ms.value == $p50' <<<"$output"
	"$TOP/thinprobe" export "$RUN" --as csv -o figures.csv
	"$TOP/thinprobe" export "$RUN" --as samples --cells vnc-light-5 -o samples.csv
	"$TOP/thinprobe" export "$RUN" --as otava -o otava.csv
	P50=$p50 python3 - <<'END'
import csv, os
want = float(os.environ["P50"])
rows = [r for r in csv.DictReader(open("figures.csv")) if r["metric"] == "latency_p50_ms" and r["sinks"] == "0"]
assert [float(r["value"]) for r in rows] == [want], rows
assert float(next(csv.DictReader(open("otava.csv")))["vnc-light-0.latency_p50_ms"]) == want
assert {r["cell"] for r in csv.DictReader(open("samples.csv"))} == {"vnc-light-5"}
END
	[ "$(wc -l <samples.csv)" = "$(($(cat "$RUN"/cells/vnc-light-5/*/samples.tsv "$RUN"/cells/vnc-light-5/*/*/samples.tsv |
		grep -vc ^schema) + 1))" ]
	run -0 "$TOP/thinprobe" export "$RUN" --as junit
	python3 -c 'import sys, xml.etree.ElementTree as t; assert t.fromstring(sys.argv[1])[0].get("tests") == "2"' "$output"
	run -0 "$TOP/thinprobe" export "$RUN" --as perfetto --cells vnc-light-5
	jq -e '[.traceEvents[] | select(.ph == "X")] | length > 900 and all(.dur > 0)' <<<"$output" >/dev/null
	run -1 "$TOP/thinprobe" export "$RUN" --as pcapng --cells vnc-light-5 -o out.pcapng
	[[ $output == *--keep-captures* ]]
	run -2 "$TOP/thinprobe" export "$RUN" --as xml
	run -1 "$TOP/thinprobe" export "$RUN" --as github --cells nothing
	# a device stays one
	mkfifo pipe
	cat pipe >got &
	"$TOP/thinprobe" export "$RUN" --as csv -o pipe
	wait
	[ -p pipe ] && cmp got figures.csv
}

@test "export --as sqlite: figures and samples in a database" {
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	"$TOP/thinprobe" export "$RUN" --as sqlite -o run.db
	[ "$(sqlite3 run.db "select value from figures where metric = 'latency_p50_ms' and sinks = 0")" = \
		"$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["sinks"] == 0 { print $at["latency_p50_ms"] }' \
			"$RUN/summary.tsv")" ]
	[ "$(sqlite3 run.db "select count(*) from samples where cell = 'vnc-light-5'")" -gt 1900 ]
}

@test "export --as openmetrics, hgrm: as prometheus_client and hdrh read them" {
	local python=${THINPROBE_PYTHON:-python3}

	"$python" -c 'import hdrh, prometheus_client' 2>/dev/null || skip "hdrh or prometheus_client is not installed"
	"$TOP/thinprobe" export "$RUN" --as openmetrics -o out.om
	"$TOP/thinprobe" export "$RUN" --as samples --cells vnc-light-5 -o samples.csv
	"$TOP/thinprobe" export "$RUN" --as hgrm --cells vnc-light-5 -o out.hgrm
	"$python" - <<'END'
import csv
from hdrh.histogram import HdrHistogram
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = {f.name: f for f in text_string_to_metric_families(open("out.om").read())}
assert 0.005 < families["thinprobe_latency_p50_seconds"].samples[0].value < 0.02
h = HdrHistogram(1, 60_000_000_000, 5)
for r in csv.DictReader(open("samples.csv")):
    if r["series"] == "latency" and r["skipped"] != "1" and r["answer_ns"] == r["answer_high_ns"] != "":
        h.record_value(int(r["answer_ns"]) - int(r["due_ns"]))
lines = [l.split() for l in open("out.hgrm") if l.strip()[:1].isdigit()]
assert len(lines) > 20
for value, percentile, *_ in lines:
    assert abs(h.get_value_at_percentile(100 * float(percentile)) / 1e6 - float(value)) < 0.002, (value, percentile)
END
}

@test "bundle: a file from which report makes the same tables; a file that is none is refused" {
	need zstd
	run -0 "$TOP/thinprobe" bundle "$RUN" -o one.tar.zst
	run -0 "$TOP/thinprobe" report one.tar.zst -o there
	cmp "$RUN/summary.tsv" there/before/summary.tsv
	[ -s there/before/report.html ]
	run -1 "$TOP/thinprobe" report one.tar.zst -o there
	[[ $output == *"is there already"* ]]
	tar --zstd -cf other.tar.zst -C "$RUN" cells
	run -1 "$TOP/thinprobe" report other.tar.zst -o elsewhere
	[[ $output == *"no bundle of a run"* ]]
	run -1 "$TOP/thinprobe" bundle "$KEPT" -o two.tar.zst
}
