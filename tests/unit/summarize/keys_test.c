// SPDX-License-Identifier: GPL-3.0-or-later
/* keys - reading samples.tsv: what is there, what is empty, what is wrong. */
#include "../unit.h"
#include "summarize/key_figures.h"

#include <unistd.h>
#include <errno.h>

#define HEAD "schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\tearliest_ns\n"

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

TEST(all_kinds_of_rows)
{
	/* latency from due by both ends; `early`, `late`: -1 not known; above: a lower bound */
	static const struct {
		const char *row;
		int64_t early, late;
		bool early_above, late_above;
	} rows[] = {
		{ "2\t9007199254740993\t9007199254740994\t9007199254741993\t\t\t0\t", 1000, 1000, false, false }, /* beyond 2^53 */
		{ "3\t300\t301\t350\t390\t\t0\t", 50, 90, false, false },					  /* a range */
		{ "4\t400\t401\t\t\t900\t0\t", 500, 500, true, true },	      /* no echo by 900 */
		{ "5\t500\t501\t550\t\t900\t0\t", 50, 400, false, true },     /* answered, late end open */
		{ "6\t600\t\t\t\t\t0\t", -1, -1, true, true },		      /* nothing known */
		{ "7\t100\t180\t200\t200\t\t0\t150", 50, 100, false, false }, /* would have been answered at 150 at the earliest */
		{ "8\t300\t\t\t\t900\t0\t300", 0, 600, false, true },	      /* never sent */
	};
	struct key_samples k;
	unsigned long line;
	char text[200];

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int late = 0; late < 2; late++) {
			int64_t ns = -1, want = late ? rows[i].late : rows[i].early;
			bool above;

			snprintf(text, sizeof(text), HEAD "keys/1\t%s\n", rows[i].row);
			assert_int_equal(read_text(text, &k, &line), 0);
			assert_int_equal(k.n, 1);
			assert_int_equal(key_find_latency(&k.key[0], late ? KEY_LATE : KEY_EARLY, &ns, &above), want >= 0);
			if (want >= 0)
				assert_int_equal(ns, want);
			assert_int_equal(above, late ? rows[i].late_above : rows[i].early_above);
			assert_int_equal(k.ranged, i != 0 && i != 2 && i != 4);
			keys_free(&k);
		}
	assert_int_equal(read_text(HEAD "keys/1\t1\t100\t101\t150\t\t\t1\t\n", &k, &line), 0); /* warm-up */
	assert_true(!k.n && k.skipped == 1);
}

TEST(keys_that_had_to_wait_are_ranges_from_due_not_from_sending)
{
	struct key_train_samples train = { .repeat = 1 };
	static const double ms = 20e-6; /* a variable: x87 registers would hold the constant in more digits */
	struct key_figures e;
	unsigned long line;

	assert_int_equal(
		read_text(HEAD "keys/1\t1\t100\t180\t200\t200\t\t0\t150\nkeys/1\t2\t300\t\t\t\t900\t0\t300\n", &train.keys, &line),
		0);
	e = keys_estimate_figures(&train, 1, 80);
	assert_true(e.of[LATE].from == 0 && e.of[LATE].to == 100);
	assert_true(e.of[SENT_P50].value == ms);
	keys_free(&train.keys);
}

TEST(pings_are_keys)
{
	struct key_samples k;
	unsigned long line;
	int64_t ns;
	bool above;

	assert_int_equal(read_text("schema\tnumber\trtt_ns\nping/1\t1\t7000\nping/1\t2\t\n", &k, &line), 0);
	assert_true(k.n == 2 && k.key[0].exact && !k.ranged);
	for (int which = 0; which < 4; which++) { /* from when it was due and sent, by both ends */
		assert_true(key_find_latency(&k.key[0], which, &ns, &above));
		assert_int_equal(ns, 7000);
		assert_false(key_find_latency(&k.key[1], which, &ns, &above));
	}
	keys_free(&k);
}

TEST(other_columns_and_their_order_do_not_matter)
{
	struct key_samples k;
	unsigned long line;

	assert_int_equal(read_text("schema\tnew\tskipped\tcensored_ns\tanswer_high_ns\tanswer_ns\tsent_ns\tdue_ns\n"
				   "keys/1\twords\t0\t\t\t30\t20\t10\n",
				   &k, &line),
			 0);
	assert_int_equal(k.n, 1);
	assert_int_equal(k.key[0].due_ns, 10);
	assert_int_equal(k.key[0].answer_ns, 30);
	assert_false(k.ranged);
	keys_free(&k);
}

TEST(a_train_without_keys_is_one)
{
	struct key_samples k;
	unsigned long line;

	assert_int_equal(read_text(HEAD, &k, &line), 0);
	assert_int_equal(k.n, 0);
	keys_free(&k);
}

TEST(what_is_wrong_is_refused_with_its_line)
{
	static const struct {
		const char *text;
		unsigned long line;
	} wrong[] = {
		{ "\n", 1 },
		{ "a\tb\n", 1 },
		{ HEAD "keys/2\t1\t1\t1\t1\t\t\t0\t\n", 2 },
		{ HEAD "keys/1\t1\t1\t1\t1\t\t\t0\t\nkeys/1\t2\t1\t1\t1x\t\t\t0\t\n", 3 },
		{ HEAD "keys/1\t1\t\t1\t1\t\t\t0\t\n", 2 },	    /* due when? */
		{ HEAD "keys/1\t1\t10\t20\t30\t30\t\t0\t9\n", 2 },  /* answered before it was due? */
		{ HEAD "keys/1\t1\t10\t20\t30\t30\t\t0\t31\n", 2 }, /* later than it was? */
		{ HEAD "keys/1\t1\t1\t1\t1\t\t\t0\n", 2 },	    /* a cell short */
		{ HEAD "keys/1\t1\t1\t1\t1\t\t\t0\t\t9\n", 2 },	    /* one too many */
		{ HEAD "keys/1\t1\t1\t1\t1\t\t\t0\t", 2 },	    /* cut off */
		{ HEAD "keys/1\t1\t99999999999999999999\t1\t1\t\t\t0\t\n", 2 },
		/* no time, nor a number of a key: their differences would overflow */
		{ HEAD "keys/1\t1\t9223372036854775807\t1\t9223372036854775807\t\t\t0\t\n", 2 },
		{ HEAD "keys/1\t1\t1\t1\t2305843009213693951\t\t\t0\t\n", 2 },
		{ HEAD "keys/1\t1\t-9223372036854775807\t1\t1\t\t\t0\t\n", 2 },
		{ HEAD "keys/1\t1\t-9223372036854775808\t1\t1\t\t\t0\t\n", 2 },
		{ HEAD "keys/1\t9223372036854775807\t1\t1\t1\t\t\t0\t\n", 2 },
		{ HEAD "keys/1\t1\t1\t1\t1\t\t9223372036854775807\t0\t\n", 2 },
	};
	struct key_samples k;
	unsigned long line;

	for (size_t i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(read_text(wrong[i].text, &k, &line), -EPROTO);
		assert_int_equal(line, wrong[i].line);
		keys_free(&k);
	}
}
