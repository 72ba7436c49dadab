// SPDX-License-Identifier: GPL-3.0-or-later
#include "report.h"
#include "say.h"

#include <math.h>
#include <string.h>

#define DIGITS 9	/* decimals of reported figures, for exact comparisons */
#define FAR_OFF 0.2	/* error of response times, as a logarithm, that no measurement noise explains */
#define THINK_COLUMNS 3 /* that fit beside the other columns of the text */

const char *const plot_columns[] = { "kind", "n", "z_s", "lambda", "q", "r_s", "r_asymptote_s", "x_bound", NULL };

/* Reports utilizations as an array in JSON and TSV, as one word in text. */
static void report_utilizations(struct rec_report *r, const char *key, const double *u, size_t n, bool text)
{
	char word[16 * MVA_STATIONS] = "";
	size_t used = 0;

	if (text) {
		for (size_t k = 0; k < n && used < sizeof(word); k++)
			used += (size_t)snprintf(word + used, sizeof(word) - used, "%s%.4f", k ? " " : "", u[k]);
		rec_add_str(r, key, word);
		return;
	}
	rec_begin_array(r, key);
	for (size_t k = 0; k < n; k++)
		rec_add_real(r, NULL, u[k], DIGITS);
	rec_end(r);
}

/* NAN: an empty cell. `net` NULL: no bounds. */
static void write_plot_row(struct row_file *t, const char *kind, double n, double z_s, double rate, double r_s,
			   const struct mva_network *net)
{
	double cell[] = { n, z_s, rate, rate * r_s, r_s, NAN, NAN };
	struct mva_bounds b;

	if (!t)
		return;
	if (net && isfinite(n) && isfinite(z_s)) {
		mva_compute_bounds(net, &b);
		cell[5] = n * b.demand_max_s - z_s;
		cell[6] = mva_max_throughput(&b, n, z_s);
	}
	rows_write_str(t, kind);
	for (size_t i = 0; i < sizeof(cell) / sizeof(*cell); i++)
		rows_write_real(t, cell[i]);
	rows_end_row(t);
}

const char *load_text(double load)
{
	return isinf(load) ? "without end" : load == floor(load) ? count_text((int64_t)load) : number_text(load);
}

static void say_model_point(struct rec_report *r, double n, double x, double r_s, const double *u, size_t stations)
{
	double busiest = 0;

	for (size_t k = 0; k < stations; k++)
		busiest = fmax(busiest, u[k]);
	rec_add_row(r, "%s\t%s/s\t%s\t%s %%", load_text(n), number_text(x), ns_text(r_s * 1e9), number_text(100 * busiest));
}

void report_point(struct rec_report *r, struct row_file *t, const struct report_model *m, double n, double z_s)
{
	struct mva_solution p, o;
	struct mva_bounds b;

	mva_solve(m->net, m->method, n, z_s, &p);
	mva_compute_bounds(m->net, &b);
	rec_begin_object(r, NULL);
	rec_add_reals(r, { "n", n, floor(n) == n ? 0 : 3 }, { "z_s", z_s, 6 }, { "nz", n / z_s, DIGITS }, { "lambda", p.x, DIGITS },
		      { "q", p.q, DIGITS }, { "qz", p.q / z_s, DIGITS }, { "r_s", p.r_s, DIGITS }, { "x", p.x, DIGITS });
	report_utilizations(r, "u", p.u, m->net->stations, m->text);
	rec_add_reals(r, { "r_least_s", mva_min_response(&b, n, z_s), DIGITS },
		      { "x_most", mva_max_throughput(&b, n, z_s), DIGITS });
	if (m->other) {
		enum mva_method other = m->method == MVA_EXACT ? MVA_SCHWEITZER : MVA_EXACT;
		char key[40];

		mva_solve(m->net, other, n, z_s, &o);
		snprintf(key, sizeof(key), "lambda_%s", mva_methods[other]);
		rec_add_real(r, key, o.x, DIGITS);
		snprintf(key, sizeof(key), "q_%s", mva_methods[other]);
		rec_add_real(r, key, o.q, DIGITS);
	}
	rec_end(r);
	say_model_point(r, n, p.x, p.r_s, p.u, m->net->stations);
	write_plot_row(t, "model", n, z_s, p.x, p.r_s, m->net);
}

