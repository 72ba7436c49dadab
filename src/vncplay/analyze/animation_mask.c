// SPDX-License-Identifier: GPL-3.0-or-later
#include "animation_mask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AROUND 3		/* inputs on either side */
#define LEAST 4			/* spells of change among them, before anything is said */
#define PER_INPUT 1.5		/* more spells for each input that has one */
/* of the spells in the last two fifths of the time to the next input: 0.4 if they know nothing of
 * inputs */
#define LATE_SHARE 0.12
#define LATE 0.6
#define OFTEN 3			/* inputs around which a tile is restless, and their share of those with a change: then it is so around all */
#define OFTEN_SHARE 0.4
#define SPELL_GAP_MS 150	/* changes closer than this are one spell */
#define SPELL_MOST_MS 300	/* ... which is counted again after this */
#define SEEN_MOST 64		/* contents that are remembered */
#define REGULAR 6		/* spells at even distances */
#define LESS_EVEN 2		/* inputs, of spells that are no answers to them */
#define EVEN 0.08		/* ... that differ by so much of their length at most */

struct spell_counts {			/* of one run and one kind of content, by input (0: before the first) */
	uint16_t *spells, *late;
	bool *regular;
};

struct unrest {
	int runs, inputs;
	const uint32_t *const *press_ms;
	struct spell_counts *run[2];	/* [seen] */
	float *score;
	bool *at;	/* inputs around which it is restless */
};

static int make_counts(struct spell_counts *c, size_t n)
{
	c->spells = calloc(n, sizeof(*c->spells));
	c->late = calloc(n, sizeof(*c->late));
	c->regular = calloc(n, sizeof(*c->regular));
	return c->spells && c->late && c->regular ? 0 : -1;
}

struct unrest *unrest_new(int runs, int inputs, const uint32_t *const *press_ms)
{
	struct unrest *u = calloc(1, sizeof(*u));
	int err = 0;

	if (!u)
		return NULL;
	*u = (struct unrest){ .runs = runs, .inputs = inputs, .press_ms = press_ms };
	u->score = calloc((size_t)runs, sizeof(*u->score));
	u->at = calloc((size_t)inputs + 1, sizeof(*u->at));
	for (int s = 0; s < 2; s++) {
		u->run[s] = calloc((size_t)runs, sizeof(**u->run));
		for (int r = 0; u->run[s] && r < runs && !err; r++)
			err = make_counts(&u->run[s][r], (size_t)inputs + 1);
	}
	if (!u->score || !u->at || !u->run[0] || !u->run[1] || err) {
		unrest_free(u);
		return NULL;
	}
	return u;
}

void unrest_free(struct unrest *u)
{
	if (!u)
		return;
	for (int s = 0; s < 2; s++) {
		for (int r = 0; u->run[s] && r < u->runs; r++) {
			free(u->run[s][r].spells);
			free(u->run[s][r].late);
			free(u->run[s][r].regular);
		}
		free(u->run[s]);
	}
	free(u->score);
	free(u->at);
	free(u);
}

static void mark_seen(const struct track *t)
{
	uint64_t known[SEEN_MOST], changed[SEEN_MOST];
	size_t at[SEEN_MOST], n = 0, next = 0;

	memset(t->seen, 0, t->n);
	for (size_t i = 0; i < t->n; i++) {
		for (size_t j = n; j-- > 0;) {
			if (changed[j] == t->change[i])	/* from its first time on */
				t->seen[i] = t->seen[at[j]] = 1;
			/* it is back; what was typed under a caret also comes back, and was an answer when it came */
			else if (known[j] == t->content[i])
				t->seen[i] = 1;
		}
		if (t->seen[i])
			continue;
		known[next] = t->content[i];
		changed[next] = t->change[i];
		at[next] = i;
		next = (next + 1) % SEEN_MOST;
		n = n < SEEN_MOST ? n + 1 : n;
	}
}

static bool is_late(const struct unrest *u, int run, uint32_t ms, int after)
{
	const uint32_t *press = u->press_ms[run];
	double from, to;

	if (after < 0)	/* no input is before it */
		return true;
	from = press[after];
	to = press[after + 1];
	return to > from && (ms - from) / (to - from) > LATE;
}

/* By how much the distances from each of n to the one after the next differ (on and off of a cycle may), and what they are. */
static double interval_spread(const uint32_t *ms, size_t n, double *mean)
{
	double least = 1e18, most = 0;

	for (size_t k = 2; k < n; k++) {
		double d = ms[k] - ms[k - 2];

		least = d < least ? d : least;
		most = d > most ? d : most;
	}
	*mean = (ms[n - 1] + ms[n - 2] - ms[0] - ms[1]) / (double)(n - 2);
	return most - least;
}

