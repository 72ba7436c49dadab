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
	jq '.cells |= map(select(.name == "vnc-light-0" or .name == "vnc-light-2")) | .kept = null' "$RUN/run.json" >"$RUN/new"
	mv "$RUN/new" "$RUN/run.json"
	"${BATS_TEST_DIRNAME%/tests/cli}/bin/summarize" --format json -o "$RUN/summary.json" "$RUN"
}

# later NAME MS: a copy of the run, in which all answers of vnc-light-2 came so much later
later() {
	local file
	cp -r "$RUN" "$1"
	for file in "$1"/cells/vnc-light-2/*/samples.tsv; do
		awk -F'\t' -v OFS='\t' -v by="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at["answer_ns"] != "" {
			$at["answer_ns"] = sprintf("%.0f", $at["answer_ns"] + by * 1e6)
			$at["answer_high_ns"] = sprintf("%.0f", $at["answer_high_ns"] + by * 1e6) } { print }' "$file" >new
		mv new "$file"
	done
}

# again NAME: a second measurement: each answer of the run came up to 1 ms earlier or later
again() {
	local file
	cp -r "$RUN" "$1"
	for file in "$1"/cells/*/*/samples.tsv; do
		awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; split(FILENAME, part, "/") }
			NR > 1 && $at["answer_ns"] != "" { by = (NR * 7919 * part[4] % 1000 - 500) * 1e3
				$at["answer_ns"] = sprintf("%.0f", $at["answer_ns"] + by)
				$at["answer_high_ns"] = sprintf("%.0f", $at["answer_high_ns"] + by) } { print }' "$file" >new
		mv new "$file"
	done
}

