// SPDX-License-Identifier: GPL-3.0-or-later
/* keys - reading samples.tsv: what is there, what is empty, what is wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <errno.h>

#include "summarize/keys.h"

#define HELD "schema\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\tearliest_ns\n"
#define HEAD "schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\n"

static int read_text(const char *text, struct key_samples *out, unsigned long *line)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err;

	assert_non_null(in);
	*out = (struct key_samples){ 0 };
	err = rows_read(in, &keys_rows, out, line);
	fclose(in);
	return err;
}

static void all_kinds_of_rows(void **state)
{
	struct key_samples k;
	unsigned long line;
	int64_t ns;
	bool later;

	(void)state;
	assert_int_equal(read_text(HEAD
		"keys/1\t1\t100\t101\t150\t\t\t1\n"		/* warm-up */
		"keys/1\t2\t9007199254740993\t9007199254740994\t9007199254741993\t\t\t0\n"	/* beyond 2^53 */
		"keys/1\t3\t300\t301\t350\t390\t\t0\n"		/* a range */
		"keys/1\t4\t400\t401\t\t\t900\t0\n"		/* no echo by 900 */
		"keys/1\t5\t500\t501\t550\t\t900\t0\n"		/* answered, late end open */
		"keys/1\t6\t600\t\t\t\t\t0\n", &k, &line), 0);	/* nothing known */
	assert_int_equal(k.n, 5);
	assert_int_equal(k.skipped, 1);
	assert_true(k.ranged);

	assert_true(key_compute_latency(&k.key[0], false, &ns, &later));
	assert_int_equal(ns, 1000);
	assert_true(key_compute_latency(&k.key[0], true, &ns, &later));
	assert_int_equal(ns, 1000);
	assert_false(later);

	assert_true(key_compute_latency(&k.key[1], false, &ns, &later));
	assert_int_equal(ns, 50);
	assert_true(key_compute_latency(&k.key[1], true, &ns, &later));
	assert_int_equal(ns, 90);
	assert_false(later);

	assert_true(key_compute_latency(&k.key[2], false, &ns, &later));
	assert_int_equal(ns, 500);
	assert_true(later);
	assert_true(key_compute_latency(&k.key[2], true, &ns, &later));
	assert_int_equal(ns, 500);
	assert_true(later);

	assert_true(key_compute_latency(&k.key[3], false, &ns, &later));
	assert_int_equal(ns, 50);
	assert_false(later);
	assert_true(key_compute_latency(&k.key[3], true, &ns, &later));
	assert_int_equal(ns, 400);
	assert_true(later);

	assert_false(key_compute_latency(&k.key[4], false, &ns, &later));
	assert_true(k.key[4].sent == KEY_NONE);
	keys_free(&k);
}

static void keys_that_had_to_wait_are_ranges_from_due(void **state)
{
	struct key_samples k;
	struct train_key_samples train = { .repeat = 1 };
	const struct key_latency_figures_cfg cfg = { .threshold_ns = 80, .draws = 1, .seed = 1 };
	struct key_latency_figures e;
	unsigned long line;
	int64_t ns;
	bool later;

	(void)state;
	assert_int_equal(read_text(HELD
		"keys/1\t100\t180\t200\t200\t\t0\t150\n"		/* would have been answered at 150 at the earliest */
		"keys/1\t300\t\t\t\t900\t0\t300\n", &k, &line), 0);	/* never sent */
	assert_int_equal(k.n, 2);
	assert_true(k.ranged);
	assert_true(key_compute_latency(&k.key[0], false, &ns, &later));
	assert_int_equal(ns, 50);
	assert_false(later);
	assert_true(key_compute_latency(&k.key[0], true, &ns, &later));
	assert_int_equal(ns, 100);
	assert_false(later);
	assert_true(key_compute_latency(&k.key[1], false, &ns, &later));
	assert_int_equal(ns, 0);
	assert_false(later);
	assert_true(key_compute_latency(&k.key[1], true, &ns, &later));
	assert_int_equal(ns, 600);
	assert_true(later);
	train.keys = k;
	e = estimate_key_latency_figures(&train, 1, &cfg);
	assert_true(e.of[LATE].from == 0 && e.of[LATE].to == 100);
	assert_true(e.of[SENT_P50].value == 20e-6);	/* ms from sending: the wait was before */
	keys_free(&k);
}

