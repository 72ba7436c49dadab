// SPDX-License-Identifier: GPL-3.0-or-later
/* One state for each part of a message whose length is known once the part before it was read; bytes that are not needed are only
 * counted. After each step the machine waits for `need` >= 1 bytes, after skipping `skip` bytes. */
#include "vrfb.h"
#include "vnc_password.h"
#include "rfb/bytes.h"
#include "rfb/messages.h"

#include <errno.h>
#include <string.h>

/* The meaning of the next `need` bytes; the states before VRFB_MESSAGE belong to the handshake. */
enum {
	VRFB_VERSION, VRFB_SECURITY_33, VRFB_SECURITY_COUNT, VRFB_SECURITY_TYPES, VRFB_CHALLENGE, VRFB_RESULT, VRFB_INIT,
	VRFB_MESSAGE, VRFB_UPDATE_HEAD, VRFB_COLOURS, VRFB_CUT_TEXT, VRFB_RECT, VRFB_LENGTH, VRFB_TILE, VRFB_TILE_COLOURS,
};

static void vrfb_expect_bytes(struct rfb_update_detector *s, int state, uint8_t need)
{
	s->state = state;
	s->need = need;
	s->have = 0;
}

/* Reserves n bytes in `out`; NULL: it is full. */
static uint8_t *vrfb_reserve_output(struct rfb_update_detector *s, size_t n)
{
	uint8_t *at = s->out + s->n_out;

	if (s->n_out + n > sizeof(s->out))
		return NULL;
	s->n_out = (uint8_t)(s->n_out + n);
	return at;
}

/* --- handshake (RFC 6143, 7.1 to 7.4, 7.5.1 to 7.5.3) -------------------------------------------------------------- */

enum { AUTH_NONE = 1, AUTH_VNC = 2 };

static const int32_t pseudo[] = { RFB_CURSOR, RFB_DESKTOP_SIZE, RFB_LAST_RECT };

static int vrfb_append_reply(struct rfb_update_detector *s, const void *bytes, size_t n)
{
	uint8_t *p = vrfb_reserve_output(s, n);

	if (!p)
		return -ENOBUFS;
	memcpy(p, bytes, n);
	return 0;
}

static int vrfb_request_update(struct rfb_update_detector *s, bool incremental)
{
	uint8_t *p = vrfb_reserve_output(s, 10);

	if (!p)
		return -ENOBUFS;
	messages_put_update_request(p, incremental, s->width, s->height);
	return 0;
}

static int answer_rfb_server_version(struct rfb_update_detector *s)
{
	/* "RFB 003.008\n"; newer servers speak 3.8, and Apple's 3.889 too */
	int minor;

	if (memcmp(s->head, "RFB 003.", 8) != 0 || s->head[11] != '\n')
		return -EPROTO;
	minor = (s->head[8] - '0') * 100 + (s->head[9] - '0') * 10 + s->head[10] - '0';
	s->version = minor < 7 ? 3 : minor < 8 ? 7 : 8;
	vrfb_expect_bytes(s, s->version == 3 ? VRFB_SECURITY_33 : VRFB_SECURITY_COUNT, s->version == 3 ? 4 : 1);
	return vrfb_append_reply(s, s->version == 3 ? "RFB 003.003\n" : s->version == 7 ? "RFB 003.007\n" : "RFB 003.008\n", 12);
}

static int request_rfb_server_init(struct rfb_update_detector *s)
{
	vrfb_expect_bytes(s, VRFB_INIT, 24);
	return vrfb_append_reply(s, "\1", 1);	/* shared */
}

static int expect_challenge(struct rfb_update_detector *s)
{
	if (!s->cfg->password)
		return -EACCES;
	s->proven = true;
	vrfb_expect_bytes(s, VRFB_CHALLENGE, VNC_CHALLENGE);
	return 0;
}

static int handle_rfb33_security_type(struct rfb_update_detector *s)
{
	uint32_t type = rfb_get_u32(s->head);

	return type == AUTH_NONE ? request_rfb_server_init(s) : type == AUTH_VNC ? expect_challenge(s) : type == 0 ? -ECONNREFUSED :
	       -EPROTO;
}

static int handle_security_type_count(struct rfb_update_detector *s)
{
	if (!s->head[0])
		return -ECONNREFUSED;
	s->rects = s->head[0];
	vrfb_expect_bytes(s, VRFB_SECURITY_TYPES, 1);
	return 0;
}

