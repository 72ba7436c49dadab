// SPDX-License-Identifier: GPL-3.0-or-later
/* headcount_extract - rows: the largest number of users for whom a criterion holds, from samples.tsv (capacity-user/1), machine.tsv
 * (capacity-machine/1) and the limits in cell.json of each repeat. Tables:
 *	summary	a row for each cell and number of users, with means over the repeats that measured it
 *	points	a row for each cell and criterion: the largest number of users over the repeats, which resources were full at the
 *		first number for which the criterion did not hold, fairness, and the forecast from the first third of the curve
 *		(headcount_forecast.c)
 *	compare	for each criterion, repeat and rule of settings.limits: the rule's figure on both sides of the limit
 *	slope	what a key takes of each resource according to the first third, and the number of users that fill it
 *
 * Fairness: the largest p95 of a user over the median p95 of all users, and Jain's index (Jain, Chiu & Hawe 1984) of their mean
 * latencies: 1 if all are equal, 1/n if one user has all of the latency. */
#include "headcount.h"

#include <errno.h>

#define HEADCOUNT_USERS 10000
#define MORE_LEAST 1.0 /* ms: smallest increase of a key's latency for which its causes are computed */
#define SHARE_HALF 50.0

static const char *const headcount_names[HEADCOUNT_FIGURES] = {
	/* names of columns, in the order of enum headcount_figure */
	"mean_ms",
	"p50_ms",
	"p95_ms",
	"apdex",
	"late_percent",
	"all_p95_ms",
	"all_mean_ms",
	"jain",
	"worst_over_median",
	"median_p95_ms",
	"keys_per_s",
	"server_busy_percent",
	"client_busy_percent",
	"foreign_percent",
	"waiting",
	"available_bytes",
	"swap_in_bytes_per_s",
	"link_percent",
	"own_percent",
	"major_faults_per_s",
	"drops_per_s",
	"client_waiting",
	"memory_stall_ms_per_s",
	"more_ms",
	"wait_ms",
	"wait_share_percent",
	"wait_over_queue",
	"viewers_share_percent",
	"memory_share_percent",
	"faults_percent",
	"drops_percent",
};

static struct headcount_step *find_step(const struct headcount_cell *s, double users, int64_t repeat)
{
	for (size_t i = 0; i < s->steps; i++)
		if ((double)s->step[i].users == users && s->step[i].repeat == repeat)
			return &s->step[i];
	return NULL;
}

/* --- reading --------------------------------------------------------------------------------------------------- */

static struct headcount_step *ensure_step(struct headcount_cell *s, int64_t users)
{
	struct headcount_step *step;

	if (users < 1 || users > HEADCOUNT_USERS)
		return NULL;
	step = find_step(s, (double)users, s->repeat);
	if (step)
		return step;
	s->step = memory_grow(s->step, s->steps, sizeof(*step));
	step = &s->step[s->steps++];
	*step = (struct headcount_step){ .users = users, .repeat = s->repeat };
	for (size_t f = 0; f < HEADCOUNT_FIGURES; f++)
		step->of[f] = NAN;
	return step;
}

enum { U_USERS, U_USER, U_MEAN, U_P50, U_P95, U_APDEX, U_LATE, U_ALL, U_KEYS = U_ALL };

static int store_user_row(void *into, const struct input_cell *c)
{
	struct headcount_step *s = ensure_step(into, c[U_USERS].count);

	if (!s || c[U_USER].count < 1 || c[U_USER].count > s->users)
		return -EPROTO;
	for (size_t i = U_MEAN; c[U_USER].count == 1 && i < U_ALL; i++)
		s->of[HEADCOUNT_MEAN + i - U_MEAN] = c[i].real;
	if (!isfinite(c[U_MEAN].real) || !isfinite(c[U_P95].real)) { /* no key was due, or some had no answer that is known */
		s->partial |= c[U_KEYS].real > 0;
		return 0;
	}
	memory_more(s->p95, s->n);
	s->p95[s->n++] = c[U_P95].real;
	s->sum += c[U_MEAN].real;
	s->squares += c[U_MEAN].real * c[U_MEAN].real;
	return 0;
}

