// SPDX-License-Identifier: GPL-3.0-or-later
#include "share.h"

/* What was overspent is paid back, else a small share would stay too large by the cost of each turn and wake-up; but
 * a host that charges a second to us at once does not silence us for minutes. */
#define OVERSPENT_PERIODS 10

static int64_t budget(const struct share *s)
{
	return (int64_t)(s->wanted * (double)s->period_ns) + s->carry_ns;
}

void share_start(struct share *s, double wanted, int64_t period_ns, int64_t now_ns, int64_t cpu_ns)
{
	*s = (struct share){ .wanted = wanted, .period_ns = period_ns, .start_ns = now_ns, .start_cpu_ns = cpu_ns };
}

int64_t share_next(struct share *s, int64_t now_ns, int64_t cpu_ns)
{
	int64_t end = s->start_ns + s->period_ns;

	if (now_ns >= end) {
		int64_t most = (int64_t)(s->wanted * (double)s->period_ns / 10);
		int64_t least = -OVERSPENT_PERIODS * s->period_ns;
		int64_t owed = budget(s) - (cpu_ns - s->start_cpu_ns);
		int64_t passed = (now_ns - s->start_ns) / s->period_ns;

		s->carry_ns = owed > most ? most : owed < least ? least : owed;
		s->start_ns += passed * s->period_ns;
		s->start_cpu_ns = cpu_ns;
		end = s->start_ns + s->period_ns;
	}
	return cpu_ns - s->start_cpu_ns >= budget(s) ? end : 0;
}
