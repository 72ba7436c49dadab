// SPDX-License-Identifier: GPL-3.0-or-later
/* The messages of a server and the heads of rectangles. RFC 6143 section 7.6 and 7.8; the
 * community's list of registered numbers for what is not there: ExtendedDesktopSize, DesktopName,
 * PointerPos, LastRect, XCursor, Fence, EndOfContinuousUpdates, the extended clipboard. */
#include "rfb_inside.h"

#include <limits.h>
#include <string.h>

static rfb_step rectangle;

static void rfb_next(struct rfb *r)
{
	if (r->rectangles != INT_MAX)
		r->rectangles--;
	if (r->rectangles) {
		rfb_then(&r->wire, rectangle, 12);
		return;
	}
	if (r->events.ended)
		r->events.ended(r->whose);
	rfb_then(&r->wire, rfb_message, 1);
}

void rfb_done(struct rfb *r)
{
	if (r->events.painted && r->box.w && r->box.h)
		r->events.painted(r->whose, r->box);
	rfb_next(r);
}

static int pixels_of(struct rfb *r, int32_t encoding)
{
	bool empty = !r->box.w || !r->box.h;

	if (r->box.x + r->box.w > r->screen.width || r->box.y + r->box.h > r->screen.height)
		return rfb_bad(r, "a rectangle that is not on the screen");
	rfb_paint_in(r, r->box, &r->pixels.plain);
	switch (encoding) {
	case RFB_RAW:
		rfb_then(&r->wire, rfb_raw, r->pixels.plain.bytes);
		if (empty)
			rfb_done(r);
		break;
	case RFB_COPYRECT:
		rfb_then(&r->wire, rfb_copy, 4);
		break;
	case RFB_RRE:
		rfb_then(&r->wire, rfb_rre, 4 + r->pixels.plain.bytes);
		break;
	case RFB_CORRE:
		rfb_then(&r->wire, rfb_corre, 4 + r->pixels.plain.bytes);
		break;
	case RFB_HEXTILE:
		rfb_hextile(r);
		if (empty)
			rfb_done(r);
		break;
	case RFB_ZLIB:
		rfb_then(&r->wire, rfb_zlib, 4);
		break;
	case RFB_TIGHT:
		rfb_then(&r->wire, rfb_tight, 1);
		break;
	case RFB_ZRLE:
		rfb_then(&r->wire, rfb_zrle_length, 4);
		break;
	default:
		return rfb_bad(r, "an encoding that is not understood");
	}
	return 0;
}

static ssize_t desktop_name(struct rfb *r, const uint8_t *in, size_t n)
{
	(void)n;
	rfb_skip(r, rfb_u32(in), rfb_next);
	return 4;
}

/* A count of screens, three bytes of nothing, 16 bytes a screen; y is not a place but whether it was done. */
static ssize_t screens(struct rfb *r, const uint8_t *in, size_t n)
{
	int err = r->box.y ? 0 : rfb_size(r, r->box.w, r->box.h);

	(void)n;
	if (err)
		return err;
	rfb_skip(r, 16u * in[0], rfb_next);
	return 4;
}

static void take_shape(struct rfb *r)
{
	/* libvncserver sends one without a pixel where it draws the pointer itself */
	if (r->events.shape && r->box.w && r->box.h)
		r->events.shape(r->whose);
	rfb_next(r);
}

/* What is not a picture on the screen. */
static int other(struct rfb *r, int32_t encoding)
{
	uint64_t rows = (uint64_t)(r->box.w + 7) / 8 * (uint64_t)r->box.h, all = (uint64_t)r->box.w * (uint64_t)r->box.h;
	int err;

	switch (encoding) {
	case RFB_CURSOR:
		rfb_skip(r, all * r->pixels.plain.bytes + rows, take_shape);
		return 0;
	case RFB_X_CURSOR:
		rfb_skip(r, all ? 6 + 2 * rows : 0, take_shape);
		return 0;
	case RFB_POINTER_POS:
		if (r->events.pointer)
			r->events.pointer(r->whose, r->box.x, r->box.y);
		break;
	case RFB_DESKTOP_NAME:
		rfb_then(&r->wire, desktop_name, 4);
		return 0;
	case RFB_EXTENDED_DESKTOP_SIZE:
		rfb_then(&r->wire, screens, 4);
		return 0;
	case RFB_DESKTOP_SIZE:
		err = rfb_size(r, r->box.w, r->box.h);
		if (err)
			return err;
		break;
	case RFB_LAST_RECT:
		r->rectangles = 1;
		break;
	}
	rfb_next(r);
	return 0;
}

