#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# judge: verdicts and exit statuses of tables written by hand. (The rule: tests/analysis.)

bats_require_minimum_version 1.5.0
load helpers

JUDGE=$BIN/judge

# blocks STARTS A B [DISTURBED]: a table in which B - A is exactly that, up to 0.2 to both sides in turns; the first DISTURBED
# starts were disturbed.
blocks() {
	awk -v starts="$1" -v a="$2" -v b="$3" -v disturbed="${4:-0}" 'BEGIN {
		print "schema\tstart\tpair\tvariant\tcell\tmetric\tunit\tbetter\tvalue\tdisturbed"
		for (s = 1; s <= starts; s++) for (p = 1; p <= 2; p++) {
			bad = s <= disturbed
			printf "blocks/1\t%d\t%d\ta\t\t\t\t\t\t%d\n", s, p, bad
			printf "blocks/1\t%d\t%d\ta\tvnc 0\tlatency_p50_ms\tms\tlower\t%.3f\t%d\n", s, p, a, bad
			printf "blocks/1\t%d\t%d\tb\t\t\t\t\t\t%d\n", s, p, bad
			printf "blocks/1\t%d\t%d\tb\tvnc 0\tlatency_p50_ms\tms\tlower\t%.3f\t%d\n", s, p, b + (s % 2 ? 0.2 : -0.2), bad
		}
	}'
}

@test "judge: better, worse, no difference of that size, not decided: each with its exit status" {
	local a b status_wanted word

	need jq
	while read -r a b status_wanted word; do
		blocks 12 "$a" "$b" >blocks.tsv
		run -"$status_wanted" "$JUDGE" blocks.tsv --json -o out.json
		[ "$(jq -r .result.verdict out.json)" = "$word" ]
	done <<'END'
10 12 5 worse
12 10 0 better
10 10.1 0 no difference of that size
END
	blocks 2 10 12 >blocks.tsv
	run -3 "$JUDGE" blocks.tsv --json -o out.json
	jq -e '.result | .verdict == "not decided" and .open == 1 and .more_starts > 0 and .metrics_decided[0].low == null' out.json
	# a rate that is lower is worse
	blocks 12 12 10 | sed 's/\tlower\t/\thigher\t/' >blocks.tsv
	run -5 "$JUDGE" blocks.tsv
}

@test "judge: of too many disturbed blocks nothing is said; of few, their pairs are left out" {
	need jq
	blocks 12 10 12 5 >blocks.tsv
	run -3 "$JUDGE" blocks.tsv --json -o out.json
	[ "$(jq -r .result.verdict out.json)" = "too noisy" ]
	jq -e '.result.disturbed | length == 20 and
		(.[0] == {start: 1, pair: 1, variant: "a", used: false}) and (map(.start) | max == 5)' out.json
	blocks 12 10 12 3 >blocks.tsv
	run -5 "$JUDGE" blocks.tsv --json -o out.json
	jq -e '.result.metrics_decided[0] | .starts == 9 and .pairs_disturbed == 6' out.json
}

# A is 0.2 ms, B 6.3 ms. In some starts A is known as a range, or not at all, as a server with too much to do leaves it.
@test "judge: a range of a faster A does not hide a slower B; values that A lacks, or ranges up to B, leave it open" {
	local when value status_wanted wanted

	need jq
	while read -r when value status_wanted wanted; do
		blocks 16 0.2 6.3 | awk -F'\t' -v OFS='\t' -v when="$when" -v value="${value/-/}" '
			NR > 1 && $2 % when == 0 && $4 == "a" && $6 != "" { $9 = value } 1' >blocks.tsv
		run -"$status_wanted" "$JUDGE" blocks.tsv --effect 3ms --json -o out.json
		jq -e ".result.metrics_decided[0] | $wanted" out.json
	done <<'END'
8 0.19..1.4 5 .verdict == "worse" and .lacks_values == null and .pairs_ranged == 4 and .pairs == 32
2 - 3 .verdict == "not decided" and .lacks_values == "a" and .pairs_ranged == 0
2 0.2..40 3 .verdict == "not decided" and .lacks_values == null and .pairs_ranged == 16
END
	for value in 2..1 1.. ..2 1..x 1..2..3; do
		blocks 2 10 12 | sed "s/\t10.000\t/\t$value\t/" >blocks.tsv
		run -1 "$JUDGE" blocks.tsv
	done
}

