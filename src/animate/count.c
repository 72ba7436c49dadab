// SPDX-License-Identifier: GPL-3.0-or-later
/* The DAMAGE extension reports that something was drawn; the frame number is then read from the pixels. The patch with the number
 * is searched for once, on the whole screen; from then on only the rectangle around it is read. */
#include "count.h"
#include "clock.h"
#include "frame.h"
#include "proc.h"
#include "x11/pixels.h"
#include "x11/damage.h"

#include <errno.h>
#include <math.h>

#define SEARCH_NS (50 * NS_PER_MS)   /* from one search of the screen to the next */
#define CELL_MOST (2.0 * FRAME_CELL) /* pixels of a patch cell, where the display is scaled */

const char *const count_columns[] = { "seen_ns", "frame", "asked_ns", NULL };

struct frame_counter {
	const struct frame_count_cfg *cfg;
	struct count_result *out;
	struct x11_connection x11;
	struct x11_damage drawing;
	struct x11_patch patch;
};

static bool find_number_patch(struct frame_counter *c)
{
	const struct x11_patch *p = &c->patch;
	uint32_t number;

	if (!x11_patch_find(&c->patch, &c->x11, &c->x11.screen, CELL_MOST, &number))
		return false;
	/* the patch stands one cell right of and below the corner of the frame */
	c->out->x = (int)lround(p->area.x + p->place.x - p->place.cell);
	c->out->y = (int)lround(p->area.y + p->place.y - p->place.cell);
	c->out->cell = p->place.cell;
	return true;
}

static int explain_lost_display(const struct frame_counter *c, struct why *why)
{
	if (!c->x11.broken)
		return 0;
	return why_fail(-EPIPE, why, "the display went away");
}

static int await_animation(struct frame_counter *c, struct why *why)
{
	int64_t until = clock_now() + c->cfg->wait_ns;

	while (!find_number_patch(c)) {
		if (explain_lost_display(c, why))
			return -EPIPE;
		if (proc_stop || clock_now() >= until) {
			why_say(why,
				proc_stop ? "stopped before an animation was found"
					  : "no animation on display %s; start one there (animate), in sight",
				DisplayString(c->x11.display));
			return -ETIMEDOUT;
		}
		proc_sleep(clock_now() + SEARCH_NS);
	}
	return explain_lost_display(c, why);
}

static void tally_frame(struct frame_counter *c)
{
	uint32_t number;
	int64_t asked = clock_now(), now;
	bool readable;

	x11_damage_rearm(&c->drawing);
	readable = x11_patch_read(&c->patch, &number);
	now = clock_now();
	c->out->looks++;
	c->out->unreadable += !readable;
	if (!readable || !frame_tally_add(&c->out->seen, number, now) || !c->cfg->log)
		return;
	rows_write_ints(c->cfg->log, now, (int64_t)number, asked);
	rows_end_row(c->cfg->log);
}

static int count_animation(struct frame_counter *c, struct why *why)
{
	int64_t until;

	c->out->start_ns = clock_now();
	until = c->cfg->time_ns ? c->out->start_ns + c->cfg->time_ns : INT64_MAX;
	x11_limit_waiting(&c->x11, c->cfg->time_ns ? until + X11_PATIENCE_NS : WATCHDOG_STOP, X11_GRACE_NS);
	tally_frame(c);
	c->cfg->ready();
	while (!proc_stop && !c->x11.broken && clock_now() < until) {
		bool drawn = false;
		XEvent event;

		x11_await_event(&c->x11, until);
		while (x11_take_event(&c->x11, &event))
			drawn = drawn || event.type == c->drawing.event;
		if (drawn && !c->x11.broken)
			tally_frame(c);
	}
	c->out->end_ns = clock_now();
	c->out->stopped = proc_stop && c->cfg->time_ns;
	return explain_lost_display(c, why);
}

int count_frames(const struct frame_count_cfg *cfg, struct count_result *out, struct why *why)
{
	struct frame_counter c = { .cfg = cfg, .out = out };
	int err;

	*out = (struct count_result){ 0 };
	frame_tally_start(&out->seen, cfg->loop);
	if (!x11_open(&c.x11, cfg->display, why))
		return -ENOENT;
	x11_limit_waiting(&c.x11, clock_now() + cfg->wait_ns + X11_PATIENCE_NS, X11_GRACE_NS);
	err = x11_damage_start(&c.drawing, &c.x11, "start its server with it", why) ? await_animation(&c, why) : -ENOTSUP;
	if (err)
		x11_explain_loss(&c.x11, why);
	else
		err = count_animation(&c, why);
	x11_pixels_free(&c.patch.picture);
	x11_close(&c.x11);
	return err;
}

void count_result_free(struct count_result *r)
{
	frame_tally_free(&r->seen);
}
