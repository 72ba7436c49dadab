/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merge - which of several rows comes next in time: a heap of their heads, of equals the lower number first. */
#ifndef PROTOTAP_MERGE_H
#define PROTOTAP_MERGE_H

#include <stdint.h>

struct merge {
	struct merge_head {
		int64_t time_ns;
		int row;
	} *head;		/* room for all rows; the next one is head[0] */
	int n;			/* rows that still have a head */
};

int merge_init(struct merge *m, int rows);	/* 0 or -ENOMEM */
void merge_free(struct merge *m);
void merge_add(struct merge *m, int row, int64_t time_ns);	/* each row once */
/* head[0]'s row goes on at this time, or has ended. */
void merge_advance(struct merge *m, int64_t time_ns);
void merge_end(struct merge *m);

#endif
