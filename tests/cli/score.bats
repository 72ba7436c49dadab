#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# score: the numbers come from the table, each with its source; logs of keys and of JMeter; refusals in one line.

bats_require_minimum_version 1.5.0
load helpers

SCORE=$BIN/score
TABLE=$TOP/data/thresholds.tsv

@test "score: latency is answer minus due time, without warm-up; an unanswered key counts as a lower bound" {
	need jq
	{
		printf 'schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\n'
		awk 'BEGIN { for (i = 1; i <= 12; i++) { d = 965232609878500 + i * 50000000;
			a = i == 12 ? "" : sprintf("%.0f", d + (i % 4 ? 40 : 160) * 1000000)
			printf "keys/1\t%d\t%.0f\t%.0f\t%s\t%s\t%s\t%d\n", i, d, d, a, a, i == 12 ? sprintf("%.0f", d + 6000000000) : "", i < 3 } }'
	} >"a b.tsv"
	"$SCORE" "a b.tsv" --format json -o out.json
	jq -c .result out.json
	# ten are left: two of 160 ms, seven of 40, one later than six seconds
	jq -e '.result | .samples == 10 and .passed_over == 2 and .later_than == 1 and .perception.late_percent == 30
		and .tolia.crisp_percent == 70
		and .tolia.noticeable_percent == 20 and .tolia.unusable_percent == 10 and .apdex.score == 0.8
		and .apdex.rating == "fair" and .wu.felt_s == null and .wu.above.felt_s == 6.02
		and .vsimax.reached == null' out.json
	jq -e '[.result | .perception, .tolia, .apdex, .wu, .vsimax | .source | length > 10] | all' out.json
}

@test "score --threshold: sets the limit for late keys, and changes no other rule" {
	need jq
	printf '%s\n' latency_ms 50 100 150 151 >a.tsv
	"$SCORE" a.tsv --format json | jq -e '.result | .perception.threshold_ms == 100 and .perception.late_percent == 50'
	"$SCORE" a.tsv --threshold 150ms --format json | jq -e '.result | .perception.threshold_ms == 150
		and .perception.late_percent == 25
		and .apdex.target_ms == 100 and .apdex.score == 0.75'
}

@test "score --from --to: only keys due in that time; mean and interpolated quantiles, also as lower bounds" {
	need jq
	{
		printf 'schema\tdue_ns\tanswer_ns\tcensored_ns\tskipped\n'
		printf 'keys/1\t%d\t%s\t%s\t0\n' 1000 9000000 '' 2000 10002000 '' 3000 20003000 '' 4000 '' 40004000 5000 9000000 ''
	} >keys.tsv
	# 10, 20 and more than 40 ms: 20 + 0.9 x 20
	"$SCORE" keys.tsv --from 2000 --to 4000 --format json | jq -e '.result | .samples == 3 and .passed_over == 2 and .later_than == 1
		and .latency_ms == {mean: null, p50: 20, p95: null, max: null, above: {mean: 23.333, p95: 38, max: 40}}'
	printf 'r_ms\n1\n' >ms.tsv
	run -1 "$SCORE" ms.tsv --from 1
	[[ $output == *due_ns* ]]
}

ranges() {	# COUNT EARLY-MS LATE-MS: that many keys, answered from early to late
	awk -v n="$1" -v early="$2" -v late="$3" 'BEGIN { for (i = 1; i <= n; i++) { d = 965232609878500 + i * 50000000
		printf "keys/1\t%.0f\t%.0f\t%s\t%s\t0\n", d, d + early * 1e6, late == "" ? "" : sprintf("%.0f", d + late * 1e6),
			late == "" ? sprintf("%.0f", d + 5e9) : "" } }'
}

