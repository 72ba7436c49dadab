// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb - the decoder's frame: the greeting, messages, and headers of rectangles. RFC 6143 section 7.1, 7.3, 7.6 and 7.8; the
 * security of RFB 3.3 in appendix A.1; the community's RFB specification for pseudo-encodings. The encodings are in rfb_plain.c,
 * rfb_zlib.c and rfb_tight.c. */
#include "rfb_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int set_screen_size(struct rfb_decoder *r, int width, int height)
{
	int err;

	/* TigerVNC repeats the unchanged size in each response to a request for the whole screen. As a new size, it would cause
	 * such a request each time. */
	if (r->state.screen.pixels && width == r->state.screen.width && height == r->state.screen.height)
		return 0;
	err = screen_resize(&r->state.screen, width, height);
	if (err == -EINVAL)
		return rfb_fail(r, "the server's screen has no pixels or too many");
	r->state.resizes += !err;
	if (!err && r->events.resized)
		r->events.resized(r->whose, width, height);
	return err;
}

static bool set_pixel_format(struct rfb_decoder *r, const struct rfb_format *format)
{
	if (!pixel_set_format(&r->pixels, format))
		return false;
	r->walk.format = (struct rfb_pixel_sizes){ (uint8_t)r->pixels.plain.bytes, (uint8_t)r->pixels.tight.bytes };
	return true;
}

/* --- the greeting of a log --- */

static int expect_greeting(struct rfb_decoder *r, enum rfb_greeting_state what, uint32_t skip, uint32_t want)
{
	r->greeting = what;
	skip_parser_expect(&r->parser, skip, want);
	return 0;
}

static int decode_server_init(struct rfb_decoder *r, const uint8_t *in)
{
	const uint8_t *f = in + 4;
	struct rfb_format format = { .bits = f[0],
				     .depth = f[1],
				     .big_endian = f[2] != 0,
				     .true_colour = f[3] != 0,
				     .max = { bytes_get_u16(f + 4), bytes_get_u16(f + 6), bytes_get_u16(f + 8) },
				     .shift = { f[10], f[11], f[12] } };

	if (!set_pixel_format(r, &format))
		return rfb_fail(r, "the server's pixel format is not supported");
	expect_greeting(r, GREETING_NAME, bytes_get_u32(in + 20), 0);
	return set_screen_size(r, bytes_get_u16(in), bytes_get_u16(in + 2));
}

static int decode_greeting(struct rfb_decoder *r, const uint8_t *in)
{
	uint32_t number = r->greeting <= GREETING_RESULT ? bytes_get_u32(in) : 0;

	switch (r->greeting) {
	case GREETING_VERSION:
		if (memcmp(in, "RFB 003.00", 10) || in[11] != '\n')
			return rfb_fail(r, "the greeting is not RFB 3");
		return expect_greeting(r, GREETING_SECURITY, 0, 4);
	case GREETING_SECURITY:
		if (!number || number > 2)
			return rfb_fail(r, number ? "the greeting is not RFB 3.3" : "the server refused the connection");
		/* 2, VNC authentication: a challenge of 16 bytes, then the result */
		return number == 2 ? expect_greeting(r, GREETING_RESULT, 16, 4) : expect_greeting(r, GREETING_INIT, 0, 24);
	case GREETING_RESULT:
		return number ? rfb_fail(r, "the server refused the password") : expect_greeting(r, GREETING_INIT, 0, 24);
	case GREETING_INIT: return decode_server_init(r, in);
	default:
		r->state.greeted = true;
		rfb_walk_step(&r->walk, &r->parser, in, 0);
		return 0;
	}
}

/* --- messages and rectangles --- */

static int resize_screen(struct rfb_decoder *r, struct byte_range body)
{
	(void)body;
	return set_screen_size(r, r->box.w, r->box.h);
}

/* ExtendedDesktopSize: the rectangle's y is a status, 0: the size is valid. */
static int resize_screen_extended(struct rfb_decoder *r, struct byte_range body)
{
	return r->box.y ? 0 : resize_screen(r, body);
}

static int tell_cursor_shape(struct rfb_decoder *r, struct byte_range body)
{
	(void)body;
	/* libvncserver sends an empty shape when it draws the pointer itself */
	if (r->events.shape && r->box.w && r->box.h)
		r->events.shape(r->whose);
	return 0;
}

