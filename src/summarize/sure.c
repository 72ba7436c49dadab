// SPDX-License-Identifier: GPL-3.0-or-later
#include "sure.h"

#include <stdio.h>
#include <string.h>

/* How far the interval reaches to its longer side, over the figure; NAN: no interval. */
static double relative_width(const struct figure *f)
{
	double side = f->high - f->low > 0 ? fmax(f->high - f->value, f->value - f->low) : f->high - f->low;

	return side > 0 ? side / f->value : side;
}

enum sure_word sure_judge(const struct figure *now, const struct figure *before, double width)
{
	if (now->why && !strcmp(now->why, "too few"))
		return SURE_FEW;
	if (isnan(now->value) || now->above)
		return SURE_UNTOLD;
	if (isnan(relative_width(now)))
		return SURE_BARE;
	return relative_width(now) > width ? SURE_WIDE : relative_width(before) <= width ? SURE_KNOWN : SURE_ONCE;
}

struct sure_run sure_count(const struct figure *now, const struct figure *before, size_t n, double width)
{
	enum { RANGE, OVERLOADED, ABOVE, NONE, REASONS };
	static const char *const reasons[REASONS] = { "a range", "overloaded", "a lower bound", "not measured" };
	static const char *const words[] = {
		[SURE_ONCE] = "narrow enough once", [SURE_BARE] = "no interval yet", [SURE_FEW] = "too few keys"
	};
	struct sure_run run = { .open = 0 };
	size_t untold[REASONS] = { 0 };
	enum sure_word worst = SURE_KNOWN;
	double widest = 0;

	for (size_t i = 0; i < n; i++) {
		const char *why = now[i].why ? now[i].why : "";
		enum sure_word word = sure_judge(&now[i], &before[i], width);

		run.open += word > SURE_KNOWN;
		worst = word > worst ? word : worst;
		widest = fmax(widest, relative_width(&now[i]));
		if (word == SURE_UNTOLD)
			untold[now[i].above		    ? ABOVE
			       : !strcmp(why, "range")	    ? RANGE
			       : !strcmp(why, "overloaded") ? OVERLOADED
							    : NONE]++;
	}
	if (worst == SURE_WIDE)
		snprintf(run.why, sizeof(run.why), "± %.3g %%", 100 * widest);
	else if (worst > SURE_KNOWN)
		snprintf(run.why, sizeof(run.why), "%s", words[worst]);
	for (int r = 0; r < REASONS; r++) {
		size_t used = strlen(run.untold);

		if (untold[r])
			snprintf(run.untold + used, sizeof(run.untold) - used, "%s%s in %zu%s", used ? ", " : "", reasons[r],
				 untold[r],
				 used		  ? ""
				 : untold[r] == 1 ? " condition"
						  : " conditions");
	}
	return run;
}
