/* SPDX-License-Identifier: GPL-3.0-or-later */
/* by_http - the HTTP protocol of the crowd, by libcurl: each user has its own connections and fetches the objects of random
 * pages. */
#ifndef THINPROBE_VUSERS_BY_HTTP_H
#define THINPROBE_VUSERS_BY_HTTP_H

#include "crowd.h"
#include "target.h"
#include "workload.h"

struct by_http_cfg {
	const struct target *target;
	const struct workload *workload;
	bool whole_pages;	/* a request is a whole page, answered with its last object; else one object */
	int parallel;		/* objects of a page fetched at once, each over its own connection */
	uint64_t seed;
};

/* Connections per user: `parallel`, but at most the number of objects of the largest page. */
int by_http_lanes(const struct by_http_cfg *cfg);

struct by_http;
extern const struct crowd_protocol by_http_protocol;

/* NULL: out of memory, or libcurl lacks a feature. Owned by the caller. */
struct by_http *by_http_open(const struct by_http_cfg *cfg, struct crowd *crowd);
void by_http_close(struct by_http *h);
int64_t by_http_bytes(const struct by_http *h);		/* received, bodies and headers */
int64_t by_http_connections(const struct by_http *h);	/* TCP connections made so far */
const char *by_http_library(void);			/* "libcurl/7.88.1" */

#endif
