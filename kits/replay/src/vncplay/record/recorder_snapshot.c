// SPDX-License-Identifier: GPL-3.0-or-later
/* recorder_snapshot - decides which inputs need a snapshot, where, and takes it.
 *
 * Press of a button: the screen around the pointer. Not the later presses of a double click, since waiting would break it
 * apart, in the recording and in every replay; nor while another button is down.
 *
 * Release that ends a drag: around the pointer, if something changed there since the press.
 *
 * First key of a run: the area that the last response changed, where keys take effect: the text of the run before, or the
 * field that the last click activated.
 *
 * Move away from a place where the pointer rested: what appeared near it meanwhile (a hover). */
#include "clock.h"
#include "vncplay/common/match.h"
#include "recorder_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define STILL 4			  /* pixels by which the presses of a double click may differ */
#define REST_NS (150 * NS_PER_MS) /* a pointer that has not moved for this time rests */
#define NEAR 256		  /* pixels around the pointer in which a hover must begin */
#define POINTER 32		  /* pixels around the pointer that its picture may cover */
#define HOVER_LEAST 24		  /* changed pixels that make a hover: more than a caret */
#define HOVER_MOST 2048
#define KEY_LEAST 4
#define KEY_MOST 4096
#define KEY_WIDE 48 /* pixels: a smaller area is extended, for example by the letters before a caret */
#define KEY_HIGH 16
#define KEY_SPOT 33	 /* width and height around the last click when no change is known, pixels */
#define LATER_LEAST 1000 /* a window opened slowly if at least so many pixels changed over 300 ms after an input */
#define LATER_TIMES 4	 /* and at least this many times as many as changed earlier */
#define ANCHOR_REACH 160 /* pixels around the pointer within which an anchor is searched */

#define ANCHOR_STEP 6	  /* pixels between two pieces that are tried as an anchor */
#define POINTER_SIDE 38	  /* width and height of the area that the pointer's picture may cover, pixels */
#define POINTER_BEFORE 12 /* pixels of that area to the left of the pointer and above it */
#define TEXTURE_LEAST 12  /* pixels (and an eighth of all) that must differ from the most frequent colour */

static struct pixel_area enlarge_box(struct pixel_area b, int by, const struct screen *s)
{
	return area_clip((struct pixel_area){ b.x - by, b.y - by, b.w + 2 * by, b.h + 2 * by }, s->width, s->height);
}

static struct pixel_area make_square(int x, int y, int side, const struct screen *s)
{
	return area_clip((struct pixel_area){ x - side / 2, y - side / 2, side, side }, s->width, s->height);
}

static int take_snapshot(struct trace_event *e, struct pixel_area box, const struct screen *s, const struct change_map *f,
			 uint32_t since_ms, uint32_t now_ms)
{
	size_t n = 0;
	int left = 0;

	e->box = box;
	e->pixels = malloc((size_t)box.w * (size_t)box.h * sizeof(*e->pixels) + 1);
	if (!e->pixels)
		return -ENOMEM;
	for (int y = box.y; y < box.y + box.h; y++) {
		for (int x = box.x; x < box.x + box.w; x++) {
			size_t i = (size_t)y * (size_t)s->width + (size_t)x;
			bool any = change_map_blinks(f, i, now_ms) || (f->at_ms[i] && f->at_ms[i] >= since_ms);

			left += !any;
			e->pixels[n++] = any ? TRACE_ANY : s->pixels[i];
		}
	}
	return left;
}

/* Whether too few pixels differ from the most frequent colour. */
static bool is_snapshot_flat(const struct trace_event *e)
{
	int counted = 0, most = 0, n = e->box.w * e->box.h;

	for (int i = 0; i < n; i++)
		counted += e->pixels[i] != TRACE_ANY;
	/* (every fifth pixel: enough to meet the most frequent colour) */
	for (int i = 0; i < n && most < counted - TEXTURE_LEAST; i += 5) {
		int same = 0;

		if (e->pixels[i] == TRACE_ANY)
			continue;
		for (int k = 0; k < n; k++)
			same += e->pixels[k] == e->pixels[i];
		most = same > most ? same : most;
	}
	return counted - most < TEXTURE_LEAST || counted - most < n / 8;
}

