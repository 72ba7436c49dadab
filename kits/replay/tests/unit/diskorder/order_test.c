// SPDX-License-Identifier: GPL-3.0-or-later
/* order - orders made by hand, and Kendall's tau against its definition. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "diskorder/order.h"

static struct request_order_state order;
static struct issued_disk_request got;
static int64_t now;

static int fresh(void **state)
{
	(void)state;
	order = (struct request_order_state){ 0 };
	now = 0;
	return 0;
}

static int done(void **state)
{
	(void)state;
	request_order_state_free(&order);
	return 0;
}

static int take(enum order_kind kind, int64_t sector, int64_t sectors, bool read, bool load)
{
	const struct disk_request_event e = { .time_ns = ++now, .sector = sector, .sectors = sectors, .kind = kind, .read = read,
		.load = load };

	return order_handle_request_event(&order, &e, &got);
}

static void load_comes(int64_t sector) { assert_int_equal(take(ORDER_QUEUE, sector, 8, true, true), 0); }
static void comes(int64_t sector) { assert_int_equal(take(ORDER_QUEUE, sector, 8, true, false), 0); }
static void issued(int64_t sector) { assert_int_equal(take(ORDER_ISSUE, sector, 8, false, false), 1); }

static void near(double is, double want)
{
	assert_true(fabs(is - want) < 1e-12);
}

static void first_come_first_served(void **state)
{
	(void)state;
	for (int64_t s = 0; s < 32; s += 8)
		load_comes(s);
	for (int64_t s = 0; s < 32; s += 8)
		issued(s);
	near(order_kendall_tau(&order.sums), 1);
	assert_int_equal(order.sums.kept, 6);
	assert_int_equal(order.sums.overtaken_requests, 0);
	assert_int_equal(order.sums.waiting_most, 4);
	assert_int_equal(order.sums.waiting, 4 + 3 + 2 + 1);
	assert_int_equal(order.sums.load_wait.n, 4);
	assert_int_equal(order.in_device, 4);
	near(sample_quantile(&order.sums.in_device, 1).value, 4);
}

static void last_come_first_served(void **state)
{
	(void)state;
	for (int64_t s = 0; s < 32; s += 8)
		load_comes(s);
	for (int64_t s = 24; s >= 0; s -= 8)
		issued(s);
	near(order_kendall_tau(&order.sums), -1);
	assert_int_equal(order.sums.overtaken_requests, 3);	/* all but the one that came last */
}

/* 1 2 3 of the load, 4 of the session; issued 1 4 2 3: two of six pairs are turned round. */
static void somebody_passes_the_load(void **state)
{
	(void)state;
	load_comes(100);
	load_comes(200);
	load_comes(300);
	comes(0);
	issued(100);
	issued(0);
	assert_int_equal(got.ahead, 3);
	assert_int_equal(got.passed, 2);
	assert_int_equal(got.older, 2);
	assert_int_equal(got.waiting, 3);
	assert_int_equal(got.come_ns, 4);
	assert_int_equal(got.issue_ns, 6);
	issued(200);
	issued(300);
	near(order_kendall_tau(&order.sums), (4. - 2) / 6);
	near(percentage_of_total_count(order.sums.passed, order.sums.ahead), 200 / 3.);
	assert_int_equal(order.sums.overtaken_requests, 2);
	assert_int_equal(order.sums.others_wait.n, 1);
	assert_int_equal(order.sums.others_wait.value[0], 2);
}

static void those_that_never_waited_together_are_no_pair(void **state)
{
	(void)state;
	for (int64_t s = 0; s < 80; s += 8) {
		load_comes(s);
		issued(s);
		assert_int_equal(take(ORDER_COMPLETE, s, 8, false, false), 0);
	}
	assert_true(isnan(order_kendall_tau(&order.sums)));
	assert_true(isnan(percentage_of_total_count(order.sums.passed, order.sums.ahead)));
	near(sample_quantile(&order.sums.in_device, 1).value, 1);
	assert_int_equal(order.in_device, 0);
}

