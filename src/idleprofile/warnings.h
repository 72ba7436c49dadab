/* SPDX-License-Identifier: GPL-3.0-or-later */
/* warnings - what of a profile must be said in words, on standard error. */
#ifndef THINPROBE_WARNINGS_H
#define THINPROBE_WARNINGS_H

#include "follow.h"
#include "rec.h"

/* Logs that could not be written; each once. Whether there were any. */
bool warn_of_logs(struct logs *logs);
/* Whether the loops of `n` CPUs had to pause since they were not looked at. */
bool warn_of_unwatched(struct rec *out, const struct follow *f, int n);
/* Where so much lies beside switches without a record that the table of culprits lacks it: more than 1 % of what was lost. */
void warn_of_missed(struct rec *out, const struct follow *f, int n);

#endif
