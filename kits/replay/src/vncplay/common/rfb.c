// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb - feeds the decoder's steps, and the greeting. The messages are in rfb_message.c, the encodings in rfb_plain.c,
 * rfb_zlib.c and rfb_tight.c. */
#include "rfb_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int rfb_fail(struct rfb_decoder *r, const char *why)
{
	r->why = why;
	return -EPROTO;
}

void rfb_set_next_step(struct rfb_step_machine *m, rfb_step *step, size_t need)
{
	m->step = step;
	m->need = need;
}

/* Steps read the caller's bytes in place; only bytes that the end of a piece cuts off are copied. */
int rfb_feed_step_machine(struct rfb_decoder *r, struct rfb_step_machine *m, const uint8_t *in, size_t n)
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
		if (took) /* (0: the step needs more bytes as well) */
			m->held = 0;
	}
	return 0;
}

static ssize_t skip_bytes(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t now = n < r->left ? n : (size_t)r->left;

	(void)in;
	r->left -= now;
	if (!r->left)
		r->after(r);
	return (ssize_t)now;
}

void rfb_skip(struct rfb_decoder *r, uint64_t n, void (*after)(struct rfb_decoder *r))
{
	r->left = n;
	r->after = after;
	if (n)
		rfb_set_next_step(&r->wire, skip_bytes, 1);
	else
		after(r);
}

struct rfb_decoder *rfb_decoder_open(const struct rfb_event_callbacks *events, void *whose, const struct rfb_format *format,
				     int width, int height)
{
	struct rfb_decoder *r = calloc(1, sizeof(*r));
	int err = 0;

	if (!r)
		return NULL;
	if (events)
		r->events = *events;
	r->whose = whose;
	if (!format) {
		rfb_set_next_step(&r->wire, rfb_decode_version, 12);
		return r;
	}
	err = pixel_set_format(&r->pixels, format) ? rfb_set_size(r, width, height) : -EINVAL;
	if (err) {
		rfb_decoder_free(r);
		errno = err == -ENOMEM ? ENOMEM : EINVAL;
		return NULL;
	}
	r->ready = true;
	rfb_set_next_step(&r->wire, rfb_decode_message_type, 1);
	return r;
}

void rfb_decoder_free(struct rfb_decoder *r)
{
	if (!r)
		return;
	screen_free(&r->screen);
	rfb_free_zlib_streams(r);
	free(r->jpeg);
	free(r->above);
	free(r);
}

int rfb_decode_bytes(struct rfb_decoder *r, const uint8_t *bytes, size_t n)
{
	if (!r->failed)
		r->failed = rfb_feed_step_machine(r, &r->wire, bytes, n);
	if (r->failed && !r->why)
		r->why = strerror(-r->failed);
	return r->failed;
}

const char *rfb_failure_text(const struct rfb_decoder *r)
{
	return r->why ? r->why : "";
}

bool rfb_greeting_is_complete(const struct rfb_decoder *r)
{
	return r->ready;
}

unsigned rfb_updates(const struct rfb_decoder *r)
{
	return r->updates;
}

unsigned rfb_resizes(const struct rfb_decoder *r)
{
	return r->resizes;
}

const struct screen *rfb_screen(const struct rfb_decoder *r)
{
	return &r->screen;
}

const char *rfb_desktop_name(const struct rfb_decoder *r)
{
	return r->name;
}

/* --- the greeting of a log: RFC 6143 section 7.1 and 7.3; the security of RFB 3.3 in appendix A.1 ------------------ */

int rfb_set_size(struct rfb_decoder *r, int width, int height)
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

static void expect_messages(struct rfb_decoder *r)
{
	r->ready = true;
	rfb_set_next_step(&r->wire, rfb_decode_message_type, 1);
}

static ssize_t decode_desktop_name_bytes(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t now = n < r->left ? n : (size_t)r->left;

	for (size_t i = 0; i < now && r->named < sizeof(r->name) - 1; i++)
		r->name[r->named++] = (char)(in[i] < ' ' || in[i] == 0x7f ? '?' : in[i]);
	r->left -= now;
	if (!r->left)
		expect_messages(r);
	return (ssize_t)now;
}

static ssize_t decode_server_init(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	const uint8_t *f = in + 4;
	struct rfb_format format = { .bits = f[0],
				     .depth = f[1],
				     .big_endian = f[2] != 0,
				     .true_colour = f[3] != 0,
				     .red_max = rfb_get_u16(f + 4),
				     .green_max = rfb_get_u16(f + 6),
				     .blue_max = rfb_get_u16(f + 8),
				     .red_shift = f[10],
				     .green_shift = f[11],
				     .blue_shift = f[12] };
	int err;

	if (!pixel_set_format(&r->pixels, &format))
		return rfb_fail(r, "the server's pixel format is not supported");
	err = rfb_set_size(r, rfb_get_u16(in), rfb_get_u16(in + 2));
	if (err)
		return err;
	r->left = rfb_get_u32(in + 20);
	if (r->left)
		rfb_set_next_step(&r->wire, decode_desktop_name_bytes, 1);
	else
		expect_messages(r);
	return 24;
}

static ssize_t decode_security_result(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	if (rfb_get_u32(in))
		return rfb_fail(r, "the server refused the password");
	rfb_set_next_step(&r->wire, decode_server_init, 24);
	return 4;
}

static void expect_security_result(struct rfb_decoder *r)
{
	rfb_set_next_step(&r->wire, decode_security_result, 4);
}

static ssize_t decode_security_type(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	switch (rfb_get_u32(in)) {
	case 0: return rfb_fail(r, "the server refused the connection");
	case 1: rfb_set_next_step(&r->wire, decode_server_init, 24); return 4;
	case 2: /* VNC authentication: a challenge of 16 bytes, then the result */
		rfb_skip(r, 16, expect_security_result);
		return 4;
	default: return rfb_fail(r, "the greeting is not RFB 3.3");
	}
}

ssize_t rfb_decode_version(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	if (memcmp(in, "RFB 003.00", 10) || in[11] != '\n')
		return rfb_fail(r, "the greeting is not RFB 3");
	rfb_set_next_step(&r->wire, decode_security_type, 4);
	return 12;
}
