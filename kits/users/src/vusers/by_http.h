/* SPDX-License-Identifier: GPL-3.0-or-later */
/* by_http - the HTTP protocol of the crowd, by libcurl: each user has its own connections and fetches the objects of random
 * pages. */
#pragma once

#include "crowd.h"
#include "target.h"
#include "workload.h"

struct http_users_cfg {
	const struct target *target;
	const struct workload *workload;
	bool whole_pages;	/* a request is a whole page, answered with its last object; else one object */
	int parallel;		/* objects of a page fetched at once, each over its own connection */
	uint64_t seed;
};

/* Connections per user: `parallel`, but at most the number of objects of the largest page. */
int http_connections_per_user(const struct http_users_cfg *cfg);

struct http_users;
extern const struct crowd_protocol_hooks by_http_protocol;

/* NULL: out of memory, or libcurl lacks a feature. Owned by the caller. */
struct http_users *http_users_open(const struct http_users_cfg *cfg, struct crowd *crowd);
void http_users_close(struct http_users *h);
const char *http_library_version_text(void);			/* "libcurl/7.88.1" */