static struct pixel_area find_anchor(int x, int y, int side, const struct screen *s, const struct change_map *f, uint32_t now_ms)
{
	struct pixel_area best = { 0, 0, 0, 0 };
	int64_t nearest = INT64_MAX;

	for (int dy = -ANCHOR_REACH; dy <= ANCHOR_REACH; dy += ANCHOR_STEP) {
		for (int dx = -ANCHOR_REACH; dx <= ANCHOR_REACH; dx += ANCHOR_STEP) {
			int64_t away = (int64_t)dx * dx + (int64_t)dy * dy;
			struct pixel_area box = make_square(x + dx, y + dy, side, s);
			struct trace_event e;

			if (away >= nearest || box.w < side || box.h < side ||
			    area_meets(&box,
				       &(struct pixel_area){ x - POINTER_BEFORE, y - POINTER_BEFORE, POINTER_SIDE, POINTER_SIDE }))
				continue;
			if (take_snapshot(&e, box, s, f, UINT32_MAX, now_ms) == box.w * box.h && !is_snapshot_flat(&e)) {
				nearest = away;
				best = box;
			}
			free(e.pixels);
		}
	}
	return best;
}

static struct pixel_area screen_box(const struct recorder *r)
{
	return (struct pixel_area){ 0, 0, r->screen->width, r->screen->height };
}

static bool are_far_apart(const struct trace_event *a, const struct trace_event *b)
{
	return abs(a->x - b->x) > STILL || abs(a->y - b->y) > STILL;
}

static void plan_press_snapshot(struct recorder *r, const struct queued_input *h)
{
	const struct past_input *p = &r->press;

	if (r->buttons)
		return;
	r->needs_snapshot = p->sent_ns == INT64_MIN || p->e.button != h->e.button || h->e.at_ns - p->e.at_ns > r->cfg.double_ns ||
			    are_far_apart(&p->e, &h->e) || r->key.sent_ns > p->sent_ns;
}

static void plan_release_snapshot(struct recorder *r, const struct queued_input *h, int64_t now_ns)
{
	const struct past_input *p = &r->press;

	if (p->sent_ns == INT64_MIN || p->e.button != h->e.button || !are_far_apart(&p->e, &h->e))
		return;
	r->needs_snapshot = change_map_find_changed(&r->changes, enlarge_box(r->area, r->cfg.margin, r->screen),
						    recorder_ms(r, p->sent_ns), recorder_ms(r, now_ns))
				    .n > 0;
}

/* The area that keys changed within 300 ms. A small area as a whole; of a large one (a title, a menu, scrolled lines) the part
 * that the last key changed, where the next key takes effect; without such a part, the part with most changes. */
static struct pixel_area typed_area(const struct recorder *r, uint32_t since_ms, uint32_t now_ms)
{
	struct pixel_area all = change_map_find_changed(&r->changes, r->soon, since_ms, now_ms).around;
	uint32_t last_ms = r->key.sent_ns == INT64_MIN ? UINT32_MAX : recorder_ms(r, r->key.sent_ns);

	if ((int64_t)all.w * all.h <= KEY_MOST)
		return all;
	return change_map_find_area(&r->changes, all,
				    change_map_find_changed(&r->changes, all, last_ms, now_ms).n >= KEY_LEAST ? last_ms : since_ms,
				    now_ms, KEY_MOST);
}

static struct pixel_area enlarge_key_area(const struct recorder *r, struct pixel_area b)
{
	int wider = b.w < KEY_WIDE ? KEY_WIDE - b.w : 0, higher = b.h < KEY_HIGH ? KEY_HIGH - b.h : 0;

	if (!b.w || b.w * b.h >= KEY_WIDE * KEY_HIGH)
		return b;
	return area_clip((struct pixel_area){ b.x - wider / 2, b.y - higher / 2, b.w + wider, b.h + higher }, r->screen->width,
			 r->screen->height);
}

