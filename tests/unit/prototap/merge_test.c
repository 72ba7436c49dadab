// SPDX-License-Identifier: GPL-3.0-or-later
/* merge - many rows come out as one, in order. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "prototap/merge.h"

#define ROWS 37

static void rows_come_out_in_order(void **state)
{
	int64_t left[ROWS], next[ROWS], last = -1;
	struct packet_merger m;
	int taken = 0, last_row = -1;

	(void)state;
	assert_int_equal(merge_init(&m, ROWS), 0);
	for (int i = 0; i < ROWS; i++) {
		left[i] = i;		/* row i has i + 1 entries, i % 5 apart */
		next[i] = (i * 7) % 11;
		merge_add_file(&m, i, next[i]);
	}
	while (m.n) {
		int row = m.head[0].row;

		assert_int_equal(m.head[0].time_ns, next[row]);
		assert_true(next[row] > last || (next[row] == last && row >= last_row));
		last = next[row];
		last_row = row;
		taken++;
		next[row] += row % 5;
		if (left[row]--)
			merge_set_next_packet_time(&m, next[row]);
		else
			merge_remove_ended_file(&m);
	}
	assert_int_equal(taken, ROWS * (ROWS + 1) / 2);
	merge_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows_come_out_in_order) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
