// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_message - the messages of a server and the headers of rectangles. RFC 6143 section 7.6 and 7.8; the community's RFB
 * specification for ExtendedDesktopSize, DesktopName, PointerPos, LastRect, XCursor, Fence, EndOfContinuousUpdates and the
 * extended clipboard. */
#include "rfb_inside.h"

#include <limits.h>

static rfb_step decode_rectangle_header;

static void rfb_go_on_to_next_rectangle(struct rfb_decoder *r)
{
	if (r->rectangles != INT_MAX)
		r->rectangles--;
	if (r->rectangles) {
		rfb_set_next_step(&r->wire, decode_rectangle_header, 12);
		return;
	}
	r->updates++;
	if (r->events.ended)
		r->events.ended(r->whose);
	rfb_set_next_step(&r->wire, rfb_decode_message_type, 1);
}

void rfb_end_rectangle(struct rfb_decoder *r)
{
	if (r->events.painted && r->box.w && r->box.h)
		r->events.painted(r->whose, r->box);
	rfb_go_on_to_next_rectangle(r);
}

static int begin_decoding_rectangle(struct rfb_decoder *r, int32_t encoding)
{
	static const struct {
		int32_t encoding;
		rfb_step *step;
		size_t bytes;	/* bytes that the step needs, */
		bool and_pixel; /* and one pixel more */
	} steps[] = {
		{ RFB_RAW, rfb_decode_raw_pixels, 0, true },
		{ RFB_COPYRECT, rfb_decode_copyrect, 4, false },
		{ RFB_RRE, rfb_begin_rre_rectangle, 4, true },
		{ RFB_CORRE, rfb_begin_corre_rectangle, 4, true },
		{ RFB_HEXTILE, NULL, 0, false },
		{ RFB_ZLIB, rfb_begin_zlib_rectangle, 4, false },
		{ RFB_TIGHT, rfb_begin_tight_rectangle, 1, false },
		{ RFB_ZRLE, rfb_begin_zrle_rectangle, 4, false },
	};
	bool empty = !r->box.w || !r->box.h;

	if (r->box.x + r->box.w > r->screen.width || r->box.y + r->box.h > r->screen.height)
		return rfb_fail(r, "the server sent a rectangle outside of the screen");
	rfb_set_paint_area(r, r->box, &r->pixels.plain);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (steps[i].encoding != encoding)
			continue;
		if (encoding == RFB_HEXTILE)
			rfb_begin_hextile_rectangle(r);
		else
			rfb_set_next_step(&r->wire, steps[i].step,
					  steps[i].bytes + (steps[i].and_pixel ? r->pixels.plain.bytes : 0));
		if (empty && (encoding == RFB_RAW || encoding == RFB_HEXTILE))
			rfb_end_rectangle(r);
		return 0;
	}
	return rfb_fail(r, "the server sent an unknown encoding");
}

static ssize_t skip_desktop_name_rectangle(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	rfb_skip(r, rfb_get_u32(in), rfb_go_on_to_next_rectangle);
	return 4;
}

/* ExtendedDesktopSize: number of screens, three bytes of padding, 16 bytes for each screen. The rectangle's y is a status, 0:
 * the size is valid. */
static ssize_t decode_extended_desktop_size(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	int err = r->box.y ? 0 : rfb_set_size(r, r->box.w, r->box.h);

	if (err)
		return err;
	rfb_skip(r, 16u * in[0], rfb_go_on_to_next_rectangle);
	return 4;
}

static void end_cursor_shape_rectangle(struct rfb_decoder *r)
{
	/* libvncserver sends an empty shape when it draws the pointer itself */
	if (r->events.shape && r->box.w && r->box.h)
		r->events.shape(r->whose);
	rfb_go_on_to_next_rectangle(r);
}

