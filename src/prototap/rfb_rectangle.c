// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_rectangle - the length of an update's rectangle: from its header, from a length field, or tile by tile. */
#include "rfb.h"
#include "reader.h"

enum rectangle_shape { PIXELS, FIXED, LENGTH, LENGTH_FLAGS, RRE, CORRE, HEXTILE, TIGHT, TIGHT_PNG, CURSOR,
	     XCURSOR, ALPHA_CURSOR, VMWARE_CURSOR, SCREENS, WIDTH, LAST };

const struct rfb_message_or_rectangle_kind rfb_rectangle_kinds[RFB_RECTANGLE_KINDS] = {
	{ "Raw", 0, PIXELS, 0 }, { "CopyRect", 1, FIXED, 4 }, { "RRE", 2, RRE, 0 }, { "CoRRE", 4, CORRE, 0 },
	{ "Hextile", 5, HEXTILE, 0 }, { "Zlib", 6, LENGTH, 0 }, { "Tight", 7, TIGHT, 0 }, { "ZRLE", 16, LENGTH, 0 },
	{ "ZYWRLE", 17, LENGTH, 0 }, { "H.264", 50, LENGTH_FLAGS, 0 }, { "DesktopSize", -223, FIXED, 0 },
	{ "LastRect", -224, LAST, 0 }, { "PointerPos", -232, FIXED, 0 }, { "Cursor", -239, CURSOR, 0 },
	{ "XCursor", -240, XCURSOR, 0 }, { "QEMU pointer motion", -257, FIXED, 0 }, { "QEMU key event", -258, FIXED, 0 },
	{ "QEMU audio", -259, FIXED, 0 }, { "TightPNG", -260, TIGHT_PNG, 0 }, { "QEMU LED state", -261, FIXED, 1 },
	{ "gii", -305, FIXED, 0 }, { "DesktopName", -307, LENGTH, 0 }, { "ExtendedDesktopSize", -308, SCREENS, 0 },
	{ "xvp", -309, FIXED, 0 }, { "CursorWithAlpha", -314, ALPHA_CURSOR, 0 }, { "VMware cursor", 0x574d5664, VMWARE_CURSOR, 0 },
	{ "VMware cursor state", 0x574d5665, FIXED, 2 }, { "VMware cursor position", 0x574d5666, FIXED, 0 },
	{ "VMware LED state", 0x574d5668, FIXED, 4 }, { "keyboard LED state", -0x20000, FIXED, 0 },
	{ "supported messages", -0x1ffff, WIDTH, 0 }, { "supported encodings", -0x1fffe, WIDTH, 0 },
	{ "server identity", -0x1fffd, WIDTH, 0 },
};

enum { TILE = 16 };
enum tile_flag { TILE_RAW = 1, TILE_BACKGROUND = 2, TILE_FOREGROUND = 4, TILE_PIECES = 8, TILE_COLOURED = 16 };
enum { SHORT = 12 };	/* Tight: data of fewer bytes is not compressed */

enum rectangle_state { STATE_HEAD, TILE_MASK, TILE_COUNT, TILE_NEXT, TIGHT_CONTROL, TIGHT_FILTER, TIGHT_PALETTE, TIGHT_LENGTH };
enum tight_filter_kind { FILTER_COPY, FILTER_PALETTE, FILTER_GRADIENT };

static bool expect_rectangle_piece(struct rfb_stream_decoder *r, struct skip_parser *w, uint64_t skip, uint32_t want,
				   enum rectangle_state next)
{
	r->r.state = (uint8_t)next;
	skip_parser_expect(w, skip, want);
	return false;
}

static bool skip_rest_of_rectangle(struct skip_parser *w, uint64_t rest)
{
	skip_parser_expect(w, rest, 0);
	return true;
}

static bool stop_rectangle_parser(struct skip_parser *w, const char *why)
{
	skip_parser_stop(w, why);
	return true;
}

static uint64_t rfb_rectangle_area(const struct rfb_stream_decoder *r)
{
	return (uint64_t)r->r.w * r->r.h;
}

static uint64_t rfb_bitmask_bytes(const struct rfb_stream_decoder *r)
{
	return (uint64_t)((r->r.w + 7) / 8) * r->r.h;
}

/* --- Hextile --- */

static uint32_t hextile_tile_side(uint32_t at, uint32_t whole)
{
	return whole - at < TILE ? whole - at : TILE;
}

static bool hextile_expect_next_tile(struct rfb_stream_decoder *r, struct skip_parser *w)
{
	r->r.x += TILE;
	if (r->r.x >= r->r.w) {
		r->r.x = 0;
		r->r.y += TILE;
	}
	return r->r.y >= r->r.h ? skip_rest_of_rectangle(w, 0) : expect_rectangle_piece(r, w, 0, 1, TILE_MASK);
}

