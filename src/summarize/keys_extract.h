/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys_extract - keys of a repeat, for the extractors that look at them. */
#ifndef THINPROBE_SUMMARIZE_KEYS_EXTRACT_H
#define THINPROBE_SUMMARIZE_KEYS_EXTRACT_H

#include "engine.h"
#include "estimates.h"

/* samples.tsv of a repeat, and its overload by keyrepeat.json where there is one. */
struct train_keys keys_train(const struct repeat *r);
/* Median of those in ns; NAN where it is none: overloaded, or among keys without an echo. */
double keys_median(const struct train_keys *t);
/* Figures "low.p50" etc. of n trains of a cell. */
struct estimates keys_give(const struct cell *c, const struct train_keys *train, size_t n);

/* Rows of settings held against the default (compare_rows.c); each repeat keeps a struct train_keys. */
void compare_rows(const struct cell *c, struct table_out *out);

#endif
