// SPDX-License-Identifier: GPL-3.0-or-later
/* headcount_extract - rows: the most users for whom a criterion holds, from samples.tsv (capacity-user/1), machine.tsv
 * (capacity-machine/1) and the limits in cell.json of each repeat.
 *
 *	summary	a row for each cell and number of users that was measured, means over the repeats that did
 *	points	a row for each cell and criterion: the most users over the repeats, what was full with the first number for which
 *		it did not hold, how alike users fared, and what the first third of the curve foretold (mdm.h)
 *	compare	what each rule of settings.limits looks at, for each criterion and repeat, on both sides of the limit
 *	slope	what a key needs of each resource by the first third, and the users with whom that is full
 *
 * Fairness: the largest p95 of a user over the median of all users', and Jain's index (Jain, Chiu & Hawe 1984) of their mean
 * latencies: 1 where all are alike, 1/n where one has all of it. */
#include "headcount.h"
#include "cli.h"
#include "estimate.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEADCOUNT_USERS 10000

struct headcount_reader {
	struct headcount_system *system;
	int64_t repeat;
};

/* A number or an empty cell. */
static bool headcount_cell(const char *cell, double *out)
{
	*out = NAN;
	return !cell || !*cell || (!cli_read_real(cell, out) && isfinite(*out));
}

static struct headcount_step *headcount_step_of(const struct headcount_reader *r, const char *cell)
{
	struct headcount_system *s = r->system;
	struct headcount_step *more;
	int64_t users;

	if (!rows_in_count(cell, &users) || users < 1 || users > HEADCOUNT_USERS)
		return NULL;
	for (size_t i = 0; i < s->steps; i++)
		if (s->step[i].users == users && s->step[i].repeat == r->repeat)
			return &s->step[i];
	more = reallocarray(s->step, s->steps + 1, sizeof(*more));
	if (!more)
		return NULL;
	s->step = more;
	more = &s->step[s->steps++];
	*more = (struct headcount_step){ .users = users, .repeat = r->repeat };
	for (size_t f = 0; f < HEADCOUNT_FIGURES; f++)
		more->of[f] = NAN;
	return more;
}

