// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows of `compare`: settings held against the default, by the median latencies of keys of the same
 * repeat. Cells are compared that differ in nothing but the parameter `setting`. The effect is the
 * ratio to the default's: the geometric mean over the pairs, with the t interval of the logarithms;
 * below COMPARE_PAIRS pairs nothing is said. The p-values of one `part` are Holm's (1979). */
#include "holm.h"
#include "interval.h"
#include "keys_extract.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPARE_BASE "default"
#define COMPARE_PAIRS 5			/* at least */
#define COMPARE_NOISY 2.0		/* an interval that reaches from x to more than this times x shows nothing */

struct compare_one {
	const struct cell *cell;
	size_t pairs;
	struct figure ratio;	/* below 1 is earlier than by default */
	double p;		/* of a ratio of 1; NAN: too few pairs */
};

static bool compare_same(const struct cell *a, const struct cell *b, const char *key)
{
	const char *x = cell_text(a, key), *y = cell_text(b, key);
	double v = cell_number(a, key), w = cell_number(b, key);

	if (x || y)
		return x && y && !strcmp(x, y);
	return isnan(v) ? isnan(w) : fabs(v - w) < 1e-6;
}

/* The cell of the default that differs in nothing but the setting. */
static const struct cell *compare_base(const struct run *run, const struct cell *c)
{
	for (size_t i = 0; i < run->n; i++) {
		const char *setting = cell_text(&run->cell[i], "setting"), *axis = "";
		bool same = setting && !strcmp(setting, COMPARE_BASE);
		char path[32];

		for (int k = 0; same && axis; k++) {
			snprintf(path, sizeof(path), "axes.%d", k);
			axis = json_get_str(run->json, path);
			same = !axis || !strcmp(axis, "setting") || compare_same(c, &run->cell[i], axis);
		}
		if (same)
			return &run->cell[i];
	}
	return NULL;
}

static int compare_pairs(const struct keys_run *keys, struct compare_one *out, const struct cell *base)
{
	const struct keys_cell *k = &keys->cell[out->cell->index], *b = base ? &keys->cell[base->index] : NULL;
	double *ratio = calloc(k->n + 1, sizeof(*ratio)), sum = 0;
	struct interval i;

	out->ratio = (struct figure){ .value = NAN, .low = NAN, .high = NAN };
	out->p = NAN;
	if (!ratio)
		return -ENOMEM;
	for (size_t t = 0; b && t < k->n; t++)
		for (size_t u = 0; u < b->n; u++) {
			double r = b->train[u].repeat == k->train[t].repeat ? log(keys_median(&k->train[t]) / keys_median(&b->train[u])) : (double)NAN;

			if (!isfinite(r))
				continue;
			ratio[out->pairs++] = r;
			sum += r;
			break;
		}
	if (out->pairs)
		out->ratio.value = exp(sum / (double)out->pairs);
	if (out->pairs >= COMPARE_PAIRS && interval_t(ratio, out->pairs, &i)) {
		out->ratio.low = exp(i.low);
		out->ratio.high = exp(i.high);
		out->p = interval_t_p(ratio, out->pairs);
	}
	free(ratio);
	return 0;
}

/* Each part has a verdict of its own: p-values of the cells of the part that begins at i. */
static int compare_holm(struct compare_one *one, size_t n, size_t i, double *p)
{
	int err;

	for (size_t k = 0; k < i; k++)
		if (compare_same(one[k].cell, one[i].cell, "part"))
			return 0;	/* not its first */
	for (size_t k = 0; k < n; k++)
		p[k] = compare_same(one[k].cell, one[i].cell, "part") ? one[k].p : (double)NAN;
	err = holm_adjust(p, n);
	for (size_t k = 0; k < n; k++)
		if (compare_same(one[k].cell, one[i].cell, "part"))
			one[k].p = p[k];
	return err;
}

static const char *compare_verdict(const struct compare_one *c)
{
	if (!isfinite(c->p))
		return "too few runs";
	if (c->p < 1 - INTERVAL_LEVEL)
		return c->ratio.value < 1 ? "better" : "worse";
	return c->ratio.high > COMPARE_NOISY * c->ratio.low ? "too noisy" : "no difference shown";
}

int compare_rows(const struct keys_run *keys, struct table_out *out, struct why *why)
{
	const struct run *run = keys->run;
	struct compare_one *one = calloc(run->n, sizeof(*one));
	double *p = calloc(run->n, sizeof(*p));
	int err = one && p ? 0 : -ENOMEM;
	size_t n = 0;

	for (size_t i = 0; !err && i < run->n; i++) {
		const char *setting = cell_text(&run->cell[i], "setting");

		if (!setting || !*setting || !strcmp(setting, COMPARE_BASE))
			continue;
		one[n].cell = &run->cell[i];
		err = compare_pairs(keys, &one[n], compare_base(run, one[n].cell));
		n++;
	}
	for (size_t i = 0; !err && i < n; i++)
		err = compare_holm(one, n, i, p);
	for (size_t i = 0; !err && i < n; i++) {
		row_params(out, one[i].cell);
		row_number(out, "pairs", (double)one[i].pairs);
		row_figure(out, "ratio", &one[i].ratio);
		row_number(out, "p", one[i].p);
		row_text(out, "verdict", compare_verdict(&one[i]));
		row_end(out);
	}
	free(one);
	free(p);
	return err ? why_no_memory(why) : 0;
}
