/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tell - the results of queue: into the report, and as rows for a plot. */
#ifndef THINPROBE_QUEUE_TELL_H
#define THINPROBE_QUEUE_TELL_H

#include "demands.h"
#include "models.h"
#include "observed.h"
#include "rec.h"

extern const char *const tell_columns[];	/* of queue/1 */

/* One row of Table 1's shape: n, z_s, nz, lambda, q, qz, r_s, x, u[] (in text, one word), bounds;
 * and what the other method says. */
struct tell_model {
	const struct mva_net *net;
	enum mva_method method;
	bool text;		/* the report is for people */
	bool other;		/* the other method's figures beside it */
};
void tell_point(struct rec *r, struct rows *t, const struct tell_model *m, double n, double z_s);
/* For people: begins the table of the points that follow. */
void tell_points_head(struct rec *r);
void tell_bounds(struct rec *r, const struct mva_net *net);
/* A row of one queue: an open stream (whether it has a steady state), or users who think. `text`: as above. */
bool tell_open(struct rec *r, double rate, double service_s, double servers, bool text);
void tell_closed(struct rec *r, double n, double z_s, double service_s, bool text);
/* Measured or predicted, for a plot; NAN: an empty cell. */
void tell_row(struct rows *t, const char *kind, double n, double z_s, double rate, double r_s, const struct mva_net *net);

/* Tables 3 and 4 of a measured row: Q, N, CoV, and web users for each think time. `pages`: pages that an object is of. */
struct tell_users {
	double pages;
	const double *think_s;
	size_t thinks;
};
void tell_users(struct rec *r, const struct tell_users *u, const struct observed_row *row);

/* What the figures of a fit do not say by themselves; NULL: nothing. */
const char *tell_doubt(const struct demands *d);
bool tell_far_off(const struct demands *d);	/* no such model has these response times: the fit means nothing */
void tell_demands(struct rec *r, const struct demands *d, const struct observed *o);
void tell_fitted(struct rec *r, struct rows *t, const struct demands *d, const struct tell_model *m, const struct observed *o);

#endif