@test "compare: a run with itself, and with one whose answers came later in one condition" {
	later same 0
	run -0 "$TOP/thinprobe" compare "$RUN" same --json
	jq -e '.not_alike == {} and ([.metrics_decided[].verdict] | length > 1 and index("worse") == null)' <<<"$output"
	later after 5
	run -0 "$TOP/thinprobe" compare "$RUN" after --metrics p50 --json
	jq -e '.metrics_decided | length == 2 and
		(map(select(.cell | endswith("2"))) | .[0] | .verdict == "worse" and .b - .a > 4.9 and .b - .a < 5.1) and
		(map(select(.cell | endswith("0"))) | .[0] | .verdict == "no difference of that size")' <<<"$output"
	jq '.settings.cost_ms = 77' after/run.json >new
	mv new after/run.json
	run -0 "$TOP/thinprobe" compare "$RUN" after --metrics p50
	[[ $output == *"cost_ms"*"77"*$'\n'"1 worse, 0 better, 1 no difference, 0 not decided"$'\n'* ]]
	# overloaded is worse, without a number
	again full
	for file in full/cells/vnc-light-2/*/keyrepeat.json; do jq '.result.overloaded = true' "$file" >new && mv new "$file"; done
	run -0 "$TOP/thinprobe" compare "$RUN" full --metrics p50
	[[ $output == *$'\n'"1 worse, 0 better, 1 no difference, 0 not decided"$'\n'*overloaded* ]]
	run -1 "$TOP/thinprobe" compare "$RUN" after --strict
	[[ $output == *cost_ms* ]]
	again busy
	jq '.host.cpu.governor = "powersave" | .lab.cpus_server = "0-3"' busy/run.json >new
	mv new busy/run.json
	run -3 "$TOP/thinprobe" gate busy --baseline "$RUN" --metrics p50
	[[ $output == *governor*powersave* && $output == *"CPUs of the server"*4* ]]
	again other
	jq '.settings.cost_ms = 77 | .settings.repeats = 6' other/run.json >new
	mv new other/run.json
	run -3 "$TOP/thinprobe" gate other --baseline "$RUN" --metrics p50
	[[ $output == *cost_ms*77* ]]
	run -0 "$TOP/thinprobe" gate other --baseline "$RUN" --metrics p50 --unlike
	run -2 "$TOP/thinprobe" compare "$RUN"
	run -2 "$TOP/thinprobe" compare "$RUN" after --metrics nothing
	[[ $output == *"there are"*latency_p50_ms* ]]
}

@test "ab: two protocols are two variants of the same condition; different lists of loads are none" {
	local before=$RUN
	cp -r "$before" other
	jq '.cells |= map(.parameters.protocol = "x11")' "$before/run.json" >other/run.json
	run -0 "$BIN/blocks" varied "$before" other
	[ "$output" = protocol ]
	"$BIN/blocks" rows "$before" 1 1 a protocol >rows
	[ "$(cut -f 5 rows | sort -u | paste -sd ,)" = ",light 0,light 2" ]
	"$BIN/blocks" rows "$before" 1 1 a >rows
	[ "$(cut -f 5 rows | sort -u | paste -sd ,)" = ",vnc light 0,vnc light 2" ]
	jq '.cells |= map(.parameters.sinks += 1)' "$before/run.json" >other/run.json
	run -1 "$BIN/blocks" varied "$before" other
	[ "$output" = "sinks: 0,2 and 1,3" ]
}

@test "ab: a figure that is a range is a range of the block" {
	cp -r "$RUN" ranged
	awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at["answer_ns"] != "" {
		$at["answer_high_ns"] = sprintf("%.0f", $at["answer_ns"] + 30e6) } { print }' "$RUN/cells/vnc-light-0/1/samples.tsv" \
		>ranged/cells/vnc-light-0/1/samples.tsv
	"$BIN/blocks" rows "$RUN" 1 1 a >rows
	from=$(awk -F'\t' '$5 == "vnc light 0" && $6 == "latency_p50_ms" { print $9 }' rows)
	"$BIN/blocks" rows ranged 1 1 a >rows
	run -0 awk -F'\t' -v from="$from" '$5 == "vnc light 0" && $6 == "latency_p50_ms" { split($9, end, "[.][.]")
		print (end[1] == from && end[2] - end[1] > 29.9 && end[2] - end[1] < 30.1) }' rows
	[ "$output" = 1 ]
}

@test "gate: a JUnit file of an earlier gate does not stay, however this one ends; another file does" {
	local words
	mkdir none
	for words in "none --limits good" "$RUN --limits none" "$RUN --limits good --baseline $RUN" "$RUN $RUN --limits good" "$RUN"; do
		echo '<testsuite name="thinprobe stalls" tests="1" failures="0">' >old.xml
		# shellcheck disable=SC2086 # words
		run "$TOP/thinprobe" gate $words --junit old.xml
		[[ $status == [12] ]]
		[ ! -e old.xml ]
	done
	echo mine >mine
	run -1 "$TOP/thinprobe" gate none --limits good --junit mine
	[ "$(cat mine)" = mine ]
}

@test "compare, gate, export, bundle: need neither jq nor column" {
	local words
	mkdir path
	ln -s /usr/bin/* path/
	rm path/{column,jq}
	echo 'p50 * < 50ms' >good
	for words in "compare $RUN $RUN" "gate $RUN --limits good" "export $RUN --as csv" "bundle $RUN -o b.zst"; do
		# shellcheck disable=SC2086 # words
		PATH=$PWD/path run -0 "$TOP/thinprobe" $words
	done
}

@test "gate: limits and a baseline; exit status, TAP and JUnit" {
	printf '%s\n' '# a comment' 'p50 vnc-light-0 < 50ms' 'late * <= 5%' >good
	run -0 "$TOP/thinprobe" gate "$RUN" --limits good
	sed 's/$/\r/' good >dos
	run -0 "$TOP/thinprobe" gate "$RUN" --limits dos
	ln -s /dev/zero endless
	run -2 timeout 60 "$TOP/thinprobe" gate "$RUN" --limits endless
	printf '%s\n' 'p50 vnc-light-0 < 50ms' 'p50 *-2 < 5ms' >bad
	run -5 "$TOP/thinprobe" gate "$RUN" --limits bad --tap --junit out.xml
	[ "${lines[1]}" = 1..2 ]
	grep -q '^ok 1 ' <<<"$output"
	grep -q '^not ok 2 ' <<<"$output"
	python3 -c 'import xml.etree.ElementTree as t; r = t.parse("out.xml").getroot()[0]
assert r.get("tests") == "2" and r.get("failures") == "1", r.attrib'
	ln -s linked link	# as /dev/stdout is one
	run -5 "$TOP/thinprobe" gate "$RUN" --limits bad --junit link
	[ -L link ]
	cmp linked out.xml
	printf 'p50 none < 5ms\n' >unknown
	run -2 "$TOP/thinprobe" gate "$RUN" --limits unknown
	[[ $output == *"the run has vnc-light-0, vnc-light-2" ]]
	cp -r "$RUN" bare
	rm bare/schema.tsv
	run -1 "$TOP/thinprobe" gate bare --limits good
	[[ $output == "thinprobe: bare: it has no tables"* ]]
	# a condition of which no repeat is complete has no count of what went wrong, and its metrics are named
	cp -r "$RUN" dead
	sed -i 's/"state": *"complete"/"state": "failed"/' dead/cells/vnc-light-2/*/cell.json
	"$BIN/summarize" --format json -o dead/summary.json dead || [ "$?" = 3 ]
	echo 'censored * <= 0' >counts
	run -0 "$TOP/thinprobe" gate "$RUN" --limits counts
	run -3 "$TOP/thinprobe" gate dead --limits counts
	run -2 "$TOP/thinprobe" gate dead --baseline ./dead/.
	cp -r dead other
	run -3 "$TOP/thinprobe" gate other --baseline dead
	[[ $output == *"light 2: "*failed* ]]
	later after 5
	run -5 "$TOP/thinprobe" gate after --baseline "$RUN" --metrics p50
	# a repeat of 195 keys has no 95 % value: all repeats together have
	run -5 "$TOP/thinprobe" gate after --baseline "$RUN" --metrics p95
	again second
	run -0 "$TOP/thinprobe" gate second --baseline "$RUN" --metrics p50
	[ "$output" = "All 2 hold." ]
	cp -r second full
	for file in full/cells/vnc-light-2/*/keyrepeat.json; do jq '.result.overloaded = true' "$file" >new && mv new "$file"; done
	run -5 "$TOP/thinprobe" gate full --baseline "$RUN" --metrics p50 --json
	jq -e '[.limits[] | select(.verdict == "broken") | .why | test("overloaded")] == [true]' <<<"$output"
	printf 'p50 x < 5\n' >wrong
	run -2 "$TOP/thinprobe" gate "$RUN" --limits wrong
	[[ $output == *"wrong, line 1: "*unit* ]]
	run -2 "$TOP/thinprobe" gate "$RUN"
}

@test "try: a limit that is inside of a range is not said to fail" {
	local from to held
	cp -r "$RUN" ranged
	while read -r from to held; do
		awk -F'\t' -v OFS='\t' -v from="$from" -v to="$to" '
			function set(name, value) { if (name in at) $at[name] = value }
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; if (!("latency_p90_ms_to" in at)) exit 1 }
			NR > 1 {
				for (name in at) if (name ~ /^latency_p90_ms(_low|_high|_both|_above|_why)?$/) set(name, "")
				set("latency_p90_ms_from", from); set("latency_p90_ms_to", to)
			} 1' "$RUN/summary.tsv" >ranged/summary.tsv
		echo "$from to $to: $("$BIN/tried" limits ranged)"
		[ "$("$BIN/tried" limits ranged | grep perception)" = "perception 100 $held" ]
	done <<-'END'
		40 60 0
		90 110 3
		120 140 5
	END
}

@test "--fail-if: a range that crosses the limit wants exact times; an interval around it that does, more keys" {
	local from to cure
	cp -r "$RUN" ranged
	while read -r from to cure; do
		awk -F'\t' -v OFS='\t' -v from="$from" -v to="$to" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			NR > 1 {
				for (name in at) if (name ~ /^latency_p90_ms(_both|_above|_why)?$/) $at[name] = ""
				$at["latency_p90_ms_from"] = from; $at["latency_p90_ms_to"] = to
				$at["latency_p90_ms_low"] = 5; $at["latency_p90_ms_high"] = 60
			} 1' "$RUN/summary.tsv" >ranged/summary.tsv
		run "$TOP/bin/fail" judge ranged 'p90>25ms'
		[[ $status == [35] && $output == *"$cure"* ]]
	done <<-'END'
		10 20 --repeat
		20 30 reference
	END
}

@test "try: a 90 % value without an interval holds only if the share of late keys does; one part is not enough" {
	local held
	cp -r "$RUN" even
	awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 { for (name in at) if (name ~ /^latency_p90_ms/) $at[name] = name == "latency_p90_ms" ? 90 : "" } 1' \
		"$RUN/summary.tsv" >even/summary.tsv
	# all of its keys are early; those of four tenths of a part are late; there is one part
	cp -r even uneven
	awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 && NR % 5 < 2 && $at["answer_ns"] != "" {
			$at["answer_ns"] = sprintf("%.0f", $at["answer_ns"] + 25e7)
			$at["answer_high_ns"] = sprintf("%.0f", $at["answer_high_ns"] + 25e7) } 1' \
		"$RUN"/cells/vnc-light-2/1/samples.tsv >uneven/cells/vnc-light-2/1/samples.tsv
	cp -r even alone
	rm -r alone/cells/*/[2-9]
	for held in 'even 0' 'uneven 3' 'alone 3'; do
		[ "$("$BIN/tried" limits "${held% *}" | grep perception)" = "perception 100 ${held#* }" ] ||
			{ echo "NOT SO: $held"; false; }
	done
}

