/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load_report - the result of a load as a report (rec.h). */
#pragma once

#include "load_session.h"
#include "rec.h"
#include "rt.h"

struct send_facts {
	const char *to, *stopped_by; /* HOST:PORT; word of enum send_end */
	const struct rt_granted *rt;
	bool heard;   /* the server's counts are known */
	double cpu_s; /* CPU time of this process */
};

/* Warns if half a second or more of it missed the rate, and says why, as far as that is known. Whether it warned. */
bool report_warn_rate(struct rec_report *rec, const struct load_session *r, const struct load_counts *end);
void report_sent_load(struct rec_report *rec, const struct load_session *r, const struct send_facts *t);
void report_served_loads(struct rec_report *rec, const char *bind, int port, bool once, const struct serve_totals *s,
			 double seconds);