static bool hextile_parse_subencoding(struct rfb_stream_decoder *r, struct skip_parser *w, uint8_t mask)
{
	uint32_t colours = (uint32_t)(!!(mask & TILE_BACKGROUND) + !!(mask & TILE_FOREGROUND)) * r->format.pixel;

	r->r.flags = mask;
	if (mask & TILE_RAW)
		return expect_rectangle_piece(r, w, (uint64_t)hextile_tile_side(r->r.x, r->r.w) * hextile_tile_side(r->r.y,
														    r->r.h) * r->format.pixel,
				  0, TILE_NEXT);
	if (mask & TILE_PIECES)
		return expect_rectangle_piece(r, w, colours, 1, TILE_COUNT);
	/* A tile of one colour, the same as before, has no bytes. */
	return colours ? expect_rectangle_piece(r, w, colours, 0, TILE_NEXT) : hextile_expect_next_tile(r, w);
}

static bool hextile_expect_subrectangles(struct rfb_stream_decoder *r, struct skip_parser *w, uint8_t n)
{
	uint64_t bytes = (uint64_t)n * (2u + (r->r.flags & TILE_COLOURED ? r->format.pixel : 0u));

	return bytes ? expect_rectangle_piece(r, w, bytes, 0, TILE_NEXT) : hextile_expect_next_tile(r, w);
}

/* --- Tight --- */

/* Expects `before` bytes, then `bytes` of data, which is compressed (with a length field) unless it is short. */
static bool tight_expect_data(struct rfb_stream_decoder *r, struct skip_parser *w, uint64_t before, uint64_t bytes)
{
	r->r.flags = 0;
	r->r.length = 0;
	return bytes < SHORT ? skip_rest_of_rectangle(w, before + bytes) : expect_rectangle_piece(r, w, before, 1, TIGHT_LENGTH);
}

static bool tight_parse_control(struct rfb_stream_decoder *r, struct skip_parser *w, uint8_t control)
{
	uint8_t what = control >> 4;
	bool png = rfb_rectangle_kinds[r->r.kind].look == TIGHT_PNG;

	if (what == 8)
		return skip_rest_of_rectangle(w, r->format.compact);
	if (what == 9 || (what == 10 && png))
		return tight_expect_data(r, w, 0, SHORT);
	if (what > 9)
		return stop_rectangle_parser(w, "RFB: a kind of Tight that is unknown");
	if (what & 4)
		return expect_rectangle_piece(r, w, 0, 1, TIGHT_FILTER);
	return tight_expect_data(r, w, 0, rfb_rectangle_area(r) * r->format.compact);
}

static bool tight_parse_filter(struct rfb_stream_decoder *r, struct skip_parser *w, uint8_t filter)
{
	if (filter == FILTER_PALETTE)
		return expect_rectangle_piece(r, w, 0, 1, TIGHT_PALETTE);
	if (filter > FILTER_GRADIENT)
		return stop_rectangle_parser(w, "RFB: a filter of Tight that is unknown");
	return tight_expect_data(r, w, 0, rfb_rectangle_area(r) * r->format.compact);
}

static bool tight_parse_palette_size(struct rfb_stream_decoder *r, struct skip_parser *w, uint8_t last)
{
	return tight_expect_data(r, w, (last + 1ull) * r->format.compact, last == 1 ? rfb_bitmask_bytes(r) : rfb_rectangle_area(r));
}

static bool tight_parse_length_byte(struct rfb_stream_decoder *r, struct skip_parser *w, uint8_t byte)
{
	uint32_t at = r->r.flags++;

	r->r.length |= (uint32_t)(at < 2 ? byte & 0x7f : byte) << (7 * at);
	if (at < 2 && byte & 0x80)
		return expect_rectangle_piece(r, w, 0, 1, TIGHT_LENGTH);
	return skip_rest_of_rectangle(w, r->r.length);
}

/* --- all --- */

/* Of each shape: bytes after the rectangle's header that tell its length (0: none), and whether the length depends on the pixel
 * format. */
static const struct { uint8_t head; bool pixels; } shapes[] = {
	[PIXELS] = { 0, true }, [LENGTH] = { 4, false }, [LENGTH_FLAGS] = { 8, false }, [RRE] = { 4, true }, [CORRE] = { 4, true },
	[HEXTILE] = { 0, true }, [TIGHT] = { 0, true }, [TIGHT_PNG] = { 0, true }, [CURSOR] = { 0, true },
	[ALPHA_CURSOR] = { 4, false }, [VMWARE_CURSOR] = { 2, true }, [SCREENS] = { 4, false }, [LAST] = { 0, false },
};

