/* SPDX-License-Identifier: GPL-3.0-or-later */
/* idle_updates - rate of screen updates that come without a key, from counts in windows without keys. Pure. */
#ifndef PROTOTAP_IDLE_UPDATES_H
#define PROTOTAP_IDLE_UPDATES_H

#include <stdint.h>

struct idle_updates {
	int64_t updates, window_ns;	/* sums over all windows; 0 ns: not measured */
};

/* Adds a window "UPDATES/TIME", such as 0/60s. 0; -EINVAL, or -EDOM: a time without a unit. */
int idle_updates_add(struct idle_updates *n, const char *text);

/* Updates a second, and the upper 95 % bound of that rate; NAN: not measured. */
double idle_updates_per_s(const struct idle_updates *n);
double idle_updates_per_s_high(const struct idle_updates *n);

/* Upper 95 % bound (one-sided, Garwood 1936) of a Poisson mean after `events`; 3.0 for none. */
double poisson_upper_bound(int64_t events);

#endif