static void plan_key_snapshot(struct recorder *r, const struct queued_input *h, int64_t now_ns)
{
	uint32_t since_ms = r->anchor_ns == INT64_MIN ? 1 : recorder_ms(r, r->anchor_ns), now_ms = recorder_ms(r, now_ns);
	int soon, later;

	if (r->down.n ||
	    (r->key.sent_ns != INT64_MIN && r->key.sent_ns > r->press.sent_ns && h->e.at_ns - r->key.e.at_ns < r->cfg.key_pause_ns))
		return;
	r->why = TRACE_FOR_KEY;
	r->area = area_clip(r->cfg.key_area, r->screen->width, r->screen->height);
	if (!r->cfg.key_area.w) {
		soon = change_map_find_changed(&r->changes, r->soon, since_ms, now_ms).n;
		later = change_map_find_changed(&r->changes, screen_box(r), since_ms, now_ms).n - soon;
		if (r->anchor_ns != INT64_MIN && later > LATER_LEAST && later > LATER_TIMES * soon)
			r->area = change_map_find_area(&r->changes, screen_box(r), since_ms, now_ms, KEY_MOST);
		else if (soon >= KEY_LEAST)
			r->area = typed_area(r, since_ms, now_ms);
		else if (r->keyed.w && r->key.sent_ns > r->press.sent_ns)
			r->area = r->keyed;
		else if (r->press.sent_ns != INT64_MIN)
			r->area = make_square(r->press.e.x, r->press.e.y, KEY_SPOT, r->screen);
		else if (h->e.x >= 0)
			r->area = make_square(h->e.x, h->e.y, KEY_SPOT, r->screen);
		r->area = enlarge_key_area(r, r->area);
		r->keyed = r->area;
	}
	r->needs_snapshot = true;
}

/* Of the four parts of `near` beside the pointer's picture, which some servers draw into the screen, the one with most changed
 * pixels; *most: their number. */
static struct pixel_area find_changed_part(const struct recorder *r, struct pixel_area near, struct pixel_area pointer,
					   uint32_t since_ms, uint32_t now_ms, int *most)
{
	int right = pointer.x + pointer.w, bottom = pointer.y + pointer.h;
	const struct pixel_area parts[] = {
		{ near.x, near.y, near.w, pointer.y - near.y },
		{ near.x, bottom, near.w, near.y + near.h - bottom },
		{ near.x, near.y, pointer.x - near.x, near.h },
		{ right, near.y, near.x + near.w - right, near.h },
	};
	struct pixel_area best = parts[0];

	*most = 0;
	for (int i = 0; i < 4; i++) {
		int n = change_map_find_changed(&r->changes, parts[i], since_ms, now_ms).n;

		if (n <= *most)
			continue;
		*most = n;
		best = parts[i];
	}
	return best;
}

static void plan_move_snapshot(struct recorder *r, const struct queued_input *h, int64_t now_ns)
{
	uint32_t since_ms = recorder_ms(r, r->move.sent_ns), now_ms = recorder_ms(r, now_ns);
	int x = r->move.e.x, y = r->move.e.y, n;
	struct pixel_area near, part;

	if (!r->cfg.hover_ns || r->buttons || r->move.sent_ns == INT64_MIN || r->any.sent_ns != r->move.sent_ns ||
	    r->any.e.kind != TRACE_MOVE || h->e.at_ns - r->move.e.at_ns < REST_NS || r->changed_ns < r->move.sent_ns)
		return;
	near = make_square(x, y, 2 * NEAR + 1, r->screen);
	part = find_changed_part(r, near, make_square(x, y, 2 * POINTER, r->screen), since_ms, now_ms, &n);
	if (n < HOVER_LEAST ||
	    change_map_find_changed(&r->changes, part, 1, now_ms).last_ms > recorder_ms(r, r->move.sent_ns + r->cfg.hover_ns))
		return; /* no hover: too few changes, or changes that continue for longer than hover_ns */
	r->why = TRACE_FOR_HOVER;
	r->area = change_map_find_area(&r->changes, part, since_ms, now_ms, HOVER_MOST);
	r->needs_snapshot = true;
}

void recorder_plan_snapshot(struct recorder *r, const struct queued_input *h, int64_t now_ns)
{
	r->needs_snapshot = false;
	r->why = TRACE_FOR_CLICK;
	r->area = make_square(h->e.x, h->e.y, r->cfg.snapshot, r->screen);
	switch (h->e.kind) {
	case TRACE_PRESS: plan_press_snapshot(r, h); break;
	case TRACE_RELEASE: plan_release_snapshot(r, h, now_ns); break;
	case TRACE_KEY_DOWN: plan_key_snapshot(r, h, now_ns); break;
	case TRACE_MOVE: plan_move_snapshot(r, h, now_ns); break;
	default: break;
	}
	if (r->area.w < 1 || r->area.h < 1)
		r->needs_snapshot = false;
}