/* Spells at even distances, and much more so than those of the inputs that they follow: else those are answers. */
static void find_regular(const struct unrest *u, int run, const struct track *t, int seen, struct spell_counts *c)
{
	uint32_t spell[REGULAR + 2], press[REGULAR + 2], last = 0;
	int32_t after[REGULAR + 2];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		bool one_each = true;
		double uneven, mean, of_inputs;

		if (t->seen[i] != seen || t->after[i] < 0 || (n && t->ms[i] - last <= SPELL_GAP_MS)) {
			last = t->ms[i];
			continue;
		}
		last = t->ms[i];
		if (n == REGULAR + 2) {
			memmove(spell, spell + 1, (n - 1) * sizeof(*spell));
			memmove(press, press + 1, (n - 1) * sizeof(*press));
			memmove(after, after + 1, (n - 1) * sizeof(*after));
			n--;
		}
		spell[n] = t->ms[i];
		press[n] = u->press_ms[run][t->after[i]];
		after[n++] = t->after[i];
		if (n < REGULAR + 2)
			continue;
		uneven = interval_spread(spell, n, &mean);
		if (uneven > 2 * EVEN * mean)
			continue;
		for (size_t k = 1; k < n; k++)
			one_each = one_each && after[k] == after[k - 1] + 1;
		if (one_each || interval_spread(press, n, &of_inputs) <= LESS_EVEN * uneven + EVEN * of_inputs)
			continue;
		for (size_t k = 0; k < n; k++)
			c->regular[after[k] + 1] = true;
	}
}

static void count_spells(const struct unrest *u, int run, const struct track *t, int seen, struct spell_counts *c)
{
	uint32_t last = 0, counted = 0;
	bool any = false;

	memset(c->spells, 0, ((size_t)u->inputs + 1) * sizeof(*c->spells));
	memset(c->late, 0, ((size_t)u->inputs + 1) * sizeof(*c->late));
	memset(c->regular, 0, ((size_t)u->inputs + 1) * sizeof(*c->regular));
	for (size_t i = 0; i < t->n; i++) {
		if (t->seen[i] != seen)
			continue;
		if (!any || t->ms[i] - last > SPELL_GAP_MS || t->ms[i] - counted > SPELL_MOST_MS) {
			if (c->spells[t->after[i] + 1] < UINT16_MAX) {
				c->spells[t->after[i] + 1]++;
				c->late[t->after[i] + 1] = (uint16_t)(c->late[t->after[i] + 1] + (i > 0 && is_late(u, run, t->ms[i], t->after[i])));
			}
			counted = t->ms[i];
		}
		last = t->ms[i];
		any = true;
	}
	find_regular(u, run, t, seen, c);
}

/* How restless it is around an input; above 1: too much. */
static float restless(const struct spell_counts *c, int inputs, int at)
{
	int from = at - AROUND < 0 ? 0 : at - AROUND, to = at + AROUND > inputs ? inputs : at + AROUND;
	int spells = 0, late = 0, with = 0;

	if (c->regular[at])
		return 2;
	for (int i = from; i <= to; i++) {
		spells += c->spells[i];
		late += c->late[i];
		with += c->spells[i] > 0;
	}
	if (spells < LEAST || late < LATE_SHARE * spells)
		return 0;
	return (float)(spells / (PER_INPUT * with));
}

/* Whether the tile changes around this input in most runs. */
static bool spells_in_all(const struct unrest *u, int seen, int at)
{
	int n = 0;

	for (int r = 0; r < u->runs; r++)
		n += u->run[seen][r].spells[at] > 0;
	return 2 * n > u->runs;
}

/* The run that is quietest but one, or the quietest of two or three. */
static float agreed(float *score, int n)
{
	float least = score[0], second = 1e9f;

	for (int i = 1; i < n; i++) {
		if (score[i] < least) {
			second = least;
			least = score[i];
		} else if (score[i] < second) {
			second = score[i];
		}
	}
	return n > 3 ? second : least;
}

void unrest_seen(const struct track *track, int runs)
{
	for (int r = 0; r < runs; r++)
		mark_seen(&track[r]);
}

