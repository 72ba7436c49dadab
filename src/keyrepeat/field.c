// SPDX-License-Identifier: GPL-3.0-or-later
#include "field.h"
#include "memory.h"
#include "region.h"

#include <stdlib.h>

#define CONTRAST_PART 4 /* a pixel may differ by this part of the contrast ... */
#define SLACK_PART 16	/* ... and this part of the character's pixels by more */

static size_t count_pixels(const struct field *f)
{
	return (size_t)f->at.w * (size_t)f->at.h;
}

static void alloc_field(struct field *f)
{
	size_t n = count_pixels(f);

	if (f->changes)
		return;
	f->changes = memory_new(n, sizeof(*f->changes));
	f->first = memory_new(n, sizeof(*f->first));
	for (size_t k = 0; k < FIELD_STATES * FIELD_PICTURES; k++)
		f->picture[k / FIELD_PICTURES][k % FIELD_PICTURES] = memory_new(n, sizeof(uint32_t));
	f->same = REGION_SAME;
}

void field_forget(struct field *f)
{
	for (size_t k = 0; k < FIELD_STATES * FIELD_PICTURES; k++)
		free(f->picture[k / FIELD_PICTURES][k % FIELD_PICTURES]);
	free(f->first);
	free(f->changes);
	*f = (struct field){ .at = f->at };
}

/* The part of the picture where the field is. */
static void copy_field(const struct field *f, uint32_t *to, const uint32_t *picture, size_t stride)
{
	size_t w = (size_t)f->at.w;

	for (size_t y = 0; y < (size_t)f->at.h; y++)
		memcpy(to + y * w, picture + ((size_t)f->at.y + y) * stride + (size_t)f->at.x, w * sizeof(*to));
}

static bool differs(const struct field *f, uint32_t a, uint32_t b)
{
	return a != b && region_pixel_change(a, b) > f->same;
}

/* Pixels in which the two pictures differ; `until`: it need not count further. */
static size_t count_differing(const struct field *f, const uint32_t *known, const uint32_t *picture, size_t stride, size_t until)
{
	size_t n = 0, i = 0;

	for (int y = 0; y < f->at.h && n < until; y++) {
		const uint32_t *row = picture + (size_t)(f->at.y + y) * stride + (size_t)f->at.x;

		for (int x = 0; x < f->at.w; x++, i++)
			n += !f->changes[i] && differs(f, known[i], row[x]);
	}
	return n;
}

static size_t find_nearest(const struct field *f, enum field_state state, const uint32_t *picture, size_t stride, size_t *differing)
{
	size_t best = 0;

	*differing = SIZE_MAX;
	for (size_t k = 0; k < f->n[state]; k++) {
		size_t n = count_differing(f, f->picture[state][k], picture, stride, *differing);

		best = n < *differing ? k : best;
		*differing = n < *differing ? n : *differing;
	}
	return best;
}

size_t field_count_differing(const struct field *f, enum field_state state, const uint32_t *picture, size_t stride)
{
	size_t n;

	find_nearest(f, state, picture, stride, &n);
	return n;
}

void field_learn(struct field *f, enum field_state state, const uint32_t *picture, size_t stride, bool again)
{
	size_t n, nearest, i = 0;

	alloc_field(f);
	nearest = find_nearest(f, state, picture, stride, &n);
	if (!f->n[state] || (n && !again && f->n[state] < FIELD_PICTURES - 1)) {
		copy_field(f, f->picture[state][f->n[state]++], picture, stride);
		return;
	}
	for (int y = 0; y < f->at.h && n; y++)
		for (int x = 0; x < f->at.w; x++, i++)
			f->changes[i] |= differs(f, f->picture[state][nearest][i],
						 picture[(size_t)(f->at.y + y) * stride + (size_t)(f->at.x + x)]);
}

void field_keep_first(struct field *f, const uint32_t *picture, size_t stride)
{
	alloc_field(f);
	copy_field(f, f->first, picture, stride);
}

void field_prefer_first(struct field *f)
{
	memcpy(f->picture[FIELD_TYPED][f->n[FIELD_TYPED]++], f->first, count_pixels(f) * sizeof(*f->first));
}

bool field_compare_states(struct field *f)
{
	const struct pixel_area at = f->at;
	size_t least = SIZE_MAX;
	int contrast = 0;

	for (size_t i = 0; i < count_pixels(f); i++)
		if (!f->changes[i]) {
			int by = region_pixel_change(f->picture[FIELD_EMPTY][0][i], f->picture[FIELD_TYPED][0][i]);

			contrast = by > contrast ? by : contrast;
		}
	f->same = contrast / CONTRAST_PART > REGION_SAME ? contrast / CONTRAST_PART : REGION_SAME;
	f->at = (struct pixel_area){ 0, 0, at.w, at.h }; /* of pictures that have no more than the field */
	for (size_t k = 0; k < f->n[FIELD_TYPED]; k++) {
		size_t n = field_count_differing(f, FIELD_EMPTY, f->picture[FIELD_TYPED][k], (size_t)at.w);

		least = n < least ? n : least;
	}
	f->at = at;
	f->slack = least / SLACK_PART;
	return least > 0;
}
