// SPDX-License-Identifier: GPL-3.0-or-later
#include "walk.h"
#include "bytes.h"
#include "encodings.h"

#include <stdlib.h>

/* How the length of a message is written. S32: below 0 in the extended clipboard. GII, QEMU: their extensions' own forms. */
enum number_width { NO_NUMBER, U8, U16, U32, S32, GII, QEMU };

const struct rfb_kind rfb_client_kinds[RFB_CLIENT_KINDS] = {
	{ "handshake", -1, .rest = 0 },
	{ "SetPixelFormat", 0, .look = 19 },
	{ "SetEncodings", 2, .look = 3, .at = 1, .width = U16, .unit = 4 },
	{ "FramebufferUpdateRequest", 3, .rest = 9 },
	{ "KeyEvent", 4, .rest = 7 },
	{ "PointerEvent", 5, .rest = 5 },
	{ "ClientCutText", 6, .look = 7, .at = 3, .width = S32, .unit = 1 },
	{ "EnableContinuousUpdates", 150, .rest = 9 },
	{ "ClientFence", 248, .look = 8, .at = 7, .width = U8, .unit = 1 },
	{ "xvp", 250, .rest = 3 },
	{ "SetDesktopSize", 251, .look = 7, .at = 5, .width = U8, .unit = 16 },
	{ "gii", 253, .look = 3, .width = GII },
	{ "QEMU", 255, .look = 3, .width = QEMU },
};

const struct rfb_kind rfb_server_kinds[RFB_SERVER_KINDS] = {
	{ "handshake", -1, .rest = 0 },
	{ "FramebufferUpdate", 0, .look = 3 },
	{ "SetColourMapEntries", 1, .look = 5, .at = 3, .width = U16, .unit = 6 },
	{ "Bell", 2, .rest = 0 },
	{ "ServerCutText", 3, .look = 7, .at = 3, .width = S32, .unit = 1 },
	{ "ResizeFrameBuffer", 4, .rest = 5 },
	{ "EndOfContinuousUpdates", 150, .rest = 0 },
	{ "ServerFence", 248, .look = 8, .at = 7, .width = U8, .unit = 1 },
	{ "xvp", 250, .rest = 3 },
	{ "gii", 253, .look = 3, .width = GII },
	{ "QEMU", 255, .look = 3 },
};
enum { SERVER_QEMU = RFB_SERVER_KINDS - 1 };

/* From PIXELS on, the length depends on the pixel format. */
enum rectangle_shape {
	PLAIN,
	WIDTH,
	LAST,
	XCURSOR,
	ALPHA_CURSOR,
	PIXELS,
	RRE,
	CORRE,
	HEXTILE,
	TIGHT,
	TIGHT_PNG,
	CURSOR,
	VMWARE_CURSOR
};

#define LENGTH(bytes) .look = (bytes), .width = U32, .unit = 1
const struct rfb_kind rfb_rectangle_kinds[RFB_RECTANGLE_KINDS] = {
	{ "Raw", RFB_RAW, .shape = PIXELS },
	{ "CopyRect", RFB_COPYRECT, .rest = 4 },
	{ "RRE", RFB_RRE, .look = 4, .shape = RRE },
	{ "CoRRE", RFB_CORRE, .look = 4, .shape = CORRE },
	{ "Hextile", RFB_HEXTILE, .shape = HEXTILE },
	{ "Zlib", RFB_ZLIB, LENGTH(4) },
	{ "Tight", RFB_TIGHT, .shape = TIGHT },
	{ "ZRLE", RFB_ZRLE, LENGTH(4) },
	{ "ZYWRLE", 17, LENGTH(4) },
	{ "H.264", 50, LENGTH(8) },
	{ "DesktopSize", RFB_DESKTOP_SIZE, .rest = 0 },
	{ "LastRect", RFB_LAST_RECT, .shape = LAST },
	{ "PointerPos", RFB_POINTER_POS, .rest = 0 },
	{ "Cursor", RFB_CURSOR, .shape = CURSOR },
	{ "XCursor", RFB_X_CURSOR, .shape = XCURSOR },
	{ "QEMU pointer motion", -257, .rest = 0 },
	{ "QEMU key event", -258, .rest = 0 },
	{ "QEMU audio", -259, .rest = 0 },
	{ "TightPNG", -260, .shape = TIGHT_PNG },
	{ "QEMU LED state", -261, .rest = 1 },
	{ "gii", -305, .rest = 0 },
	{ "DesktopName", RFB_DESKTOP_NAME, LENGTH(4) },
	{ "ExtendedDesktopSize", RFB_EXTENDED_DESKTOP_SIZE, .look = 4, .width = U8, .unit = 16 },
	{ "xvp", -309, .rest = 0 },
	{ "CursorWithAlpha", -314, .look = 4, .shape = ALPHA_CURSOR },
	{ "VMware cursor", 0x574d5664, .look = 2, .shape = VMWARE_CURSOR },
	{ "VMware cursor state", 0x574d5665, .rest = 2 },
	{ "VMware cursor position", 0x574d5666, .rest = 0 },
	{ "VMware LED state", 0x574d5668, .rest = 4 },
	{ "keyboard LED state", -0x20000, .rest = 0 },
	{ "supported messages", -0x1ffff, .shape = WIDTH },
	{ "supported encodings", -0x1fffe, .shape = WIDTH },
	{ "server identity", -0x1fffd, .shape = WIDTH },
};