static const struct input_table headcount_users = {
	"capacity-user/1",
	"users user %mean_ms %p50_ms %p95_ms %apdex %late_percent | %keys",
	store_user_row,
	NULL,
};

/* Columns of machine.tsv: the number of users, then the figures from HEADCOUNT_KEYS to HEADCOUNT_STALL; those from HEADCOUNT_OWN on
 * may be missing. */
static int store_machine_row(void *into, const struct input_cell *c)
{
	struct headcount_step *s = ensure_step(into, c[0].count);

	for (size_t f = HEADCOUNT_KEYS; s && f <= HEADCOUNT_STALL; f++)
		s->of[f] = c[1 + f - HEADCOUNT_KEYS].real;
	return s ? 0 : -EPROTO;
}

static const struct input_table headcount_machine = {
	"capacity-machine/1",
	"users %keys_per_s %server_busy_percent %client_busy_percent %foreign_percent %waiting %available_bytes "
	"%swap_in_bytes_per_s %link_percent | %own_percent %major_faults_per_s %drops_per_s %client_waiting %memory_stall_ms_per_s",
	store_machine_row,
	NULL,
};

static const char *get_element_text(const struct json_document *j, const char *list, size_t i, const char *key)
{
	const char *text = json_get_text(j, "%s.%zu.%s", list, i, key);

	return text ? text : "";
}

static void read_limits(struct headcount_cell *s, const struct experiment_repeat *r)
{
	const struct json_document *j = r->json;

	for (size_t i = 0; get_element_text(j, "limits", i, "criterion")[0]; i++) {
		struct headcount_limit one = {
			.criterion = get_element_text(j, "limits", i, "criterion"),
			.ended = get_element_text(j, "limits", i, "ended"),
			.resource = get_element_text(j, "limits", i, "resource"),
			.repeat = r->number,
			.users = json_number(j, "limits.%zu.users", i),
			.beyond = json_number(j, "limits.%zu.beyond", i),
			.users_all = json_number(j, "limits.%zu.users_all", i),
		};
		size_t at = s->limits;
		bool reached = false;
		char path[40];

		snprintf(path, sizeof(path), "limits.%zu.reached", i);
		if (isnan(one.users) || !json_get_bool(j, path, &reached) || (reached && isnan(one.beyond)))
			die(EXIT_RUN, "%s/cell.json: limits[] needs users, reached and, if reached, beyond", r->folder);
		one.beyond = reached ? one.beyond : (double)NAN;
		snprintf(path, sizeof(path), "limits.%zu.untold", i);
		json_get_bool(j, path, &one.untold);
		s->limit = memory_grow(s->limit, s->limits, sizeof(*s->limit));
		while (at && strcmp(s->limit[at - 1].criterion, one.criterion) != 0)
			at--;
		at = at ? at : s->limits;
		memmove(&s->limit[at + 1], &s->limit[at], (s->limits++ - at) * sizeof(*s->limit));
		s->limit[at] = one;
	}
}

static void read_settings(const struct experiment_run *run)
{
	static const char list[] = "settings.limits";
	struct headcount_run *h = extractor_run_data();

	h->value = memory_new((size_t)run->repeats + 1, sizeof(*h->value));
	h->rate = json_number(run->json, "settings.rate_per_s");
	h->typing = json_number(run->json, "settings.typing_per_s");
	for (size_t i = 0; i < HEADCOUNT_RULES && get_element_text(run->json, list, i, "name")[0]; i++) {
		struct headcount_rule *rule = &h->rule[h->rules++];
		const char *figure = get_element_text(run->json, list, i, "figure");

		*rule = (struct headcount_rule){ get_element_text(run->json, list, i, "name"),
						 get_element_text(run->json, list, i, "unless"),
						 get_element_text(run->json, list, i, "unit"), 0,
						 json_number(run->json, "%s.%zu.at_least", list, i) };
		while (rule->figure < HEADCOUNT_FIGURES && strcmp(headcount_names[rule->figure], figure) != 0)
			rule->figure++;
		if ((rule->figure == HEADCOUNT_ALONE && strcmp(figure, "alone_percent") != 0) || !(rule->at_least > 0))
			die(EXIT_RUN, "%s/run.json: settings.limits[] has an unknown figure, or no at_least above 0", run->folder);
	}
}