# lacking VARIANT: a table of judge without the values of that variant in every fourth start
lacking() { awk -F'\t' -v OFS='\t' -v lacks="$1" '$2 % 4 == 0 && $4 == lacks && $6 != "" { $9 = "" } 1'; }

@test "judge: values that only one variant lacks are no merit of it" {
	need jq
	blocks 12 12 10 >blocks.tsv
	run -0 "$JUDGE" blocks.tsv
	lacking a <blocks.tsv >some.tsv
	run -0 "$JUDGE" some.tsv
	lacking b <blocks.tsv >some.tsv
	run -3 "$JUDGE" some.tsv
	blocks 12 10 10.1 | lacking a >some.tsv
	run -3 "$JUDGE" some.tsv
	# B was not measured in another condition at all
	{ cat blocks.tsv; grep $'\ta\tvnc 0' blocks.tsv | sed 's/vnc 0/vnc 1/'; } >some.tsv
	run -3 "$JUDGE" some.tsv --json -o out.json
	jq -e '.result | .metrics_decided[0].verdict == "better" and
		.one_sided == [{cell: "vnc 1", metric: "latency_p50_ms", only: "a"}]' out.json
}

@test "judge --runs: two runs by Welch's t test" {
	need jq
	{
		printf 'schema\tstart\tpair\tvariant\tcell\tmetric\tunit\tbetter\tvalue\tdisturbed\n'
		n=0
		for value in 10.1 9.8 10.4 10.0; do printf 'blocks/1\t1\t%d\ta\tc\tstall_ms\tms\tlower\t%s\t0\n' $((++n)) "$value"; done
		for value in 11.9 12.6 12.1; do printf 'blocks/1\t1\t%d\tb\tc\tstall_ms\tms\tlower\t%s\t0\n' $((++n)) "$value"; done
	} >blocks.tsv
	run -5 "$JUDGE" blocks.tsv --runs --effect 1ms --json -o out.json
	# scipy.stats.ttest_ind(b, a, equal_var=False): p = 0.001885, interval 1.4019 to 2.8481
	jq -e 'def near($wanted; $by): . > $wanted - $by and . < $wanted + $by;
		.result.metrics_decided[0] | (.change | near(2.1250; 0.001)) and (.p | near(0.001885; 0.00001))
		and (.low | near(1.4019; 0.001)) and (.high | near(2.8481; 0.001))' out.json
}

# runs CELL METRIC A B: rows of two runs, a repeat for each of the values in words.
runs() {
	local n=0 variant value
	for variant in a b; do
		for value in $([ $variant = a ] && echo "$3" || echo "$4"); do
			printf 'blocks/1\t1\t%d\t%s\t%s\t%s\tms\tlower\t%s\t0\n' $((++n)) $variant "$1" "$2" "${value/-/}"
		done
	done
}