enum { TILE = 16 };
enum tile_flag { TILE_RAW = 1, TILE_BACKGROUND = 2, TILE_FOREGROUND = 4, TILE_PIECES = 8, TILE_COLOURED = 16 };
enum { SHORT = 12 }; /* Tight: data of fewer bytes is not compressed */
enum tight_filter_kind { FILTER_COPY, FILTER_PALETTE, FILTER_GRADIENT };

/* What the next piece is. NEXT: none is expected, what ended decides. */
enum walk_state {
	NEXT,
	TYPE,
	BODY,
	HEADER,
	RECTANGLE_LOOK,
	TILE_MASK,
	TILE_COUNT,
	TIGHT_CONTROL,
	TIGHT_FILTER,
	TIGHT_PALETTE,
	TIGHT_LENGTH
};

static uint8_t find_kind(const struct rfb_kind *kinds, uint8_t n, int32_t type)
{
	uint8_t kind = 0;

	while (kind < n && kinds[kind].type != type)
		kind++;
	return kind;
}

uint8_t rfb_client_kind(uint8_t type)
{
	return find_kind(rfb_client_kinds, RFB_CLIENT_KINDS, type) % RFB_CLIENT_KINDS;
}

uint64_t rfb_message_rest(const struct rfb_kind *kind, const uint8_t *p)
{
	const uint8_t *number = p + kind->at;

	switch (kind->width) {
	case U8: return (uint64_t)kind->unit * *number;
	case U16: return (uint64_t)kind->unit * bytes_get_u16(number);
	case U32: return (uint64_t)kind->unit * bytes_get_u32(number);
	case S32: return (uint64_t)llabs((int32_t)bytes_get_u32(number));
	case GII: /* the highest bit tells the byte order */
		return number[0] & 0x80 ? bytes_get_u16(number + 1) : (uint64_t)number[2] << 8 | number[1];
	case QEMU: /* a key with its scan code, or an audio format */
		return number[0] == 0 ? 8 : number[0] == 1 && number[2] == 2 ? 6 : 0;
	default: return 0;
	}
}

struct rfb_pixel_sizes rfb_read_pixel_sizes(const uint8_t *format)
{
	uint8_t bytes = format[0] / 8;
	bool packs = bytes == 4 && format[1] == 24 && format[3] && bytes_get_u16(format + 4) == 255 &&
		     bytes_get_u16(format + 6) == 255 && bytes_get_u16(format + 8) == 255;

	return (struct rfb_pixel_sizes){ bytes, packs ? 3 : bytes };
}

/* --- what comes next --- */

static enum rfb_walk_event expect_piece(struct rfb_walk *s, struct skip_parser *w, uint64_t skip, uint32_t want,
					enum walk_state next)
{
	s->state = (uint8_t)next;
	skip_parser_expect(w, skip, want);
	return RFB_WALK_ON;
}

static enum rfb_walk_event expect_next(struct rfb_walk *s, struct skip_parser *w)
{
	bool rectangle = s->rectangles > 0;

	s->rectangles -= rectangle;
	expect_piece(s, w, 0, rectangle ? RFB_HEADER : 1, rectangle ? HEADER : TYPE);
	return rectangle ? RFB_WALK_TO_RECTANGLE : RFB_WALK_TO_MESSAGE;
}

/* Skips the rest of a message or rectangle. */
static enum rfb_walk_event skip_rest(struct rfb_walk *s, struct skip_parser *w, uint64_t rest)
{
	return expect_piece(s, w, rest, 0, NEXT);
}

static enum rfb_walk_event stop_parser(struct skip_parser *w, const char *why)
{
	skip_parser_stop(w, why);
	return RFB_WALK_ON;
}

/* --- rectangles --- */

static uint64_t rectangle_area(const struct rfb_walk *s)
{
	return (uint64_t)s->r.w * s->r.h;
}

static uint64_t bitmask_bytes(const struct rfb_walk *s)
{
	return (uint64_t)((s->r.w + 7) / 8) * s->r.h;
}

