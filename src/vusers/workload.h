/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload - what users of a web server fetch: pages, each of one or more objects, chosen at random by their weights.
 *
 * The file: lines "page <tab> weight <tab> object <tab> path [<tab> bytes]"; # begins a comment.
 * Objects of one page stand together, all with its weight, in the order in which they are fetched.
 * `bytes` is for who makes them. */
#ifndef THINPROBE_VUSERS_WORKLOAD_H
#define THINPROBE_VUSERS_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WORKLOAD_OBJECTS 1000
#define WORKLOAD_NAME 64
#define WORKLOAD_PATH 512

struct workload {
	struct workload_object {
		char name[WORKLOAD_NAME], path[WORKLOAD_PATH];
	} *object;			/* owned */
	struct workload_page {
		char name[WORKLOAD_NAME];
		int first, n;		/* objects */
		double weight, up_to;	/* up_to: the sum of the weights so far */
	} *page;			/* owned */
	int objects, pages;
};

/* 0; -EPROTO with the line that is none, and why in `why`; -ENODATA; -ENOMEM. */
int workload_read(FILE *in, struct workload *w, unsigned long *line, const char **why);
/* A page of one object. */
int workload_one(struct workload *w, const char *path);
/* The next page. */
int workload_choose(const struct workload *w, uint64_t *state);
/* Objects that a page has on average, by the weights: the ratio of objects to pages. */
double workload_objects_per_page(const struct workload *w);
void workload_free(struct workload *w);

#endif
