#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# queue: a published table to its last digit, think times that follow the users, demands that come
# back from rows, refusals in one line.

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers

setup() {
	begin_test
	QUEUE=$BIN/queue
}

# Table 3: Q, N and CoV from lambda, R, Z, mean and standard deviation; Table 4: pages and web users.
@test "queue: Tables 3 and 4 of Brady & Gunther: every derived column to its last digit" {
	need jq
	{
		printf 'run\tn\tz_ms\tlambda\tr_ms\tmean_ms\tsd_ms\n'
		printf '%s\t200\t%s\t%s\t%s\t%s\t%s\n' 1800 12500 15.91 53.17 62.81 61.75 \
			1830 6250 31.73 52.74 31.52 31.59 1900 4200 46.79 54.06 21.37 21.54 \
			1930 3250 60.26 59.64 16.60 16.78 2000 2500 77.56 74.97 12.89 13.22 \
			2030 1563 118.03 132.67 8.47 9.12 2100 1000 159.16 253.38 6.28 7.37
	} >runs.tsv
	"$QUEUE" users runs.tsv -z 10s:50s:10s --pages 9:15 --format json -o out.json
	jq -r '.result.rows[] | [.run, .q, .n_calculated, .cov, .lambda_pages, .q_pages, .web[].users] |
		map(tostring) | join(" ")' out.json |
		LC_ALL=C awk '{ printf "%s %.2f %.2f %.2f %.4f %.2f", $1, $2, $3, $4, $5, $6;
		for (i = 7; i <= NF; i++) printf " %.2f", $i; print "" }' >got
	cat >paper <<'END'
1800 0.85 199.72 0.98 9.5460 0.51 95.97 191.43 286.89 382.35 477.81
1830 1.67 199.99 1.00 19.0380 1.00 191.38 381.76 572.14 762.52 952.90
1900 2.53 199.05 1.01 28.0740 1.52 282.26 563.00 843.74 1124.48 1405.22
1930 3.59 199.44 1.01 36.1560 2.16 363.72 725.28 1086.84 1448.40 1809.96
2000 5.81 199.71 1.03 46.5360 3.49 468.85 934.21 1399.57 1864.93 2330.29
2030 15.66 200.14 1.08 70.8180 9.40 717.58 1425.76 2133.94 2842.12 3550.30
2100 40.33 199.49 1.17 95.4960 24.20 979.16 1934.12 2889.08 3844.04 4799.00
END
	cat got
	diff paper got
}

@test "queue fit: finds the demands with which mva made the rows; its plot rows have measured and computed points" {
	need jq
	printf 'n,z_s,r_ms\n' >rows.csv
	"$QUEUE" mva --demand 40ms,15ms --delay 25ms -n 1,10,20,30,40,50,60,80 -z 2s --format json |
		jq -r '.result.rows[] | "\(.n),\(.z_s),\(.r_s * 1000)"' >>rows.csv
	"$QUEUE" fit rows.csv --stations 2 --first 6 --threshold 500ms -n 100 --rows plot.tsv --format json -o out.json
	cat out.json
	jq -e '.result | (.demands[0].demand_s - 0.04 | fabs) < 1e-4 and (.rows | length) == 8
		and ([.rows[] | .off_percent | fabs < 1] | all)
		and ([.rows[].fitted] == [true, true, true, true, true, true, false, false]) and .foretold[0].n == 100' out.json
	# R of 60 users is below it and of 80 above
	jq -e '.result.threshold.users | . > 40 and . < 80' out.json
	awk -F'\t' '$2 == "measured" { m++ } $2 == "later" { l++ } $2 == "fit" { f++ } $2 == "model" { x++ }
		END { exit !(m == 6 && l == 2 && f == 8 && x == 1) }' plot.tsv
}

