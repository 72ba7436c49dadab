// SPDX-License-Identifier: GPL-3.0-or-later
/* logs_in - times of logs: what date(1) says of them, decimals to the ns, ticks as they
 * look, quoted commas, and refusals. */
#include "arrivals/logs_in.h"
#include "../../../../../tests/unit/unit.h"

#define S 1000000000LL

/* date -u -d '2000-10-10 13:55:36 -0700' +%s, and so on */
TEST(dates_of_servers)
{
	static const struct {
		const char *text;
		int64_t s;
	} of[] = {
		{ "10/Oct/2000:13:55:36 -0700", 971211336 },  { "01/Jan/1970:00:00:00 +0000", 0 },
		{ "29/Feb/2024:23:59:59 +0530", 1709231399 }, { "31/Dec/2099:12:00:00 +0000", 4102401600 },
		{ "01/Mar/2023:00:00:00 +0000", 1677628800 }, { "2026-01-05 08:00:00", 1767600000 },
		{ "2026-01-05T08:00:00Z", 1767600000 },	      { "2026-01-05T09:30:00+01:30", 1767600000 },
		{ "2026/01/05 08:00:00", 1767600000 },	      { "01/05/26 08:00:00", 1767600000 },
	};
	static const char *const bad[] = { "",
					   "10/Okt/2000:13:55:36 -0700",
					   "10/Oct/2000:25:55:36 -0700",
					   "32/Oct/2000:13:55:36 -0700",
					   "2026-13-05 08:00:00",
					   "10/anF/2000:13:55:36 +0000" };
	const char *end;
	int64_t t, tick;

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		if (of[i].s > INT32_MAX && sizeof(time_t) < 8) {
			assert_false(logs_in_parse_date(of[i].text, &t, &tick, &end));
			continue;
		}
		assert_true(logs_in_parse_date(of[i].text, &t, &tick, &end));
		assert_int_equal(t, of[i].s * S);
		assert_int_equal(tick, S);
		assert_string_equal(end, "");
	}
	assert_true(logs_in_parse_date("10/Oct/2000:13:55:36.25 -0700]", &t, &tick, &end));
	assert_true(t == 971211336 * S + S / 4 && tick == S / 100 && *end == ']');
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(logs_in_parse_date(bad[i], &t, &tick, &end));
}

TEST(decimals_stay_exact)
{
	static const struct {
		const char *text;
		int64_t unit, ns, tick;
	} of[] = {
		{ "1700000000.123456789", S, 1700000000123456789, 1 }, { "1700000000123", 1000000, 1700000000123000000, 1000000 },
		{ "12.5", S, 12500000000, 100000000 }, { "3.1234567890123", 1000, 3123, 1 },
	}, bad[] = { { .text = "", .unit = S }, { .text = "-1", .unit = S }, { .text = "12x", .unit = S },
		     { .text = "99999999999999999999", .unit = 1 }, { .text = "9999999999999", .unit = S } };
	int64_t t, tick;

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		assert_true(logs_in_parse_time(of[i].text, of[i].unit, &t, &tick));
		assert_int_equal(t, of[i].ns);
		assert_int_equal(tick, of[i].tick);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(logs_in_parse_time(bad[i].text, bad[i].unit, &t, &tick));
}

static int read_text(const char *text, const struct log_reader_cfg *cfg, struct logged_arrivals *l, unsigned long *line)
{
	FILE *f = open_text(text);
	const char *why;
	int err = logs_in_read(f, cfg, l, line, &why);

	fclose(f);
	return err;
}

TEST(jtl_with_quotes_and_threads)
{
	struct log_reader_cfg cfg = { .source = "threadName" };
	struct logged_arrivals l;
	unsigned long line;

	assert_int_equal(read_text("timeStamp,elapsed,label,threadName\n1000,5,\"a, \"\"b\"\"\",\"T 1-1, "
				   "x\"\n1007,5,c,T 2\r\n1009,5,,\"T 1-1, x\"\n",
				   &cfg, &l, &line),
			 0);
	assert_int_equal(l.kind, LOGS_IN_JTL);
	assert_int_equal(l.n, 3);
	assert_int_equal(l.tick_ns, 1000000);
	assert_int_equal(l.sources, 2);
	assert_int_equal(l.arrival[0].source, 0);
	assert_int_equal(l.arrival[1].source, 1);
	assert_int_equal(l.arrival[2].source, 0);
	assert_int_equal(l.arrival[1].time_ns, 1007000000);
	logs_in_free(&l);
	cfg = (struct log_reader_cfg){ .where = { { "label", "a, \"b\"" } }, .wheres = 1 };
	assert_int_equal(read_text("timeStamp,elapsed,label,threadName\n1000,5,\"a, \"\"b\"\"\",T\n1007,5,c,T\n", &cfg, &l, &line),
			 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.passed, 1);
	logs_in_free(&l);
}

TEST(ticks_as_they_look)
{
	static const struct {
		const char *text;
		int64_t tick;
	} of[] = {
		{ "start_ns\n1\n5\n", 1 }, { "start_ns\n1000\n5000\n", 1000 },	{ "start_ns\n1000000\n500000000\n", 1000000 },
		{ "time_s\n5\n9\n", S },   { "time_s\n5.25\n9.5\n", 10000000 }, { "start_ms\n100\n200\n", 1000000 },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct log_reader_cfg cfg = { 0 };
		struct logged_arrivals l;
		unsigned long line;

		assert_int_equal(read_text(of[i].text, &cfg, &l, &line), 0);
		assert_int_equal(l.tick_ns, of[i].tick);
		logs_in_free(&l);
	}
}

TEST(bad_lines_are_named)
{
	static const struct {
		const char *text;
		unsigned long line;
	} of[] = {
		{ "when\tx\n1\t2\n", 1 },      { "start_ns\tx\n1\t2\n1\n", 3 },
		{ "start_ns\n12a\n", 2 },      { "1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] \"GET\" 200 1\nnonsense\n", 2 },
		{ "timestamp\tx\n1\t1\n", 2 },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct log_reader_cfg cfg = { 0 };
		struct logged_arrivals l;
		unsigned long line;

		assert_true(read_text(of[i].text, &cfg, &l, &line) < 0);
		assert_int_equal(line, of[i].line);
		logs_in_free(&l);
	}
}
