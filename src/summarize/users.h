/* SPDX-License-Identifier: GPL-3.0-or-later */
/* users - a run of the users and principle-a experiments: RUN/cells/CELL/REPEAT/{cell.json,vusers.json,arrivals.json[,model.json]} to a table.
 *
 *	summary.tsv	(users/1) a row for each cell of run.json's settings.cells, in that order: what its users asked and how long they waited, the queue
 *			at the server, the times between arrivals, and what a model said of it before
 *
 * A figure with _low and _high is the mean over repeats with its interval (Student's t, of response times on logarithms; BCa bootstrap from ten on; none from one). Those
 * of which one value a repeat is the worst are the largest, others plain means. Of the times between requests:
 *	cov_band		1.96 / sqrt(n), n the gaps of all repeats: so far from 1 may the coefficient of variation of a Poisson process lie
 *	cov_independent		what theory says of that many users who know nothing of each other (superposed.h); empty where there is no formula
 *	arrivals_p		of the cell, from the least of its repeats' (times how many they are)
 *	arrivals_p_of_all	the same by Holm (1979) over all cells of the run: below 0.05 this cell is rejected even among so many */
#ifndef THINPROBE_SUMMARIZE_USERS_H
#define THINPROBE_SUMMARIZE_USERS_H

#include "inputs.h"

#define USERS_REPEATS_MAX INPUTS_REPEATS_MAX

/* 0, or -errno with one line in `why`. */
int users_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
