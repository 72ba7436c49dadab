#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# summarize on made-up runs (tests/golden/make_run.sh: formulas, no chance). Wanted figures were worked out with
# NumPy and SciPy from the samples: np.percentile, st.t.interval, st.binomtest(...).proportion_ci(method='exact').

setup() {
	SUMMARIZE=$(cd "$BATS_TEST_DIRNAME/../../bin" && pwd)/summarize
	MAKE_RUN=$BATS_TEST_DIRNAME/../golden/make_run.sh
	cd "$BATS_TEST_TMPDIR" || return 1
}

make_run() {	# [NAME=value …] FOLDER
	env "${@:1:$#-1}" "$MAKE_RUN" "${!#}"
}

field() {	# FOLDER APP SINKS COLUMN
	awk -F '\t' -v app="$2" -v sinks="$3" -v column="$4" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) c = i; next }
		$3 == app && $4 == sinks { print c ? $c : "no such column"; found = 1 } END { if (!found) print "no such row" }' "$1/summary.tsv"
}

is() {	# FOLDER APP SINKS COLUMN WANTED [TOLERANCE]
	local got

	got=$(field "$1" "$2" "$3" "$4")
	if [ -z "$5" ] || [ -z "$got" ] || [[ $5 == *[a-z]* ]]; then
		[ "$got" = "$5" ] && return 0
	elif awk -v g="$got" -v w="$5" -v t="${6:-0.0011}" 'BEGIN { d = g - w; if (d < 0) d = -d; exit !(g ~ /^-?[0-9.]+$/ && d <= t) }'; then
		return 0
	fi
	echo "$2 beside $3 sinks: $4 is '$got', wanted '$5'"
	return 1
}

@test "pooled percentiles and intervals are NumPy's and SciPy's" {
	make_run run
	"$SUMMARIZE" run >out
	is run heavy 5 repeats 3
	is run heavy 5 state complete
	is run heavy 5 keys 285
	is run heavy 5 latency_p50_ms 100.036
	is run heavy 5 latency_p50_ms_low 98.512
	is run heavy 5 latency_p50_ms_high 102.066
	is run heavy 5 latency_p90_ms 123.855
	is run heavy 5 latency_p90_ms_low 122.719
	is run heavy 5 latency_p90_ms_high 124.834
	is run heavy 5 latency_max_ms 131.106
	is run heavy 5 latency_max_ms_low ''
	is run heavy 5 latency_max_ms_above 0
	is run heavy 5 late_share_percent 50.526
	is run heavy 5 late_share_percent_low 47.911
	is run heavy 5 late_share_percent_high 53.141
	is run heavy 5 late_interval t
	is run heavy 5 mean_stall_ms 11.2
	is run heavy 5 mean_stall_ms_low 9.710
	is run heavy 5 mean_stall_ms_high 12.690
	is run heavy 5 updates_per_s 16.341
	is run heavy 5 interval t
	is run light 20 latency_p50_ms 10.98
	is run light 20 latency_p90_ms 11.78
	# every answer exact: no second end
	is run light 20 latency_high_p50_ms ''
	is run light 20 late_share_high_percent ''
}

@test "no repeat is late: the exact bound of all keys, and the rule of three nearly" {
	make_run run
	"$SUMMARIZE" run >out
	is run light 10 late_share_percent 0
	is run light 10 late_share_percent_low 0
	is run light 10 late_share_percent_high 1.0456
	is run light 10 late_interval exact
	is run heavy 10 late_share_percent 100
	is run heavy 10 late_share_percent_low 98.9544
	is run heavy 10 late_share_percent_high 100
}

@test "fair sharing is cost x (sinks + 1) - period, not below 0, and empty without a cost" {
	make_run run
	"$SUMMARIZE" run >out
	is run heavy 0 fair_stall_ms 0
	is run heavy 5 fair_stall_ms 10
	is run heavy 10 fair_stall_ms 60
	is run heavy 20 fair_stall_ms 160
	is run light 20 fair_stall_ms ''
}

@test "p99 stands from 1000 keys on" {
	make_run run
	"$SUMMARIZE" run >out
	is run heavy 5 latency_p99_ms ''
	make_run KEYS=1105 LOADS=5 APPS=heavy long
	"$SUMMARIZE" long >out
	is long heavy 5 keys 3300
	is long heavy 5 latency_p99_ms 129.997
	is long heavy 5 latency_p99_ms_low 126.978
	is long heavy 5 latency_p99_ms_high 132.527
}

