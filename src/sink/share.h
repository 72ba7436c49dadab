/* SPDX-License-Identifier: GPL-3.0-or-later */
/* share - holds a share of wall-clock time on a CPU by feedback, period by period. Pure: times are arguments.
 *
 * After every short spin the caller asks what to do next. If a period ends before its share was used (others had the CPU),
 * the deficit is dropped but for a small carry, which compensates the granularity of spinning: neither a burst follows nor a
 * sleep while the CPU is free. Excess CPU time is paid back, up to ten periods. Over any time T the share is at most wanted
 * + 1.1 periods / T. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cpu_share {
	double wanted; /* share of wall-clock time, 0 < wanted < 1 */
	int64_t period_ns;
	int64_t start_ns;     /* start of the present period (CLOCK_MONOTONIC) */
	int64_t start_cpu_ns; /* CPU time used at its start */
	int64_t carry_ns;     /* from the period before: deficit (+, at most a tenth of a share) or excess (-) */
};

void cpu_share_init(struct cpu_share *s, double wanted, int64_t period_ns, int64_t now_ns, int64_t cpu_ns);

/* What to do at `now_ns` with `cpu_ns` of CPU time used in total: 0: spin on; else sleep until the returned time. */
int64_t cpu_share_wake_ns(struct cpu_share *s, int64_t now_ns, int64_t cpu_ns);

/* What processes lack, summed over them, and what is known of the reason. */
struct lack {
	double missing_ns, waited_ns, throttled_ns; /* waited_ns: only waits that have ended (NAN: not known) */
	double wanted_cpus;			    /* what they want together; 0: bursts, which have no share */
	int64_t processes, cpus;
	bool ready_at_end; /* one of them was ready to run when the times were read: the kernel counts a wait only when it ends */
};
enum lack_cause { LACK_QUOTA, LACK_TOO_MUCH_ASKED, LACK_UNKNOWN, LACK_OTHERS_OR_STOPPED, LACK_EACH_OTHER, LACK_OTHERS };

/* The cause that explains at least half of what is missing. */
enum lack_cause lack_cause(const struct lack *lack);
