/* The bytes from the server, one state for each thing whose length is known when the one before it has been read. What nobody reads is a number to
 * count down. After each step the machine stands before `need` >= 1 bytes, with `skip` bytes to be passed over first. */
#include "vrfb.h"

#include <errno.h>
#include <string.h>

enum {
	VERSION, SECURITY_33, SECURITY_COUNT, SECURITY_TYPES, RESULT, INIT, MESSAGE,
	UPDATE, COLOURS, CUT_TEXT, RECT, LENGTH, TILE, TILE_COLOURS,
};

enum { RAW = 0, COPYRECT = 1, HEXTILE = 5, ZRLE = 16, CURSOR = -239, DESKTOP_SIZE = -223, LAST_RECT = -224 };

static const int32_t pseudo[] = { CURSOR, DESKTOP_SIZE, LAST_RECT };

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static uint32_t u32(const uint8_t *p) { return (uint32_t)u16(p) << 16 | u16(p + 2); }

static uint8_t *put(struct vrfb *s, size_t n)
{
	uint8_t *at = s->out + s->n_out;

	if (s->n_out + n > sizeof(s->out))
		return NULL;
	s->n_out = (uint8_t)(s->n_out + n);
	return at;
}

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v & 0xffff);
}

static void expect(struct vrfb *s, int state, uint8_t need)
{
	s->state = state;
	s->need = need;
	s->have = 0;
}

static int say(struct vrfb *s, const void *bytes, size_t n)
{
	uint8_t *p = put(s, n);

	if (!p)
		return -ENOBUFS;
	memcpy(p, bytes, n);
	return 0;
}

static int request(struct vrfb *s, bool incremental)
{
	uint8_t *p = put(s, 10);

	if (!p)
		return -ENOBUFS;
	memset(p, 0, 10);
	p[0] = 3;
	p[1] = incremental;
	put16(p + 6, s->width);
	put16(p + 8, s->height);
	return 0;
}

/* --- the talk before the first update ---------------------------------------------------------------------------- */

static int step_version(struct vrfb *s)
{
	/* "RFB 003.008\n"; what is newer than 3.8 speaks 3.8, and Apple's 3.889 too */
	int minor;

	if (memcmp(s->head, "RFB 003.", 8) != 0 || s->head[11] != '\n')
		return -EPROTO;
	minor = (s->head[8] - '0') * 100 + (s->head[9] - '0') * 10 + s->head[10] - '0';
	s->version = minor < 7 ? 3 : minor < 8 ? 7 : 8;
	expect(s, s->version == 3 ? SECURITY_33 : SECURITY_COUNT, s->version == 3 ? 4 : 1);
	return say(s, s->version == 3 ? "RFB 003.003\n" : s->version == 7 ? "RFB 003.007\n" : "RFB 003.008\n", 12);
}

static int step_init_next(struct vrfb *s)
{
	expect(s, INIT, 24);
	return say(s, "\1", 1);	/* shared */
}

static int step_security_33(struct vrfb *s)
{
	uint32_t type = u32(s->head);

	return type == 1 ? step_init_next(s) : type == 0 ? -ECONNREFUSED : type == 2 ? -EACCES : -EPROTO;
}

static int step_security_count(struct vrfb *s)
{
	if (!s->head[0])
		return -ECONNREFUSED;
	s->rects = s->head[0];
	s->counts = false;	/* whether None is among them */
	expect(s, SECURITY_TYPES, 1);
	return 0;
}

/* One by one: there may be 255 of them. */
static int step_security_types(struct vrfb *s)
{
	s->counts |= s->head[0] == 1;
	if (--s->rects) {
		s->have = 0;
		return 0;
	}
	if (!s->counts)
		return -EACCES;
	if (say(s, "\1", 1))
		return -ENOBUFS;
	if (s->version == 7)	/* which sends no result for None */
		return step_init_next(s);
	expect(s, RESULT, 4);
	return 0;
}

static int step_result(struct vrfb *s)
{
	return u32(s->head) ? -ECONNREFUSED : step_init_next(s);
}

static int ask_encodings(struct vrfb *s)
{
	int n = s->cfg->n_encodings + (int)(sizeof(pseudo) / sizeof(*pseudo));
	uint8_t *p = put(s, 4 + 4 * (size_t)n);

	if (!p)
		return -ENOBUFS;
	p[0] = 2;
	p[1] = 0;
	put16(p + 2, (unsigned)n);
	for (int i = 0; i < n; i++)
		put32(p + 4 + 4 * i, (uint32_t)(i < s->cfg->n_encodings ? s->cfg->encodings[i] : pseudo[i - s->cfg->n_encodings]));
	return 0;
}

/* 32 bits, little-endian, red at 16: the second byte of a pixel is green. */
static int ask_format(struct vrfb *s)
{
	static const uint8_t format[20] = { 0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0 };

	s->pixel_bytes = 4;
	return say(s, format, sizeof(format));
}

