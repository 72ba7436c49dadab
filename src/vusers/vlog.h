/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vlog - what became of each request, from the loop that measures to a thread that counts and writes.
 *
 * One ring, one writer, one reader; and another ring for the few who are watched. The loop only
 * copies 64 bytes; rows, files and statistics are the thread's. When the ring is full, which a disk
 * that stalls for long may do, rows are lost and counted. */
#ifndef THINPROBE_VUSERS_VLOG_H
#define THINPROBE_VUSERS_VLOG_H

#include "sample.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* cut: the run was over before the answer came, or the request went */
enum vlog_end { VLOG_OK, VLOG_ERROR, VLOG_TIMEOUT, VLOG_CUT, VLOG_ENDS };

#define VLOG_NOBODY UINT32_MAX
#define VLOG_WATCHED_MOST 16

/* Times in ns on CLOCK_MONOTONIC, 0: it did not come to that. */
struct vlog_row {
	int64_t due_ns;		/* when it should go */
	int64_t ready_ns;	/* when it could: due, and its user was there */
	int64_t sent_ns;
	int64_t end_ns;		/* answered, or given up */
	uint32_t user, bytes;	/* VLOG_NOBODY: it went to none; received */
	uint16_t label, code;	/* code: of HTTP, 0: none */
	uint8_t end;		/* enum vlog_end */
	bool measured;		/* in the window of the figures */
	bool watched;		/* of a user who keeps the pixels */
};

/* Of users who are watched: of all of them, and of each. */
struct vlog_watched {
	struct sample response, from_sent, late;
	int64_t ended[VLOG_ENDS];
};

struct vlog_cfg {
	const char *tsv, *jtl;		/* files; NULL: none */
	const char *const *label;	/* names of what is asked for, by their number */
	const char *url;		/* for JTL: what stands before the label's path */
	const char *const *path;
	int64_t users;
	int64_t expect;			/* rows: room is made before */
};

/* Figures of the measured ones, once vlog_close() has returned. */
struct vlog_sums {
	struct sample response;		/* ns, from due; cut and timed out ones are "later than" */
	struct sample from_sent;	/* ns, of those that were answered */
	struct sample late;		/* ns, sent - ready */
	struct sample waited;		/* ns, ready - due */
	int64_t ended[VLOG_ENDS], bytes, lost;
	int64_t cpu_ns;			/* of the thread */
	struct vlog_watched watched, one[VLOG_WATCHED_MOST];	/* in none of the figures above */
};

struct vlog;
/* NULL: errno, and a word on what in *what. */
struct vlog *vlog_open(const struct vlog_cfg *cfg, const char **what);
void vlog_add(struct vlog *l, const struct vlog_row *row);
/* The same from any other thread, which may have to wait for another such one, but never for the loop. */
void vlog_add_watched(struct vlog *l, const struct vlog_row *row);
/* Writes what is left. 0, or -errno of the first write that failed. `out` is the caller's, to be freed by vlog_free_sums(). */
int vlog_close(struct vlog *l, struct vlog_sums *out);
void vlog_free_sums(struct vlog_sums *s);

#endif