/* --- figures --------------------------------------------------------------------------------------------------- */

/* Returns the mean wait in ms of random arrivals with exponential service at so many servers; user 1 does not wait for its own keys
 * (headcount_forecast.c). */
static double compute_queue_wait(const double *of, double rate, double servers)
{
	double busy = of[HEADCOUNT_BUSY] / 100, own = of[HEADCOUNT_OWN] / 100, keys = of[HEADCOUNT_KEYS];
	double others = fmax(fmin(busy * (1 - rate / keys), 1), 0);

	return busy < 1 ? pow(others, sqrt(2 * (servers + 1)) - 1) * 1000 * own / keys / (1 - busy) : (double)INFINITY;
}

/* Computes the figures of a step that follow from its users, or from two other figures. */
static void derive_figures(const struct headcount_cell *s, struct headcount_step *p)
{
	const struct headcount_run *h = extractor_run_data();
	const struct headcount_step *one = find_step(s, 1, p->repeat);
	double *of = p->of, keys = of[HEADCOUNT_KEYS], more;

	if (!p->partial) {
		of[HEADCOUNT_ALL_MEAN] = p->sum / (double)p->n;
		of[HEADCOUNT_JAIN] = p->sum * p->sum / ((double)p->n * p->squares);
		of[HEADCOUNT_ALL_P95] = engine_estimate(ESTIMATE_MAX, p->p95, p->n).value;
		of[HEADCOUNT_MEDIAN_P95] = engine_estimate(ESTIMATE_MEDIAN, p->p95, p->n).value;
		of[HEADCOUNT_WORST] = of[HEADCOUNT_ALL_P95] / of[HEADCOUNT_MEDIAN_P95];
	}
	if (!isfinite(of[HEADCOUNT_OWN]))
		of[HEADCOUNT_OWN] = of[HEADCOUNT_BUSY] - of[HEADCOUNT_FOREIGN];
	if (!(keys > 0))
		return;
	of[HEADCOUNT_FAULTS] = 100 * of[HEADCOUNT_MAJOR] / keys;
	of[HEADCOUNT_DROPPED] = 100 * of[HEADCOUNT_DROPS] / keys;
	of[HEADCOUNT_WAIT] = 1000 * of[HEADCOUNT_WAITING] / keys;
	more = one && !one->partial && p->users > 1 ? of[HEADCOUNT_ALL_MEAN] - one->sum / (double)one->n : (double)NAN;
	of[HEADCOUNT_MORE] = more;
	if (!(more >= MORE_LEAST))
		return;
	of[HEADCOUNT_WAIT_SHARE] = 100 * of[HEADCOUNT_WAIT] / more;
	of[HEADCOUNT_VIEWERS_SHARE] = 100 * 1000 * of[HEADCOUNT_CLIENT_WAITING] / keys / more;
	of[HEADCOUNT_MEMORY_SHARE] = 100 * of[HEADCOUNT_STALL] / keys / more;
	if (of[HEADCOUNT_WAIT_SHARE] >= SHARE_HALF)
		of[HEADCOUNT_OVER_QUEUE] = of[HEADCOUNT_WAIT] / compute_queue_wait(of, h->rate, s->servers);
}

static int compare_steps(const void *a, const void *b)
{
	const struct headcount_step *x = a, *y = b;

	return x->users != y->users ? (x->users > y->users) - (x->users < y->users)
				    : (x->repeat > y->repeat) - (x->repeat < y->repeat);
}

static void read_repeat(const struct experiment_repeat *r)
{
	struct headcount_cell *s = extractor_cell_data(r->cell);

	read_limits(s, r);
	s->cell = r->cell;
	s->repeat = r->number;
	s->servers = 1;
	json_get_real(r->json, "server_cpus", &s->servers);
	repeat_read_table(r, "samples.tsv", true, &headcount_users, s);
	repeat_read_table(r, "machine.tsv", true, &headcount_machine, s);
	for (size_t i = 0; i < s->steps; i++)
		if (s->step[i].repeat == r->number)
			derive_figures(s, &s->step[i]);
	if (s->steps)
		qsort(s->step, s->steps, sizeof(*s->step), compare_steps);
}

/* --- what is full ---------------------------------------------------------------------------------------------- */

