// SPDX-License-Identifier: GPL-3.0-or-later
#include "lines.h"

#include <math.h>
#include <string.h>

#define STRAIGHT 0.98
#define POINTS_LEAST 3

bool lines_has_claim(const struct claim *c)
{
	return !strncmp(c->kind, "line ", 5);
}

static bool is_point(const struct claim *point, const struct claim *of)
{
	return !strcmp(point->kind, of->kind) && !isnan(point->figure[0].from + point->figure[1].from);
}

static void judge_one(struct claim *c, const struct claim *all, size_t n)
{
	double points = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, first = INFINITY, last = -INFINITY;

	for (const struct claim *p = all; p < all + n; p++) {
		if (!is_point(p, c))
			continue;
		points++;
		x += p->figure[0].from;
		y += p->figure[1].from;
		first = fmin(first, p->figure[0].from);
		last = fmax(last, p->figure[0].from);
	}
	x /= points;
	y /= points;
	for (const struct claim *p = all; p < all + n; p++) {
		double dx = p->figure[0].from - x, dy = p->figure[1].from - y;

		if (!is_point(p, c))
			continue;
		xx += dx * dx;
		xy += dx * dy;
		yy += dy * dy;
	}
	if (points < POINTS_LEAST || !(xx > 0 && yy > 0))
		return;
	c->value = y + xy / xx * (c->figure[0].from - x);
	c->low = xy * xy / xx / yy;
	c->high = 0;
	for (const struct claim *p = all; p < all + n; p++)
		if (is_point(p, c))
			c->high = fmax(c->high, fabs(p->figure[1].from - y - xy / xx * (p->figure[0].from - x)));
	if (c->low >= STRAIGHT)
		c->word = CLAIM_HOLDS;
	else if (fabs(xy / xx) * (last - first) >= 2 * c->high)
		c->word = CLAIM_FAILS;
}

void lines_judge(struct claim *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lines_has_claim(&c[i]))
			judge_one(&c[i], c, n);
}