static int step_init(struct vrfb *s)
{
	s->width = u16(s->head);
	s->height = u16(s->head + 2);
	s->pixel_bytes = s->head[4] / 8;
	if (!s->width || !s->height || (s->head[4] != 8 && s->head[4] != 16 && s->head[4] != 32))
		return -EPROTO;
	s->skip = u32(s->head + 20);	/* the name */
	expect(s, MESSAGE, 1);
	if ((s->patch && ask_format(s)) || ask_encodings(s))
		return -ENOBUFS;
	return request(s, false);
}

/* --- messages ------------------------------------------------------------------------------------------------------ */

static int step_message(struct vrfb *s)
{
	switch (s->head[0]) {
	case 0:
		expect(s, UPDATE, 3);
		s->in_update = true;
		s->counts = s->asked;	/* one that began before the key was sent is no answer */
		s->pixels = s->last_rect = false;
		return 0;
	case 1:
		expect(s, COLOURS, 5);
		return 0;
	case 2:	/* a bell */
		expect(s, MESSAGE, 1);
		return 0;
	case 3:
		expect(s, CUT_TEXT, 7);
		return 0;
	default:
		return -EPROTO;
	}
}

static void next_rect(struct vrfb *s)
{
	if (s->rects && !s->last_rect)
		expect(s, RECT, 12);
	else
		expect(s, MESSAGE, 1);
}

static void next_tile(struct vrfb *s)
{
	if (s->tile_x >= s->w) {
		s->tile_x = 0;
		s->tile_y = (uint16_t)(s->tile_y + 16 < s->h ? s->tile_y + 16 : s->h);
	}
	if (s->tile_y >= s->h || !s->w)
		next_rect(s);
	else
		expect(s, TILE, 1);
}

static int step_rect(struct vrfb *s)
{
	int32_t encoding = (int32_t)u32(s->head + 8);
	uint64_t area;

	s->rects--;
	s->x = u16(s->head);
	s->y = u16(s->head + 2);
	s->w = u16(s->head + 4);
	s->h = u16(s->head + 6);
	area = (uint64_t)s->w * s->h;
	s->raw = false;
	s->pixels |= encoding >= 0 && area;
	switch (encoding) {
	case RAW:
		s->raw = s->patch && area;
		s->skip = area * s->pixel_bytes;
		break;
	case COPYRECT:
		s->skip = 4;
		break;
	case HEXTILE:
		s->tile_x = s->tile_y = 0;
		next_tile(s);
		return 0;
	case ZRLE:
		expect(s, LENGTH, 4);
		return 0;
	case CURSOR:
		s->skip = area * s->pixel_bytes + (uint64_t)((s->w + 7) / 8) * s->h;
		break;
	case DESKTOP_SIZE:
		if (!area)
			return -EPROTO;
		s->width = s->w;
		s->height = s->h;
		break;
	case LAST_RECT:
		s->last_rect = true;
		break;
	default:
		return -EPROTO;
	}
	next_rect(s);
	return 0;
}

/* A tile of at most 16 x 16: what follows its first byte. */
static int step_tile(struct vrfb *s)
{
	int wide = s->w - s->tile_x < 16 ? s->w - s->tile_x : 16, high = s->h - s->tile_y < 16 ? s->h - s->tile_y : 16;
	uint8_t what = s->head[0], colours = (uint8_t)(((what & 2) ? s->pixel_bytes : 0) + ((what & 4) ? s->pixel_bytes : 0));

	if (s->tile_x + 16 > s->w)
		s->tile_x = s->w;
	else
		s->tile_x = (uint16_t)(s->tile_x + 16);
	if (what & 1) {
		s->skip = (uint64_t)(wide * high * s->pixel_bytes);
		next_tile(s);
	} else if (what & 8) {
		expect(s, TILE_COLOURS, (uint8_t)(colours + 1));
		s->coloured = what & 16;	/* each of its rectangles has a colour */
	} else {
		s->skip = colours;
		next_tile(s);
	}
	return 0;
}

static int step(struct vrfb *s)
{
	switch (s->state) {
	case VERSION: return step_version(s);
	case SECURITY_33: return step_security_33(s);
	case SECURITY_COUNT: return step_security_count(s);
	case SECURITY_TYPES: return step_security_types(s);
	case RESULT: return step_result(s);
	case INIT: return step_init(s);
	case MESSAGE: return step_message(s);
	case UPDATE:
		s->rects = u16(s->head + 1);
		next_rect(s);
		return 0;
	case COLOURS:
		s->skip = 6ull * u16(s->head + 3);
		expect(s, MESSAGE, 1);
		return 0;
	case CUT_TEXT:
		s->skip = u32(s->head + 3);
		expect(s, MESSAGE, 1);
		return 0;
	case RECT: return step_rect(s);
	case LENGTH:
		s->skip = u32(s->head);
		next_rect(s);
		return 0;
	case TILE: return step_tile(s);
	default:	/* TILE_COLOURS */
		s->skip = (uint64_t)s->head[s->need - 1] * (2u + (s->coloured ? s->pixel_bytes : 0u));
		next_tile(s);
		return 0;
	}
}

