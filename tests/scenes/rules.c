// SPDX-License-Identifier: GPL-3.0-or-later
/* rules: decides by intervals whether a run's figure agrees with a paper's. */
/* In each row one figure is `size` times the other one; the paper has it `then` times as large. number=1: the other one
 * is a number that is known; bound=1: of the one only the lower end is. Says "then", "smaller", "contrary"
 * or "untold". */
#include "figures.h"
#include "judge/claims.h"

#include <stdio.h>

#define ROWS_MOST 40

static struct claim_figure scale(struct claim_figure f, double by)
{
	return (struct claim_figure){ f.from * by, f.to * by, f.low * by, f.high * by, f.repeats };
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static const char *const words[] = { "then", "smaller", "contrary", "untold" };
	const struct claim_figure absent = { NAN, NAN, NAN, NAN, 0 }, known = { 1, 1, NAN, NAN, 0 };
	struct claim_figure ours[ROWS_MOST], base[ROWS_MOST];
	struct claim claim[RULE_UNTOLD * ROWS_MOST];
	int rows = (int)scene_number(s, "rows", 1), lacking = (int)scene_number(s, "lacking", 0), n = 0;
	enum rule_word by;

	for (int i = 0; i < rows; i++) {
		ours[i] = figures_draw(s, rng, scene_number(s, i < rows / 2 ? "half" : "size", scene_number(s, "size", 1)));
		if (scene_number(s, "bound", 0) > 0)
			ours[i] = (struct claim_figure){ ours[i].from, INFINITY, ours[i].low, NAN, ours[i].repeats };
		base[i] = i < lacking ? absent : scene_number(s, "number", 0) > 0 ? known : figures_draw(s, rng, 1);
	}
	for (enum rule_word word = RULE_SAME; word < RULE_UNTOLD; word++)
		for (int i = 0; i < rows; i++) {
			struct claim_figure paper = scale(base[i], word == RULE_SAME ? scene_number(s, "then", 2) : 1);

			claim[n++] = (struct claim){ .kind = (char[]){ "above" },
						     .share = 1,
						     .rule = word + 1,
						     .says = word,
						     .some = (int64_t)scene_number(s, "some", 0),
						     .whole = (int64_t)scene_number(s, "whole", 1),
						     .figure = { word == RULE_CONTRARY ? paper : ours[i],
								 word == RULE_CONTRARY ? ours[i] : paper } };
		}
	snprintf(said, SCENE_SAID, "%s", words[rules_decide(claim, (size_t)n, &by)]);
}
