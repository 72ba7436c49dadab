// SPDX-License-Identifier: GPL-3.0-or-later
/* lost - whose lost time is whose, on events worked out by hand. */
#include <errno.h>
#include <math.h>

#include "summarize/lost.h"
#include "../unit.h"

/* Lines of cells apart by spaces, in the order of the columns that the table needs; "." is an empty cell. */
static int read_rows(const struct input_table *kind, const char *columns, const char *rows, struct lost_profile *l)
{
	char text[1024], *to = text;
	unsigned long line;
	int err;
	FILE *in;

	snprintf(text, sizeof(text), "schema %s\n", columns);
	for (size_t n; *rows; rows += n + 1) {
		n = strcspn(rows, "\n");
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %.*s\n", kind->schema, (int)n, rows);
	}
	for (const char *c = text; c == text || c[-1]; c++)
		if (*c != '.')
			*to++ = *c == ' ' ? '\t' : *c;
	in = fmemopen(text, strlen(text), "r");
	assert_non_null(in);
	err = rows_read(in, kind, l, &line);
	fclose(in);
	assert_true(!err || line == 2);
	return err;
}

static int read_events(const char *rows, struct lost_profile *l)
{
	return read_rows(&lost_events, "cpu start_ns lost_ns span_ns kind", rows, l);
}

static int read_culprits(const char *rows, struct lost_profile *l)
{
	l->named = true;
	return read_rows(&lost_culprits, "cpu start_ns end_ns culprit kind pid ns", rows, l);
}

static int read_processes(const char *rows, struct lost_profile *l)
{
	return read_rows(&lost_processes, "pid class name", rows, l);
}

TEST(without_culprits_all_is_the_systems)
{
	struct lost_profile l = { 0 };

	assert_int_equal(read_events("0 1000 6 6 tick\n0 3000 500 900 event\n1 2000 100 100 event\n", &l), 0);
	lost_compute_system_share(&l);
	assert_int_equal(l.tick_ns, 6);
	assert_int_equal(l.first_ns, 1000);
	assert_near(lost_sum_excess(&l, 0, true), 600, 1e-9);
	assert_near(lost_sum_excess(&l, 0, false), 600, 1e-9);
	assert_near(lost_sum_excess(&l, 150, true), 350, 1e-9);
	assert_true(isnan(lost_class_ns(&l, LOST_OWN)));
	lost_free(&l);
}

/* pid 10 is the lab's, 20 somebody else's, 30 a kernel thread, 50 the driver, 40 unknown. */
TEST(what_is_not_the_systems_is_not_in_its_event)
{
	static const struct {
		enum lost_class of;
		int ns;
	} wanted[] = { { LOST_OWN, 700 },    { LOST_KERNEL, 600 }, { LOST_FOREIGN, 1200 },
		       { LOST_ITSELF, 200 }, { LOST_ENDED, 300 },  { LOST_UNEXPLAINED, 1000 } };
	struct lost_profile l = { 0 };

	assert_int_equal(read_processes("20 foreign cc1\n10 own Xvnc\n30 kernel rcu\n50 itself jq\n", &l), 0);
	assert_int_equal(read_culprits("0 1000 2000 Xvnc task 10 700\n"
				       "0 1000 2000 cc1 task 20 200\n"
				       "0 1000 2000 eth0 irq . 100\n"
				       "0 5000 6000 unexplained unexplained . 1000\n"
				       "0 7000 8000 rcu task 30 500\n"
				       "0 7000 8000 gone task 40 300\n"
				       "0 7000 8000 jq task 50 200\n"
				       "1 1000 2000 cc1 task 20 1000\n",
				       &l),
			 0);
	assert_int_equal(read_events("1 1000 1000 1000 event\n0 7000 1000 1000 event\n0 5000 1000 1000 event\n"
				     "0 1000 1000 1000 event\n",
				     &l),
			 0);
	lost_compute_system_share(&l);
	for (size_t i = 0; i < COUNT(wanted); i++)
		assert_near(lost_class_ns(&l, wanted[i].of), wanted[i].ns, 1e-9);
	assert_near(lost_sum_excess(&l, 0, true), 1300, 1e-6);
	assert_near(lost_sum_excess(&l, 0, false), 4000, 1e-9);
	/* of the system: 800, 0, 500 on CPU 0, none on CPU 1 */
	assert_near(lost_sum_excess(&l, 600, true), 200, 1e-6);
	assert_near(lost_sum_excess(&l, 600, false), 1600, 1e-9);
	lost_free(&l);
}

