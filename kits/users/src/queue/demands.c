// SPDX-License-Identifier: GPL-3.0-or-later
#include "demands.h"
#include "memory.h"

#include <errno.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>

#define LEVEL 0.975 /* quantile of a two-sided 95 % interval */
#define FREE_MOST 9 /* most stations and delays that are fitted to response times */
#define FAR 50.0    /* residual that replaces an infinite one */
#define TURNS 200
#define HALVES 100 /* steps of a bisection: a double has no more digits */
#define ALIKE 1e-6 /* relative tolerance for derivatives, which are differences of doubles */
/* smallest 1 - leverage of a row whose residual counts: a row that alone determines a demand has no residual */
#define LEVERED 1e-6
#define NOTHING 1e-3 /* share of the shortest response time below which a delay is dropped */

void demands_predict(const struct mva_network *net, enum mva_method method, double n, double z_s, double rate,
		     struct mva_solution *out)
{
	if (isfinite(n) && isfinite(z_s)) {
		mva_solve(net, method, n, z_s, out);
		return;
	}
	*out = (struct mva_solution){ .x = rate, .r_s = net->delay_s };
	for (size_t k = 0; k < net->stations; k++) {
		double u = rate * net->demand_s[k];

		out->u[k] = u;
		out->at[k] = u < 1 ? u / (1 - u) : INFINITY;
		out->r_s += u < 1 ? net->demand_s[k] / (1 - u) : INFINITY;
	}
	out->q = rate * out->r_s;
}

static bool exceeds_limit(const struct mva_network *net, enum mva_method method, double n, double r_s, double nz, double z_s)
{
	struct mva_solution p;

	mva_solve(net, method, n, isfinite(nz) ? n / nz : z_s, &p);
	return p.r_s > r_s;
}

double demands_max_users(const struct mva_network *net, enum mva_method method, double r_s, double nz, double z_s, double most)
{
	double low = 0, high = 1;

	for (; !exceeds_limit(net, method, high, r_s, nz, z_s); high *= 2) {
		low = high;
		if (high > most)
			return INFINITY;
	}
	while (high - low > 1) {
		double middle = floor((low + high) / 2);

		if (exceeds_limit(net, method, middle, r_s, nz, z_s))
			high = middle;
		else
			low = middle;
	}
	return low;
}

double demands_max_rate(const struct mva_network *net, double r_s)
{
	struct mva_bounds b;
	double low = 0, high;

	mva_compute_bounds(net, &b);
	if (b.r_min_s > r_s)
		return 0;
	high = b.x_max;
	for (int i = 0; i < HALVES && isfinite(high); i++) {
		double middle = (low + high) / 2;
		struct mva_solution p;

		demands_predict(net, MVA_EXACT, NAN, NAN, middle, &p);
		if (p.r_s > r_s)
			high = middle;
		else
			low = middle;
	}
	return isfinite(high) ? low : INFINITY;
}

/* --- busy times ------------------------------------------------------------------------------------------------ */

static double row_rate(const struct observed_row *r)
{
	return isfinite(r->rate) ? r->rate : r->n / (r->r_s + r->z_s);
}

/* Returns the slope of a line through the origin: total busy time over total requests, which is least squares with errors that grow
 * with the load (Denning & Buzen 1978); *half: half its 95 % interval. Errors of rows differ in size, so each row contributes its
 * own residual over one minus its leverage (HC3; MacKinnon & White 1985). */
static double fit_slope(const double *x, const double *y, size_t n, double *half)
{
	double sum_x = 0, sum_y = 0, own = 0;

	for (size_t i = 0; i < n; i++) {
		sum_x += x[i];
		sum_y += y[i];
	}
	for (size_t i = 0; i < n; i++) {
		double rest = 1 - x[i] / sum_x;

		own += rest > LEVERED ? pow((y[i] - sum_y / sum_x * x[i]) / rest, 2) : 0;
	}
	*half = n > 1 ? gsl_cdf_tdist_Pinv(LEVEL, (double)(n - 1)) * sqrt(own) / sum_x : (double)NAN;
	return sum_y / sum_x;
}

static int fit_busy_times(const struct observed_rows *o, struct service_demands *d, const char **why)
{
	double *x = memory_new(2 * d->rows, sizeof(*x)), *y = x + d->rows;

	for (size_t k = 0; k < o->resources; k++) {
		double half;
		size_t n = 0;

		for (size_t i = 0; i < d->rows; i++) {
			double rate = row_rate(&o->row[i]);

			if (!isfinite(rate) || !isfinite(o->row[i].u[k]))
				continue;
			x[n] = rate;
			y[n++] = o->row[i].u[k];
		}
		d->net.demand_s[k] = fit_slope(x, y, n, &half);
		if (!(d->net.demand_s[k] > 0) || isinf(d->net.demand_s[k])) {
			*why = "busy times without rates, or all 0: give lambda (or n, z and the response time) beside each u_ column, or leave it out";
			free(x);
			return -EINVAL;
		}
		d->low[k] = half > d->net.demand_s[k] ? 0 : d->net.demand_s[k] - half;
		d->high[k] = d->net.demand_s[k] + half;
	}
	d->busy = d->net.stations = o->resources;
	free(x);
	return 0;
}

