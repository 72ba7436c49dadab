// SPDX-License-Identifier: GPL-3.0-or-later
/* The X11 window. Drawn with XFillRectangles: an image (XPutImage) would send 100 times the bytes. Noise is a tile that is sent to
 * the X server once at the start, and shifted at random for each number. */
#include "face.h"
#include "clock.h"
#include "proc.h"
#include "random.h"
#include "scene.h"
#include "x11/connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <X11/Xlib.h>
#include <X11/Xutil.h>

#define TILE 64				/* pixels after which noise repeats */
#define MAP_WAIT_NS (10 * NS_PER_S)	/* longest wait for the window to appear on the display */

struct x11_echo_display {
	struct echo_display_hooks face;
	struct echo_display_cfg cfg;
	struct echo_scene_content scene;
	Display *display;
	Window window;
	GC white, black, ground, text;
	XFontStruct *font;
	Atom delete_window;
	uint64_t random;
	_Atomic bool gone;	/* the connection is broken: Xlib may not be called any more */
	bool closed, exposed, mapped;
};

static void fill_boxes(struct x11_echo_display *x, GC gc, const struct pixel_box *box, int n)
{
	XRectangle r[PATCH_ROWS * PATCH_COLUMNS];

	for (int i = 0; i < n; i++)
		r[i] = (XRectangle){ (short)box[i].x, (short)box[i].y, (unsigned short)box[i].width, (unsigned short)box[i].height };
	if (n)
		XFillRectangles(x->display, x->window, gc, r, n);
}

static void draw_number_patch(struct x11_echo_display *x, uint32_t number, bool all)
{
	struct pixel_box white[PATCH_ROWS * PATCH_COLUMNS], black[PATCH_ROWS * PATCH_COLUMNS];
	int whites, blacks;

	scene_set_patch_number(&x->scene, number, all || x->cfg.noise, white, &whites, black, &blacks);
	if (x->cfg.noise) {
		uint64_t bits = random_bits(&x->random);

		XSetTSOrigin(x->display, x->white, (int)(bits % TILE), (int)(bits / TILE % TILE));
		XSetTSOrigin(x->display, x->black, (int)(bits >> 20) % TILE, (int)(bits >> 30) % TILE);
	}
	fill_boxes(x, x->white, white, whites);
	fill_boxes(x, x->black, black, blacks);
}

static void draw_typed_text(struct x11_echo_display *x, const struct pixel_box *box, const char *text, int n)
{
	int down = x->font ? (SCENE_GLYPH_HEIGHT + x->font->ascent - x->font->descent) / 2 : SCENE_GLYPH_HEIGHT - 3;

	for (int i = 0; i < n; i++)
		XDrawString(x->display, x->window, x->text, box->x + i * SCENE_GLYPH_WIDTH, box->y + down, text + i, 1);
}

static void redraw_whole_window(struct x11_echo_display *x)
{
	struct pixel_box line = scene_text_line_box(&x->scene), marker[PATCH_COLUMNS];

	for (int white = 0; white < 2; white++) {
		int n = 0;

		for (int c = 0; c < PATCH_COLUMNS; c++)
			if (x->scene.cells.white[0][c] == white)
				marker[n++] = (struct pixel_box){ (2 + c) * x->cfg.cell, 2 * x->cfg.cell, x->cfg.cell, x->cfg.cell };
		fill_boxes(x, white ? x->white : x->black, marker, n);
	}
	draw_number_patch(x, x->scene.number, true);
	fill_boxes(x, x->ground, &line, 1);
	draw_typed_text(x, &line, x->scene.line, x->scene.length);
}

static void x11_echo_display_draw_keys(struct echo_display_hooks *f, uint32_t number, const unsigned char *typed, size_t n)
{
	struct x11_echo_display *x = (struct x11_echo_display *)f;

	draw_number_patch(x, number, false);
	for (size_t i = 0; i < n; i++) {
		bool cleared;
		struct pixel_box box = scene_add_typed_character(&x->scene, typed[i], &cleared), line = scene_text_line_box(&x->scene);

		if (cleared)
			fill_boxes(x, x->ground, &line, 1);
		draw_typed_text(x, &box, x->scene.line + x->scene.length - 1, 1);
	}
	XFlush(x->display);
	if (!x->gone)
		x->cfg.flushed(x->cfg.arg, clock_now());
}

