// SPDX-License-Identifier: GPL-3.0-or-later
#include "play.h"
#include "clock.h"

#include <limits.h>

#define NEVER INT64_MAX
#define OUT_NS (20 * NS_PER_MS) /* how long the pointer stays aside: a program that merges moves must see both */
#define SEARCH_EACH_NS (250 * NS_PER_MS)

/* Area of the usual arrow cursor, relative to the point that it shows. */
static const struct pixel_area pointer_picture = { -1, -1, 14, 20 };

static bool is_pointer_masked(const struct snapshot_wait *a, int64_t now, bool drawn)
{
	switch (a->cfg->pointer) {
	case AWAIT_POINTER_ALWAYS: return true;
	case AWAIT_POINTER_AUTO: /* the drawn pointer may lag, or look different: it is masked only after patience_ns */
		return drawn && a->since_ns != NEVER && now - a->since_ns >= a->cfg->patience_ns;
	default: return false;
	}
}

static void update_pointer_mask(struct snapshot_wait *a, int64_t now, int x, int y, bool drawn)
{
	bool leave = x >= 0 && is_pointer_masked(a, now, drawn);
	struct pixel_area at = { x + pointer_picture.x, y + pointer_picture.y, pointer_picture.w, pointer_picture.h };
	struct pixel_area *own = &a->masks[a->cfg->match.n_masks];

	if (leave == a->pointer_masked && (!leave || (own->x == at.x && own->y == at.y)))
		return;
	*own = at;
	a->match.n_masks = a->cfg->match.n_masks + leave;
	a->pointer_masked = leave;
	a->dirty = true;
}

void snapshot_wait_begin(struct snapshot_wait *a, const struct snapshot_wait_cfg *cfg, const struct trace_event *shot, bool held,
			 int dx, int dy)
{
	*a = (struct snapshot_wait){ .cfg = cfg,
				     .shot = shot,
				     .match = cfg->match,
				     .since_ns = NEVER,
				     .matched_ns = NEVER,
				     .dirty = true,
				     .least = -1,
				     .held = held,
				     .hint_dx = dx,
				     .hint_dy = dy,
				     .dx = dx,
				     .dy = dy };
	for (int i = 0; i < cfg->match.n_masks; i++)
		a->masks[i] = cfg->match.masks[i];
	a->match.masks = a->masks;
}

void snapshot_wait_note_painted(struct snapshot_wait *a, struct pixel_area box)
{
	struct pixel_area around = a->shot->box;

	struct pixel_area there = { around.x + a->dx, around.y + a->dy, around.w, around.h };

	if (area_meets(&box, &around) || area_meets(&box, &there))
		a->dirty = true;
}

void snapshot_wait_set_due(struct snapshot_wait *a, int64_t now_ns)
{
	if (a->since_ns != NEVER)
		return;
	a->since_ns = now_ns;
	a->wiggle_at_ns = now_ns + a->cfg->wiggle_ns;
	a->search_at_ns = a->cfg->radius && !a->held && !a->shot->twin ? now_ns + a->cfg->patience_ns : NEVER;
}

/* Compares the snapshot at its recorded place, and at the displacement. */
static void compare_snapshot(struct snapshot_wait *a, const struct screen *s, int64_t now)
{
	bool moved = a->dx || a->dy, there = false;

	a->dirty = false;
	if (!a->held || !moved) {
		a->seen = match_count_mismatches(&a->match, s, a->shot->box, a->shot->pixels, 0, 0, INT_MAX);
		there = match_is_close(&a->match, a->seen);
		if (a->least < 0 || a->seen.mismatched < a->least)
			a->least = a->seen.mismatched;
		if (there && moved) { /* it appeared at its recorded place after all */
			a->dx = a->dy = 0;
			a->matched_ns = NEVER;
		}
	}
	if (moved && !there) {
		struct mismatch_count seen =
			match_count_mismatches(&a->match, s, a->shot->box, a->shot->pixels, a->dx, a->dy, INT_MAX);

		there = match_is_close(&a->match, seen);
		if (there || a->held) {
			a->seen = seen;
			if (a->held && (a->least < 0 || seen.mismatched < a->least))
				a->least = seen.mismatched;
		} else {
			a->dx = a->hint_dx;
			a->dy = a->hint_dy;
		}
	}
	if (!there)
		a->matched_ns = NEVER;
	else if (a->matched_ns == NEVER)
		a->matched_ns = now;
}

static bool search_snapshot(struct snapshot_wait *a, const struct screen *s, int64_t now)
{
	struct mismatch_count seen;
	int dx, dy;

	a->search_at_ns = now + SEARCH_EACH_NS;
	a->searched = true;
	a->found = match_search(&a->match, s, a->shot->box, a->shot->pixels, a->cfg->radius, &dx, &dy, &seen);
	if (a->found != MATCH_MOVED)
		return false;
	a->dx = dx;
	a->dy = dy;
	a->seen = seen;
	a->matched_ns = now;
	return true;
}

enum await_word snapshot_wait_step(struct snapshot_wait *a, const struct screen *s, int64_t now_ns, int x, int y, bool drawn,
				   int64_t *wake_ns)
{
	int64_t over;

	*wake_ns = NEVER;
	update_pointer_mask(a, now_ns, x, y, drawn);
	if (a->dirty)
		compare_snapshot(a, s, now_ns);
	if (a->since_ns == NEVER)
		return AWAIT_NOT_YET;
	if (a->out && (a->matched_ns != NEVER || now_ns >= a->wiggle_at_ns)) {
		a->out = false;
		a->wiggle_at_ns = now_ns + a->cfg->wiggle_each_ns;
		if (a->matched_ns != NEVER) /* the screen must settle again after the pointer moved back */
			a->matched_ns = now_ns;
		return AWAIT_BACK;
	}
	if (a->matched_ns != NEVER) {
		if (now_ns - a->matched_ns >= a->cfg->settle_ns)
			return AWAIT_OK;
		*wake_ns = a->matched_ns + a->cfg->settle_ns;
		return AWAIT_NOT_YET;
	}
	over = a->since_ns + a->cfg->timeout_ns;
	if (now_ns >= over)
		return AWAIT_TIMEOUT;
	if (now_ns >= a->search_at_ns && search_snapshot(a, s, now_ns))
		return AWAIT_THERE;
	if (a->may_wiggle && now_ns >= a->wiggle_at_ns) {
		a->out = true;
		a->wiggle_at_ns = now_ns + OUT_NS;
		return AWAIT_OUT;
	}
	*wake_ns = clock_earlier(over, a->search_at_ns);
	if (a->may_wiggle)
		*wake_ns = clock_earlier(*wake_ns, a->wiggle_at_ns);
	if (a->cfg->pointer == AWAIT_POINTER_AUTO && !a->pointer_masked && drawn && now_ns < a->since_ns + a->cfg->patience_ns)
		*wake_ns = clock_earlier(*wake_ns, a->since_ns + a->cfg->patience_ns);
	return AWAIT_NOT_YET;
}
