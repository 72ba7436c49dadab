/* SPDX-License-Identifier: GPL-3.0-or-later */
/* values - statistics of plain numbers that a cell of an experiment has collected, in groups. */
#pragma once

#include "rec.h"

struct values_question {
	const char *quantiles; /* such as "0.1,0.5": figures p10 and p50, of type 7 (sample.h) */
	double above;	       /* share of values above this; NAN: not asked */
};

/* Reads lines "GROUP<tab>NUMBER" and adds the array "groups" to the report: each group's name, n, mean, sd and what is asked.
 * -EPROTO with *line: no such line; -EINVAL: no such quantile; -EIO. */
int values_summarize(FILE *in, const struct values_question *q, struct rec_report *out, unsigned long *line);
