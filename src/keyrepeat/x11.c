/* The X11 target: keys by XTest, echo by XDamage and the pixels themselves.
 *
 * Two connections, one for each thread: on one alone, waiting for an image would hold up the next key. */
#include "target.h"
#include "clock.h"
#include "guard.h"
#include "patch.h"
#include "proc.h"

#include <X11/XKBlib.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XShm.h>
#include <X11/extensions/XTest.h>
#include <X11/extensions/Xdamage.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#define KEYS_MAX 1024		/* different keys in a script */
#define KEYSYM_SHIFT 0xffe1
#define KEYSYM_LEVEL3 0xfe03	/* ISO_Level3_Shift, "AltGr" */

struct stroke {
	KeyCode code;
	bool shift, level3;
};

/* Auto-repeat is a state of the whole display, so it is put back however we end. */
struct repeat {
	char display[256];
	bool changed, was_on, rate_changed;
	unsigned int delay_ms, interval_ms;
};

struct x11 {
	Display *send, *watch;		/* watch: NULL when nothing is watched */
	_Atomic bool send_broken, watch_broken;
	struct seen *seen;
	int mode;			/* enum target_watch */
	Damage damage;
	int damage_event;
	XImage *image;			/* of the patch's rectangle */
	XShmSegmentInfo shm;
	bool shared;
	int x, y;			/* where that rectangle is on the screen */
	struct patch_place place;	/* within it */
	KeyCode shift, level3;
	int keys;
	struct stroke stroke[KEYS_MAX];
	struct repeat repeat;
	struct guard guard;
};

/* Xlib's own handlers print and exit; a display that goes away is a result here, with samples to keep. */
static int ignore_error(Display *d, XErrorEvent *e)
{
	(void)d;
	(void)e;
	return 0;
}

static int ignore_io_error(Display *d)
{
	(void)d;
	return 0;
}

static void mark_broken(Display *d, void *flag)
{
	(void)d;
	atomic_store((_Atomic bool *)flag, true);
}

static Display *connect_to(const char *where, _Atomic bool *broken)
{
	Display *d = XOpenDisplay(where);

	if (d)
		XSetIOErrorExitHandler(d, mark_broken, broken);
	return d;
}

static void put_back(Display *d, const struct repeat *r)
{
	if (r->rate_changed)
		XkbSetAutoRepeatRate(d, XkbUseCoreKbd, r->delay_ms, r->interval_ms);
	if (r->was_on)
		XAutoRepeatOn(d);
	else
		XAutoRepeatOff(d);
	XSync(d, False);
}

/* In the guard, after we were killed. */
static void put_back_alone(void *with)
{
	Display *d = XOpenDisplay(((struct repeat *)with)->display);

	if (d)
		put_back(d, with);
}

static int set_repeat(struct x11 *self, const struct target_cfg *cfg, char *why)
{
	struct repeat *r = &self->repeat;
	XKeyboardState state;
	unsigned int period_ms = (unsigned int)(cfg->period_ns / NS_PER_MS);

	XGetKeyboardControl(self->send, &state);
	r->was_on = state.global_auto_repeat == AutoRepeatModeOn;
	snprintf(r->display, sizeof(r->display), "%s", DisplayString(self->send));
	if (!cfg->hold && !r->was_on)
		return 0;
	if (cfg->hold) {
		r->rate_changed = XkbGetAutoRepeatRate(self->send, XkbUseCoreKbd, &r->delay_ms, &r->interval_ms);
		if (!r->rate_changed) {
			snprintf(why, TARGET_WHY, "x11:%s has no XKB to set its auto-repeat: use --mode tap", cfg->where);
			return -1;
		}
	}
	r->changed = true;
	if (guard_start(&self->guard, put_back_alone, r))
		warn("nobody will restore the display's auto-repeat should this be killed: %s", strerror(errno));
	if (cfg->hold) {
		XAutoRepeatOn(self->send);
		XkbSetAutoRepeatRate(self->send, XkbUseCoreKbd, period_ms, period_ms);
	} else {
		XAutoRepeatOff(self->send);
	}
	XSync(self->send, False);
	return 0;
}

