// SPDX-License-Identifier: GPL-3.0-or-later
/* report - what is said of a CPU that was not watched. */
#include "../unit.h"
#include "../said.h"
#include "clock.h"
#include "idleprofile/report.h"

static const char *said_of_one_cpu(int64_t unwatched_ns, int64_t lost_ns)
{
	size_t size = (sizeof(struct idle_loops) + sizeof(struct cpu_idle_loop) + 63) / 64 * 64;
	struct idle_loops *spin = aligned_alloc(64, size);
	struct pipeline_cfg cfg = { .spin = spin, .bin_ns = NS_PER_S };
	struct report_inputs p = { .spin = spin, .wall_ns = NS_PER_S };
	struct rec_report *r = begin_said(REC_TEXT);
	struct pipeline_cpu_total *total;

	assert_non_null(spin);
	memset(spin, 0, size);
	spin->n = 1;
	for (int i = 0; i < 2; i++)
		stamp_map_add(&cfg.map, &(struct stamp_pair){ i * NS_PER_S, i * NS_PER_S, 0 });
	p.follow = pipeline_new(&cfg);
	assert_non_null(p.follow);
	total = &p.follow->cpu[0].total;
	total->unwatched_ns = unwatched_ns;
	total->lost_ns = lost_ns;
	say_profile(r, &p);
	pipeline_free(p.follow);
	free(spin);
	return end_said(r);
}

TEST(a_cpu_that_was_not_watched_is_not_called_busy)
{
	assert_null(strstr(said_of_one_cpu(NS_PER_S, 0), "other work"));
	assert_null(strstr(said_of_one_cpu(0, 100 * NS_PER_MS), "other work"));
	assert_non_null(strstr(said_of_one_cpu(0, 600 * NS_PER_MS), "other work"));
}
