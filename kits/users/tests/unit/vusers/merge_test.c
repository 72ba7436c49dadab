// SPDX-License-Identifier: GPL-3.0-or-later
/* merge - rows of two generators, whose pooled figures are computed by hand. */
#include <errno.h>
#include <math.h>

#include "vusers/merge.h"
#include "../../../../../tests/unit/unit.h"

#define MS 1000000LL

/* The first has a user who sends every 10 ms and is answered after 4; the second two users who send 5 ms later, 1 ms too late, and
 * are answered after 6: from when their requests were due. */
static void add_two_generators(struct merged_runs *m)
{
	merged_add_users(m, 1);
	for (int k = 0; k < 10; k++)
		assert_int_equal(merged_add_row(m, (struct vlog_row){ .due_ns = 10 * k * MS,
								      .ready_ns = 10 * k * MS,
								      .sent_ns = 10 * k * MS + !k,
								      .end_ns = (10 * k + 4) * MS,
								      .user = 0,
								      .bytes = 100,
								      .measured = true }),
				 0);
	merged_add_users(m, 2);
	for (int k = 0; k < 20; k++) {
		int64_t due = (10 * (k / 2) + 4) * MS;

		assert_int_equal(merged_add_row(m, (struct vlog_row){ .due_ns = due,
								      .ready_ns = due,
								      .sent_ns = due + MS,
								      .end_ns = due + 6 * MS,
								      .user = (uint32_t)k % 2,
								      .bytes = 10,
								      .measured = true }),
				 0);
	}
}

TEST(response_times_are_pooled)
{
	struct merged_runs m = { 0 };

	add_two_generators(&m);
	assert_int_equal(m.sums.users.ended[VLOG_OK], 30);
	assert_int_equal(m.sums.bytes, 1200);
	/* 10 of 4 ms and 20 of 6 ms; the mean of the generators' medians would be 5 */
	assert_true(fabs(sample_mean(&m.sums.users.response).value - 160.0 / 30 * MS) < 1);
	assert_true(fabs(sample_quantile(&m.sums.users.response, 0.5).value - 6.0 * MS) < 1);
	assert_true(fabs(sample_quantile(&m.sums.users.response, 0.25).value - 4.0 * MS) < 1);
	/* the generator's own lateness stays apart */
	assert_int_equal((int64_t)sample_max(&m.late[0]).value, 1);
	assert_int_equal((int64_t)sample_min(&m.late[1]).value, MS);
	merged_free(&m);
}

TEST(users_have_numbers_of_their_own)
{
	struct merged_runs m = { 0 };

	add_two_generators(&m);
	assert_int_equal(m.crowd.cfg.users, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(m.crowd.user[i].answered, 10);
		assert_int_equal(m.crowd.user[i].response_ns, (i ? 60 : 40) * MS);
	}
	assert_int_equal(m.row[29].user, 2);
	assert_int_equal(merged_add_row(&m, (struct vlog_row){ .user = 2, .measured = true }), -ERANGE);
	assert_int_equal(merged_add_row(&m, (struct vlog_row){ .user = VLOG_NOBODY, .end = VLOG_CUT, .measured = true }), 0);
	assert_int_equal(m.sums.users.ended[VLOG_CUT], 1);
	merged_free(&m);
}

TEST(requests_in_flight_are_those_of_all)
{
	struct merged_runs m = { 0 };

	add_two_generators(&m);
	merged_compute_window(&m, 1, 100 * MS);
	/* 10 of 4 ms and 20 of 5 ms in flight, in 100 ms; the last two are answered at 100 ms, when the window is over */
	assert_true(fabs(m.crowd.window.asked_ns / (100.0 * MS) - 1.4) < 1e-6);
	assert_int_equal(m.crowd.window.asked_most, 2);
	assert_int_equal(m.crowd.sums.finished, 28);
	/* from 1 ns to 95 ms */
	assert_int_equal(m.crowd.window.gaps, 29);
	assert_true(fabs(m.crowd.window.gap_mean - (95.0 * MS - 1) / 29) < 1);
	for (size_t i = 1; i < m.n; i++)
		assert_true(m.row[i - 1].end_ns <= m.row[i].end_ns);
	merged_free(&m);
}