/* Returns the figure of a rule with so many users. */
static double get_rule_value(const struct headcount_cell *s, const struct headcount_limit *l, const struct headcount_rule *r,
			     double users)
{
	bool alone = r->figure == HEADCOUNT_ALONE, apdex;
	const struct headcount_step *step = find_step(s, alone ? 1 : users, l->repeat);
	double value;

	if (!step || isnan(users) || (alone && !headcount_parse_criterion(l->criterion, &apdex, &value)))
		return NAN;
	return !alone ? step->of[r->figure] : 100 * (apdex ? value / step->of[HEADCOUNT_APDEX] : step->of[HEADCOUNT_P95] / value);
}

/* Is the rule fulfilled with the first number of users for which the criterion did not hold? Pages are read back either because the
 * users' memory no longer fits, or by other programs on the machine, whose reads are counted too; where at least half of the memory
 * that was available with one user still is, it was other programs. */
static bool is_full(const struct headcount_cell *s, const struct headcount_limit *l, const struct headcount_rule *r)
{
	const struct headcount_run *h = extractor_run_data();
	const struct headcount_step *step = find_step(s, l->beyond, l->repeat), *one = find_step(s, 1, l->repeat);

	if (!(get_rule_value(s, l, r, l->beyond) >= r->at_least))
		return false;
	if (r->figure == HEADCOUNT_FAULTS && step && one && step->of[HEADCOUNT_AVAILABLE] > 0 &&
	    step->of[HEADCOUNT_AVAILABLE] >= one->of[HEADCOUNT_AVAILABLE] / 2)
		return false;
	for (const struct headcount_rule *other = h->rule; other < h->rule + h->rules; other++)
		if (other != r && !strcmp(other->name, r->unless) && get_rule_value(s, l, other, l->beyond) >= other->at_least)
			return false;
	return true;
}

#define TALLIES (HEADCOUNT_RULES + 8)

/* How often one resource was full, over the repeats. */
struct resource_tally {
	const char *name;
	size_t times;
	int64_t repeat;	 /* last repeat that was counted; 0: none */
	double fullness; /* sum of value over threshold */
};

static int compare_tallies(const void *a, const void *b)
{
	const struct resource_tally *x = a, *y = b;

	return x->times != y->times ? (x->times < y->times) - (x->times > y->times)
				    : (x->fullness < y->fullness) - (x->fullness > y->fullness);
}

/* Counts a resource at most once for each repeat, whatever number of its rules is fulfilled. */
static void add_tally(struct resource_tally *t, const char *name, int64_t repeat, double fullness)
{
	const struct resource_tally *end = t + TALLIES;

	while (t < end && t->name && strcmp(t->name, name) != 0)
		t++;
	if (t == end || t->repeat == repeat)
		return;
	*t = (struct resource_tally){ name, t->times + 1, repeat, t->fullness + fullness };
}

