/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tell - the results of queue: into the report, and as rows for a plot. */
#ifndef THINPROBE_QUEUE_REPORT_H
#define THINPROBE_QUEUE_REPORT_H

#include "demands.h"
#include "models.h"
#include "observed.h"
#include "rec.h"

extern const char *const plot_columns[];	/* of queue/1 */

/* One row of Table 1's shape: n, z_s, nz, lambda, q, qz, r_s, x, u[] (in text, one word), bounds;
 * and what the other method says. */
struct report_model {
	const struct mva_net *net;
	enum mva_method method;
	bool text;		/* the report is for people */
	bool other;		/* the other method's figures beside it */
};
void report_point(struct rec *r, struct rows *t, const struct report_model *m, double n, double z_s);
/* For people: begins the table of the points that follow. */
void begin_points_table(struct rec *r);
void report_bounds(struct rec *r, const struct mva_net *net);
/* A row of one queue: an open stream (whether it has a steady state), or users who think. `text`: as above. */
bool report_open_queue(struct rec *r, double rate, double service_s, double servers, bool text);
void report_closed_queue(struct rec *r, double n, double z_s, double service_s, bool text);
/* Measured or predicted, for a plot; NAN: an empty cell. */
void write_plot_row(struct rows *t, const char *kind, double n, double z_s, double rate, double r_s, const struct mva_net *net);

/* Tables 3 and 4 of a measured row: Q, N, CoV, and web users for each think time. `pages`: pages that an object is of. */
struct report_user_row {
	double pages;
	const double *think_s;
	size_t thinks;
};
void report_user_row(struct rec *r, const struct report_user_row *u, const struct observed_row *row);

/* What the figures of a fit do not say by themselves; NULL: nothing. */
const char *fit_doubt(const struct demands *d);
bool fit_is_far_off(const struct demands *d);	/* no such model has these response times: the fit means nothing */
void report_demands(struct rec *r, const struct demands *d, const struct observed *o);
void report_fitted(struct rec *r, struct rows *t, const struct demands *d, const struct report_model *m, const struct observed *o);

#endif
