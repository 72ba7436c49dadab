/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys_extract - keys of the repeats of a run, for the extractors that look at them. */
#ifndef THINPROBE_SUMMARIZE_KEYS_EXTRACT_H
#define THINPROBE_SUMMARIZE_KEYS_EXTRACT_H

#include "engine.h"
#include "estimates.h"

struct keys_cell {
	struct train *train;		/* of each complete repeat */
	size_t n;
	struct estimates of;
	bool made;			/* `of` is */
};
struct keys_run {
	const struct run *run;
	struct keys_cell cell[];
};

/* Of a struct keys_run, for extractors that hold one. */
void *keys_open(const struct run *run, struct why *why);
void keys_close(void *state);

/* samples.tsv of keyrepeat, or of ping: then a key is due at 0 and answered after the round trip,
 * and of one that was lost nothing is known. */
int keys_of_repeat(const struct repeat *r, struct keys *out, struct why *why);
/* The same as a train: with its overload, by keyrepeat.json where there is one. */
int keys_train(const struct repeat *r, struct train *out, struct why *why);
/* Early ends of the keys' latencies in ns. 0 or -ENOMEM; *out is the caller's. */
int keys_low(const struct keys *keys, struct sample *out);
/* Median of those in ns; NAN where it is none: overloaded, or among keys without an echo. */
double keys_median(const struct train *t);

/* Figures of the path "low.p50" etc. of any pool of trains; made by the first call. -ENOENT: no
 * such path. */
int keys_pooled(const struct run *run, struct keys_cell *k, const char *path, struct figure *out);

/* Rows of settings held against the default (compare_rows.c). */
int compare_rows(const struct keys_run *keys, struct table_out *out, struct why *why);

#endif