/* Writes the full resources, the fullest first, such as "CPU, memory (1 of 3)". */
static void list_full_resources(const struct headcount_cell *s, const struct headcount_limit *l, size_t n, char *text, size_t size)
{
	const struct headcount_run *h = extractor_run_data();
	struct resource_tally t[TALLIES] = { 0 };
	size_t reached = 0, used = 0;

	text[0] = '\0';
	for (const struct headcount_limit *end = l + n; l < end; l++) {
		bool any = l->ended[0];

		if (isnan(l->beyond))
			continue;
		reached++;
		/* a user who could not be added could not be measured: the resource counts as completely full */
		if (any)
			add_tally(t, l->resource, l->repeat, HUGE_VAL);
		for (const struct headcount_rule *r = h->rule; r < h->rule + h->rules; r++)
			if (is_full(s, l, r) && strcmp(r->name, l->resource) != 0) {
				add_tally(t, r->name, l->repeat, get_rule_value(s, l, r, l->beyond) / r->at_least);
				any = true;
			}
		if (!any)
			add_tally(t, "unexplained", l->repeat, 0);
	}
	qsort(t, TALLIES, sizeof(*t), compare_tallies);
	for (size_t i = 0; i < TALLIES && t[i].name && used < size; i++) {
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", t[i].name);
		if (t[i].times < reached && used < size)
			used += (size_t)snprintf(text + used, size - used, " (%zu of %zu)", t[i].times, reached);
	}
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

static void begin_row(struct table_out *out, const struct experiment_cell *c)
{
	const char *protocol = cell_text(c, "protocol"), *app = cell_text(c, "app");
	char name[128];

	snprintf(name, sizeof(name), "%s.%s", protocol ? protocol : "", app ? app : "");
	row_set_text(out, "system", name);
	row_set_parameters(out, c);
}

static enum estimator choose_estimator(int figure)
{
	switch (figure) {
	case HEADCOUNT_P95: return ESTIMATE_LOGMEAN_CI;
	case HEADCOUNT_APDEX: return ESTIMATE_UNIT_CI;
	case HEADCOUNT_BUSY: return ESTIMATE_PERCENT_CI;
	default: return ESTIMATE_MEAN_CI;
	}
}

/* Writes one row for all repeats with the same number of users. A cell of which nothing was measured has a row, too. */
static void write_summary(const struct experiment_cell *c, struct table_out *out)
{
	const struct headcount_cell *s = extractor_cell_data(c);
	const struct headcount_run *h = extractor_run_data();
	size_t i = 0, n;

	do {
		const struct headcount_step *step = &s->step[i];

		for (n = 0; i + n < s->steps && step[n].users == step->users; n++)
			;
		begin_row(out, c);
		row_set_text(out, "state", n ? "measured" : cell_explain_absence(c));
		row_numbers(out, { "users", n ? (double)step->users : (double)NAN }, { "repeats", (double)n },
			    { "failed", (double)c->failed }, { "marked", (double)c->flagged });
		for (int f = 0; n && f < HEADCOUNT_FIGURES; f++) {
			struct figure figure;
			size_t known = 0;

			for (size_t k = 0; k < n; k++)
				known += isnan(h->value[k] = step[k].of[f]) ? 0 : 1;
			/* of users, the searches that know it would be the better ones: those without an answer do not */
			figure = engine_estimate(choose_estimator(f), h->value, n);
			if (known && known < n && f <= HEADCOUNT_MEDIAN_P95) {
				figure = FIGURE_ABSENT;
				figure.why = "not answered";
			}
			row_set_figure(out, headcount_names[f], figure);
		}
		row_write(out);
	} while ((i += n) < s->steps);
}

/* Writes fairness on both sides of the limit: means over the repeats. */
static void set_fairness(const struct headcount_cell *s, const struct headcount_limit *l, size_t n, struct table_out *out)
{
	static const struct {
		const char *column;
		bool bad;
		enum headcount_figure figure;
	} columns[] = {
		{ "jain_good", false, HEADCOUNT_JAIN },
		{ "jain_bad", true, HEADCOUNT_JAIN },
		{ "worst_good", false, HEADCOUNT_WORST },
		{ "worst_bad", true, HEADCOUNT_WORST },
	};
	const struct headcount_run *h = extractor_run_data();

	for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++) {
		bool answered = true; /* all users: the searches that know it would be the better ones */

		for (size_t i = 0; i < n; i++) {
			const struct headcount_step *step = find_step(s, columns[c].bad ? l[i].beyond : l[i].users, l[i].repeat);

			h->value[i] = step ? step->of[columns[c].figure] : (double)NAN;
			answered = answered && (!step || !isnan(h->value[i]));
		}
		if (answered)
			row_set_number(out, columns[c].column, engine_estimate(ESTIMATE_MEAN, h->value, n).value);
	}
}

static void set_forecast(const struct headcount_cell *s, const struct headcount_limit *l, size_t n, struct table_out *out)
{
	const struct headcount_run *h = extractor_run_data();
	struct user_forecast all = headcount_forecast_users(h, s, l, n);

	row_set_number(out, "forecast_from", all.most);
	row_set_figure(out, "forecast", all.users);
	row_set_text(out, "forecast_of", all.of);
	row_set_text(out, "forecast_why", all.why);
}

