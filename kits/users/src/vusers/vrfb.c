// SPDX-License-Identifier: GPL-3.0-or-later
/* The handshake, the requests, and what an update is; rfb/walk.h knows the server's messages. */
#include "vrfb.h"
#include "bytes.h"
#include "vnc_password.h"
#include "rfb/encodings.h"
#include "rfb/messages.h"

#include <errno.h>
#include <string.h>

enum {
	VRFB_VERSION,
	VRFB_SECURITY_33,
	VRFB_SECURITY_COUNT,
	VRFB_SECURITY_TYPES,
	VRFB_CHALLENGE,
	VRFB_RESULT,
	VRFB_INIT,
	VRFB_MESSAGES
};

static void expect_piece(struct vrfb *s, int state, uint32_t need)
{
	s->state = state;
	skip_parser_expect(&s->in, 0, need);
}

/* Reserves n bytes in `out`; NULL: it is full. */
static uint8_t *reserve_output(struct vrfb *s, size_t n)
{
	uint8_t *at = s->out + s->n_out;

	if (s->n_out + n > sizeof(s->out))
		return NULL;
	s->n_out = (uint8_t)(s->n_out + n);
	return at;
}

static int append_reply(struct vrfb *s, const void *bytes, size_t n)
{
	uint8_t *p = reserve_output(s, n);

	if (!p)
		return -ENOBUFS;
	memcpy(p, bytes, n);
	return 0;
}

static int request_update(struct vrfb *s, bool incremental)
{
	uint8_t *p = reserve_output(s, 10);

	if (!p)
		return -ENOBUFS;
	messages_put_update_request(p, incremental, s->width, s->height);
	return 0;
}

/* --- handshake (RFC 6143, 7.1 to 7.4, 7.5.1 to 7.5.3) -------------------------------------------------------------- */

enum { AUTH_NONE = 1, AUTH_VNC = 2 };

static int answer_version(struct vrfb *s, const uint8_t *p)
{
	/* "RFB 003.008\n"; newer servers speak 3.8, and Apple's 3.889 too */
	int minor;

	if (memcmp(p, "RFB 003.", 8) != 0 || p[11] != '\n')
		return -EPROTO;
	minor = (p[8] - '0') * 100 + (p[9] - '0') * 10 + p[10] - '0';
	s->version = minor < 7 ? 3 : minor < 8 ? 7 : 8;
	expect_piece(s, s->version == 3 ? VRFB_SECURITY_33 : VRFB_SECURITY_COUNT, s->version == 3 ? 4 : 1);
	return append_reply(s, s->version == 3 ? "RFB 003.003\n" : s->version == 7 ? "RFB 003.007\n" : "RFB 003.008\n", 12);
}

static int request_init(struct vrfb *s)
{
	expect_piece(s, VRFB_INIT, 24);
	return append_reply(s, "\1", 1); /* shared */
}

static int expect_proof(struct vrfb *s)
{
	if (!s->cfg->password)
		return -EACCES;
	s->proven = true;
	expect_piece(s, VRFB_CHALLENGE, VNC_CHALLENGE);
	return 0;
}

static int choose_security(struct vrfb *s, const uint8_t *types, uint32_t n)
{
	if (memchr(types, AUTH_NONE, n)) {
		if (append_reply(s, "\1", 1))
			return -ENOBUFS;
		if (s->version == 7) /* sends no security result for None */
			return request_init(s);
		expect_piece(s, VRFB_RESULT, 4);
		return 0;
	}
	if (!memchr(types, AUTH_VNC, n))
		return -EPROTONOSUPPORT;
	return append_reply(s, "\2", 1) ? -ENOBUFS : expect_proof(s);
}

static int handle_init(struct vrfb *s, const uint8_t *p)
{
	static const int32_t pseudo[] = { RFB_CURSOR, RFB_DESKTOP_SIZE, RFB_LAST_RECT };
	int more = (int)(sizeof(pseudo) / sizeof(*pseudo));
	uint8_t *to;

	s->width = bytes_get_u16(p);
	s->height = bytes_get_u16(p + 2);
	if (!s->width || !s->height || (p[4] != 8 && p[4] != 16 && p[4] != 32))
		return -EPROTO;
	s->walk.format = rfb_read_pixel_sizes(p + 4);
	s->state = VRFB_MESSAGES;
	skip_parser_expect(&s->in, bytes_get_u32(p + 20), 0); /* name of the desktop */
	if (s->patch) {					      /* pixels of 4 bytes, of which the second is green */
		to = reserve_output(s, 20);
		if (!to)
			return -ENOBUFS;
		messages_put_pixel_format(to);
		s->walk.format = rfb_read_pixel_sizes(to + 4);
	}
	to = reserve_output(s, 4 + 4 * (size_t)(s->cfg->n_encodings + more));
	if (!to)
		return -ENOBUFS;
	messages_put_encodings(to, s->cfg->encodings, s->cfg->n_encodings, pseudo, more);
	return request_update(s, false);
}

