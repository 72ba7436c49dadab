/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overtime - what one step of an animation took as time went by: traffic.tsv and cpu.tsv of its folder in pieces of equal
 * length. */
#ifndef THINPROBE_SUMMARIZE_OVERTIME_H
#define THINPROBE_SUMMARIZE_OVERTIME_H

#include "engine.h"

#define OVERTIME_MAX 20000	/* pieces */
#define OVERTIME_PIECE_S 0.5

struct overtime {
	int64_t origin_ns;
	int64_t first;		/* number of the first piece: below 0 before the origin */
	size_t n, room;
	struct overtime_piece {
		double bytes;		/* display, on the wire */
		double cpu_percent;	/* of one CPU; NAN: not read in this piece */
	} *piece;			/* owned */
};

/* Of the folder STEP of the repeat. Packets stand in the piece in which their bin begins. No pieces where the origin is not known
 * (NAN) or nothing was captured. 0 or -errno, and nothing to free then. */
int overtime_read(const struct repeat *r, const char *step, double origin_ns, struct overtime *out, struct why *why);
double overtime_mbit_per_s(double bytes);	/* of one piece */
void overtime_free(struct overtime *t);

#endif
