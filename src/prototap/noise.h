/* SPDX-License-Identifier: GPL-3.0-or-later */
/* noise - updates that come without a key, as counted in windows without keys. Pure. */
#ifndef PROTOTAP_NOISE_H
#define PROTOTAP_NOISE_H

#include <stdint.h>

struct noise {
	int64_t updates, window_ns;	/* of all windows together; 0 ns: not measured */
};

/* Adds "UPDATES/TIME", as in 0/60s. 0 or -EINVAL. */
int noise_add(struct noise *n, const char *text);

/* Updates a second, NAN where not measured; and the upper end of what the rate may be. */
double noise_per_s(const struct noise *n);
double noise_per_s_high(const struct noise *n);

/* Upper 95 % bound (one-sided, Garwood 1936) of a Poisson mean after `events`: none gives 3.0, hence 3/W. */
double noise_high(int64_t events);

#endif