/* Reads the security types one by one, since there may be 255. */
static int handle_next_offered_security_type(struct rfb_update_detector *s)
{
	s->offers_none |= s->head[0] == AUTH_NONE;
	s->offers_vnc |= s->head[0] == AUTH_VNC;
	if (--s->rects) {
		s->have = 0;
		return 0;
	}
	if (!s->offers_none && !s->offers_vnc)
		return -EPROTONOSUPPORT;
	if (!s->offers_none)
		return vrfb_append_reply(s, "\2", 1) ? -ENOBUFS : expect_challenge(s);
	if (vrfb_append_reply(s, "\1", 1))
		return -ENOBUFS;
	if (s->version == 7)	/* sends no security result for None */
		return request_rfb_server_init(s);
	vrfb_expect_bytes(s, VRFB_RESULT, 4);
	return 0;
}

static int answer_vnc_challenge(struct rfb_update_detector *s)
{
	uint8_t answer[VNC_CHALLENGE];

	vnc_password_challenge_response(s->cfg->password, s->head, answer);
	vrfb_expect_bytes(s, VRFB_RESULT, 4);
	return vrfb_append_reply(s, answer, sizeof(answer));
}

static int handle_rfb_security_result(struct rfb_update_detector *s)
{
	return !rfb_get_u32(s->head) ? request_rfb_server_init(s) : s->proven ? -EKEYREJECTED : -ECONNREFUSED;
}

static int vrfb_append_set_encodings(struct rfb_update_detector *s)
{
	int more = (int)(sizeof(pseudo) / sizeof(*pseudo));
	uint8_t *p = vrfb_reserve_output(s, 4 + 4 * (size_t)(s->cfg->n_encodings + more));

	if (!p)
		return -ENOBUFS;
	messages_put_set_encodings(p, s->cfg->encodings, s->cfg->n_encodings, pseudo, more);
	return 0;
}

/* Requests pixels of 4 bytes, of which the second is green. */
static int vrfb_append_set_pixel_format(struct rfb_update_detector *s)
{
	uint8_t *p = vrfb_reserve_output(s, 20);

	if (!p)
		return -ENOBUFS;
	s->pixel_bytes = 4;
	messages_put_set_pixel_format(p);
	return 0;
}

static int handle_rfb_server_init(struct rfb_update_detector *s)
{
	s->width = rfb_get_u16(s->head);
	s->height = rfb_get_u16(s->head + 2);
	s->pixel_bytes = s->head[4] / 8;
	if (!s->width || !s->height || (s->head[4] != 8 && s->head[4] != 16 && s->head[4] != 32))
		return -EPROTO;
	s->skip = rfb_get_u32(s->head + 20);	/* name of the desktop */
	vrfb_expect_bytes(s, VRFB_MESSAGE, 1);
	if ((s->patch && vrfb_append_set_pixel_format(s)) || vrfb_append_set_encodings(s))
		return -ENOBUFS;
	return vrfb_request_update(s, false);
}

static int vrfb_handle_handshake(struct rfb_update_detector *s)
{
	switch (s->state) {
	case VRFB_VERSION: return answer_rfb_server_version(s);
	case VRFB_SECURITY_33: return handle_rfb33_security_type(s);
	case VRFB_SECURITY_COUNT: return handle_security_type_count(s);
	case VRFB_SECURITY_TYPES: return handle_next_offered_security_type(s);
	case VRFB_CHALLENGE: return answer_vnc_challenge(s);
	case VRFB_RESULT: return handle_rfb_security_result(s);
	default: return handle_rfb_server_init(s);
	}
}

/* --- messages ------------------------------------------------------------------------------------------------------ */

static int read_server_message_type(struct rfb_update_detector *s)
{
	switch (s->head[0]) {
	case 0:
		vrfb_expect_bytes(s, VRFB_UPDATE_HEAD, 3);
		s->in_update = true;
		s->counts = s->asked;	/* an update that began before the request is no answer */
		s->pixels = s->last_rect = false;
		return 0;
	case 1:
		vrfb_expect_bytes(s, VRFB_COLOURS, 5);
		return 0;
	case 2:	/* a bell */
		vrfb_expect_bytes(s, VRFB_MESSAGE, 1);
		return 0;
	case 3:
		vrfb_expect_bytes(s, VRFB_CUT_TEXT, 7);
		return 0;
	default:
		return -EPROTO;
	}
}