@test "judge --runs: of B too few values: not decided; nothing but one value: only a share of many keys holds" {
	need jq
	blocks 0 >head
	{ cat head; runs light p95_ms "10 11 12 10 11" "10 11 12 10 11"; runs heavy p95_ms "20 21 22 20 21" "90 - - - -"; } >blocks.tsv
	run -3 "$JUDGE" blocks.tsv --runs --json -o out.json
	jq -e '.result | .verdict == "not decided" and .too_few == [{cell: "heavy", metric: "p95_ms"}]' out.json
	{ cat head; runs light late "0 0 0" "0 0 0"; } >blocks.tsv
	run -1 "$JUDGE" blocks.tsv --runs
	run -3 "$JUDGE" blocks.tsv --runs --metrics late --json -o out.json
	jq -e '.result | .verdict == "not decided" and .the_same == [] and (.metrics_decided[0] | .low == null)' out.json
	# both hold it within a point, but not where one may have up to 6 %, or a range
	sed 's/\tms\t/\t%\t/' blocks.tsv >share.tsv
	{
		printf 'schema\tvariant\tcell\tmetric\tfrom\tto\tlow\thigh\trepeats\twhy\n'
		printf 'pooled/1\t%s\tlight\tlate\t0\t0\t0\t0.4\t3\t\n' a b
	} >pooled.tsv
	run -3 "$JUDGE" share.tsv --runs --metrics late
	sed '$s/0\.4/6/' pooled.tsv >few.tsv
	run -3 "$JUDGE" share.tsv --runs --metrics late --pooled few.tsv
	sed '$s/0\t0\t0/0\t20\t0/' pooled.tsv >range.tsv
	run -3 "$JUDGE" share.tsv --runs --metrics late --pooled range.tsv
	run -0 "$JUDGE" share.tsv --runs --metrics late --pooled pooled.tsv --json -o out.json
	jq -e '.result | .verdict == "no difference of that size" and .the_same == [{cell: "light", metric: "late"}]' out.json
	# none of A's keys was late and all of B's: repeats without any spread, which the intervals of all keys tell apart
	{ cat head; runs light late "0 0 0" "100 100 100"; } | sed 's/\tms\t/\t%\t/' >apart.tsv
	run -3 "$JUDGE" apart.tsv --runs
	sed '$s/0\t0\t0\t0\.4/100\t100\t97\t100/' pooled.tsv >far.tsv
	run -5 "$JUDGE" apart.tsv --runs --pooled far.tsv
	sed '$s/0\t0\t0\t0\.4/100\t100\t\t/' pooled.tsv >bare.tsv
	run -3 "$JUDGE" apart.tsv --runs --pooled bare.tsv
	# the line that is none is named
	sed '$s/light/light\tof/' pooled.tsv >wrong.tsv
	run ! "$JUDGE" apart.tsv --runs --pooled wrong.tsv
	[[ $output == *"wrong.tsv, line 3"* ]]
}

@test "judge --runs: overloaded since is worse; what lacks an interval is set aside where it is not worse and was not asked for" {
	need jq
	{
		blocks 0
		runs light p50_ms "20 21 20 21 20" "20 21 20 20 21"
		runs light p99_ms "- - - - -" "- - - - -"
		runs heavy p50_ms "40 41 42 40 41" "- - - - -"
	} >blocks.tsv
	{
		printf 'schema\tvariant\tcell\tmetric\tfrom\tto\tlow\thigh\trepeats\twhy\n'
		printf 'pooled/1\ta\tlight\tp99_ms\t30\t30\t28\t33\t5\t\npooled/1\tb\tlight\tp99_ms\t31\t31\t\t\t5\t\n'
	} >pooled.tsv
	grep -v heavy blocks.tsv >light.tsv
	run -0 "$JUDGE" light.tsv --runs --pooled pooled.tsv --json -o out.json
	jq -e '.result | .not_judged == [{cell: "light", metric: "p99_ms"}] and .not_compared == []' out.json
	run -3 "$JUDGE" light.tsv --runs --pooled pooled.tsv --metrics p50_ms,p99_ms
	sed 's/31\t31/36\t36/' pooled.tsv >slower.tsv
	run -3 "$JUDGE" light.tsv --runs --pooled slower.tsv --json -o out.json
	jq -e '.result | .not_judged == [] and [.not_compared[].metric] == ["p99_ms"]' out.json
	printf 'pooled/1\tb\theavy\tp50_ms\t\t\t\t\t5\toverloaded\n' >>pooled.tsv
	run -5 "$JUDGE" blocks.tsv --runs --pooled pooled.tsv --json -o out.json
	jq -e '.result | .verdict == "worse" and .overloaded == [{cell: "heavy", metric: "p50_ms"}] and .one_sided == []' out.json
	run -3 "$JUDGE" blocks.tsv --runs --pooled pooled.tsv --doubt why
	sed 's/overloaded/failed/' pooled.tsv >failed.tsv
	run -3 "$JUDGE" blocks.tsv --runs --pooled failed.tsv
}

