/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lists - lists of numbers and of times as an option has them: "100:1000:100", "1,2,5", "50ms,40ms,30ms", "10s:60s:10s". */
#ifndef THINPROBE_QUEUE_LISTS_H
#define THINPROBE_QUEUE_LISTS_H

#include <stddef.h>

#define LISTS_MOST 10000

/* Values in the order given; a range FROM:TO:STEP has TO, where a step meets it. */
struct lists {
	double *value;	/* owned */
	size_t n;
};

/* One value: 0 or -EINVAL, -ERANGE. */
typedef int lists_read_one(const char *text, double *out);
int lists_seconds(const char *text, double *out);	/* a time as options have it, in s; -ERANGE below 0 */

/* Puts what `text` says in the place of what is in `out`. 0; -EINVAL for no such list; -ERANGE for
 * one without an end or of more than LISTS_MOST; -ENOMEM. `out` stays as it was then. */
int lists_read(const char *text, lists_read_one *one, struct lists *out);
void lists_free(struct lists *l);

#endif