/* Of a 24 or 32 bit picture; XGetPixel() knows the others. */
static int luminance(const void *pixels, int x, int y)
{
	XImage *image = (XImage *)(uintptr_t)pixels;
	unsigned long p = XGetPixel(image, x, y);
	unsigned long mask[3] = { image->red_mask, image->green_mask, image->blue_mask };
	static const int weight[3] = { 77, 150, 29 };
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += mask[i] ? (int)((p & mask[i]) * 255 / mask[i]) * weight[i] : 0;
	return sum >> 8;
}

static void set_masks(Display *d, XImage *image)
{
	const Visual *v = DefaultVisual(d, DefaultScreen(d));

	/* an image of the root window by shared memory comes without them */
	image->red_mask = v->red_mask;
	image->green_mask = v->green_mask;
	image->blue_mask = v->blue_mask;
}

/* Shared memory saves the copy through the socket; over the network, or where it is refused, the plain way does. */
static void share_image(struct x11 *self, int w, int h)
{
	Display *d = self->watch;
	XImage *image;
	bool attached;

	if (!XShmQueryExtension(d))
		return;
	image = XShmCreateImage(d, DefaultVisual(d, DefaultScreen(d)), (unsigned)DefaultDepth(d, DefaultScreen(d)), ZPixmap,
				NULL, &self->shm, (unsigned)w, (unsigned)h);
	if (!image)
		return;
	self->shm.shmid = shmget(IPC_PRIVATE, (size_t)image->bytes_per_line * (size_t)image->height, IPC_CREAT | 0600);
	self->shm.shmaddr = self->shm.shmid < 0 ? (void *)-1 : shmat(self->shm.shmid, NULL, 0);
	self->shm.readOnly = False;
	if (self->shm.shmaddr == (void *)-1) {
		if (self->shm.shmid >= 0)
			shmctl(self->shm.shmid, IPC_RMID, NULL);
		XDestroyImage(image);
		return;
	}
	image->data = self->shm.shmaddr;
	attached = XShmAttach(d, &self->shm) != 0;
	XSync(d, False);
	/* A server on another machine, or in another namespace, answers with an error, which shows in the first picture. */
	attached = attached && XShmGetImage(d, RootWindow(d, DefaultScreen(d)), image, self->x, self->y, AllPlanes);
	shmctl(self->shm.shmid, IPC_RMID, NULL);
	if (!attached) {
		shmdt(self->shm.shmaddr);
		image->data = NULL;
		XDestroyImage(image);
		return;
	}
	set_masks(d, image);
	self->image = image;
	self->shared = true;
}

static bool read_patch(struct x11 *self, uint32_t *number)
{
	Window root = RootWindow(self->watch, DefaultScreen(self->watch));
	struct patch_image view = { self->image->width, self->image->height, luminance, self->image };

	if (self->shared ? !XShmGetImage(self->watch, root, self->image, self->x, self->y, AllPlanes) :
	    !XGetSubImage(self->watch, root, self->x, self->y, (unsigned)self->image->width, (unsigned)self->image->height,
			  AllPlanes, ZPixmap, self->image, 0, 0))
		return false;
	return patch_read(&view, &self->place, number);
}

static void drop_image(struct x11 *self)
{
	if (self->shared) {
		if (!self->watch_broken)
			XShmDetach(self->watch, &self->shm);
		shmdt(self->shm.shmaddr);
		self->image->data = NULL;
	}
	if (self->image)
		XDestroyImage(self->image);
	self->image = NULL;
	self->shared = false;
}

/* Looks for the patch on the whole screen; from then on only its rectangle is read. */
static bool place_patch(struct x11 *self)
{
	Display *d = self->watch;
	int width = DisplayWidth(d, DefaultScreen(d)), height = DisplayHeight(d, DefaultScreen(d)), w, h;
	Window root = RootWindow(d, DefaultScreen(d));
	XImage *all = XGetImage(d, root, 0, 0, (unsigned)width, (unsigned)height, AllPlanes, ZPixmap);
	struct patch_place place;
	struct patch_image view;
	uint32_t number;
	bool found;

	if (!all)
		return false;
	set_masks(d, all);
	view = (struct patch_image){ all->width, all->height, luminance, all };
	found = patch_find(&view, 2, 40, &place, &number);
	XDestroyImage(all);
	if (!found)
		return false;
	self->x = place.x > 0 ? place.x - 1 : 0;
	self->y = place.y > 0 ? place.y - 1 : 0;
	w = (int)ceil(place.cell * PATCH_COLUMNS) + 2 + place.x - self->x;
	h = (int)ceil(place.cell * PATCH_ROWS) + 2 + place.y - self->y;
	w = w > width - self->x ? width - self->x : w;
	h = h > height - self->y ? height - self->y : h;
	self->place = (struct patch_place){ place.x - self->x, place.y - self->y, place.cell };
	share_image(self, w, h);
	if (!self->image) {
		self->image = XGetImage(d, root, self->x, self->y, (unsigned)w, (unsigned)h, AllPlanes, ZPixmap);
		if (self->image)
			set_masks(d, self->image);
	}
	return self->image;
}

