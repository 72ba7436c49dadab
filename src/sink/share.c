// SPDX-License-Identifier: GPL-3.0-or-later
#include "share.h"

/* Excess CPU time is paid back, else small shares would be exceeded by the cost of wake-ups; limited, so that a second charged at
 * once (by a hypervisor) does not stop the load for minutes. */
#define EXCESS_PERIODS 10

/* CPU time that may be used in this period, ns. */
static int64_t period_budget_ns(const struct cpu_share *s)
{
	return (int64_t)(s->wanted * (double)s->period_ns) + s->carry_ns;
}

void cpu_share_init(struct cpu_share *s, double wanted, int64_t period_ns, int64_t now_ns, int64_t cpu_ns)
{
	*s = (struct cpu_share){ .wanted = wanted, .period_ns = period_ns, .start_ns = now_ns, .start_cpu_ns = cpu_ns };
}

int64_t cpu_share_wake_ns(struct cpu_share *s, int64_t now_ns, int64_t cpu_ns)
{
	int64_t end = s->start_ns + s->period_ns;

	if (now_ns >= end) {
		int64_t most = (int64_t)(s->wanted * (double)s->period_ns / 10);
		int64_t least = -EXCESS_PERIODS * s->period_ns;
		int64_t owed = period_budget_ns(s) - (cpu_ns - s->start_cpu_ns);
		int64_t passed = (now_ns - s->start_ns) / s->period_ns;

		s->carry_ns = owed > most ? most : owed < least ? least : owed;
		s->start_ns += passed * s->period_ns;
		s->start_cpu_ns = cpu_ns;
		end = s->start_ns + s->period_ns;
	}
	return cpu_ns - s->start_cpu_ns >= period_budget_ns(s) ? end : 0;
}

enum lack_cause lack_cause(const struct lack *lack)
{
	if (lack->throttled_ns > 0 && lack->throttled_ns >= lack->missing_ns / 2)
		return LACK_QUOTA;
	if (lack->wanted_cpus > (double)lack->cpus)
		return LACK_TOO_MUCH_ASKED;
	if (!(lack->waited_ns >= lack->missing_ns / 2))
		return lack->ready_at_end ? LACK_OTHERS_OR_STOPPED : LACK_UNKNOWN;
	return lack->processes > lack->cpus ? LACK_EACH_OTHER : LACK_OTHERS;
}
