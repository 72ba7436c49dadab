// SPDX-License-Identifier: GPL-3.0-or-later
/* What the paper's method makes of its matches: latencies, and the rows of its own analyzer. */
#include "paper.h"
#include "align.h"

#include <errno.h>
#include <stdlib.h>

/* The last line of the old kind that is before; -1: none. */
static int64_t last_before(const struct replay *r, uint32_t ms)
{
	int64_t found = -1;

	for (size_t i = 0; i < r->inputs.n_old && r->inputs.old_ms[i] < ms; i++)
		found = (int64_t)i;
	return found;
}

static enum stimulus_kind kind_of_stimulus(const struct replay *r, int64_t old)
{
	int64_t i = 0;

	for (size_t k = 0; k < r->inputs.n; k++) {
		if (r->inputs.input[k].kind == INPUT_MOVE)
			continue;
		if (i++ == old)
			return r->inputs.input[k].kind == INPUT_DOWN || r->inputs.input[k].kind == INPUT_UP ? STIMULUS_KEY : STIMULUS_CLICK;
	}
	return STIMULUS_CLICK;
}

int paper_answers(const struct replay *replay, int runs, const struct paper *p, struct answers *out)
{
	*out = (struct answers){ .answer = calloc(p->n ? p->n : 1, sizeof(*out->answer)) };
	if (!out->answer)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++) {
		struct answer *a = &out->answer[out->n];
		int64_t cause = INT64_MAX;
		double equal = 0;

		for (int r = 0; r < runs; r++) {
			int64_t b = p->match[i].found_ms[r] == ALIGN_NONE ? -1 : last_before(&replay[r], p->match[i].found_ms[r]);

			cause = b < cause ? b : cause;
			equal += (double)p->match[i].equal[r] / p->pixels / runs;
		}
		if (cause < 0)
			continue;
		*a = (struct answer){ .kind = kind_of_stimulus(&replay[0], cause), .input = (int)cause,
				      .at_us = (int64_t)replay[0].inputs.old_ms[cause] * 1000, .confidence = equal };
		a->press_us = malloc(4 * (size_t)runs * sizeof(*a->press_us));
		if (!a->press_us) {
			answers_free(out);
			return -ENOMEM;
		}
		a->release_us = a->press_us + runs;
		a->complete_us = a->release_us + runs;
		a->shown_ms = a->complete_us + runs;
		for (int r = 0; r < runs; r++) {
			a->shown_ms[r] = p->match[i].found_ms[r];
			a->press_us[r] = ((int64_t)p->match[i].found_ms[r] - replay[r].inputs.old_ms[cause]) * 1000;
			a->release_us[r] = a->complete_us[r] = ANSWER_NONE;
		}
		out->n++;
	}
	return 0;
}

void paper_old(FILE *out, const struct paper *p)
{
	for (size_t i = 0; i < p->n; i++)
		for (int r = 0; r < p->runs; r++)
			if (p->match[i].found_ms[r] != ALIGN_NONE)
				fprintf(out, "== %u@0 matches with %u@%d (%u/%u)\n", p->match[i].ms, p->match[i].found_ms[r], r,
					p->match[i].equal[r], p->pixels);
}
