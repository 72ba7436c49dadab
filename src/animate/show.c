// SPDX-License-Identifier: GPL-3.0-or-later
#include "show.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"
#include "frames.h"
#include "x11/pixels.h"

#include <errno.h>
#include <math.h>

#define RESERVED (1 << 22) /* latenesses for which there is room from the beginning, at most */
#define MAP_WAIT_NS (10 * NS_PER_S)
#define SLOW_NS (60 * NS_PER_S) /* so long a slow link may need for what was drawn */
#define MEMORY_MAX (1LL << 30)	/* bytes of all frames together */
#define BORN_MAX 64		/* frames over which the mean of information_bytes is taken */

const char *const show_draws[] = { "image", "pixmap", NULL };
const char *const show_columns[] = { "n", "frame", "due_ns", "begun_ns", "sent_ns", NULL };

struct frame_player {
	const struct animation_cfg *cfg;
	struct x11_connection x11;
	Window window;
	GC gc;
	uint32_t *rgb;
	XImage **image;		 /* one for each frame; or a single one, drawn anew each time (SEQUENCE_FRESH, SHOW_PIXMAP) */
	Pixmap *pixmap;		 /* one for each frame with SHOW_PIXMAP, else NULL */
	int64_t images, current; /* elements of `image`; frame on the screen now */
	int64_t born, bits;	 /* frames made so far; random bits in the first BORN_MAX of them */
	bool mapped, exposed, closed;
};

static XImage *compute_image(struct frame_player *s, int64_t frame, XImage *image)
{
	int64_t bits = frame_draw(&s->cfg->picture, (uint32_t)frame, s->rgb);

	if (s->born++ < BORN_MAX)
		s->bits += bits;
	x11_fill_image(&s->x11, image, s->rgb);
	return image;
}

/* Makes all frames before the first is due, as far as memory allows: making a frame takes longer than showing it. */
static int make_frames(struct frame_player *s, struct why *why)
{
	const struct animation_cfg *c = s->cfg;
	bool each = c->order != SEQUENCE_FRESH && c->draw == SHOW_IMAGE;

	s->images = each ? c->frames : 1;
	if (c->order != SEQUENCE_FRESH && (double)c->frames * c->picture.width * c->picture.height * 4 > (double)MEMORY_MAX)
		return why_fail(-ENOMEM, why, "no memory for the frames; show fewer or smaller ones");
	s->rgb = memory_new((size_t)c->picture.width * (size_t)c->picture.height, sizeof(*s->rgb));
	s->image = memory_new((size_t)s->images, sizeof(*s->image));
	s->pixmap = c->draw == SHOW_PIXMAP ? memory_new((size_t)c->frames, sizeof(*s->pixmap)) : NULL;
	x11_limit_waiting(&s->x11, WATCHDOG_STOP, X11_GRACE_NS);
	for (int64_t i = 0; i < s->images && !proc_stop; i++) { /* may take seconds; a stop signal ends it, and nothing is shown */
		s->image[i] = x11_create_image(&s->x11, c->picture.width, c->picture.height);
		compute_image(s, i, s->image[i]);
	}
	for (int64_t i = 0; s->pixmap && i < c->frames && !s->x11.broken && !proc_stop; i++) {
		unsigned w = (unsigned)c->picture.width, h = (unsigned)c->picture.height;

		x11_limit_waiting(&s->x11, clock_now() + SLOW_NS, X11_GRACE_NS);
		s->pixmap[i] = XCreatePixmap(s->x11.display, s->window, w, h, (unsigned)s->x11.depth);
		XPutImage(s->x11.display, s->pixmap[i], s->gc, compute_image(s, i, s->image[0]), 0, 0, 0, 0, w, h);
	}
	return proc_stop ? why_fail(-EINTR, why, "stopped before the frames were made") : 0;
}