static void merged_requests_are_one_and_pieces_are_one(void **state)
{
	(void)state;
	comes(0);
	comes(8);
	load_comes(100);
	assert_int_equal(take(ORDER_ISSUE, 0, 16, false, false), 1);
	assert_int_equal(got.come_ns, 1);
	assert_int_equal(got.waiting, 2);
	issued(100);
	assert_int_equal(order.n, 0);
	/* one of 20 sectors goes in three pieces, with another between them */
	assert_int_equal(take(ORDER_QUEUE, 1000, 20, true, false), 0);
	assert_int_equal(take(ORDER_ISSUE, 1000, 8, false, false), 1);
	load_comes(500);
	assert_int_equal(take(ORDER_ISSUE, 1008, 8, false, false), 0);
	issued(500);
	assert_int_equal(got.waiting, 1);	/* beside a piece of what is under way */
	assert_int_equal(take(ORDER_ISSUE, 1016, 4, false, false), 0);
	assert_int_equal(order.n, 0);
	assert_int_equal(order.sums.requests, 4);
	assert_int_equal(order.sums.unmatched, 0);
}

static void two_may_wait_for_the_same(void **state)
{
	(void)state;
	load_comes(80);
	comes(80);
	load_comes(160);
	issued(80);
	assert_int_equal(got.come_ns, 1);
	issued(160);
	issued(80);
	assert_int_equal(got.come_ns, 2);
	assert_int_equal(order.sums.unmatched, 0);
	near(order_kendall_tau(&order.sums), 1. / 3);
}

static void what_nobody_saw_come_is_counted_and_no_more(void **state)
{
	(void)state;
	assert_int_equal(take(ORDER_ISSUE, 0, 8, false, false), 0);
	assert_int_equal(order.sums.unmatched, 1);
	assert_int_equal(take(ORDER_QUEUE, 0, 0, false, false), 0);	/* a flush has no data */
	assert_int_equal(take(ORDER_ISSUE, 0, 0, false, false), 0);
	assert_int_equal(order.sums.requests, 0);
	assert_int_equal(take(ORDER_COMPLETE, 0, 0, false, false), 0);
	assert_int_equal(take(ORDER_COMPLETE, 77, 8, false, false), 0);
	assert_int_equal(order.in_device, 1);
}

/* Events that the kernel has lost: of an issue, and of an end. */
static void what_is_done_waits_no_more_and_ghosts_leave_the_device(void **state)
{
	(void)state;
	load_comes(8);
	load_comes(16);
	assert_int_equal(take(ORDER_COMPLETE, 8, 8, false, false), 0);
	assert_int_equal(order.n, 1);
	assert_int_equal(order.sums.unissued, 1);
	issued(16);	/* its end is lost */
	for (int64_t s = 800; s < 800 + 8 * 10; s += 8) {
		load_comes(s);
		issued(s);
		assert_int_equal(take(ORDER_COMPLETE, s, 8, false, false), 0);
	}
	assert_int_equal(order.in_device, 0);
	assert_int_equal(order.sums.unfinished, 1);
	assert_true(isnan(order_kendall_tau(&order.sums)));
}

/* All come, then go in an order of chance: the sums are those of the definition over all pairs. */
static void tau_is_kendalls(void **state)
{
	enum { N = 60 };
	int64_t at[N];
	int64_t kept = 0, turned = 0;

	(void)state;
	srandom(7);
	for (int i = 0; i < N; i++) {
		at[i] = i;
		load_comes(8 * i);
	}
	for (int i = N - 1; i > 0; i--) {
		int k = (int)(random() % (i + 1));
		int64_t was = at[i];

		at[i] = at[k];
		at[k] = was;
	}
	for (int i = 0; i < N; i++) {
		issued(8 * at[i]);
		for (int k = 0; k < i; k++) {
			kept += at[k] < at[i];
			turned += at[k] > at[i];
		}
	}
	assert_int_equal(order.sums.kept, kept);
	assert_int_equal(order.sums.overtaken, turned);
	near(order_kendall_tau(&order.sums), (double)(kept - turned) / (N * (N - 1) / 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(first_come_first_served, fresh, done),
		cmocka_unit_test_setup_teardown(last_come_first_served, fresh, done),
		cmocka_unit_test_setup_teardown(somebody_passes_the_load, fresh, done),
		cmocka_unit_test_setup_teardown(those_that_never_waited_together_are_no_pair, fresh, done),
		cmocka_unit_test_setup_teardown(merged_requests_are_one_and_pieces_are_one, fresh, done),
		cmocka_unit_test_setup_teardown(two_may_wait_for_the_same, fresh, done),
		cmocka_unit_test_setup_teardown(what_nobody_saw_come_is_counted_and_no_more, fresh, done),
		cmocka_unit_test_setup_teardown(what_is_done_waits_no_more_and_ghosts_leave_the_device, fresh, done),
		cmocka_unit_test_setup_teardown(tau_is_kendalls, fresh, done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
