// SPDX-License-Identifier: GPL-3.0-or-later
/* slope_extract - rows: for each protocol, by how much the median latency of keys that stand alone grows
 * over the round trip that ping found, on links without loss: least squares through a point for
 * each repeat of each cell, with Student's t interval of the slope. Parameters: protocol, rtt_ms,
 * loss_percent, keys_per_s (0: keys alone); cell.json: parameters.ping_ms (else rtt_ms). */
#include "keys_extract.h"
#include "clock.h"
#include "interval.h"
#include "means.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct slope {
	const struct run *run;
	double *x, *y;		/* of the protocol at hand */
	double *at[];		/* of each cell: x and y of each repeat, in turn; NULL: not a point of a line */
};

static void *slope_open(const struct run *run, struct why *why)
{
	struct slope *s = calloc(1, sizeof(*s) + run->n * sizeof(*s->at));
	size_t room = run->n * (size_t)run->repeats;

	if (s) {
		s->run = run;
		s->x = calloc(room, sizeof(*s->x));
		s->y = calloc(room, sizeof(*s->y));
	}
	if (s && s->x && s->y)
		return s;
	why_no_memory(why);
	return NULL;
}

static int slope_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct slope *s = state;
	struct train train;
	double *at;
	int err;

	if (cell_number(c, "loss_percent") > 0 || cell_number(c, "keys_per_s") > 0)
		return 0;
	if (!s->at[c->index])
		s->at[c->index] = calloc(2 * c->n, sizeof(*at));
	if (!s->at[c->index])
		return why_no_memory(why);
	err = keys_train(r, &train, why);
	at = &s->at[c->index][2 * r->index];
	at[0] = cell_number(c, "rtt_ms");
	json_get_real(r->json, "parameters.ping_ms", &at[0]);
	at[1] = err ? (double)NAN : keys_median(&train) / NS_PER_MS;
	keys_free(&train.keys);
	return err;
}

static void slope_row(const struct slope *s, const struct cell *first, struct table_out *out)
{
	const char *protocol = cell_text(first, "protocol");
	struct interval i = { NAN, NAN };
	double start = NAN, slope, squares = 0;
	size_t n = 0;

	for (size_t k = first->index; k < s->run->n; k++) {
		const struct cell *c = &s->run->cell[k];

		for (size_t r = 0; s->at[k] && !strcmp(cell_text(c, "protocol"), protocol) && r < c->n; r++)
			if (isfinite(s->at[k][2 * r + 1])) {
				s->x[n] = s->at[k][2 * r];
				s->y[n++] = s->at[k][2 * r + 1];
			}
	}
	slope = n ? means_slope(s->x, s->y, n, &start) : (double)NAN;
	interval_slope(s->x, s->y, n, &i);
	for (size_t k = 0; k < n; k++)
		squares += pow(s->y[k] - start - slope * s->x[k], 2);
	row_text(out, "protocol", protocol);
	row_number(out, "points", (double)n);
	row_figure(out, "slope", &(struct figure){ slope, i.low, i.high, false });
	row_number(out, "start_ms", start);
	row_number(out, "spread_ms", n > 2 ? sqrt(squares / (double)(n - 2)) : (double)NAN);
	row_end(out);
}

static int slope_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	const struct slope *s = state;

	(void)table;
	for (size_t i = 0; i < s->run->n; i++) {
		const char *protocol = cell_text(&s->run->cell[i], "protocol");
		size_t k = 0;

		if (!protocol)
			return why_set(why, -1, "%s/run.json: cell %s has no protocol", s->run->folder, s->run->cell[i].name);
		while (strcmp(cell_text(&s->run->cell[k], "protocol"), protocol) != 0)
			k++;
		if (k == i)
			slope_row(s, &s->run->cell[i], out);
	}
	return 0;
}

static void slope_close(void *state)
{
	struct slope *s = state;

	for (size_t i = 0; i < s->run->n; i++)
		free(s->at[i]);
	free(s->x);
	free(s->y);
	free(s);
}

const struct extractor slope_extractor = {
	.name = "slope", .open = slope_open, .read = slope_read, .rows = slope_rows,
	.close = slope_close,
};
