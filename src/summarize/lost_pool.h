/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lost_pool - lost time (lost.h) of all repeats of one cell together, as rows of tables: `curve`, the
 * time lost to events no longer than x; `who`, who ran; and of the first repeat alone `utilisation`,
 * its first ten seconds in bins of 10 ms. */
#ifndef THINPROBE_SUMMARIZE_LOST_POOL_H
#define THINPROBE_SUMMARIZE_LOST_POOL_H

#include "engine.h"
#include "lost.h"

#define LOST_POOL_PER_DECADE 20
#define LOST_POOL_POINTS (8 * LOST_POOL_PER_DECADE + 1)	/* from 0.001 ms to 100 s */
#define LOST_POOL_BINS 1000

struct lost_pool {
	double wall_s;
	double upto[LOST_POOL_POINTS], upto_all[LOST_POOL_POINTS];	/* ns: of the system, of all */
	struct lost_ran *ran;		/* who ran */
	size_t rans;
	double *bin[2];			/* percent: of the system, of all */
	size_t bins;
};

/* Of one repeat, after lost_join(), in which that many CPUs were watched. 0 or -ENOMEM. */
int lost_pool_add(struct lost_pool *p, const struct lost *l, double wall_s, double cpus);
void lost_pool_free(struct lost_pool *p);
/* The rows of that table, by its name, with the parameters of the cell. */
void lost_pool_write(struct lost_pool *p, const struct cell *c, const char *table, struct table_out *out);

#endif