static bool has_window_manager(Display *display)
{
	XWindowAttributes a;

	/* only the window manager may select this event on the root window */
	return XGetWindowAttributes(display, DefaultRootWindow(display), &a) && a.all_event_masks & SubstructureRedirectMask;
}

static void handle_echo_window_event(struct x11_echo_display *x, XEvent *event)
{
	int64_t now = clock_now();
	KeySym symbol = NoSymbol;
	char text[8];
	int n;

	switch (event->type) {
	case KeyPress:
		n = XLookupString(&event->xkey, text, sizeof(text), &symbol, NULL);
		if (!IsModifierKey(symbol))
			x->cfg.key(x->cfg.arg, now, n == 1 ? (unsigned char)text[0] : 0);
		break;
	case Expose:
		if (event->xexpose.count == 0) {
			x->exposed = true;
			redraw_whole_window(x);
		}
		break;
	case MapNotify:
		x->mapped = true;
		/* without a window manager, nothing else gives the window the focus */
		if (!has_window_manager(x->display))
			XSetInputFocus(x->display, x->window, RevertToPointerRoot, CurrentTime);
		break;
	case MappingNotify:
		XRefreshKeyboardMapping(&event->xmapping);
		break;
	case ClientMessage:
		if ((Atom)event->xclient.data.l[0] == x->delete_window)
			x->closed = true;
		break;
	case DestroyNotify: x->closed = true; break;
	default: break;
	}
}

static int x11_echo_display_wait_events(struct echo_display_hooks *f, int64_t until_ns, struct why *why)
{
	struct x11_echo_display *x = (struct x11_echo_display *)f;
	fd_set fds;

	/* XPending() also sends queued requests and reads all events that have come */
	if (!x->gone && !XPending(x->display)) {
		FD_ZERO(&fds);
		FD_SET(ConnectionNumber(x->display), &fds);
		proc_select_until_or_stop(ConnectionNumber(x->display) + 1, &fds, NULL, until_ns);
	}
	while (!x->gone && XPending(x->display)) {
		XEvent event;

		XNextEvent(x->display, &event);
		if (!x->gone)
			handle_echo_window_event(x, &event);
	}
	if (x->gone)
		return fail_with_reason(-EPIPE, why, "display %s went away", x->cfg.display);
	if (x->closed)
		return fail_with_reason(-ECONNRESET, why, "the window on display %s was closed", x->cfg.display);
	return 0;
}

static void x11_echo_display_close(struct echo_display_hooks *f)
{
	struct x11_echo_display *x = (struct x11_echo_display *)f;

	/* a broken connection is left open: Xlib may not be called any more */
	if (x->display && !x->gone) {
		GC gcs[4] = { x->white, x->black, x->ground, x->text };

		for (int i = 0; i < 4; i++)
			if (gcs[i])
				XFreeGC(x->display, gcs[i]);
		if (x->font)
			XFreeFont(x->display, x->font);
		XCloseDisplay(x->display);
	}
	free(x);
}

static unsigned long grey_pixel(const struct x11_echo_display *x, int value)
{
	const Visual *v = DefaultVisual(x->display, DefaultScreen(x->display));
	unsigned long masks[3] = { v->red_mask, v->green_mask, v->blue_mask }, pixel = 0;

	for (int i = 0; i < 3; i++)
		pixel |= (unsigned long)((double)masks[i] * value / 255) & masks[i];
	return pixel;
}

/* Makes `gc` fill with a tile of noise around the grey `middle`. The three colour channels are random each for itself, so that no
 * palette holds all colours. */
static bool set_noise_tile(struct x11_echo_display *x, GC gc, int middle)
{
	int screen = DefaultScreen(x->display);
	Visual *v = DefaultVisual(x->display, screen);
	XImage *image = XCreateImage(x->display, v, (unsigned)DefaultDepth(x->display, screen), ZPixmap, 0, NULL, TILE, TILE, 32, 0);
	Pixmap tile;

	if (!image)
		return false;
	image->data = malloc((size_t)image->bytes_per_line * TILE);
	if (!image->data) {
		XDestroyImage(image);
		return false;
	}
	for (int i = 0; i < TILE * TILE; i++) {
		unsigned long pixel = 0, masks[3] = { v->red_mask, v->green_mask, v->blue_mask };

		for (int c = 0; c < 3; c++)
			pixel |= grey_pixel(x, middle - SCENE_NOISE + (int)(random_bits(&x->random) % (2 * SCENE_NOISE + 1))) & masks[c];
		XPutPixel(image, i % TILE, i / TILE, pixel);
	}
	tile = XCreatePixmap(x->display, x->window, TILE, TILE, (unsigned)DefaultDepth(x->display, screen));
	XPutImage(x->display, tile, gc, image, 0, 0, 0, 0, TILE, TILE);
	XSetTile(x->display, gc, tile);
	XSetFillStyle(x->display, gc, FillTiled);
	XDestroyImage(image);
	return true;
}

