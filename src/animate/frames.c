// SPDX-License-Identifier: GPL-3.0-or-later
#include "frames.h"
#include "clock.h"
#include "memory.h"
#include "patch.h"

#include <math.h>

int64_t frame_due_ns(const struct frame_slots *s, int64_t slot)
{
	/* computed from the slot's number: adding up a rounded period would drift */
	return s->start_ns + llround((double)slot * ((double)NS_PER_S / s->rate_per_s));
}

bool frame_slot_is_over(const struct frame_slots *s, int64_t now_ns)
{
	return now_ns >= frame_due_ns(s, s->next + 1);
}

void frame_tally_start(struct frame_tally *t, int64_t loop)
{
	*t = (struct frame_tally){ .loop = loop, .ever = memory_new((PATCH_NUMBER_MAX + 1) / 8, 1) };
}

void frame_tally_free(struct frame_tally *t)
{
	free(t->ever);
	sample_free(&t->gap);
	*t = (struct frame_tally){ 0 };
}

bool frame_tally_add(struct frame_tally *t, uint32_t number, int64_t now_ns)
{
	uint8_t bit = (uint8_t)(1u << number % 8);

	if ((t->frames && number == t->last) || number > PATCH_NUMBER_MAX)
		return false;
	if (t->loop && (int64_t)number >= t->loop) {
		t->foreign++;
		return false;
	}
	if (!t->frames)
		t->first_ns = now_ns;
	else
		sample_add(&t->gap, now_ns - t->last_ns);
	if (t->frames && t->loop > 1)
		t->missed += ((int64_t)number - (int64_t)t->last + t->loop) % t->loop - 1;
	t->distinct += !(t->ever[number / 8] & bit);
	t->ever[number / 8] |= bit;
	t->frames++;
	t->last = number;
	t->last_ns = now_ns;
	return true;
}
