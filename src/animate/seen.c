// SPDX-License-Identifier: GPL-3.0-or-later
#include "seen.h"
#include "patch.h"

#include <errno.h>
#include <stdlib.h>

int seen_start(struct seen *s, int64_t loop)
{
	*s = (struct seen){ .loop = loop };
	s->ever = calloc((PATCH_NUMBER_MAX + 1) / 8, 1);
	return s->ever ? 0 : -ENOMEM;
}

void seen_free(struct seen *s)
{
	free(s->ever);
	sample_free(&s->gap);
	*s = (struct seen){ 0 };
}

static void count_missed(struct seen *s, uint32_t number)
{
	int64_t step = ((int64_t)number - (int64_t)s->last) % s->loop;

	s->missed += (step < 0 ? step + s->loop : step) - 1;
}

bool seen_look(struct seen *s, uint32_t number, int64_t now_ns)
{
	uint8_t bit = (uint8_t)(1u << number % 8);

	if ((s->frames && number == s->last) || number > PATCH_NUMBER_MAX)
		return false;
	if (s->loop && (int64_t)number >= s->loop) {	/* another animation's */
		s->foreign++;
		return false;
	}
	if (!s->frames)
		s->first_ns = now_ns;
	else
		sample_add(&s->gap, now_ns - s->last_ns);
	if (s->frames && s->loop > 1)
		count_missed(s, number);
	s->distinct += !(s->ever[number / 8] & bit);
	s->ever[number / 8] |= bit;
	s->frames++;
	s->last = number;
	s->last_ns = now_ns;
	return true;
}