static void make_echo_window(struct x11_echo_display *x)
{
	Display *d = x->display;
	int screen = DefaultScreen(d);
	XSizeHints size = { .flags = PMinSize | PMaxSize | PSize, .width = SCENE_WIDTH, .height = SCENE_HEIGHT,
			    .min_width = SCENE_WIDTH, .min_height = SCENE_HEIGHT, .max_width = SCENE_WIDTH, .max_height = SCENE_HEIGHT };
	XWMHints hints = { .flags = InputHint | StateHint, .input = True, .initial_state = NormalState };
	char name[] = "refecho", class[] = "Refecho";
	XClassHint class_hint = { name, class };

	x->window = XCreateSimpleWindow(d, RootWindow(d, screen), 0, 0, SCENE_WIDTH, SCENE_HEIGHT, 0,
					BlackPixel(d, screen), WhitePixel(d, screen));
	Xutf8SetWMProperties(d, x->window, name, name, NULL, 0, &size, &hints, &class_hint);
	x->delete_window = XInternAtom(d, "WM_DELETE_WINDOW", False);
	XSetWMProtocols(d, x->window, &x->delete_window, 1);
	XSelectInput(d, x->window, KeyPressMask | ExposureMask | StructureNotifyMask);
	for (int i = 0; i < 4; i++) {
		GC *gcs[4] = { &x->white, &x->black, &x->ground, &x->text };

		*gcs[i] = XCreateGC(d, x->window, 0, NULL);
		XSetForeground(d, *gcs[i], i % 2 ? BlackPixel(d, screen) : WhitePixel(d, screen));
		XSetGraphicsExposures(d, *gcs[i], False);
	}
	/* core fonts of the X server; without one, the text is missing, but not the patch */
	x->font = XLoadQueryFont(d, "9x15");
	if (!x->font)
		x->font = XLoadQueryFont(d, "fixed");
	if (x->font)
		XSetFont(d, x->text, x->font->fid);
}

struct echo_display_hooks *x11_echo_display_open(const struct echo_display_cfg *cfg, struct why *why)
{
	struct x11_echo_display *x = calloc(1, sizeof(*x));
	int64_t patience = clock_now() + MAP_WAIT_NS;

	if (!x) {
		why_say(why, "out of memory");
		return NULL;
	}
	x->cfg = *cfg;
	x->face = (struct echo_display_hooks){ x11_echo_display_wait_events, x11_echo_display_draw_keys, x11_echo_display_close };
	x->random = cfg->seed;
	scene_init(&x->scene, cfg->cell);
	x->display = x11_connect(cfg->display, &x->gone, why);
	if (!x->display) {
		free(x);
		return NULL;
	}
	if (DefaultVisual(x->display, DefaultScreen(x->display))->class != TrueColor) {
		why_say(why, "display %s has no true colours; start it with a depth of 16 or 24", cfg->display);
		x11_echo_display_close(&x->face);
		return NULL;
	}
	make_echo_window(x);
	if (cfg->noise && (!set_noise_tile(x, x->white, SCENE_NOISE_WHITE) || !set_noise_tile(x, x->black, SCENE_NOISE_BLACK))) {
		why_say(why, "out of memory for the noise");
		x11_echo_display_close(&x->face);
		return NULL;
	}
	XMapWindow(x->display, x->window);
	while (!(x->mapped && x->exposed)) {
		if (x11_echo_display_wait_events(&x->face, patience, why)) {
			x11_echo_display_close(&x->face);
			return NULL;
		}
		if (clock_now() >= patience || proc_stop) {
			why_say(why, proc_stop ? "stopped before the window was shown" :
				 "display %s did not show the window within 10 s; is its window manager alive?", cfg->display);
			x11_echo_display_close(&x->face);
			return NULL;
		}
	}
	XSync(x->display, False);	/* until the X server has drawn number 0, before "ready" is printed */
	return &x->face;
}
