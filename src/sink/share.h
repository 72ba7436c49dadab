/* SPDX-License-Identifier: GPL-3.0-or-later */
/* share - holds a share of wall-clock time by feedback, period by period.
 *
 * The caller asks after every short spin what to do next. A period that ends before its share was had (the CPU
 * was somebody else's) is over: its debt is forgiven but for a small carry, which only evens out the coarseness
 * of spinning, so there is neither a burst afterwards nor a sleep through a free CPU. What was had too much is paid
 * back, within ten periods. Over any time T the share is at most wanted + 1.1 periods / T. Pure: time comes in as
 * numbers. */
#ifndef THINPROBE_SHARE_H
#define THINPROBE_SHARE_H

#include <stdint.h>

struct share {
	double wanted;		/* 0 < share < 1 of wall-clock time */
	int64_t period_ns;
	int64_t start_ns;	/* of this period, on the wall clock */
	int64_t start_cpu_ns;	/* CPU time used when it began */
	int64_t carry_ns;	/* owed from the period before (+, at most a tenth of a share), or overspent (-) */
};

void share_start(struct share *s, double wanted, int64_t period_ns, int64_t now_ns, int64_t cpu_ns);

/* What to do at `now_ns`, having used `cpu_ns` of CPU in all: 0 = spin on; else sleep until that time. */
int64_t share_next(struct share *s, int64_t now_ns, int64_t cpu_ns);

#endif
