/* users - a run of the users and principle-a experiments: RUN/cells/CELL/REPEAT/{cell.json,vusers.json,arrivals.json[,model.json]} to a table.
 *
 *	summary.tsv	(users/1) a row for each cell of run.json's settings.cells, in that order: what its users asked and how long they waited, the queue
 *			at the server, the times between arrivals, and what a model said of it before
 *
 * A figure with _low and _high is the mean over repeats with its interval (Student's t; BCa bootstrap from ten on; none from one). Those of which one
 * value a repeat is the worst are the largest, others plain means. */
#ifndef THINPROBE_SUMMARIZE_USERS_H
#define THINPROBE_SUMMARIZE_USERS_H

#include "inputs.h"

#define USERS_REPEATS_MAX 1000

/* 0, or -errno with one line in `why`. */
int users_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
