// SPDX-License-Identifier: GPL-3.0-or-later
/* rtt - what is ahead of a ping in a queue, held against a queue that is played; and trains of pings pooled by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random.h"
#include "summarize/md1.h"
#include "summarize/rtt.h"

static void near_to(double got, double want, double by)
{
	if (!(fabs(got - want) <= by))
		print_error("%g, not %g\n", got, want);
	assert_true(fabs(got - want) <= by);
}

/* Pollaczek and Khinchine: at half load a frame waits for half of one; variance 1/4 + 1/3. */
static void without_a_bucket_it_is_the_textbook(void **state)
{
	(void)state;
	near_to(md1_wait(0.5, 0).mean, 0.5, 1e-12);
	near_to(md1_wait(0.5, 0).variance, 0.25 + 1.0 / 3, 1e-12);
	near_to(md1_wait(0.96, 0).mean, 12, 1e-9);
	near_to(md1_wait(0, 3).mean, 0, 1e-12);
	assert_true(isnan(md1_wait(1, 0).mean));
	assert_true(isnan(md1_wait(0.5, MD1_CREDIT_MOST + 1).mean));
	/* nothing ahead: the share of time that the link is free; and up to one frame (1 - load) e^load */
	near_to(md1_share(0.7, 0), 0.3, 1e-12);
	near_to(md1_share(0.5, 1), 0.5 * (exp(0.5)) , 1e-12);
	/* Crommelin's sum, two terms by hand: e^1 - 0.5 e^0.5 */
	near_to(md1_share(0.5, 2), 0.5 * (exp(1) - 0.5 * exp(0.5)), 1e-12);
}

/* Lindley: the work ahead of arrival n, with exponential distances; who arrives so sees what any time sees. */
static void with_a_bucket_it_is_what_a_played_queue_does(void **state)
{
	static const struct { double load, credit; } cases[] = { { 0.5, 1 }, { 0.8, 2.935 }, { 0.9, 2.935 }, { 0.7, 8.2 } };

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		uint64_t seed = 7 + c;
		double work = 0, sum = 0, squares = 0, n = 2e6, over, mean;
		struct md1 want = md1_wait(cases[c].load, cases[c].credit);

		for (int i = 0; i < (int)n; i++) {
			over = fmax(0, work - cases[c].credit);
			sum += over;
			squares += over * over;
			work = fmax(0, work + 1 + log1p(-random_unit(&seed)) / cases[c].load);
		}
		mean = sum / n;
		near_to(want.mean, mean, 0.03 * mean + 2e-4);
		near_to(want.variance, squares / n - mean * mean, 0.08 * squares / n + 1e-3);
	}
}

static int read_text(const char *text, struct rtt_train *t, unsigned long *line)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err = rtt_read_pings(in, t, line);

	fclose(in);
	return err;
}

/* 1, 2, 6 ms and one lost: mean 3, variance 7; and 5, 5: mean 5, variance 0. */
static void pings_are_pooled_and_lost_ones_counted(void **state)
{
	static struct rtt_pool p;
	struct rtt_train a = { .sent = 0 }, b = { .sent = 0 };
	unsigned long line;

	(void)state;
	assert_int_equal(read_text("schema\tnumber\trtt_ns\nping/1\t1\t1000000\nping/1\t2\t2000000\nping/1\t3\t\nping/1\t4\t6000000\n",
				   &a, &line), 0);
	assert_int_equal(a.sent, 4);
	assert_int_equal(a.lost, 1);
	assert_int_equal(read_text("schema\tnumber\trtt_ns\nping/1\t1\t5000000\nping/1\t2\t5000000\n", &b, &line), 0);
	assert_int_equal(rtt_pool_add(&p, &a), 0);
	assert_int_equal(rtt_pool_add(&p, &b), 0);
	near_to(p.of[RTT_MEAN][0], 3, 1e-9);
	near_to(p.of[RTT_VARIANCE][0], 7, 1e-9);
	near_to(p.of[RTT_MEAN][1], 5, 1e-9);
	near_to(p.of[RTT_SD][1], 0, 1e-9);
	assert_int_equal(p.sent, 6);
	assert_int_equal(p.lost, 1);
	assert_int_equal(p.all.n, 5);
	assert_int_equal((int64_t)sample_quantile(&p.all, 0.5).value, 5000000);
	sample_free(&a.own);
	sample_free(&b.own);
	sample_free(&p.all);
}

/* A column of the table's first row. */
static void cell_of(const char *path, const char *column, char *out, size_t size)
{
	char head[8192] = "", row[8192] = "", *name, *value, *names = head, *values = row;
	FILE *in = fopen(path, "re");

	assert_non_null(in);
	assert_non_null(fgets(head, sizeof(head), in));
	assert_non_null(fgets(row, sizeof(row), in));
	fclose(in);
	do {
		name = strsep(&names, "\t\n");
		value = strsep(&values, "\t\n");
		assert_non_null(value);
	} while (name && strcmp(name, column) != 0);
	assert_non_null(name);
	snprintf(out, size, "%s", value);
}

static void a_quantile_among_keys_without_an_echo_is_none(void **state)
{
	struct rtt_cell c = { .cell = "c", .link = "l", .queue = "q", .transport = "udp", .probe = "vnc" };
	struct rtt_pool *p = calloc(1, sizeof(*p));
	char path[] = "/tmp/rtt_test_XXXXXX", text[64];
	struct rtt_train t = { .sent = 100 };
	int fd = mkstemp(path);
	struct rows *rows;

	(void)state;
	assert_non_null(p);
	assert_true(fd >= 0);
	close(fd);
	for (int i = 0; i < 100; i++)
		(i < 70 ? sample_add : sample_add_censored)(&t.own, i < 70 ? 1000000 : 2000000000);
	assert_int_equal(rtt_pool_add(p, &t), 0);
	rows = rows_open(path, "rtt/1", rtt_columns);
	assert_non_null(rows);
	rtt_write_cell(rows, &c, p, 1);
	assert_int_equal(rows_close(rows), 0);
	cell_of(path, "p50_ms", text, sizeof(text));
	near_to(atof(text), 1, 1e-9);
	cell_of(path, "p90_ms", text, sizeof(text));
	assert_string_equal(text, "");
	cell_of(path, "later", text, sizeof(text));
	assert_string_equal(text, "30");
	unlink(path);
	sample_free(&t.own);
	sample_free(&p->all);
	free(p);
}

static void what_is_no_ping_is_told_by_its_line(void **state)
{
	struct rtt_train t = { .sent = 0 };
	unsigned long line = 0;

	(void)state;
	assert_int_equal(read_text("schema\tnumber\trtt_ns\nping/1\t1\t5\nping/1\t2\tlate\n", &t, &line), -EPROTO);
	assert_int_equal(line, 3);
	assert_int_equal(read_text("schema\tnumber\trtt_ns\nping/2\t1\t5\n", &t, &line), -EPROTO);
	assert_int_equal(read_text("schema\tnumber\nping/1\t1\n", &t, &line), -EPROTO);
	sample_free(&t.own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_bucket_it_is_the_textbook),
		cmocka_unit_test(with_a_bucket_it_is_what_a_played_queue_does),
		cmocka_unit_test(pings_are_pooled_and_lost_ones_counted),
		cmocka_unit_test(a_quantile_among_keys_without_an_echo_is_none),
		cmocka_unit_test(what_is_no_ping_is_told_by_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