@test "score: samples that are ranges give ranges; a rating is given only if both ends agree" {
	need jq
	printf 'schema\tdue_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\n' >head.tsv
	{ cat head.tsv && ranges 200 20 900; } >wide.tsv
	"$SCORE" wide.tsv --format json -o wide.json
	jq -e '.result | .ranged == 200 and .latency_ms.p50 == null and .latency_ms.range.p95 == {from: 20, to: 900}
		and .perception.late_percent == null and .perception.range.late_percent == {from: 0, to: 100}
		and .apdex.score == null and .apdex.range.score == {from: 0, to: 1} and .apdex.rating == "cannot tell"
		and .apdex.satisfied == 0 and .wu.range.felt_s.to == 160' wide.json
	jq -e '.summary | test("ranges")' wide.json
	run "$SCORE" wide.tsv
	[[ $output == *"20.0 to 900 ms"*"cannot tell"* ]]
	# both ends are fast: the figure is a range, but the rating is certain
	{ cat head.tsv && ranges 200 20 60; } >fast.tsv
	"$SCORE" fast.tsv --format json | jq -e '.result | .apdex.score == 1 and .apdex.rating == "excellent" and .latency_ms.p50 == null'
	# without a late end no sample counts as satisfied
	{ cat head.tsv && ranges 200 20 ''; } >open.tsv
	"$SCORE" open.tsv --format json | jq -e '.result | .later_than == 200 and .latency_ms.range.p50 == {from: 20, to: null}
		and .apdex.rating == "cannot tell"'
	"$SCORE" fast.tsv --tsv >row.tsv
	[ "$(wc -l <row.tsv)" = 2 ]
	[ "$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "apdex.score") c = i } NR == 2 { print $c }' \
		row.tsv)" = 1.0000 ]
}

@test "score: a key that was sent late, or never, is a range from earliest_ns" {
	need jq
	{
		printf 'schema\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\tearliest_ns\n'
		printf 'keys/1\t1000000000\t1180000000\t1200000000\t1200000000\t\t0\t1050000000\n'
		printf 'keys/1\t2000000000\t\t\t\t9000000000\t0\t2000000000\n'
	} >keys.tsv
	"$SCORE" keys.tsv --format json | jq -e '.result | .ranged == 2 and .later_than == 1
		and .latency_ms.range.p50 == {from: 25, to: null} and .perception.range.late_percent == {from: 0, to: 100}'
}

@test "score: keys without an answer give ranges; rows without a latency are reported with their line" {
	need jq
	printf 'schema\tdue_ns\tsent_ns\tanswer_ns\tcensored_ns\tskipped\n' >keys.tsv
	# 60 of 100 keys answered after 10 ms; of 40 it is only known that they were sent, 1 ms late
	awk 'BEGIN { for (i = 1; i <= 100; i++) { d = i * 1000000
		printf "keys/1\t%d\t%d\t%s\t\t0\n", d, d + 1000000, (i > 60 ? "" : d + 10000000) } }' >>keys.tsv
	"$SCORE" keys.tsv --format json -o out.json
	jq -e '.result | .samples == 100 and .passed_over == 0 and .later_than == 40 and .apdex.rating == "cannot tell"
		and .apdex.range.score == {from: 0.6, to: 1} and .perception.range.late_percent == {from: 0, to: 40}' out.json
	# answered or later, and no column of late ends
	printf 'schema\tdue_ns\tanswer_ns\tcensored_ns\nkeys/1\t0\t10000000\t900000000\n' >open.tsv
	"$SCORE" open.tsv --format json | jq -e '.result | .later_than == 1 and .latency_ms.range.p50 == {from: 10, to: null}'
	# no answers and no end of waiting
	printf 'schema\tdue_ns\tsent_ns\tanswer_ns\nkeys/1\t5\t5\t\nkeys/1\t6\t6\t\n' >blind.tsv
	refused 1 blind.tsv
	printf 'latency_ms\tuser\n5\ta\n\tb\n7\tc\n\td\n' >gaps.tsv
	run -0 --separate-stderr "$SCORE" gaps.tsv --format json -o gaps.json
	[[ $stderr == *"2 rows"*"line 3"* ]]
	jq -e '.result.samples == 2 and .result.passed_over == 2' gaps.json
}