void report_begin_points(struct rec_report *r)
{
	rec_begin_table(r, "rrrr", "users\tthroughput\tresponse\tbusiest");
	rec_set_table(r, "rows");
}

void report_bounds(struct rec_report *r, const struct mva_network *net)
{
	struct mva_bounds b;

	mva_compute_bounds(net, &b);
	rec_begin_object(r, "bounds");
	rec_add_reals(r, { "demand_max_s", b.demand_max_s, DIGITS }, { "x_most", b.x_max, DIGITS },
		      { "r_least_s", b.r_min_s, DIGITS });
	rec_end(r);
}

static void report_figures(struct rec_report *r, const struct erlang_figures *q, bool text)
{
	rec_add_bool(r, "steady", q->steady);
	rec_add_real(r, "x", q->x, DIGITS);
	report_utilizations(r, "u", &q->u, 1, text);
	rec_add_reals(r, { "q", q->q, DIGITS }, { "r_s", q->r_s, DIGITS }, { "w_s", q->w_s, DIGITS },
		      { "waits", q->waits, DIGITS });
}

bool report_open_queue(struct rec_report *r, double rate, double service_s, double servers, bool text)
{
	double p95_s = erlang_quantile(rate, service_s, servers, 0.95);
	struct erlang_figures q;
	char note[160];

	erlang_open_queue(rate, service_s, servers, &q);
	rec_begin_object(r, NULL);
	rec_add_reals(r, { "lambda", rate, DIGITS }, { "load", rate * service_s, DIGITS });
	report_figures(r, &q, text);
	if (servers > 1)
		rec_add_real(r, "blocked", q.blocked, DIGITS);
	rec_add_reals(r, { "r_p50_s", erlang_quantile(rate, service_s, servers, 0.5), DIGITS }, { "r_p95_s", p95_s, DIGITS });
	snprintf(note, sizeof(note),
		 "no steady state: %.9g requests a second come, %.9g at most can be served; "
		 "the queue grows without end",
		 rate, servers / service_s);
	rec_add_str(r, "note", q.steady ? NULL : note);
	rec_end(r);
	if (q.steady)
		rec_add_row(r, "%s/s\t%s\t%s\t%s\t%s %%", number_text(rate), ns_text(q.r_s * 1e9), ns_text(p95_s * 1e9),
			    number_text(q.q), number_text(100 * q.u));
	else
		rec_add_row(r, "%s/s\tgrows without end", number_text(rate));
	return q.steady;
}

void report_closed_queue(struct rec_report *r, double n, double z_s, double service_s, bool text)
{
	struct erlang_figures q;

	erlang_closed_queue(n, z_s, service_s, &q);
	rec_begin_object(r, NULL);
	rec_add_reals(r, { "n", n, 0 }, { "z_s", z_s, 6 }, { "nz", n / z_s, DIGITS }, { "lambda", q.x, DIGITS },
		      { "qz", q.q / z_s, DIGITS });
	report_figures(r, &q, text);
	rec_end(r);
	say_model_point(r, n, q.x, q.r_s, &q.u, 1);
}

/* The text has a row for each think time of a single load. Of several loads it has a row each, with a column for each of a few
 * think times, or for the first and the last of many. */
static bool is_think_shown(const struct users_cfg *u, size_t i)
{
	return u->thinks <= THINK_COLUMNS || i == 0 || i == u->thinks - 1;
}

void report_begin_users(struct rec_report *r, const struct users_cfg *u)
{
	char heads[24 + 16 * THINK_COLUMNS] = "users who think ";

	for (size_t i = 0; i < u->thinks; i++)
		if (is_think_shown(u, i))
			snprintf(heads + strlen(heads), sizeof(heads) - strlen(heads), "%s%s", i ? "\t" : "",
				 ns_text(u->think_s[i] * 1e9));
	rec_begin_table(r, u->single ? "lrrrrr" : "lrrrrrr", "run\trequests\tresponse\tin system\t%s",
			!u->thinks  ? "users"
			: u->single ? "think time\tusers"
				    : heads);
	rec_set_table(r, "rows");
}

