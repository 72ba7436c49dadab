// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyze.h"
#include "memory.h"

#define AROUND 3      /* inputs before and after that are counted together with an input */
#define LEAST 4	      /* fewer bursts among those inputs are never an animation */
#define PER_INPUT 1.5 /* bursts for each input that has a burst, above which a tile is animated */
/* Share of bursts in the last two fifths of the time to the next input, below which bursts are responses. An animation that
 * ignores inputs has 0.4. */
#define LATE_SHARE 0.12
#define LATE 0.6
/* inputs at which a tile is animated, and their share of its inputs with a burst, from which on it is animated at all inputs */
#define OFTEN 3
#define OFTEN_SHARE 0.4
#define BURST_GAP_MS 150  /* changes closer than this are one burst */
#define BURST_MOST_MS 300 /* a burst that lasts longer than this is counted again */
#define SEEN_MOST 64	  /* most recent contents of a tile that are compared */
#define REGULAR 6	  /* bursts at equal intervals that make a periodic animation */
/* intervals of inputs must vary this many times as much as those of bursts: else the bursts respond to periodic inputs */
#define LESS_EVEN 2
#define EVEN 0.08 /* intervals are equal when they differ by at most this share of their length */

/* bursts of one tile between one input and the next, in one run; index 0: before the first input */
struct interval_bursts {
	uint16_t bursts, late;
	bool regular;
};

struct animation {
	int runs, inputs;
	const uint32_t *const *press_ms;
	/* for repeated content (seen 1) or new content (seen 0), each run, each input: get_run_bursts() */
	struct interval_bursts *bursts;
	float *score;
	bool *at; /* for each input + 1: whether the tile is animated there */
};

struct animation *animation_new(int runs, int inputs, const uint32_t *const *press_ms)
{
	struct animation *u = memory_new(1, sizeof(*u));

	*u = (struct animation){ .runs = runs, .inputs = inputs, .press_ms = press_ms };
	u->score = memory_new((size_t)runs, sizeof(*u->score));
	u->at = memory_new((size_t)inputs + 1, sizeof(*u->at));
	u->bursts = memory_new(2 * (size_t)runs * ((size_t)inputs + 1), sizeof(*u->bursts));
	return u;
}

void animation_free(struct animation *u)
{
	free(u->bursts);
	free(u->score);
	free(u->at);
	free(u);
}

static struct interval_bursts *get_run_bursts(const struct animation *u, int seen, int run)
{
	return u->bursts + (size_t)(seen * u->runs + run) * ((size_t)u->inputs + 1);
}

static void mark_repeated(const struct tile_changes *t)
{
	uint64_t known[SEEN_MOST], changed[SEEN_MOST];
	size_t at[SEEN_MOST], n = 0, next = 0;

	for (size_t i = 0; i < t->n; i++)
		t->change[i].seen = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct tile_change *c = &t->change[i];

		for (size_t j = n; j-- > 0;) {
			if (changed[j] == c->change) /* mark the first occurrence as well */
				c->seen = t->change[at[j]].seen = 1;
			/* Content shown before. Its first occurrence is not marked: a letter typed at a caret also comes back, and was a response
			 * at first. */
			else if (known[j] == c->content)
				c->seen = 1;
		}
		if (c->seen)
			continue;
		known[next] = c->content;
		changed[next] = c->change;
		at[next] = i;
		next = (next + 1) % SEEN_MOST;
		n = n < SEEN_MOST ? n + 1 : n;
	}
}

static bool is_burst_late(const struct animation *u, int run, uint32_t ms, int after)
{
	const uint32_t *press = u->press_ms[run];
	double from, to;

	if (after < 0)
		return true;
	from = press[after];
	to = press[after + 1];
	return to > from && (ms - from) / (to - from) > LATE;
}

/* Spread of the intervals between each time and the one after the next (on and off phases may differ); *mean: their mean. */
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

/* Marks inputs with bursts at equal intervals, unless the inputs come at intervals about as equal: then the bursts are
 * responses. */
