/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - the result of `vamp run`. */
#ifndef VAMP_REPORT_H
#define VAMP_REPORT_H

#include "rec.h"
#include "told.h"

/* Into the open object "result". Sorts the sample of decision times. */
void report_run(struct rec *r, struct told *t);
/* The keys of one process: pid, comm, cpu_percent (its load), run_percent. */
void report_tag(struct rec *r, const struct tag *tag);

#endif
