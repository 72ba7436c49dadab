// SPDX-License-Identifier: GPL-3.0-or-later
#include "culprit.h"

#include <string.h>

const char *culprit_kind_name(enum culprit_kind kind)
{
	static const char *const names[] = {
		"task", "irq", "softirq", "timer", "reschedule", "call", "unexplained",
	};

	return names[kind];
}

bool shares_continue_burst(const struct culprit_share *share, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (share[i].resumed)
			return true;
	return false;
}

bool shares_are_tick(const struct culprit_share *share, size_t n)
{
	static const char *const raised[] = { "TIMER", "SCHED", "RCU", "HRTIMER" };
	bool timer = false;

	for (size_t i = 0; i < n; i++) {
		bool of_tick = share[i].kind == CULPRIT_TIMER;

		for (size_t k = 0; share[i].kind == CULPRIT_SOFTIRQ && k < sizeof(raised) / sizeof(*raised); k++)
			of_tick |= !strcmp(share[i].name, raised[k]);
		if (!of_tick || share[i].residue_ns > TICK_UNRECORDED_NS)
			return false;
		timer |= share[i].kind == CULPRIT_TIMER;
	}
	return timer;
}
