// SPDX-License-Identifier: GPL-3.0-or-later
/* claims: decides statements about figures of repeats, such as that a figure is above a limit, or N times another. */
/* The first figure is `size` in truth, the second one 1: by repeats, or (number=1) a number that is known; of within, from and to.
 * kind=share: of so many events each is a hit with a chance of `rate` percent (exact=1: just so many are); `stated` is the second.
 * range=P: of the first one only a range of P percent to both sides is known; bound=B: only that it is above B; absent=1, 2: that
 * one is not known. Says "yes", "no" or "untold"; of a multiple whether its interval holds the truth: "in", "out", or "bare". */
#include "figures.h"

#include <stdio.h>
#include <string.h>

static const struct claim_figure absent = { NAN, NAN, NAN, NAN, 0 };

static struct claim_figure know(double from, double to)
{
	return (struct claim_figure){ from, to, NAN, NAN, 0 };
}

static struct claim_figure draw_share(const struct scene *s, uint64_t *rng)
{
	int n = (int)scene_number(s, "events", 1000);
	double rate = scene_number(s, "rate", 2) / 100, hits = round(rate * n);

	if (!(scene_number(s, "exact", 0) > 0)) {
		hits = 0;
		for (int i = 0; i < n; i++)
			hits += random_fraction(rng) < rate;
	}
	return (struct claim_figure){ hits, hits, NAN, NAN, n };
}

static struct claim_figure draw_first(const struct scene *s, uint64_t *rng, double size)
{
	double range = scene_number(s, "range", 0) / 100, bound = scene_number(s, "bound", 0);

	if (range > 0)
		return know(size * (1 - range), size * (1 + range));
	return bound > 0 ? know(bound, INFINITY) : figures_draw(s, rng, size);
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static const char *const words[] = { "untold", "yes", "no" };
	char kind[16];
	double size = scene_number(s, "size", 1), missing = scene_number(s, "absent", 0);
	struct claim c = { .kind = kind, .share = (int64_t)scene_number(s, "of", 1) };

	snprintf(kind, sizeof(kind), "%s", scene_word(s, "kind", "above"));
	if (!strcmp(kind, "share")) {
		c.figure[0] = draw_share(s, rng);
		c.figure[1] = know(scene_number(s, "stated", 2), scene_number(s, "stated", 2));
	} else {
		c.figure[0] = draw_first(s, rng, size);
		c.figure[1] = !strcmp(kind, "within")		 ? know(scene_number(s, "from", 0.9), scene_number(s, "to", 1.1))
			      : scene_number(s, "number", 0) > 0 ? know(1, 1)
								 : figures_draw(s, rng, 1);
	}
	for (int k = 0; k < 2; k++)
		if (missing == k + 1)
			c.figure[k] = absent;
	if (claim_judge(&c))
		snprintf(said, SCENE_SAID, "no kind");
	else if (c.word == CLAIM_UNTOLD || strcmp(kind, "times") != 0)
		snprintf(said, SCENE_SAID, "%s", words[c.word]);
	else
		snprintf(said, SCENE_SAID, "%s", isnan(c.low + c.high) ? "bare" : c.low <= size && size <= c.high ? "in" : "out");
}