static void expect_next_rectangle(struct rfb_update_detector *s)
{
	if (s->rects && !s->last_rect)
		vrfb_expect_bytes(s, VRFB_RECT, 12);
	else
		vrfb_expect_bytes(s, VRFB_MESSAGE, 1);
}

static void expect_next_hextile_tile(struct rfb_update_detector *s)
{
	if (s->tile_x >= s->w) {
		s->tile_x = 0;
		s->tile_y = (uint16_t)(s->tile_y + 16 < s->h ? s->tile_y + 16 : s->h);
	}
	if (s->tile_y >= s->h || !s->w)
		expect_next_rectangle(s);
	else
		vrfb_expect_bytes(s, VRFB_TILE, 1);
}

static int read_rectangle_header(struct rfb_update_detector *s)
{
	int32_t encoding = (int32_t)rfb_get_u32(s->head + 8);
	uint64_t area;

	s->rects--;
	s->x = rfb_get_u16(s->head);
	s->y = rfb_get_u16(s->head + 2);
	s->w = rfb_get_u16(s->head + 4);
	s->h = rfb_get_u16(s->head + 6);
	area = (uint64_t)s->w * s->h;
	s->raw = false;
	s->pixels |= encoding >= 0 && area;
	switch (encoding) {
	case RFB_RAW:
		s->raw = s->patch && area;
		s->skip = area * s->pixel_bytes;
		break;
	case RFB_COPYRECT:
		s->skip = 4;
		break;
	case RFB_HEXTILE:
		s->tile_x = s->tile_y = 0;
		expect_next_hextile_tile(s);
		return 0;
	case RFB_ZRLE:
		vrfb_expect_bytes(s, VRFB_LENGTH, 4);
		return 0;
	case RFB_CURSOR:
		s->skip = area * s->pixel_bytes + (uint64_t)((s->w + 7) / 8) * s->h;
		break;
	case RFB_DESKTOP_SIZE:
		if (!area)
			return -EPROTO;
		s->width = s->w;
		s->height = s->h;
		break;
	case RFB_LAST_RECT: s->last_rect = true; break;
	default: return -EPROTO;
	}
	expect_next_rectangle(s);
	return 0;
}

/* Handles the first byte of a Hextile tile of at most 16 x 16 pixels. */
static int read_hextile_tile_header(struct rfb_update_detector *s)
{
	int wide = s->w - s->tile_x < 16 ? s->w - s->tile_x : 16, high = s->h - s->tile_y < 16 ? s->h - s->tile_y : 16;
	uint8_t what = s->head[0], colours = (uint8_t)(((what & 2) ? s->pixel_bytes : 0) + ((what & 4) ? s->pixel_bytes : 0));

	if (s->tile_x + 16 > s->w)
		s->tile_x = s->w;
	else
		s->tile_x = (uint16_t)(s->tile_x + 16);
	if (what & 1) {
		s->skip = (uint64_t)(wide * high * s->pixel_bytes);
		expect_next_hextile_tile(s);
	} else if (what & 8) {
		vrfb_expect_bytes(s, VRFB_TILE_COLOURS, (uint8_t)(colours + 1));
		s->coloured = what & 16;
	} else {
		s->skip = colours;
		expect_next_hextile_tile(s);
	}
	return 0;
}

static int parse_server_bytes_by_state(struct rfb_update_detector *s)
{
	if (s->state < VRFB_MESSAGE)
		return vrfb_handle_handshake(s);
	switch (s->state) {
	case VRFB_MESSAGE: return read_server_message_type(s);
	case VRFB_UPDATE_HEAD:
		s->rects = rfb_get_u16(s->head + 1);
		expect_next_rectangle(s);
		return 0;
	case VRFB_COLOURS:
		s->skip = 6ull * rfb_get_u16(s->head + 3);
		vrfb_expect_bytes(s, VRFB_MESSAGE, 1);
		return 0;
	case VRFB_CUT_TEXT:
		s->skip = rfb_get_u32(s->head + 3);
		vrfb_expect_bytes(s, VRFB_MESSAGE, 1);
		return 0;
	case VRFB_RECT: return read_rectangle_header(s);
	case VRFB_LENGTH:
		s->skip = rfb_get_u32(s->head);
		expect_next_rectangle(s);
		return 0;
	case VRFB_TILE: return read_hextile_tile_header(s);
	default:	/* VRFB_TILE_COLOURS */
		s->skip = (uint64_t)s->head[s->need - 1] * (2u + (s->coloured ? s->pixel_bytes : 0u));
		expect_next_hextile_tile(s);
		return 0;
	}
}