static int headcount_append(double **list, size_t n, double value)
{
	double *more = reallocarray(*list, n + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	*list = more;
	more[n] = value;
	return 0;
}

enum { U_USERS, U_USER, U_MEAN, U_P50, U_P95, U_APDEX, U_LATE, U_ALL };

static int headcount_user(void *context, char *const *cell)
{
	struct headcount_step *s = headcount_step_of(context, cell[U_USERS]);
	double v[U_ALL];
	int64_t user;
	int err;

	if (!s || !rows_in_count(cell[U_USER], &user) || user < 1 || user > s->users)
		return -EPROTO;
	for (size_t i = U_MEAN; i < U_ALL; i++) {
		if (!headcount_cell(cell[i], &v[i]))
			return -EPROTO;
		if (user == 1)
			s->of[HEADCOUNT_MEAN + i - U_MEAN] = v[i];
	}
	if (!isfinite(v[U_MEAN]))
		return 0;
	s->of[HEADCOUNT_ALL_P95] = fmax(s->of[HEADCOUNT_ALL_P95], v[U_P95]);
	err = headcount_append(&s->means, s->n, v[U_MEAN]);
	err = err ? err : headcount_append(&s->p95s, s->n, v[U_P95]);
	s->n += !err;
	return err;
}

static int headcount_users(FILE *in, void *into, unsigned long *line)
{
	static const char *const columns[] = { "users", "user", "mean_ms", "p50_ms", "p95_ms", "apdex", "late_percent", NULL };

	return rows_in_read(in, "capacity-user/1", columns, U_ALL, headcount_user, into, line);
}

/* Columns of machine.tsv are the figures from KEYS to STALL, behind the number of users; those from OWN on may be missing. */
enum { M_FIRST = HEADCOUNT_KEYS, M_LAST = HEADCOUNT_STALL, M_NEEDED = 1 + HEADCOUNT_OWN - M_FIRST };

static int headcount_machine_row(void *context, char *const *cell)
{
	struct headcount_step *s = headcount_step_of(context, cell[0]);

	if (!s)
		return -EPROTO;
	for (size_t f = M_FIRST; f <= M_LAST; f++)
		if (!headcount_cell(cell[1 + f - M_FIRST], &s->of[f]))
			return -EPROTO;
	return 0;
}

static int headcount_machine(FILE *in, void *into, unsigned long *line)
{
	const char *columns[M_LAST - M_FIRST + 3] = { "users" };

	for (size_t f = M_FIRST; f <= M_LAST; f++)
		columns[1 + f - M_FIRST] = headcount_names[f];
	return rows_in_read(in, "capacity-machine/1", columns, M_NEEDED, headcount_machine_row, into, line);
}

static const char *headcount_text(const struct json *j, const char *list, size_t i, const char *key)
{
	const char *text = inputs_text(j, "%s.%zu.%s", list, i, key);

	return text ? text : "";
}

static bool headcount_number(const struct json *j, const char *list, size_t i, const char *key, double *out)
{
	*out = inputs_number(j, "%s.%zu.%s", list, i, key);
	return !isnan(*out);
}

static int headcount_limits(struct headcount_system *s, const struct repeat *r, struct why *why)
{
	for (size_t i = 0; headcount_text(r->json, "limits", i, "criterion")[0]; i++) {
		struct headcount_limit *l = reallocarray(s->limit, s->limits + 1, sizeof(*l));
		char path[40];

		if (!l)
			return why_no_memory(why);
		s->limit = l;
		l += s->limits++;
		*l = (struct headcount_limit){ .criterion = headcount_text(r->json, "limits", i, "criterion"),
			.ended = headcount_text(r->json, "limits", i, "ended"),
			.resource = headcount_text(r->json, "limits", i, "resource"), .repeat = r->number };
		headcount_number(r->json, "limits", i, "beyond", &l->beyond);
		snprintf(path, sizeof(path), "limits.%zu.reached", i);
		if (!headcount_number(r->json, "limits", i, "users", &l->users) || !json_get_bool(r->json, path, &l->reached))
			return why_set(why, -EPROTO, "%s/cell.json: limits cannot be read", r->folder);
	}
	return 0;
}

static int headcount_rules(struct headcount *h, struct why *why)
{
	const struct json *j = h->run->json;

	for (; h->rules < HEADCOUNT_RULES; h->rules++) {
		struct headcount_rule *rule = &h->rule[h->rules];
		const char *figure = headcount_text(j, "settings.limits", h->rules, "figure");

		rule->name = headcount_text(j, "settings.limits", h->rules, "name");
		rule->unless = headcount_text(j, "settings.limits", h->rules, "unless");
		rule->unit = headcount_text(j, "settings.limits", h->rules, "unit");
		if (!rule->name[0])
			break;
		while (rule->figure < HEADCOUNT_FIGURES && strcmp(headcount_names[rule->figure], figure) != 0)
			rule->figure++;
		if ((rule->figure == HEADCOUNT_ALONE && strcmp(figure, "alone_percent") != 0) ||
		    !headcount_number(j, "settings.limits", h->rules, "at_least", &rule->at_least) || !(rule->at_least > 0))
			return why_set(why, -EPROTO, "%s/run.json: settings.limits cannot be read", h->run->folder);
	}
	return 0;
}

static void headcount_close(void *state)
{
	struct headcount *h = state;

	for (size_t i = 0; i < h->run->n; i++) {
		struct headcount_system *s = &h->system[i];

		for (size_t k = 0; k < s->steps; k++) {
			free(s->step[k].means);
			free(s->step[k].p95s);
		}
		free(s->step);
		free(s->limit);
	}
	free(h->value);
	free(h);
}

static void *headcount_open(const struct run *run, struct why *why)
{
	struct headcount *h = run_state(run, sizeof(*h), sizeof(*h->system), why);

	if (h)
		h->value = calloc((size_t)run->repeats + 1, sizeof(*h->value));
	if (!h || !h->value) {
		why_no_memory(why);
		free(h);
		return NULL;
	}
	h->rate = inputs_number(run->json, "settings.rate_per_s");
	h->typing = inputs_number(run->json, "settings.typing_per_s");
	for (size_t i = 0; i < run->n; i++) {
		const char *protocol = cell_text(&run->cell[i], "protocol"), *app = cell_text(&run->cell[i], "app");

		h->system[i] = (struct headcount_system){ .cell = &run->cell[i], .servers = 1 };
		snprintf(h->system[i].name, sizeof(h->system[i].name), "%s.%s", protocol ? protocol : "", app ? app : "");
	}
	if (!headcount_rules(h, why))
		return h;
	headcount_close(h);
	return NULL;
}

static int headcount_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct headcount *h = state;
	struct headcount_system *s = &h->system[c->index];
	struct headcount_reader reader = { s, r->number };
	int err = headcount_limits(s, r, why);

	json_get_real(r->json, "server_cpus", &s->servers);
	err = err ? err : repeat_rows(r, "samples.tsv", true, headcount_users, &reader, why);
	err = err ? err : repeat_rows(r, "machine.tsv", true, headcount_machine, &reader, why);
	for (size_t i = 0; !err && i < s->steps; i++)
		if (s->step[i].repeat == r->number)
			headcount_finish(s, &s->step[i], h->rate);
	return err;
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

static void headcount_begin(struct table_out *out, const struct headcount_system *s)
{
	row_text(out, "system", s->name);
	row_params(out, s->cell);
}

static int64_t headcount_next(const struct headcount_system *s, int64_t after)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < s->steps; i++)
		if (s->step[i].users > after && s->step[i].users < next)
			next = s->step[i].users;
	return next;
}

