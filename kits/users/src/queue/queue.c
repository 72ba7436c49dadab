// SPDX-License-Identifier: GPL-3.0-or-later
/* queue - queueing models of users and servers: closed networks, single queues, number of users behind a load, and service demands
 * from measured rows.
 *
 * The models are in models.c, their fit to measured rows in demands.c; observed.c reads these rows, report.c reports. This file
 * reads options and selects the model. */
#include "figure.h"
#include "number_list.h"
#include "say.h"
#include "report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define USERS_MOST 1e7
#define WORK_MOST 2e10 /* most users times stations, over all rows: takes minutes */

static struct {
	struct number_list demand, users, rate, think;
	int64_t delay_ns, service_ns, response_ns, threshold_ns, servers, first, stations;
	double nz, tolerance, pages;
	const char *column, *rows;
	bool no_delay;
	int method;
} cfg = { .service_ns = -1, .response_ns = -1, .threshold_ns = -1, .servers = -1, .stations = -1, .nz = NAN, .pages = 1 };
static struct rec_cfg out_cfg;

static int parse_times(const char *text, void *value)
{
	return number_list_parse(text, number_parse_time, value);
}

static int parse_numbers(const char *text, void *value)
{
	return number_list_parse(text, cli_parse_real, value);
}

/* "9:15": 9 pages are 15 objects. */
static int parse_pages(const char *text, void *value)
{
	double pages, objects;
	char more;

	if (sscanf(text, "%lf:%lf%c", &pages, &objects, &more) != 2 || !(pages > 0 && pages <= 1e9) ||
	    !(objects > 0 && objects <= 1e9))
		return -1;
	*(double *)value = pages / objects;
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_CALL, 0, "demand", &cfg.demand, .of = "mva", .help = "time that a request needs of each station", .call = parse_times,
	  .meta = "TIME,..., such as 50ms,40ms,30ms" },
	{ CLI_NS, 0, "delay", &cfg.delay_ns, 0, 1e15, .of = "mva", .help = "time of a request outside the stations (0)" },
	{ CLI_CALL, 'n', "users", &cfg.users, .of = "mva, mm1n, fit", .help = "number of users", .call = parse_numbers,
	  .meta = "N,... or FROM:TO:STEP" },
	{ CLI_CALL, 'z', "think-time", &cfg.think, .call = parse_times, .of = "mva, mm1n, fit, users",
	  .help = "mean think time; users: a list, or FROM:TO:STEP (fit: the last row's)", .meta = "TIME[,...]" },
	{ CLI_REAL, 0, "users-per-second", &cfg.nz, 1e-9, 1e9, .of = "mva, mm1n, fit",
	  .help = "instead of -z: think time in seconds = users / RATIO", .meta = "RATIO" },
	{ CLI_WORD, 0, "method", &cfg.method, .of = "mva, fit", .help = "exact, or Schweitzer's approximation (exact)",
	  .words = mva_methods },
	{ CLI_REAL, 0, "tolerance", &cfg.tolerance, 0, 1, .of = "mva",
	  .help = "convergence threshold of Schweitzer's iteration, in requests (0: machine precision)", .meta = "REQUESTS" },
	{ CLI_CALL, 0, "rate", &cfg.rate, .of = "mm1, mmm, users", .help = "requests a second", .call = parse_numbers,
	  .meta = "RATE,... or FROM:TO:STEP" },
	{ CLI_NS, 0, "service", &cfg.service_ns, 1, 1e15, .of = "mm1, mmm, mm1n", .help = "mean service time" },
	{ CLI_INT, 0, "servers", &cfg.servers, 1, 1e6, .of = "mmm", .help = "number of servers" },
	{ CLI_NS, 0, "response", &cfg.response_ns, 0, 1e15, .of = "users", .help = "measured response time" },
	{ CLI_CALL, 0, "pages", &cfg.pages, .of = "users", .help = "PAGES pages are OBJECTS requests (1:1)", .call = parse_pages,
	  .meta = "PAGES:OBJECTS" },
	{ CLI_STR, 0, "column", &cfg.column, .of = "users, fit", .help = "column of the response time (r_s or r_ms)",
	  .meta = "NAME" },
	{ CLI_INT, 0, "first", &cfg.first, 1, 1e6, .of = "fit", .help = "fit the first ROWS rows, predict the others (all)",
	  .meta = "ROWS" },
	{ CLI_INT, 0, "stations", &cfg.stations, 0, 8, .of = "fit",
	  .help = "stations to fit to response times (1; 0 if busy times are given)" },
	{ CLI_FLAG, 0, "no-delay", &cfg.no_delay, .of = "fit", .help = "fit no constant delay outside the stations" },
	{ CLI_NS, 0, "threshold", &cfg.threshold_ns, 1, 1e15, .of = "fit",
	  .help = "predict the most users (open stream: requests a second) at this response time" },
	{ CLI_FILE, 0, "rows", &cfg.rows, .of = "mva, fit", .help = "write rows for a plot" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static struct rec_report *open_report(const char *mode)
{
	const struct rec_output_path places[] = { { "-o", out_cfg.path ? out_cfg.path : "-" }, { "--rows", cfg.rows } };
	struct rec_report *out;

	rec_refuse_same_outputs(places, 2);
	out = rec_must_open(&out_cfg, "queue");
	rec_begin_object(out, "settings");
	rec_add_str(out, "model", mode);
	return out;
}

static void begin_result(struct rec_report *out)
{
	rec_end(out);
	rec_begin_object(out, "result");
}

static void close_outputs(struct rec_report *out, struct row_file *t)
{
	int err = rows_close(t);

	if (err)
		die(EXIT_RUN, "cannot write %s: %s", cfg.rows, strerror(-err));
	rec_end(out);
	rec_must_close(out);
}

/* --- closed networks ------------------------------------------------------------------------------------------- */

/* Dies unless the numbers of users are whole (except for Schweitzer's approximation) and not too large. */
static void require_valid_users(bool fractions, size_t stations)
{
	double work = 0;

	for (size_t i = 0; i < cfg.users.n; i++) {
		double n = cfg.users.value[i];

		if (!(n >= 1 && n <= USERS_MOST) || (!fractions && floor(n) != n))
			die_usage("-n %g: %s from 1 to %.0f", n, fractions ? "users" : "whole users", USERS_MOST);
		work += n * (double)stations;
	}
	if (work > WORK_MOST)
		die_usage("-n: exact results for so many users take too long; give fewer, or --method schweitzer");
}

static double think_time_s(double n, double otherwise)
{
	return isfinite(cfg.nz) ? n / cfg.nz : cfg.think.n ? cfg.think.value[0] : otherwise;
}

static void require_model_options(const char *mode)
{
	if (isfinite(cfg.nz) && cfg.think.n)
		die_usage("give only one of -z and --users-per-second, which sets the think time");
	if (!cfg.users.n)
		die_usage("queue %s needs -n, such as 100:1000:100", mode);
	if (cfg.think.n > 1)
		die_usage("queue %s takes one think time: -z TIME", mode);
	if (!isfinite(cfg.nz) && !cfg.think.n)
		die_usage("queue %s needs a think time: -z TIME, or --users-per-second RATIO", mode);
}

static int run_mva_command(const char *mode)
{
	struct mva_network net = { .stations = cfg.demand.n, .delay_s = (double)cfg.delay_ns / 1e9, .tolerance = cfg.tolerance };
	struct report_model m = { &net, (enum mva_method)cfg.method, out_cfg.format == REC_TEXT, true };
	struct mva_bounds bounds;
	double most = 0;
	struct rec_report *out;
	struct row_file *t;

	if (!cfg.demand.n)
		die_usage("queue mva needs --demand, such as 50ms,40ms,30ms");
	if (cfg.demand.n > MVA_STATIONS)
		die_usage("--demand: at most %d stations", MVA_STATIONS);
	for (size_t k = 0; k < net.stations; k++) {
		net.demand_s[k] = cfg.demand.value[k];
		most = fmax(most, net.demand_s[k]);
	}
	if (!(most > 0))
		die_usage("--demand: at least one demand must be above 0");
	require_model_options(mode);
	require_valid_users(m.method == MVA_SCHWEITZER, net.stations);
	m.other = true;
	for (size_t i = 0; i < cfg.users.n; i++)
		m.other = m.other && floor(cfg.users.value[i]) == cfg.users.value[i];
	out = open_report(mode);
	rec_add_str(out, "method", mva_methods[cfg.method]);
	rec_add_reals(out, { "delay_s", net.delay_s, 9 }, { "tolerance", net.tolerance, 6 });
	begin_result(out);
	t = rows_must_open(cfg.rows, "queue/1", plot_columns);
	report_bounds(out, &net);
	report_begin_points(out);
	rec_begin_array(out, "rows");
	for (size_t i = 0; i < cfg.users.n; i++)
		report_point(out, t, &m, cfg.users.value[i], think_time_s(cfg.users.value[i], 0));
	rec_end(out);
	mva_compute_bounds(&net, &bounds);
	if (isfinite(cfg.nz))
		rec_say(out, "at most %s requests/s", number_text(bounds.x_max));
	else
		rec_say(out, "at most %s requests/s; the bounds cross at about %s users", number_text(bounds.x_max),
			count_text(llround((bounds.r_min_s + think_time_s(1, 0)) / bounds.demand_max_s)));
	close_outputs(out, t);
	return EXIT_OK;
}

/* --- one queue ------------------------------------------------------------------------------------------------- */

static double require_service(const char *mode)
{
	if (cfg.service_ns < 0)
		die_usage("queue %s needs --service TIME", mode);
	return (double)cfg.service_ns / 1e9;
}

static int run_open_queue(const char *mode)
{
	double s = require_service(mode), servers = cfg.servers < 0 ? 1 : (double)cfg.servers, unstable = INFINITY;
	struct rec_report *out;

	if (!cfg.rate.n)
		die_usage("queue %s needs --rate, such as 18", mode);
	if (!strcmp(mode, "mmm") && cfg.servers < 0)
		die_usage("queue mmm needs --servers M");
	for (size_t i = 0; i < cfg.rate.n; i++)
		if (!(cfg.rate.value[i] > 0 && cfg.rate.value[i] <= 1e9))
			die_usage("--rate %g: above 0", cfg.rate.value[i]);
	out = open_report(mode);
	rec_add_real(out, "service_s", s, 9);
	rec_add_int(out, "servers", (int64_t)servers);
	begin_result(out);
	rec_begin_table(out, "rrrrr", "requests\tresponse\tp95\tin queue\tbusy");
	rec_set_table(out, "rows");
	rec_begin_array(out, "rows");
	for (size_t i = 0; i < cfg.rate.n; i++)
		if (!report_open_queue(out, cfg.rate.value[i], s, servers, out_cfg.format == REC_TEXT))
			unstable = fmin(unstable, cfg.rate.value[i]);
	rec_end(out);
	if (isfinite(unstable))
		rec_warn(out,
			 "No steady state from %.9g requests a second on: %.9g at most can be served; the queue grows without end.",
			 unstable, servers / s);
	close_outputs(out, NULL);
	return isinf(unstable) ? EXIT_OK : EXIT_LOSSY;
}

static int run_closed_queue(const char *mode)
{
	double s = require_service(mode);
	struct rec_report *out;

	require_model_options(mode);
	if (cfg.think.n && !(cfg.think.value[0] > 0))
		die_usage("-z 0: without think time the server is always busy; give a time above 0");
	require_valid_users(false, 1);
	out = open_report(mode);
	rec_add_real(out, "service_s", s, 9);
	begin_result(out);
	report_begin_points(out);
	rec_begin_array(out, "rows");
	for (size_t i = 0; i < cfg.users.n; i++)
		report_closed_queue(out, cfg.users.value[i], think_time_s(cfg.users.value[i], 0), s, out_cfg.format == REC_TEXT);
	rec_end(out);
	close_outputs(out, NULL);
	return EXIT_OK;
}

/* --- measured rows --------------------------------------------------------------------------------------------- */

static void read_rows(const char *file, struct observed_rows *o)
{
	FILE *in = cli_open_input(file);
	unsigned long line;
	const char *why;
	int err;

	err = observed_read(in, cfg.column, o, &line, &why);
	cli_close_input(in, file, err, line, why);
}

static int run_users(const char *file)
{
	struct observed_row asked = { .n = NAN, .z_s = NAN, .mean_ms = NAN, .sd_ms = NAN };
	struct observed_rows o = { .row = &asked, .rows = 1 };
	struct users_cfg u = { cfg.pages, cfg.think.value, cfg.think.n, !file };
	struct rec_report *out;
	const char *off;

	if (file) {
		if (cfg.rate.n || cfg.response_ns >= 0)
			die_usage("give either a file of rows, or --rate and --response");
		read_rows(file, &o);
	} else {
		if (cfg.rate.n != 1 || cfg.response_ns < 0 || !cfg.think.n)
			die_usage(
				"queue users needs --rate R, --response TIME and --think-time TIME,..., or a file of measured rows");
		asked.rate = cfg.rate.value[0];
		asked.r_s = (double)cfg.response_ns / 1e9;
	}
	out = open_report("users");
	rec_add_real(out, "pages_per_object", cfg.pages, 9);
	begin_result(out);
	report_begin_users(out, &u);
	rec_begin_array(out, "rows");
	for (size_t i = 0; i < o.rows; i++)
		report_row_users(out, &u, &o.row[i]);
	rec_end(out);
	report_end_users(out, &u);
	off = file && !cfg.column ? fit_off_row_names(&o) : NULL; /* Little's law needs means; --column may be a percentile */
	if (off)
		rec_warn(out, "row %s: " LITTLE_WARNING, off);
	close_outputs(out, NULL);
	if (file)
		observed_free(&o);
	return off ? EXIT_LOSSY : EXIT_OK;
}

/* Largest load whose mean response time stays below --threshold, from the ends of the demands' intervals; absent: not asked for, or
 * a load of the other kind. */
struct load_forecast {
	struct figure users, rate;
};

#define TELLS 4 /* the forecast's ends may differ by so much; beyond that it tells nothing */

static void report_forecast(struct rec_report *out, struct row_file *t, const struct report_model *m, double last_z,
			    const struct load_forecast *most)
{
	if (cfg.users.n) {
		report_begin_points(out);
		rec_begin_array(out, "foretold");
		for (size_t i = 0; i < cfg.users.n; i++)
			report_point(out, t, m, cfg.users.value[i], think_time_s(cfg.users.value[i], last_z));
		rec_end(out);
	}
	if (cfg.threshold_ns > 0) {
		double limit = (double)cfg.threshold_ns / 1e9;

		rec_begin_object(out, "threshold");
		rec_add_reals(out, { "r_s", limit, 9 }, { "users", most->users.value, 0 }, { "users_low", most->users.low, 0 },
			      { "users_high", most->users.high, 0 }, { "rate", most->rate.value, 9 },
			      { "rate_low", most->rate.low, 9 }, { "rate_high", most->rate.high, 9 });
		rec_end(out);
	}
}

static double largest_load(const struct mva_network *net, enum mva_method method, double last_z)
{
	double limit = (double)cfg.threshold_ns / 1e9, z = think_time_s(1, last_z);

	return isfinite(z) ? demands_max_users(net, method, limit, cfg.nz, z, USERS_MOST) : demands_max_rate(net, limit);
}

/* Forecasts the largest load. All demands at the low ends of their intervals allow the highest load, at the high ends the
 * lowest. */
static struct load_forecast forecast_load(const struct service_demands *d, const struct report_model *m, double last_z)
{
	struct load_forecast most = { FIGURE_ABSENT, FIGURE_ABSENT };
	struct mva_network low = d->net, high = d->net;
	struct figure f;
	bool known = true;

	if (cfg.threshold_ns <= 0)
		return most;
	for (size_t k = 0; k < d->net.stations; k++) {
		known = known && isfinite(d->low[k]) && isfinite(d->high[k]);
		low.demand_s[k] = d->low[k];
		high.demand_s[k] = d->high[k];
	}
	low.delay_s = isfinite(d->delay_low) ? d->delay_low : low.delay_s;
	high.delay_s = isfinite(d->delay_high) ? d->delay_high : high.delay_s;
	f = figure_estimate(largest_load(&d->net, m->method, last_z), known ? largest_load(&high, m->method, last_z) : (double)NAN,
			    known ? largest_load(&low, m->method, last_z) : (double)NAN);
	*(isfinite(think_time_s(1, last_z)) ? &most.users : &most.rate) = f;
	return most;
}

static const char *range_text(double least, double most)
{
	static char text[80];

	snprintf(text, sizeof(text), ", an extrapolation from %.4g to %.4g", least, most);
	return text;
}

/* Says the forecast with its ends, and from which rows it is extrapolated. */
static void say_largest_load(struct rec_report *out, const struct figure *f, const char *what, const struct observed_rows *o,
			     size_t rows)
{
	const char *limit = ns_text((double)cfg.threshold_ns);
	double least = NAN, most = NAN;

	for (size_t i = 0; i < rows && i < o->rows; i++) {
		double load = !strcmp(what, "users") ? o->row[i].n : o->row[i].rate;

		least = fmin(least, load);
		most = fmax(most, load);
	}
	if (isnan(f->low))
		rec_say(out, "Cannot tell how many %s stay below %s: the rows tell no interval (%s by the fit alone).", what, limit,
			load_text(f->value));
	else if (!(f->high <= TELLS * f->low))
		rec_say(out, "Cannot tell how many %s stay below %s: %s to %s. Measure more rows, with higher loads.", what, limit,
			load_text(f->low), load_text(f->high));
	else
		rec_say(out, "%s (95 %%: %s to %s) %s stay below %s on average%s.", load_text(f->value), load_text(f->low),
			load_text(f->high), what, limit, !(f->value > most) ? "" : range_text(least, most));
}

static void say_fit_summary(struct rec_report *out, const struct service_demands *d, const struct observed_rows *o,
			    const struct load_forecast *most)
{
	bool fits = !fit_is_meaningless(d, o);

	if (fit_warning_text(d, o))
		rec_warn(out, "%s", fit_warning_text(d, o));
	if (!cfg.column && fit_rows_break_little(o, d->rows))
		rec_warn(out, LITTLE_WARNING);
	if (fits && isfinite(most->users.value))
		say_largest_load(out, &most->users, "users", o, d->rows);
	if (fits && isfinite(most->rate.value))
		say_largest_load(out, &most->rate, "requests a second", o, d->rows);
	if (fits && isfinite(d->error))
		rec_say(out, "The model is off by %s %% (root mean square of %zu rows). Service demands of a request:",
			number_text(100 * expm1(d->error)), d->response_rows);
	else
		rec_say(out, "Service demands of a request%s, from %zu rows:", fits ? "" : ", which do not fit", d->rows);
	for (size_t k = 0; k < d->net.stations; k++)
		rec_say(out, "  %s of %s (95 %%: %s to %s)", ns_text(d->net.demand_s[k] * 1e9),
			k < d->busy ? o->resource[k] : "one queue", ns_text(d->low[k] * 1e9), ns_text(d->high[k] * 1e9));
	if (d->net.delay_s > 0)
		rec_say(out, "  %s of a request at no station (95 %%: %s to %s)", ns_text(d->net.delay_s * 1e9),
			ns_text(d->delay_low * 1e9), ns_text(d->delay_high * 1e9));
	rec_set_table(out, "rows");
}

static int run_fit_command(const char *file)
{
	struct demands_fit_cfg how = { .first = (size_t)cfg.first,
				       .stations = (int)cfg.stations,
				       .no_delay = cfg.no_delay,
				       .method = (enum mva_method)cfg.method };
	struct service_demands d;
	struct report_model m = { &d.net, (enum mva_method)cfg.method, out_cfg.format == REC_TEXT, false };
	struct observed_rows o;
	double last_z = NAN;
	struct load_forecast most;
	const char *why = "";
	struct rec_report *out;
	struct row_file *t;
	bool wrong;
	int err;

	if (!file)
		die_usage("queue fit needs a file of measured rows (n, z_s, lambda, r_ms, u_NAME)");
	if (isfinite(cfg.nz) && cfg.think.n)
		die_usage("give only one of -z and --users-per-second");
	require_valid_users(m.method == MVA_SCHWEITZER, MVA_STATIONS);
	read_rows(file, &o);
	err = demands_estimate(&o, &how, &d, &why);
	if (err == -EINVAL)
		die(EXIT_RUN, "%s: %s", file, why);
	if (err)
		die(EXIT_RUN, "cannot fit: %s", strerror(-err));
	for (size_t i = 0; i < o.rows; i++)
		last_z = isfinite(o.row[i].z_s) ? o.row[i].z_s : last_z;
	if (cfg.users.n && !isfinite(think_time_s(1, last_z)))
		die_usage("a prediction for users needs a think time: -z TIME, or --users-per-second RATIO");
	out = open_report("fit");
	rec_add_strs(out, { "method", mva_methods[cfg.method] }, { "file", file }, { "column", cfg.column });
	begin_result(out);
	t = rows_must_open(cfg.rows, "queue/1", plot_columns);
	most = forecast_load(&d, &m, last_z);
	say_fit_summary(out, &d, &o, &most);
	report_fitted_demands(out, &d, &o);
	report_bounds(out, &d.net);
	report_fitted_rows(out, t, &d, &m, &o);
	report_forecast(out, t, &m, last_z, &most);
	close_outputs(out, t);
	wrong = fit_is_meaningless(&d, &o) || (!cfg.column && fit_rows_break_little(&o, d.rows));
	observed_free(&o);
	return wrong ? EXIT_LOSSY : EXIT_OK;
}

/* `run` takes the file of a model that reads rows, else the model's name. */
static const struct {
	const char *name;
	int (*run)(const char *word);
	bool reads;
} model[] = {
	{ "mva", run_mva_command, false },   { "mm1", run_open_queue, false }, { "mmm", run_open_queue, false },
	{ "mm1n", run_closed_queue, false }, { "users", run_users, true },     { "fit", run_fit_command, true },
};
#define MODELS (sizeof(model) / sizeof(*model))

int main(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "queue mva | mm1 | mmm | mm1n | users [FILE] | fit FILE [options]",
			      "Computes queueing models of users and servers, and fits demands to measured rows.", options);
	const char *mode = argv[first], *file = first + 1 < argc ? argv[first + 1] : NULL;
	size_t i = 0;

	if (first == argc)
		die_usage("which model? mva, mm1, mmm, mm1n, users or fit");
	while (i < MODELS && strcmp(mode, model[i].name) != 0)
		i++;
	if (i == MODELS)
		die_usage("%s: mva, mm1, mmm, mm1n, users or fit", mode);
	cli_refuse_operands(argc, argv, first + 1 + model[i].reads);
	if (cli_foreign_option(mode))
		die_usage("--%s does not belong to queue %s", cli_foreign_option(mode)->name, mode);
	return model[i].run(model[i].reads ? file : mode);
}
