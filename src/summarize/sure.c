// SPDX-License-Identifier: GPL-3.0-or-later
#include "sure.h"

#include <stdio.h>
#include <string.h>

/* Half of the interval over the figure; NAN: no interval. */
static double relative_width(const struct figure *f)
{
	double half = (f->high - f->low) / 2;

	return half > 0 ? half / f->value : half;
}

enum sure_word sure_judge(const struct figure *now, const struct figure *before, double width)
{
	if (now->why && !strcmp(now->why, "too few"))
		return SURE_FEW;
	if (isnan(now->value) || now->above)
		return SURE_UNTOLD;
	if (isnan(relative_width(now)))
		return SURE_BARE;
	return relative_width(now) <= width && relative_width(before) <= width ? SURE_KNOWN : SURE_WIDE;
}

struct sure_run sure_count(const struct figure *now, const struct figure *before, size_t n, double width)
{
	enum { RANGE, OVERLOADED, ABOVE, NONE, REASONS };
	static const char *const words[REASONS] = { "a range", "overloaded", "beyond keys without an answer", "not measured" };
	struct sure_run run = { .worst = SURE_KNOWN };
	size_t untold[REASONS] = { 0 };

	for (size_t i = 0; i < n; i++) {
		const char *why = now[i].why ? now[i].why : "";
		enum sure_word word = sure_judge(&now[i], &before[i], width);

		run.open += word > SURE_KNOWN;
		run.worst = word > run.worst ? word : run.worst;
		run.width = fmax(run.width, relative_width(&now[i]));
		if (word == SURE_UNTOLD)
			untold[now[i].above		    ? ABOVE
			       : !strcmp(why, "range")	    ? RANGE
			       : !strcmp(why, "overloaded") ? OVERLOADED
							    : NONE]++;
	}
	for (int r = 0; r < REASONS; r++) {
		size_t used = strlen(run.reasons);

		if (untold[r])
			snprintf(run.reasons + used, sizeof(run.reasons) - used, "%s%s in %zu%s", used ? ", " : "", words[r],
				 untold[r],
				 used		  ? ""
				 : untold[r] == 1 ? " condition"
						  : " conditions");
	}
	return run;
}
