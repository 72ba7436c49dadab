/* SPDX-License-Identifier: GPL-3.0-or-later */
/* episode - when an interactive episode begins and ends (Kim et al. 2014, 3.1.2). Pure.
 *
 * An input begins one, and ends the one that lasts. Sound begins one only where none lasts. It ends after the most it may last. */
#ifndef VAMP_EPISODE_H
#define VAMP_EPISODE_H

#include <stdbool.h>
#include <stdint.h>

struct episode {
	int64_t most_ns;	/* max_int_period */
	int64_t since_ns;
	bool lasts;
};

/* The caller ends the running episode, begins another, or both. */
struct episode_turn {
	bool ends, begins;
};
struct episode_turn episode_event(struct episode *e, int64_t now_ns, bool sound);
/* True where its time is over: it ends. */
bool episode_over(struct episode *e, int64_t now_ns);
/* When to ask again; INT64_MAX: none lasts. */
int64_t episode_due(const struct episode *e);

#endif