bool rfb_rectangle_parse_header(struct rfb_stream_decoder *r, struct skip_parser *w, const uint8_t *header)
{
	struct bounded_reader in = { .bytes = header, .n = RFB_HEADER };
	int32_t encoding = (int32_t)read_be32(&in, 8);
	struct message_tally *tally;
	uint8_t shape;
	int kind = 0;

	while (kind < RFB_RECTANGLE_KINDS && rfb_rectangle_kinds[kind].type != encoding)
		kind++;
	if (kind == RFB_RECTANGLE_KINDS)
		return stop_rectangle_parser(w, "RFB: a rectangle of unknown encoding");
	r->r = (struct rfb_rectangle){ .kind = (uint8_t)kind, .w = read_be16(&in, 4), .h = read_be16(&in, 6) };
	tally = &r->sum->rectangle[kind];
	tally->count++;
	tally->bytes += RFB_HEADER;
	w->part = &tally->bytes;
	shape = rfb_rectangle_kinds[kind].look;
	if (r->unsure && shapes[shape].pixels)
		return stop_rectangle_parser(w, "RFB: the pixel format changed while updates were under way");
	if (shapes[shape].head)
		return expect_rectangle_piece(r, w, 0, shapes[shape].head, STATE_HEAD);
	switch (shape) {
	case PIXELS:
		return skip_rest_of_rectangle(w, rfb_rectangle_area(r) * r->format.pixel);
	case HEXTILE:
		return rfb_rectangle_area(r) ? expect_rectangle_piece(r, w, 0, 1, TILE_MASK) : skip_rest_of_rectangle(w, 0);
	case TIGHT: case TIGHT_PNG:
		return rfb_rectangle_area(r) ? expect_rectangle_piece(r, w, 0, 1, TIGHT_CONTROL) : skip_rest_of_rectangle(w, 0);
	case CURSOR:
		return skip_rest_of_rectangle(w, rfb_rectangle_area(r) * r->format.pixel + rfb_bitmask_bytes(r));
	case XCURSOR:
		return skip_rest_of_rectangle(w, rfb_rectangle_area(r) ? 6 + 2 * rfb_bitmask_bytes(r) : 0);
	case WIDTH:
		return skip_rest_of_rectangle(w, r->r.w);
	case LAST:
		r->rectangles = 0;
		return skip_rest_of_rectangle(w, 0);
	default:
		return skip_rest_of_rectangle(w, rfb_rectangle_kinds[kind].rest);
	}
}

static bool parse_rectangle_length_head(struct rfb_stream_decoder *r, struct skip_parser *w, const uint8_t *piece)
{
	struct bounded_reader in = { .bytes = piece, .n = 8 };
	uint32_t n = read_be32(&in, 0);

	switch (rfb_rectangle_kinds[r->r.kind].look) {
	case RRE: return skip_rest_of_rectangle(w, r->format.pixel + n * (r->format.pixel + 8ull));
	case CORRE: return skip_rest_of_rectangle(w, r->format.pixel + n * (r->format.pixel + 4ull));
	case SCREENS: return skip_rest_of_rectangle(w, 16ull * piece[0]);
	case VMWARE_CURSOR:
		return piece[0] > 1 ? stop_rectangle_parser(w, "RFB: a VMware cursor of unknown kind") :
		       skip_rest_of_rectangle(w, rfb_rectangle_area(r) * (piece[0] ? 4 : 2ull * r->format.pixel));
	case ALPHA_CURSOR:	/* its pixels have four bytes in any pixel format, in an encoding that it names */
		return n ? stop_rectangle_parser(w, "RFB: a cursor that is not in Raw") : skip_rest_of_rectangle(w, 4 * rfb_rectangle_area(r));
	default:
		return skip_rest_of_rectangle(w, n);
	}
}

bool rfb_rectangle_parse_piece(struct rfb_stream_decoder *r, struct skip_parser *w, const uint8_t *piece)
{
	switch (r->r.state) {
	case TILE_MASK: return hextile_parse_subencoding(r, w, piece[0]);
	case TILE_COUNT: return hextile_expect_subrectangles(r, w, piece[0]);
	case TILE_NEXT: return hextile_expect_next_tile(r, w);
	case TIGHT_CONTROL: return tight_parse_control(r, w, piece[0]);
	case TIGHT_FILTER: return tight_parse_filter(r, w, piece[0]);
	case TIGHT_PALETTE: return tight_parse_palette_size(r, w, piece[0]);
	case TIGHT_LENGTH: return tight_parse_length_byte(r, w, piece[0]);
	default: return parse_rectangle_length_head(r, w, piece);
	}
}
