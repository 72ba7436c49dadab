/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - writes results of queue into the report, and as rows for a plot. */
#ifndef THINPROBE_QUEUE_REPORT_H
#define THINPROBE_QUEUE_REPORT_H

#include "demands.h"
#include "rec.h"

extern const char *const plot_columns[];	/* columns of schema queue/1 */

/* The model of report_point(), which reports n, z_s, nz, lambda, q, qz, r_s, x, u[], bounds, and with `other` the figures of the
 * other method. */
struct report_model {
	const struct mva_net *net;
	enum mva_method method;
	bool text;		/* the report is text for people: u is one word, not an array */
	bool other;		/* report the other method's figures, too */
};
void report_point(struct rec *r, struct rows *t, const struct report_model *m, double n, double z_s);
/* In text, begins the table of the points that follow. */
void begin_points_table(struct rec *r);
void report_bounds(struct rec *r, const struct mva_net *net);
/* Report a row of one queue: of an open stream (returns whether it has a steady state), or of users who think. `text`: as in struct
 * report_model. */
bool report_open_queue(struct rec *r, double rate, double service_s, double servers, bool text);
void report_closed_queue(struct rec *r, double n, double z_s, double service_s, bool text);
/* Writes a measured or predicted row for a plot; NAN: an empty cell. */
void write_plot_row(struct rows *t, const char *kind, double n, double z_s, double rate, double r_s, const struct mva_net *net);

/* How to convert a measured row to numbers of users: pages per object, and the think times of users. */
struct report_user_row {
	double pages;
	const double *think_s;
	size_t thinks;
};
void report_user_row(struct rec *r, const struct report_user_row *u, const struct observed_row *row);

/* Returns a warning about a fit; NULL: there is none. */
const char *fit_doubt(const struct demands *d);
bool fit_is_far_off(const struct demands *d);	/* true: response times are too far from the model, so the fit means nothing */
void report_demands(struct rec *r, const struct demands *d, const struct observed *o);
void report_fitted(struct rec *r, struct rows *t, const struct demands *d, const struct report_model *m, const struct observed *o);

#endif