@test "queue: a forecast has an interval from those of the demands; with wide ones it is 'cannot tell'" {
	need jq
	# demand 50 ms, delay 20 ms: 19 users stay below 200 ms
	printf 'n,z_s,r_ms\n' | tee far.csv >rows.csv
	"$QUEUE" mva --demand 50ms --delay 20ms -n 1,2,3,4,6,8 -z 1s --format json | jq -r '.result.rows[] |
		"\(.n),\(.z_s),\(.r_s * 1000 * (1 + 0.01 * ((.n * 7) % 3 - 1)))"' | tee -a rows.csv | head -n 3 >>far.csv
	"$QUEUE" fit rows.csv --threshold 200ms --format json -o out.json
	jq -e '.result.threshold | .users_low < 19 and .users_low > 10 and .users_high > 19 and .users_high < 30' out.json
	"$QUEUE" fit rows.csv --threshold 200ms | tr -s "\n " " " | grep "^19 (.*extrapolation from 1 to 8"
	"$QUEUE" fit far.csv --threshold 200ms --format json -o out.json
	jq -e '.result.threshold | .users_low <= 19 and .users_high >= 19 and .users_high > 4 * .users_low' out.json
	"$QUEUE" fit far.csv --threshold 200ms | head -n 1 | grep -i "^cannot tell"
}

@test "queue fit: busy times give demands by the utilization law" {
	need jq
	printf 'lambda\tr_ms\tu_gov1\tu_gov2\n10\t30\t0.1\t0.05\n20\t31\t0.2\t0.1\n40\t34\t0.4\t0.2\n' >rows.tsv
	"$QUEUE" fit rows.tsv --threshold 50ms --format json -o out.json
	# 50 ms less what nobody waits for, at D1 / (1 - .01 x) + D2 / (1 - .005 x)
	jq -e '.result | .threshold.rate as $x | .threshold.users == null
		and ((.delay.delay_s + 0.01 / (1 - 0.01 * $x) + 0.005 / (1 - 0.005 * $x) - 0.05) | fabs) < 1e-6' out.json
	jq -e '.result | .demands[0].name == "gov1" and .demands[0].demand_s == 0.01 and .demands[1].demand_s == 0.005
		and .delay.delay_s > 0' out.json
}

@test "queue --rows: the asymptote of the response time begins at -Z, and each figure is drawn" {
	need jq gnuplot
	"$QUEUE" mva --demand 50ms,40ms,30ms -n 100,200:1000:200 -z 10s --rows held-z.tsv -o report
	# N S_max - Z, by hand: 5 - 10, 10 - 10, 20 - 10 ... 50 - 10
	[ "$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%s ", $at["r_asymptote_s"] }' held-z.tsv)" = \
		"-5 0 10 20 30 40 " ]
	"$QUEUE" mva --demand 50ms,40ms,30ms -n 130,500,2000 --users-per-second 20 --rows held-nz.tsv -o report
	for figure in held-nz/rate held-nz/line held-nz/principle held-z/rate held-z/response held-z/line held-z/load; do
		LC_ALL=C.UTF-8 gnuplot -c "$TOP/kits/users/plots/queue.gp" "${figure%/*}.tsv" out.svg "${figure#*/}" 2>err
		cat err
		run grep -iE 'undefined|invalid|empty|error|warning' err
		[ "$status" -eq 1 ]
		grep -q '</svg>' out.svg
		cp out.svg "${figure//\//-}.svg"
	done
	for n in 130 500 2000; do grep -q ">N = $n<" held-nz-line.svg; done
	grep -q 'N/Z): 20 a second' held-nz-principle.svg
	run gnuplot -c "$TOP/kits/users/plots/queue.gp" held-z.tsv out.svg principle
	[ "$status" -ne 0 ]
	[[ $output == *--users-per-second* ]]
	cp held-z.tsv "a'\$(touch ran)'.tsv"
	run -1 gnuplot -c "$TOP/kits/users/plots/queue.gp" "a'\$(touch ran)'.tsv" out.svg
	[[ $output == *"a quote in the name"* ]]
	[ ! -e ran ]
}

