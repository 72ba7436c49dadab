/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lists - lists of numbers and of times as an option has them: "100:1000:100", "1,2,5", "50ms,40ms,30ms", "10s:60s:10s". */
#ifndef THINPROBE_QUEUE_NUMBER_LIST_H
#define THINPROBE_QUEUE_NUMBER_LIST_H

#include <stddef.h>

#define NUMBER_LIST_MOST 10000

/* Values in the order given; a range FROM:TO:STEP has TO, where a step meets it. */
struct number_list {
	double *value;	/* owned */
	size_t n;
};

/* One value: 0 or -EINVAL, -ERANGE. */
typedef int number_list_reader(const char *text, double *out);
int number_list_seconds(const char *text, double *out);	/* a time as options have it, in s; -ERANGE below 0 */

/* Puts what `text` says in the place of what is in `out`. 0; -EINVAL for no such list; -ERANGE for
 * one without an end or of more than NUMBER_LIST_MOST; -ENOMEM. `out` stays as it was then. */
int number_list_read(const char *text, number_list_reader *one, struct number_list *out);
void number_list_free(struct number_list *l);

#endif