@test "gate: what is not decided: an interval on both sides of a limit, a run or baseline beside others, a copy" {
	# of 975 keys each none was late, so up to 3 % may be: an interval on both sides of a limit decides nothing
	printf 'late * <= 1%%\n' >share
	run -3 "$TOP/thinprobe" gate "$RUN" --limits share
	[[ ${output//$'\n'/ } == *"not decided: late * <= 1%"*"95 % CI 0 to 3.0 %"* ]]
	# an answer has at most 8 lines of 80 columns, and --json has all
	for i in 1 2 3 4 5 6 7 8 9; do printf 'p50 * < %dms # so\n' "$i"; done >many
	run -5 "$TOP/thinprobe" gate "$RUN" --limits many
	[ "${#lines[@]}" -le 8 ]
	[ -z "$(awk 'length > 80' <<<"$output")" ]
	[[ ${lines[0]} == "9 of 9 do not hold." ]]
	[ "$("$TOP/thinprobe" gate "$RUN" --limits many --json | jq '[.limits[] | select(.verdict == "broken")] | length')" = 9 ]
	# others had the CPUs: nothing holds
	cp -r "$RUN" busy
	jq '.cells[].flags = ["foreign CPU time 41.5 %"]' "$RUN/run.json" >busy/run.json
	printf 'p50 vnc-light-0 < 50ms\n' >good
	run -3 "$TOP/thinprobe" gate busy --limits good
	[[ ${output//$'\n'/ } == *"NOT USABLE"*"2 of 2 conditions"* ]]
	cp -r "$RUN" calm
	for i in calm/cells/*/*/cell.json; do jq '.marked = "foreign CPU time 41.5 %"' "$i" >new && mv new "$i"; done
	run -3 "$TOP/thinprobe" gate "$RUN" --baseline calm
	[[ $output == *"calm (5 of 5 repeats were disturbed by other programs)"* ]]
	run -0 "$TOP/thinprobe" compare "$RUN" calm --metrics p50
	[[ $output == *$'\n'"nothing was compared: all repeats of calm were disturbed by other programs"$'\n'* ]]
	[[ $output == *": 5 of 5 repeats"*disturbed* ]]
	cp -r calm calmer
	run -0 "$TOP/thinprobe" compare calm calmer
	[[ $output == *$'\n'"nothing was compared: all repeats of calm and all repeats of calmer were disturbed by other programs"$'\n'* ]]
	[[ $output != *"not decided"* ]]
	run -0 "$TOP/thinprobe" compare calm calmer --json
	jq -e '.verdict == "too noisy" and .metrics_decided == []' <<<"$output"
	# a copy is no second measurement
	cp -r "$RUN" same
	run -3 "$TOP/thinprobe" gate same --baseline "$RUN" --metrics p50
	[[ ${output//$'\n'/ } == *"copy of the other"* ]]
}

@test "export: the figures and samples of the run in each format, read by another program" {
	local p50

	later overloaded 0
	p50=$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["app"] == "light" && $at["sinks"] == 0 {
		print $at["latency_p50_ms"] }' "$RUN/summary.tsv")
	run -0 "$TOP/thinprobe" export "$RUN" --as github
	jq -e --argjson p50 "$p50" 'map(select(.name == "vnc-light-0 latency_p50_ms"))[0] | .value == $p50 and .unit == "ms"' <<<"$output"
	run -0 "$TOP/thinprobe" export "$RUN" --as bencher
	jq -e --argjson p50 "$p50" '."vnc-light-0".latency_p50_ms.value == $p50' <<<"$output"
	"$TOP/thinprobe" export "$RUN" --as csv -o figures.csv
	"$TOP/thinprobe" export "$RUN" --as samples --cells vnc-light-2 -o samples.csv
	"$TOP/thinprobe" export "$RUN" --as otava -o otava.csv
	P50=$p50 python3 - <<'END'
import csv, os
want = float(os.environ["P50"])
rows = [r for r in csv.DictReader(open("figures.csv")) if r["metric"] == "latency_p50_ms" and r["sinks"] == "0"]
assert [float(r["value"]) for r in rows] == [want], rows
assert float(next(csv.DictReader(open("otava.csv")))["vnc-light-0.latency_p50_ms"]) == want
assert {r["cell"] for r in csv.DictReader(open("samples.csv"))} == {"vnc-light-2"}
END
	[ "$(wc -l <samples.csv)" = "$(($(cat "$RUN"/cells/vnc-light-2/*/samples.tsv "$RUN"/cells/vnc-light-2/*/*/samples.tsv |
		grep -vc ^schema) + 1))" ]
	# what is no number is named, also where nothing is left
	sed 's/"overloaded": *false/"overloaded": true/' -i overloaded/cells/vnc-light-2/*/keyrepeat.json
	"$BIN/summarize" --format json -o overloaded/summary.json overloaded
	run -0 --separate-stderr "$TOP/thinprobe" export overloaded --as github
	[[ $stderr == *"vnc-light-2 ("*overloaded* ]]
	[ "${#stderr_lines[@]}" = 1 ]
	jq -e 'map(select(.name | startswith("vnc-light-2 latency_p"))) == []' <<<"$output"
	run -1 "$TOP/thinprobe" export overloaded --as hgrm --cells vnc-light-2
	run -0 "$TOP/thinprobe" export overloaded --as openmetrics
	grep '^thinprobe_overloaded{.*sinks="2"} 5$' <<<"$output"
	run -0 "$TOP/thinprobe" export "$RUN" --as junit
	python3 -c 'import sys, xml.etree.ElementTree as t; assert t.fromstring(sys.argv[1])[0].get("tests") == "2"' "$output"
	run -1 grep '<skipped' <<<"$output"
	cp -r "$RUN" disturbed
	jq '.cells[].flags = ["foreign CPU time 40 %"]' "$RUN/run.json" >disturbed/run.json
	run -0 "$TOP/thinprobe" export disturbed --as junit
	[ "$(grep -c '<skipped message="not usable: ' <<<"$output")" = 2 ]
	run -0 "$TOP/thinprobe" export "$RUN" --as perfetto --cells vnc-light-2
	jq -e '[.traceEvents[] | select(.ph == "X")] | length > 900 and all(.dur > 0)' <<<"$output" >/dev/null
	run -1 "$TOP/thinprobe" export "$RUN" --as pcapng --cells vnc-light-2 -o out.pcapng
	[[ $output == *--keep-captures* ]]
	# a kept run has the samples of some conditions
	run -0 --separate-stderr "$TOP/thinprobe" export "$KEPT" --as samples -o kept.csv
	[[ $stderr == *"left out, without samples: "*", vnc-heavy-20, as the kept run "* && ${#stderr_lines[@]} = 1 ]]
	run -1 "$TOP/thinprobe" export "$KEPT" --as samples --cells vnc-heavy-20
	[[ $output == *"vnc-heavy-20 has no samples.tsv, as the kept run "* ]]
	run -2 "$TOP/thinprobe" export "$RUN" --as xml
	run -1 "$TOP/thinprobe" export "$RUN" --as github --cells nothing
	# a device stays one
	mkfifo pipe
	start reader cat pipe
	"$TOP/thinprobe" export "$RUN" --as csv -o pipe
	ends "$pid"
	[ -p pipe ]
	cmp reader.out figures.csv
}

@test "export --as sqlite: figures and samples in a database" {
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	"$TOP/thinprobe" export "$RUN" --as sqlite -o run.db
	[ "$(sqlite3 run.db "select value from figures where metric = 'latency_p50_ms' and sinks = 0")" = \
		"$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["sinks"] == 0 { print $at["latency_p50_ms"] }' \
			"$RUN/summary.tsv")" ]
	[ "$(sqlite3 run.db "select count(*) from samples where cell = 'vnc-light-2'")" -gt 1900 ]
	"$TOP/thinprobe" export "$RUN" --as samples -o samples.csv
	python3 - <<'END'
import csv, sqlite3
db = sqlite3.connect("run.db")
# as numbers: as text 9.7 would be more than 36, and what is missing would count as 0
p50 = "from figures where metric = 'latency_p50_ms'"
values = [float(v) for v, in db.execute("select value " + p50)]
assert len(values) == 2 and db.execute("select max(value) " + p50).fetchone()[0] == max(values)
rows = list(csv.DictReader(open("samples.csv")))
times = [int(r["answer_ns"]) - int(r["due_ns"]) for r in rows if r["answer_ns"]]
n, mean = db.execute("select count(answer_ns), avg(answer_ns - due_ns) from samples").fetchone()
assert n == len(times) and abs(mean - sum(times) / n) < 1, (n, mean)
END
}

@test "export --as openmetrics, hgrm: as prometheus_client and hdrh read them" {
	local python=${THINPROBE_PYTHON:-python3}

	"$python" -c 'import hdrh, prometheus_client' 2>/dev/null || skip "hdrh or prometheus_client is not installed"
	"$TOP/thinprobe" export "$RUN" --as openmetrics -o out.om
	"$TOP/thinprobe" export "$RUN" --as samples --cells vnc-light-2 -o samples.csv
	"$TOP/thinprobe" export "$RUN" --as hgrm --cells vnc-light-2 -o out.hgrm
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

@test "export --as otava: apache-otava finds the run from which on keys came later" {
	local python=${THINPROBE_PYTHON:-python3} i runs=()

	"$python" -c 'import otava' 2>/dev/null || skip "apache-otava is not installed"
	for i in $(seq 30 -1 11); do
		mkdir "r$i"
		jq --arg day "$(date -u -d "$i days ago" +%FT%TZ)" '.started = $day' "$RUN/run.json" >"r$i/run.json"
		awk -F'\t' -v OFS='\t' -v i="$i" 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k }
			$at["metric"] == "latency_p50_ms" { $at["value"] *= (i > 18 ? 1 : 1.3) + i % 3 / 100 } { print }' \
			"$RUN/long.tsv" >"r$i/long.tsv"
		runs+=("r$i")
	done
	"$TOP/thinprobe" export "${runs[@]}" --as otava -o otava.csv
	printf '%s\n' 'tests:' '  typing:' '    type: csv' '    file: otava.csv' '    time_column: time' '    attributes: [version]' \
		'    metrics: {p50: {column: vnc-light-2.latency_p50_ms, direction: -1}}' >otava.yaml
	OTAVA_CONFIG=otava.yaml "$python" -c 'import sys; from otava.main import script_main; sys.argv[1:] = ["analyze", "typing"]
script_main()' >said
	cat said
	# one change: above the twelfth last run, by 30 %
	[ "$(grep -c '%' said)" = 1 ]
	grep -qE '\+(29|30|31)\.[0-9]%' said
	[ "$(sed '1,/%/d' said | grep -cE '20[0-9]{2}-[0-9]{2}-')" = 8 ]
}

@test "export --as perfetto: events of Chrome's trace format, each key with its times" {
	later after 80	# so that keys wait at the same time
	# a key known as a range lasts to its late end
	awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 { $at["answer_high_ns"] = sprintf("%.0f", $at["answer_ns"] + 2e8) } 1' after/cells/vnc-light-2/1/samples.tsv >new
	mv new after/cells/vnc-light-2/1/samples.tsv
	"$TOP/thinprobe" export after --as perfetto --cells vnc-light-2 -o trace.json
	"$TOP/thinprobe" export after --as samples --cells vnc-light-2 -o samples.csv
	python3 - <<'END'
import csv, json
trace = json.load(open("trace.json"))
assert trace["displayTimeUnit"] in ("ms", "ns")
needs = {"X": {"ts", "dur", "tid"}, "i": {"ts", "s", "tid"}, "M": {"args"}}	# of the format's description
for e in trace["traceEvents"]:
    assert needs[e["ph"]] | {"name", "pid"} <= e.keys(), e
    assert all(type(e[k]) in (int, float) for k in ("ts", "dur", "pid") if k in e), e
    assert e["ph"] != "i" or e["s"] in "gpt"
    assert e["ph"] != "M" or (e["name"] in ("process_name", "thread_name") and type(e["args"]["name"]) is str)
rows = [r for r in csv.DictReader(open("samples.csv")) if r["series"] == "latency" and r["answer_ns"]]
keys = sorted((e["ts"], e["dur"]) for e in trace["traceEvents"] if e["ph"] == "X")
truth = sorted((int(r["due_ns"]) / 1000, (int(r["answer_high_ns"]) - int(r["due_ns"])) / 1000) for r in rows)
assert sum("args" in e for e in trace["traceEvents"] if e["ph"] == "X") == 1
assert len(keys) == len(truth) > 900
assert all(abs(a - b) < 0.002 for k, t in zip(keys, truth) for a, b in zip(k, t))
# Perfetto drops an event that overlaps another one of its thread
threads = sorted((e["pid"], e["tid"], e["ts"], e["dur"]) for e in trace["traceEvents"] if e["ph"] == "X")
assert all(a[:2] != b[:2] or a[2] + a[3] < b[2] + 0.002 for a, b in zip(threads, threads[1:]))
named = {e["tid"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
assert 1 < len({t[1] for t in threads}) and {t[1] for t in threads} <= named
END
}

@test "export --as pcapng: the packet of each key bears its number, as tshark reads it" {
	local cell=own/cells/vnc-light-2/1

	need tshark editcap
	PYTHONPATH="$TOP/tests/golden" PYTHONDONTWRITEBYTECODE=1 python3 "$TOP/tests/golden/make_keys.py" made
	later own 0
	rm -rf own/cells/*/*
	mkdir -p "$cell"
	cp made/two.pcap "$cell/capture.pcap"
	cp made/two.tsv "$cell/samples.tsv"
	"$BIN/prototap" read made/two.pcap --keys made/two.tsv --rows "$cell/wire.tsv" -o said
	mkdir "$cell~"	# a try that does not count
	cp made/two.pcap "$cell~/capture.pcap"
	"$TOP/thinprobe" export own --as pcapng --cells vnc-light-2 -o out.pcapng
	# eight keys, each of them eight letters k from the client, 50 ms apart in two blocks
	tshark -r out.pcapng -Y frame.comment -T fields -e frame.time_relative -e tcp.payload -e frame.comment 2>/dev/null >read
	cat read
	[ "$(cut -f 3 read | paste -sd ,)" = "key 1,key 2,key 3,key 4,key 5,key 6,key 7,key 8" ]
	[ "$(cut -f 2 read | sort | uniq -c | xargs)" = "8 6b6b6b6b6b6b6b6b" ]
	[ "$(tshark -r out.pcapng 2>/dev/null | wc -l)" = "$(tshark -r made/two.pcap 2>/dev/null | wc -l)" ]
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
}

@test "gate, report: a folder that one may not enter is not said to be empty" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to make another login's folder"
	ordinary_user
	mkdir shut
	chmod 700 shut
	for words in "gate shut --limits limits" "report shut"; do
		# shellcheck disable=SC2086 # words
		run "${user[@]}" "$TOP/thinprobe" $words
		[[ ${#lines[@]} = 1 && $output == *"may not enter"* && $status == [12] ]]
	done
}

@test "compare, gate, export, bundle, report: what is no run, or cannot be read or written, is refused in one line" {
	local words wanted

	mkdir broken hollow comparison tables many words up
	jq '.counts.total = "x"' "$RUN/run.json" >many/run.json
	jq '.settings = "x"' "$RUN/run.json" >words/run.json
	jq '.cells[0].name = "../up"' "$RUN/run.json" >up/run.json
	echo '{' >broken/run.json
	jq '.cells = []' "$RUN/run.json" >hollow/run.json
	: >comparison/ab.json
	cp "$RUN/run.json" tables
	echo 'p50 * < 50ms' >limits
	while read -r wanted words; do
		# shellcheck disable=SC2086 # words
		run "$TOP/thinprobe" $words
		[ "$status" = "$wanted" ] && [ "${#lines[@]}" = 1 ] || { printf '%s (%s): %s\n' "$words" "$status" "$output"; return 1; }
	done <<-END
		1 compare $RUN broken --json
		1 compare hollow $RUN --json
		1 compare $RUN comparison
		2 compare $RUN $RUN --effect 5 --json
		1 gate broken --limits limits
		1 gate tables --limits limits
		2 gate $RUN --limits .
		1 gate $RUN --baseline broken
		2 gate $RUN --baseline $RUN --alpha x
		2 gate $RUN --limits limits --limits limits
		2 export $RUN --as csv -o one --output two
		1 export broken --as csv
		1 export comparison --as junit
		1 export $RUN --as csv -o none/out
		1 bundle hollow
		1 compare $RUN many
		1 compare $RUN words
		1 compare $RUN up
		1 gate up --limits limits
		1 report up
		2 report comparison
		2 report none
	END
}

@test "export, compare, report, gate: on a full disk nothing is printed of half the data, or left of it, and the disk is named" {
	unshare -rm true || skip "no namespace of its own can be made here"
	mkdir disk
	cp -r "$RUN" before
	# no_room KIB COMMAND...: run with a TMPDIR of so many KiB: status 0 and the same as with enough room, or 1 and one line
	cat >no_room <<-'END'
		mount -t tmpfs -o size="$1k" none disk || exit
		TMPDIR=$PWD/disk "${@:2}" >got 2>said
		status=$?
		echo "$* -> $status $(wc -c <got) $(<said)"
		case $status in
		0) "${@:2}" 2>/dev/null | cmp got - ;;
		1)
			echo "${2##*/}" >>full
			[ "$(wc -l <said)" = 1 ] && grep 'disk is full\|disk of .* is full' said && { [ ! -s got ] || [[ $2 == *compare* ]]; }
			;;
		*) false ;;
		esac
	END
	local format
	for format in csv samples github bencher otava openmetrics junit perfetto "hgrm --cells vnc-light-2"; do
		# shellcheck disable=SC2086 # words
		unshare -rm bash no_room 16 "$TOP/bin/export" before --as $format
	done
	unshare -rm bash no_room 4 "$TOP/bin/compare" before "$RUN" --metrics p50
	unshare -rm bash no_room 4 "$TOP/bin/report" before --verdict
	# a kept run is unpacked there
	unshare -rm bash no_room 4 "$TOP/bin/report" "$KEPT" --verdict
	unshare -rm bash no_room 1500 "$TOP/bin/report" "$KEPT" --verdict
	unshare -rm bash no_room 200 "$TOP/bin/compare" "$KEPT" "$KEPT" --metrics p50
	unshare -rm bash no_room 200 "$TOP/bin/export" "$KEPT" --as csv
	unshare -rm bash no_room 1500 "$TOP/bin/compare" "$KEPT" "$KEPT" --metrics p50
	# each of the three met a full disk at least once
	[ "$(sort -u full | xargs)" = "compare export report" ]
	# where it is to be put
	run -1 unshare -rm bash -c 'mount -t tmpfs -o size=8k none disk && "$1/bin/export" before --as csv -o disk/csv; s=$?
		ls disk; exit $s' sh "$TOP"
	[ "${#lines[@]}" = 1 ]
	[[ ${lines[0]} == *"No space left"* || ${lines[0]} == *full* ]]
	echo 'late * < 100%' >limits
	run -1 unshare -rm bash -c 'mount -t tmpfs -o size=4k none disk && head -c 4096 /dev/zero >disk/zero
		"$1/bin/gate" before --limits limits --junit disk/xml >out; s=$?; rm disk/zero; ls disk; exit $s' sh "$TOP"
	[ "${#lines[@]}" = 1 ]
}

@test "report: what one that was killed has left in the run hinders no other" {
	mkdir bin
	cp -r "$RUN" before
	printf '#!/bin/sh\nkill -9 "$(cat "%s")"\n' "$PWD/pid" >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH run -137 bash -c 'echo $$ >pid; exec "$0" before' "$TOP/bin/report"
	[ -n "$(ls -d before/.report.*)" ]
	run -0 "$TOP/bin/report" before --verdict
}

@test "a checkout in a folder with a colon and a quote makes reports" {
	ln -s "$TOP" "a'b: c"
	run -0 "$PWD/a'b: c/bin/report" "$RUN" --verdict
	[ "$output" = "$("$TOP/bin/report" "$RUN" --verdict)" ]
}

@test "a text of a run ends no line of an answer, and is no command of a CI service" {
	again odd
	jq '.settings.link = "7\nok 77 - all" | .cells[].flags = ["foreign CPU time 41.5 %", "x\nok 78 - all"]' odd/run.json >new
	mv new odd/run.json
	run -3 "$TOP/thinprobe" gate odd --baseline "$RUN" --metrics p50 --tap
	[[ $output == *"7 ok 77 - all"* ]]
	printf 'p50 vnc-light-0 < 50ms\n' >good
	run -3 "$TOP/thinprobe" gate odd --limits good --tap
	[[ $output == *"x ok 78 - all"* ]]
	sed -i 's/\tlight\t/\ta;=1+1;-x;b;@y\t/' odd/long.tsv
	run -0 "$TOP/thinprobe" export odd --as csv
	[[ $output == *",a;'=1+1;'-x;b;'@y,"* ]]
	run -0 "$TOP/thinprobe" compare "$RUN" odd --metrics p50
	[[ $output == *"7 ok 77 - all"* ]]
	# shellcheck source=/dev/null
	. "$TOP/lab/words.sh"
	[ "$(printf ' ::a\n\xc2\xa0::b\n\xe2\x80\x8b::c\n##vso[d]\n##[e]\nf ##teamcity[g]\n' | printable | grep -cE '::|##[a-z]*\[')" = 0 ]
	[ "$(printf 'at fe80::1, (::1), #[x]\n' | printable)" = 'at fe80::1, (::1), #[x]' ]
}

@test "the archive of a kept run replaces no file of it, and a table without an end of line has headings, too" {
	mkdir -p archive/cells/x/1 victim/c/1
	echo '{}' >victim/c/1/cell.json
	cp -r "$KEPT" kept
	jq --arg name "../../../../../../../../../../..$PWD/victim/c" '.cells[0].name = $name' kept/run.json >archive/run.json
	tar --zstd -cf kept/samples.tar.zst -C archive cells run.json
	run -1 --separate-stderr "$TOP/thinprobe" compare kept "$RUN"
	[[ ${#stderr_lines[@]} = 1 && $stderr == *"samples.tar.zst: "* ]]
	[ "$(find victim ! -type d)" = victim/c/1/cell.json ]
	printf 'schema\ta b\n' >archive/long.tsv
	tar --zstd -cf kept/samples.tar.zst -C archive cells long.tsv
	run -1 "$TOP/thinprobe" export kept --as csv
	[[ $output == *"long.tsv has no headings"* ]]
	cp -r "$RUN" open
	printf 'schema\ta b' >open/long.tsv
	run -1 "$TOP/thinprobe" export open --as csv
	[[ $output == *"long.tsv has no headings"* ]]
}

@test "nothing outside of a run is read: not in a folder whose name is a pattern, nor by a name of two lines" {
	cp -r "$RUN" 'r*'
	mkdir -p 'r*'/cells/vnc-light-0/1/log outside
	printf 'secret\n1\n' >outside/samples.tsv
	ln -s "$PWD/outside/samples.tsv" 'r*'/cells/vnc-light-0/1/log/
	run -1 "$TOP/thinprobe" export 'r*' --as samples
	[[ $output == *"log/samples.tsv is no file or folder"* ]]
	cp -r "$RUN" two
	cp two/cells/vnc-light-0/{1/,}cell.json
	mkdir -p two/cells/vnc-light-0/1/$'samples.tsv\n'"$PWD"/outside
	cp outside/samples.tsv two/cells/vnc-light-0/1/$'samples.tsv\n'"$PWD"/outside
	run -1 "$TOP/thinprobe" export two --as samples
	[[ ${#lines[@]} = 1 && $output != *secret* ]]
	# the log of the engine holds what it likes
	cp -r "$RUN" logged
	mkdir -p logged/log
	mkfifo logged/log/pipe
	run -0 "$TOP/thinprobe" export logged --as junit
}
