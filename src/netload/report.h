/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - what came of a load, told in the suite's words. */
#ifndef THINPROBE_NETLOAD_REPORT_H
#define THINPROBE_NETLOAD_REPORT_H

#include "rec.h"
#include "rt.h"
#include "send.h"
#include "serve.h"

struct report_facts {
	const char *to, *stopped_by;
	const struct rt_state *rt;
	bool heard;			/* what the other end counted */
	double cpu_s;
};

/* True: the rate was held to within half a percent (true where none was asked for). */
bool report_held(const struct trip *r);
double report_offered(const struct trip *r);	/* Mbit/s; NAN: none */
double report_sent(const struct trip *r);
void report_send(struct rec *rec, const struct trip *r, const struct report_facts *t);
void report_served(struct rec *rec, const char *bind, int port, bool once, const struct served *s, double seconds);

#endif