/* users INT64_MAX: nothing was measured, which is a row, too. */
static int headcount_summary_row(const struct headcount *h, const struct headcount_system *s, int64_t users, struct table_out *out)
{
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < s->steps; i++)
		n += s->step[i].users == users;
	headcount_begin(out, s);
	row_text(out, "state", n ? "measured" : "failed");
	row_number(out, "users", n ? (double)users : (double)NAN);
	row_number(out, "repeats", (double)n);
	row_number(out, "failed", (double)s->cell->failed);
	row_number(out, "marked", (double)s->cell->flagged);
	for (int f = 0; n && !err && f < HEADCOUNT_FIGURES; f++) {
		bool ends = f == HEADCOUNT_P95 || f == HEADCOUNT_APDEX || f == HEADCOUNT_BUSY;
		struct figure figure;

		n = 0;
		for (size_t i = 0; i < s->steps; i++)
			if (s->step[i].users == users)
				h->value[n++] = s->step[i].of[f];
		err = estimate(f == HEADCOUNT_P95 ? ESTIMATE_LOGMEAN_CI : ends ? ESTIMATE_MEAN_CI : ESTIMATE_MEAN, h->value, NULL, n,
			       h->run->draws, (uint64_t)h->run->seed, &figure);
		if (ends)
			row_figure(out, headcount_names[f], &figure);
		else
			row_number(out, headcount_names[f], figure.value);
	}
	row_end(out);
	return err;
}

static int headcount_summary(const struct headcount *h, const struct headcount_system *s, struct table_out *out)
{
	int64_t users = headcount_next(s, 0);
	int err;

	do
		err = headcount_summary_row(h, s, users, out);
	while (!err && s->steps && (users = headcount_next(s, users)) != INT64_MAX);
	return err;
}

/* How alike users fared on that side of the limit: mean over the repeats. */
static double headcount_fared(const struct headcount_system *s, const char *criterion, bool bad, enum headcount_figure f)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < s->limits; i++) {
		const struct headcount_limit *l = &s->limit[i];
		const struct headcount_step *step = headcount_find(s, bad ? l->beyond : l->users, l->repeat);

		if (strcmp(l->criterion, criterion) != 0 || !step || !isfinite(step->of[f]))
			continue;
		sum += step->of[f];
		n++;
	}
	return sum / n;
}

