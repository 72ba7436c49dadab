// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules.h"
#include "welch.h"

#include <math.h>
#include <stdbool.h>

#define MISS 0.05

/* One side of the interval, for as many claims as share it; where the number of repeats is not known, that of two. */
static double widen_side(const struct claim_figure *f, double side, double middle, int64_t share)
{
	double freedom = fmax(1, (double)f->repeats - 1), by = welch_quantile(freedom, 1 - MISS / 2 / (double)share);

	return middle + (side - middle) * (f->repeats == 2 ? by : by / welch_quantile(freedom, 1 - MISS / 2));
}

static void widen(struct claim_figure *f, int64_t share)
{
	double middle = f->repeats == 2 || f->from != f->to ? (f->low + f->high) / 2 : f->from;

	if (isnan(f->low) || isnan(f->high) || (share == 1 && f->repeats != 2))
		return;
	f->low = widen_side(f, f->low, middle, share);
	f->high = widen_side(f, f->high, middle, share);
}

static bool condition_holds(struct claim *c, size_t n)
{
	size_t held = 0;

	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < 2; k++)
			widen(&c[i].figure[k], c->some ? (int64_t)n : 1);
		held += !claim_judge(&c[i]) && c[i].word == CLAIM_HOLDS;
	}
	return c->some ? held > 0 : held == n;
}

enum rule_word rules_decide(struct claim *c, size_t n, enum rule_word *by)
{
	bool said[RULE_UNTOLD] = { false }, fails[RULE_UNTOLD] = { false };
	enum rule_word word = RULE_UNTOLD;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && c[end].rule == c[i].rule && c[end].part == c[i].part;)
			end++;
		said[c[i].says] = true;
		if (!condition_holds(c + i, end - i))
			fails[c[i].says] = true;
	}
	for (word = RULE_SAME; word < RULE_UNTOLD && (!said[word] || fails[word]);)
		word++;
	*by = word;
	if (word < RULE_CONTRARY && said[RULE_CONTRARY] && !fails[RULE_CONTRARY])
		return *by = RULE_UNTOLD;
	if (n && !c->whole)
		return word == RULE_SAME ? RULE_LESS : word == RULE_CONTRARY ? (*by = RULE_UNTOLD) : word;
	return word;
}