refused() {	# status words...: one line that names the tool
	local wanted=$1

	shift
	run -"$wanted" "$QUEUE" "$@"
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "queue: "* ]]
}

@test "queue: the text gives the users for each think time; of many only the first and last, in 8 lines of 80 columns" {
	local times last last_of_several

	printf 'run\tlambda\tr_ms\n' >loads.tsv
	printf 'load-%s\t%s000.5\t150\n' 1 1 2 2 3 3 4 4 5 5 6 6 >>loads.tsv
	while read -r times last last_of_several; do
		"$QUEUE" users --rate 10 --response 200ms -z "$times" >single
		"$QUEUE" users loads.tsv -z "$times" >several
		cat single several
		# lambda (R + Z): 10 (0.2 + 10), 1000.5 (0.15 + 10), and of the last
		grep -qE ' 102$' single
		grep -qE " $last\$" single
		grep -qE "^load-1 .* 10,200 .*$last_of_several\$" several
		for file in single several; do
			[ "$(wc -l <$file)" -le 8 ]
			[ "$(wc -L <$file)" -le 80 ]
		done
	done <<-'END'
		10s,30s 302 30,200
		10s:50s:10s 502 50,200
		10s:1000s:10s 10,000 1,000,000
	END
	"$QUEUE" users --rate 10 --response 200ms -z 10s:50s:10s >single
	[ "$(grep -cE ' [1-5]02$' single)" = 5 ]
	"$QUEUE" users loads.tsv -z 10s,20s,30s >several
	grep -qE '^load-1 .* 10,200 +20,200 +30,200$' several
}

@test "queue: an option is refused with a model that its line of --help does not name" {
	local option models mode value n=0

	"$QUEUE" --help | awk 'match($0, /--[a-z-]+/) && /^ +-/ { option = substr($0, RSTART, RLENGTH) }
		match($0, /  (mva|mm1|mmm|mm1n|users|fit)(, [a-z1]+)*: /) {
			print option, substr($0, RSTART + 2, RLENGTH - 4) "," }' >of
	cat of
	while read -r option models; do
		for mode in mva mm1 mmm mm1n users fit; do
			[[ " $models" != *" $mode,"* ]] || continue
			for value in 1s 1 1:2 exact; do	# of which each option takes one
				[ "$option" != --no-delay ] || value=
				run "$QUEUE" "$mode" "$option" $value
				[[ $output != *"does not belong to queue $mode "* ]] || break
			done
			echo "$mode: $output"
			[ "$status" = 2 ]
			[[ $output == *"$option does not belong to queue $mode "* ]]
			n=$((n + 1))
		done
	done <of
	[ "$n" -ge 60 ]
	grep -q '^--think-time ' of
}

@test "queue: an impossible value is refused in one line" {
	refused 2
	refused 2 erlang
	refused 2 mva --demand 50ms -n 10
	refused 2 mva --demand 50ms -n 10 -z 1s --users-per-second 3
	refused 2 mva --demand 50ms -n 10.5 -z 1s
	refused 2 mva --demand 0 -n 10 -z 1s
	refused 2 mva --demand 5 -n 10:1:1 -z 1s
	refused 2 mva --demand -5ms,40ms -n 10 -z 1s
	refused 2 users --rate 5 --response 1ms -z -1s
	printf 'lambda\tu_cpu\n0\t0.1\n0\t0.1\n' >bad.tsv
	refused 1 fit bad.tsv
	refused 2 mm1 --rate 5 --service 1ms -n 3
	refused 2 mmm --rate 5 --service 1ms
	refused 2 users --rate 5 --response 1ms
	refused 1 fit missing.tsv
	printf 'n\tz_s\tr_ms\n1\t1\t5\n2\t1\tx\n' >bad.tsv
	refused 1 fit bad.tsv
	[[ $output == *"line 3"* ]]
	printf 'r_ms\tu_cpu\n5\t71\n' >bad.tsv
	refused 1 fit bad.tsv
	printf 'r_ms\tr_s\n5\t71\n' >bad.tsv
	refused 1 fit bad.tsv
	printf 'lambda\tu_cpu\tu_cpu\n1\t0.1\t0.2\n2\t0.2\t0.4\n' >bad.tsv
	refused 1 fit bad.tsv
	printf 'a\tb\n' >bad.tsv
	refused 1 users bad.tsv
}