static uint64_t tile_side(uint32_t at, uint32_t whole)
{
	return whole - at < TILE ? whole - at : TILE;
}

/* Skips the rest of a tile; then comes the next one, from left to right, or the end of the rectangle. */
static enum rfb_walk_event skip_tile(struct rfb_walk *s, struct skip_parser *w, uint64_t bytes)
{
	struct rfb_rectangle *r = &s->r;

	r->tile_x += TILE;
	if (r->tile_x >= r->w) {
		r->tile_x = 0;
		r->tile_y += TILE;
	}
	return r->tile_y >= r->h ? skip_rest(s, w, bytes) : expect_piece(s, w, bytes, 1, TILE_MASK);
}

static enum rfb_walk_event parse_tile_mask(struct rfb_walk *s, struct skip_parser *w, uint8_t mask)
{
	uint32_t colours = (uint32_t)(!!(mask & TILE_BACKGROUND) + !!(mask & TILE_FOREGROUND)) * s->format.pixel;

	s->r.flags = mask;
	if (mask & TILE_RAW)
		return skip_tile(s, w, tile_side(s->r.tile_x, s->r.w) * tile_side(s->r.tile_y, s->r.h) * s->format.pixel);
	return mask & TILE_PIECES ? expect_piece(s, w, colours, 1, TILE_COUNT) : skip_tile(s, w, colours);
}

/* Expects `before` bytes, then `bytes` of data, which is compressed (with a length field) unless it is short. */
static enum rfb_walk_event expect_tight_data(struct rfb_walk *s, struct skip_parser *w, uint64_t before, uint64_t bytes)
{
	s->r.flags = 0;
	s->r.length = 0;
	return bytes < SHORT ? skip_rest(s, w, before + bytes) : expect_piece(s, w, before, 1, TIGHT_LENGTH);
}

static enum rfb_walk_event parse_tight_control(struct rfb_walk *s, struct skip_parser *w, uint8_t control)
{
	uint8_t what = control >> 4;

	if (what == 8)
		return skip_rest(s, w, s->format.compact);
	if (what == 9 || (what == 10 && rfb_rectangle_kinds[s->r.kind].shape == TIGHT_PNG))
		return expect_tight_data(s, w, 0, SHORT);
	if (what > 9 && (what & 10) != 10) /* (what has both bits is not compressed) */
		return stop_parser(w, "RFB: a kind of Tight that is unknown");
	if (what & 4)
		return expect_piece(s, w, 0, 1, TIGHT_FILTER);
	return expect_tight_data(s, w, 0, rectangle_area(s) * s->format.compact);
}

static enum rfb_walk_event parse_tight_filter(struct rfb_walk *s, struct skip_parser *w, uint8_t filter)
{
	if (filter == FILTER_PALETTE)
		return expect_piece(s, w, 0, 1, TIGHT_PALETTE);
	if (filter > FILTER_GRADIENT)
		return stop_parser(w, "RFB: a filter of Tight that is unknown");
	return expect_tight_data(s, w, 0, rectangle_area(s) * s->format.compact);
}

static enum rfb_walk_event parse_tight_length(struct rfb_walk *s, struct skip_parser *w, uint8_t byte)
{
	uint32_t at = s->r.flags++;

	s->r.length |= (uint32_t)(at < 2 ? byte & 0x7f : byte) << (7 * at);
	return at < 2 && byte & 0x80 ? expect_piece(s, w, 0, 1, TIGHT_LENGTH) : skip_rest(s, w, s->r.length);
}

static enum rfb_walk_event parse_rectangle_look(struct rfb_walk *s, struct skip_parser *w, const uint8_t *p)
{
	const struct rfb_kind *kind = &rfb_rectangle_kinds[s->r.kind];

	switch (kind->shape) {
	case RRE: return skip_rest(s, w, s->format.pixel + bytes_get_u32(p) * (s->format.pixel + 8ull));
	case CORRE: return skip_rest(s, w, s->format.pixel + bytes_get_u32(p) * (s->format.pixel + 4ull));
	case VMWARE_CURSOR:
		return p[0] > 1 ? stop_parser(w, "RFB: a VMware cursor of unknown kind")
				: skip_rest(s, w, rectangle_area(s) * (p[0] ? 4 : 2ull * s->format.pixel));
	case ALPHA_CURSOR: /* its pixels have four bytes in any pixel format, in an encoding that it names */
		return bytes_get_u32(p) ? stop_parser(w, "RFB: a cursor that is not in Raw")
					: skip_rest(s, w, 4 * rectangle_area(s));
	default: return skip_rest(s, w, rfb_message_rest(kind, p));
	}
}

