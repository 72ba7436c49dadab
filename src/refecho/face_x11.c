// SPDX-License-Identifier: GPL-3.0-or-later
/* The X11 window. Drawn with XFillRectangles: an image (XPutImage) would send 100 times the bytes. Noise is a tile that is sent to
 * the X server once at the start, and shifted at random for each number. */
#include "face.h"
#include "downcast.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"
#include "random.h"
#include "scene.h"
#include "x11/pixels.h"
#include "x11/window.h"

#include <errno.h>

#define TILE 64			    /* pixels after which noise repeats */
#define MAP_WAIT_NS (10 * NS_PER_S) /* longest wait for the window to appear on the display */

struct x11_face {
	struct echo_face face;
	struct echo_face_cfg cfg;
	struct echo_scene scene;
	struct x11_connection x;
	Window window;
	GC white, black, ground, text;
	XFontStruct *font;
	Atom delete_window;
	uint64_t random;
	bool closed, exposed, mapped;
};

static void fill_boxes(struct x11_face *x, GC gc, const struct pixel_area *box, int n)
{
	XRectangle r[PATCH_ROWS * PATCH_COLUMNS];

	for (int i = 0; i < n; i++)
		r[i] = (XRectangle){ (short)box[i].x, (short)box[i].y, (unsigned short)box[i].w, (unsigned short)box[i].h };
	if (n)
		XFillRectangles(x->x.display, x->window, gc, r, n);
}

static void draw_number(struct x11_face *x, uint32_t number, bool all)
{
	struct pixel_area white[PATCH_ROWS * PATCH_COLUMNS], black[PATCH_ROWS * PATCH_COLUMNS];
	int whites, blacks;

	scene_set_number(&x->scene, number, all || x->cfg.noise, white, &whites, black, &blacks);
	if (x->cfg.noise) {
		uint64_t bits = random_bits(&x->random);

		XSetTSOrigin(x->x.display, x->white, (int)(bits % TILE), (int)(bits / TILE % TILE));
		XSetTSOrigin(x->x.display, x->black, (int)(bits >> 20) % TILE, (int)(bits >> 30) % TILE);
	}
	fill_boxes(x, x->white, white, whites);
	fill_boxes(x, x->black, black, blacks);
}

static void draw_text(struct x11_face *x, const struct pixel_area *box, const char *text, int n)
{
	int down = x->font ? (SCENE_GLYPH_HEIGHT + x->font->ascent - x->font->descent) / 2 : SCENE_GLYPH_HEIGHT - 3;

	for (int i = 0; i < n; i++)
		XDrawString(x->x.display, x->window, x->text, box->x + i * SCENE_GLYPH_WIDTH, box->y + down, text + i, 1);
}

static void redraw_window(struct x11_face *x)
{
	struct pixel_area line = scene_line_box(&x->scene), marker[PATCH_COLUMNS];

	for (int white = 0; white < 2; white++) {
		int n = 0;

		for (int c = 0; c < PATCH_COLUMNS; c++)
			if (x->scene.cells.white[0][c] == white)
				marker[n++] =
					(struct pixel_area){ (2 + c) * x->cfg.cell, 2 * x->cfg.cell, x->cfg.cell, x->cfg.cell };
		fill_boxes(x, white ? x->white : x->black, marker, n);
	}
	draw_number(x, x->scene.number, true);
	fill_boxes(x, x->ground, &line, 1);
	draw_text(x, &line, x->scene.line, x->scene.length);
}

static void draw_keys(struct echo_face *f, uint32_t number, const unsigned char *typed, size_t n)
{
	struct x11_face *x = DOWNCAST(f, struct x11_face, f->draw == draw_keys);

	draw_number(x, number, false);
	for (size_t i = 0; i < n; i++) {
		bool cleared;
		struct pixel_area box = scene_add_character(&x->scene, typed[i], &cleared), line = scene_line_box(&x->scene);

		if (cleared)
			fill_boxes(x, x->ground, &line, 1);
		draw_text(x, &box, x->scene.line + x->scene.length - 1, 1);
	}
	XFlush(x->x.display);
	if (!x->x.broken)
		x->cfg.flushed(x->cfg.arg, clock_now());
}

static void handle_event(struct x11_face *x, XEvent *event)
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
			redraw_window(x);
		}
		break;
	case MapNotify:
		x->mapped = true;
		/* without a window manager, nothing else gives the window the focus */
		if (!x11_has_manager(&x->x))
			XSetInputFocus(x->x.display, x->window, RevertToPointerRoot, CurrentTime);
		break;
	case MappingNotify: XRefreshKeyboardMapping(&event->xmapping); break;
	case ClientMessage:
		if ((Atom)event->xclient.data.l[0] == x->delete_window)
			x->closed = true;
		break;
	case DestroyNotify: x->closed = true; break;
	default: break;
	}
}