/* --- bytes that are passed over ------------------------------------------------------------------------------------ */

static int luminance(const void *pixels, int x, int y)
{
	return ((const uint8_t *)pixels)[y * VRFB_PATCH_WIDTH + x];
}

/* Of raw pixels those of the patch, by their green. */
static void keep(struct vrfb *s, const uint8_t *bytes, uint64_t from, size_t n)
{
	for (uint64_t i = from + (5 - from % 4) % 4; i < from + n; i += 4) {
		int64_t pixel = (int64_t)(i / 4), x = s->x + pixel % s->w - VRFB_PATCH_X, y = s->y + pixel / s->w - VRFB_PATCH_Y;

		if (x >= 0 && x < VRFB_PATCH_WIDTH && y >= 0 && y < VRFB_PATCH_HEIGHT)
			s->patch->luminance[y * VRFB_PATCH_WIDTH + x] = bytes[i - from];
	}
}

static size_t pass_over(struct vrfb *s, const uint8_t *bytes, size_t n)
{
	size_t part = n < s->skip ? n : (size_t)s->skip;

	if (s->raw)
		keep(s, bytes, s->skipped, part);
	s->skip -= part;
	s->skipped = s->skip ? s->skipped + part : 0;
	s->raw = s->raw && s->skip;
	return part;
}

/* The number has come: modulo 2^24, so that half of all numbers are behind. */
static bool shown(struct vrfb_patch *p)
{
	struct patch_image image = { VRFB_PATCH_WIDTH, VRFB_PATCH_HEIGHT, luminance, p->luminance };
	struct patch_place at = { 0, 0, VRFB_CELL };

	if (!patch_read(&image, &at, &p->shown))
		return false;
	p->seen = true;
	return ((p->shown - p->awaited) & PATCH_NUMBER_MAX) < PATCH_NUMBER_MAX / 2;
}

/* An update has come to its end. */
static int end_update(struct vrfb *s)
{
	int flags = s->pixels ? VRFB_UPDATE : 0;
	bool answers = s->pixels && s->counts;

	s->in_update = false;
	if (s->patch)
		answers = shown(s->patch) && s->asked;
	if (!s->ready)
		flags |= VRFB_READY;
	s->ready = true;
	if (answers && s->asked) {
		s->asked = false;
		flags |= VRFB_ANSWER;
	}
	return flags;
}

void vrfb_start(struct vrfb *s, const struct vrfb_cfg *cfg, struct vrfb_patch *patch)
{
	*s = (struct vrfb){ .cfg = cfg, .patch = patch, .state = VERSION, .need = 12 };
	if (patch)
		memset(patch, 0, sizeof(*patch));
}

int vrfb_feed(struct vrfb *s, const uint8_t *bytes, size_t n)
{
	int flags = 0, err;
	bool again = false;

	for (size_t at = 0; at < n || (!s->skip && s->in_update && s->state == MESSAGE);) {
		size_t part;

		if (!s->skip && s->in_update && s->state == MESSAGE) {
			flags |= end_update(s);
			again = true;
			continue;
		}
		if (s->skip) {
			at += pass_over(s, bytes + at, n - at);
			continue;
		}
		part = (size_t)(s->need - s->have) < n - at ? (size_t)(s->need - s->have) : n - at;
		memcpy(s->head + s->have, bytes + at, part);
		s->have = (uint8_t)(s->have + part);
		at += part;
		if (s->have < s->need)
			continue;
		err = step(s);
		if (err)
			return err;
	}
	if (again && request(s, true))
		return -ENOBUFS;
	return flags;
}

void vrfb_ask(struct vrfb *s)
{
	s->asked = true;
	if (s->patch)
		s->patch->awaited = (s->patch->shown + 1) & PATCH_NUMBER_MAX;
}

size_t vrfb_key(uint8_t *out, uint32_t keysym)
{
	for (int i = 0; i < 2; i++) {
		memset(out + 8 * i, 0, 8);
		out[8 * i] = 4;
		out[8 * i + 1] = i == 0;
		put32(out + 8 * i + 4, keysym);
	}
	return 16;
}

size_t vrfb_pointer(uint8_t *out, uint16_t x, uint16_t y, uint8_t buttons)
{
	out[0] = 5;
	out[1] = buttons;
	put16(out + 2, x);
	put16(out + 4, y);
	return 6;
}