@test "judge: a metric without a value of both in one pair, or with the values of one that is not asked for" {
	need jq
	# p90 is three times as long, but in turns only one of a pair has it
	blocks 12 10 30 | awk -F'\t' -v OFS='\t' 'NR > 1 && $6 != "" && $2 % 2 == ($4 == "a") { $6 = "p90"; print }' >p90
	{ blocks 12 12 10; cat p90; } >blocks.tsv
	run -3 "$JUDGE" blocks.tsv --json -o out.json
	jq -e '.result | .verdict == "not decided" and .too_few == [{cell: "vnc 0", metric: "p90"}]' out.json
	# one value everywhere is shown, and says nothing where nothing else was asked for
	blocks 12 10 10 | awk -F'\t' -v OFS='\t' '$6 ~ /_p50/ { $9 = 0 } { print }' >blocks.tsv
	blocks 12 10 10.1 | sed -n 's/latency_p50/latency_p90/p' >>blocks.tsv
	run -3 "$JUDGE" blocks.tsv --metrics latency_p50_ms --json -o out.json
	jq -e '.result.metrics_decided | map([.metric, .verdict]) == [["latency_p50_ms", "not decided"]]' out.json
	run -0 "$JUDGE" blocks.tsv --metrics latency_p50_ms,latency_p90_ms
	run -1 "$JUDGE" <(grep -v p90 blocks.tsv)
	# times in us are held against an effect in ms
	blocks 12 10 12 | sed 's/\tms\t/\tus\t/' >blocks.tsv
	run -0 "$JUDGE" blocks.tsv --effect 1ms
	{ blocks 0; runs light wait_ms "10 11 12 10" "10 11 12 10"; runs light p95_ms "10 11 12 10" "10 11 12 10"; } >blocks.tsv
	run -3 "$JUDGE" blocks.tsv --runs --metrics p95_ms --json -o out.json
	jq -e '.result.metrics_decided | map(.metric) == ["p95_ms"]' out.json
}

# session BLOCKS GROWTH [FALL]: a floor of 10 ms that grows by GROWTH over the session; with FALL it falls back after so many
# blocks.
session() {
	awk -v n="$1" -v growth="$2" -v fall="${3:-$1}" 'BEGIN {
		print "schema\tstart\tpair\tvariant\tcell\tmetric\tunit\tbetter\tvalue\tdisturbed"
		for (i = 1; i <= n; i++) {
			value = 10 * (1 + 0.01 * sin(37 * i) + growth * (i % fall) / fall)
			printf "blocks/1\t%d\t1\ta\t\tfloor_ms\tms\t\t%.4f\t0\n", i, value
			printf "blocks/1\t%d\t1\ta\t\tagain\tpackets\t\t%d\t0\n", i, i % 7 == 0
		}
	}'
}

@test "judge --drift: slower, not slower, comes and goes, not decided: each with its exit status" {
	local blocks growth fall status_wanted word

	need jq
	while read -r blocks growth fall status_wanted word; do
		session "$blocks" "$growth" "$fall" >session.tsv
		run -"$status_wanted" "$JUDGE" session.tsv --drift 60s --json -o out.json
		[ "$(jq -r .result.verdict out.json)" = "$word" ]
	done <<'END'
200 0.6 201 5 slower
200 0 201 0 not slower
200 1 101 3 comes and goes
50 0.6 51 3 not decided
END
	# 6 ms in 200 minutes
	run -5 "$JUDGE" <(session 200 0.6 201 | tee session.tsv) --drift 60s --json -o out.json
	jq -e '.result | .moved_first == "floor_ms" and (.figures[0] | .per_hour > 1.6 and .per_hour < 2
		and .since_s < 1200)' out.json
	run -0 "$JUDGE" session.tsv --drift 60s --effect 9ms
	# the floor stays, the median grows
	{ session 200 0; session 200 0.6 | sed '1d; /again/d; s/floor_ms/median_ms/'; } >session.tsv
	run -0 "$JUDGE" session.tsv --drift 60s
	run -5 "$JUDGE" session.tsv --drift 60s --metrics floor_ms,median_ms
	run -1 "$JUDGE" session.tsv --drift 60s --metrics floor_ms,late_percent
	# the end has no figure
	session 200 0 | awk -F'\t' -v OFS='\t' 'NR > 1 && $2 > 195 { $9 = "" } 1' >session.tsv
	run -3 "$JUDGE" session.tsv --drift 60s
	session 200 0 | awk -F'\t' -v OFS='\t' '$2 == 195 { $9 = "inf" } 1' >session.tsv
	run -1 "$JUDGE" session.tsv --drift 60s
}

