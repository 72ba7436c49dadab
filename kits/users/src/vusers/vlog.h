/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vlog - the outcome of each request, passed from the event loop to a thread that computes statistics and writes log files.
 *
 * One ring buffer with one writer and one reader, and a second one for the watched users. The event loop only copies 64 bytes. If
 * the ring is full, because the disk stalls for long, rows are lost and counted. */
#pragma once

#include "rec.h"
#include "sample.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How a request ended. VLOG_CUT: the run was over before it was answered or sent. */
enum vlog_end { VLOG_OK, VLOG_ERROR, VLOG_TIMEOUT, VLOG_CUT, VLOG_ENDS };

#define VLOG_NOBODY UINT32_MAX
#define VLOG_WATCHED_MOST 16

/* One request. Times in ns on CLOCK_MONOTONIC; 0: did not happen. */
struct vlog_row {
	int64_t due_ns;	  /* when it should be sent */
	int64_t ready_ns; /* when it could be sent: due, and its user free */
	int64_t sent_ns;
	int64_t end_ns;	      /* answered or given up */
	uint32_t user;	      /* VLOG_NOBODY: no user was free for it */
	uint32_t bytes;	      /* received */
	uint16_t label, code; /* index in struct vlog_cfg.label; HTTP status, 0: none */
	uint8_t end;	      /* enum vlog_end */
	bool measured;	      /* due within the measuring window */
	bool watched;	      /* of a watched user (watched.h) */
};

/* Times of requests in ns, and how many ended in which way. */
struct vlog_timings {
	struct sample response;	 /* due to answer; a request that timed out or was cut is censored ("later than") */
	struct sample given_up;	 /* the censored ones of these */
	struct sample from_sent; /* sent to answer, of answered requests */
	struct sample late;	 /* ready to sent: lateness of the load generator */
	int64_t ended[VLOG_ENDS];
};

struct vlog_cfg {
	const char *tsv, *jtl;	  /* paths of the log files; NULL: not written */
	const char *const *label; /* names of the requests, by number */
	const char *url;	  /* for JTL: the URL is `url` and the path of the label */
	const char *const *path;  /* by number; NULL: none */
	int64_t users;
	int64_t expect; /* expected rows: memory is allocated for them before the run */
};

/* Sums over the requests of the measuring window; valid once vlog_close() has returned. */
struct vlog_sums {
	struct vlog_timings users; /* all users but the watched ones */
	struct sample waited;	   /* ns, due to ready: waited for a free user; censored if none became free */
	int64_t bytes, lost;	   /* bytes received; rows lost to a full ring or failed allocations */
	int64_t cpu_ns;		   /* CPU time of the logging thread */
	struct vlog_timings watched, one[VLOG_WATCHED_MOST]; /* all watched users together, and each of them */
};

/* The table of requests that --log writes. */
#define VLOG_SCHEMA "vusers-log/1"
#define VLOG_COLUMNS 11
#define VLOG_LABEL 1 /* the column of the request's name */
extern const char *const vlog_columns[];
void vlog_write_row(struct row_file *t, const char *label, const struct vlog_row *row);
/* Reads the cells of vlog_columns into all fields but the label. False: not a row of such a table. */
bool vlog_parse_row(char *const *cell, struct vlog_row *row);
/* Adds a request to the sums, if it is measured. */
void vlog_add_sums(struct vlog_sums *s, const struct vlog_row *row);

struct vlog;
/* Starts the thread. NULL with errno set, and *what: the file or resource that failed. */
struct vlog *vlog_open(const struct vlog_cfg *cfg, const char **what);
void vlog_add(struct vlog *l, const struct vlog_row *row);
/* The same for watched users, from any thread: waits for other watched users, never for the event loop. */
void vlog_add_watched(struct vlog *l, const struct vlog_row *row);
/* Waits until both rings are less than half full; not while times are measured. */
void vlog_await_room(struct vlog *l);
/* Writes the remaining rows and ends the thread. 0, or -errno of the first write that failed. The caller frees `out` with
 * vlog_free_sums(). */
int vlog_close(struct vlog *l, struct vlog_sums *out);
void vlog_free_sums(struct vlog_sums *s);