static void write_criterion(const struct headcount_cell *s, const struct headcount_limit *l, size_t n, struct table_out *out)
{
	const struct headcount_run *h = extractor_run_data();
	const char *ended = "";
	struct figure users;
	char words[256];
	double reached = 0, untold = 0, plan = INFINITY;

	for (size_t i = 0; i < n; i++) {
		h->value[i] = l[i].users;
		/* the least; not known where one is not */
		plan = isnan(l[i].users_all) || l[i].users_all < plan ? l[i].users_all : plan;
		untold += l[i].untold;
		reached += !isnan(l[i].beyond);
		ended = l[i].ended[0] ? l[i].ended : ended;
	}
	users = engine_estimate(ESTIMATE_MEAN, h->value, n); /* users_min to users_max say how searches differ */
	list_full_resources(s, l, n, words, sizeof(words));
	begin_row(out, s->cell);
	row_set_text(out, "criterion", l->criterion);
	row_numbers(out, { "repeats", (double)n }, { "reached", reached });
	row_set_figure(out, "users", users);
	row_set_number(out, "users_min", engine_estimate(ESTIMATE_MIN, h->value, n).value);
	row_set_number(out, "users_max", engine_estimate(ESTIMATE_MAX, h->value, n).value);
	row_numbers(out, { "plan", plan }, { "untold", untold });
	row_set_text(out, "limit", words);
	row_set_text(out, "ended", ended);
	set_fairness(s, l, n, out);
	set_forecast(s, l, n, out);
	row_write(out);
}

static void write_resources(const struct headcount_cell *s, const struct headcount_limit *l, size_t n, struct table_out *out)
{
	struct resource_slope slope[HEADCOUNT_RESOURCES];
	size_t slopes = headcount_fit_slopes(extractor_run_data(), s, l, n, slope);

	for (const struct resource_slope *one = slope; one < slope + slopes; one++) {
		begin_row(out, s->cell);
		row_set_text(out, "criterion", l->criterion);
		row_set_text(out, "name", one->name);
		row_numbers(out, { "points", (double)one->points }, { "none", one->none });
		row_set_figure(out, "slope", one->slope);
		row_set_figure(out, "users", one->users);
		row_write(out);
	}
}

/* Writes something for n limits of one criterion. */
typedef void limits_writer(const struct headcount_cell *s, const struct headcount_limit *l, size_t n, struct table_out *out);

static void write_criteria(const struct experiment_cell *c, limits_writer *write, struct table_out *out)
{
	const struct headcount_cell *s = extractor_cell_data(c);
	const struct headcount_limit *l = s->limit, *end = l + s->limits;

	for (size_t n; l < end; l += n) {
		for (n = 1; l + n < end && !strcmp(l[n].criterion, l->criterion); n++)
			;
		write(s, l, n, out);
	}
}

static void write_points(const struct experiment_cell *c, struct table_out *out)
{
	write_criteria(c, write_criterion, out);
}

static void write_slopes(const struct experiment_cell *c, struct table_out *out)
{
	write_criteria(c, write_resources, out);
}

static void write_rules(const struct experiment_cell *c, struct table_out *out)
{
	const struct headcount_cell *s = extractor_cell_data(c);
	const struct headcount_run *h = extractor_run_data();

	for (size_t i = 0; i < c->n * s->limits * h->rules; i++) {
		const struct headcount_limit *l = &s->limit[i / h->rules % s->limits];
		const struct headcount_rule *r = &h->rule[i % h->rules];

		if (l->repeat != c->repeat[i / h->rules / s->limits].number)
			continue;
		begin_row(out, c);
		row_set_text(out, "criterion", l->criterion);
		row_set_number(out, "repeat", (double)l->repeat);
		row_set_text(out, "name", r->name);
		row_set_text(out, "unit", r->unit);
		row_finish(out, { "at_least", r->at_least }, { "users_good", l->users },
			   { "good", get_rule_value(s, l, r, l->users) }, { "users_bad", l->beyond },
			   { "bad", get_rule_value(s, l, r, l->beyond) }, { "full", is_full(s, l, r) });
	}
}

const struct extractor_hooks headcount_extractor = {
	.name = "headcount",
	.run_size = sizeof(struct headcount_run),
	.cell_size = sizeof(struct headcount_cell),
	.begin_run = read_settings,
	.read_repeat = read_repeat,
	.tables = { { "summary", write_summary },
		    { "points", write_points },
		    { "compare", write_rules },
		    { "slope", write_slopes } },
};
