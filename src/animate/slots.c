// SPDX-License-Identifier: GPL-3.0-or-later
#include "slots.h"
#include "clock.h"

#include <math.h>

/* From the number of the slot each time: sums of a rounded period would drift. */
int64_t slots_due(const struct slots *s, int64_t slot)
{
	return s->start_ns + llround((double)slot * ((double)NS_PER_S / s->rate_per_s));
}

bool slots_over(const struct slots *s, int64_t now_ns)
{
	return now_ns >= slots_due(s, s->next + 1);
}