static void draw_frame(struct frame_player *s, int64_t frame)
{
	unsigned w = (unsigned)s->cfg->picture.width, h = (unsigned)s->cfg->picture.height;

	s->current = frame;
	if (s->pixmap)
		XCopyArea(s->x11.display, s->pixmap[frame], s->window, s->gc, 0, 0, w, h, 0, 0);
	else
		XPutImage(s->x11.display, s->window, s->gc, s->image[s->images > 1 ? frame : 0], 0, 0, 0, 0, w, h);
	XFlush(s->x11.display);
}

/* Handles the events that have come. True: the window must be drawn again. */
static bool handle_events(struct frame_player *s)
{
	XEvent event;
	bool again = false;

	while (x11_take_event(&s->x11, &event)) {
		s->mapped = s->mapped || event.type == MapNotify;
		again = again || event.type == Expose;
		s->closed = s->closed || event.type == DestroyNotify;
	}
	s->exposed = s->exposed || again;
	return again;
}

static int explain_lost_window(const struct frame_player *s, struct why *why)
{
	if (!s->x11.broken && !s->closed)
		return 0;
	return why_fail(-EPIPE, why, s->closed ? "the window was closed" : "the display went away");
}

static int make_window(struct frame_player *s, struct why *why)
{
	const struct animation_cfg *c = s->cfg;
	Display *d = s->x11.display;
	int64_t patience = clock_now() + MAP_WAIT_NS;
	char name[] = "animate", class[] = "Animate";
	XClassHint class_hint = { name, class };
	XSizeHints hints = { .flags = USPosition | PPosition | PMinSize | PMaxSize | PSize,
			     .x = c->x,
			     .y = c->y,
			     .width = c->picture.width,
			     .height = c->picture.height,
			     .min_width = c->picture.width,
			     .min_height = c->picture.height,
			     .max_width = c->picture.width,
			     .max_height = c->picture.height };

	s->window = XCreateSimpleWindow(d, s->x11.root, c->x, c->y, (unsigned)c->picture.width, (unsigned)c->picture.height, 0, 0,
					WhitePixel(d, DefaultScreen(d)));
	s->gc = XCreateGC(d, s->window, 0, NULL);
	XSetGraphicsExposures(d, s->gc, False);
	Xutf8SetWMProperties(d, s->window, name, name, NULL, 0, &hints, NULL, &class_hint);
	XSelectInput(d, s->window, ExposureMask | StructureNotifyMask);
	XMapWindow(d, s->window);
	while (!(s->mapped && s->exposed) && !proc_stop && clock_now() < patience && !explain_lost_window(s, why)) {
		x11_await_event(&s->x11, patience);
		handle_events(s);
	}
	if (explain_lost_window(s, why))
		return -EPIPE;
	if (s->mapped && s->exposed)
		return 0;
	why_say(why,
		proc_stop ? "stopped before the window was shown"
			  : "display %s did not show the window within 10 s; is its window manager alive?",
		DisplayString(d));
	return -ETIMEDOUT;
}

static void write_slot_row(const struct animation_cfg *c, int64_t slot, int64_t frame, int64_t due, int64_t begun, int64_t sent)
{
	if (!c->log)
		return;
	rows_write_ints(c->log, slot, frame, due);
	rows_write_counts(c->log, begun, sent);
	rows_end_row(c->log);
}

static void show_next_slot(struct frame_player *s, struct frame_slots *slots, struct frame_sequence *sequence,
			   struct show_result *out)
{
	int64_t slot = slots->next, frame = frame_sequence_next(sequence), due = frame_due_ns(slots, slot), begun = clock_now(),
		sent;

	if (s->cfg->order == SEQUENCE_FRESH)
		frame &= PATCH_NUMBER_MAX;
	out->due++;
	if (frame_slot_is_over(slots, begun)) {
		out->late++;
		out->left_out++;
		write_slot_row(s->cfg, slot, frame, due, -1, -1);
	} else {
		if (s->cfg->order == SEQUENCE_FRESH && slot)
			compute_image(s, frame, s->image[0]);
		draw_frame(s, frame);
		sent = clock_now();
		out->shown += !s->x11.broken;
		sample_add(&out->lateness_ns, sent - due);
		out->late += frame_slot_is_over(slots, sent);
		write_slot_row(s->cfg, slot, frame, due, begun, sent);
	}
	slots->next++;
}

