#include "capacity.h"
#include "means.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Those that have an interval; the others are means alone. */
static bool spread(enum capacity_figure f)
{
	return f == CAPACITY_P95 || f == CAPACITY_APDEX || f == CAPACITY_BUSY;
}

static const char *const summary_columns[] = {
	"system", "protocol", "app", "users", "state", "repeats", "failed", "marked", "mean_ms", "p50_ms", "p95_ms", "p95_ms_low", "p95_ms_high", "apdex", "apdex_low",
	"apdex_high", "late_percent", "all_p95_ms", "all_mean_ms", "jain", "worst_over_median", "keys_per_s", "server_busy_percent", "server_busy_percent_low",
	"server_busy_percent_high", "client_busy_percent", "foreign_percent", "waiting", "available_bytes", "swap_in_bytes_per_s", "link_percent", NULL,
};

static int decimals(enum capacity_figure f)
{
	return f == CAPACITY_APDEX || f == CAPACITY_JAIN ? 4 : f == CAPACITY_AVAILABLE || f == CAPACITY_SWAP_IN ? 0 : 3;
}

static int64_t next_users(const struct capacity_system *s, int64_t after)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < s->steps; i++)
		if (s->step[i].users > after && s->step[i].users < next)
			next = s->step[i].users;
	return next;
}

static void name(struct rows *t, const struct capacity_system *s)
{
	rows_str(t, s->name);
	rows_str(t, s->protocol);
	rows_str(t, s->app);
}

static void write_users(struct rows *t, const struct capacity_run *run, const struct capacity_system *s, int64_t users, struct means *m)
{
	int64_t n = 0;

	for (size_t i = 0; i < s->steps; i++)
		n += s->step[i].users == users;
	name(t, s);
	rows_int(t, users);
	rows_str(t, "measured");
	rows_int(t, n);
	rows_int(t, s->failed);
	rows_int(t, s->marked);
	for (int f = 0; f < CAPACITY_FIGURES; f++) {
		m->n = 0;
		for (size_t i = 0; i < s->steps; i++)
			if (s->step[i].users == users)
				means_add(m, s->step[i].of[f]);
		if (spread((enum capacity_figure)f))
			means_write(t, m, 0, decimals((enum capacity_figure)f), run->seed);
		else
			whole_number(t, means_of(m), decimals((enum capacity_figure)f));
	}
	rows_end(t);
}

/* A system of which nothing was measured is a row, too. */
static void write_none(struct rows *t, const struct capacity_system *s)
{
	size_t cells = sizeof(summary_columns) / sizeof(*summary_columns) - 1;

	name(t, s);
	rows_none(t);
	rows_str(t, "failed");
	rows_int(t, 0);
	rows_int(t, s->failed);
	rows_int(t, 0);
	for (size_t c = 8; c < cells; c++)
		rows_none(t);
	rows_end(t);
}

static int write_summary(const char *folder, const struct capacity_run *run, struct means *m, size_t *rows)
{
	struct whole w;
	int err = whole_open(&w, folder, "summary.tsv", "capacity/1", summary_columns);

	if (err)
		return err;
	for (size_t i = 0; i < run->systems; i++) {
		const struct capacity_system *s = &run->system[i];

		if (!s->steps) {
			write_none(w.rows, s);
			++*rows;
		}
		for (int64_t users = next_users(s, 0); users != INT64_MAX; users = next_users(s, users)) {
			write_users(w.rows, run, s, users, m);
			++*rows;
		}
	}
	return whole_close(&w);
}

/* --- the most users -------------------------------------------------------------------------------------------- */

static const char *const limit_columns[] = { "system", "protocol", "app", "criterion", "repeats", "reached", "users", "users_low", "users_high", "users_min", "users_max",
					     "forecast", "forecast_low", "forecast_high", "limit", NULL };

static bool seen_before(const struct capacity_system *s, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(s->limit[k].criterion, s->limit[i].criterion))
			return true;
	return false;
}

/* What most repeats say was full; "a or b" where they do not agree. */
static void limit_words(const struct capacity_system *s, const char *criterion, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < s->limits; i++) {
		const struct capacity_limit *l = &s->limit[i];

		if (strcmp(l->criterion, criterion) != 0 || !l->limit[0] || strstr(text, l->limit))
			continue;
		if (*text)
			strncat(text, " or ", size - strlen(text) - 1);
		strncat(text, l->limit, size - strlen(text) - 1);
	}
}

static void write_limit(struct rows *t, const struct capacity_run *run, const struct capacity_system *s, const char *criterion, struct means *m)
{
	int64_t n = 0, reached = 0;
	double least = INFINITY, most = -INFINITY;
	char words[128];

	m->n = 0;
	for (size_t i = 0; i < s->limits; i++) {
		const struct capacity_limit *l = &s->limit[i];

		if (strcmp(l->criterion, criterion) != 0)
			continue;
		n++;
		reached += l->reached;
		least = fmin(least, l->users);
		most = fmax(most, l->users);
		means_add(m, l->users);
	}
	name(t, s);
	rows_str(t, criterion);
	rows_int(t, n);
	rows_int(t, reached);
	means_write(t, m, 0, 2, run->seed);
	whole_number(t, least, 0);
	whole_number(t, most, 0);
	m->n = 0;
	for (size_t i = 0; i < s->limits; i++)
		if (!strcmp(s->limit[i].criterion, criterion))
			means_add(m, s->limit[i].forecast);
	means_write(t, m, 0, 2, run->seed);
	limit_words(s, criterion, words, sizeof(words));
	rows_str(t, words);
	rows_end(t);
}

static int write_limits(const char *folder, const struct capacity_run *run, struct means *m)
{
	struct whole w;
	int err = whole_open(&w, folder, "points.tsv", "capacity-limit/1", limit_columns);

	if (err)
		return err;
	for (size_t i = 0; i < run->systems; i++) {
		const struct capacity_system *s = &run->system[i];

		for (size_t k = 0; k < s->limits; k++)
			if (!seen_before(s, k))
				write_limit(w.rows, run, s, s->limit[k].criterion, m);
	}
	return whole_close(&w);
}

int capacity_tables(const char *folder, const struct capacity_run *run, const char **file, size_t *rows)
{
	struct means m = { .v = calloc((size_t)run->repeats + 1, sizeof(double)) };
	int err = m.v ? 0 : -ENOMEM;

	*file = "summary.tsv";
	*rows = 0;
	err = err ? err : write_summary(folder, run, &m, rows);
	if (!err) {
		*file = "points.tsv";
		err = write_limits(folder, run, &m);
	}
	free(m.v);
	return err;
}
