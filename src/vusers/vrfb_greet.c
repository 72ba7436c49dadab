// SPDX-License-Identifier: GPL-3.0-or-later
/* The talk before the first update: versions, security, what the screen is like, and what we want
 * of it (RFC 6143, 7.1 to 7.4, 7.5.1 to 7.5.3). */
#include "vrfb_inside.h"
#include "vnc_password.h"
#include "rfb/messages.h"

#include <errno.h>
#include <string.h>

enum { AUTH_NONE = 1, AUTH_VNC = 2 };

static const int32_t pseudo[] = { RFB_CURSOR, RFB_DESKTOP_SIZE, RFB_LAST_RECT };

static int queue_reply(struct vrfb *s, const void *bytes, size_t n)
{
	uint8_t *p = vrfb_room(s, n);

	if (!p)
		return -ENOBUFS;
	memcpy(p, bytes, n);
	return 0;
}

int vrfb_request(struct vrfb *s, bool incremental)
{
	uint8_t *p = vrfb_room(s, 10);

	if (!p)
		return -ENOBUFS;
	messages_ask(p, incremental, s->width, s->height);
	return 0;
}

static int step_version(struct vrfb *s)
{
	/* "RFB 003.008\n"; what is newer than 3.8 speaks 3.8, and Apple's 3.889 too */
	int minor;

	if (memcmp(s->head, "RFB 003.", 8) != 0 || s->head[11] != '\n')
		return -EPROTO;
	minor = (s->head[8] - '0') * 100 + (s->head[9] - '0') * 10 + s->head[10] - '0';
	s->version = minor < 7 ? 3 : minor < 8 ? 7 : 8;
	vrfb_expect(s, s->version == 3 ? VRFB_SECURITY_33 : VRFB_SECURITY_COUNT, s->version == 3 ? 4 : 1);
	return queue_reply(s, s->version == 3 ? "RFB 003.003\n" : s->version == 7 ? "RFB 003.007\n" : "RFB 003.008\n", 12);
}

static int step_init_next(struct vrfb *s)
{
	vrfb_expect(s, VRFB_INIT, 24);
	return queue_reply(s, "\1", 1);	/* shared */
}

static int step_challenge_next(struct vrfb *s)
{
	if (!s->cfg->password)
		return -EACCES;
	s->proven = true;
	vrfb_expect(s, VRFB_CHALLENGE, VNC_CHALLENGE);
	return 0;
}

static int step_security_33(struct vrfb *s)
{
	uint32_t type = rfb_u32(s->head);

	return type == AUTH_NONE ? step_init_next(s) : type == AUTH_VNC ? step_challenge_next(s) : type == 0 ? -ECONNREFUSED : -EPROTO;
}

static int step_security_count(struct vrfb *s)
{
	if (!s->head[0])
		return -ECONNREFUSED;
	s->rects = s->head[0];
	s->counts = s->pixels = false;	/* whether None is among them, and VncAuth */
	vrfb_expect(s, VRFB_SECURITY_TYPES, 1);
	return 0;
}

/* One by one: there may be 255 of them. */
static int step_security_types(struct vrfb *s)
{
	s->counts |= s->head[0] == AUTH_NONE;
	s->pixels |= s->head[0] == AUTH_VNC;
	if (--s->rects) {
		s->have = 0;
		return 0;
	}
	if (!s->counts && !s->pixels)
		return -EPROTONOSUPPORT;
	if (!s->counts)
		return queue_reply(s, "\2", 1) ? -ENOBUFS : step_challenge_next(s);
	if (queue_reply(s, "\1", 1))
		return -ENOBUFS;
	if (s->version == 7)	/* which sends no result for None */
		return step_init_next(s);
	vrfb_expect(s, VRFB_RESULT, 4);
	return 0;
}

static int step_challenge(struct vrfb *s)
{
	uint8_t answer[VNC_CHALLENGE];

	vnc_password_answer(s->cfg->password, s->head, answer);
	vrfb_expect(s, VRFB_RESULT, 4);
	return queue_reply(s, answer, sizeof(answer));
}

static int step_result(struct vrfb *s)
{
	return !rfb_u32(s->head) ? step_init_next(s) : s->proven ? -EKEYREJECTED : -ECONNREFUSED;
}

static int ask_encodings(struct vrfb *s)
{
	int more = (int)(sizeof(pseudo) / sizeof(*pseudo));
	uint8_t *p = vrfb_room(s, 4 + 4 * (size_t)(s->cfg->n_encodings + more));

	if (!p)
		return -ENOBUFS;
	messages_set_encodings(p, s->cfg->encodings, s->cfg->n_encodings, pseudo, more);
	return 0;
}

/* The second byte of its pixels is green. */
static int ask_format(struct vrfb *s)
{
	uint8_t *p = vrfb_room(s, 20);

	if (!p)
		return -ENOBUFS;
	s->pixel_bytes = 4;
	messages_format(p);
	return 0;
}

static int step_init(struct vrfb *s)
{
	s->width = rfb_u16(s->head);
	s->height = rfb_u16(s->head + 2);
	s->pixel_bytes = s->head[4] / 8;
	if (!s->width || !s->height || (s->head[4] != 8 && s->head[4] != 16 && s->head[4] != 32))
		return -EPROTO;
	s->skip = rfb_u32(s->head + 20);	/* the name */
	vrfb_expect(s, VRFB_MESSAGE, 1);
	if ((s->patch && ask_format(s)) || ask_encodings(s))
		return -ENOBUFS;
	return vrfb_request(s, false);
}

int vrfb_greet(struct vrfb *s)
{
	switch (s->state) {
	case VRFB_VERSION: return step_version(s);
	case VRFB_SECURITY_33: return step_security_33(s);
	case VRFB_SECURITY_COUNT: return step_security_count(s);
	case VRFB_SECURITY_TYPES: return step_security_types(s);
	case VRFB_CHALLENGE: return step_challenge(s);
	case VRFB_RESULT: return step_result(s);
	default: return step_init(s);
	}
}