/* --- skipped bytes ------------------------------------------------------------------------------------ */

static int patch_pixel_luminance(const void *pixels, int x, int y)
{
	return ((const uint8_t *)pixels)[y * VRFB_PATCH_WIDTH + x];
}

/* Copies the green of the raw pixels that lie in the patch. */
static void keep_patch_luminance(struct rfb_update_detector *s, const uint8_t *bytes, uint64_t from, size_t n)
{
	for (uint64_t i = from + (5 - from % 4) % 4; i < from + n; i += 4) {
		int64_t pixel = (int64_t)(i / 4), x = s->x + pixel % s->w - VRFB_PATCH_X, y = s->y + pixel / s->w - VRFB_PATCH_Y;

		if (x >= 0 && x < VRFB_PATCH_WIDTH && y >= 0 && y < VRFB_PATCH_HEIGHT)
			s->patch->luminance[y * VRFB_PATCH_WIDTH + x] = bytes[i - from];
	}
}

static size_t skip_unneeded_rfb_bytes(struct rfb_update_detector *s, const uint8_t *bytes, size_t n)
{
	size_t part = n < s->skip ? n : (size_t)s->skip;

	if (s->raw)
		keep_patch_luminance(s, bytes, s->skipped, part);
	s->skip -= part;
	s->skipped = s->skip ? s->skipped + part : 0;
	s->raw = s->raw && s->skip;
	return part;
}

/* Whether the patch shows the awaited number or a later one (modulo 2^24: half of the numbers count as earlier). */
static bool patch_shows_awaited_number(struct rfb_echo_patch *p)
{
	struct patch_searched_image image = { VRFB_PATCH_WIDTH, VRFB_PATCH_HEIGHT, patch_pixel_luminance, p->luminance };
	struct patch_place at = { 0, 0, VRFB_CELL };

	if (!patch_read_number_at(&image, &at, &p->shown))
		return false;
	p->seen = true;
	return ((p->shown - p->awaited) & PATCH_NUMBER_MAX) < PATCH_NUMBER_MAX / 2;
}

/* Handles the end of an update. Returns flags of vrfb_parse_bytes(). */
static int handle_end_of_screen_update(struct rfb_update_detector *s)
{
	int flags = s->pixels ? VRFB_UPDATE : 0;
	bool answers = s->pixels && s->counts;

	s->in_update = false;
	s->unasked += s->ready && s->pixels && !s->counts;
	if (s->patch)
		answers = patch_shows_awaited_number(s->patch) && s->asked;
	if (!s->ready)
		flags |= VRFB_READY;
	s->ready = true;
	if (answers && s->asked) {
		s->asked = false;
		flags |= VRFB_ANSWER;
	}
	return flags;
}

void vrfb_init_detector(struct rfb_update_detector *s, const struct rfb_update_detector_cfg *cfg, struct rfb_echo_patch *patch)
{
	*s = (struct rfb_update_detector){ .cfg = cfg, .patch = patch, .state = VRFB_VERSION, .need = 12 };
	if (patch)
		memset(patch, 0, sizeof(*patch));
}

int vrfb_parse_bytes(struct rfb_update_detector *s, const uint8_t *bytes, size_t n)
{
	int flags = 0, err;
	bool updated = false;

	for (size_t at = 0; at < n || (!s->skip && s->in_update && s->state == VRFB_MESSAGE);) {
		size_t part;

		if (!s->skip && s->in_update && s->state == VRFB_MESSAGE) {
			flags |= handle_end_of_screen_update(s);
			updated = true;
			continue;
		}
		if (s->skip) {
			at += skip_unneeded_rfb_bytes(s, bytes + at, n - at);
			continue;
		}
		part = (size_t)(s->need - s->have) < n - at ? (size_t)(s->need - s->have) : n - at;
		memcpy(s->head + s->have, bytes + at, part);
		s->have = (uint8_t)(s->have + part);
		at += part;
		if (s->have < s->need)
			continue;
		err = parse_server_bytes_by_state(s);
		if (err)
			return err;
	}
	if (updated && vrfb_request_update(s, true))
		return -ENOBUFS;
	return flags;
}

void vrfb_expect_answer(struct rfb_update_detector *s)
{
	s->asked = true;
	if (s->patch)
		s->patch->awaited = (s->patch->shown + 1) & PATCH_NUMBER_MAX;
}
