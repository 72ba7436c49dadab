// SPDX-License-Identifier: GPL-3.0-or-later
/* Bodies of rectangles: as they are, or through one of the streams of zlib that last as long as the connection. RFC 1950. */
#include "rfb_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#define CHUNK (32 << 10)

struct rfb_inflate {
	z_stream z;
	uint8_t out[CHUNK];
};

static int inflate_into(struct rfb *r, const uint8_t *in, size_t n)
{
	struct rfb_inflate *s = r->streams[r->stream];
	int status, err;

	s->z.next_in = (uint8_t *)(uintptr_t)in;
	s->z.avail_in = (uInt)n;
	do {
		s->z.next_out = s->out;
		s->z.avail_out = CHUNK;
		status = inflate(&s->z, Z_SYNC_FLUSH);
		if (status == Z_MEM_ERROR)
			return -ENOMEM;
		if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
			return rfb_bad(r, "data that zlib does not understand");
		/* (what is one byte too long is an error there: no bomb gets larger than its rectangle) */
		err = rfb_feed(r, &r->body, s->out, CHUNK - s->z.avail_out);
		if (err)
			return err;
		if (status == Z_STREAM_END && s->z.avail_in)
			return rfb_bad(r, "data after the end of a zlib stream");
	} while (!s->z.avail_out && status != Z_STREAM_END);
	return s->z.avail_in ? rfb_bad(r, "data that zlib does not understand") : 0;
}

static ssize_t take_body_bytes(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t now = n < r->left ? n : (size_t)r->left;
	int err;

	if (now > CHUNK)
		now = CHUNK;
	err = r->stream == STREAM_NONE ? rfb_feed(r, &r->body, in, now) : inflate_into(r, in, now);
	if (err)
		return err;
	r->left -= now;
	if (r->left)
		return (ssize_t)now;
	if (r->body.step)
		return rfb_bad(r, "a rectangle that ends too early");
	rfb_done(r);
	return (ssize_t)now;
}

int rfb_body(struct rfb *r, uint64_t n, int stream)
{
	r->body.held = 0;
	r->left = n;
	r->stream = stream;
	if (!n) {
		if (r->body.step)
			return rfb_bad(r, "a rectangle that ends too early");
		rfb_done(r);
		return 0;
	}
	if (stream != STREAM_NONE && !r->streams[stream]) {
		struct rfb_inflate *s = calloc(1, sizeof(*s));

		if (!s || inflateInit(&s->z) != Z_OK) {
			free(s);
			return -ENOMEM;
		}
		r->streams[stream] = s;
	}
	rfb_then(&r->wire, take_body_bytes, 1);
	return 0;
}

void rfb_zlib_reset(struct rfb *r, int stream)
{
	if (r->streams[stream])
		inflateReset(&r->streams[stream]->z);
}

void rfb_body_free(struct rfb *r)
{
	for (int i = 0; i < RFB_STREAMS; i++) {
		if (r->streams[i])
			inflateEnd(&r->streams[i]->z);
		free(r->streams[i]);
	}
}

/* Zlib: length, then raw pixels compressed. */
ssize_t rfb_zlib(struct rfb *r, const uint8_t *in, size_t n)
{
	int err;

	(void)n;
	rfb_then(&r->body, rfb_painted(r) ? NULL : rfb_raw_body, r->pixels.plain.bytes);
	err = rfb_body(r, rfb_u32(in), STREAM_ZLIB);
	return err ? err : 4;
}

ssize_t rfb_zrle_length(struct rfb *r, const uint8_t *in, size_t n)
{
	int err;

	(void)n;
	rfb_zrle(r);
	err = rfb_body(r, rfb_u32(in), STREAM_ZRLE);
	return err ? err : 4;
}
