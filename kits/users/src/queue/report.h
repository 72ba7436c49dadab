/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - writes results of queue into the report, and as rows for a plot. */
#pragma once

#include "demands.h"
#include "rec.h"

extern const char *const plot_columns[]; /* columns of schema queue/1 */

/* The model of report_point(), which reports n, z_s, nz, lambda, q, qz, r_s, x, u[], bounds, and with `other` the figures of
 * the other method. */
struct report_model {
	const struct mva_network *net;
	enum mva_method method;
	bool text;  /* the report is text for people: u is one word, not an array */
	bool other; /* report the other method's figures, too */
};
void report_point(struct rec_report *r, struct row_file *t, const struct report_model *m, double n, double z_s);
/* A number of users or a rate, in words; users are whole except for Schweitzer's approximation. */
const char *load_text(double load);
/* In text, begins the table of the points that follow. */
void report_begin_points(struct rec_report *r);
void report_bounds(struct rec_report *r, const struct mva_network *net);
/* Report a row of one queue: of an open stream (returns whether it has a steady state), or of users who think. `text`: as in struct
 * report_model. */
bool report_open_queue(struct rec_report *r, double rate, double service_s, double servers, bool text);
void report_closed_queue(struct rec_report *r, double n, double z_s, double service_s, bool text);

/* How to convert a measured row to numbers of users: pages per object, and the think times of users. */
struct users_cfg {
	double pages;
	const double *think_s;
	size_t thinks;
	bool single; /* one load: the text has a row for each think time */
};
/* The text's table has a row for each load, with a column for each think time: of more than three, for the first and the last. */
void report_begin_users(struct rec_report *r, const struct users_cfg *u);
void report_end_users(struct rec_report *r, const struct users_cfg *u);
void report_row_users(struct rec_report *r, const struct users_cfg *u, const struct observed_row *row);

/* Returns a warning about a fit; NULL: there is none. */
const char *fit_warning_text(const struct service_demands *d, const struct observed_rows *o);
/* true: response times are too far from the model, or fitted rows contradict the demands */
bool fit_is_meaningless(const struct service_demands *d, const struct observed_rows *o);
/* Whether in more than half of the rows the users, rates and times contradict each other (Little's law). Only rows whose times are
 * means can be checked. */
bool fit_rows_break_little(const struct observed_rows *o, size_t rows);
/* Lists the rows that contradict themselves in this way, by their run or their number from 1; NULL: there is none. */
const char *fit_off_row_names(const struct observed_rows *o);
#define LITTLE_WARNING \
	"the rows' users are not those that their rates and times tell (N = lambda (R + Z)): " \
	"not all of them asked, or the think time is another"
void report_fitted_demands(struct rec_report *r, const struct service_demands *d, const struct observed_rows *o);
void report_fitted_rows(struct rec_report *r, struct row_file *t, const struct service_demands *d, const struct report_model *m,
			const struct observed_rows *o);