static const struct rfb_encoding encodings[] = {
	{ RFB_RAW, false, rfb_paint_raw },
	{ RFB_COPYRECT, false, rfb_paint_copyrect },
	{ RFB_RRE, true, rfb_paint_rre },
	{ RFB_CORRE, true, rfb_paint_rre },
	{ RFB_HEXTILE, false, rfb_paint_hextile },
	{ RFB_ZLIB, false, rfb_paint_zlib },
	{ RFB_TIGHT, false, rfb_paint_tight },
	{ RFB_ZRLE, false, rfb_paint_zrle },
	{ RFB_CURSOR, false, tell_cursor_shape },
	{ RFB_X_CURSOR, false, tell_cursor_shape },
	{ RFB_POINTER_POS, false, NULL },
	{ RFB_DESKTOP_NAME, false, NULL },
	{ RFB_EXTENDED_DESKTOP_SIZE, false, resize_screen_extended },
	{ RFB_DESKTOP_SIZE, false, resize_screen },
	{ RFB_LAST_RECT, false, NULL },
};

static void start_body(struct rfb_decoder *r, bool keeps)
{
	r->keeps = keeps;
	r->parts = false;
	r->n = 0;
}

static int begin_rectangle(struct rfb_decoder *r)
{
	const struct rfb_rectangle *c = &r->walk.r;
	size_t i = 0, all = sizeof(encodings) / sizeof(*encodings);
	bool paints = rfb_rectangle_kinds[c->kind].type >= 0; /* not a pseudo-encoding */

	while (i < all && encodings[i].number != rfb_rectangle_kinds[c->kind].type)
		i++;
	if (i == all)
		return rfb_fail(r, "the server sent an unknown encoding");
	r->place = IN_RECTANGLE;
	r->encoding = &encodings[i];
	r->box = (struct pixel_area){ c->x, c->y, c->w, c->h };
	start_body(r, paints && c->w && c->h);
	if (paints && (c->x + c->w > r->state.screen.width || c->y + c->h > r->state.screen.height))
		return rfb_fail(r, "the server sent a rectangle outside of the screen");
	return 0;
}

static int end_rectangle(struct rfb_decoder *r)
{
	bool painted = r->keeps;
	int err = 0;

	if (r->place != IN_RECTANGLE)
		return 0;
	if (r->encoding->paint && (painted || r->encoding->number < 0))
		err = r->encoding->paint(r, (struct byte_range){ r->body, r->n });
	start_body(r, false);
	r->place = IN_MESSAGE;
	if (!err && painted && r->events.painted)
		r->events.painted(r->whose, r->box);
	return err;
}

static int begin_message(struct rfb_decoder *r)
{
	if (r->walk.kind > RFB_SERVER_CUT && r->walk.kind != RFB_SERVER_FENCE && r->walk.kind != RFB_SERVER_END_CONTINUOUS)
		return rfb_fail(r, "the server sent an unknown message");
	r->place = IN_MESSAGE;
	start_body(r, r->walk.kind == RFB_SERVER_COLOURS);
	return 0;
}

static void set_colours(struct rfb_decoder *r)
{
	unsigned first = bytes_get_u16(r->body + 1);
	const uint8_t *in = r->body + 5;

	for (unsigned i = 0; i < bytes_get_u16(r->body + 3); i++, in += 6)
		pixel_set_colour(&r->pixels, first + i, bytes_get_u16(in), bytes_get_u16(in + 2), bytes_get_u16(in + 4));
}

static int end_message(struct rfb_decoder *r)
{
	if (r->walk.kind == RFB_SERVER_COLOURS)
		set_colours(r);
	r->place = BETWEEN_MESSAGES;
	r->state.updates += r->walk.kind == RFB_SERVER_UPDATE;
	if (r->walk.kind == RFB_SERVER_UPDATE && r->events.ended)
		r->events.ended(r->whose);
	return 0;
}

static int keep_bytes(struct rfb_decoder *r, const uint8_t *bytes, size_t n)
{
	size_t room = 2 * (r->n + n);
	uint8_t *more;

	if (r->n + n > r->room) { /* (grows with the bytes received, not with the length announced) */
		more = realloc(r->body, room);
		if (!more)
			return -ENOMEM;
		r->body = more;
		r->room = room;
	}
	memcpy(r->body + r->n, bytes, n);
	r->n += n;
	return r->place == IN_RECTANGLE && r->encoding->parts ? r->encoding->paint(r, (struct byte_range){ r->body, r->n }) : 0;
}