@test "score: VSImax is unknown if it depends on samples without an answer" {
	need jq
	# 20 users: 13 samples each time; the last ten of 40 are answered after 500 ms, or known only to be later
	for last in answered later; do
		printf 'due_ns\tanswer_ns\tcensored_ns\tusers\n' >$last.tsv
		awk -v last=$last 'BEGIN { for (i = 1; i <= 40; i++) { d = i * 1000000000; at = d + 500000000
			printf "%.0f\t%s\t%s\t20\n", d, (i > 30 && last == "later" ? "" : sprintf("%.0f", at)),
				(i > 30 && last == "later" ? sprintf("%.0f", at) : "") } }' >>$last.tsv
		"$SCORE" $last.tsv --model vsimax --format json -o $last.json
	done
	jq -e '.result.vsimax | .reached == false and .users == 20' answered.json
	jq -e '.result | .later_than == 10 and .vsimax.reached == null and .vsimax.users == null' later.json
}

@test "score: VSImax is unknown if it depends on failed samples, or if rows are not in order of time" {
	need jq
	# 20 users, 40 operations of half a second; of the last thirty, STEP - 1 of STEP failed at once
	jtl() { echo 'timeStamp,elapsed,success,allThreads'; awk -v step="$1" 'BEGIN { for (i = 0; i < 60; i++) { bad = i >= 30 && i % step
		printf "%.0f,%d,%s,20\n", 1700000000000 + i * 1000, bad ? 5 : 500, bad ? "false" : "true" } }'; }
	jtl 1 >good.jtl
	jtl 3 >failed.jtl
	{ head -n 1 good.jtl; tail -n +2 good.jtl | tac; } >mixed.jtl
	for name in good failed mixed; do "$SCORE" $name.jtl --model vsimax --format json -o $name.json; done
	jq -e '.result.vsimax | .reached == false and .users == 20' good.json
	jq -e '.result | .failed == 20 and .vsimax.reached == null and .vsimax.users == null and .vsimax.base_ms == 500' failed.json
	jq -e '.result.vsimax | .reached == null and .users == null' mixed.json
	run "$SCORE" failed.jtl
	[[ $output == *"20 of 60 samples failed"* ]]
	# one in a hundred changes nothing: it is trimmed off
	sed -i '40s/,500,true/,5,false/' good.jtl
	"$SCORE" good.jtl --model vsimax --format json | jq -e '.result.vsimax | .reached == false and .users == 20 and .base_ms == 500'
}

@test "score: a latency exactly at the threshold is rated the same in every unit" {
	need jq
	printf 'r_s\n2.007\n8.028\n8.029\n' >s.tsv
	printf 'r_ns\n2007000000\n8028000000\n8029000000\n' >ns.tsv
	for unit in s ns; do
		"$SCORE" $unit.tsv --column r_$unit --model apdex --target 2007ms --format json |
			jq -e '.result.apdex | .satisfied == 1 and .tolerating == 1 and .frustrated == 1'
	done
}

@test "score: reads elapsed and allThreads of JMeter's results; the rules take their numbers from --thresholds" {
	need jq
	{
		echo 'timeStamp,elapsed,label,threadName,allThreads'
		awk 'BEGIN { for (i = 0; i < 200; i++) printf "%d,%d,\"a, b\",t,%d\n", 1700000000000 + i * 1000,
			i < 140 ? 500 : 1600, 1 + i / 10 }'
	} >a.jtl
	"$SCORE" a.jtl --model vsimax --format json -o out.json
	jq -e '.result | .vsimax.reached and .vsimax.users == 15 and .vsimax.base_ms == 500 and (has("apdex") | not)' out.json
	# a larger margin is never reached
	awk -F'\t' -v OFS='\t' '$2 == "vsimax_margin" { $3 = 5000 } { print }' "$TABLE" >other.tsv
	"$SCORE" a.jtl --model vsimax --thresholds other.tsv --format json |
		jq -e '.result.vsimax.reached == false and .result.vsimax.users == 20'
	"$SCORE" a.jtl --model apdex --target 500ms --format json | jq -e '.result.apdex.score == 0.85 and .result.apdex.rating == "good"'
	"$SCORE" a.jtl --model wu --expected 600ms --beta 2 --format json | jq -e '.result.wu.felt_s == 60'
}

