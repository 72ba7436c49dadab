/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings - what analyze has found, told: as a report (rec.h), or as the rows that scripts of 2005 read. */
#ifndef THINPROBE_FINDINGS_H
#define THINPROBE_FINDINGS_H

#include "paper.h"
#include "rec.h"
#include "study.h"

struct findings {
	const char *method;	/* tiles, paper */
	const struct replay *replay;
	bool labelled;		/* labels tell settings apart; else all replays are of one */
	int runs;
	struct study study;	/* owned; of another method: inputs and answers only */
	const struct paper *paper;	/* NULL: another method */
};

/* Whether these response times say nothing, and why: a replay in which fewer than half of the inputs were answered, or medians of
 * replays of one setting that differ more than twofold, and by more than a frame of the screen. */
#define FINDINGS_FRAME_US 17000
bool findings_unusable(const struct findings *f, char *why, size_t size);

void findings_report(struct rec *out, const struct findings *f);
/* "Sync log I:", "input_ts: I: MS", "== A@0 matches with B@I (p/q)". An answer that is missing in a
 * run is left out as a whole, since these scripts pair rows by their place. */
void findings_old(FILE *out, const struct findings *f);

#endif
