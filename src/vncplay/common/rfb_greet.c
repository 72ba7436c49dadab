// SPDX-License-Identifier: GPL-3.0-or-later
/* The greeting of a log. RFC 6143 section 7.1, 7.3; RFB 3.3's security in appendix A.1. */
#include "rfb_inside.h"

#include <errno.h>
#include <string.h>

int rfb_size(struct rfb *r, int width, int height)
{
	int err;

	/* TigerVNC tells its size, unchanged, in each answer to a request for the whole screen: who would
	 * then ask for the whole would never end. */
	if (r->screen.pixels && width == r->screen.width && height == r->screen.height)
		return 0;
	err = screen_resize(&r->screen, width, height);
	if (err == -EINVAL)
		return rfb_bad(r, "a screen of a size that is refused");
	if (!err && r->events.resized)
		r->events.resized(r->whose, width, height);
	return err;
}

static void begin_messages(struct rfb *r)
{
	r->ready = true;
	rfb_then(&r->wire, rfb_message, 1);
}

static ssize_t name(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t now = n < r->left ? n : (size_t)r->left;

	for (size_t i = 0; i < now && r->named < sizeof(r->name) - 1; i++)
		r->name[r->named++] = (char)(in[i] < ' ' || in[i] == 0x7f ? '?' : in[i]);
	r->left -= now;
	if (!r->left)
		begin_messages(r);
	return (ssize_t)now;
}

static ssize_t init(struct rfb *r, const uint8_t *in, size_t n)
{
	const uint8_t *f = in + 4;
	struct rfb_format format = { .bits = f[0], .depth = f[1], .big_endian = f[2] != 0, .true_colour = f[3] != 0,
				     .red_max = rfb_u16(f + 4), .green_max = rfb_u16(f + 6), .blue_max = rfb_u16(f + 8),
				     .red_shift = f[10], .green_shift = f[11], .blue_shift = f[12] };
	int err;

	(void)n;
	if (!pixels_set(&r->pixels, &format))
		return rfb_bad(r, "pixels of a format that is not understood");
	err = rfb_size(r, rfb_u16(in), rfb_u16(in + 2));
	if (err)
		return err;
	r->left = rfb_u32(in + 20);
	if (r->left)
		rfb_then(&r->wire, name, 1);
	else
		begin_messages(r);
	return 24;
}

static ssize_t proved(struct rfb *r, const uint8_t *in, size_t n)
{
	(void)n;
	if (rfb_u32(in))
		return rfb_bad(r, "the server refused the password");
	rfb_then(&r->wire, init, 24);
	return 4;
}

static void challenged(struct rfb *r)
{
	rfb_then(&r->wire, proved, 4);
}

static ssize_t security(struct rfb *r, const uint8_t *in, size_t n)
{
	(void)n;
	switch (rfb_u32(in)) {
	case 0:
		return rfb_bad(r, "the server refused the connection");
	case 1:
		rfb_then(&r->wire, init, 24);
		return 4;
	case 2:	/* a challenge, and whether it was met */
		rfb_skip(r, 16, challenged);
		return 4;
	default:
		return rfb_bad(r, "a greeting of another kind than RFB 3.3's");
	}
}

ssize_t rfb_greet(struct rfb *r, const uint8_t *in, size_t n)
{
	(void)n;
	if (memcmp(in, "RFB 003.00", 10) || in[11] != '\n')
		return rfb_bad(r, "it does not begin as RFB 3");
	rfb_then(&r->wire, security, 4);
	return 12;
}
