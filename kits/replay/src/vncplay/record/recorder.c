// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorder_inside.h"
#include "memory.h"
#include "clock.h"

#include <errno.h>
#include <stdlib.h>

#define SOON_NS (300 * NS_PER_MS)	/* changes within this time after a key or button are caused by it */
#define LATELY_NS (400 * NS_PER_MS)	/* changes within this time after any input may be caused by it */
#define HOVER_MOST_NS (500 * NS_PER_MS) /* moves are not held back longer than this */

const struct recorder_cfg recorder_defaults = {
	.quiet_ns = 150 * NS_PER_MS,
	.quiet_most_ns = 2 * NS_PER_S,
	.double_ns = 400 * NS_PER_MS,
	.key_pause_ns = 400 * NS_PER_MS,
	.hover_ns = 800 * NS_PER_MS,
	.snapshot = 11,
	.margin = 15,
};

struct recorder *recorder_open(const struct recorder_cfg *cfg, const struct recorder_callbacks *out, void *whose,
			       const struct screen *screen, int64_t start_ns)
{
	struct recorder *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->cfg = *cfg;
	r->out = *out;
	r->whose = whose;
	r->screen = screen;
	r->start_ns = r->at_ns = r->changed_ns = start_ns;
	r->x = r->y = -1;
	r->any.sent_ns = r->press.sent_ns = r->key.sent_ns = r->move.sent_ns = r->anchor_ns = INT64_MIN;
	if (change_map_restart(&r->changes, screen)) {
		free(r);
		return NULL;
	}
	return r;
}

void recorder_free(struct recorder *r)
{
	change_map_free(&r->changes);
	free(r->queue);
	free(r);
}

static int queue_input(struct recorder *r, int64_t at_ns, struct trace_event e)
{
	if (r->first == r->n)
		r->first = r->n = 0;
	if (array_room(&r->queue, r->n))
		return -ENOMEM;
	r->at_ns = at_ns > r->at_ns ? at_ns : r->at_ns; /* times never decrease */
	e.at_ns = r->at_ns;
	e.x = r->x;
	e.y = r->y;
	r->queue[r->n++] = (struct queued_input){ e, r->mask };
	return 0;
}

int recorder_accept_pointer(struct recorder *r, int64_t at_ns, int mask, int x, int y)
{
	int err = 0;

	x = x < 0 ? 0 : x >= r->screen->width ? r->screen->width - 1 : x;
	y = y < 0 ? 0 : y >= r->screen->height ? r->screen->height - 1 : y;
	mask &= 0xff;
	if (x != r->x || y != r->y) {
		r->x = x;
		r->y = y;
		err = queue_input(r, at_ns, (struct trace_event){ .kind = TRACE_MOVE });
	}
	for (int i = 0; i < 8 && !err; i++) {
		if (!((mask ^ r->mask) & 1 << i))
			continue;
		r->mask ^= 1 << i;
		err = queue_input(r, at_ns,
				  (struct trace_event){ .kind = mask & 1 << i ? TRACE_PRESS : TRACE_RELEASE, .button = i + 1 });
	}
	return err;
}

int recorder_accept_key(struct recorder *r, int64_t at_ns, uint32_t keysym, bool down)
{
	return queue_input(r, at_ns, (struct trace_event){ .kind = down ? TRACE_KEY_DOWN : TRACE_KEY_UP, .keysym = keysym });
}

int recorder_note_resized(struct recorder *r)
{
	r->soon = r->keyed = (struct pixel_area){ 0, 0, 0, 0 };
	r->looked = false; /* the planned area may lie outside of the screen now */
	return change_map_restart(&r->changes, r->screen);
}

static int64_t elapsed_ns(int64_t then_ns, int64_t now_ns)
{
	return then_ns == INT64_MIN ? INT64_MAX : now_ns - then_ns;
}

void recorder_note_painted(struct recorder *r, int64_t now_ns, struct pixel_area box)
{
	int64_t acted = elapsed_ns(r->key.sent_ns > r->press.sent_ns ? r->key.sent_ns : r->press.sent_ns, now_ns);
	bool release = r->any.e.kind == TRACE_RELEASE || r->any.e.kind == TRACE_KEY_UP;
	int64_t released = release ? elapsed_ns(r->any.sent_ns, now_ns) : INT64_MAX;
	uint32_t now_ms = recorder_ms(r, now_ns);
	enum change_cause cause = CHANGE_UNPROMPTED;
	struct changed_pixels now;

	acted = released < acted ? released : acted;
	if (acted <= LATELY_NS)
		cause = CHANGE_AFTER_PRESS;
	else if (elapsed_ns(r->any.sent_ns, now_ns) <= LATELY_NS)
		cause = CHANGE_AFTER_MOVE;
	change_map_update(&r->changes, r->screen, box, now_ms, cause);
	now = change_map_find_changed(&r->changes, box, now_ms, now_ms);
	if (!now.n)
		return;
	r->changed_ns = now_ns;
	if (acted <= SOON_NS)
		area_include(&r->soon, &now.around);
}

