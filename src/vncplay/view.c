// SPDX-License-Identifier: GPL-3.0-or-later
/* The window, on Xlib. What changed is sent as it is, an image for each part: a display on this
 * machine takes a whole screen in a few milliseconds, and the recording does not wait for it. */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#define KEYS 256
#define CHUNK 65536	/* pixels of one image */

struct view {
	Display *display;
	Window window;
	GC gc;
	Visual *visual;
	int depth, width, height;
	Atom delete_window;
	const struct screen *screen;
	uint32_t *pixels;	/* of one image, as the display wants them */
	bool plain;		/* which is 0x00RRGGBB */
	int mask, x, y;		/* of the pointer */
	KeySym down[KEYS];	/* by key: what it was when it was pressed; 0: it is up */
	int leaving;		/* keys up to this one come up, since somebody else gets them now */
	bool lost;		/* the display is gone */
	bool destroyed;		/* the window, by somebody else */
};

static struct view *only;	/* Xlib tells of a lost display without telling who asked */

static int broken(Display *d)
{
	(void)d;
	if (only)
		only->lost = true;
	return 0;
}

/* Without this, Xlib ends the program, and the report with it. */
static void go_on(Display *d, void *arg)
{
	(void)d;
	((struct view *)arg)->lost = true;
}

static int forgive(Display *d, XErrorEvent *e)
{
	(void)d;
	(void)e;
	return 0;
}

static void fix_size(struct view *v)
{
	XSizeHints hints = { .flags = PMinSize | PMaxSize, .min_width = v->width, .max_width = v->width,
			     .min_height = v->height, .max_height = v->height };

	XSetWMNormalHints(v->display, v->window, &hints);
}

struct view *view_open(const char *title, int width, int height, char *why, size_t size)
{
	struct view *v = calloc(1, sizeof(*v));
	const char *name = XDisplayName(NULL);
	XVisualInfo info;

	if (v)
		v->pixels = malloc(CHUNK * sizeof(*v->pixels));
	if (!v || !v->pixels) {
		snprintf(why, size, "out of memory");
		free(v);
		return NULL;
	}
	v->display = XOpenDisplay(NULL);
	if (!v->display) {
		snprintf(why, size, *name ? "no display %s for a window; set DISPLAY" : "no display for a window: DISPLAY is not set%s", name);
		view_close(v);
		return NULL;
	}
	if (!XMatchVisualInfo(v->display, DefaultScreen(v->display), 24, TrueColor, &info) &&
	    !XMatchVisualInfo(v->display, DefaultScreen(v->display), 16, TrueColor, &info)) {
		snprintf(why, size, "display %s has no true colours", name);
		view_close(v);
		return NULL;
	}
	only = v;
	XSetIOErrorHandler(broken);
	XSetIOErrorExitHandler(v->display, go_on, v);
	XSetErrorHandler(forgive);
	v->visual = info.visual;
	v->depth = info.depth;
	v->plain = info.depth == 24 && info.red_mask == 0xff0000 && info.green_mask == 0xff00 && info.blue_mask == 0xff;
	v->width = width;
	v->height = height;
	v->window = XCreateWindow(v->display, DefaultRootWindow(v->display), 0, 0, (unsigned)width,
				  (unsigned)height, 0, v->depth, InputOutput, v->visual,
		CWBackPixel | CWBorderPixel | CWColormap | CWEventMask, &(XSetWindowAttributes){
			.colormap = XCreateColormap(v->display, DefaultRootWindow(v->display), v->visual, AllocNone),
			.event_mask = ExposureMask | KeyPressMask | KeyReleaseMask | ButtonPressMask | ButtonReleaseMask |
			PointerMotionMask | FocusChangeMask | StructureNotifyMask });
	v->gc = XCreateGC(v->display, v->window, 0, NULL);
	v->delete_window = XInternAtom(v->display, "WM_DELETE_WINDOW", False);
	XSetWMProtocols(v->display, v->window, &v->delete_window, 1);
	Xutf8SetWMProperties(v->display, v->window, title, title, NULL, 0, NULL, NULL, NULL);
	fix_size(v);
	XkbSetDetectableAutoRepeat(v->display, True, NULL);
	XMapWindow(v->display, v->window);
	XFlush(v->display);
	return v;
}

void view_close(struct view *v)
{
	/* a display that is gone cannot be told goodbye */
	if (v->display && !v->lost) {
		if (v->gc)
			XFreeGC(v->display, v->gc);
		XCloseDisplay(v->display);
	}
	only = NULL;
	free(v->pixels);
	free(v);
}

int view_fd(const struct view *v)
{
	return ConnectionNumber(v->display);
}

static uint32_t part(uint32_t value, unsigned long mask)
{
	int low = __builtin_ctzl(mask), bits = __builtin_popcountl(mask);

	return (bits >= 8 ? value << (bits - 8) : value >> (8 - bits)) << low;
}

