// SPDX-License-Identifier: GPL-3.0-or-later
/* limits - tables written by hand: which end of a figure decides. */
#include "judge/limits.h"
#include "../unit.h"

#include <errno.h>
#include <stdlib.h>

#define HEAD "schema\tlimit\top\tbound\tfrom\tto\tlow\thigh\n"

static int read_limits(const char *rows, bool range_breaks, struct limit_list *list)
{
	char text[1024];
	unsigned long line;
	FILE *in;
	int err;

	snprintf(text, sizeof(text), HEAD "%s", rows);
	in = fmemopen(text, strlen(text), "r");
	*list = (struct limit_list){ .range_breaks = range_breaks };
	err = limits_read(in, list, &line);
	fclose(in);
	return err;
}

TEST(which_end_decides)
{
	static const struct {
		const char *row; /* op, bound, from, to, low, high */
		enum limit_word word, far_end;
	} all[] = {
		{ "<=\t1\t0\t0\t0\t4.9", LIMIT_OPEN, LIMIT_OPEN },
		{ "<=\t1\t0\t0\t0\t0.9", LIMIT_HOLDS, LIMIT_HOLDS },
		{ "<=\t1\t2\t2\t1.2\t3", LIMIT_BROKEN, LIMIT_BROKEN },
		{ "<=\t1\t2\t2\t0.9\t3", LIMIT_OPEN, LIMIT_OPEN },
		{ "<=\t1\t1\t1\t\t", LIMIT_HOLDS, LIMIT_HOLDS },
		{ "<\t1\t1\t1\t\t", LIMIT_BROKEN, LIMIT_BROKEN },
		{ ">=\t10\t12\t12\t9\t15", LIMIT_OPEN, LIMIT_OPEN },
		{ ">\t10\t8\t8\t7\t9", LIMIT_BROKEN, LIMIT_BROKEN },
		{ ">\t10\t12\t12\t11\t15", LIMIT_HOLDS, LIMIT_HOLDS },
		{ "<\t150\t10\t201\t9\t210", LIMIT_OPEN, LIMIT_BROKEN },
		{ "<=\t201\t10\t201\t9\t210", LIMIT_OPEN, LIMIT_HOLDS },
		{ "<\t9.5\t10\t201\t9\t210", LIMIT_OPEN, LIMIT_BROKEN },
		{ "<\t8\t10\t201\t9\t210", LIMIT_BROKEN, LIMIT_BROKEN },
		{ "<\t200\t150\t\t120\t", LIMIT_OPEN, LIMIT_BROKEN },
		{ "<\t100\t150\t\t120\t", LIMIT_BROKEN, LIMIT_BROKEN },
		{ ">\t100\t150\t\t\t", LIMIT_HOLDS, LIMIT_HOLDS },
		{ "<\t1e9\t1e308\t1e308\t\t", LIMIT_BROKEN, LIMIT_BROKEN },
		{ "<\t1\t\t\t\t", LIMIT_OPEN, LIMIT_OPEN },
		{ "<\t1\tnan\tnan\t\t", LIMIT_OPEN, LIMIT_OPEN },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (int far_end = 0; far_end <= 1; far_end++) {
			struct limit_list list;
			char row[100];

			snprintf(row, sizeof(row), "limits/1\t0\t%s\n", all[i].row);
			assert_int_equal(read_limits(row, far_end, &list), 0);
			assert_int_equal(limit_conclude(list.limit), far_end ? all[i].far_end : all[i].word);
			free(list.limit);
		}
}

TEST(one_figure_that_breaks_it_is_enough_and_all_must_hold)
{
	struct limit_list list;

	assert_int_equal(read_limits("limits/1\t0\t<\t10\t5\t5\t4\t6\nlimits/1\t0\t<\t10\t8\t8\t7\t12\nlimits/1\t0\t<\t10\t\t\t\t\n"
				     "limits/1\t1\t<\t10\t5\t5\t4\t6\nlimits/1\t1\t<\t10\t30\t30\t20\t40\nlimits/1\t1\t<\t10\t9\t\t\t\n",
				     false, &list),
			 0);
	assert_int_equal(limit_conclude(&list.limit[0]), LIMIT_OPEN);
	assert_true(list.limit[0].worst == 1 && list.limit[0].doubtful == 1);
	assert_int_equal(limit_conclude(&list.limit[1]), LIMIT_BROKEN);
	assert_true(list.limit[1].worst == 2 && list.limit[1].doubtful == 2);
	free(list.limit);
}

TEST(wrong_rows_are_refused)
{
	static const char *const rows[] = { "limits/1\t1\t<\t10\t5\t5\t\t\n", "limits/1\t0\t=\t10\t5\t5\t\t\n",
					    "limits/1\t0\t<\t\t5\t5\t\t\n", "limits/1\t0\t<\t1,5\t5\t5\t\t\n",
					    "limits/1\t0\t<\t10\tx\t5\t\t\n" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct limit_list list;

		assert_int_equal(read_limits(rows[i], false, &list), -EPROTO);
		free(list.limit);
	}
}