@test "two series: latency from one, updates from the other; ranges have two ends" {
	make_run SERIES=2 LIGHT=ranged run
	"$SUMMARIZE" run >out
	is run light 20 latency_p90_ms 11.78
	is run light 20 latency_high_p90_ms 41.152
	is run light 20 ranged_keys 72
	is run light 0 ranged_keys 0
	is run light 0 latency_high_p90_ms ''
	# of the periodic train; that of the jittered one is over 8 ms
	is run light 5 jitter_sd_ms 0.972
	is run light 5 schedule_jitter_ms 0
	is run light 5 stall_repeats 3
	make_run one
	"$SUMMARIZE" one >out
	is one light 5 jitter_sd_ms 8.336 0.01
	# 50 ms / 3 / sqrt(12) * sqrt(2)
	is one light 5 schedule_jitter_ms 6.804
	# three curves of ranges have a low and a high end, the rest one
	[ "$(cut -f 2,3,6 run/cdf.tsv | sort -u | grep -c light)" = 7 ]
}

@test "an overloaded repeat hides the percentiles, and nothing else" {
	make_run OVERLOADED=20 run
	"$SUMMARIZE" run >out
	is run heavy 20 overloaded 3
	is run heavy 20 latency_p50_ms ''
	is run heavy 20 latency_max_ms ''
	is run heavy 20 backlog_per_s 9.5
	is run heavy 20 late_share_percent 100
	is run heavy 20 mean_stall_ms 164.2 0.5
	is run heavy 10 overloaded 0
	run grep -P "^cdf/1\theavy\t20\t" run/cdf.tsv
	[ "$status" -eq 1 ]
	grep -qx 'cells_overloaded *1' <(sed 's/^ *//' out)
}

@test "keys without an echo stay in as later-than" {
	make_run CENSORED=3 run
	"$SUMMARIZE" run >out
	is run heavy 0 keys 285
	is run heavy 0 censored 9
	is run heavy 0 late_share_percent 3.158
	is run heavy 0 latency_max_ms_above 1
	is run heavy 0 latency_p50_ms_above 0
	# 9 of 285 never come: the curve ends at 276 / 285
	[ "$(grep -P '^cdf/1\theavy\t0\t' run/cdf.tsv | tail -n 1 | cut -f 5)" = 0.968421 ]
}

@test "failed and interrupted repeats are left out and counted" {
	make_run STATE=interrupted run
	status=0
	"$SUMMARIZE" run >out || status=$?
	[ "$status" = 3 ]
	is run heavy 20 repeats 1
	is run heavy 20 failed 2
	is run heavy 20 state partial
	is run heavy 20 reason interrupted
	is run heavy 20 latency_p50_ms 327.257
	is run heavy 20 latency_p50_ms_low ''
	is run heavy 20 late_share_percent_high ''
	is run heavy 20 interval none
	is run heavy 10 failed 0
	grep -q 'trains_failed  *4' out
	rm run/cells/heavy-020/1/cell.json
	"$SUMMARIZE" run >out || [ $? = 3 ]
	is run heavy 20 repeats 0
	is run heavy 20 state failed
	is run heavy 20 keys 0
	is run heavy 20 late_share_percent ''
}

@test "a first try that was measured again does not count" {
	make_run LOADS=0 run
	cp -R run/cells/heavy-000/2 "run/cells/heavy-000/2~"
	"$SUMMARIZE" run >out
	is run heavy 0 repeats 3
	is run heavy 0 keys 285
}

@test "marked trains count and are said" {
	make_run MARKED=1 run
	"$SUMMARIZE" run >out
	is run heavy 10 marked 1
	is run heavy 10 repeats 3
	is run heavy 10 foreign_percent_max 4.2
	is run heavy 10 steal_percent_max 0
	is run heavy 10 foreign_unknown 0
	is run heavy 5 marked 0
	is run heavy 5 same_group 1
	is run heavy 0 same_group ''
}