@test "judge: better in one metric while another may be worse is not decided, and names both" {
	need jq
	blocks 12 12 10 >blocks.tsv
	blocks 12 12 10 | awk -F'\t' -v OFS='\t' 'NR > 1 && $6 != "" {
		$6 = "latency_p90_ms"; $9 += $4 == "b" && $2 % 3 ? 4 : 0; print }' >>blocks.tsv
	run -3 "$JUDGE" blocks.tsv
	[[ ${lines[0]} == "better: vnc 0 latency p50 ms; not decided: vnc 0 latency p90 ms" ]]
	run -0 "$JUDGE" blocks.tsv --metrics latency_p50_ms
	# blocks that are used although they were disturbed
	sed '2,$s/\t0$/\t2/' blocks.tsv >allowed.tsv
	run -0 "$JUDGE" allowed.tsv --metrics latency_p50_ms --json -o out.json
	jq -e '.result.provisional and .result.verdict == "better" and (.summary | startswith("provisional: "))' out.json
}

@test "judge: a wrong table or option is named in one line" {
	blocks 3 10 12 >blocks.tsv
	run -2 "$JUDGE" blocks.tsv --effect 10
	[[ $output == "judge: --effect 10: a share such as 10%, or a time such as 5ms"* ]]
	run -1 "$JUDGE" blocks.tsv --metrics latency_p50_ms,nothing
	[[ $output == *"blocks.tsv: no metric nothing"* ]]
	sed '$s/\tms\t/\ts\t/' blocks.tsv >units.tsv
	run -1 "$JUDGE" units.tsv
	[[ $output == *"a metric of two units"* ]]
	sed 's/\tlower\t/\tHigher\t/' blocks.tsv >better.tsv
	run -1 "$JUDGE" better.tsv
	run -1 "$JUDGE" blocks.tsv --drift 60s	# B's values beside A's
	echo nonsense >other.tsv
	run -1 "$JUDGE" other.tsv
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *other.tsv* ]]
	run -2 "$JUDGE" blocks.tsv --drift 60s --runs
	run -2 "$JUDGE" blocks.tsv --criteria p95:100ms --limits
	run -2 "$JUDGE" blocks.tsv --limits --pooled blocks.tsv
	run -2 "$JUDGE" blocks.tsv --warmup 3
	[[ $output == *--warmup*drift* ]]
	run -2 "$JUDGE" --starts 3 --most 4
	[[ $output == *--most*criteria* ]]
	run -2 "$JUDGE" blocks.tsv --criteria p95:100
	run -2 "$JUDGE" blocks.tsv --criteria apdex:85
	run -1 "$JUDGE" blocks.tsv --criteria p95:100ms
	session 5 0 >session.tsv
	run -1 "$JUDGE" session.tsv --drift 60s
	[ "${#lines[@]}" -eq 1 ]
	# claims
	local head=$'schema\tkind\tshare\tfrom\tto\tlow\thigh\trepeats\tfrom_b\tto_b\tlow_b\thigh_b\trepeats_b' row
	for row in $'other\t1\t1\t1\t0\t2\t5' $'off x\t1\t1\t1\t0\t2\t5' \
		$'none\t0\t0\t0\t0\t5\t5' $'none\t1\tx\t0\t0\t5\t5' $'none\t1\t0\t0\t0\t5\t2.5'; do
		printf '%s\nclaims/1\t%s\t\t\t\t\t\n' "$head" "$row" >claims
		run -1 "$JUDGE" claims --claims
		[ "${#lines[@]}" = 1 ]
		[[ $output == *"line 2"* ]]
	done
	echo "$head" >claims
	[ "$("$JUDGE" claims --claims --json | jq -c .result.claims)" = '[]' ]
	run -2 "$JUDGE" claims --claims --limits
}

