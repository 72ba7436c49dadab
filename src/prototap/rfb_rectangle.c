// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_rectangle - the length of an update's rectangle: from its header, from a length field, or tile by tile. */
#include "rfb.h"
#include "reader.h"

enum rectangle_shape { PIXELS, FIXED, LENGTH, LENGTH_FLAGS, RRE, CORRE, HEXTILE, TIGHT, TIGHT_PNG, CURSOR,
	     XCURSOR, ALPHA_CURSOR, VMWARE_CURSOR, SCREENS, WIDTH, LAST };

const struct rfb_kind rfb_rectangle_kinds[RFB_RECTANGLE_KINDS] = {
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

static bool parse_next(struct rfb_tap *r, struct skip_parser *w, uint64_t skip, uint32_t want, enum rectangle_state next)
{
	r->r.state = (uint8_t)next;
	skip_parser_expect(w, skip, want);
	return false;
}

static bool parse_skip_rest(struct skip_parser *w, uint64_t rest)
{
	skip_parser_expect(w, rest, 0);
	return true;
}

static bool parse_stop(struct skip_parser *w, const char *why)
{
	skip_parser_stop(w, why);
	return true;
}

static uint64_t rfb_rectangle_area(const struct rfb_tap *r)
{
	return (uint64_t)r->r.w * r->r.h;
}

static uint64_t rfb_mask_bytes(const struct rfb_tap *r)
{
	return (uint64_t)((r->r.w + 7) / 8) * r->r.h;
}

/* --- Hextile --- */

static uint32_t hextile_tile_side(uint32_t at, uint32_t whole)
{
	return whole - at < TILE ? whole - at : TILE;
}

static bool hextile_next_tile(struct rfb_tap *r, struct skip_parser *w)
{
	r->r.x += TILE;
	if (r->r.x >= r->r.w) {
		r->r.x = 0;
		r->r.y += TILE;
	}
	return r->r.y >= r->r.h ? parse_skip_rest(w, 0) : parse_next(r, w, 0, 1, TILE_MASK);
}

static bool hextile_subencoding(struct rfb_tap *r, struct skip_parser *w, uint8_t mask)
{
	uint32_t colours = (uint32_t)(!!(mask & TILE_BACKGROUND) + !!(mask & TILE_FOREGROUND)) * r->format.pixel;

	r->r.flags = mask;
	if (mask & TILE_RAW)
		return parse_next(r, w, (uint64_t)hextile_tile_side(r->r.x, r->r.w) * hextile_tile_side(r->r.y, r->r.h) * r->format.pixel,
				  0, TILE_NEXT);
	if (mask & TILE_PIECES)
		return parse_next(r, w, colours, 1, TILE_COUNT);
	/* A tile of one colour, the same as before, has no bytes. */
	return colours ? parse_next(r, w, colours, 0, TILE_NEXT) : hextile_next_tile(r, w);
}

static bool hextile_subrectangles(struct rfb_tap *r, struct skip_parser *w, uint8_t n)
{
	uint64_t bytes = (uint64_t)n * (2u + (r->r.flags & TILE_COLOURED ? r->format.pixel : 0u));

	return bytes ? parse_next(r, w, bytes, 0, TILE_NEXT) : hextile_next_tile(r, w);
}

/* --- Tight --- */

/* Expects `before` bytes, then `bytes` of data, which is compressed (with a length field) unless it is short. */
static bool tight_data(struct rfb_tap *r, struct skip_parser *w, uint64_t before, uint64_t bytes)
{
	r->r.flags = 0;
	r->r.length = 0;
	return bytes < SHORT ? parse_skip_rest(w, before + bytes) : parse_next(r, w, before, 1, TIGHT_LENGTH);
}

static bool tight_control(struct rfb_tap *r, struct skip_parser *w, uint8_t control)
{
	uint8_t what = control >> 4;
	bool png = rfb_rectangle_kinds[r->r.kind].look == TIGHT_PNG;

	if (what == 8)
		return parse_skip_rest(w, r->format.compact);
	if (what == 9 || (what == 10 && png))
		return tight_data(r, w, 0, SHORT);
	if (what > 9)
		return parse_stop(w, "RFB: a kind of Tight that is unknown");
	if (what & 4)
		return parse_next(r, w, 0, 1, TIGHT_FILTER);
	return tight_data(r, w, 0, rfb_rectangle_area(r) * r->format.compact);
}

static bool tight_filter(struct rfb_tap *r, struct skip_parser *w, uint8_t filter)
{
	if (filter == FILTER_PALETTE)
		return parse_next(r, w, 0, 1, TIGHT_PALETTE);
	if (filter > FILTER_GRADIENT)
		return parse_stop(w, "RFB: a filter of Tight that is unknown");
	return tight_data(r, w, 0, rfb_rectangle_area(r) * r->format.compact);
}

static bool tight_palette(struct rfb_tap *r, struct skip_parser *w, uint8_t last)
{
	return tight_data(r, w, (last + 1ull) * r->format.compact, last == 1 ? rfb_mask_bytes(r) : rfb_rectangle_area(r));
}

static bool tight_length(struct rfb_tap *r, struct skip_parser *w, uint8_t byte)
{
	uint32_t at = r->r.flags++;

	r->r.length |= (uint32_t)(at < 2 ? byte & 0x7f : byte) << (7 * at);
	if (at < 2 && byte & 0x80)
		return parse_next(r, w, 0, 1, TIGHT_LENGTH);
	return parse_skip_rest(w, r->r.length);
}

/* --- all --- */

/* Of each shape: bytes after the rectangle's header that tell its length (0: none), and whether the length depends on the pixel
 * format. */
static const struct { uint8_t head; bool pixels; } shapes[] = {
	[PIXELS] = { 0, true }, [LENGTH] = { 4, false }, [LENGTH_FLAGS] = { 8, false }, [RRE] = { 4, true }, [CORRE] = { 4, true },
	[HEXTILE] = { 0, true }, [TIGHT] = { 0, true }, [TIGHT_PNG] = { 0, true }, [CURSOR] = { 0, true },
	[ALPHA_CURSOR] = { 4, false }, [VMWARE_CURSOR] = { 2, true }, [SCREENS] = { 4, false }, [LAST] = { 0, false },
};

bool rfb_rectangle_begin(struct rfb_tap *r, struct skip_parser *w, const uint8_t *header)
{
	struct reader in = { .bytes = header, .n = RFB_HEADER };
	int32_t encoding = (int32_t)read_be32(&in, 8);
	struct tally *tally;
	uint8_t shape;
	int kind = 0;

	while (kind < RFB_RECTANGLE_KINDS && rfb_rectangle_kinds[kind].type != encoding)
		kind++;
	if (kind == RFB_RECTANGLE_KINDS)
		return parse_stop(w, "RFB: a rectangle of unknown encoding");
	r->r = (struct rfb_rectangle){ .kind = (uint8_t)kind, .w = read_be16(&in, 4), .h = read_be16(&in, 6) };
	tally = &r->sum->rectangle[kind];
	tally->count++;
	tally->bytes += RFB_HEADER;
	w->part = &tally->bytes;
	shape = rfb_rectangle_kinds[kind].look;
	if (r->unsure && shapes[shape].pixels)
		return parse_stop(w, "RFB: the pixel format changed while updates were under way");
	if (shapes[shape].head)
		return parse_next(r, w, 0, shapes[shape].head, STATE_HEAD);
	switch (shape) {
	case PIXELS:
		return parse_skip_rest(w, rfb_rectangle_area(r) * r->format.pixel);
	case HEXTILE:
		return rfb_rectangle_area(r) ? parse_next(r, w, 0, 1, TILE_MASK) : parse_skip_rest(w, 0);
	case TIGHT: case TIGHT_PNG:
		return rfb_rectangle_area(r) ? parse_next(r, w, 0, 1, TIGHT_CONTROL) : parse_skip_rest(w, 0);
	case CURSOR:
		return parse_skip_rest(w, rfb_rectangle_area(r) * r->format.pixel + rfb_mask_bytes(r));
	case XCURSOR:
		return parse_skip_rest(w, rfb_rectangle_area(r) ? 6 + 2 * rfb_mask_bytes(r) : 0);
	case WIDTH:
		return parse_skip_rest(w, r->r.w);
	case LAST:
		r->rectangles = 0;
		return parse_skip_rest(w, 0);
	default:
		return parse_skip_rest(w, rfb_rectangle_kinds[kind].rest);
	}
}

static bool parse_rectangle_head(struct rfb_tap *r, struct skip_parser *w, const uint8_t *piece)
{
	struct reader in = { .bytes = piece, .n = 8 };
	uint32_t n = read_be32(&in, 0);

	switch (rfb_rectangle_kinds[r->r.kind].look) {
	case RRE:
		return parse_skip_rest(w, r->format.pixel + n * (r->format.pixel + 8ull));
	case CORRE:
		return parse_skip_rest(w, r->format.pixel + n * (r->format.pixel + 4ull));
	case SCREENS:
		return parse_skip_rest(w, 16ull * piece[0]);
	case VMWARE_CURSOR:
		return piece[0] > 1 ? parse_stop(w, "RFB: a VMware cursor of unknown kind") :
		       parse_skip_rest(w, rfb_rectangle_area(r) * (piece[0] ? 4 : 2ull * r->format.pixel));
	case ALPHA_CURSOR:	/* its pixels have four bytes in any pixel format, in an encoding that it names */
		return n ? parse_stop(w, "RFB: a cursor that is not in Raw") : parse_skip_rest(w, 4 * rfb_rectangle_area(r));
	default:
		return parse_skip_rest(w, n);
	}
}

bool rfb_rectangle_step(struct rfb_tap *r, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	(void)n;
	switch (r->r.state) {
	case TILE_MASK:
		return hextile_subencoding(r, w, piece[0]);
	case TILE_COUNT:
		return hextile_subrectangles(r, w, piece[0]);
	case TILE_NEXT:
		return hextile_next_tile(r, w);
	case TIGHT_CONTROL:
		return tight_control(r, w, piece[0]);
	case TIGHT_FILTER:
		return tight_filter(r, w, piece[0]);
	case TIGHT_PALETTE:
		return tight_palette(r, w, piece[0]);
	case TIGHT_LENGTH:
		return tight_length(r, w, piece[0]);
	default:
		return parse_rectangle_head(r, w, piece);
	}
}
