// SPDX-License-Identifier: GPL-3.0-or-later
/* The X11 target: connections and the functions of target_ops. */
#include "x11.h"
#include "cli.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRACE_NS NS_PER_S	/* a display may take this long to answer after a stop signal: most stalled ones do */

/* True for the X server inside a Wayland session: newer ones have an extension XWAYLAND, older ones outputs of that name. */
static bool is_xwayland(Display *d)
{
	int a, b, c;
	bool found = false;
	XRRScreenResources *screen;

	if (XQueryExtension(d, "XWAYLAND", &a, &b, &c))
		return true;
	if (!XRRQueryExtension(d, &a, &b) || !(screen = XRRGetScreenResourcesCurrent(d, RootWindow(d, DefaultScreen(d)))))
		return false;
	for (int i = 0; i < screen->noutput && !found; i++) {
		XRROutputInfo *output = XRRGetOutputInfo(d, screen, screen->outputs[i]);

		found = output && !strncmp(output->name, "XWAYLAND", strlen("XWAYLAND"));
		if (output)
			XRRFreeOutputInfo(output);
	}
	XRRFreeScreenResources(screen);
	return found;
}

struct screen_region x11_screen_as_region(Display *d)
{
	return (struct screen_region){ 0, 0, DisplayWidth(d, DefaultScreen(d)), DisplayHeight(d, DefaultScreen(d)) };
}

/* Sets self->area. The rectangle of --region counts from the corner of the window of --window, else from that of the screen. */
static int set_watched_area(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	struct screen_region screen = x11_screen_as_region(self->send), asked = cfg->region;
	struct screen_region outer = self->window ? region_intersection(&screen, &self->window_at) : screen;

	self->area = outer;
	self->from = !is_region_empty(&asked) ? "given" : self->window ? "window" : "screen";
	if (!is_region_empty(&asked)) {
		asked.x += self->window ? self->window_at.x : 0;
		asked.y += self->window ? self->window_at.y : 0;
		self->area = region_intersection(&outer, &asked);
	}
	self->limited = memcmp(&self->area, &screen, sizeof(screen)) != 0;
	if (!is_region_empty(&self->area))
		return 0;
	why_say(why, "nothing of the region is inside the %s of x11:%s", self->window ? "window" : "screen", cfg->where);
	return -1;
}

/* Starts the watchdog of a connection, without a limit at first. If it does not start, waiting has no limit. */
static void x11_wait_limit_start_watchdog(struct x11_wait_limit *p, Display *d)
{
	p->running = p->running || (d && !socket_watchdog_start(&p->watchdog, ConnectionNumber(d), WATCHDOG_IDLE, GRACE_NS));
}

void x11_wait_limit_set_end_time(struct x11_wait_limit *p, int64_t until_ns)
{
	if (p->running)
		atomic_store(&p->watchdog.until_ns, until_ns);
}

static void end_x11_connection(Display *d, const _Atomic bool *broken, struct x11_wait_limit *p)
{
	if (d && !*broken)
		XSync(d, False);
	x11_close_unless_broken(d, broken);
	if (p->running)
		socket_watchdog_end(&p->watchdog);
}

/* Ends a wait of handle(), in another thread, for an answer that does not come within the watchdog's grace. */
static void x11_interrupt_blocked_handling(void *p)
{
	struct x11_target *self = p;

	x11_wait_limit_start_watchdog(&self->watch_limit, self->watch);
	x11_wait_limit_set_end_time(&self->watch_limit, clock_now());
}

static void x11_target_close(void *p)
{
	struct x11_target *self = p;

	x11_interrupt_blocked_handling(self);
	x11_wait_limit_start_watchdog(&self->send_limit, self->send);
	x11_wait_limit_set_end_time(&self->send_limit, clock_now());
	x11_end_sending_keys(self);
	x11_free_watched_pixels(self);
	end_x11_connection(self->watch, &self->watch_broken, &self->watch_limit);
	end_x11_connection(self->send, &self->send_broken, &self->send_limit);
	free(self->stroke);
	free(self);
}

static int prepare_x11_target(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	if (is_xwayland(self->send)) {
		why_say(why, "x11:%s is Xwayland, inside a Wayland session, where keys (XTEST) and pixels of the screen do not pass: "
			 "log in to an X11 session", cfg->where);
		return -1;
	}
	if (cfg->watch != WATCH_NONE || cfg->window) {
		self->watch = x11_connect(cfg->where, &self->watch_broken, why);
		if (!self->watch) {
			why_say(why, "cannot open display %s a second time: are all its connections taken?", cfg->where);
			return -1;
		}
	}
	if ((cfg->window && x11_find_target_window(self, cfg, why)) || set_watched_area(self, cfg, why) ||
	    (cfg->keys && x11_prepare_sending_keys(self, cfg, why)))
		return -1;
	if (cfg->window && cfg->keys)
		x11_wait_limit_start_watchdog(&self->send_limit, self->send);
	if ((cfg->window && cfg->keys && x11_focus_window_until_it_has_keys(self, why)) ||
	    set_watched_area(self, cfg, why) ||	/* again: a window may have moved when it was raised */
	    (cfg->find_region && x11_find_echo_region_by_typing(self, cfg, why)))
		return -1;
	return cfg->watch != WATCH_NONE ? x11_start_watching_screen(self, cfg, why) : 0;
}

static void *x11_target_open(const struct target_cfg *cfg, struct why *why)
{
	struct x11_target *self = calloc(1, sizeof(*self));

	if (!self) {
		why_say(why, "out of memory");
		return NULL;
	}
	XInitThreads();
	self->seen = cfg->seen;
	self->mode = cfg->watch;
	self->send = x11_connect(cfg->where, &self->send_broken, why);
	if (!self->send) {
		free(self);
		return NULL;
	}
	if (prepare_x11_target(self, cfg, why)) {
		x11_target_close(self);
		return NULL;
	}
	return self;
}

static void x11_target_describe(void *p, char *text, size_t size)
{
	struct x11_target *self = p;
	Display *d = self->send;

	snprintf(text, size, "%s %d, %dx%d, depth %d%s", ServerVendor(d), VendorRelease(d), DisplayWidth(d, DefaultScreen(d)),
		 DisplayHeight(d, DefaultScreen(d)), DefaultDepth(d, DefaultScreen(d)),
		 self->mode == WATCH_NONE ? "" : self->picture.shared || self->patch.picture.shared ? ", pixels by shared memory" :
		 ", pixels by GetImage");
}

static void x11_watched_region(void *p, struct screen_region *out, const char **from)
{
	const struct x11_target *self = p;

	*out = self->area;
	out->x -= self->window ? self->window_at.x : 0;
	out->y -= self->window ? self->window_at.y : 0;
	*from = self->from;
}

const struct target_ops target_x11 = {
	.scheme = "x11", .open = x11_target_open, .act = x11_prepare_act, .send_fd = x11_target_fd_for_sending,
		  .send = x11_press_or_release,
		  .watch_fd = x11_target_fd_to_watch,
	.handle = x11_handle_display_events, .close = x11_target_close, .describe = x11_target_describe, .aim = x11_check_window_gets_keys,
		  .interrupt = x11_interrupt_blocked_handling,
	.region = x11_watched_region, .receiver = x11_write_key_receiver_name, .repeats_itself = true, .tells_steps = true,
};
