/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload - what users of a web server fetch: pages of one or more objects, chosen at random by their weights.
 *
 * Lines of the file: "page <tab> weight <tab> object <tab> path [<tab> bytes]"; # begins a comment. The objects of a page stand in
 * consecutive lines, all with the weight of the page, in the order in which they are fetched. `bytes` is for the web server. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WORKLOAD_OBJECTS 1000
#define WORKLOAD_NAME 64
#define WORKLOAD_PATH 512

struct workload {
	struct workload_object {
		char name[WORKLOAD_NAME], path[WORKLOAD_PATH];
	} object[WORKLOAD_OBJECTS];
	struct workload_page {
		char name[WORKLOAD_NAME];
		int first, n;	      /* its objects: index of the first, and how many */
		double weight, up_to; /* up_to: sum of the weights up to this page */
	} page[WORKLOAD_OBJECTS];
	int objects, pages;
};

/* 0; -EPROTO with the number of a malformed line and the reason in `why`; -ENODATA: no object; -ENOMEM, -EIO. Not for a stack. */
int workload_read(FILE *in, struct workload *w, unsigned long *line, const char **why);
/* Makes a workload of one page with one object. 0, -ENAMETOOLONG, -EPROTO. */
int workload_make_one(struct workload *w, const char *path);
/* Draws the index of a page. *state: of the random numbers. */
int workload_draw_page(const struct workload *w, uint64_t *state);
/* The mean number of objects of a fetched page, by the weights of the pages. */
double workload_objects_per_page(const struct workload *w);