static void stop_decoding(struct rfb_decoder *r, int err)
{
	if (!err)
		return;
	r->failed = err;
	skip_parser_stop(&r->parser, strerror(-err));
}

static void on_bytes_passed(void *context, const uint8_t *bytes, uint32_t n)
{
	struct rfb_decoder *r = context;

	if (r->keeps)
		stop_decoding(r, keep_bytes(r, bytes, n));
	for (uint32_t i = 0; r->greeting == GREETING_NAME && !r->state.greeted && i < n && r->named < sizeof(r->state.name) - 1;
	     i++)
		r->state.name[r->named++] = (char)(bytes[i] < ' ' || bytes[i] == 0x7f ? '?' : bytes[i]);
}

/* Refuses a rectangle that announces more than it can need. */
static int refuse_oversized_rectangle(struct rfb_decoder *r)
{
	uint64_t most = 8ull * (unsigned)r->box.w * (unsigned)r->box.h + RFB_BODY_SPARE;

	if (r->place != IN_RECTANGLE || !r->keeps || r->encoding->parts || r->n + r->parser.skip <= most)
		return 0;
	return rfb_fail(r, "the server sent a rectangle with too many bytes");
}

static int decode_piece(struct rfb_decoder *r, const uint8_t *piece, uint32_t n)
{
	int err = 0;

	if (!r->state.greeted)
		return decode_greeting(r, piece);
	if (r->keeps)
		err = keep_bytes(r, piece, n);
	if (err)
		return err;
	switch (rfb_walk_step(&r->walk, &r->parser, piece, n)) {
	case RFB_WALK_MESSAGE: return begin_message(r);
	case RFB_WALK_RECTANGLE: return begin_rectangle(r);
	case RFB_WALK_TO_RECTANGLE: return end_rectangle(r);
	case RFB_WALK_TO_MESSAGE: return end_rectangle(r) ?: end_message(r);
	default: return refuse_oversized_rectangle(r);
	}
}

static void on_piece(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	(void)w;
	stop_decoding(context, decode_piece(context, piece, n));
}

/* --- the decoder --- */

struct rfb_decoder *rfb_decoder_open(const struct rfb_event_callbacks *events, void *whose, const struct rfb_format *format,
				     int width, int height)
{
	struct rfb_decoder *r = calloc(1, sizeof(*r));
	int err = 0;

	if (!r)
		return NULL;
	if (events)
		r->events = *events;
	r->whose = whose;
	r->parser.passed = on_bytes_passed;
	if (!format) {
		skip_parser_expect(&r->parser, 0, 12);
		return r;
	}
	err = set_pixel_format(r, format) ? set_screen_size(r, width, height) : -EINVAL;
	if (err) {
		rfb_decoder_free(r);
		errno = err == -ENOMEM ? ENOMEM : EINVAL;
		return NULL;
	}
	r->state.greeted = true;
	rfb_walk_step(&r->walk, &r->parser, NULL, 0);
	return r;
}

void rfb_decoder_free(struct rfb_decoder *r)
{
	if (!r)
		return;
	screen_free(&r->state.screen);
	for (int i = 0; i < RFB_STREAMS; i++)
		inflateEnd(&r->streams[i]);
	free(r->body);
	free(r->out);
	free(r);
}

int rfb_decode_bytes(struct rfb_decoder *r, const uint8_t *bytes, size_t n)
{
	struct skip_parser *w = &r->parser;

	if (!r->failed)
		skip_parser_feed(w, bytes, (uint32_t)n, (uint32_t)n, on_piece, r);
	while (!w->stopped && !w->skip && !w->want) /* a piece that is complete does not wait for the next byte */
		on_piece(r, w, w->piece, 0);
	if (w->stopped && !strncmp(w->stopped, "RFB: ", 5)) /* a reason of the walker */
		snprintf(r->state.why, sizeof(r->state.why), "the server sent %s", w->stopped + 5);
	else if (w->stopped)
		snprintf(r->state.why, sizeof(r->state.why), "%s", w->stopped);
	if (w->stopped && !r->failed)
		r->failed = -EPROTO;
	return r->failed;
}

const struct rfb_state *rfb_state(const struct rfb_decoder *r)
{
	return &r->state;
}
