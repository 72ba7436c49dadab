// SPDX-License-Identifier: GPL-3.0-or-later
/* arrivals_extract - times between the requests of users.
 *
 * Figure users_by_little of a repeat: its rate times response and think time, the number of users by Little's law. Figure
 * cov_independent: the coefficient of variation (CoV) of the same number of independent users, from the parameters users and
 * think_s, the run's setting `spread` (distribution of think times) and the mean response time; unknown where there is no formula.
 * Rows, from arrivals.tsv: `points`: for each complete repeat, the CoV of the requests of the first user, of the first two users,
 * and so on (`arrivals --sources`); `marks`: for each cell's first complete repeat, the other rows, which plots/arrivals.gp draws.
 *
 * The formula: each user sends the next request after a constant response time and a think time. For N such renewal processes in
 * equilibrium, superposed, a gap is longer than x when one user's own interval is longer and no other user is due within x (Cox &
 * Smith 1954): P(gap > x) = S(x) G(x)^(N - 1), where S(x) = P(interval > x) and G(x) is the integral of S from x on, divided by the
 * mean interval. The first two moments of this distribution give the CoV. */
#include "summarize/engine.h"

struct response_sum {
	double sum_ms, n; /* sum of the repeats' mean response times, and their number */
};

static void read_report(const struct experiment_repeat *r)
{
	struct response_sum *cell = extractor_cell_data(r->cell);
	const struct json_document *json = repeat_get_json(r, "vusers.json");
	double mean = json_number(json, "result.response_ms.mean");

	extractor_set_value("users_by_little",
			    json_number(json, "result.rate_per_s") * (mean / 1e3 + cell_number(r->cell, "think_s")));
	cell->sum_ms += isnan(mean) ? 0 : mean;
	cell->n += isnan(mean) ? 0 : 1;
}

/* Returns the CoV of n independent users. With m = response + think and s = think / m: nobody sends a request within the response
 * time, so up to it S = 1 and G = 1 - x/m; beyond it the integrals are those of the think time alone, times s^(n - 1). All have a
 * closed form. Think times are uniform from 0 to twice the mean (CoV without response time: sqrt((2N - 1)/(2N + 1))) or exponential
 * (CoV 1). NAN: fewer than one user, no think time, response time below 0 or not known. */
static double compute_user_cov(bool uniform, double n, double think, double response)
{
	double m = response + think, s = think / m, within, behind, moment;

	if (!(n >= 1) || !(think > 0) || !(response >= 0) || !isfinite(m))
		return NAN;
	within = m * m * ((1 - pow(s, n)) / n - (1 - pow(s, n + 1)) / (n + 1));
	behind = response * think / n + think * think * (uniform ? 4 / (2 * n * (2 * n + 1)) : 1 / (n * n));
	moment = 2 * (within + pow(s, n - 1) * behind);
	return sqrt(fmax(0, moment * n * n / (m * m) - 1));
}

static void set_user_cov(const struct experiment_cell *c)
{
	const char *spread = json_get_str(c->run->json, "settings.spread");
	const struct response_sum *cell = extractor_cell_data(c);
	bool uniform = spread && !strcmp(spread, "uniform");
	double response_s = cell->sum_ms / cell->n / 1e3;

	extractor_set_value("cov_independent",
			    !uniform && (!spread || strcmp(spread, "exp") != 0)
				    ? (double)NAN
				    : compute_user_cov(uniform, cell_number(c, "users"), cell_number(c, "think_s"), response_s));
}

struct row_copy {
	const struct experiment_repeat *repeat;
	struct table_out *out;
	bool sources; /* rows of kind `sources`, or all others */
};

static int copy_row(void *into, const struct input_cell *cell)
{
	const struct row_copy *p = into;

	if (!strcmp(cell[0].text, "sources") != p->sources)
		return 0;
	row_set_parameters(p->out, p->repeat->cell);
	if (p->sources) {
		row_numbers(p->out, { "repeat", (double)p->repeat->number }, { "users", cell[1].real }, { "cov", cell[2].real },
			    { "cov_low", cell[4].real }, { "cov_high", cell[5].real });
	} else {
		row_set_text(p->out, "kind", cell[0].text);
		row_numbers(p->out, { "x", cell[1].real }, { "y", cell[2].real }, { "expected", cell[3].real });
	}
	row_write(p->out);
	return 0;
}

static void copy_rows(const struct experiment_repeat *r, bool sources, struct table_out *out)
{
	static const struct input_table kind = { "arrivals/1", "$kind %x %y %expected %low %high", copy_row, NULL };

	repeat_read_table(r, "arrivals.tsv", false, &kind, &(struct row_copy){ r, out, sources });
}

static void write_cov_rows(const struct experiment_cell *c, struct table_out *out)
{
	for (size_t i = 0; i < c->n; i++)
		copy_rows(&c->repeat[i], true, out);
}

static void write_plot_rows(const struct experiment_cell *c, struct table_out *out)
{
	if (c->n)
		copy_rows(c->repeat, false, out);
}

const struct extractor_hooks arrivals_extractor = {
	.name = "arrivals",
	.cell_size = sizeof(struct response_sum),
	.read_repeat = read_report,
	.finish_cell = set_user_cov,
	.tables = { { "points", write_cov_rows }, { "marks", write_plot_rows } },
};