/* A first look may find the patch half drawn, or a window on the move: then it is looked for anew. */
static bool find_patch(struct x11 *self)
{
	uint32_t number;

	if (!place_patch(self))
		return false;
	if (!read_patch(self, &number)) {
		drop_image(self);
		return false;
	}
	seen_number(self->seen, clock_now(), number);
	return true;
}

static int watch_display(struct x11 *self, const struct target_cfg *cfg, char *why)
{
	int error, event, major = 1, minor = 1;
	int64_t until = clock_now() + cfg->patch_wait_ns;

	self->watch = connect_to(cfg->where, &self->watch_broken);
	if (!self->watch || !XDamageQueryExtension(self->watch, &event, &error) ||
	    !XDamageQueryVersion(self->watch, &major, &minor)) {
		snprintf(why, TARGET_WHY, "x11:%s has no DAMAGE extension, which tells what was drawn: use --watch none", cfg->where);
		return -1;
	}
	self->damage_event = event + XDamageNotify;
	/* On the root window it covers all windows; the "non-empty" level sends one event until we take it. */
	self->damage = XDamageCreate(self->watch, RootWindow(self->watch, DefaultScreen(self->watch)), XDamageReportNonEmpty);
	XSync(self->watch, False);
	while (cfg->watch == WATCH_PATCH && !proc_stop && !find_patch(self)) {
		if (clock_now() > until || self->watch_broken) {
			snprintf(why, TARGET_WHY, "no patch on x11:%s: start refecho there, in sight", cfg->where);
			return -1;
		}
		proc_wait_stop(clock_now() + 100 * NS_PER_MS);
	}
	return 0;
}

static void x11_close(void *p)
{
	struct x11 *self = p;

	if (self->repeat.changed && !self->send_broken)
		put_back(self->send, &self->repeat);
	guard_dismiss(&self->guard);
	drop_image(self);
	/* Closing a broken connection writes to it once more: leave it to the end of the process. */
	if (self->watch && !self->watch_broken)
		XCloseDisplay(self->watch);
	if (self->send && !self->send_broken)
		XCloseDisplay(self->send);
	free(self);
}

static void *x11_open(const struct target_cfg *cfg, char *why)
{
	struct x11 *self = calloc(1, sizeof(*self));
	int a, b, c, d;

	if (!self) {
		snprintf(why, TARGET_WHY, "out of memory");
		return NULL;
	}
	XInitThreads();
	XSetErrorHandler(ignore_error);
	XSetIOErrorHandler(ignore_io_error);
	self->seen = cfg->seen;
	self->mode = cfg->watch;
	self->send = connect_to(cfg->where, &self->send_broken);
	if (!self->send) {
		snprintf(why, TARGET_WHY, "cannot open display %s: is it running, and may you use it (xhost, XAUTHORITY)?", cfg->where);
		free(self);
		return NULL;
	}
	if (cfg->keys && !XTestQueryExtension(self->send, &a, &b, &c, &d)) {
		snprintf(why, TARGET_WHY, "x11:%s has no XTEST extension, so keys cannot be sent to it: start its server with it, or use vnc:", cfg->where);
		x11_close(self);
		return NULL;
	}
	if ((cfg->keys && set_repeat(self, cfg, why)) || (cfg->watch != WATCH_NONE && watch_display(self, cfg, why))) {
		x11_close(self);
		return NULL;
	}
	self->shift = XKeysymToKeycode(self->send, KEYSYM_SHIFT);
	self->level3 = XKeysymToKeycode(self->send, KEYSYM_LEVEL3);
	return self;
}