static int handle_handshake(struct vrfb *s, const uint8_t *p, uint32_t n)
{
	uint8_t answer[VNC_CHALLENGE];
	uint32_t type;

	switch (s->state) {
	case VRFB_VERSION: return answer_version(s, p);
	case VRFB_SECURITY_33:
		type = bytes_get_u32(p);
		return type == AUTH_NONE  ? request_init(s)
		       : type == AUTH_VNC ? expect_proof(s)
		       : type == 0	  ? -ECONNREFUSED
					  : -EPROTO;
	case VRFB_SECURITY_COUNT: expect_piece(s, VRFB_SECURITY_TYPES, p[0]); return p[0] ? 0 : -ECONNREFUSED;
	case VRFB_SECURITY_TYPES: return choose_security(s, p, n);
	case VRFB_CHALLENGE:
		if (vnc_password_answer(s->cfg->password, p, answer))
			return -ENOTSUP;
		expect_piece(s, VRFB_RESULT, 4);
		return append_reply(s, answer, sizeof(answer));
	case VRFB_RESULT: return !bytes_get_u32(p) ? request_init(s) : s->proven ? -EKEYREJECTED : -ECONNREFUSED;
	default: return handle_init(s, p);
	}
}

/* --- updates ------------------------------------------------------------------------------------------------------- */

static int read_luminance(const void *pixels, int x, int y)
{
	return ((const uint8_t *)pixels)[y * VRFB_PATCH_WIDTH + x];
}

/* Copies the green of the raw pixels that lie in the patch. */
static void keep_patch(void *detector, const uint8_t *bytes, uint32_t n)
{
	struct vrfb *s = detector;
	const struct rfb_rectangle *r = &s->walk.r;
	uint64_t from = s->passed;

	for (uint64_t i = from + (5 - from % 4) % 4; i < from + n; i += 4) {
		int64_t pixel = (int64_t)(i / 4), x = r->x + pixel % r->w - VRFB_PATCH_X, y = r->y + pixel / r->w - VRFB_PATCH_Y;

		if (x >= 0 && x < VRFB_PATCH_WIDTH && y >= 0 && y < VRFB_PATCH_HEIGHT)
			s->patch->luminance[y * VRFB_PATCH_WIDTH + x] = bytes[i - from];
	}
	s->passed += n;
}

/* Whether the patch shows the awaited number or a later one (modulo 2^24: half of the numbers count as earlier). */
static bool read_patch_number(struct vrfb_patch *p)
{
	struct patch_image image = { VRFB_PATCH_WIDTH, VRFB_PATCH_HEIGHT, read_luminance, p->luminance };
	struct patch_place at = { 0, 0, VRFB_CELL };

	if (!patch_read(&image, &at, &p->shown))
		return false;
	p->seen = true;
	return ((p->shown - p->awaited) & PATCH_NUMBER_MAX) < PATCH_NUMBER_MAX / 2;
}

static int begin_rectangle(struct vrfb *s)
{
	const struct rfb_rectangle *r = &s->walk.r;
	int32_t encoding = rfb_rectangle_kinds[r->kind].type;

	s->pixels |= encoding >= 0 && r->w && r->h;
	if (encoding == RFB_RAW && s->patch && r->w) {
		s->in.passed = keep_patch;
		s->passed = 0;
	}
	if (encoding != RFB_DESKTOP_SIZE)
		return 0;
	s->width = r->w;
	s->height = r->h;
	return r->w && r->h ? 0 : -EPROTO;
}

static void end_update(struct vrfb *s)
{
	bool answers = s->pixels && s->counts;

	s->flags |= s->pixels ? VRFB_UPDATE : 0;
	s->updated = true;
	s->unasked += s->ready && s->pixels && !s->counts;
	if (s->patch)
		answers = read_patch_number(s->patch) && s->asked;
	if (!s->ready)
		s->flags |= VRFB_READY;
	s->ready = true;
	if (answers && s->asked) {
		s->asked = false;
		s->flags |= VRFB_ANSWER;
	}
}

static int handle_messages(struct vrfb *s, const uint8_t *piece, uint32_t n)
{
	switch (rfb_walk_step(&s->walk, &s->in, piece, n)) {
	case RFB_WALK_MESSAGE:
		s->pixels = false;
		s->counts = s->asked; /* an update that began before the request is no answer */
		return 0;
	case RFB_WALK_RECTANGLE: return begin_rectangle(s);
	case RFB_WALK_TO_MESSAGE:
		if (s->walk.kind == RFB_SERVER_UPDATE)
			end_update(s);
		/* fallthrough */
	case RFB_WALK_TO_RECTANGLE: s->in.passed = NULL; return 0;
	default: return 0;
	}
}

static void parse_piece(void *detector, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	struct vrfb *s = detector;

	s->err = s->state < VRFB_MESSAGES ? handle_handshake(s, piece, n) : handle_messages(s, piece, n);
	if (s->err)
		skip_parser_stop(w, "");
	else if (w->stopped)
		s->err = -EPROTO;
}

void vrfb_init(struct vrfb *s, const struct vrfb_cfg *cfg, struct vrfb_patch *patch)
{
	*s = (struct vrfb){ .cfg = cfg, .patch = patch, .in.want = 12 };
	if (patch)
		memset(patch, 0, sizeof(*patch));
}

int vrfb_parse(struct vrfb *s, const uint8_t *bytes, size_t n)
{
	s->flags = 0;
	s->updated = false;
	skip_parser_feed(&s->in, bytes, (uint32_t)n, (uint32_t)n, parse_piece, s);
	while (!s->in.skip && !s->in.want && !s->in.stopped) /* an update's end shows with its last byte */
		parse_piece(s, &s->in, NULL, 0);
	if (s->err)
		return s->err;
	return s->updated && request_update(s, true) ? -ENOBUFS : s->flags;
}

void vrfb_expect_answer(struct vrfb *s)
{
	s->asked = true;
	if (s->patch)
		s->patch->awaited = (s->patch->shown + 1) & PATCH_NUMBER_MAX;
}