static void other_columns_and_their_order_do_not_matter(void **state)
{
	struct key_samples k;
	unsigned long line;

	(void)state;
	assert_int_equal(read_text("schema\tnew\tskipped\tcensored_ns\tanswer_high_ns\tanswer_ns\tsent_ns\tdue_ns\n"
		"keys/1\twords\t0\t\t\t30\t20\t10\n", &k, &line), 0);
	assert_int_equal(k.n, 1);
	assert_int_equal(k.key[0].due, 10);
	assert_int_equal(k.key[0].answer, 30);
	assert_false(k.ranged);
	keys_free(&k);
}

static void a_train_without_keys_is_one(void **state)
{
	struct key_samples k;
	unsigned long line;

	(void)state;
	assert_int_equal(read_text(HEAD, &k, &line), 0);
	assert_int_equal(k.n, 0);
	keys_free(&k);
}

static void what_is_wrong_is_refused_with_its_line(void **state)
{
	static const struct { const char *text; unsigned long line; } wrong[] = {
		{ "\n", 1 },
		{ "a\tb\n", 1 },
		{ HEAD "keys/2\t1\t1\t1\t1\t\t\t0\n", 2 },
		{ HEAD "keys/1\t1\t1\t1\t1\t\t\t0\nkeys/1\t2\t1\t1\t1x\t\t\t0\n", 3 },
		{ HEAD "keys/1\t1\t\t1\t1\t\t\t0\n", 2 },		/* due when? */
		{ HELD "keys/1\t10\t20\t30\t30\t\t0\t9\n", 2 },	/* answered before it was due? */
		{ HELD "keys/1\t10\t20\t30\t30\t\t0\t31\n", 2 },	/* later than it was? */
		{ HEAD "keys/1\t1\t1\t1\t1\t\t\n", 2 },			/* a cell short */
		{ HEAD "keys/1\t1\t1\t1\t1\t\t\t0\t9\n", 2 },		/* one too many */
		{ HEAD "keys/1\t1\t1\t1\t1\t\t\t0", 2 },			/* cut off */
		{ HEAD "keys/1\t1\t99999999999999999999\t1\t1\t\t\t0\n", 2 },
		/* no time, nor a number of a key: their differences would overflow */
		{ HEAD "keys/1\t1\t9223372036854775807\t1\t9223372036854775807\t\t\t0\n", 2 },
		{ HEAD "keys/1\t1\t1\t1\t2305843009213693951\t\t\t0\n", 2 },
		{ HEAD "keys/1\t1\t-9223372036854775807\t1\t1\t\t\t0\n", 2 },
		{ HEAD "keys/1\t1\t-9223372036854775808\t1\t1\t\t\t0\n", 2 },
		{ HEAD "keys/1\t9223372036854775807\t1\t1\t1\t\t\t0\n", 2 },
		{ HEAD "keys/1\t1\t1\t1\t1\t\t9223372036854775807\t0\n", 2 },
	};
	struct key_samples k;
	unsigned long line;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(read_text(wrong[i].text, &k, &line), -EPROTO);
		assert_int_equal(line, wrong[i].line);
		keys_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds_of_rows), cmocka_unit_test(keys_that_had_to_wait_are_ranges_from_due),
		cmocka_unit_test(other_columns_and_their_order_do_not_matter),
		cmocka_unit_test(a_train_without_keys_is_one),
		cmocka_unit_test(what_is_wrong_is_refused_with_its_line),
	};

	return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
