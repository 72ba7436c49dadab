// SPDX-License-Identifier: GPL-3.0-or-later
/* The screen tells that something was drawn (DAMAGE), its pixels tell what. The mark is looked for
 * once, in the whole screen; from then on only its place is read. */
#include "count.h"
#include "clock.h"
#include "patch.h"
#include "picture.h"
#include "proc.h"
#include "why.h"
#include "x11.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SEARCH_NS (50 * NS_PER_MS)	/* between two searches */
#define CELL_LEAST 3.0
#define CELL_MOST (2.0 * PICTURE_CELL)
#define MARGIN 2

const char *const count_columns[] = { "seen_ns", "frame", NULL };

struct frame_counter {
	const struct count_cfg *cfg;
	struct count_result *out;
	struct x11_session x11;
	Damage damage;
	int damaged;		/* the event */
	int x, y, w, h;		/* what is read: the mark with a margin */
	struct patch_place place;	/* within it */
	struct x11_picture picture;
};

static bool read_mark(struct frame_counter *c, uint32_t *number)
{
	return x11_picture_read(&c->picture, c->x, c->y, c->w, c->h) &&
	       patch_read(&(struct patch_image){ c->w, c->h, x11_luminance, c->picture.image }, &c->place, number);
}

static int at_least(int v, int low) { return v < low ? low : v; }
static int at_most(int v, int high) { return v > high ? high : v; }

/* Looks for the mark on the whole screen. */
static bool find_mark(struct frame_counter *c)
{
	int screen = DefaultScreen(c->x11.display), width = DisplayWidth(c->x11.display, screen),
		height = DisplayHeight(c->x11.display, screen);
	XImage *all = x11_whole_image(c->x11.display, 0, 0, width, height);
	struct patch_place at;
	uint32_t number;
	bool found;

	if (!all)
		return false;
	found = patch_find(&(struct patch_image){ width, height, x11_luminance, all }, CELL_LEAST, CELL_MOST, &at, &number);
	XDestroyImage(all);
	if (!found)
		return false;
	c->x = at_least(at.x - MARGIN, 0);
	c->y = at_least(at.y - MARGIN, 0);
	c->w = at_most(at.x + (int)ceil(at.cell * PATCH_COLUMNS) + MARGIN, width) - c->x;
	c->h = at_most(at.y + (int)ceil(at.cell * PATCH_ROWS) + MARGIN, height) - c->y;
	c->place = (struct patch_place){ at.x - c->x, at.y - c->y, at.cell };
	c->out->x = (int)lround(at.x - at.cell);
	c->out->y = (int)lround(at.y - at.cell);
	c->out->cell = at.cell;
	return x11_picture_open(&c->picture, c->x11.display, c->w, c->h);
}

static int counter_gone(const struct frame_counter *c, char *why, size_t size)
{
	if (!c->x11.gone)
		return 0;
	return why_write(-EPIPE, why, size, "the display went away");
}

static int find_first_mark(struct frame_counter *c, char *why, size_t size)
{
	int64_t until = clock_now() + c->cfg->wait_ns;

	while (!find_mark(c)) {
		if (counter_gone(c, why, size))
			return -EPIPE;
		if (proc_stop || clock_now() >= until) {
			snprintf(why, size, proc_stop ? "stopped before an animation was found" :
				 "no animation on display %s; start one there (animate), in sight", DisplayString(c->x11.display));
			return -ETIMEDOUT;
		}
		proc_wait_stop(clock_now() + SEARCH_NS);
	}
	return counter_gone(c, why, size);
}

static int watch_damage(struct frame_counter *c, char *why, size_t size)
{
	int event, error, major = 1, minor = 1;

	if (!XDamageQueryExtension(c->x11.display, &event, &error) || !XDamageQueryVersion(c->x11.display, &major, &minor))
		return why_write(-ENOTSUP, why, size, "display %s has no DAMAGE extension, which tells what was drawn",
				 DisplayString(c->x11.display));
	c->damaged = event + XDamageNotify;
	/* On the root window it covers all windows; "non-empty" sends one event until we take it. */
	c->damage = XDamageCreate(c->x11.display, c->x11.root, XDamageReportNonEmpty);
	return 0;
}

static void look_at_mark(struct frame_counter *c)
{
	uint32_t number;
	int64_t now;
	bool readable;

	/* Taken before the pixels are read: what is drawn after that makes an event of its own. */
	XDamageSubtract(c->x11.display, c->damage, None, None);
	readable = read_mark(c, &number);
	now = clock_now();
	c->out->looks++;
	c->out->unreadable += !readable;
	if (!readable || !seen_look(&c->out->seen, number, now) || !c->cfg->log)
		return;
	rows_int(c->cfg->log, now);
	rows_int(c->cfg->log, (int64_t)number);
	rows_end(c->cfg->log);
}

static int watch_marks(struct frame_counter *c, char *why, size_t size)
{
	int64_t until;

	c->out->start_ns = clock_now();
	until = c->cfg->time_ns ? c->out->start_ns + c->cfg->time_ns : INT64_MAX;
	look_at_mark(c);
	if (c->cfg->ready)
		c->cfg->ready();
	while (!proc_stop && !c->x11.gone && clock_now() < until) {
		bool drawn = false;

		x11_sleep(&c->x11, until);
		while (!c->x11.gone && XPending(c->x11.display) && !c->x11.gone) {
			XEvent event;

			XNextEvent(c->x11.display, &event);
			drawn = drawn || event.type == c->damaged;
		}
		if (drawn && !c->x11.gone)
			look_at_mark(c);
	}
	c->out->end_ns = clock_now();
	c->out->stopped = proc_stop && c->cfg->time_ns;
	return counter_gone(c, why, size);
}

int count_run(const struct count_cfg *cfg, struct count_result *out, char *why, size_t size)
{
	struct frame_counter c = { .cfg = cfg, .out = out };
	int err;

	*out = (struct count_result){ 0 };
	if (seen_start(&out->seen, cfg->loop))
		return why_write(-ENOMEM, why, size, "out of memory");
	err = x11_session_open(&c.x11, cfg->display, why, size);
	if (err)
		return err;
	err = watch_damage(&c, why, size);
	if (!err)
		err = find_first_mark(&c, why, size);
	if (!err)
		err = watch_marks(&c, why, size);
	x11_picture_close(&c.picture, c.x11.gone);
	x11_session_close(&c.x11);
	return err;
}

void count_free(struct count_result *r)
{
	seen_free(&r->seen);
}