/* Which key gives the symbol, with as few modifiers as can be. */
static bool look_up(struct x11 *self, KeySym keysym, struct stroke *out)
{
	int first, last;

	XDisplayKeycodes(self->send, &first, &last);
	for (unsigned level = 0; level < 4; level++) {
		*out = (struct stroke){ .shift = level & 1, .level3 = level & 2 };
		if ((out->shift && !self->shift) || (out->level3 && !self->level3))
			continue;
		for (int code = first; code <= last; code++) {
			if (XkbKeycodeToKeysym(self->send, (KeyCode)code, 0, (int)level) == keysym) {
				out->code = (KeyCode)code;
				return true;
			}
		}
	}
	return false;
}

static int x11_key(void *p, uint32_t keysym, char *why)
{
	struct x11 *self = p;

	if (self->keys == KEYS_MAX) {
		snprintf(why, TARGET_WHY, "more than %d different keys", KEYS_MAX);
		return -1;
	}
	if (!look_up(self, keysym, &self->stroke[self->keys])) {
		snprintf(why, TARGET_WHY, "the keyboard of x11:%s has no key for the symbol 0x%x: use another, or add it with setxkbmap",
			 DisplayString(self->send), (unsigned)keysym);
		return -1;
	}
	return self->keys++;
}

static int x11_send_fd(void *p)
{
	return ConnectionNumber(((struct x11 *)p)->send);
}

static int x11_send(void *p, int key, bool down)
{
	struct x11 *self = p;
	const struct stroke *s = &self->stroke[key];

	/* One write: modifiers go down before the key and up after it. */
	if (down && s->shift)
		XTestFakeKeyEvent(self->send, self->shift, True, 0);
	if (down && s->level3)
		XTestFakeKeyEvent(self->send, self->level3, True, 0);
	XTestFakeKeyEvent(self->send, s->code, down, 0);
	if (!down && s->level3)
		XTestFakeKeyEvent(self->send, self->level3, False, 0);
	if (!down && s->shift)
		XTestFakeKeyEvent(self->send, self->shift, False, 0);
	XFlush(self->send);
	return self->send_broken ? -EPIPE : 0;
}

static int x11_watch_fd(void *p)
{
	struct x11 *self = p;

	return self->watch ? ConnectionNumber(self->watch) : -1;
}

static int x11_handle(void *p)
{
	struct x11 *self = p;

	if (!self->watch)
		return 0;
	while (XEventsQueued(self->watch, QueuedAfterReading) > 0 && !self->watch_broken) {
		bool drawn = false;
		uint32_t number;
		int64_t now;

		while (XEventsQueued(self->watch, QueuedAlready) > 0) {
			XEvent event;

			XNextEvent(self->watch, &event);
			drawn = drawn || event.type == self->damage_event;
		}
		if (!drawn)
			continue;
		/* Taken before the picture is read: what is drawn after the reading makes an event of its own. */
		XDamageSubtract(self->watch, self->damage, None, None);
		if (self->mode != WATCH_PATCH) {
			XFlush(self->watch);
			seen_update(self->seen, clock_now());
			continue;
		}
		if (self->image && read_patch(self, &number)) {	/* none: a signal ended the search */
			now = clock_now();
			seen_number(self->seen, now, number);
		} else {
			now = clock_now();
			atomic_fetch_add(&self->seen->unreadable, 1);
		}
		seen_update(self->seen, now);
	}
	return self->watch_broken ? -EPIPE : 0;
}

static void x11_describe(void *p, char *text, size_t size)
{
	struct x11 *self = p;
	Display *d = self->send;

	snprintf(text, size, "%s %d, %dx%d, depth %d%s", ServerVendor(d), VendorRelease(d), DisplayWidth(d, DefaultScreen(d)),
		 DisplayHeight(d, DefaultScreen(d)), DefaultDepth(d, DefaultScreen(d)),
		 self->mode != WATCH_PATCH ? "" : self->shared ? ", pixels by shared memory" : ", pixels by GetImage");
}

const struct target target_x11 = {
	.scheme = "x11", .open = x11_open, .key = x11_key, .send_fd = x11_send_fd, .send = x11_send, .watch_fd = x11_watch_fd,
	.handle = x11_handle, .close = x11_close, .describe = x11_describe, .repeats_itself = true,
};
