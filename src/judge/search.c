// SPDX-License-Identifier: GPL-3.0-or-later
#include "search.h"
#include "cli.h"
#include "memory.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>

#define UNMEASURED_MOST 3 /* a number of users that gave no figure so often is not measured again */

struct votes {
	int held, broke;
	bool untold, ended, sure;
};

static bool is_broken(const struct search_criterion *c, const struct search_try *t, int end)
{
	return c->apdex ? !(t->apdex[end] >= c->limit) : !(t->p95_ms[end] <= c->limit);
}

static bool is_measured(const struct search_criterion *c, const struct search_try *t)
{
	return *t->ended || !isnan(c->apdex ? t->apdex[SEARCH_LATE] : t->p95_ms[SEARCH_LATE]);
}

static struct votes count_votes(const struct search *s, const struct search_criterion *c, bool slowest, int64_t users)
{
	struct votes v = { 0 };

	for (const struct search_try *t = s->try; t < s->try + s->tries; t++) {
		if (t->users != users || !is_measured(c, t))
			continue;
		if (*t->ended) {
			v.ended = true;
		} else if (v.held == 2 || v.broke == 2) {
			continue;
		} else if (is_broken(c, t, slowest ? SEARCH_SLOWEST : SEARCH_LATE)) {
			v.broke++;
			v.untold |= !slowest && !is_broken(c, t, SEARCH_EARLY);
		} else {
			v.held++;
		}
	}
	v.sure = v.ended || v.held == 2 || v.broke == 2;
	return v;
}

/* The smallest number of users above `n` of which something is known; 0: none. */
static int64_t find_measured(const struct search *s, const struct search_criterion *c, int64_t n)
{
	int64_t next = 0;

	for (const struct search_try *t = s->try; t < s->try + s->tries; t++)
		if (t->users > n && (!next || t->users < next) && is_measured(c, t))
			next = t->users;
	return next;
}

struct search_bounds search_find_bounds(const struct search *s, const struct search_criterion *c, bool slowest)
{
	struct search_bounds b = { 0 };

	for (int64_t n = 0; (n = find_measured(s, c, n));) {
		struct votes v = count_votes(s, c, slowest, n);

		if (v.ended || v.held <= v.broke) {
			b.bad = n;
			b.untold = v.untold;
			break;
		}
		b.good = n;
	}
	return b;
}

static double find_own(const struct search *s, int64_t users)
{
	double own = (double)NAN;

	for (const struct search_try *t = s->try; t < s->try + s->tries; t++)
		if (t->users == users && !isnan(t->own_percent))
			own = t->own_percent;
	return own;
}

/* Twice as many, but only one more than the sessions' CPU time allows; at first one more. */
static int64_t add_users(const struct search *s, int64_t n)
{
	double one = find_own(s, 1), now = find_own(s, n), more = 2 * (double)n;

	if (now > one)
		more = fmin(more, floor(1 + (100 - one) / (now - one) * ((double)n - 1)) + 1);
	if (n < 4 || more <= (double)n)
		more = (double)n + 1;
	return more < (double)s->most ? (int64_t)more : s->most;
}

/* Where the gap of a criterion is measured next; 0: it is known. */
static int64_t narrow_gap(const struct search *s, const struct search_criterion *c, bool slowest)
{
	struct search_bounds b = search_find_bounds(s, c, slowest);

	if (b.bad - b.good > 1)
		return (b.good + b.bad) / 2;
	if (b.bad && !count_votes(s, c, slowest, b.bad).sure)
		return b.bad;
	return b.good && !slowest && !count_votes(s, c, slowest, b.good).sure ? b.good : 0;
}

size_t search_count_unmeasured(const struct search *s, int64_t users)
{
	size_t n = 0;

	for (const struct search_try *t = s->try; t < s->try + s->tries; t++)
		for (size_t c = 0; c < s->criteria; c++)
			if ((!users || t->users == users) && !is_measured(&s->criterion[c], t)) {
				n++;
				break;
			}
	return n;
}

