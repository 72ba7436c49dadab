/* SPDX-License-Identifier: GPL-3.0-or-later */
/* idle_pool - what is pooled over the repeats of one system: lost time by length of event, and who ran; and the curve of the first ten
 * seconds. Three tables that grow system by system, and take their names together. */
#ifndef THINPROBE_SUMMARIZE_IDLE_POOL_H
#define THINPROBE_SUMMARIZE_IDLE_POOL_H

#include "idle.h"
#include "whole.h"

#define IDLE_CURVE_PER_DECADE 20
#define IDLE_CURVE_FROM_MS 0.001
#define IDLE_CURVE_POINTS (8 * IDLE_CURVE_PER_DECADE + 1)	/* to 100 s */

struct idle_ran;

/* Zeroed = empty. */
struct idle_pool {
	double upto[IDLE_CURVE_POINTS], upto_all[IDLE_CURVE_POINTS];	/* ns in events no longer than that: the system's, all */
	double wall_s;
	struct idle_ran *ran;	/* culprits */
	size_t rans;
	bool drawn;		/* its utilisation is written */
};

/* One repeat, joined. 0 or -ENOMEM. */
int idle_pool_add(struct idle_pool *p, const struct lost *l, double wall_s);
void idle_pool_free(struct idle_pool *p);

enum { IDLE_POOL_TABLES = 3 };
struct idle_pool_tables {
	struct whole table[IDLE_POOL_TABLES];
};
/* 0 or -errno with the name of the table in *file. Closing without `keep` leaves the old files. */
int idle_pool_open(struct idle_pool_tables *t, const char *folder, const char **file);
int idle_pool_close(struct idle_pool_tables *t, bool keep, const char **file);
void idle_pool_write(struct idle_pool_tables *t, const struct idle_system *s, struct idle_pool *p);
/* The share of the CPUs, their mean, in bins of 10 ms. */
void idle_pool_utilisation(struct idle_pool_tables *t, const struct idle_system *s, const struct lost *l, const struct idle_cell *c);

#endif
