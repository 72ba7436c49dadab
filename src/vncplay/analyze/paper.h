/* SPDX-License-Identifier: GPL-3.0-or-later */
/* paper - the analysis as it was in 2005: Zeldovich & Chandra 2005, section 3.3, as their analyzer does it.
 *
 * Every fourth pixel of every fourth row (scale); changes of one millisecond are one (join); a frame of
 * the first run that differs in more than 2 % from the frame analysed last is analysed (differ): in each
 * run the frame with most equal pixels is looked for between the snapshots two before and two after, give or take
 * half a second. Its cause is the input nearest before it in all runs. One match that is wrong is
 * wrong; nothing is ever missing. */
#ifndef THINPROBE_PAPER_H
#define THINPROBE_PAPER_H

#include "answers.h"
#include "replay.h"

#include <stdio.h>

struct paper_cfg {
	int64_t scale;		/* every so many pixels of every so many rows, from 1 on */
	double differ_percent;	/* of the pixels */
	int64_t join_ns;	/* changes less than this apart are one; the logs have whole milliseconds */
};
#define PAPER_2005 { 4, 2, 1000000 }

struct paper_match {
	uint32_t ms;		/* of the frame in the first run */
	uint32_t *found_ms;	/* for each run; ALIGN_NONE: no frame there */
	uint32_t *equal;	/* pixels, of paper.pixels */
};

struct paper {
	struct paper_cfg cfg;
	struct paper_match *match;
	size_t n;
	int runs;
	uint32_t pixels;
	uint32_t *numbers;	/* what they point into */
};

/* Reads the logs again (replay_read has been there). 0; -EPROTO with `why`: the runs have not the
 * same number of snapshots, or nothing is left of the screen; -errno. */
int paper_find(const struct paper_cfg *cfg, const struct replay *replay, int runs, struct paper *out, char *why, size_t size);
void paper_free(struct paper *p);
/* One answer for each match: what was nearest before it in all runs. Mouse and keyboard, press and
 * release alike, as the side files of 2005 have them. */
int paper_answers(const struct replay *replay, int runs, const struct paper *p, struct answers *out);
void paper_old(FILE *out, const struct paper *p);

#endif