void report_end_users(struct rec_report *r, const struct users_cfg *u)
{
	if (!u->single && u->thinks > THINK_COLUMNS)
		rec_say(r, "2 of %zu think times; -v has all", u->thinks);
}

static void say_users(struct rec_report *r, const struct users_cfg *u, const struct observed_row *row)
{
	char load[sizeof(row->run) + 120], users[24 * THINK_COLUMNS] = "";

	snprintf(load, sizeof(load), "%s\t%s/s\t%s\t%s", row->run[0] ? row->run : load_text(row->n), number_text(row->rate),
		 ns_text(row->r_s * 1e9), number_text(row->rate * row->r_s));
	for (size_t i = 0; i < u->thinks; i++) {
		const char *n = number_text(row->rate * u->pages * (row->r_s + u->think_s[i]));

		if (u->single)
			rec_add_row(r, "%s\t%s\t%s", load, ns_text(u->think_s[i] * 1e9), n);
		else if (is_think_shown(u, i))
			snprintf(users + strlen(users), sizeof(users) - strlen(users), "\t%s", n);
	}
	if (!u->thinks)
		rec_add_row(r, "%s\t%s", load, number_text(row->rate * (row->r_s + row->z_s)));
	else if (!u->single)
		rec_add_row(r, "%s%s", load, users);
}

void report_row_users(struct rec_report *r, const struct users_cfg *u, const struct observed_row *row)
{
	double q = row->rate * row->r_s, pages = row->rate * u->pages;

	rec_begin_object(r, NULL);
	if (row->run[0])
		rec_add_str(r, "run", row->run);
	if (isfinite(row->n))
		rec_add_real(r, "n", row->n, floor(row->n) == row->n ? 0 : 3);
	rec_add_reals(r, { "lambda", row->rate, DIGITS }, { "r_s", row->r_s, DIGITS }, { "q", q, DIGITS });
	if (isfinite(row->z_s)) {
		rec_add_reals(r, { "z_s", row->z_s, 6 }, { "n_calculated", row->rate * (row->r_s + row->z_s), DIGITS },
			      { "nz", row->n / row->z_s, DIGITS }, { "qz", q / row->z_s, DIGITS });
	}
	if (isfinite(row->mean_ms) && isfinite(row->sd_ms))
		rec_add_real(r, "cov", row->sd_ms / row->mean_ms, DIGITS);
	if (u->thinks) {
		rec_add_reals(r, { "lambda_pages", pages, DIGITS }, { "q_pages", pages * row->r_s, DIGITS });
		rec_begin_array(r, "web");
		for (size_t i = 0; i < u->thinks; i++) {
			rec_begin_object(r, NULL);
			rec_add_reals(r, { "think_s", u->think_s[i], 6 }, { "users", pages * (row->r_s + u->think_s[i]), DIGITS });
			rec_end(r);
		}
		rec_end(r);
	}
	rec_end(r);
	say_users(r, u, row);
}

#define ROW_OFF 0.2 /* a response shorter than the service demands, or a utilization above 1, by more than this share is no noise */

/* Whether a fitted row contradicts the demands: its response is shorter than they are together, or its requests keep a station busy
 * for more than the time. */
static bool demands_contradict_rows(const struct service_demands *d, const struct observed_rows *o)
{
	struct mva_bounds b;

	mva_compute_bounds(&d->net, &b);
	for (const struct observed_row *row = o->row; row < o->row + d->rows; row++)
		if (row->rate * b.demand_max_s > 1 + ROW_OFF || row->r_s < (1 - ROW_OFF) * b.r_min_s)
			return true;
	return false;
}

#define LITTLE 0.2 /* deviation of N from lambda (R + Z) from which on a row contradicts itself */

static bool breaks_little_law(const struct observed_row *row)
{
	double n = row->rate * (row->r_s + row->z_s);

	return isfinite(n) && row->n > 0 && fabs(n / row->n - 1) > LITTLE;
}

bool fit_rows_break_little(const struct observed_rows *o, size_t rows)
{
	size_t known = 0, off = 0;

	for (const struct observed_row *row = o->row; row < o->row + rows; row++) {
		known += isfinite(row->rate * (row->r_s + row->z_s)) && row->n > 0;
		off += breaks_little_law(row);
	}
	return 2 * off > known;
}