static void mark_regular_inputs(const struct animation *u, int run, const struct tile_changes *t, int seen,
				struct interval_bursts *c)
{
	uint32_t burst[REGULAR + 2], press[REGULAR + 2], last = 0;
	int32_t after[REGULAR + 2];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct tile_change *x = &t->change[i];
		bool one_each = true;
		double uneven, mean, of_inputs;

		if (x->seen != seen || x->after < 0 || (n && x->ms - last <= BURST_GAP_MS)) {
			last = x->ms;
			continue;
		}
		last = x->ms;
		if (n == REGULAR + 2) {
			memmove(burst, burst + 1, (n - 1) * sizeof(*burst));
			memmove(press, press + 1, (n - 1) * sizeof(*press));
			memmove(after, after + 1, (n - 1) * sizeof(*after));
			n--;
		}
		burst[n] = x->ms;
		press[n] = u->press_ms[run][x->after];
		after[n++] = x->after;
		if (n < REGULAR + 2)
			continue;
		uneven = interval_spread(burst, n, &mean);
		if (uneven > 2 * EVEN * mean)
			continue;
		for (size_t k = 1; k < n; k++)
			one_each = one_each && after[k] == after[k - 1] + 1;
		if (one_each || interval_spread(press, n, &of_inputs) <= LESS_EVEN * uneven + EVEN * of_inputs)
			continue;
		for (size_t k = 0; k < n; k++)
			c[after[k] + 1].regular = true;
	}
}

static void count_bursts(const struct animation *u, int run, const struct tile_changes *t, int seen, struct interval_bursts *c)
{
	uint32_t last = 0, counted = 0;
	bool any = false;

	memset(c, 0, ((size_t)u->inputs + 1) * sizeof(*c));
	for (size_t i = 0; i < t->n; i++) {
		const struct tile_change *x = &t->change[i];

		if (x->seen != seen)
			continue;
		if (!any || x->ms - last > BURST_GAP_MS || x->ms - counted > BURST_MOST_MS) {
			struct interval_bursts *at = &c[x->after + 1];

			if (at->bursts < UINT16_MAX) {
				at->bursts++;
				at->late = (uint16_t)(at->late + (i > 0 && is_burst_late(u, run, x->ms, x->after)));
			}
			counted = x->ms;
		}
		last = x->ms;
		any = true;
	}
	mark_regular_inputs(u, run, t, seen, c);
}

/* Animation score of an input: above 1, the tile is animated around it. */
static float score_input(const struct interval_bursts *c, int inputs, int at)
{
	int from = at - AROUND < 0 ? 0 : at - AROUND, to = at + AROUND > inputs ? inputs : at + AROUND;
	int bursts = 0, late = 0, with = 0;

	if (c[at].regular)
		return 2;
	for (int i = from; i <= to; i++) {
		bursts += c[i].bursts;
		late += c[i].late;
		with += c[i].bursts > 0;
	}
	if (bursts < LEAST || late < LATE_SHARE * bursts)
		return 0;
	return (float)(bursts / (PER_INPUT * with));
}

/* Whether the tile has a burst after this input in most runs. */
static bool has_common_burst(const struct animation *u, int seen, int at)
{
	int n = 0;

	for (int r = 0; r < u->runs; r++)
		n += get_run_bursts(u, seen, r)[at].bursts > 0;
	return 2 * n > u->runs;
}

/* The second lowest score of the runs, or the lowest of two or three. */
static float second_lowest_score(float *score, int n)
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

