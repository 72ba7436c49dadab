/* SPDX-License-Identifier: GPL-3.0-or-later */
/* by_http - users of a web server, through libcurl: each has connections of its own and fetches the
 * objects of the pages that it chooses. */
#ifndef THINPROBE_VUSERS_BY_HTTP_H
#define THINPROBE_VUSERS_BY_HTTP_H

#include "crowd.h"
#include "target.h"
#include "workload.h"

struct by_http_cfg {
	const struct target *target;
	const struct workload *workload;
	bool whole_pages;	/* a request is a page, and is answered with its last object; else it is an object */
	int parallel;		/* of a page, so many objects are fetched at once, over a connection each */
	uint64_t seed;
};

/* Connections of each user: no more than a page has objects. */
int by_http_lanes(const struct by_http_cfg *cfg);

struct by_http;
extern const struct crowd_kind by_http_kind;

/* NULL: no memory, or no libcurl that can. Owned by the caller. */
struct by_http *by_http_open(const struct by_http_cfg *cfg, struct crowd *crowd);
void by_http_close(struct by_http *h);
int64_t by_http_bytes(const struct by_http *h);		/* of bodies and heads */
int64_t by_http_connections(const struct by_http *h);	/* that were made */
const char *by_http_library(void);			/* "libcurl/7.88.1" */

#endif