static void remember_sent(struct recorder *r, const struct queued_input *h, int64_t now_ns)
{
	const struct past_input past = { h->e, now_ns };

	r->count.inputs++;
	switch (h->e.kind) {
	case TRACE_MOVE: r->move = past; break;
	case TRACE_PRESS:
		r->count.presses++;
		if (r->needs_snapshot || r->anchor_ns == INT64_MIN) { /* changes from now on are the response to this press */
			r->anchor_ns = now_ns;
			r->soon = (struct pixel_area){ 0, 0, 0, 0 };
		}
		r->press = past;
		break;
	case TRACE_RELEASE: r->count.releases++; break;
	default:
		held_keys_update(&r->down, h->e.keysym, h->e.kind == TRACE_KEY_DOWN);
		if (h->e.kind == TRACE_KEY_UP)
			break;
		r->count.keys++;
		if (r->needs_snapshot) {
			r->anchor_ns = now_ns;
			r->soon = (struct pixel_area){ 0, 0, 0, 0 };
		}
		r->key = past;
	}
	r->any = past;
	r->buttons = h->mask;
}

static int send_input(struct recorder *r, struct queued_input h, int64_t now_ns)
{
	struct trace_event e = h.e;
	int err;

	e.at_ns -= r->start_ns;
	err = r->out.log(r->whose, &e);
	if (err)
		return err;
	if (e.kind == TRACE_KEY_DOWN || e.kind == TRACE_KEY_UP)
		err = r->out.key(r->whose, e.keysym, e.kind == TRACE_KEY_DOWN);
	else
		err = r->out.pointer(r->whose, h.mask, e.x, e.y);
	if (now_ns - h.e.at_ns > r->count.held_most_ns)
		r->count.held_most_ns = now_ns - h.e.at_ns;
	remember_sent(r, &h, now_ns);
	r->first++;
	r->looked = r->needs_snapshot = r->waited = false;
	return err;
}

/* When an input may be sent: its own interval after the previous input, of which a pause may shrink to RECORDER_PAUSE_NS. */
static int64_t find_due_time(const struct recorder *r, const struct queued_input *h)
{
	int64_t gap = h->e.at_ns - r->any.e.at_ns;

	if (r->any.sent_ns == INT64_MIN)
		return h->e.at_ns;
	gap = r->any.sent_ns + (gap < RECORDER_PAUSE_NS ? gap : RECORDER_PAUSE_NS);
	return gap > h->e.at_ns ? gap : h->e.at_ns;
}

/* Sends the first input of the queue if it is due. 1: sent; 0: not before *wake_ns; -errno. */
static int send_first_input(struct recorder *r, int64_t now_ns, int64_t *wake_ns)
{
	const struct queued_input h = r->queue[r->first];
	int64_t rest, most = r->cfg.quiet_most_ns;
	int err;

	*wake_ns = find_due_time(r, &h);
	if (now_ns < *wake_ns)
		return 0;
	if (!r->looked) {
		if (!r->waited)
			r->ready_ns = now_ns;
		recorder_plan_snapshot(r, &h, now_ns);
		r->looked = true;
	}
	if (r->needs_snapshot) {
		if (h.e.kind == TRACE_MOVE && most > HOVER_MOST_NS)
			most = HOVER_MOST_NS;
		rest = recorder_settle_ns(r, now_ns);
		*wake_ns = rest < r->ready_ns + most ? rest : r->ready_ns + most;
		if (now_ns < *wake_ns) {
			r->count.quiesced += !r->waited;
			r->waited = true;
			return 0;
		}
		err = recorder_take_snapshots(r, &h, now_ns, rest > now_ns);
		if (err)
			return err;
	}
	err = send_input(r, h, now_ns);
	return err ? err : 1;
}

int recorder_send_due(struct recorder *r, int64_t now_ns, int64_t *wake_ns)
{
	int done = 1;

	*wake_ns = INT64_MAX;
	while (r->first < r->n && done == 1)
		done = send_first_input(r, now_ns, wake_ns);
	if (r->first == r->n)
		*wake_ns = INT64_MAX;
	return done < 0 ? done : 0;
}

bool recorder_has_queued(const struct recorder *r)
{
	return r->first < r->n;
}

int64_t recorder_last_change_ns(const struct recorder *r)
{
	return r->changed_ns;
}

int recorder_finish(struct recorder *r, int64_t now_ns)
{
	int err = r->mask ? recorder_accept_pointer(r, now_ns, 0, r->x, r->y) : 0;

	while (!err && r->first < r->n)
		err = send_input(r, r->queue[r->first], now_ns);
	while (!err && r->down.n) {
		err = recorder_accept_key(r, now_ns, r->down.key[0], false);
		if (!err)
			err = send_input(r, r->queue[r->first], now_ns);
	}
	return err;
}

const struct recorder_statistics *recorder_get_statistics(const struct recorder *r)
{
	return &r->count;
}