void unrest_mark(struct unrest *u, const struct track *track)
{
	size_t enough = 0;

	for (int r = 0; r < u->runs; r++) {
		mark_seen(&track[r]);
		memset(track[r].masked, 0, track[r].n);
		enough += track[r].n >= LEAST;
	}
	if (enough + (u->runs > 3) < (size_t)u->runs)	/* the usual case, and a quick one */
		return;
	for (int seen = 0; seen < 2; seen++) {
		int restless_at = 0, spells_at = 0;

		for (int r = 0; r < u->runs; r++)
			count_spells(u, r, &track[r], seen, &u->run[seen][r]);
		for (int at = 1; at <= u->inputs; at++) {
			for (int r = 0; r < u->runs; r++)
				u->score[r] = restless(&u->run[seen][r], u->inputs, at);
			u->at[at] = agreed(u->score, u->runs) > 1;
			restless_at += u->at[at];
			spells_at += spells_in_all(u, seen, at);
		}
		if (restless_at >= OFTEN && restless_at >= OFTEN_SHARE * spells_at)
			memset(u->at, true, ((size_t)u->inputs + 1) * sizeof(*u->at));
		for (int r = 0; r < u->runs; r++)
			for (size_t i = 0; i < track[r].n; i++)
				if (track[r].seen[i] == seen && track[r].after[i] >= 0 && u->at[track[r].after[i] + 1])
					track[r].masked[i] = seen ? UNREST_BACK : UNREST_NEW;
	}
}

/* --- neighbours -------------------------------------------------------------------------------------------------- */

#define EDGE 3			/* tiles, or an eighth of all: more is an answer that lies over a restless place */
#define EDGE_SHARE 8
#define FEW 4			/* tiles that a letter and the caret beside it may touch */

struct kin {
	int columns, rows;
	uint32_t *of;		/* of each tile: 1 + the change of it that this update has; 0: none */
	uint32_t *stack, *group;	/* tiles */
};

struct kin *kin_new(int columns, int rows)
{
	size_t n = (size_t)columns * (size_t)rows + 1;
	struct kin *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	*k = (struct kin){ columns, rows, calloc(n, sizeof(*k->of)), malloc(n * sizeof(*k->stack)), malloc(n * sizeof(*k->group)) };
	if (!k->of || !k->stack || !k->group) {
		kin_free(k);
		return NULL;
	}
	return k;
}

void kin_free(struct kin *k)
{
	if (!k)
		return;
	free(k->of);
	free(k->stack);
	free(k->group);
	free(k);
}

static uint32_t kin_place(const struct kin *k, uint32_t tile)
{
	return tile / TILE_COLUMNS * (uint32_t)k->columns + tile % TILE_COLUMNS;
}

/* Takes the tiles that touch this one, directly or by others, out of the update. */
static void mask_group(struct kin *k, uint32_t start, uint8_t *masked)	/* masked: by change */
{
	size_t n = 0, waiting = 0, restless = 0, back = 0;

	k->stack[waiting++] = start;
	k->group[n++] = k->of[start] - 1;
	restless += masked[k->of[start] - 1] != 0;
	back += masked[k->of[start] - 1] == UNREST_BACK;
	k->of[start] = 0;
	while (waiting) {
		uint32_t t = k->stack[--waiting];
		int x = (int)(t % (uint32_t)k->columns), y = (int)(t / (uint32_t)k->columns);

		for (int i = 0; i < 9; i++) {
			int nx = x + i % 3 - 1, ny = y + i / 3 - 1;
			uint32_t next = (uint32_t)(ny * k->columns + nx);

			if (nx < 0 || ny < 0 || nx >= k->columns || ny >= k->rows || !k->of[next])
				continue;
			k->group[n++] = k->of[next] - 1;
			restless += masked[k->of[next] - 1] != 0;
			back += masked[k->of[next] - 1] == UNREST_BACK;
			k->of[next] = 0;
			k->stack[waiting++] = next;
		}
	}
	if (2 * restless < n || (n - restless > EDGE && EDGE_SHARE * (n - restless) > n))
		return;
	if (n <= FEW && back == restless)	/* what is typed takes the caret along */
		return;
	while (n) {
		n--;
		if (!masked[k->group[n]])
			masked[k->group[n]] = UNREST_NEW;
	}
}

int mask_neighbours(struct kin *k, const struct tilelog *tiles, const uint32_t *order, uint8_t *masked)
{
	uint8_t *by_change = calloc(tiles->n + 1, 1);

	if (!by_change)
		return -ENOMEM;
	for (size_t p = 0; p < tiles->n; p++)
		by_change[order[p]] = masked[p];
	for (size_t u = 0; u < tiles->n_updates; u++) {
		size_t end = u + 1 < tiles->n_updates ? tiles->update[u + 1].first : tiles->n;

		for (size_t i = tiles->update[u].first; i < end; i++)
			k->of[kin_place(k, tiles->changed[i])] = (uint32_t)i + 1;
		for (size_t i = tiles->update[u].first; i < end; i++)
			if (k->of[kin_place(k, tiles->changed[i])])
				mask_group(k, kin_place(k, tiles->changed[i]), by_change);
	}
	for (size_t p = 0; p < tiles->n; p++)
		masked[p] = by_change[order[p]];
	free(by_change);
	return 0;
}