static int await_events(struct echo_face *f, int64_t until_ns, struct why *why)
{
	struct x11_face *x = DOWNCAST(f, struct x11_face, f->wait == await_events);
	XEvent event;

	if (!x->x.guarded) /* not earlier: the program gives up rights while it has one thread */
		x11_limit_waiting(&x->x, WATCHDOG_STOP, X11_GRACE_NS);
	x11_await_event(&x->x, until_ns);
	while (x11_take_event(&x->x, &event))
		handle_event(x, &event);
	if (x->x.broken)
		return why_fail(-EPIPE, why, "display %s went away", x->cfg.display);
	if (x->closed)
		return why_fail(-ECONNRESET, why, "the window on display %s was closed", x->cfg.display);
	return 0;
}

static void close_face(struct echo_face *f)
{
	struct x11_face *x = DOWNCAST(f, struct x11_face, f->close == close_face);

	x11_close(&x->x); /* with all that belongs to it */
	free(x);
}

/* Makes `gc` fill with a tile of noise around the grey `middle`. The three colour channels are random each for itself, so that no
 * palette holds all colours. */
static void set_noise_tile(struct x11_face *x, GC gc, int middle)
{
	Display *d = x->x.display;
	XImage *image = x11_create_image(&x->x, TILE, TILE);
	uint32_t rgb[TILE * TILE] = { 0 };
	Pixmap tile;

	for (int i = 0; i < 3 * TILE * TILE; i++)
		rgb[i / 3] =
			rgb[i / 3] << 8 | (uint32_t)(middle - SCENE_NOISE + (int)(random_bits(&x->random) % (2 * SCENE_NOISE + 1)));
	x11_fill_image(&x->x, image, rgb);
	tile = XCreatePixmap(d, x->window, TILE, TILE, (unsigned)x->x.depth);
	XPutImage(d, tile, gc, image, 0, 0, 0, 0, TILE, TILE);
	XSetTile(d, gc, tile);
	XSetFillStyle(d, gc, FillTiled);
	XDestroyImage(image);
}

static void make_window(struct x11_face *x)
{
	Display *d = x->x.display;
	int screen = DefaultScreen(d);
	XSizeHints size = { .flags = PMinSize | PMaxSize | PSize,
			    .width = SCENE_WIDTH,
			    .height = SCENE_HEIGHT,
			    .min_width = SCENE_WIDTH,
			    .min_height = SCENE_HEIGHT,
			    .max_width = SCENE_WIDTH,
			    .max_height = SCENE_HEIGHT };
	XWMHints hints = { .flags = InputHint | StateHint, .input = True, .initial_state = NormalState };
	char name[] = "refecho", class[] = "Refecho";
	XClassHint class_hint = { name, class };

	x->window = XCreateSimpleWindow(d, RootWindow(d, screen), 0, 0, SCENE_WIDTH, SCENE_HEIGHT, 0, BlackPixel(d, screen),
					WhitePixel(d, screen));
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

/* Maps the window and waits until it is drawn. */
static bool show_window(struct x11_face *x, struct why *why)
{
	int64_t patience = clock_now() + MAP_WAIT_NS;

	XMapWindow(x->x.display, x->window);
	while (!(x->mapped && x->exposed)) {
		if (await_events(&x->face, patience, why))
			return false;
		if (clock_now() < patience && !proc_stop)
			continue;
		why_say(why,
			proc_stop ? "stopped before the window was shown"
				  : "display %s did not show the window within 10 s; is its window manager alive?",
			x->cfg.display);
		return false;
	}
	XSync(x->x.display, False); /* until the X server has drawn number 0, before "ready" is printed */
	return true;
}

struct echo_face *face_open_x11(const struct echo_face_cfg *cfg, struct why *why)
{
	struct x11_face *x = memory_new(1, sizeof(*x));

	x->cfg = *cfg;
	x->face = (struct echo_face){ .wait = await_events, .draw = draw_keys, .close = close_face };
	x->random = cfg->seed;
	scene_init(&x->scene, cfg->cell);
	if (x11_open(&x->x, cfg->display, why) && x11_has_true_colours(&x->x, why)) {
		make_window(x);
		if (cfg->noise) {
			set_noise_tile(x, x->white, SCENE_NOISE_WHITE);
			set_noise_tile(x, x->black, SCENE_NOISE_BLACK);
		}
		if (show_window(x, why))
			return &x->face;
	}
	close_face(&x->face);
	return NULL;
}
