/* SPDX-License-Identifier: GPL-3.0-or-later */
/* link_commands - parses commands that change a running link ("orders" on the command line), rates and loss percentages. Pure.
 *
 *   [forth|back] rate 10Mbit|none, queue 50ms, delay 40ms, jitter 5ms, loss 0.5%, shape uniform|normal, order kept|free
 *   seed 7     restarts the random numbers of losses and jitter
 *   report     writes an interim report
 *
 * forth: from the first interface to the second; back: from the second to the first; neither word: both directions. */
#pragma once

#include "link_path.h"

#define LINK_TIME_MAX_NS (60 * 1000000000LL)

enum { LINK_FORTH = 1, LINK_BACK = 2 };

struct link_changes {
	struct link_settings cfg[2]; /* settings after the commands so far: forth, back */
	int changed;		     /* bits LINK_FORTH, LINK_BACK: directions whose settings changed */
	bool seeded, report;	     /* a seed, a report command was read */
	uint64_t seed;
};

/* Parses one line without its newline; an empty line changes nothing. 0, or -EINVAL, -EDOM (a time without a unit), -ERANGE, and
 * then nothing has changed. */
int parse_link_command(struct link_changes *o, const char *line);

/* Parses a rate of 1000 bit to 100 Gbit per second: "10Mbit", "2.5Gbit/s", "1000bit"; "none" gives 0. 0, -EINVAL or -ERANGE. */
int parse_link_rate(const char *text, int64_t *bits);
/* Parses a percentage, "0.5%" or "0.5", as a probability from 0 to 1. 0, -EINVAL or -ERANGE. */
int parse_link_loss(const char *text, double *probability);