@test "foreign and stolen time are summed per train; the stall series counts; not known is not 0" {
	make_run MARKED=1 STEAL=2.5 SERIES=2 LOADS='0 10' run
	"$SUMMARIZE" run >out
	is run heavy 10 foreign_percent_max 4.2
	is run heavy 10 steal_percent_max 2.5
	is run heavy 10 disturbed_percent_max 6.7
	is run heavy 10 marked 2
	# only the train of the stall series is disturbed
	sed -i 's/"marked": "[^"]*"/"marked": ""/; s/"steal_percent": 2.5/"steal_percent": 0/' run/cells/heavy-010/2/cell.json
	sed -i 's/"foreign_percent": 4.2/"foreign_percent": 0.1/; s/"steal_percent": 2.5/"steal_percent": 9/' run/cells/heavy-010/2/stall/cell.json
	"$SUMMARIZE" run >out
	is run heavy 10 marked 1
	is run heavy 10 disturbed_percent_max 9.1
	make_run FOREIGN=null LOADS=0 APPS=light run2
	"$SUMMARIZE" run2 >out
	is run2 light 0 foreign_unknown 3
	is run2 light 0 disturbed_percent_max ''
}

@test "warm-up keys, pairing, latency from sent, merge gaps, who competed" {
	make_run MERGE=1 LOADS='5 10' run
	"$SUMMARIZE" run >out
	is run light 5 skipped_keys 15
	is run light 5 pairing caret
	is run heavy 5 pairing patch
	# np.percentile of answer - sent, all repeats together
	is run light 5 latency_sent_p50_ms "$(cat run/cells/light-005/*/samples.tsv | python3 -c '
import statistics, sys
rows = [l.rstrip("\n").split("\t") for l in sys.stdin if not l.startswith("schema")]
print(statistics.median((int(r[4]) - int(r[3])) / 1e6 for r in rows if r[7] == "0"))')"
	is run heavy 5 depends_on_merge 0
	is run light 10 wire_updates 285
	is run light 10 wire_updates_5ms 309
	is run light 10 wire_updates_20ms 285
	is run light 10 depends_on_merge 3
	# the session's leader is another one in each repeat and no difference; a nice value is one
	[ "$(field run light 5 competes_app)" = 'autogroup=/autogroup-4 nice=0 policy=other cpus=0 cgroup=/' ]
	sed -i '/"autogroup"/s/nice=0/nice=5/2' run/cells/light-005/3/cell.json
	sed -i 's/"pairing": "caret"/"pairing": "updates"/' run/cells/light-005/2/keyrepeat.json
	"$SUMMARIZE" run >out
	[ "$(field run light 5 competes_app)" = 'autogroup=/autogroup-4 nice=varies policy=other cpus=0 cgroup=/' ]
	is run light 5 pairing mixed
}

@test "from ten repeats on a bootstrap, the same one every time" {
	make_run REPEATS=10 LOADS='0 5' KEYS=60 run
	"$SUMMARIZE" run >out
	cp run/summary.tsv first.tsv
	is run heavy 5 interval bca
	is run light 5 late_interval exact
	awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) h[$i] = i; next } $3 == "heavy" {
		if (!($h["latency_p50_ms_low"] < $h["latency_p50_ms"] && $h["latency_p50_ms"] < $h["latency_p50_ms_high"])) exit 1 }' run/summary.tsv
	"$SUMMARIZE" run >out
	cmp run/summary.tsv first.tsv
	"$SUMMARIZE" run --seed 99 >out
	run cmp -s run/summary.tsv first.tsv
	[ "$status" -eq 1 ]
}

@test "curves rise, are at most a thousand points, and end at 1" {
	make_run KEYS=1605 LOADS=5 APPS=light run
	"$SUMMARIZE" run >out
	awk -F '\t' 'NR > 1 { n++; if ($4 < ms || $5 <= share) exit 1; ms = $4; share = $5 } END { if (n != 1000 || share != 1) { print n, share; exit 1 } }' run/cdf.tsv
}

@test "the report says what was done, in every format" {
	make_run LOADS='0 5' "a run"
	"$SUMMARIZE" "a run/" --format json -o report.json
	[ "$(jq -r .schema report.json)" = thinprobe.summarize/1 ]
	[ "$(jq .result.trains_complete report.json)" = 12 ]
	[ "$(jq .result.summary_rows report.json)" = 4 ]
	# none in 12 s: 3 / 12 (SciPy: chi2.ppf(0.95, 2) / 2 / 12); two in 12 s: chi2.ppf(0.95, 6) / 2 / 12
	jq -e '.result.idle_noise | .light.unsolicited_high_per_s == 0.2496 and .heavy.unsolicited_high_per_s == 0.5246' report.json
	"$SUMMARIZE" "a run" --format tsv | grep -qP '^thinprobe.summarize/1\tresult.cells\t4$'
	[ "$(find "a run" -maxdepth 1 -type f | sort | tr '\n' ' ')" = 'a run/cdf.tsv a run/run.json a run/stages.tsv a run/summary.tsv ' ]
}