@test "queue: M/M/1 at 90 %, an entry of an Erlang C table, and the machine repairman" {
	need jq
	"$QUEUE" mm1 --rate 18 --service 50ms --format json | jq -e '.result.rows[0] | .r_s == 0.5 and .q == 9 and .waits == 0.9'
	"$QUEUE" mmm --rate 20 --service 50ms --servers 2 --format json | jq -e '.result.rows[0].blocked == 0.2'
	"$QUEUE" mm1 --rate 18 --service 50ms --format json | jq -e '.result.rows[0] | has("blocked") | not'	# nobody is
	run -3 --separate-stderr "$QUEUE" mm1 --rate 18,25 --service 50ms --format json
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"25 requests"* ]]
	jq -e '.result.rows[0].steady' <<<"$output"
	run -3 "$QUEUE" mm1 --rate 25 --service 50ms --format json
	sed '/^queue: /d' <<<"$output" |
		jq -e '.result.rows[0] | .steady == false and .r_s == null and (.note | test("25 requests a second come, 20 at most"))'
	"$QUEUE" mm1n --service 50ms -n 1 -z 0.95s --format json | jq -e '.result.rows[0] | .x == 1 and .r_s == 0.05'
	# a think time of eleven days takes no digits off a response time of a millisecond; saturation takes none off the other end
	"$QUEUE" mm1n --service 1ms -n 1 -z 1000000s --format json | jq -e '.result.rows[0] | .r_s == 0.001 and .w_s == 0'
	"$QUEUE" mm1n --service 50ms -n 100000 -z 10s --format json | jq -e '.result.rows[0] | .x == 20 and .r_s == 4990 and .u == [1]'
}

@test "queue: rows of every model have the same keys; think times can follow the users; bounds" {
	need jq
	"$QUEUE" mva --demand 50ms,40ms,30ms -n 100,200 --users-per-second 20 --method schweitzer --format json |
		jq -e '.result | [.rows[] | .nz == 20 and .z_s == .n / 20 and .q_exact > 0] == [true, true] and .bounds.x_most == 20'
	"$QUEUE" mva --demand 50ms,40ms -n 10,20 -z 1s --format json |
		jq -e '[.result.rows[] | [has("n", "z_s", "nz", "lambda", "q", "qz", "r_s", "x", "u")] | all] | all'
	"$QUEUE" mva --demand 50ms,40ms -n 10 -z 1s --format json |
		jq -e '.result.rows[0] | (.u | length) == 2 and .lambda == .x and ((.u[0] - .x * 0.05) | fabs) < 1e-8'
	"$QUEUE" mm1n --service 50ms -n 10 -z 1s --format json |
		jq -e '[.result.rows[] | [has("n", "z_s", "nz", "lambda", "q", "qz", "r_s", "x", "u")] | all] | all'
	"$QUEUE" mmm --rate 5 --service 50ms --servers 2 --format json |
		jq -e '.result.rows[0] | .lambda == 5 and .x == 5 and .u == [0.125] and .note == null and ([has("q", "r_s")] | all)'
	"$QUEUE" mva --demand 50ms,40ms -n 10 -z 1s --json | jq -e '.result.rows[0].u[1]'
	"$QUEUE" users --rate 159.16 --response 253.38ms -z 30s --pages 9:15 --format json | jq -e '.result.rows[0].web[0].think_s == 30'
}