static ssize_t decode_rectangle_header(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	int32_t encoding = (int32_t)rfb_get_u32(in + 8);
	uint64_t rows, all;
	int err = 0;

	r->box = (struct box){ rfb_get_u16(in), rfb_get_u16(in + 2), rfb_get_u16(in + 4), rfb_get_u16(in + 6) };
	rows = (uint64_t)(r->box.w + 7) / 8 * (uint64_t)r->box.h; /* bytes of a bit mask of the rectangle */
	all = (uint64_t)r->box.w * (uint64_t)r->box.h;
	switch (encoding) {
	case RFB_CURSOR: rfb_skip(r, all * r->pixels.plain.bytes + rows, end_cursor_shape_rectangle); break;
	case RFB_X_CURSOR: rfb_skip(r, all ? 6 + 2 * rows : 0, end_cursor_shape_rectangle); break;
	case RFB_POINTER_POS: rfb_go_on_to_next_rectangle(r); break;
	case RFB_DESKTOP_NAME: rfb_set_next_step(&r->wire, skip_desktop_name_rectangle, 4); break;
	case RFB_EXTENDED_DESKTOP_SIZE: rfb_set_next_step(&r->wire, decode_extended_desktop_size, 4); break;
	case RFB_DESKTOP_SIZE:
		err = rfb_set_size(r, r->box.w, r->box.h);
		if (!err)
			rfb_go_on_to_next_rectangle(r);
		break;
	case RFB_LAST_RECT:
		r->rectangles = 1;
		rfb_go_on_to_next_rectangle(r);
		break;
	default: err = begin_decoding_rectangle(r, encoding);
	}
	return err ? err : 12;
}

static ssize_t decode_update_header(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	r->rectangles = rfb_get_u16(in + 2);
	if (r->rectangles == 0xffff) /* LastRect ends the update */
		r->rectangles = INT_MAX - 1;
	r->rectangles++; /* (rfb_go_on_to_next_rectangle subtracts 1) */
	rfb_go_on_to_next_rectangle(r);
	return 4;
}

static void expect_next_message(struct rfb_decoder *r)
{
	rfb_set_next_step(&r->wire, rfb_decode_message_type, 1);
}

static ssize_t decode_colour_map_entries(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t used = 0;

	for (; r->left && n - used >= 6; used += 6, r->left--)
		pixel_set_colour(&r->pixels, r->colour++, rfb_get_u16(in + used), rfb_get_u16(in + used + 2),
				 rfb_get_u16(in + used + 4));
	if (!r->left)
		expect_next_message(r);
	return (ssize_t)used;
}

static ssize_t decode_colour_map_header(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	r->colour = rfb_get_u16(in + 2);
	r->left = rfb_get_u16(in + 4);
	if (r->left)
		rfb_set_next_step(&r->wire, decode_colour_map_entries, 6);
	else
		expect_next_message(r);
	return 6;
}

/* A negative length is that of an extended clipboard message, without the sign. */
static ssize_t skip_cut_text_message(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	int64_t length = (int32_t)rfb_get_u32(in + 4);

	rfb_skip(r, (uint64_t)(length < 0 ? -length : length), expect_next_message);
	return 8;
}

static ssize_t skip_fence_message(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	rfb_skip(r, in[8], expect_next_message);
	return 9;
}

/* Logs of other clients may contain Fence and EndOfContinuousUpdates. */
ssize_t rfb_decode_message_type(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	enum {
		MESSAGE_UPDATE = 0,
		MESSAGE_COLOUR_MAP = 1,
		MESSAGE_BELL = 2,
		MESSAGE_CUT_TEXT = 3,
		MESSAGE_END_OF_CONTINUOUS = 150,
		MESSAGE_FENCE = 248
	};

	switch (in[0]) {
	case MESSAGE_UPDATE: rfb_set_next_step(&r->wire, decode_update_header, 4); return 0;
	case MESSAGE_COLOUR_MAP: rfb_set_next_step(&r->wire, decode_colour_map_header, 6); return 0;
	case MESSAGE_CUT_TEXT: rfb_set_next_step(&r->wire, skip_cut_text_message, 8); return 0;
	case MESSAGE_BELL:
	case MESSAGE_END_OF_CONTINUOUS: return 1;
	case MESSAGE_FENCE: rfb_set_next_step(&r->wire, skip_fence_message, 9); return 0;
	default: return rfb_fail(r, "the server sent an unknown message");
	}
}