@test "what is wrong with a run folder is said in one line that names the file" {
	local file

	run "$SUMMARIZE" nowhere
	[ "$status" -eq 1 ]
	[ "$output" = 'summarize: nowhere/run.json: No such file or directory' ]
	make_run LOADS=0 APPS=light run
	for file in cell.json keyrepeat.json prototap.json; do
		cp "run/cells/light-000/2/$file" kept
		echo '{"a":' >"run/cells/light-000/2/$file"
		run "$SUMMARIZE" run
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == "summarize: run/cells/light-000/2/$file: line"* ]]
		cp kept "run/cells/light-000/2/$file"
	done
	for file in keyrepeat.json samples.tsv; do
		mv "run/cells/light-000/2/$file" kept
		run "$SUMMARIZE" run
		[ "$status" -eq 1 ]
		[ "$output" = "summarize: run/cells/light-000/2/$file: No such file or directory" ]
		mv kept "run/cells/light-000/2/$file"
	done
	printf 'keys/1\t101\t12' >>run/cells/light-000/2/samples.tsv
	run "$SUMMARIZE" run
	[ "$status" -eq 1 ]
	[ "$output" = 'summarize: run/cells/light-000/2/samples.tsv: line 102 cannot be read' ]
	[ ! -e run/summary.tsv ]
	mkdir run/cells/what
	run "$SUMMARIZE" run
	[ "$status" -eq 1 ]
	[[ $output == 'summarize: run/cells/'* ]]
}

@test "a capture that is missing is no error" {
	make_run LOADS=0 APPS=light run
	rm run/cells/light-000/*/prototap.json
	"$SUMMARIZE" run >out
	is run light 0 capture_dropped ''
	is run light 0 mean_stall_ms 0 0.3
}

@test "without watched keys, updates come from the capture" {
	make_run LOADS=0 APPS=light REPEATS=1 run
	sed -i 's/"stalls": {.*/"stalls": null,/; /"max_ms"/s/.*/"drain_s": 1.0}}/; s/"largest_gap_ms": [0-9.]*,//' run/cells/light-000/1/keyrepeat.json
	jq . run/cells/light-000/1/keyrepeat.json >/dev/null
	sed -i 's/"stalls": {"period_ms": 50.0, "mean_ms": [-0-9.]*}/"stalls": {"period_ms": 50.0, "mean_ms": 1.5, "max_ms": 7, "jitter_sd_ms": 2.5}/' run/cells/light-000/1/prototap.json
	"$SUMMARIZE" run >out
	is run light 0 mean_stall_ms 1.5
	is run light 0 largest_gap_ms 57
	is run light 0 jitter_sd_ms 2.5
}

@test "a run without one complete repeat leaves tables without figures, and fails" {
	make_run LOADS=0 APPS=light REPEATS=1 run
	rm run/cells/light-000/1/cell.json
	run "$SUMMARIZE" run
	[ "$status" -eq 1 ]
	[[ "${lines[-1]}" == 'summarize: run: no repeat of any cell is complete'* ]]
	is run light 0 state failed
	[ "$(wc -l <run/cdf.tsv)" = 1 ]
}

@test "an output that cannot be written is said before anything is done" {
	make_run LOADS=0 APPS=light REPEATS=1 run
	run "$SUMMARIZE" run -o /nonexistent/x
	[ "$status" -eq 1 ]
	[ ! -e run/summary.tsv ]
	mkdir run/summary.tsv
	run "$SUMMARIZE" run
	[ "$status" -eq 1 ]
	[[ $output == 'summarize: run/summary.tsv: '* ]]
	[ -z "$(find run -name 'summary.tsv.*')" ]
}

@test "wrong usage" {
	run "$SUMMARIZE"
	[ "$status" -eq 2 ]
	run "$SUMMARIZE" a b
	[ "$status" -eq 2 ]
	run "$SUMMARIZE" --draws 1 a
	[ "$status" -eq 2 ]
}
