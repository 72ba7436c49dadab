// SPDX-License-Identifier: GPL-3.0-or-later
/* The machine that feeds the steps, and who owns what. The messages are in rfb_message.c, the encodings in rfb_*.c. */
#include "rfb_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int rfb_bad(struct rfb *r, const char *why)
{
	r->why = why;
	return -EPROTO;
}

void rfb_then(struct rfb_machine *m, rfb_step *step, size_t need)
{
	m->step = step;
	m->need = need;
}

/* Steps look at bytes where they came; only what is cut by the end of a piece is copied. */
int rfb_feed(struct rfb *r, struct rfb_machine *m, const uint8_t *in, size_t n)
{
	ssize_t took;
	size_t now;

	while (n) {
		if (!m->step)
			return rfb_bad(r, "a rectangle has more bytes than it can take");
		if (m->need > RFB_HOLD)
			return rfb_bad(r, "a part that is too long");
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
		if (took)	/* else it needs more beside these */
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
		rfb_then(&r->wire, skip_bytes, 1);
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
		rfb_then(&r->wire, rfb_greet, 12);
		return r;
	}
	err = pixels_set(&r->pixels, format) ? rfb_size(r, width, height) : -EINVAL;
	if (err) {
		rfb_free(r);
		errno = err == -ENOMEM ? ENOMEM : EINVAL;
		return NULL;
	}
	r->ready = true;
	rfb_then(&r->wire, rfb_message, 1);
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

const struct screen *rfb_screen(const struct rfb *r)
{
	return &r->screen;
}

const char *rfb_name(const struct rfb *r)
{
	return r->name;
}
