// SPDX-License-Identifier: GPL-3.0-or-later
#include "play.h"
#include "clock.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

#define AGAIN_NS (500 * NS_PER_MS) /* clicks closer than this may be a double click; desktops use shorter limits */
#define AGAIN_PIXELS 4

void pacing_start(struct pacing *t, double speed, double jitter, uint64_t seed, int64_t start_ns)
{
	*t = (struct pacing){ .speed = speed, .jitter = jitter, .random = seed, .due_ns = start_ns };
}

static bool is_button_event(const struct trace_event *e)
{
	return e->kind == TRACE_PRESS || e->kind == TRACE_RELEASE;
}

/* Whether the interval before this input belongs to a gesture and is kept exactly. */
static bool is_gesture(const struct pacing *t, const struct trace_event *input)
{
	if (t->buttons || t->down.n)
		return true;
	/* The pointer may move a little between the clicks of a double click. */
	return t->click.button && (input->kind == TRACE_MOVE || (is_button_event(input) && input->button == t->click.button)) &&
	       input->at_ns - t->click.at_ns < AGAIN_NS && abs(input->x - t->click.x) <= AGAIN_PIXELS &&
	       abs(input->y - t->click.y) <= AGAIN_PIXELS;
}

static void remember_input(struct pacing *t, const struct trace_event *input)
{
	if (input->kind == TRACE_PRESS)
		t->buttons |= 1u << (input->button - 1);
	else if (input->kind == TRACE_RELEASE)
		t->buttons &= ~(1u << (input->button - 1));
	else if (input->kind == TRACE_KEY_DOWN || input->kind == TRACE_KEY_UP)
		held_keys_update(&t->down, input->keysym, input->kind == TRACE_KEY_DOWN);
	if (is_button_event(input))
		t->click = *input;
}

int64_t pacing_compute_due(struct pacing *t, const struct trace_event *input)
{
	int64_t distance = input->at_ns - t->at_ns;

	if (distance < 0)
		distance = 0;
	if (!is_gesture(t, input)) {
		double factor = 1 / t->speed;

		if (t->jitter > 0)
			factor *= 1 + t->jitter * (2 * random_fraction(&t->random) - 1);
		distance = llround((double)distance * factor);
	}
	t->due_ns += distance;
	t->at_ns = input->at_ns;
	remember_input(t, input);
	return t->due_ns;
}

int64_t pacing_shift(struct pacing *t, int64_t now_ns)
{
	int64_t by = now_ns - t->due_ns;

	if (by <= 0)
		return 0;
	t->due_ns = now_ns;
	return by;
}
