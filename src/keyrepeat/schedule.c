// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule.h"
#include "clock.h"
#include "random.h"

#include <errno.h>
#include <math.h>

const char *const schedule_names[] = { "periodic", "jittered", "poisson", "blocks", "asked", NULL };

int schedule_fill(enum schedule_kind kind, double rate_per_s, uint64_t seed, int64_t *offset_ns, size_t n)
{
	double period = (double)NS_PER_S / rate_per_s, at = 0, phase = 0;
	uint64_t state = seed;

	/* Times are computed from the key's number, not summed up, so that rounding does not drift. */
	for (size_t i = 0; i < n; i++) {
		switch (kind) {
		case SCHEDULE_PERIODIC:
			at = (double)i * period;
			break;
		case SCHEDULE_JITTERED:
			at = (double)i * period + random_unit(&state) * period / 3;
			break;
		case SCHEDULE_POISSON:
			at += -log1p(-random_unit(&state)) * period;
			break;
		case SCHEDULE_BLOCKS:
			if (i % SCHEDULE_BLOCK == 0)
				phase = random_unit(&state) * period;
			at = (double)(i % SCHEDULE_BLOCK) * period + phase;
			break;
		case SCHEDULE_ASKED:
			return -EINVAL;
		}
		if (!(at < 9e18))
			return -ERANGE;
		offset_ns[i] = llround(at);
	}
	return 0;
}