static int show_frames(struct frame_player *s, struct show_result *out, struct why *why)
{
	const struct animation_cfg *c = s->cfg;
	struct frame_sequence sequence;
	struct frame_slots slots;
	int64_t end;

	frame_sequence_start(&sequence, c->order, c->frames, c->hot, c->picture.seed);
	x11_limit_waiting(&s->x11, clock_now() + SLOW_NS, X11_GRACE_NS);
	XSync(s->x11.display, False); /* until the X server has all pixmaps */
	slots = (struct frame_slots){ .start_ns = clock_now() + NS_PER_MS, .rate_per_s = c->rate_per_s };
	out->start_ns = slots.start_ns;
	end = c->time_ns ? slots.start_ns + c->time_ns : INT64_MAX;
	x11_limit_waiting(&s->x11, c->time_ns ? end + SLOW_NS : WATCHDOG_STOP, X11_GRACE_NS);
	while (!proc_stop && frame_due_ns(&slots, slots.next) < end && !explain_lost_window(s, why)) {
		if (handle_events(s) && out->shown) {
			draw_frame(s, s->current);
			out->redrawn++;
		}
		if (clock_now() < frame_due_ns(&slots, slots.next)) {
			x11_await_event(&s->x11, frame_due_ns(&slots, slots.next));
			continue;
		}
		show_next_slot(s, &slots, &sequence, out);
		if (slots.next == 1)
			c->ready();
	}
	/* keep the last frame on the screen until its slot is over */
	while (!proc_stop && !explain_lost_window(s, why) && clock_now() < frame_due_ns(&slots, slots.next)) {
		x11_await_event(&s->x11, frame_due_ns(&slots, slots.next));
		handle_events(s);
	}
	out->end_ns = clock_now();
	out->stopped = proc_stop && c->time_ns;
	return explain_lost_window(s, why);
}

static void free_player(struct frame_player *s)
{
	for (int64_t i = 0; s->image && i < s->images; i++)
		if (s->image[i])
			XDestroyImage(s->image[i]); /* frees memory only: allowed also after the connection broke */
	free(s->image);
	free(s->pixmap);
	free(s->rgb);
	x11_close(&s->x11);
}

int show_animation(const struct animation_cfg *cfg, struct show_result *out, struct why *why)
{
	struct frame_player s = { .cfg = cfg };
	int err;

	*out = (struct show_result){ 0 };
	if (cfg->time_ns)
		sample_reserve(&out->lateness_ns, (size_t)fmin((double)cfg->time_ns / NS_PER_S * cfg->rate_per_s, RESERVED) + 2);
	if (!x11_open(&s.x11, cfg->display, why))
		return -ENOENT;
	err = x11_has_true_colours(&s.x11, why) ? 0 : -ENOTSUP;
	x11_limit_waiting(&s.x11, clock_now() + MAP_WAIT_NS + X11_PATIENCE_NS, X11_GRACE_NS);
	if (!err)
		err = make_window(&s, why);
	if (!err)
		err = make_frames(&s, why);
	if (err)
		x11_explain_loss(&s.x11, why);
	else
		err = show_frames(&s, out, why);
	out->frame_bytes = s.image && s.image[0] ? (int64_t)s.image[0]->bytes_per_line * s.image[0]->height : 0;
	out->information_bytes = s.born ? (double)s.bits / 8 / (double)(s.born < BORN_MAX ? s.born : BORN_MAX) : 0;
	free_player(&s);
	return err;
}

void show_result_free(struct show_result *r)
{
	sample_free(&r->lateness_ns);
}
