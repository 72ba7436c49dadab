/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merge - one report of several load generators that began together (--start-at), from their reports and logs.
 *
 * Counts add up. Response times, gaps and requests in flight are computed anew from the pooled rows of the logs, by the code that
 * computes those of one generator. Times of all rows are moved to the clock of the first generator, by the instant of the common
 * start. */
#pragma once

#include "crowd.h"
#include "rec.h"
#include "vlog.h"

#define MERGE_MOST 64 /* generators */

struct merged_runs {
	struct crowd crowd; /* counts, users and the window; not opened by crowd_open() */
	struct vlog_sums sums;
	struct vlog_row *row; /* rows of all, ascending in end_ns once merged_compute_window() has returned; owned */
	size_t n;
	struct sample late[MERGE_MOST]; /* measured requests, ready to sent in ns, of each generator */
	int parts;
};

/* Adds a generator of `users` users, whose rows follow; they are numbered after those of the generators before. */
void merged_add_users(struct merged_runs *m, int64_t users);
/* Adds a row of the generator added last; its user has the number in that generator. 0; -ERANGE: no such user. */
int merged_add_row(struct merged_runs *m, struct vlog_row row);
/* Sorts the rows by time and computes requests in flight and gaps between sends in the window from_ns to end_ns (CLOCK_MONOTONIC of
 * the first generator). */
void merged_compute_window(struct merged_runs *m, int64_t from_ns, int64_t end_ns);
void merged_free(struct merged_runs *m);

/* `vusers merge`: word[0] is a report, word[1] its log, and so on. Returns the exit status; dies with a line if they do not fit. */
int merge_reports(char *const *word, int words, const char *log, const struct rec_cfg *out);
