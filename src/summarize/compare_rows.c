// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows of `compare`: settings held against the default, by the median latencies of keys of the same
 * repeat. Cells are compared that differ in nothing but the parameter `setting`. The effect is the
 * ratio to the default's: the geometric mean over the pairs, with the t interval of the logarithms;
 * below INTERVAL_PAIRS pairs nothing is said. The p-values of one `part` are Holm's (1979). */
#include "interval.h"
#include "keys_extract.h"

#include <math.h>
#include <string.h>

#define COMPARE_BASE "default"

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
	for (const struct cell *base = run->cell; base < run->cell + run->n; base++) {
		const char *setting = cell_text(base, "setting"), *axis;
		bool same = setting && !strcmp(setting, COMPARE_BASE);

		for (int k = 0; same && (axis = inputs_text(run->json, "axes.%d", k)); k++)
			same = !strcmp(axis, "setting") || compare_same(c, base, axis);
		if (same)
			return base;
	}
	return NULL;
}

/* The geometric mean has an interval only where it has a p. */
static void compare_pairs(struct compare_one *out, const struct cell *base)
{
	const struct train_keys *k = repeat_own(out->cell->repeat), *b = base ? repeat_own(base->repeat) : NULL;
	double *ratio = room_new(out->cell->n, sizeof(*ratio));

	for (size_t t = 0; b && t < out->cell->n; t++)
		for (size_t u = 0; u < base->n; u++) {
			double r = b[u].repeat == k[t].repeat ? keys_median(&k[t]) / keys_median(&b[u]) : (double)NAN;

			if (!(r > 0) || !isfinite(r))
				continue;
			ratio[out->pairs++] = r;
			break;
		}
	out->ratio = interval_ratio(ratio, out->pairs, &out->p);
	if (!isfinite(out->p))
		out->ratio.low = out->ratio.high = NAN;
	free(ratio);
}

/* The p-value of one, adjusted by those of its part: each part has a verdict of its own. */
static double compare_holm(const struct compare_one *one, size_t n, size_t i)
{
	double *p = room_new(n, sizeof(*p)), adjusted;

	for (size_t k = 0; k < n; k++)
		p[k] = compare_same(one[k].cell, one[i].cell, "part") ? one[k].p : (double)NAN;
	holm_adjust(p, n);
	adjusted = p[i];
	free(p);
	return adjusted;
}

/* All of them, with the first cell. */
void compare_rows(const struct cell *first, struct table_out *out)
{
	const struct run *run = first->run;
	struct compare_one *one = room_new(run->n, sizeof(*one));
	size_t n = 0;

	for (const struct cell *c = first; !first->index && c < run->cell + run->n; c++) {
		const char *setting = cell_text(c, "setting");

		if (!setting || !*setting || !strcmp(setting, COMPARE_BASE))
			continue;
		one[n].cell = c;
		compare_pairs(&one[n++], compare_base(run, c));
	}
	for (size_t i = 0; i < n; i++) {
		double p = compare_holm(one, n, i);

		row_params(out, one[i].cell);
		row_number(out, "pairs", (double)one[i].pairs);
		row_figure(out, "ratio", one[i].ratio);
		row_number(out, "p", p);
		row_text(out, "verdict", interval_verdict(&one[i].ratio, p));
		row_end(out);
	}
	free(one);
}
