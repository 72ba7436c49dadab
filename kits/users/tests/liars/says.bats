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