static int headcount_point(const struct headcount *h, const struct headcount_system *s, const char *criterion,
			   struct table_out *out)
{
	double least = INFINITY, most = -INFINITY, reached = 0;
	const char *ended = "";
	struct figure users;
	char words[256];
	size_t n = 0;
	int err;

	for (size_t i = 0; i < s->limits; i++) {
		const struct headcount_limit *l = &s->limit[i];

		if (strcmp(l->criterion, criterion) != 0)
			continue;
		h->value[n++] = l->users;
		reached += l->reached;
		least = fmin(least, l->users);
		most = fmax(most, l->users);
		ended = l->ended[0] ? l->ended : ended;
	}
	err = estimate(ESTIMATE_MEAN_CI, h->value, NULL, n, h->run->draws, (uint64_t)h->run->seed, &users);
	if (reached < (double)n)	/* a bound from below has no interval */
		users.low = users.high = NAN;
	headcount_begin(out, s);
	row_text(out, "criterion", criterion);
	row_number(out, "repeats", (double)n);
	row_number(out, "reached", reached);
	row_figure(out, "users", &users);
	row_number(out, "users_min", least);
	row_number(out, "users_max", most);
	headcount_words(h, s, criterion, words, sizeof(words));
	row_text(out, "limit", words);
	row_text(out, "ended", ended);
	row_number(out, "jain_good", headcount_fared(s, criterion, false, HEADCOUNT_JAIN));
	row_number(out, "jain_bad", headcount_fared(s, criterion, true, HEADCOUNT_JAIN));
	row_number(out, "worst_good", headcount_fared(s, criterion, false, HEADCOUNT_WORST));
	row_number(out, "worst_bad", headcount_fared(s, criterion, true, HEADCOUNT_WORST));
	headcount_forecast(h, s, criterion, out);
	row_end(out);
	return err;
}

static void headcount_sides(const struct headcount *h, const struct headcount_system *s, const struct headcount_limit *l,
			    struct table_out *out)
{
	double beyond = l->reached ? l->beyond : (double)NAN;

	for (size_t i = 0; i < h->rules; i++) {
		const struct headcount_rule *r = &h->rule[i];

		headcount_begin(out, s);
		row_text(out, "criterion", l->criterion);
		row_number(out, "repeat", (double)l->repeat);
		row_text(out, "name", r->name);
		row_text(out, "unit", r->unit);
		row_number(out, "at_least", r->at_least);
		row_number(out, "users_good", l->users);
		row_number(out, "good", headcount_value(s, l, r, l->users));
		row_number(out, "users_bad", beyond);
		row_number(out, "bad", l->reached ? headcount_value(s, l, r, l->beyond) : (double)NAN);
		row_number(out, "full", l->reached && headcount_full(h, s, l, r, l->beyond));
		row_end(out);
	}
}

static bool headcount_seen_before(const struct headcount_system *s, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(s->limit[k].criterion, s->limit[i].criterion))
			return true;
	return false;
}

static int headcount_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	struct headcount *h = state;
	int err = 0;

	for (size_t i = 0; !err && i < h->run->n; i++) {
		const struct headcount_system *s = &h->system[i];

		if (!strcmp(table, "summary"))
			err = headcount_summary(h, s, out);
		for (size_t k = 0; !err && k < s->limits; k++)
			if (!strcmp(table, "compare"))
				headcount_sides(h, s, &s->limit[k], out);
			else if (!strcmp(table, "points") && !headcount_seen_before(s, k))
				err = headcount_point(h, s, s->limit[k].criterion, out);
			else if (!strcmp(table, "slope") && !headcount_seen_before(s, k))
				headcount_slopes(h, s, s->limit[k].criterion, out);
	}
	return err ? why_no_memory(why) : 0;
}

const struct extractor headcount_extractor = {
	.name = "headcount", .open = headcount_open, .read = headcount_read, .rows = headcount_rows, .close = headcount_close,
};
