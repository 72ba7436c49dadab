/* SPDX-License-Identifier: GPL-3.0-or-later */
/* number_list - lists of numbers or times as values of options: "100:1000:100", "1,2,5", "50ms,40ms,30ms", "10s:60s:10s". */
#pragma once

#include <stddef.h>

#define NUMBER_LIST_MOST 10000

/* Values in the given order; a range FROM:TO:STEP includes TO if a step meets it. */
struct number_list {
	double *value; /* owned */
	size_t n;
};

/* Reads one value. 0 or -EINVAL, -ERANGE. */
typedef int number_list_reader(const char *text, double *out);
int number_parse_time(const char *text, double *out); /* reads a time as options write it, in s; -ERANGE below 0 */

/* Replaces the list in `out` by the list in `text`. 0; -EINVAL: no such list; -ERANGE: endless, or more than NUMBER_LIST_MOST
 * values. `out` is unchanged after an error. */
int number_list_parse(const char *text, number_list_reader *one, struct number_list *out);