static ssize_t rectangle(struct rfb *r, const uint8_t *in, size_t n)
{
	int32_t encoding = (int32_t)rfb_u32(in + 8);
	int err;

	(void)n;
	r->box = (struct box){ rfb_u16(in), rfb_u16(in + 2), rfb_u16(in + 4), rfb_u16(in + 6) };
	switch (encoding) {
	case RFB_CURSOR:
	case RFB_X_CURSOR:
	case RFB_POINTER_POS:
	case RFB_DESKTOP_NAME:
	case RFB_EXTENDED_DESKTOP_SIZE:
	case RFB_DESKTOP_SIZE:
	case RFB_LAST_RECT:
		err = other(r, encoding);
		break;
	default:
		err = pixels_of(r, encoding);
	}
	return err ? err : 12;
}

static ssize_t take_update(struct rfb *r, const uint8_t *in, size_t n)
{
	(void)n;
	if (r->events.begun)
		r->events.begun(r->whose);
	r->rectangles = rfb_u16(in + 2);
	if (r->rectangles == 0xffff)	/* the last one will say so */
		r->rectangles = INT_MAX - 1;
	r->rectangles++;	/* (one that rfb_next takes off) */
	rfb_next(r);
	return 4;
}

static void message_over(struct rfb *r)
{
	rfb_then(&r->wire, rfb_message, 1);
}

static ssize_t colour(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t used = 0;

	for (; r->left && n - used >= 6; used += 6, r->left--)
		pixels_colour(&r->pixels, r->colour++, rfb_u16(in + used), rfb_u16(in + used + 2),
			      rfb_u16(in + used + 4));
	if (!r->left)
		message_over(r);
	return (ssize_t)used;
}

static ssize_t colours(struct rfb *r, const uint8_t *in, size_t n)
{
	(void)n;
	r->colour = rfb_u16(in + 2);
	r->left = rfb_u16(in + 4);
	if (r->left)
		rfb_then(&r->wire, colour, 6);
	else
		message_over(r);
	return 6;
}

/* A negative length is the extended clipboard's, of as many bytes without the sign. */
static ssize_t cut_text(struct rfb *r, const uint8_t *in, size_t n)
{
	int64_t length = (int32_t)rfb_u32(in + 4);

	(void)n;
	rfb_skip(r, (uint64_t)(length < 0 ? -length : length), message_over);
	return 8;
}

static ssize_t fence(struct rfb *r, const uint8_t *in, size_t n)
{
	(void)n;
	rfb_skip(r, in[8], message_over);
	return 9;
}

/* Fence and EndOfContinuousUpdates are in logs of clients that asked for them. */
ssize_t rfb_message(struct rfb *r, const uint8_t *in, size_t n)
{
	enum { MESSAGE_UPDATE = 0, MESSAGE_COLOUR_MAP = 1, MESSAGE_BELL = 2, MESSAGE_CUT_TEXT = 3, MESSAGE_END_OF_CONTINUOUS = 150,
	       MESSAGE_FENCE = 248 };

	(void)n;
	switch (in[0]) {
	case MESSAGE_UPDATE:
		rfb_then(&r->wire, take_update, 4);
		return 0;
	case MESSAGE_COLOUR_MAP:
		rfb_then(&r->wire, colours, 6);
		return 0;
	case MESSAGE_BELL:
		if (r->events.bell)
			r->events.bell(r->whose);
		return 1;
	case MESSAGE_CUT_TEXT:
		rfb_then(&r->wire, cut_text, 8);
		return 0;
	case MESSAGE_END_OF_CONTINUOUS:
		return 1;
	case MESSAGE_FENCE:
		rfb_then(&r->wire, fence, 9);
		return 0;
	default:
		return rfb_bad(r, "a message of an unknown kind");
	}
}
