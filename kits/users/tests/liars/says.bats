#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Words on made-up rows: an experiment's verdict and findings say no more than the rows do.

bats_require_minimum_version 1.5.0
load ../../../../tests/liars/says

@test "principle-a: a row that the load generator disturbed does not judge a model" {
	run -0 says principle-a 'one("model")' <<-END
		{run: {settings: {stations: ["5ms"], nz_per_s: 100}}, summary: [
			{part: "held-think", users: 10, requests: 1000, invalid: (0, 1), model_lambda_per_s: 50, concurrency: 1, model_concurrency: 1,
				approximate_lambda_per_s: 50, approximate_concurrency: 1} | .lambda_per_s = 50 + 40 * .invalid | row]}
	END
	has "at most 0.0 %"
}

# By one test each 1.96/sqrt(1000), 6.2 %, would be more than chance explains; of 24 tests 55.2 is,
# 50 by chi2.ppf(0.025 / 24, 2000) / 2000.
@test "principle-a: of twelve conditions one errs by chance alone; one that errs by more speaks against the model" {
	twelve() {	# twelve RATE: the first one's, where the model says 50
		run -0 says principle-a 'one("model")' <<-END
			{run: {settings: {stations: ["5ms"], nz_per_s: 100}}, summary: [range(12) as \$i | {part: "held-think", users: (\$i + 1),
				requests: 1000, model_lambda_per_s: 50, model_concurrency: 1, approximate_lambda_per_s: 50,
				approximate_concurrency: 1, lambda_per_s: (if \$i == 0 then $1 else 50 end)}
				+ level("concurrency"; 1; 0.9; 1.1) | row]}
		END
	}
	twelve 54
	has "good: "
	has "0 of 12 conditions err"
	twelve 56
	has "bad: "
	has "1 of 12 conditions errs"
}

# Of five repeats that each fail a test of 5 % by chance alone, one does in 23 % of the conditions.
@test "principle-a: the repeats of a condition share the 5 % of its test" {
	arrivals() {	# arrivals P: five times the least p of five repeats, of which one fails by itself
		run -0 says principle-a 'one("arrivals")' <<-END
			{run: {settings: {stations: ["5ms"], nz_per_s: 100}}, summary: [({arrivals_p: $1, poisson: 4}, {arrivals_p: 0.9, poisson: 5})
				+ {part: "cov-ratio", users: 10, judged: 5, arrivals_p_of_all: 0.4} | row]}
		END
	}
	arrivals 0.2
	has "in 2 of 2 conditions"
	arrivals 0.04
	has "in 1 of 2 conditions"
}

@test "users: wide intervals tell neither a good forecast, nor a balance, nor Little's law" {
	figures() {	# figures LOW HIGH: the ends of all intervals, as shares of the values
		run -0 says users 'one("forecast-web", "balance", "little")' <<-END
			{run: {settings: {parts: ["web"]}}, summary: [{cell: "web-1", part: "web", users: 100, think_s: 1, requests: 1000}
				+ level("lambda_per_s"; 95; 95 * $1; 95 * $2) + level("response_ms"; 50; 50 * $1; 50 * $2)
				+ level("little_users"; 100; 100 * $1; 100 * $2) + level("web1_cpu_percent"; 50; 50 * $1; 50 * $2)
				+ level("web2_cpu_percent"; 50; 50 * $1; 50 * $2) | row],
			compare: [{cell: "web-1", part: "web", fitted: "first", used: 0, lambda_per_s: 95, response_ms: 50, response_fit_ms: 52,
				off_percent: 4}]}
		END
	}
	figures 0.98 1.02
	[ "$(grep -c '^good: ' <<<"$output")" = 3 ]
	figures 0.85 1.15
	[ "$(grep -c '^unsure: ' <<<"$output")" = 3 ]
	has "rough estimate"
	figures 0.5 1.5
	[ "$(grep -c '^unsure: ' <<<"$output")" = 3 ]
	has "forecast this run cannot tell"
	has "cannot tell whether the two web servers"
	has "may hold or not"
}

# t.ppf(0.975, 1) is 12.7: of 97 and 99, the only figures of five repeats, the mean may be 85 to 111.
@test "users: two figures alone have the interval of two, however many repeats there are" {
	of_repeats() {	# of_repeats NUMBER
		run -0 says users 'one("little")' <<-END
			{run: {settings: {parts: ["web"]}}, summary: [{part: "web", users: 100, think_s: 1, requests: 1000, lambda_per_s: 95,
				response_ms: 50, little_users: 98, little_users_both: "97.00 99.00"} | row | .repeats = $1]}
		END
	}
	for repeats in 2 5; do
		of_repeats "$repeats"
		has "unsure: "
		has "may hold or not"
	done
}

@test "users: Little's law does not hold where the users of a condition are not known" {
	known() {	# known FILTER: of the second condition
		run -0 says users 'one("little")' <<-END
			{run: {settings: {parts: ["web"]}}, summary: [(1, 2) as \$think_s | {part: "web", users: 100, \$think_s, requests: 1000,
				lambda_per_s: 95, response_ms: 50} + level("little_users"; 100; 99; 101) | row | if \$think_s == 2 then $1 else . end]}
		END
	}
	known .
	has "good: **Little's law holds"
	known '.little_users = null | .little_users_low = null | .little_users_high = null | .requests = 0 | .errors = 1000'
	lacks "holds within"
	has "unsure: "
	known '.repeats = 0'	# not measured, which the page says elsewhere
	has "good: "
}