int64_t recorder_settle_ns(const struct recorder *r, int64_t now_ns)
{
	uint32_t changed_ms =
		change_map_find_changed(&r->changes, enlarge_box(r->area, r->cfg.margin, r->screen), 1, recorder_ms(r, now_ns))
			.last_ms;
	int64_t changed = changed_ms ? r->start_ns + changed_ms * NS_PER_MS : INT64_MIN; /* (rounded up by at most 1 ms) */
	int64_t last = r->any.sent_ns > changed ? r->any.sent_ns : changed;

	return last == INT64_MIN ? now_ns : last + r->cfg.quiet_ns;
}

/* Whether the snapshot also matches elsewhere nearby, like one of two equal buttons. A replay must not search for such a
 * snapshot. */
static bool has_twin(const struct recorder *r, const struct trace_event *e)
{
	static const struct match_cfg alike = { .tolerance = MATCH_TOLERANCE, .share = MATCH_SHARE };
	struct mismatch_count seen;
	int dx, dy;

	return match_search(&alike, r->screen, e->box, e->pixels, MATCH_RADIUS, &dx, &dy, &seen) == MATCH_AMBIGUOUS;
}

static int write_snapshot(struct recorder *r, const struct queued_input *h, struct trace_event *e)
{
	e->twin = r->why == TRACE_FOR_CLICK && has_twin(r, e);
	e->kind = TRACE_SNAPSHOT;
	e->why = r->why;
	e->at_ns = h->e.at_ns - r->start_ns;
	e->x = h->e.x;
	e->y = h->e.y;
	r->count.snapshots[r->why]++;
	return r->out.log(r->whose, e);
}

int recorder_take_snapshots(struct recorder *r, const struct queued_input *h, int64_t now_ns, bool restless)
{
	uint32_t since_ms = restless ? recorder_ms(r, r->ready_ns) : UINT32_MAX, now_ms = recorder_ms(r, now_ns);
	struct trace_event e = { 0 };
	struct pixel_area box = r->area;
	char text[160];
	int left = 0, err = 0, wider = 0;

	if (restless) {
		r->count.restless++;
		snprintf(text, sizeof(text), "the screen at %d,%d (%dx%d) did not come to rest in %.1f s: what changed is left out",
			 box.x, box.y, box.w, box.h, (double)(now_ns - r->ready_ns) / NS_PER_S);
		err = r->out.note(r->whose, text);
	}
	/* Where most of a snapshot blinks, a larger one is taken. */
	for (; !err; wider++) {
		left = take_snapshot(&e, box, r->screen, &r->changes, since_ms, now_ms);
		if (left < 0)
			return left;
		if (4 * left >= box.w * box.h || wider == 2 || r->why != TRACE_FOR_CLICK)
			break;
		free(e.pixels);
		e.pixels = NULL;
		box = enlarge_box(box, r->cfg.snapshot << wider, r->screen);
	}
	if (!err && 8 * left < box.w * box.h) {
		snprintf(text, sizeof(text), "nearly all of the screen at %d,%d (%dx%d) changes without input: no snapshot", box.x,
			 box.y, box.w, box.h);
		err = r->out.note(r->whose, text);
	} else if (!err) {
		err = write_snapshot(r, h, &e);
	}
	box = !err && r->why != TRACE_FOR_HOVER && !r->cfg.key_area.w && (is_snapshot_flat(&e) || 8 * left < box.w * box.h)
		      ? find_anchor(h->e.x, h->e.y, r->cfg.snapshot, r->screen, &r->changes, now_ms)
		      : (struct pixel_area){ 0, 0, 0, 0 };
	free(e.pixels);
	e.pixels = NULL;
	if (box.w && !err && (err = take_snapshot(&e, box, r->screen, &r->changes, since_ms, now_ms)) >= 0)
		err = write_snapshot(r, h, &e);
	free(e.pixels);
	return err;
}
