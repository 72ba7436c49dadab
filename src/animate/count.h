/* SPDX-License-Identifier: GPL-3.0-or-later */
/* count - counts the frames of an animation that really come by on a display, from its pixels. */
#ifndef ANIMATE_COUNT_H
#define ANIMATE_COUNT_H

#include "rec.h"
#include "seen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct count_cfg {
	const char *display;	/* NULL: $DISPLAY */
	int64_t loop;		/* the animation is a loop of so many; 0: unknown */
	int64_t wait_ns;	/* look for it so long */
	int64_t time_ns;	/* 0: until told to stop */
	void (*ready)(void);	/* it has been found */
	struct rows *log;	/* columns of count_columns; NULL: none */
};
extern const char *const count_columns[];

struct count_result {
	struct seen seen;
	int64_t looks, unreadable;	/* at its mark after something was drawn; of these: half drawn, or covered */
	int64_t start_ns, end_ns;
	int x, y;			/* where it stands on the screen */
	double cell;			/* pixels of a cell of the mark; 4 when not scaled */
	bool stopped;
};

/* 0 or -errno, with a line in `why`; `out` is to be freed either way. */
int count_run(const struct count_cfg *cfg, struct count_result *out, char *why, size_t size);
void count_free(struct count_result *r);

#endif
