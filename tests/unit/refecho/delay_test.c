// SPDX-License-Identifier: GPL-3.0-or-later
/* Delay scripts: what is read, what is refused, and that the drawn delays have the asked distribution. */
#include "refecho/delay.h"

#include <errno.h>
#include <math.h>
#include "../unit.h"

#define MS 1000000LL

static struct delay_generator parsed(const char *text, uint64_t seed)
{
	struct delay_generator d;
	const char *path;

	assert_int_equal(delay_parse(text, &d, &path), 0);
	d.random = seed;
	return d;
}

TEST(constant)
{
	struct delay_generator d = parsed("const:20ms", 1);

	for (int i = 0; i < 3; i++)
		assert_true(delay_next_ns(&d) == 20 * MS);
	d = parsed("const:0", 1);
	assert_true(delay_next_ns(&d) == 0);
	d = parsed("const:1.5s", 1);
	assert_true(delay_next_ns(&d) == 1500 * MS);
}

/* Mean and standard deviation of U(5,15): 10 and 10/sqrt(12); 4.9 sigma of 100,000 draws. */
TEST(uniform)
{
	struct delay_generator d = parsed("uniform:5ms,15ms", 7);
	double sum = 0, squares = 0, n = 100000;
	int64_t low = INT64_MAX, high = 0;

	for (int i = 0; i < (int)n; i++) {
		int64_t v = delay_next_ns(&d);
		double ms = (double)v / MS;

		low = v < low ? v : low;
		high = v > high ? v : high;
		sum += ms;
		squares += ms * ms;
	}
	assert_true(low >= 5 * MS && low < 5 * MS + 10000);
	assert_true(high <= 15 * MS && high > 15 * MS - 10000);
	assert_true(fabs(sum / n - 10) < 0.045);
	assert_true(fabs(sqrt(squares / n - sum * sum / n / n) - 10 / sqrt(12)) < 0.03);
	d = parsed("uniform:5ms,5ms", 7);
	assert_true(delay_next_ns(&d) == 5 * MS);
}

TEST(bimodal)
{
	struct delay_generator d = parsed("bimodal:5ms,80ms,0.1", 3);
	int high = 0;

	for (int i = 0; i < 100000; i++) {
		int64_t v = delay_next_ns(&d);

		assert_true(v == 5 * MS || v == 80 * MS);
		high += v == 80 * MS;
	}
	assert_in_range(high, 9535, 10465); /* 4.9 sigma */
	d = parsed("bimodal:1ms,2ms,0", 3);
	assert_true(delay_next_ns(&d) == 1 * MS);
	d = parsed("bimodal:1ms,2ms,1", 3);
	assert_true(delay_next_ns(&d) == 2 * MS);
}

TEST(same_seed_same_delays)
{
	struct delay_generator a = parsed("uniform:0,1s", 5), b = parsed("uniform:0,1s", 5), c = parsed("uniform:0,1s", 6);
	int differ = 0;

	for (int i = 0; i < 100; i++) {
		int64_t v = delay_next_ns(&a);

		assert_true(v == delay_next_ns(&b));
		differ += v != delay_next_ns(&c);
	}
	assert_true(differ > 90);
}

TEST(refused)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "", -EINVAL },
		{ "const", -EINVAL },
		{ "const:", -EINVAL },
		{ "const:abc", -EINVAL },
		{ "const:5xs", -EINVAL },
		{ "const:1ms,2ms", -EINVAL },
		{ "const:-1ms", -ERANGE },
		{ "const:5", -EDOM },
		{ "uniform:5,10ms", -EDOM },
		{ "const:2h", -ERANGE },
		{ "20ms", -EINVAL },
		{ "uniform:5ms", -EINVAL },
		{ "uniform:15ms,5ms", -ERANGE },
		{ "uniform:1ms,2ms,3ms", -EINVAL },
		{ "uniform:1ms,", -EINVAL },
		{ "uniforms:1ms,2ms", -EINVAL },
		{ "unif:1ms,2ms", -EINVAL },
		{ "bimodal:1ms,2ms", -EINVAL },
		{ "bimodal:1ms,2ms,1.1", -ERANGE },
		{ "bimodal:1ms,2ms,x", -EINVAL },
		{ "bimodal:1ms,2ms,0.5,1", -EINVAL },
		{ "file:", -EINVAL },
		{ ":5ms", -EINVAL },
		{ "CONST:5ms", -EINVAL },
	};
	struct delay_generator d;
	const char *path;

	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(delay_parse(bad[i].text, &d, &path), bad[i].err);
}

static int load(struct delay_generator *d, const char *text, int *line)
{
	const char *path;
	FILE *in = *text ? fmemopen((void *)(uintptr_t)text, strlen(text), "r") : fopen("/dev/null", "r");
	int err;

	assert_non_null(in);
	assert_int_equal(delay_parse("file:/a,b:c", d, &path), 0);
	assert_string_equal(path, "/a,b:c");
	err = delay_load_file(d, in, line);
	fclose(in);
	return err;
}

TEST(from_a_file)
{
	struct delay_generator d;
	int line;

	assert_int_equal(load(&d, "# times\n5ms\n\n  20ms  # slow\r\n0\n1.5s", &line), 0);
	assert_int_equal(d.n, 4);
	for (int turn = 0; turn < 2; turn++) { /* and again from the top */
		assert_true(delay_next_ns(&d) == 5 * MS);
		assert_true(delay_next_ns(&d) == 20 * MS);
		assert_true(delay_next_ns(&d) == 0);
		assert_true(delay_next_ns(&d) == 1500 * MS);
	}
	delay_free(&d);
	assert_int_equal(load(&d, "5ms\nfast\n", &line), -EINVAL);
	assert_int_equal(line, 2);
	delay_free(&d);
	assert_int_equal(load(&d, "5ms\n6ms 7ms\n", &line), -EINVAL);
	assert_int_equal(line, 2);
	delay_free(&d);
	assert_int_equal(load(&d, "5ms\n6ms\n-1ms\n", &line), -ERANGE);
	assert_int_equal(line, 3);
	delay_free(&d);
	assert_int_equal(load(&d, "# nothing\n\n", &line), -EINVAL);
	assert_int_equal(line, 0);
	assert_int_equal(load(&d, "", &line), -EINVAL);
	assert_int_equal(line, 0);
}

TEST(a_long_list_and_a_long_line)
{
	static char text[40000];
	struct delay_generator d;
	int line;

	for (int i = 0; i < 5000; i++)
		strcat(text + 4 * i, "3ms\n");
	assert_int_equal(load(&d, text, &line), 0);
	assert_int_equal(d.n, 5000);
	delay_free(&d);
	memset(text, ' ', 1000);
	assert_int_equal(load(&d, text, &line), -EINVAL);
	assert_int_equal(line, 1);
	delay_free(&d);
}
