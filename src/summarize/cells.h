/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cells - the cells of a run by what names them: application and load, and where settings are compared setting, part and cost too. */
#ifndef THINPROBE_SUMMARIZE_CELLS_H
#define THINPROBE_SUMMARIZE_CELLS_H

#include "run.h"

struct cell_name {
	const char *protocol, *app, *setting, *part;	/* borrowed; the last two may be empty */
	double cost_ms;					/* NAN: none */
	int64_t sinks;
};

/* The cell of that name, made empty if it is new; the run owns it, and the next call may move it. NULL: no memory. */
struct cell *cells_find(struct run *run, const struct cell_name *name);

bool cells_same_cost(double a, double b);	/* both may be NAN */
void cells_sort(struct run *run);		/* by protocol, part, setting, application, cost, sinks */

#endif
