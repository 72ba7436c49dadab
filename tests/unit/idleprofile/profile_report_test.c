// SPDX-License-Identifier: GPL-3.0-or-later
/* report - what is said of a CPU that was not watched. */
#include "../unit.h"
#include "../said.h"
#include "clock.h"
#include "idleprofile/profile_report.h"

/* What is said in a second of one CPU of this total, whose ticks are learned or not: in JSON all, else the short report. `who`: an
 * event's culprits, or NULL. */
static const char *said_of_one_cpu(enum rec_format format, struct pipeline_cpu_total total, bool learned,
				   const struct event_culprits *who)
{
	size_t size = (sizeof(struct idle_loops) + sizeof(struct cpu_idle_loop) + 63) / 64 * 64;
	struct idle_loops *spin = aligned_alloc(64, size);
	struct pipeline_cfg cfg = { .spin = spin, .bin_ns = NS_PER_S };
	struct observer_effect own = { .disturbed = true };
	int64_t spin_ns = 0;
	struct report_inputs p = { .spin = spin, .wall_ns = NS_PER_S, .own = &own, .spin_ns = &spin_ns, .brief = true, .who = who };
	struct rec_report *r = begin_said(format);

	assert_non_null(spin);
	memset(spin, 0, size);
	spin->n = 1;
	for (int i = 0; i < 2; i++)
		stamp_map_add(&cfg.map, &(struct stamp_pair){ i * NS_PER_S, i * NS_PER_S, 0 });
	p.map = &cfg.map;
	p.follow = pipeline_new(&cfg);
	assert_non_null(p.follow);
	p.follow->cpu[0].total = total;
	p.follow->cpu[0].ticks.learned = learned;
	if (who) {
		p.follow->names = culprit_table_new(8);
		culprit_table_add(p.follow->names, who);
	}
	if (format == REC_JSON)
		report_profile(r, &p);
	else
		say_profile(r, &p);
	pipeline_free(p.follow);
	free(spin);
	return end_said(r);
}

static const char *said_of_time(int64_t unwatched_ns, int64_t lost_ns)
{
	return said_of_one_cpu(REC_TEXT, (struct pipeline_cpu_total){ .unwatched_ns = unwatched_ns, .lost_ns = lost_ns }, false,
			       NULL);
}

TEST(a_cpu_that_was_not_watched_is_not_called_busy)
{
	assert_null(strstr(said_of_time(NS_PER_S, 0), "other work"));
	assert_null(strstr(said_of_time(0, 100 * NS_PER_MS), "other work"));
	assert_non_null(strstr(said_of_time(0, 600 * NS_PER_MS), "other work"));
}

TEST(ticks_that_cannot_be_recognized_have_no_number)
{
	struct pipeline_cpu_total none = { 0 }, some = { .ticks = 250, .tick_ns = NS_PER_MS };

	assert_non_null(strstr(said_of_one_cpu(REC_JSON, some, true, NULL), "\"count\": 250,"));
	assert_non_null(
		strstr(said_of_one_cpu(REC_JSON, none, false, NULL), "\"count\": null,\n  \"per_s\": null,\n  \"lost_s\": null,"));
}

TEST(others_stand_once_among_those_who_took_the_cpu)
{
	struct pipeline_cpu_total total = { .lost_ns = 100 * NS_PER_MS };
	struct event_culprits who = { .n = 3,
				      .at = { { .kind = CULPRIT_TASK, .pid = 1, .name = "others", .ns = 50 * NS_PER_MS },
					      { .kind = CULPRIT_TASK, .pid = 2, .name = "vim", .ns = 30 * NS_PER_MS },
					      { .kind = CULPRIT_IRQ, .name = "eth0", .ns = 20 * NS_PER_MS } } };

	assert_non_null(
		strstr(said_of_one_cpu(REC_TEXT, total, true, &who), ", vim 30 %, eth0 20 %, others 50 %, unexplained 0 %"));
}