/* --- response times -------------------------------------------------------------------------------------------- */

struct fit_problem {
	const struct observed_row **row; /* rows with a response time and a load */
	size_t rows;
	const struct service_demands *from;
	size_t stations; /* number of stations to fit; the delay follows them in the vector */
	bool delay;
	enum mva_method method;
};

static bool is_fittable(const struct observed_row *r)
{
	return r->r_s > 0 && (isfinite(r->z_s) ? r->n >= 1 : r->rate > 0);
}

static void set_demands(const struct fit_problem *p, const gsl_vector *v, struct mva_network *net)
{
	*net = p->from->net;
	for (size_t k = 0; k < p->stations; k++)
		net->demand_s[net->stations++] = exp(gsl_vector_get(v, k));
	net->delay_s = p->delay ? exp(gsl_vector_get(v, p->stations)) : 0;
}

static int compute_residuals(const gsl_vector *v, void *data, gsl_vector *f)
{
	const struct fit_problem *p = data;
	struct mva_network net;

	set_demands(p, v, &net);
	for (size_t i = 0; i < p->rows; i++) {
		const struct observed_row *r = p->row[i];
		struct mva_solution at;
		double off;

		demands_predict(&net, p->method, r->n, r->z_s, r->rate, &at);
		off = log(at.r_s / r->r_s);
		gsl_vector_set(f, i, isfinite(off) && fabs(off) < FAR ? off : at.r_s < r->r_s ? -FAR : FAR);
	}
	return GSL_SUCCESS;
}

struct fit_solution {
	double value[FREE_MOST], error[FREE_MOST]; /* logarithms of demands, and their standard errors (NAN: none) */
	double squares;
};

/* Computes standard errors: the usual ones, for equal errors of rows, or those of fit_slope() (HC3), whichever is
 * larger; `covar` is (J'J)^-1. */
static void compute_errors(const gsl_matrix *jacobian, const gsl_vector *left, const gsl_matrix *covar, double squares,
			   double *error)
{
	size_t n = jacobian->size1, p = jacobian->size2;

	for (size_t k = 0; k < p; k++) {
		double own = 0;

		for (size_t i = 0; i < n; i++) {
			double lever = 0, pull = 0, rest;

			for (size_t a = 0; a < p; a++) {
				pull += gsl_matrix_get(covar, k, a) * gsl_matrix_get(jacobian, i, a);
				for (size_t b = 0; b < p; b++)
					lever += gsl_matrix_get(jacobian, i, a) * gsl_matrix_get(covar, a, b) *
						 gsl_matrix_get(jacobian, i, b);
			}
			rest = 1 - lever;
			own += rest > LEVERED ? pow(pull * gsl_vector_get(left, i) / rest, 2) : 0;
		}
		error[k] = sqrt(fmax(gsl_matrix_get(covar, k, k) * squares / (double)(n - p), own));
	}
}

/* Fits from one starting point. False: no convergence. */
static bool fit_one_start(struct fit_problem *p, const double *begin, struct fit_solution *out)
{
	size_t free_n = p->stations + p->delay;
	gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_workspace *w =
		must_alloc(gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, p->rows, free_n));
	gsl_multifit_nlinear_fdf f = { .f = compute_residuals, .n = p->rows, .p = free_n, .params = p };
	gsl_matrix *covar = must_alloc(gsl_matrix_alloc(free_n, free_n));
	gsl_vector_const_view from = gsl_vector_const_view_array(begin, free_n);
	int info, err = gsl_multifit_nlinear_init(&from.vector, &f, w);
	bool ok;

	if (!err)
		err = gsl_multifit_nlinear_driver(TURNS, 1e-10, 1e-10, 0, NULL, NULL, &info, w);
	memory_refuse_lost(err == GSL_ENOMEM);
	ok = !err || err == GSL_EMAXITER || err == GSL_ENOPROG;
	if (ok) {
		gsl_vector *left = gsl_multifit_nlinear_residual(w), *at = gsl_multifit_nlinear_position(w);

		gsl_blas_ddot(left, left, &out->squares);
		ok = isfinite(out->squares);
		err = gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), ALIKE, covar);
		memory_refuse_lost(err == GSL_ENOMEM);
		err = err || p->rows <= free_n;
		/* GSL sets 0 for parameters that the data do not determine; then the others have no error either */
		for (size_t i = 0; i < free_n; i++)
			err = err || !(gsl_matrix_get(covar, i, i) > 0);
		for (size_t i = 0; i < free_n; i++) {
			out->value[i] = gsl_vector_get(at, i);
			out->error[i] = NAN;
		}
		if (!err)
			compute_errors(gsl_multifit_nlinear_jac(w), left, covar, out->squares, out->error);
	}
	gsl_matrix_free(covar);
	gsl_multifit_nlinear_free(w);
	return ok;
}

