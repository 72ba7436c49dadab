// SPDX-License-Identifier: GPL-3.0-or-later
#include "viewing.h"
#include "clock.h"

#include <stdlib.h>
#include <string.h>

#define CELL_MIN 3 /* size of a patch cell in pixels, at least and at most */
#define CELL_MOST 40
#define COLOURS 0xffffffu
#define REST_NS (50 * NS_PER_MS) /* servers may send an answer in several updates: those that come so soon after its first one */

void *viewing_make_picture(struct viewer *v, int width, int height)
{
	if (!apart_picture(&v->picture, width, height))
		return NULL;
	v->width = width;
	v->height = height;
	return v->picture.at;
}

static int pixel_luminance(const void *pixels, int x, int y)
{
	const struct viewer *v = pixels;

	return ((const uint8_t *)v->picture.at)[((size_t)y * (size_t)v->width + (size_t)x) * 4 + 1]; /* green */
}

static void read_number(struct viewer *v)
{
	struct patch_image image = { v->width, v->height, pixel_luminance, v };
	uint32_t number;

	if (!v->found)
		v->found = patch_find(&image, CELL_MIN, CELL_MOST, &v->place, &number);
	else if (!patch_read(&image, &v->place, &number))
		return;
	if (v->found)
		v->seen->shown = number;
}

/* Sets v->changed if pixels differ from the copy, and updates the copy: servers also send unchanged pixels. */
static void compare_pixels(struct viewer *v, int x, int y, int w, int h)
{
	const uint32_t *now = v->picture.at;

	if (v->before_width != v->width || v->before_height != v->height) {
		uint32_t *grown = realloc(v->before, (size_t)v->width * (size_t)v->height * sizeof(*grown));

		v->changed = true;
		if (!grown) /* out of memory: every update counts as a change */
			return;
		v->before = grown;
		v->before_width = v->width;
		v->before_height = v->height;
		memcpy(grown, now, (size_t)v->width * (size_t)v->height * sizeof(*grown));
		return;
	}
	for (int row = y; row < y + h; row++) {
		size_t at = (size_t)row * (size_t)v->width + (size_t)x;

		for (int i = 0; i < w && !v->changed; i++)
			v->changed = (v->before[at + (size_t)i] ^ now[at + (size_t)i]) & COLOURS;
		memcpy(v->before + at, now + at, (size_t)w * sizeof(*now));
	}
}

void viewing_note_pixels(struct viewer *v, int x, int y, int w, int h)
{
	if (w <= 0 || h <= 0 || x < 0 || y < 0 || x + w > v->width || y + h > v->height)
		return;
	if (v->cfg.patch || v->cfg.blind)
		v->changed = true;
	else
		compare_pixels(v, x, y, w, h);
}

void viewing_end_update(struct viewer *v, int64_t now)
{
	struct viewer_seen *seen = v->seen;
	int64_t answered_ns = seen->answered_ns; /* (the caller sets it to 0 before a request) */
	bool answers = v->changed, ready;

	if (!v->changed) /* only a cursor shape, or unchanged pixels */
		return;
	v->changed = false;
	if (v->cfg.patch) {
		read_number(v);
		answers = v->found && ((seen->shown - seen->awaited) & PATCH_NUMBER_MAX) < PATCH_NUMBER_MAX / 2;
	}
	ready = v->found || !v->cfg.patch;
	if (!seen->asked && answered_ns && now - answered_ns > REST_NS)
		seen->unasked++;
	answers = answers && atomic_exchange(&seen->asked, false);
	if (answers)
		seen->answered_ns = now;
	if (answers || ready != seen->ready) {
		seen->width = v->width;
		seen->height = v->height;
		seen->ready = ready;
		viewing_notify(v, NOTICE_SEEN);
	}
}
