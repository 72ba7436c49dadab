// SPDX-License-Identifier: GPL-3.0-or-later
/* workload, dues, stations, window - what is fetched and how often; who is due next; when a request has passed a server's queues;
 * what is under way over time, and the gaps between sends, against sums made by hand. */
#include "clock.h"
#include "random.h"
#include "vusers/dues.h"
#include "vusers/serve.h"
#include "vusers/window.h"
#include "vusers/workload.h"

#include <errno.h>
#include <math.h>
#include "../../../../../tests/unit/unit.h"

static int read_text(const char *content, struct workload *w, unsigned long *line)
{
	const char *why;
	FILE *f = open_text(content);
	int err = workload_read(f, w, line, &why);

	assert_true((err == -EPROTO) == (why != NULL));
	fclose(f);
	return err;
}

/* Brady & Gunther 2016: fifteen objects are nine pages. */
TEST(the_script_of_nine_pages_has_fifteen_objects)
{
	static const struct {
		const char *name;
		double share;
	} pages[] = { { "Home", 4 / 9.0 }, { "Department", 2 / 9.0 }, { "Demographics", 2 / 9.0 }, { "Statistics", 1 / 9.0 } };
	static struct workload w;
	unsigned long line;
	const char *why;
	FILE *f = fopen("kits/users/data/users/webgov.tsv", "re");
	int count[4] = { 0 };
	uint64_t random = 3;

	assert_non_null(f);
	assert_int_equal(workload_read(f, &w, &line, &why), 0);
	fclose(f);
	assert_int_equal(w.pages, 4);
	assert_int_equal(w.objects, 6);
	assert_true(fabs(workload_objects_per_page(&w) - 15.0 / 9) < 1e-12);
	for (int i = 0; i < 90000; i++)
		count[workload_draw_page(&w, &random)]++;
	for (int i = 0; i < 4; i++) {
		assert_string_equal(w.page[i].name, pages[i].name);
		/* five standard deviations of a share */
		assert_true(fabs(count[i] / 90000.0 - pages[i].share) < 5 * sqrt(pages[i].share * (1 - pages[i].share) / 90000));
	}
	assert_string_equal(w.object[w.page[1].first + 1].path, "/022_Dept.jpg");
}

TEST(what_is_no_workload_is_refused_with_its_line)
{
	static const struct {
		const char *content;
		unsigned long line;
	} bad[] = {
		{ "a\t1\tx\n", 1 },
		{ "a\t1\tx\t/x\t1\t2\n", 1 },
		{ "a\t0\tx\t/x\n", 1 },
		{ "a\t-1\tx\t/x\n", 1 },
		{ "a\tone\tx\t/x\n", 1 },
		{ "a\t1\tx\tx\n", 1 },
		{ "a\t1\tx\t/a b\n", 1 },
		{ "\t1\tx\t/x\n", 1 },
		{ "a\t1\tx\t/x\na\t2\ty\t/y\n", 2 },
		{ "a\t1\tx\t/x\n# c\nb\t1\ty\t/y\na\t1\tz\t/z\n", 4 },
	};
	static struct workload w;
	unsigned long line;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(read_text(bad[i].content, &w, &line), -EPROTO);
		assert_int_equal(line, bad[i].line);
	}
	assert_int_equal(read_text("# nothing\n", &w, &line), -ENODATA);
	assert_int_equal(read_text("a\t1\tx\t/x\t1000", &w, &line), 0); /* without an end of line */
	assert_int_equal(workload_make_one(&w, "/a/b?c=d"), 0);
	assert_string_equal(w.object[0].path, "/a/b?c=d");
	assert_true(workload_objects_per_page(&w) > 0.999 && workload_objects_per_page(&w) < 1.001);
	assert_int_equal(workload_make_one(&w, "no"), -EPROTO);
}

TEST(users_come_out_in_the_order_of_their_times)
{
	struct due_heap d;
	uint64_t random = 5;
	int64_t last = INT64_MIN;
	bool seen[1000] = { false };

	due_heap_open(&d, 1000);
	assert_true(due_heap_first_ns(&d) == INT64_MAX);
	for (uint32_t i = 0; i < 1000; i++)
		due_heap_add(&d, (int64_t)(random_bits(&random) % 500), i);
	for (int i = 0; i < 1000; i++) {
		int64_t first = due_heap_first_ns(&d);
		struct user_due_time who = due_heap_take(&d);

		assert_true(who.at_ns == first && first >= last && !seen[who.user]);
		seen[who.user] = true;
		last = first;
	}
	assert_int_equal(d.n, 0);
	due_heap_free(&d);
}