@test "queue fit: says what the rows do not determine" {
	need jq
	fit() {	# rows
		printf '%b' "$1" >rows.tsv
		"$QUEUE" fit rows.tsv --format json -o out.json 2>err || [ "$? $(wc -l <err)" = "3 1" ]
		jq -c '.result | [.demands, .delay, .error_percent, .note]' out.json
	}
	fit 'n\tz_s\tr_ms\n10\t2\t100\n10\t2\t100\n'	# twice the same
	jq -e '.result | .demands[0].low_s == null and (.note | test("do not determine"))' out.json
	fit 'n\tz_s\tr_ms\n100\t1\t9000\n200\t1\t19000\n300\t1\t29000\n'	# saturation alone: the demand, but no delay
	jq -e '.result | (.demands[0].demand_s - 0.1 | fabs) < 1e-6 and .delay.low_s == null and (.note | test("saturation"))' out.json
	fit 'n\tz_s\tr_ms\n10\t2\t100\n20\t2\t80\n30\t2\t60\n40\t2\t40\n'	# faster with more users
	jq -e '.result.note | test("mean nothing")' out.json
	[ -s err ]
	fit 'lambda\tu_cpu\n10\t0.5\n'
	jq -e '.result | .demands[0].demand_s == 0.05 and (.note | test("too few"))' out.json
	fit 'lambda\tu_cpu\n10\t0.5\n12\t0.61\n14\t0.69\n'
	jq -e '.result | .note == null and .demands[0].low_s < 0.05 and .demands[0].high_s > 0.05' out.json
	# 35 ms each, 40 times a second: 1.4 s in a second
	fit 'lambda\tu_cpu\n10\t0.5\n20\t0.95\n40\t1.0\n'
	jq -e '.result | .demands[0].low_s == 0 and (.note | test("mean nothing"))' out.json
	[ -s err ]
	# one response of twenty is below the demand of 50 ms; the others are those of M/M/1
	fit "lambda\tr_s\tu_cpu\n0.5\t0.0325\t0.025\n$(awk 'BEGIN { for (x = 0.5; x < 10; x += 0.5)
		printf "%g\\t%g\\t%g\\n", x, 0.05 / (1 - x / 20), x / 20 }')"
	jq -e '.result | .error_percent < 20 and (.note | test("mean nothing"))' out.json
	run -3 "$QUEUE" fit rows.tsv --threshold 200ms
	[[ $output != *"stay below"* ]]
	[[ $output != *"The model is off"* ]]
	[[ $output == *"which do not fit"* ]]
	printf 'n\tz_s\tlambda\tr_s\n' | tee half.tsv >whole.tsv	# half of the users never asked
	"$QUEUE" mva --demand 50ms -n 2:16:2 -z 1s --format json | jq -r '.result.rows[] | "\(.n)\t1\t\(.lambda)\t\(.r_s)"' |
		tee -a whole.tsv | awk -F'\t' -v OFS='\t' '{ $1 *= 2; print }' >>half.tsv
	"$QUEUE" fit whole.tsv
	run -3 "$QUEUE" fit half.tsv --first 7 --format json
	"$QUEUE" users whole.tsv
	run -3 --separate-stderr "$QUEUE" users half.tsv --format json
	[[ $stderr == *"not all of them asked"* ]]
	# two rows of eight: each by its number, or by its run
	awk -F'\t' -v OFS='\t' 'NR == 4 || NR == 7 { $1 *= 2 } { print }' whole.tsv >two.tsv
	run -3 --separate-stderr "$QUEUE" users two.tsv --format json
	[[ $stderr == *"row 3, 6"* ]]
	awk -F'\t' -v OFS='\t' '{ print NR == 1 ? "run" : "load-" $1, $0 }' two.tsv >named.tsv
	run -3 --separate-stderr "$QUEUE" users named.tsv --format json
	[[ $stderr == *"row load-12, load-24"* ]]
	{ cat named.tsv; for n in {01..40}; do printf '%050d-%s\t9\t1\t1\t1\n' 0 "$n"; done; } >many.tsv
	run -3 --separate-stderr "$QUEUE" users many.tsv --format json
	[[ $stderr == *load-12*...* ]]
}

