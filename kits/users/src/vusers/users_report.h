/* SPDX-License-Identifier: GPL-3.0-or-later */
/* users_report - the reports of vusers, and whether the load generator itself was the bottleneck. */
#pragma once

#include "crowd.h"
#include "rec.h"
#include "serve.h"
#include "vlog.h"
#include "watched.h"

/* One of several generators whose reports were merged (merge.h). Not known: NAN, NULL. */
struct generator_facts {
	int64_t users, users_ready, requests;
	const char *start_at, *why_invalid;
	double started_late_ms, clock_error_ms, late_p99_ms, late_max_ms, cpu_percent, memory_bytes_per_user;
};

struct report_facts {
	const char *target, *kind, *asks, *echo, *encodings, *workload, *library, *server,
		*think_text; /* NULL: not for this protocol */
	double rate, nz;     /* --open and --users-per-second; NAN: not given */
	double objects_per_page;
	bool whole_pages;
	int parallel;
	const char *start_text;	 /* --start-at, as ISO 8601; NULL: not given */
	int64_t start_ns;	 /* the same instant of CLOCK_MONOTONIC; without --start-at the real start */
	int64_t started_late_ns; /* from then to the real start */
	int64_t clock_error_ns;	 /* bound on the error of CLOCK_REALTIME; -1: not known */
	int64_t threshold_ns, late_limit_ns;
	int64_t bytes, connections; /* received bytes; connections made, -1: one per user */
	int64_t descriptors, descriptors_most;
	int64_t process_cpu_ns;
	const char *punctual_by;
	const char *why_invalid;	    /* a reason that is known already; NULL: none */
	const char *why_unsure;		    /* why counted answers may be updates of another origin; NULL: no sign of that */
	const struct generator_facts *part; /* the generators of a merged report */
	int parts;			    /* 0: the report of one generator */
	bool each_user;			    /* report an entry for each user, too */
	int watched;			    /* number of watched users */
	struct watched_result user[VLOG_WATCHED_MOST]; /* the watched users */
};

/* Limits for a valid run. */
#define REPORT_CPU_MOST 90			 /* CPU use of the event loop, percent of one CPU */
#define REPORT_START_LATE_MOST (100 * 1000000LL) /* ns from --start-at to the real start */
#define REPORT_GONE_MOST 5			 /* time that users were without a connection, percent of the time of all users */

/* Write the report of the load generator (without warnings, which the caller adds) and of the reference server. */
void report_users(struct rec_report *r, struct crowd *c, struct vlog_sums *s, const struct report_facts *w);
/* Adds warnings to the report of the load generator, and returns the exit status. log_err: 0, or -errno of writing the log. */
int report_add_warnings(struct rec_report *r, const struct crowd *c, struct vlog_sums *s, const struct report_facts *w,
			int log_err);
void report_server(struct rec_report *r, const char *target, const struct serve_cfg *cfg, struct serve_sums *s);
