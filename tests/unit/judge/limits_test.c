// SPDX-License-Identifier: GPL-3.0-or-later
/* limits - which end of a figure decides. */
#include "judge/limits.h"
#include "../unit.h"

#include <math.h>

TEST(which_end_decides)
{
	static const struct {
		char op[3];
		double bound;
		struct limit_figure figure;
		enum limit_word word, far_end;
	} all[] = {
		{ "<=", 1, { 0, 0, 0, 4.9 }, LIMIT_OPEN, LIMIT_OPEN },
		{ "<=", 1, { 0, 0, 0, 0.9 }, LIMIT_HOLDS, LIMIT_HOLDS },
		{ "<=", 1, { 2, 2, 1.2, 3 }, LIMIT_BROKEN, LIMIT_BROKEN },
		{ "<=", 1, { 2, 2, 0.9, 3 }, LIMIT_OPEN, LIMIT_OPEN },
		{ "<=", 1, { 1, 1, NAN, NAN }, LIMIT_HOLDS, LIMIT_HOLDS },
		{ "<", 1, { 1, 1, NAN, NAN }, LIMIT_BROKEN, LIMIT_BROKEN },
		{ ">=", 10, { 12, 12, 9, 15 }, LIMIT_OPEN, LIMIT_OPEN },
		{ ">", 10, { 8, 8, 7, 9 }, LIMIT_BROKEN, LIMIT_BROKEN },
		{ ">", 10, { 12, 12, 11, 15 }, LIMIT_HOLDS, LIMIT_HOLDS },
		{ "<", 150, { 10, 201, 9, 210 }, LIMIT_OPEN, LIMIT_BROKEN },
		{ "<=", 201, { 10, 201, 9, 210 }, LIMIT_OPEN, LIMIT_OPEN },
		{ "<=", 210, { 10, 201, 9, 210 }, LIMIT_HOLDS, LIMIT_HOLDS },
		{ "<=", 100, { 22, 49, 10, NAN }, LIMIT_OPEN, LIMIT_OPEN },
		{ "<=", 100, { 200, 200, NAN, 300 }, LIMIT_OPEN, LIMIT_OPEN },
		{ ">=", 10, { 12, 12, NAN, 15 }, LIMIT_OPEN, LIMIT_OPEN },
		{ "<", 9.5, { 10, 201, 9, 210 }, LIMIT_OPEN, LIMIT_BROKEN },
		{ "<", 8, { 10, 201, 9, 210 }, LIMIT_BROKEN, LIMIT_BROKEN },
		{ "<", 200, { 150, INFINITY, 120, NAN }, LIMIT_OPEN, LIMIT_BROKEN },
		{ "<", 100, { 150, INFINITY, 120, NAN }, LIMIT_BROKEN, LIMIT_BROKEN },
		{ ">", 100, { 150, INFINITY, NAN, NAN }, LIMIT_HOLDS, LIMIT_HOLDS },
		{ "<", 1e9, { 1e308, 1e308, NAN, NAN }, LIMIT_BROKEN, LIMIT_BROKEN },
		{ "<", 1, { NAN, NAN, NAN, NAN }, LIMIT_OPEN, LIMIT_OPEN },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (int far_end = 0; far_end <= 1; far_end++) {
			struct limit l = { .bound = all[i].bound, .range_breaks = far_end };

			memcpy(l.op, all[i].op, sizeof(l.op));
			limit_add(&l, &all[i].figure);
			assert_int_equal(limit_conclude(&l), far_end ? all[i].far_end : all[i].word);
		}
}

TEST(one_figure_that_breaks_it_is_enough_and_all_must_hold)
{
	struct limit l = { .op = "<", .bound = 10 };

	limit_add(&l, &(struct limit_figure){ 5, 5, 4, 6 });
	limit_add(&l, &(struct limit_figure){ 8, 8, 7, 12 });
	limit_add(&l, &(struct limit_figure){ NAN, NAN, NAN, NAN });
	assert_int_equal(limit_conclude(&l), LIMIT_OPEN);
	assert_true(l.worst == 1 && l.doubtful == 1 && !limit_leans_to_break(&l));
	limit_add(&l, &(struct limit_figure){ 30, 30, 20, 40 });
	limit_add(&l, &(struct limit_figure){ 11, 11, 9, 12 });
	assert_int_equal(limit_conclude(&l), LIMIT_BROKEN);
	assert_true(l.worst == 3 && l.doubtful == 4 && limit_leans_to_break(&l));
}
