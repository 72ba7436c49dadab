/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - the result of a load as a report (rec.h). */
#ifndef THINPROBE_NETLOAD_REPORT_H
#define THINPROBE_NETLOAD_REPORT_H

#include "load_session.h"
#include "rec.h"
#include "rt.h"

struct report_facts {
	const char *to, *stopped_by;	/* HOST:PORT; word of enum send_end */
	const struct rt_state *rt;
	bool heard;			/* the server's counts are known */
	double cpu_s;			/* CPU time of this process */
};

/* Whether the rate was kept to within 0.5 %; true where no rate was asked for. */
bool report_rate_held(const struct load_session *r);
double report_offered_mbit_s(const struct load_session *r);	/* NAN: no rate was asked for */
double report_sent_mbit_s(const struct load_session *r);
void report_send(struct rec *rec, const struct load_session *r, const struct report_facts *t);
void report_served(struct rec *rec, const char *bind, int port, bool once, const struct serve_totals *s, double seconds);

#endif
