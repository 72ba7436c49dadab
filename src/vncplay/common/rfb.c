// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb - feeds the decoder's steps, and the greeting. The messages are in rfb_message.c, the encodings in rfb_plain.c,
 * rfb_zlib.c and rfb_tight.c. */
#include "rfb_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int rfb_fail(struct rfb *r, const char *why)
{
	r->why = why;
	return -EPROTO;
}

void rfb_expect(struct rfb_machine *m, rfb_step *step, size_t need)
{
	m->step = step;
	m->need = need;
}

/* Steps read the caller's bytes in place; only bytes that the end of a piece cuts off are copied. */
int rfb_feed(struct rfb *r, struct rfb_machine *m, const uint8_t *in, size_t n)
{
	ssize_t took;
	size_t now;

	while (n) {
		if (!m->step)
			return rfb_fail(r, "the server sent a rectangle with too many bytes");
		if (m->need > RFB_HOLD)
			return rfb_fail(r, "the server sent a part that is too long");
		if (!m->held && n >= m->need) {
			took = m->step(r, in, n);
			if (took < 0)
				return (int)took;
			in += took;
			n -= (size_t)took;
			continue;
		}
		now = m->need - m->held < n ? m->need - m->held : n;
		memcpy(m->hold + m->held, in, now);
		m->held += now;
		in += now;
		n -= now;
		if (m->held < m->need)
			return 0;
		took = m->step(r, m->hold, m->held);
		if (took < 0)
			return (int)took;
		if (took)	/* (0: the step needs more bytes as well) */
			m->held = 0;
	}
	return 0;
}

static ssize_t skip_bytes(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t now = n < r->left ? n : (size_t)r->left;

	(void)in;
	r->left -= now;
	if (!r->left)
		r->after(r);
	return (ssize_t)now;
}

void rfb_skip(struct rfb *r, uint64_t n, void (*after)(struct rfb *r))
{
	r->left = n;
	r->after = after;
	if (n)
		rfb_expect(&r->wire, skip_bytes, 1);
	else
		after(r);
}

struct rfb *rfb_open(const struct rfb_events *events, void *whose, const struct rfb_format *format, int width, int height)
{
	struct rfb *r = calloc(1, sizeof(*r));
	int err = 0;

	if (!r)
		return NULL;
	if (events)
		r->events = *events;
	r->whose = whose;
	if (!format) {
		rfb_expect(&r->wire, rfb_greet, 12);
		return r;
	}
	err = pixels_set(&r->pixels, format) ? rfb_set_size(r, width, height) : -EINVAL;
	if (err) {
		rfb_free(r);
		errno = err == -ENOMEM ? ENOMEM : EINVAL;
		return NULL;
	}
	r->ready = true;
	rfb_expect(&r->wire, rfb_message, 1);
	return r;
}

void rfb_free(struct rfb *r)
{
	if (!r)
		return;
	screen_free(&r->screen);
	rfb_body_free(r);
	free(r->jpeg);
	free(r->above);
	free(r);
}

int rfb_take(struct rfb *r, const uint8_t *bytes, size_t n)
{
	if (!r->failed)
		r->failed = rfb_feed(r, &r->wire, bytes, n);
	if (r->failed && !r->why)
		r->why = strerror(-r->failed);
	return r->failed;
}

const char *rfb_why(const struct rfb *r)
{
	return r->why ? r->why : "";
}

bool rfb_ready(const struct rfb *r)
{
	return r->ready;
}

unsigned rfb_updates(const struct rfb *r)
{
	return r->updates;
}

unsigned rfb_resizes(const struct rfb *r)
{
	return r->resizes;
}

const struct screen *rfb_screen(const struct rfb *r)
{
	return &r->screen;
}

const char *rfb_name(const struct rfb *r)
{
	return r->name;
}

/* --- the greeting of a log: RFC 6143 section 7.1 and 7.3; the security of RFB 3.3 in appendix A.1 ------------------ */

int rfb_set_size(struct rfb *r, int width, int height)
{
	int err;

	/* TigerVNC repeats the unchanged size in each response to a request for the whole screen. As a new size, it would cause such
	 * a request each time. */
	if (r->screen.pixels && width == r->screen.width && height == r->screen.height)
		return 0;
	err = screen_resize(&r->screen, width, height);
	if (err == -EINVAL)
		return rfb_fail(r, "the server's screen has no pixels or too many");
	r->resizes += !err;
	if (!err && r->events.resized)
		r->events.resized(r->whose, width, height);
	return err;
}

static void begin_messages(struct rfb *r)
{
	r->ready = true;
	rfb_expect(&r->wire, rfb_message, 1);
}

static ssize_t take_name(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t now = n < r->left ? n : (size_t)r->left;

	for (size_t i = 0; i < now && r->named < sizeof(r->name) - 1; i++)
		r->name[r->named++] = (char)(in[i] < ' ' || in[i] == 0x7f ? '?' : in[i]);
	r->left -= now;
	if (!r->left)
		begin_messages(r);
	return (ssize_t)now;
}

static ssize_t take_server_init(struct rfb *r, const uint8_t *in, size_t n UNUSED)
{
	const uint8_t *f = in + 4;
	struct rfb_format format = { .bits = f[0], .depth = f[1], .big_endian = f[2] != 0, .true_colour = f[3] != 0,
				     .red_max = rfb_u16(f + 4), .green_max = rfb_u16(f + 6), .blue_max = rfb_u16(f + 8),
				     .red_shift = f[10], .green_shift = f[11], .blue_shift = f[12] };
	int err;

	if (!pixels_set(&r->pixels, &format))
		return rfb_fail(r, "the server's pixel format is not supported");
	err = rfb_set_size(r, rfb_u16(in), rfb_u16(in + 2));
	if (err)
		return err;
	r->left = rfb_u32(in + 20);
	if (r->left)
		rfb_expect(&r->wire, take_name, 1);
	else
		begin_messages(r);
	return 24;
}

static ssize_t take_security_result(struct rfb *r, const uint8_t *in, size_t n UNUSED)
{
	if (rfb_u32(in))
		return rfb_fail(r, "the server refused the password");
	rfb_expect(&r->wire, take_server_init, 24);
	return 4;
}

static void end_challenge(struct rfb *r)
{
	rfb_expect(&r->wire, take_security_result, 4);
}

static ssize_t take_security_type(struct rfb *r, const uint8_t *in, size_t n UNUSED)
{
	switch (rfb_u32(in)) {
	case 0:
		return rfb_fail(r, "the server refused the connection");
	case 1:
		rfb_expect(&r->wire, take_server_init, 24);
		return 4;
	case 2:	/* VNC authentication: a challenge of 16 bytes, then the result */
		rfb_skip(r, 16, end_challenge);
		return 4;
	default:
		return rfb_fail(r, "the greeting is not RFB 3.3");
	}
}

ssize_t rfb_greet(struct rfb *r, const uint8_t *in, size_t n UNUSED)
{
	if (memcmp(in, "RFB 003.00", 10) || in[11] != '\n')
		return rfb_fail(r, "the greeting is not RFB 3");
	rfb_expect(&r->wire, take_security_type, 4);
	return 12;
}
