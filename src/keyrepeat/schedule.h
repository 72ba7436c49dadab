/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedule - when each key is due, laid out before the run starts.
 *
 * Open loop: nothing that happens during the run moves a due time, so a stalled server never lowers the number
 * of samples. Pure and repeatable: the same seed gives the same times on every machine. */
#ifndef KEYREPEAT_SCHEDULE_H
#define KEYREPEAT_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_BLOCK 20	/* keys in a block */

enum schedule_kind {
	SCHEDULE_PERIODIC,	/* key i at i periods: for stalls, which are measured against the period */
	SCHEDULE_JITTERED,	/* each moved by U(0, period / 3): does not ride on a frame clock's phase */
	SCHEDULE_POISSON,	/* exponential gaps with the period as their mean */
	SCHEDULE_BLOCKS,	/* periodic within blocks of SCHEDULE_BLOCK keys, each block at a phase of its own */
	SCHEDULE_ASKED		/* when somebody asks for one: there is nothing to fill */
};

extern const char *const schedule_names[];

/* Fills `offset_ns` with n ascending due times, counted from the start of the train, or of the
 * key's own block (when a block starts depends on how long the one before took to drain). 0, or
 * -ERANGE when they don't fit, or -EINVAL for SCHEDULE_ASKED. */
int schedule_fill(enum schedule_kind kind, double rate_per_s, uint64_t seed, int64_t *offset_ns, size_t n);

#endif
