// SPDX-License-Identifier: GPL-3.0-or-later
/* judge: comparisons of B with A by the differences of their starts, looked at after each start, as `ab` does. */
#include "scene.h"
#include "judge/decide.h"

#include <stdio.h>

#define STARTS_MOST 40

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static const char *const words[] = { "open", "lower", "higher", "same" };
	struct decide_figure f = { .effect = scene_number(s, "effect", 10) / 100 };
	double scatter = scene_number(s, "scatter", 5) / 100, shift = scene_number(s, "shift", 0) / 100;

	do {
		decide_add(&f, shift + scatter * scene_normal(rng));
		decide_all(&f, 1, 0.05);
	} while (f.word == DECIDE_OPEN && f.n < STARTS_MOST);
	snprintf(said, SCENE_SAID, "%s", words[f.word]);
}
