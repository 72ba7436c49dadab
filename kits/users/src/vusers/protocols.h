/* SPDX-License-Identifier: GPL-3.0-or-later */
/* protocols - the protocols of the crowd. by_vnc.c: each user has a connection, types a key (or moves the pointer) and waits for
 * its echo. by_rdp.c: the same, through a viewer for each (viewer.h). by_http.c, by libcurl: each user has its own connections and
 * fetches the objects of random pages. */
#pragma once

#include "crowd.h"
#include "target.h"
#include "viewer.h"
#include "vrfb.h"
#include "workload.h"

struct vnc_users_cfg {
	const struct target *target;
	bool move;  /* move the pointer instead of typing keys */
	bool patch; /* the echo is the next number in the patch of refecho; else the next update */
	struct vrfb_cfg rfb;
};

struct vnc_users;
extern const struct crowd_hooks by_vnc_protocol;
extern const char *const by_vnc_labels[]; /* names of the requests: "key", "move" */
/* Writes the input of request `number`: a key (the letters in turn, so that consecutive ones differ), or a pointer move between two
 * positions. Returns the number of bytes, at most 16. */
size_t vnc_put_input(uint8_t *m, bool move, uint32_t number, int width, int height);

/* NULL: out of memory. Owned by the caller. */
struct vnc_users *vnc_users_open(const struct vnc_users_cfg *cfg, struct crowd *crowd);
void vnc_users_close(struct vnc_users *v);

struct rdp_users_cfg {
	const struct target *target;
	struct viewer *const *viewer; /* one for each user */
	bool move;		      /* move the pointer instead of typing keys */
};

struct rdp_users;
extern const struct crowd_hooks by_rdp_protocol;

/* NULL: out of memory, or no more events can be waited for. Owned by the caller. */
struct rdp_users *rdp_users_open(const struct rdp_users_cfg *cfg, struct crowd *crowd);
void rdp_users_close(struct rdp_users *r);

struct http_users_cfg {
	const struct target *target;
	const struct workload *workload;
	bool whole_pages; /* a request is a whole page, answered with its last object; else one object */
	int parallel;	  /* objects of a page fetched at once, each over its own connection */
	uint64_t seed;
};

/* Connections per user: `parallel`, but at most the number of objects of the largest page. */
int http_connections_per_user(const struct http_users_cfg *cfg);

struct http_users;
extern const struct crowd_hooks by_http_protocol;

/* NULL: out of memory, or libcurl lacks a feature. Owned by the caller. */
struct http_users *http_users_open(const struct http_users_cfg *cfg, struct crowd *crowd);
void http_users_close(struct http_users *h);
const char *http_library_name(void); /* "libcurl/7.88.1" */
