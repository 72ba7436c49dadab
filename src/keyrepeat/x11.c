// SPDX-License-Identifier: GPL-3.0-or-later
/* The X11 target: connections and the functions of target_ops. */
#include "x11.h"
#include "clock.h"
#include "memory.h"
#include "region_search.h"

#include <errno.h>
#include <stdio.h>

#define GRACE_NS NS_PER_S	 /* a display may take this long to answer after a stop signal: most stalled ones do */
#define ANSWER_NS (3 * NS_PER_S) /* longest wait for the display to say which window has the keyboard */

/* True for the X server inside a Wayland session: newer ones have an extension XWAYLAND, older ones outputs of that name. */
static bool is_xwayland(const struct x11_connection *x)
{
	int a, b, c;
	bool found = false;
	XRRScreenResources *screen;

	if (XQueryExtension(x->display, "XWAYLAND", &a, &b, &c))
		return true;
	if (!XRRQueryExtension(x->display, &a, &b) || !(screen = XRRGetScreenResourcesCurrent(x->display, x->root)))
		return false;
	for (int i = 0; i < screen->noutput && !found; i++) {
		XRROutputInfo *output = XRRGetOutputInfo(x->display, screen, screen->outputs[i]);

		found = output && !strncmp(output->name, "XWAYLAND", strlen("XWAYLAND"));
		if (output)
			XRRFreeOutputInfo(output);
	}
	XRRFreeScreenResources(screen);
	return found;
}

/* Sets self->area. The rectangle of --region counts from the corner of the window of --window, else from that of the screen. */
static int set_watched_area(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	struct pixel_area screen = self->send.screen, asked = cfg->region;
	struct pixel_area outer = self->window ? area_intersect(&screen, &self->window_at) : screen;

	self->area = outer;
	self->from = !area_is_empty(&asked) ? "given" : self->window ? "window" : "screen";
	if (!area_is_empty(&asked)) {
		asked.x += self->window_at.x;
		asked.y += self->window_at.y;
		self->area = area_intersect(&outer, &asked);
	}
	self->limited = memcmp(&self->area, &screen, sizeof(screen)) != 0;
	if (!area_is_empty(&self->area))
		return 0;
	return why_fail(-1, why, "nothing of the region is inside the %s of x11:%s", self->window ? "window" : "screen",
			cfg->where);
}

static void interrupt_handling(void *p)
{
	struct x11_target *self = p;

	if (self->watch.display)
		x11_limit_waiting(&self->watch, clock_now(), GRACE_NS);
}

static void close_x11(void *p)
{
	struct x11_target *self = p;

	interrupt_handling(self);
	x11_limit_waiting(&self->send, clock_now(), GRACE_NS);
	x11_end_sending(self);
	x11_free_pixels(self);
	x11_close(&self->watch);
	x11_close(&self->send);
	free(self->act);
	free(self);
}

static bool read_area(void *p, uint32_t *pixels, int w, int h)
{
	struct x11_target *self = p;

	if (!x11_pixels_read(&self->picture, &self->area))
		return false;
	x11_pixels_copy(&self->picture, w, h, pixels, (size_t)w);
	return true;
}

static bool type_key(void *p, int key, bool down)
{
	return (!down || !x11_check_keyboard(p, clock_now() + ANSWER_NS)) && !x11_send_act(p, key, down);
}

/* Types a few keys and sets self->area to the region in which their echo appears. 0, or -1 with a line in `why`. */
static int find_region(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	const struct region_search search = { .target = cfg,
					      .self = self,
					      .w = self->area.w,
					      .h = self->area.h,
					      .act = x11_add_act,
					      .read = read_area,
					      .type = type_key };
	struct pixel_area found = { 0 };
	int err = -1;

	if (x11_pixels_alloc(&self->picture, &self->watch, self->area.w, self->area.h))
		err = region_search(&search, &found, why);
	else
		why_say(why, "cannot read the pixels of x11:%s", cfg->where);
	x11_pixels_free(&self->picture);
	if (err == -EPIPE)
		return why_fail(-1, why, "the window lost the keyboard: leave it alone while it is measured");
	if (err || area_is_empty(&found))
		return err;
	self->area = (struct pixel_area){ self->area.x + found.x, self->area.y + found.y, found.w, found.h };
	self->limited = true;
	self->from = "found by typing";
	return 0;
}

static int prepare_target(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	if (is_xwayland(&self->send))
		return why_fail(-1, why,
				"x11:%s is Xwayland, inside a Wayland session, where keys (XTEST) and pixels of the "
				"screen do not pass: log in to an X11 session",
				cfg->where);
	if ((cfg->watch != WATCH_NONE || cfg->window) && !x11_open(&self->watch, cfg->where, why))
		return why_fail(-1, why, "cannot open display %s a second time: are all its connections taken?", cfg->where);
	if ((cfg->window && x11_find_window(self, cfg, why)) || set_watched_area(self, cfg, why) ||
	    (cfg->keys && x11_begin_sending(self, cfg, why)))
		return -1;
	if (cfg->window && cfg->keys)
		x11_limit_waiting(&self->send, WATCHDOG_IDLE, GRACE_NS);
	if ((cfg->window && cfg->keys && x11_take_keyboard(self, why)) ||
	    set_watched_area(self, cfg, why) || /* again: a window may have moved when it was raised */
	    (cfg->find_region && find_region(self, cfg, why)))
		return -1;
	return cfg->watch != WATCH_NONE ? x11_start_watching(self, cfg, why) : 0;
}

static void *open_x11(const struct target_cfg *cfg, struct why *why)
{
	struct x11_target *self = memory_new(1, sizeof(*self));

	XInitThreads();
	self->seen = cfg->seen;
	self->mode = cfg->watch;
	if (!x11_open(&self->send, cfg->where, why)) {
		free(self);
		return NULL;
	}
	if (prepare_target(self, cfg, why)) {
		if (!x11_explain_loss(&self->send, why))
			x11_explain_loss(&self->watch, why);
		close_x11(self);
		return NULL;
	}
	return self;
}

static int x11_send_fd(void *p)
{
	return ConnectionNumber(((struct x11_target *)p)->send.display);
}

static int x11_watch_fd(void *p)
{
	struct x11_target *self = p;

	return self->watch.display ? ConnectionNumber(self->watch.display) : -1;
}

static void describe_x11(void *p, char *text, size_t size)
{
	struct x11_target *self = p;

	snprintf(text, size, "%s %d, %dx%d, depth %d%s", ServerVendor(self->send.display), VendorRelease(self->send.display),
		 self->send.screen.w, self->send.screen.h, self->send.depth,
		 self->mode == WATCH_NONE			      ? ""
		 : self->picture.shared || self->patch.picture.shared ? ", pixels by shared memory"
								      : ", pixels by GetImage");
}

static void get_watched_region(void *p, struct pixel_area *out, const char **from)
{
	const struct x11_target *self = p;

	*out = self->area;
	out->x -= self->window_at.x;
	out->y -= self->window_at.y;
	*from = self->from;
}

const struct target_ops target_x11 = {
	.scheme = "x11",
	.x11 = true,
	.open = open_x11,
	.act = x11_add_act,
	.send_fd = x11_send_fd,
	.aim = x11_check_keyboard,
	.send = x11_send_act,
	.watch_fd = x11_watch_fd,
	.handle = x11_handle_events,
	.interrupt = interrupt_handling,
	.close = close_x11,
	.describe = describe_x11,
	.receiver = x11_write_receiver,
	.region = get_watched_region,
	.repeats_itself = true,
	.tells_steps = true,
};
