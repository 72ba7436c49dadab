/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pieces - changes of tiles put together: those that become visible at the same time in every run
 * are one piece, pieces in quick succession one paint. */
#ifndef THINPROBE_PIECES_H
#define THINPROBE_PIECES_H

#include "answers.h"

struct paint_piece {
	int32_t cause;		/* the input before it, as of struct same */
	uint32_t tiles;
	double mass;		/* of its tiles; one that is there more than once counts half */
	double since_ms;	/* since that input: median over the runs that have it */
	uint32_t *at;		/* for each run its update; ALIGN_NONE: missing. Points into pieces.at */
};

struct pieces {
	struct paint_piece *piece;	/* by cause, then since_ms */
	size_t n;
	uint32_t *at;
	int32_t **owner;	/* for each run and update: the cause of the greatest mass there; -1: none. Not counting masses that are equal */
	double **owned;		/* ... and that mass */
	int runs;
};

/* 0 or -ENOMEM. */
int pieces_make(const struct answers_run *run, int runs, struct sames *changes, struct pieces *out);
void pieces_free(struct pieces *p);

struct paint {			/* neighbours in the list of pieces */
	size_t first, n;
	int32_t cause;
	double mass, share;	/* of the runs that have it */
	uint32_t tiles;
	int64_t *shown_ms, *whole_ms;	/* for each run; ANSWER_NONE: missing */
};

/* The paint that begins with piece `first`; the two lists of `runs` times are the caller's. Pieces
 * of other paints are moved behind it. */
void pieces_paint(const struct answers_run *run, const struct pieces *p, size_t first, struct paint *out);

#endif