static void put(struct view *v, const struct screen *s, struct box b)
{
	XImage *image = XCreateImage(v->display, v->visual, (unsigned)v->depth, ZPixmap, 0, NULL, (unsigned)b.w, (unsigned)b.h, 32, 0);

	if (!image)
		return;
	for (int y = 0; y < b.h; y++) {
		const uint32_t *from = &s->pixels[(size_t)(b.y + y) * (size_t)s->width + (size_t)b.x];

		if (v->plain && image->bits_per_pixel == 32) {
			memcpy(&v->pixels[(size_t)y * (size_t)b.w], from, (size_t)b.w * sizeof(*from));
			continue;
		}
		image->data = (char *)v->pixels;
		for (int x = 0; x < b.w; x++)
			XPutPixel(image, x, y, part(from[x] >> 16 & 255, v->visual->red_mask) | part(from[x] >> 8 & 255, v->visual->green_mask) |
				part(from[x] & 255, v->visual->blue_mask));
	}
	image->data = (char *)v->pixels;
	/* the pixels are words of this machine, whatever the display's are: Xlib turns them */
	if (v->plain && image->bits_per_pixel == 32)
		image->byte_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? LSBFirst : MSBFirst;
	XPutImage(v->display, v->window, v->gc, image, 0, 0, b.x, b.y, (unsigned)b.w, (unsigned)b.h);
	image->data = NULL;
	XDestroyImage(image);
}

void view_paint(struct view *v, const struct screen *s, struct box box)
{
	int rows;

	v->screen = s;
	box = box_clip(box, s->width, s->height);
	if (v->lost || v->destroyed || box.w < 1 || box.h < 1)
		return;
	rows = CHUNK / box.w;
	for (int y = 0; y < box.h && !v->lost; y += rows)
		put(v, s, (struct box){ box.x, box.y + y, box.w, box.h - y < rows ? box.h - y : rows });
}

void view_resize(struct view *v, int width, int height)
{
	v->width = width;
	v->height = height;
	if (v->lost || v->destroyed)
		return;
	fix_size(v);
	XResizeWindow(v->display, v->window, (unsigned)width, (unsigned)height);
}

void view_flush(struct view *v)
{
	if (!v->lost)
		XFlush(v->display);
}

/* What a viewer is to send for a key: the symbol with Shift and the like taken into account. */
static KeySym symbol_of(XKeyEvent *key)
{
	char text[16];
	KeySym symbol = NoSymbol;
	unsigned state = key->state;

	key->state &= ~(unsigned)ControlMask;
	XLookupString(key, text, sizeof(text), &symbol, NULL);
	key->state = state;
	return symbol;
}

static bool take_key(struct view *v, XKeyEvent *key, struct view_event *e)
{
	unsigned code = key->keycode % KEYS;
	KeySym symbol = v->down[code];

	e->kind = VIEW_KEY;
	e->down = key->type == KeyPress;
	if (e->down && !symbol)
		symbol = symbol_of(key);
	v->down[code] = e->down ? symbol : NoSymbol;
	e->keysym = (uint32_t)symbol;
	return symbol != NoSymbol && symbol <= 0x1fffffff;
}

static void take_button(struct view *v, const XButtonEvent *b, struct view_event *e)
{
	/* X11 has 8 and 9 for the two at the thumb, RFB one more bit only */
	int bit = b->button <= 8 ? 1 << (b->button - 1) : 0;

	v->mask = b->type == ButtonPress ? v->mask | bit : v->mask & ~bit;
	v->x = b->x;
	v->y = b->y;
	*e = (struct view_event){ .kind = VIEW_POINTER, .x = v->x, .y = v->y, .mask = v->mask };
}

static bool take_one(struct view *v, XEvent *x, struct view_event *e)
{
	switch (x->type) {
	case KeyPress:
	case KeyRelease:
		return take_key(v, &x->xkey, e);
	case ButtonPress:
	case ButtonRelease:
		take_button(v, &x->xbutton, e);
		return true;
	case MotionNotify:
		v->x = x->xmotion.x;
		v->y = x->xmotion.y;
		*e = (struct view_event){ .kind = VIEW_POINTER, .x = v->x, .y = v->y, .mask = v->mask };
		return true;
	case Expose:
		if (v->screen)
			view_paint(v, v->screen, (struct box){ x->xexpose.x, x->xexpose.y, x->xexpose.width, x->xexpose.height });
		XFlush(v->display);
		return false;
	case FocusOut:
		v->leaving = KEYS;
		return false;
	case MappingNotify:
		XRefreshKeyboardMapping(&x->xmapping);
		return false;
	case DestroyNotify:	/* by force */
		v->destroyed = true;
		return false;
	case ClientMessage:
		e->kind = VIEW_CLOSED;
		return (Atom)x->xclient.data.l[0] == v->delete_window;
	default:
		return false;
	}
}

void view_take(struct view *v, struct view_event *e)
{
	XEvent x;

	*e = (struct view_event){ .kind = VIEW_NOTHING };
	while (!v->lost && !v->destroyed) {
		while (v->leaving > 0) {
			KeySym symbol = v->down[--v->leaving];

			v->down[v->leaving] = NoSymbol;
			if (symbol) {
				*e = (struct view_event){ .kind = VIEW_KEY, .keysym = (uint32_t)symbol };
				return;
			}
		}
		if (!XPending(v->display) || v->lost)
			break;
		XNextEvent(v->display, &x);
		if (take_one(v, &x, e))
			return;
		e->kind = VIEW_NOTHING;
	}
	if (v->lost || v->destroyed)
		e->kind = VIEW_CLOSED;
}
