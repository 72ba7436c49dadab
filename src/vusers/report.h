/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - what vusers measured, and whether it was itself in the way. */
#ifndef THINPROBE_VUSERS_REPORT_H
#define THINPROBE_VUSERS_REPORT_H

#include "crowd.h"
#include "rec.h"
#include "serve.h"
#include "vlog.h"
#include "watch.h"

struct report_what {
	const char *target, *kind, *asks, *echo, *encodings, *workload, *library, *think_text;	/* NULL: not of this kind */
	double rate, nz;		/* NAN: not asked for */
	double objects_per_page;
	bool whole_pages;
	int parallel;
	int64_t threshold_ns, late_limit_ns;
	int64_t bytes, connections;	/* of the kind; connections -1: each user's own */
	int64_t descriptors, descriptors_most;
	int64_t process_cpu_ns;
	const char *punctual_by;
	bool each_user;			/* a row for each user, too */
	int watched;			/* so many users of these */
	struct watch_user user[WATCH_MOST];
};

/* Why the figures are those of the generator and not of the server: NULL, they are not. */
#define REPORT_CPU_MOST 90	/* percent of a CPU in the loop */
#define REPORT_GONE_MOST 5	/* percent of the time of all users, without a connection */
double percent_disconnected(const struct crowd *c);	/* NAN: no time, or nobody */
const char *report_why_invalid(const struct crowd *c, struct vlog_sums *s, const struct report_what *w, char *text, size_t size);

/* The tree, and lines for people but for warnings, which are the caller's. */
void report_users(struct rec *r, struct crowd *c, struct vlog_sums *s, const struct report_what *w);
void report_serve(struct rec *r, const char *target, const struct serve_cfg *cfg, struct serve_sums *s);

#endif
