/* SPDX-License-Identifier: GPL-3.0-or-later */
/* method_2005 - --method paper: response times as Zeldovich & Chandra 2005, section 3.3, found them, step by step as their
 * analyzer does.
 *
 * The screen is reduced to every fourth pixel of every fourth row (scale). Changes within one millisecond are one frame (join). A
 * frame of the first run is looked for when more than 2 % of its pixels differ from the last frame that was looked for (differ):
 * in each run, the frame with most equal pixels between the snapshot two before and the snapshot two after, 500 ms more on either
 * side. The cause of a frame is the last input before it in all runs. No frame is ever missing; a wrong match is not noticed. */
#pragma once

#include "responses.h"
#include "why.h"

#include <stdio.h>

struct method_2005_cfg {
	int64_t scale;	       /* every scale-th pixel of every scale-th row is compared; at least 1 */
	double differ_percent; /* of the pixels */
	int64_t join_ns;       /* changes less than this apart are one frame; logs have whole milliseconds */
};
#define METHOD_2005_DEFAULTS \
	{ \
		4, 2, 1000000 \
	}

struct frame_match {
	uint32_t ms;	    /* when the first run showed the frame, ms since its log began */
	uint32_t *found_ms; /* for each run: when it showed the frame; ALIGN_NONE: no frame there */
	uint32_t *equal;    /* for each run: equal pixels, of method_2005.pixels */
};

struct frame_matches {
	struct method_2005_cfg cfg;
	struct frame_match *match;
	size_t n;
	int runs;
	uint32_t pixels;   /* of the reduced screen */
	uint32_t *numbers; /* storage of found_ms and equal */
};

/* Reads the logs a second time, after replay_read. 0; -EPROTO with `why`: the runs have different numbers of snapshots, or the
 * reduced screen has no pixel; -errno. */
int method_2005_find(const struct method_2005_cfg *cfg, const struct replay *replay, int runs, struct frame_matches *out,
		     struct why *why);
void method_2005_free(struct frame_matches *p);
/* One response for each match; its cause is the last input before it in all runs. Press and release of buttons and keys count as
 * inputs, as in side files of 2005. */
void method_2005_make_responses(const struct replay *replay, int runs, const struct frame_matches *p, struct responses *out);
void method_2005_write(FILE *out, const struct frame_matches *p);