const char *fit_off_row_names(const struct observed_rows *o)
{
	static char names[4 * OBSERVED_NAME];
	size_t used = 0;

	names[0] = '\0';
	for (size_t i = 0; i < o->rows; i++) {
		const char *run = o->row[i].run;

		if (!breaks_little_law(&o->row[i]))
			continue;
		if (used > sizeof(names) - OBSERVED_NAME - 20) /* no room for another */
			return strcat(names, ", ...");
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
					 run[0] ? run : count_text((int64_t)i + 1));
	}
	return used ? names : NULL;
}

bool fit_is_meaningless(const struct service_demands *d, const struct observed_rows *o)
{
	return d->error > FAR_OFF || demands_contradict_rows(d, o);
}

const char *fit_warning_text(const struct service_demands *d, const struct observed_rows *o)
{
	bool untold = d->response_rows && d->net.delay_s > 0 && isnan(d->delay_low);

	for (size_t k = 0; k < d->net.stations; k++)
		untold = untold || isnan(d->low[k]);
	if (d->error > FAR_OFF)
		return "the model cannot explain these response times (error_percent): demands and predictions mean nothing";
	if (demands_contradict_rows(d, o))
		return "rows contradict these demands: a response shorter than they are, or more requests than they allow "
		       "(utilization above 1): demands and predictions mean nothing";
	return untold ? "these rows do not determine all demands and the delay (too few, too similar, or all at saturation): "
			"a value without interval is one of many that fit"
		      : NULL;
}

void report_fitted_demands(struct rec_report *r, const struct service_demands *d, const struct observed_rows *o)
{
	rec_add_ints(r, { "rows_used", (int64_t)d->rows }, { "response_rows", (int64_t)d->response_rows });
	rec_begin_array(r, "demands");
	for (size_t k = 0; k < d->net.stations; k++) {
		rec_begin_object(r, NULL);
		rec_add_strs(r, { "name", k < d->busy ? o->resource[k] : "queue" },
			     { "from", k < d->busy ? "busy time" : "response time" });
		rec_add_reals(r, { "demand_s", d->net.demand_s[k], DIGITS }, { "low_s", d->low[k], DIGITS },
			      { "high_s", d->high[k], DIGITS });
		rec_end(r);
	}
	rec_end(r);
	rec_begin_object(r, "delay");
	rec_add_reals(r, { "delay_s", d->net.delay_s, DIGITS }, { "low_s", d->delay_low, DIGITS },
		      { "high_s", d->delay_high, DIGITS });
	rec_end(r);
	rec_add_real(r, "error_percent", 100 * expm1(d->error), 3);
	rec_add_str(r, "note", fit_warning_text(d, o));
}

void report_fitted_rows(struct rec_report *r, struct row_file *t, const struct service_demands *d, const struct report_model *m,
			const struct observed_rows *o)
{
	rec_begin_array(r, "rows");
	for (size_t i = 0; i < o->rows; i++) {
		const struct observed_row *row = &o->row[i];
		struct mva_solution p;

		demands_predict(&d->net, m->method, row->n, row->z_s, row->rate, &p);
		rec_begin_object(r, NULL);
		if (row->run[0])
			rec_add_str(r, "run", row->run);
		rec_add_bool(r, "fitted", i < d->rows);
		rec_add_reals(r, { "n", row->n, 3 }, { "z_s", row->z_s, 6 }, { "lambda_measured", row->rate, DIGITS },
			      { "lambda", p.x, DIGITS }, { "r_measured_s", row->r_s, DIGITS }, { "r_s", p.r_s, DIGITS },
			      { "off_percent", 100 * (p.r_s / row->r_s - 1), 3 }, { "q", p.q, DIGITS });
		if (d->busy)
			report_utilizations(r, "u_measured", row->u, d->busy, m->text);
		report_utilizations(r, "u", p.u, d->net.stations, m->text);
		rec_end(r);
		write_plot_row(t, i < d->rows ? "measured" : "later", row->n, row->z_s,
			       isfinite(row->rate) ? row->rate : row->n / (row->r_s + row->z_s), row->r_s, NULL);
		write_plot_row(t, "fit", row->n, row->z_s, p.x, p.r_s, &d->net);
	}
	rec_end(r);
}