static int64_t find_next(const struct search *s)
{
	const struct search_criterion *c, *end = s->criterion + s->criteria;
	int64_t next = 0;

	for (c = s->criterion; c < end; c++) {
		struct search_bounds b = search_find_bounds(s, c, false);

		if (!b.bad && b.good < s->most)
			return b.good ? add_users(s, b.good) : 1;
	}
	for (c = s->criterion; c < end && !next; c++)
		next = narrow_gap(s, c, false);
	for (c = s->criterion; c < end && !next; c++)
		if (search_find_bounds(s, c, true).good < search_find_bounds(s, c, false).good)
			next = narrow_gap(s, c, true);
	return next;
}

int64_t search_choose_next(const struct search *s)
{
	int64_t next = find_next(s);

	return search_count_unmeasured(s, next) < UNMEASURED_MOST || !next ? next : 0;
}

const struct search_try *search_find_end(const struct search *s, int64_t users)
{
	for (const struct search_try *t = s->try; t < s->try + s->tries; t++)
		if (t->users == users && *t->ended)
			return t;
	return NULL;
}

int search_parse_criteria(struct search *s, const char *list)
{
	for (size_t length; *list; list += length + (list[length] == ',')) {
		struct search_criterion *c = &s->criterion[s->criteria];
		int end = 0;

		length = strcspn(list, ",");
		if (s->criteria++ == SEARCH_CRITERIA || length >= sizeof(c->name))
			return -EINVAL;
		memcpy(c->name, list, length);
		c->apdex = *list == 'a';
		sscanf(c->name, c->apdex ? "apdex:%lf%n" : "p95:%lfms%n", &c->limit, &end);
		if (end != (int)length || !(c->limit > 0) || (c->apdex && c->limit > 1))
			return -EINVAL;
	}
	return s->criteria ? 0 : -EINVAL;
}

enum { USERS, P95, P95_FROM, ALL_P95, APDEX, APDEX_TO, ALL_APDEX, OWN, ENDED, RESOURCE, COLUMNS };
static const char *const columns[COLUMNS + 1] = { "users",     "p95_ms",      "p95_from_ms", "all_p95_ms", "apdex", "apdex_to",
						  "all_apdex", "own_percent", "ended",	     "resource",   NULL };

static int read_row(void *context, char *const *cell)
{
	struct search *s = context;
	struct search_try t;
	double value[ENDED];

	for (int i = P95; i < ENDED; i++) {
		value[i] = i == ALL_P95 ? (double)INFINITY : i == ALL_APDEX ? 0 : (double)NAN;
		if (*cell[i] && cli_parse_real(cell[i], &value[i]))
			return -EPROTO;
	}
	if (!rows_in_count(cell[USERS], &t.users) || t.users < 1)
		return -EPROTO;
	if (isnan(value[P95]) && !isnan(value[P95_FROM]))
		value[P95] = (double)INFINITY; /* a lower bound */
	for (int i = P95; i <= APDEX; i += APDEX - P95)
		value[i + SEARCH_EARLY] = isnan(value[i + SEARCH_EARLY]) ? value[i] : value[i + SEARCH_EARLY];
	memcpy(t.p95_ms, value + P95, sizeof(t.p95_ms));
	memcpy(t.apdex, value + APDEX, sizeof(t.apdex));
	t.own_percent = value[OWN];
	t.ended = must_alloc(strdup(cell[ENDED]));
	t.resource = must_alloc(strdup(cell[RESOURCE]));
	memory_more(s->try, s->tries);
	s->try[s->tries++] = t;
	return 0;
}

int search_read(FILE *in, struct search *s, unsigned long *line)
{
	s->try = memory_new(1, sizeof(*s->try)); /* loops add to it: never NULL */
	return rows_in_read(in, "capacity-try/1", columns, COLUMNS, read_row, s, line);
}

void search_free(struct search *s)
{
	for (size_t i = 0; i < s->tries; i++) {
		free(s->try[i].ended);
		free(s->try[i].resource);
	}
	free(s->try);
}