/* A burst that the scheduler split is one row over two events, and the pause between them is nobody's. */
TEST(one_culprit_over_several_events)
{
	static const double system[] = { 1800, 930, 0 }; /* 1800: 2700 * 2/3 */
	struct lost_profile l = { 0 };

	assert_int_equal(read_processes("9 own x\n", &l), 0);
	assert_int_equal(read_culprits("0 100 4200 x task 9 2700\n0 3900 4000 eth0 irq . 30\n0 4200 4250 spin task 8 50\n", &l), 0);
	assert_int_equal(read_events("0 100 2000 2000 event\n0 3000 1000 1000 event\n0 4200 50 50 event\n", &l), 0);
	lost_compute_system_share(&l);
	for (size_t i = 0; i < COUNT(system); i++)
		assert_near(l.event[i].system, system[i], 1e-6);
	lost_free(&l);
}

/* The kernel works in the second part of an event, after another event that lies in its pause: still within the first one. */
TEST(an_event_in_the_pause_of_another_hides_no_culprit)
{
	struct lost_profile l = { 0 };

	assert_int_equal(read_culprits("0 100 400 x task 9 300\n"
				       "0 500 550 unexplained unexplained . 50\n"
				       "0 900 1000 eth0 irq . 100\n",
				       &l),
			 0);
	assert_int_equal(read_events("0 100 400 900 event\n0 500 50 50 event\n0 2000 10 10 event\n", &l), 0);
	lost_compute_system_share(&l);
	assert_near(lost_sum_excess(&l, 0, true), 100, 1e-9); /* = lost_class_ns(&l, LOST_KERNEL) */
	assert_near(l.event[0].system, 100, 1e-9);
	lost_free(&l);
}

TEST(bins_share_an_event_by_time)
{
	static const double all_wanted[] = { 25, 50, 25, 50 }, system_wanted[] = { 12.5, 25, 12.5, 50 };
	static const double tick_wanted[] = { 0, 10, 0, 5 };
	double all[4] = { 0 }, system[4] = { 0 }, tick[4] = { 0 };
	struct lost_profile l = { 0 };

	assert_int_equal(read_culprits("0 150 350 spin task 9 50\n0 150 350 eth0 irq . 50\n0 450 550 eth0 irq . 100\n", &l), 0);
	/* from 150 to 350: a quarter, a half, a quarter of 100 ns in bins of 100; one that lasts beyond
	 * the last bin; one before the first; one of no length */
	assert_int_equal(read_events("0 20 10 10 event\n0 150 100 200 event\n0 450 100 100 event\n0 175 0 0 event\n"
				     "0 210 10 10 tick\n0 495 10 10 tick\n0 500 5 5 tick\n",
				     &l),
			 0);
	lost_compute_system_share(&l);
	lost_fill_bins(l.event, l.events, 100, 100, all, 4, false);
	lost_fill_bins(l.event, l.events, 100, 100, system, 4, true);
	lost_fill_bins(l.tick, l.ticks, 100, 100, tick, 4, false);
	for (size_t i = 0; i < 4; i++) {
		assert_near(all[i], all_wanted[i], 1e-9);
		assert_near(system[i], system_wanted[i], 1e-9);
		assert_near(tick[i], tick_wanted[i], 1e-9);
	}
	lost_free(&l);
}

TEST(broken_rows_are_refused)
{
	static const char *const events[] = { "0 1 2 3 other\n", "0 . 2 3 event\n", "0 -1 2 3 event\n", "0 1 2 3\n" };
	static const char *const culprits[] = { "0 5 4 x task 1 1\n", "0 5 6 x a-kind-that-is-too-long 1 1\n",
						"0 5 6 x task 1 .\n" };
	struct lost_profile l = { 0 };

	for (size_t i = 0; i < COUNT(events); i++)
		assert_int_equal(read_events(events[i], &l), -EPROTO);
	for (size_t i = 0; i < COUNT(culprits); i++)
		assert_int_equal(read_culprits(culprits[i], &l), -EPROTO);
	assert_int_equal(read_processes("1 something x\n", &l), -EPROTO);
	lost_free(&l);
}
