/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summarize - the engine as the program calls it (engine.c). */
#ifndef THINPROBE_SUMMARIZE_SUMMARIZE_H
#define THINPROBE_SUMMARIZE_SUMMARIZE_H

#include "rec.h"
#include "why.h"

#include <stddef.h>
#include <stdint.h>

/* What came of it. */
struct engine_counts {
	size_t cells, complete, failed, flagged;	/* all but cells: repeats */
};
struct engine_options {
	const char *experiment;		/* folder of the experiment; NULL: looked for by its name */
	int64_t draws, seed;		/* seed < 0: that of the run */
};
/* Writes all tables; `out` gets the report's settings and result. 0 or -errno. */
int engine_summarize(const char *folder, const struct engine_options *options, struct rec *out, struct engine_counts *n,
		     struct why *why);

#endif
