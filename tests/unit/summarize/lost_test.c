// SPDX-License-Identifier: GPL-3.0-or-later
/* lost - whose lost time is whose, on events worked out by hand. */
#include <errno.h>
#include <math.h>

#include "../near.h"
#include "summarize/lost.h"
#include "../unit.h"

#define EVENTS "schema\tcpu\tstart_ns\tlost_ns\tspan_ns\tparts\tkind\twho\n"
#define PROCESSES "schema\tpid\tclass\tname\n"
#define CULPRITS "schema\tcpu\tstart_ns\tend_ns\tculprit\tkind\tpid\tns\n"

static int read_text(const struct input_table *kind, const char *text, struct lost_profile *l, unsigned long *line)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err;

	assert_non_null(in);
	l->named = l->named || kind == &lost_culprits;
	err = rows_read(in, kind, l, line);
	fclose(in);
	return err;
}

static void must_read(const struct input_table *kind, const char *text, struct lost_profile *l)
{
	unsigned long line;

	assert_int_equal(read_text(kind, text, l, &line), 0);
}

TEST(without_culprits_all_is_the_systems)
{
	struct lost_profile l = { 0 };

	must_read(&lost_events,
		  EVENTS "lost/1\t0\t1000\t6\t6\t1\ttick\t\n"
			 "lost/1\t0\t3000\t500\t900\t2\tevent\t\n"
			 "lost/1\t1\t2000\t100\t100\t1\tevent\t\n",
		  &l);
	lost_share_events(&l);
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
	struct lost_profile l = { 0 };

	must_read(&lost_processes,
		  PROCESSES "process/1\t20\tforeign\tcc1\n"
			    "process/1\t10\town\tXvnc\n"
			    "process/1\t30\tkernel\trcu\n"
			    "process/1\t50\titself\tjq\n",
		  &l);
	must_read(&lost_culprits,
		  CULPRITS "culprit/1\t0\t1000\t2000\tXvnc\ttask\t10\t700\n"
			   "culprit/1\t0\t1000\t2000\tcc1\ttask\t20\t200\n"
			   "culprit/1\t0\t1000\t2000\teth0\tirq\t\t100\n"
			   "culprit/1\t0\t5000\t6000\tunexplained\tunexplained\t\t1000\n"
			   "culprit/1\t0\t7000\t8000\trcu\ttask\t30\t500\n"
			   "culprit/1\t0\t7000\t8000\tgone\ttask\t40\t300\n"
			   "culprit/1\t0\t7000\t8000\tjq\ttask\t50\t200\n"
			   "culprit/1\t1\t1000\t2000\tcc1\ttask\t20\t1000\n",
		  &l);
	must_read(&lost_events,
		  EVENTS "lost/1\t1\t1000\t1000\t1000\t1\tevent\t\n"
			 "lost/1\t0\t7000\t1000\t1000\t1\tevent\t\n"
			 "lost/1\t0\t5000\t1000\t1000\t1\tevent\t\n"
			 "lost/1\t0\t1000\t1000\t1000\t1\tevent\t\n",
		  &l);
	lost_share_events(&l);
	assert_near(lost_class_ns(&l, LOST_OWN), 700, 1e-9);
	assert_near(lost_class_ns(&l, LOST_KERNEL), 600, 1e-9);
	assert_near(lost_class_ns(&l, LOST_FOREIGN), 1200, 1e-9);
	assert_near(lost_class_ns(&l, LOST_ITSELF), 200, 1e-9);
	assert_near(lost_class_ns(&l, LOST_ENDED), 300, 1e-9);
	assert_near(lost_class_ns(&l, LOST_UNEXPLAINED), 1000, 1e-9);
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
	struct lost_profile l = { 0 };

	must_read(&lost_processes, PROCESSES "process/1\t9\town\tx\n", &l);
	must_read(&lost_culprits,
		  CULPRITS "culprit/1\t0\t100\t4200\tx\ttask\t9\t2700\n"
			   "culprit/1\t0\t3900\t4000\teth0\tirq\t\t30\n"
			   "culprit/1\t0\t4200\t4250\tspin\ttask\t8\t50\n",
		  &l);
	must_read(&lost_events,
		  EVENTS "lost/1\t0\t100\t2000\t2000\t1\tevent\t\n"
			 "lost/1\t0\t3000\t1000\t1000\t1\tevent\t\n"
			 "lost/1\t0\t4200\t50\t50\t1\tevent\t\n",
		  &l);
	lost_share_events(&l);
	assert_near(l.event[0].system, 1800, 1e-6); /* 2700 * 2/3 */
	assert_near(l.event[1].system, 930, 1e-6);
	assert_near(l.event[2].system, 0, 1e-6);
	lost_free(&l);
}

TEST(bins_share_an_event_by_time)
{
	double all[4] = { 0 }, system[4] = { 0 };
	struct lost_profile l = { 0 };

	must_read(&lost_culprits,
		  CULPRITS "culprit/1\t0\t150\t350\tspin\ttask\t9\t50\n"
			   "culprit/1\t0\t150\t350\teth0\tirq\t\t50\n"
			   "culprit/1\t0\t450\t550\teth0\tirq\t\t100\n",
		  &l);
	/* from 150 to 350: a quarter, a half, a quarter of 100 ns in bins of 100; one that lasts beyond
	 * the last bin; one before the first; one of no length */
	must_read(&lost_events,
		  EVENTS "lost/1\t0\t20\t10\t10\t1\tevent\t\n"
			 "lost/1\t0\t150\t100\t200\t2\tevent\t\n"
			 "lost/1\t0\t450\t100\t100\t1\tevent\t\n"
			 "lost/1\t0\t175\t0\t0\t1\tevent\t\n",
		  &l);
	lost_share_events(&l);
	lost_fill_bins(&l, 100, 100, all, 4, false);
	lost_fill_bins(&l, 100, 100, system, 4, true);
	assert_near(all[0], 25, 1e-9);
	assert_near(all[1], 50, 1e-9);
	assert_near(all[2], 25, 1e-9);
	assert_near(all[3], 50, 1e-9);
	assert_near(system[1], 25, 1e-9);
	assert_near(system[3], 50, 1e-9);
	lost_free(&l);
}

TEST(broken_rows_are_refused)
{
	static const char *const events[] = { EVENTS "lost/1\t0\t1\t2\t3\t1\tother\t\n", EVENTS "lost/1\t0\t\t2\t3\t1\tevent\t\n",
					      EVENTS "lost/1\t0\t-1\t2\t3\t1\tevent\t\n", "schema\tcpu\n" };
	static const char *const culprits[] = { CULPRITS "culprit/1\t0\t5\t4\tx\ttask\t1\t1\n",
						CULPRITS "culprit/1\t0\t5\t6\tx\ta-kind-that-is-too-long\t1\t1\n",
						CULPRITS "culprit/1\t0\t5\t6\tx\ttask\t1\t\n" };
	struct lost_profile l = { 0 };
	unsigned long line;

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		assert_int_equal(read_text(&lost_events, events[i], &l, &line), -EPROTO);
	for (size_t i = 0; i < sizeof(culprits) / sizeof(*culprits); i++)
		assert_int_equal(read_text(&lost_culprits, culprits[i], &l, &line), -EPROTO);
	assert_int_equal(read_text(&lost_processes, PROCESSES "process/1\t1\tsomething\tx\n", &l, &line), -EPROTO);
	assert_int_equal(line, 2);
	lost_free(&l);
}