/* By hand: two stations of 3 and 2 ms; the second never makes anybody wait, the first everybody who comes in time. */
TEST(who_comes_before_the_one_before_has_gone_waits)
{
	static const int64_t come[] = { 0, 1, 2, 20, 21 }, gone[] = { 5, 8, 11, 25, 28 };
	struct service_stations s = { 0 };

	assert_int_equal(stations_parse("3ms,2ms", &s), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(stations_add_request(&s, come[i] * NS_PER_MS), gone[i] * NS_PER_MS);
	assert_true(fabs(s.busy_ns[0] - 15e6) < 1 && fabs(s.busy_ns[1] - 10e6) < 1);
}

/* M/M/1: the mean time in the system is S / (1 - load). In so many of load 1/2 it scatters by less than 2 %. */
TEST(random_arrivals_at_one_station_are_an_m_m_1)
{
	struct service_stations s = { .n = 1, .mean_ns = { 1e6 }, .exponential = true, .random = 11 };
	double sum = 0;
	uint64_t random = 12;
	int64_t now = 0;

	for (int i = 0; i < 400000; i++) {
		now += llround(-log(1 - random_fraction(&random)) * 2e6);
		sum += (double)(stations_add_request(&s, now) - now);
	}
	assert_true(fabs(sum / 400000 / 2e6 - 1) < 0.03);
}

TEST(what_is_no_list_of_times_is_refused)
{
	static const char *const bad[] = { "", ",", "1ms,", "x", "-1ms", "2h", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", NULL };
	struct service_stations s;

	for (int i = 0; bad[i]; i++)
		assert_int_equal(stations_parse(bad[i], &s), -EINVAL);
	assert_int_equal(stations_parse("0", &s), 0);
}

TEST(only_what_lies_within_it_counts)
{
	struct measuring_window w;

	window_init(&w, 0, 100, 200);
	assert_false(window_contains(&w, 99));
	assert_true(window_contains(&w, 100));
	assert_true(window_contains(&w, 199));
	assert_false(window_contains(&w, 200));
	/* two before the window, one of which ends in it; a third within; and one that goes after its end */
	window_note_sent(&w, 10);
	window_note_sent(&w, 50);
	assert_int_equal(w.asked_most, 0);
	window_note_end(&w, 120);
	window_note_sent(&w, 150);
	assert_int_equal(w.asked_most, 2);
	window_note_end(&w, 260);
	window_note_sent(&w, 270);
	/* 2 x 20 + 1 x 30 + 2 x 50 */
	assert_true(fabs(w.asked_ns - 170) < 1e-9);
	assert_int_equal(w.asked, 2);
	assert_int_equal(w.gaps, 0); /* of those sent within it there is one only */
}

TEST(gaps_have_their_mean_and_spread)
{
	static const int64_t at[] = { 1000, 1010, 1040, 1100, 1200 }; /* gaps 10, 30, 60, 100 */
	struct measuring_window w;

	window_init(&w, 0, 1000, INT64_MAX);
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
		window_note_sent(&w, at[i]);
	window_end_now(&w, 1300);
	assert_int_equal(w.gaps, 4);
	assert_true(fabs(w.gap_mean - 50) < 1e-9);
	assert_true(fabs(w.gap_square - (1600 + 400 + 100 + 2500)) < 1e-9);
	assert_int_equal(w.end_ns, 1300);
	assert_true(fabs(window_seconds(&w) - 300e-9) < 1e-15);
	window_end_now(&w, 1400); /* once only */
	assert_int_equal(w.end_ns, 1300);
}

TEST(one_that_never_began_has_no_length)
{
	struct measuring_window w;

	window_init(&w, 0, 500, 900);
	window_note_sent(&w, 100);
	window_end_now(&w, 200);
	assert_true(window_seconds(&w) <= 0);
	assert_true(w.asked_ns <= 0);
}
