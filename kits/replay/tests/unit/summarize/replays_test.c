// SPDX-License-Identifier: GPL-3.0-or-later
/* replays - the verdict on a setting, from its ratio to the base. (Figures: experiments/cpuspeed/test.bats.) */
#include "summarize/interval.h"

#include <math.h>
#include "../../../../../tests/unit/unit.h"

TEST(verdicts_need_five_pairs)
{
	static const struct {
		double p, ratio, low, high;
		const char *word;
	} cases[] = { { NAN, 3, 2.9, 3.1, "too few runs" },
		      { 0.001, 3, 2.9, 3.1, "worse" },
		      { 0.001, 0.5, 0.4, 0.6, "better" },
		      { 0.2, 1.1, 0.9, 1.3, "no difference shown" },
		      { 0.2, 1.1, 0.6, 1.9, "too noisy" } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct figure f = figure_estimate(cases[i].ratio, cases[i].low, cases[i].high);

		assert_string_equal(interval_ratio_word(&f, cases[i].p), cases[i].word);
	}
}