# 169 of 200 satisfied: 0.845; from 0.85 on the rating is good
@test "score: an Apdex of 0.845 is printed as 0.85, which its rating 'good' belongs to" {
	{ echo r_ms; awk 'BEGIN { for (i = 0; i < 200; i++) print (i < 169 ? 50 : 500) }'; } >half.tsv
	"$SCORE" half.tsv --column r_ms --model apdex --target 100ms >out
	grep -E 'Apdex.* 0\.85 .*good' out
}

@test "score: reads JMeter's results with byte order mark and CRLF; failed requests count as frustrated" {
	need jq
	{
		printf '\xef\xbb\xbftimeStamp,elapsed,label,success\r\n'
		awk 'BEGIN { for (i = 0; i < 10; i++) printf "%d,%d,\"a\nb\",%s\r\n", 1700000000000 + i * 1000,
			i < 8 ? 50 : 200, i < 2 ? "false" : "true" }'
	} >a.jtl
	"$SCORE" a.jtl --format json -o out.json
	jq -c .result out.json
	# six are satisfied, two tolerate, two failed: (6 + 1) / 10
	jq -e '.result | .samples == 10 and .failed == 2 and .apdex.satisfied == 6 and .apdex.tolerating == 2
		and .apdex.frustrated == 2 and .apdex.score == 0.7
		and .apdex.rating == "fair" and .apdex.few_samples and .perception.late_percent == 20' out.json
}

refused() {	# status words...
	local wanted=$1

	shift
	run -"$wanted" "$SCORE" "$@"
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "score: "* ]]
}

@test "score: where every sample may be in several classes, no class is named that none can be in" {
	{
		printf 'schema\tkey\tdue_ns\tsent_ns\tskipped\tanswer_ns\tanswer_high_ns\tcensored_ns\n'
		awk 'BEGIN { for (i = 1; i <= 200; i++)
			printf "keys/1\t%d\t%d000000000\t%d000000000\t0\t%d400000000\t%d000000000\t\n", i, i, i, i, i + 6 }'
	} >ranges.tsv
	"$SCORE" ranges.tsv >said
	grep 'Tolia.*noticeable to unusable' said
}

@test "score: a time without the time at which it was due is no latency, unless --column says so" {
	printf 'schema\tkey\tanswer_ns\nkeys/1\t1\t123000000000000\n' >clock.tsv
	refused 1 clock.tsv
	"$SCORE" clock.tsv --column answer_ns --json | jq -e '.result.latency_ms.max == 123000000'
}

@test "score: a latency of more nanoseconds than 64 bits hold is refused" {
	printf '%s\n' latency_ms 5 1e13 >long.tsv
	refused 1 long.tsv
}

@test "score: an unusable file is refused in one line" {
	refused 2
	refused 1 missing.tsv
	printf 'latency_ms\n' >a.tsv
	refused 1 a.tsv
	printf 'latency_ms\tsuccess\n5\tno\n' >a.tsv
	refused 1 a.tsv
	printf 'latency_ms\n5\n-1\n' >a.tsv
	refused 1 a.tsv
	[[ $output == *"line 3"* ]]
	printf 'wait\n5\n' >a.tsv
	refused 1 a.tsv
	refused 1 a.tsv --column wait
	refused 1 a.tsv --column wait --unit ms --users who
	run -0 "$SCORE" a.tsv --column wait --unit ms
	printf 'latency_ms\tusers\tusers\tnote\tnote\n5\t1\t9\t\t\n' >twice.tsv
	refused 1 twice.tsv
	[[ $output == *"named users"* ]]
	printf 'latency_ms\tnote\tnote\n5\t\t\n' >twice.tsv	# nothing is read from these
	run -0 "$SCORE" twice.tsv
	grep -v apdex_poor "$TABLE" >less.tsv
	refused 1 a.tsv --column wait --unit ms --thresholds less.tsv
	[[ $output == *apdex_poor* ]]
}