/* Fits from several starting points: the shortest response time divided among the stations in different ways, with no station
 * overloaded at the highest measured rate. */
static bool fit_many_starts(struct fit_problem *p, struct fit_solution *best)
{
	static const double shares[] = { 0.9, 0.5, 0.2, 0.05 };
	double shortest = INFINITY, fastest = 0;
	bool found = false;

	for (size_t i = 0; i < p->rows; i++) {
		double rate = row_rate(p->row[i]);

		shortest = fmin(shortest, p->row[i]->r_s);
		fastest = isfinite(rate) ? fmax(fastest, rate) : fastest;
	}
	for (size_t s = 0; s < sizeof(shares) / sizeof(*shares); s++) {
		double begin[FREE_MOST], left = shortest;
		struct fit_solution now;

		for (size_t k = 0; k < p->stations; k++) {
			double d = fmin(shares[s] * left, fastest > 0 ? 0.9 / fastest : INFINITY);

			left -= d;
			begin[k] = log(d);
		}
		if (p->delay)
			begin[p->stations] = log(fmax(left, 0.01 * shortest));
		if (fit_one_start(p, begin, &now) && (!found || now.squares < best->squares)) {
			*best = now;
			found = true;
		}
	}
	return found;
}

static int fit_responses(const struct observed_rows *o, const struct demands_fit_cfg *cfg, struct service_demands *d,
			 const char **why)
{
	struct fit_problem p = { .from = d, .delay = !cfg->no_delay, .method = cfg->method };
	struct fit_solution s = { .squares = 0 };
	double shortest = INFINITY, t;
	bool ok;

	p.stations = cfg->stations >= 0 ? (size_t)cfg->stations : d->busy ? 0 : 1;
	p.row = memory_new(d->rows, sizeof(*p.row));
	for (size_t i = 0; i < d->rows; i++)
		if (is_fittable(&o->row[i])) {
			p.row[p.rows++] = &o->row[i];
			shortest = fmin(shortest, o->row[i].r_s);
		}
	if (!p.rows && d->busy) { /* busy times are enough */
		free(p.row);
		return 0;
	}
	*why = "more free demands than rows with a response time and a load (n and z_s, or lambda): fewer --stations, or more rows";
	if (p.delay && p.stations && p.rows == p.stations)
		p.delay = false;
	ok = p.stations + p.delay <= FREE_MOST && p.stations + d->busy <= MVA_STATIONS && p.rows && p.rows >= p.stations + p.delay;
	if (ok && p.stations + p.delay) {
		*why = "the fit does not converge for these rows; fewer --stations, or other rows";
		ok = fit_many_starts(&p, &s);
		if (ok && p.delay && p.stations + d->busy && exp(s.value[p.stations]) < NOTHING * shortest) {
			p.delay = false;
			ok = p.stations ? fit_many_starts(&p, &s) : true;
		}
	}
	free(p.row);
	if (!ok)
		return -EINVAL;
	t = p.rows > p.stations + p.delay ? gsl_cdf_tdist_Pinv(LEVEL, (double)(p.rows - p.stations - p.delay)) : NAN;
	for (size_t i = 0; i < p.stations + p.delay; i++) {
		double value = exp(s.value[i]), low = exp(s.value[i] - t * s.error[i]), high = exp(s.value[i] + t * s.error[i]);
		size_t k = d->net.stations;

		if (i == p.stations) {
			d->net.delay_s = value;
			d->delay_low = low;
			d->delay_high = high;
		} else {
			d->net.demand_s[k] = value;
			d->low[k] = low;
			d->high[k] = high;
			d->net.stations++;
		}
	}
	d->response_rows = p.rows;
	return 0;
}

static void compute_error(const struct observed_rows *o, const struct demands_fit_cfg *cfg, struct service_demands *d)
{
	double squares = 0;
	size_t n = 0;

	for (size_t i = 0; i < d->rows && d->response_rows; i++) {
		const struct observed_row *r = &o->row[i];
		struct mva_solution at;

		if (!is_fittable(r))
			continue;
		demands_predict(&d->net, cfg->method, r->n, r->z_s, r->rate, &at);
		squares += pow(log(at.r_s / r->r_s), 2);
		n++;
	}
	d->error = n ? sqrt(squares / (double)n) : (double)NAN;
}

int demands_estimate(const struct observed_rows *o, const struct demands_fit_cfg *cfg, struct service_demands *out,
		     const char **why)
{
	int err = 0;

	*out = (struct service_demands){ .delay_low = NAN, .delay_high = NAN, .error = NAN };
	for (size_t k = 0; k < MVA_STATIONS; k++)
		out->low[k] = out->high[k] = NAN;
	out->rows = cfg->first && cfg->first < o->rows ? cfg->first : o->rows;
	gsl_set_error_handler_off(); /* without this, GSL aborts the program on errors */
	if (o->resources)
		err = fit_busy_times(o, out, why);
	if (!err)
		err = fit_responses(o, cfg, out, why);
	if (!err)
		compute_error(o, cfg, out);
	return err;
}
