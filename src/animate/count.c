// SPDX-License-Identifier: GPL-3.0-or-later
/* The DAMAGE extension reports that something was drawn; the frame number is then read from the pixels. The patch with the number
 * is searched for once, on the whole screen; from then on only the rectangle around it is read. */
#include "count.h"
#include "clock.h"
#include "picture.h"
#include "proc.h"
#include "x11.h"
#include "x11/screen_patch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define SEARCH_NS (50 * NS_PER_MS)	/* from one search of the screen to the next */
#define CELL_LEAST 3.0			/* pixels of a patch cell, where the display is scaled */
#define CELL_MOST (2.0 * PICTURE_CELL)

const char *const count_columns[] = { "seen_ns", "frame", "asked_ns", NULL };

struct frame_counter {
	const struct frame_count_cfg *cfg;
	struct frame_count_result *out;
	struct x11_animation_connection x11;
	Damage damage;
	int damaged;		/* number of the XDamageNotify event */
	struct x11_number_patch patch;
};

static bool find_number_patch(struct frame_counter *c)
{
	Display *d = c->x11.display;
	struct x11_number_patch *p = &c->patch;
	uint32_t number;

	if (!x11_find_number_patch(p, d, &c->x11.gone, 0, 0, DisplayWidth(d, DefaultScreen(d)), DisplayHeight(d, DefaultScreen(d)),
				   CELL_LEAST,
			    CELL_MOST, &number))
		return false;
	/* the patch stands one cell right of and below the corner of the frame */
	c->out->x = (int)lround(p->x + p->place.x - p->place.cell);
	c->out->y = (int)lround(p->y + p->place.y - p->place.cell);
	c->out->cell = p->place.cell;
	return true;
}

static int error_if_counter_display_gone(const struct frame_counter *c, struct why *why)
{
	if (!c->x11.gone)
		return 0;
	return fail_with_reason(-EPIPE, why, "the display went away");
}

static int wait_for_animation(struct frame_counter *c, struct why *why)
{
	int64_t until = clock_now() + c->cfg->wait_ns;

	while (!find_number_patch(c)) {
		if (error_if_counter_display_gone(c, why))
			return -EPIPE;
		if (proc_stop || clock_now() >= until) {
			why_say(why, proc_stop ? "stopped before an animation was found" :
				 "no animation on display %s; start one there (animate), in sight", DisplayString(c->x11.display));
			return -ETIMEDOUT;
		}
		proc_sleep_until_or_stop(clock_now() + SEARCH_NS);
	}
	return error_if_counter_display_gone(c, why);
}

static int subscribe_to_screen_damage(struct frame_counter *c, struct why *why)
{
	int event, error, major = 1, minor = 1;

	if (!XDamageQueryExtension(c->x11.display, &event, &error) || !XDamageQueryVersion(c->x11.display, &major, &minor))
		return fail_with_reason(-ENOTSUP, why, "display %s has no DAMAGE extension, which tells what was drawn",
				 DisplayString(c->x11.display));
	c->damaged = event + XDamageNotify;
	/* On the root window, damage covers all windows; "non-empty" sends one event, and the next after XDamageSubtract(). */
	c->damage = XDamageCreate(c->x11.display, c->x11.root, XDamageReportNonEmpty);
	return 0;
}

static void read_and_tally_frame_number(struct frame_counter *c)
{
	uint32_t number;
	int64_t asked = clock_now(), now;
	bool readable;

	/* before the pixels are read, so that anything drawn after the reading raises a new event */
	XDamageSubtract(c->x11.display, c->damage, None, None);
	readable = x11_read_number_shown_by_patch(&c->patch, &number);
	now = clock_now();
	c->out->looks++;
	c->out->unreadable += !readable;
	if (!readable || !frame_tally_add_seen_number(&c->out->seen, number, now) || !c->cfg->log)
		return;
	rows_write_ints(c->cfg->log, now, (int64_t)number, asked);
	rows_end_row(c->cfg->log);
}

static int count_frames_until_end(struct frame_counter *c, struct why *why)
{
	int64_t until;

	c->out->start_ns = clock_now();
	until = c->cfg->time_ns ? c->out->start_ns + c->cfg->time_ns : INT64_MAX;
	read_and_tally_frame_number(c);
	c->cfg->ready();
	while (!proc_stop && !c->x11.gone && clock_now() < until) {
		bool drawn = false;

		x11_sleep_until_event(&c->x11, until);
		while (!c->x11.gone && XPending(c->x11.display) && !c->x11.gone) {
			XEvent event;

			XNextEvent(c->x11.display, &event);
			drawn = drawn || event.type == c->damaged;
		}
		if (drawn && !c->x11.gone)
			read_and_tally_frame_number(c);
	}
	c->out->end_ns = clock_now();
	c->out->stopped = proc_stop && c->cfg->time_ns;
	return error_if_counter_display_gone(c, why);
}

int count_frames_on_display(const struct frame_count_cfg *cfg, struct frame_count_result *out, struct why *why)
{
	struct frame_counter c = { .cfg = cfg, .out = out };
	int err;

	*out = (struct frame_count_result){ 0 };
	if (frame_tally_start(&out->seen, cfg->loop))
		return fail_with_reason(-ENOMEM, why, "out of memory");
	err = x11_animation_connection_open(&c.x11, cfg->display, why);
	if (err)
		return err;
	err = subscribe_to_screen_damage(&c, why);
	if (!err)
		err = wait_for_animation(&c, why);
	if (!err)
		err = count_frames_until_end(&c, why);
	x11_screen_pixels_free(&c.patch.picture, c.x11.gone);
	x11_animation_connection_close(&c.x11);
	return err;
}

void frame_count_result_free(struct frame_count_result *r)
{
	frame_tally_free(&r->seen);
}