void animation_mark_tile(struct animation *u, const struct tile_changes *track)
{
	size_t enough = 0;

	for (int r = 0; r < u->runs; r++) {
		mark_repeated(&track[r]);
		for (size_t i = 0; i < track[r].n; i++)
			track[r].change[i].masked = 0;
		enough += track[r].n >= LEAST;
	}
	if (enough + (u->runs > 3) < (size_t)u->runs) /* too few changes in most runs to be an animation: the usual case */
		return;
	for (int seen = 0; seen < 2; seen++) {
		int restless_at = 0, bursts_at = 0;

		for (int r = 0; r < u->runs; r++)
			count_bursts(u, r, &track[r], seen, get_run_bursts(u, seen, r));
		for (int at = 1; at <= u->inputs; at++) {
			for (int r = 0; r < u->runs; r++)
				u->score[r] = score_input(get_run_bursts(u, seen, r), u->inputs, at);
			u->at[at] = second_lowest_score(u->score, u->runs) > 1;
			restless_at += u->at[at];
			bursts_at += has_common_burst(u, seen, at);
		}
		if (restless_at >= OFTEN && restless_at >= OFTEN_SHARE * bursts_at)
			memset(u->at, true, ((size_t)u->inputs + 1) * sizeof(*u->at));
		for (int r = 0; r < u->runs; r++)
			for (size_t i = 0; i < track[r].n; i++) {
				struct tile_change *c = &track[r].change[i];

				if (c->seen == seen && c->after >= 0 && u->at[c->after + 1])
					c->masked = seen ? MASKED_REPEATED : MASKED_NEW;
			}
	}
}

#define EDGE 3 /* unmasked tiles of a group; more of them (and more than an eighth) are a response that touches an animation */
#define EDGE_SHARE 8
#define FEW 4 /* tiles that a typed letter and its caret may touch */

size_t animation_take_group(uint8_t *set, int columns, int rows, uint32_t start, uint32_t *tile)
{
	size_t n = 0;

	set[start] = 0;
	tile[n++] = start;
	for (size_t next = 0; next < n; next++) {
		int x = (int)tile[next] % columns, y = (int)tile[next] / columns;

		for (int i = 0; i < 9; i++) {
			int nx = x + i % 3 - 1, ny = y + i / 3 - 1;

			if (nx < 0 || ny < 0 || nx >= columns || ny >= rows || !set[ny * columns + nx])
				continue;
			tile[n] = (uint32_t)(ny * columns + nx);
			set[tile[n++]] = 0;
		}
	}
	return n;
}

/* Masks a group of n tiles if it is an animation; of[tile] is the index of a tile's change. */
static void mask_animated_group(const uint32_t *tile, size_t n, const uint32_t *of, struct tile_change *change)
{
	size_t restless = 0, back = 0;

	for (size_t i = 0; i < n; i++) {
		restless += change[of[tile[i]]].masked != 0;
		back += change[of[tile[i]]].masked == MASKED_REPEATED;
	}
	if (2 * restless < n || (n - restless > EDGE && EDGE_SHARE * (n - restless) > n))
		return;
	if (n <= FEW && back == restless) /* a typed letter moves the caret */
		return;
	for (size_t i = 0; i < n; i++)
		if (!change[of[tile[i]]].masked)
			change[of[tile[i]]].masked = MASKED_NEW;
}

void animation_mask_groups(int columns, int rows, const struct tilelog *tiles, const uint32_t *place, struct tile_change *change)
{
	size_t all = (size_t)columns * (size_t)rows;
	uint8_t *set = memory_new(all, sizeof(*set));
	uint32_t *of = memory_new(all, sizeof(*of)), *group = memory_new(all, sizeof(*group)), *at = memory_new(all, sizeof(*at));

	for (size_t u = 0; u < tiles->n_updates; u++) {
		size_t end = u + 1 < tiles->n_updates ? tiles->update[u + 1].first : tiles->n, n = 0;

		for (size_t i = tiles->update[u].first; i < end; i++) {
			uint32_t tile = tiles->changed[i];

			at[n] = tile / TILE_COLUMNS * (uint32_t)columns + tile % TILE_COLUMNS;
			of[at[n]] = place[i];
			set[at[n++]] = 1;
		}
		for (size_t i = 0; i < n; i++)
			if (set[at[i]])
				mask_animated_group(group, animation_take_group(set, columns, rows, at[i], group), of, change);
	}
	free(set);
	free(of);
	free(group);
	free(at);
}