# of each claim: is VALUE above 5?
@test "judge --claims: claims of a rule that do not stand together are refused, not read as other rules" {
	need jq
	local head=$'schema\tkind\tshare\tfrom\tto\tlow\thigh\trepeats\tfrom_b\tto_b\tlow_b\thigh_b\trepeats_b' rows
	head+=$'\tof\trule\tpart\tsays\tsome\twhole'
	claims() {	# claims "VALUE OF RULE PART SAYS SOME WHOLE"...
		echo "$head"
		printf '%s\n' "$@" |
			awk -v OFS='\t' '{ print "claims/1", "above", 1, $1, $1, "", "", "", 5, 5, "", "", "", $2, $3, $4, $5, $6, $7 }'
	}
	claims '1 1 1 1 0 1 1' '9 1 1 1 0 1 1' '9 1 1 2 0 0 1' '9 1 2 1 0 0 1' '9 7 1 1 2 0 1' '9 3 1 1 1 0 1' >claims
	[ "$("$JUDGE" claims --claims --json | jq -c '[.result.figures[] | [.of, .verdict]]')" = \
		'[[1,"as then"],[7,"no longer"],[3,"as then, smaller"]]' ]
	while IFS=, read -ra rows; do
		claims "${rows[@]}" >claims
		run -1 "$JUDGE" claims --claims
		[ "${#lines[@]}" = 1 ]
		[[ $output == *"line $((${#rows[@]} + 1))"* ]]
	done <<-'END'
		9 1 1 1 0 1 1,9 2 1 1 0 0 1,1 1 1 1 0 1 1
		9 1 1 1 0 1 1,9 1 2 1 0 0 1,1 1 1 1 0 1 1
		9 1 1 1 0 0 1,9 1 1 2 0 0 1,9 1 1 1 0 0 1
		9 1 1 1 0 1 1,1 1 1 1 0 0 1
		9 1 1 1 0 0 1,9 1 1 2 2 0 1
		9 1 1 1 0 0 1,9 1 2 1 0 0 0
	END
}

# tries ROW...: a table of a search; each row is USERS P95 P95_FROM, with - for nothing
tries() {
	printf 'schema\tusers\ttry\tp95_ms\tp95_from_ms\tapdex\tapdex_to\tall_p95_ms\tall_apdex\town_percent\tended\tresource\n'
	for row; do
		# shellcheck disable=SC2086 # words
		set -- $row
		printf 'capacity-try/1\t%s\t1\t%s\t%s\t\t\t%s\t\t\t\t\n' "$1" "${2#-}" "${3#-}" "${2#-}"
	done
}

@test "judge --criteria: a measurement without a figure was not measured, and breaks nothing" {
	need jq
	tries '1 50 50' '1 50 50' '2 - -' >tries.tsv
	run -3 "$JUDGE" tries.tsv --criteria p95:100ms --most 2 --json -o out.json
	jq -e '.result | .next == 2 and .not_measured == 1 and .limits[0].beyond == 0' out.json
	# nor is it asked for for ever
	tries '1 50 50' '1 50 50' '2 - -' '2 - -' '2 - -' >tries.tsv
	run -3 "$JUDGE" tries.tsv --criteria p95:100ms --most 2 --json -o out.json
	jq -e '.result | .next == null and .not_measured == 3 and .limits[0].users == 1 and .limits[0].reached == false' out.json
	# a lower bound is a figure
	tries '1 50 50' '1 50 50' '2 - 200' '2 - 200' >tries.tsv
	run -0 "$JUDGE" tries.tsv --criteria p95:100ms --most 2 --json -o out.json
	jq -e '.result.limits[0] | .users == 1 and .beyond == 2' out.json
}
