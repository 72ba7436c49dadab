// SPDX-License-Identifier: GPL-3.0-or-later
/* think - times between requests: mean and standard deviation of many draws against those of the
 * distributions' closed formulas; files. */
#include "vusers/think.h"

#include <errno.h>
#include <math.h>
#include "../../../../../tests/unit/unit.h"

#define DRAWS 400000
#define MEAN 6.25e9

/* The mean of n draws is off by sd/sqrt(n); their standard deviation, with a kurtosis k, by sd
 * sqrt((k - 1) / 4n). Five of these are allowed. */
static void holds(const struct think_times *t, double mean, double sd, double kurtosis)
{
	double sum = 0, squares = 0, m, s;
	uint64_t state = 42;

	for (int i = 0; i < DRAWS; i++) {
		double v = (double)think_draw_ns(t, &state);

		assert_true(v >= 0);
		sum += v / mean;
		squares += v / mean * (v / mean);
	}
	m = sum / DRAWS;
	s = sqrt(squares / DRAWS - m * m);
	assert_true(fabs(m - 1) <= 5 * sd / mean / sqrt(DRAWS) + 1e-9);
	assert_true(fabs(s - sd / mean) <= 5 * sd / mean * sqrt((kurtosis - 1) / 4 / DRAWS) + 1e-9);
}

static struct think_times of(const char *words, double mean)
{
	struct think_times t = { 0 };
	const char *path;

	assert_int_equal(think_parse(words, &t, &path), 0);
	assert_null(path);
	think_set_mean(&t, mean);
	return t;
}

/* Kurtosis of a lognormal: w^4 + 2w^3 + 3w^2 - 3 with w = 1 + cv^2. */
TEST(times_have_the_mean_and_spread_of_their_distribution)
{
	static const struct {
		const char *words;
		double sd, kurtosis;
	} row[] = {
		{ "exp", MEAN, 9 },
		{ "uniform", MEAN / 1.7320508075688772, 1.8 },
		{ "const", 0, 1 },
		{ "lognormal", MEAN, 16 + 16 + 12 - 3 },
		{ "lognormal:0.5", 0.5 * MEAN, 1.25 * 1.25 * 1.25 * 1.25 + 2 * 1.25 * 1.25 * 1.25 + 3 * 1.25 * 1.25 - 3 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct think_times t = of(row[i].words, MEAN);

		holds(&t, MEAN, row[i].sd, row[i].kurtosis);
	}
}

TEST(uniform_reaches_twice_the_mean)
{
	struct think_times t = of("uniform", MEAN);
	uint64_t random = 1;
	int64_t most = 0;

	for (int i = 0; i < DRAWS; i++) {
		int64_t v = think_draw_ns(&t, &random);

		most = v > most ? v : most;
	}
	assert_true((double)most <= 2 * MEAN && (double)most > 1.9999 * MEAN);
}

TEST(a_file_gives_its_own_values_and_they_can_be_stretched)
{
	struct think_times t = { 0 };
	const char *path;
	unsigned long line;
	FILE *f = open_text("# seconds\n1\n2 # the second\n\n  3\n");

	assert_int_equal(think_parse("file:a b", &t, &path), 0);
	assert_string_equal(path, "a b");
	assert_int_equal(think_read_values(f, &t, &line), 0);
	fclose(f);
	assert_int_equal(t.n, 3);
	holds(&t, 2e9, sqrt(2.0 / 3) * 1e9, 1.5);
	think_set_mean(&t, 10e9);
	holds(&t, 10e9, 5 * sqrt(2.0 / 3) * 1e9, 1.5);
	think_set_mean(&t, 2e9); /* and back */
	holds(&t, 2e9, sqrt(2.0 / 3) * 1e9, 1.5);
	think_free(&t);
}

/* What is behind the 127th character of a comment is still of it. */
TEST(a_long_comment_is_one_line)
{
	struct think_times t = { 0 };
	char text[200];
	unsigned long line;
	FILE *f;

	snprintf(text, sizeof(text), "#%126s7\nx\n", "");
	f = open_text(text);
	assert_int_equal(think_read_values(f, &t, &line), -EPROTO);
	assert_int_equal(line, 2);
	fclose(f);
	think_free(&t);
}

TEST(the_same_seed_gives_the_same_times)
{
	struct think_times t = of("exp", MEAN);
	uint64_t a = 7, b = 7, c = 8;

	for (int i = 0; i < 100; i++)
		assert_int_equal(think_draw_ns(&t, &a), think_draw_ns(&t, &b));
	assert_int_not_equal(think_draw_ns(&t, &a), think_draw_ns(&t, &c));
}

TEST(what_is_no_distribution_or_no_time_is_refused)
{
	static const struct {
		const char *content;
		unsigned long line;
		int err;
	} files[] = { { "1\nx\n", 2, -EPROTO }, { "1 2\n", 1, -EPROTO },     { "-1\n", 1, -EPROTO }, { "1e30\n", 1, -EPROTO },
		      { "nan\n", 1, -EPROTO },	{ "# none\n", 0, -ENODATA }, { "", 0, -ENODATA } };
	static const char *const words[] = { "",	   "expo",	  "file:",	  "file",
					     "lognormal:", "lognormal:0", "lognormal:-1", "lognormal:x",
					     "const:1",	   NULL };
	struct think_times t = { 0 };
	const char *path;

	for (int i = 0; words[i]; i++)
		assert_int_equal(think_parse(words[i], &t, &path), -EINVAL);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		unsigned long line = 0;
		FILE *f = open_text(files[i].content);

		assert_int_equal(think_read_values(f, &t, &line), files[i].err);
		if (files[i].line)
			assert_int_equal(line, files[i].line);
		fclose(f);
		think_free(&t);
	}
}