static void expect_rectangle_body(struct rfb_walk *s, struct skip_parser *w, const struct rfb_kind *kind)
{
	uint64_t area = rectangle_area(s), mask = bitmask_bytes(s);

	if (kind->look) {
		expect_piece(s, w, 0, kind->look, RECTANGLE_LOOK);
		return;
	}
	switch (kind->shape) {
	case PIXELS: skip_rest(s, w, area * s->format.pixel); break;
	case HEXTILE: expect_piece(s, w, 0, area > 0, area ? TILE_MASK : NEXT); break;
	case TIGHT:
	case TIGHT_PNG: expect_piece(s, w, 0, area > 0, area ? TIGHT_CONTROL : NEXT); break;
	case CURSOR: skip_rest(s, w, area * s->format.pixel + mask); break;
	case XCURSOR: skip_rest(s, w, area ? 6 + 2 * mask : 0); break;
	case WIDTH: skip_rest(s, w, s->r.w); break;
	case LAST:
		s->rectangles = 0;
		skip_rest(s, w, 0);
		break;
	default: skip_rest(s, w, kind->rest);
	}
}

static enum rfb_walk_event begin_rectangle(struct rfb_walk *s, struct skip_parser *w, const uint8_t *p)
{
	uint8_t kind = find_kind(rfb_rectangle_kinds, RFB_RECTANGLE_KINDS, (int32_t)bytes_get_u32(p + 8));

	if (kind == RFB_RECTANGLE_KINDS)
		return stop_parser(w, "RFB: a rectangle of unknown encoding");
	s->r = (struct rfb_rectangle){
		.kind = kind, .x = bytes_get_u16(p), .y = bytes_get_u16(p + 2), .w = bytes_get_u16(p + 4), .h = bytes_get_u16(p + 6)
	};
	if (s->unsure && rfb_rectangle_kinds[kind].shape >= PIXELS)
		skip_parser_stop(w, "RFB: the pixel format changed while an update was asked for");
	else
		expect_rectangle_body(s, w, &rfb_rectangle_kinds[kind]);
	return RFB_WALK_RECTANGLE;
}

/* --- messages --- */

static enum rfb_walk_event begin_message(struct rfb_walk *s, struct skip_parser *w, uint8_t type)
{
	const struct rfb_kind *kinds = s->client ? rfb_client_kinds : rfb_server_kinds;
	uint8_t n = s->client ? RFB_CLIENT_KINDS : RFB_SERVER_KINDS, kind = find_kind(kinds, n, type);

	if (kind == n)
		return stop_parser(w,
				   s->client ? "RFB: a client message of unknown type" : "RFB: a server message of unknown type");
	s->kind = kind;
	expect_piece(s, w, kinds[kind].rest, kinds[kind].look, kinds[kind].look ? BODY : NEXT);
	return RFB_WALK_MESSAGE;
}

static enum rfb_walk_event parse_message_body(struct rfb_walk *s, struct skip_parser *w, const uint8_t *p)
{
	if (!s->client && s->kind == SERVER_QEMU && (p[0] != 1 || p[2] > 1))
		return stop_parser(w, "RFB: QEMU audio");
	if (!s->client && s->kind == RFB_SERVER_UPDATE)
		s->rectangles = bytes_get_u16(p + 1);
	skip_rest(s, w, rfb_message_rest((s->client ? rfb_client_kinds : rfb_server_kinds) + s->kind, p));
	return RFB_WALK_BODY;
}

enum rfb_walk_event rfb_walk_step(struct rfb_walk *s, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	(void)n;
	switch (s->state) {
	case NEXT: return expect_next(s, w);
	case TYPE: return begin_message(s, w, piece[0]);
	case BODY: return parse_message_body(s, w, piece);
	case HEADER: return begin_rectangle(s, w, piece);
	case TILE_MASK: return parse_tile_mask(s, w, piece[0]);
	case TILE_COUNT: return skip_tile(s, w, (uint64_t)piece[0] * (2u + (s->r.flags & TILE_COLOURED ? s->format.pixel : 0u)));
	case TIGHT_CONTROL: return parse_tight_control(s, w, piece[0]);
	case TIGHT_FILTER: return parse_tight_filter(s, w, piece[0]);
	case TIGHT_PALETTE:
		return expect_tight_data(s, w, (piece[0] + 1ull) * s->format.compact,
					 piece[0] == 1 ? bitmask_bytes(s) : rectangle_area(s));
	case TIGHT_LENGTH: return parse_tight_length(s, w, piece[0]);
	default: return parse_rectangle_look(s, w, piece);
	}
}

bool rfb_walk_in_message(const struct rfb_walk *s, const struct skip_parser *w)
{
	return w->skip || w->have || !(s->state == TYPE || (s->state == NEXT && !s->rectangles));
}
