// SPDX-License-Identifier: GPL-3.0-or-later
#include "picture.h"
#include "clock.h"
#include "memory.h"

#define UNREADABLE_MOST 21 /* updates without a readable patch, at which it is searched again: its window may have moved */

bool picture_resize(struct picture *p, int width, int height)
{
	if (!apart_picture(&p->memory, width, height))
		return false;
	p->width = width;
	p->height = height;
	return true;
}

struct pixel_area picture_watched(const struct picture *p)
{
	struct pixel_area all = { 0, 0, p->width, p->height };

	return area_is_empty(&p->region) ? all : area_intersect(&all, &p->region);
}

const char *picture_region_from(const struct picture *p)
{
	return p->region_from ? p->region_from : area_is_empty(&p->region) ? "screen" : "given";
}

bool picture_copy(const struct picture *p, uint32_t *pixels, int w, int h)
{
	if (!p->memory.at || p->width != w || p->height != h)
		return false;
	memcpy(pixels, p->memory.at, (size_t)w * (size_t)h * sizeof(*pixels));
	return true;
}

static int pixel_luminance(const void *pixels, int x, int y)
{
	const struct picture *p = pixels;
	const uint8_t *bytes = p->memory.at;

	bytes += ((size_t)(y + p->region.y) * (size_t)p->width + (size_t)(x + p->region.x)) * 4;
	return (bytes[p->red] * 77 + bytes[1] * 150 + bytes[2 - p->red] * 29) >> 8;
}

static struct patch_image searched_image(const struct picture *p)
{
	struct pixel_area in = picture_watched(p);

	return (struct patch_image){ in.w, in.h, pixel_luminance, p };
}

bool picture_find_patch(struct picture *p, int64_t at_ns)
{
	struct patch_image image = searched_image(p);
	uint32_t number;

	p->found = patch_find(&image, 2, 40, &p->place, &number);
	if (p->found)
		observations_add_number(p->seen, at_ns, number);
	return p->found;
}

static void read_patch(struct picture *p, int64_t at_ns)
{
	struct patch_image image = searched_image(p);
	uint32_t number;

	if (patch_read(&image, &p->place, &number)) {
		observations_add_number(p->seen, at_ns, number);
		return;
	}
	if (observations_add_unreadable(p->seen) % UNREADABLE_MOST == 0 && !picture_find_patch(p, at_ns))
		p->found = true; /* and is searched again after as many */
}

/* Copies the whole picture: at the first update, and when its size has changed. */
static void copy_picture(struct picture *p)
{
	size_t bytes = (size_t)p->width * (size_t)p->height * sizeof(uint32_t);
	struct pixel_area watched = picture_watched(p);
	uint32_t *grown = realloc(p->before, bytes);

	if (!grown) /* a server may have any size: each update counts as a change */
		return;
	p->before = grown;
	p->before_width = p->width;
	p->before_height = p->height;
	memcpy(p->before, p->memory.at, bytes);
	observations_begin_picture(p->seen, &watched);
}

/* Records which pixels the update changed. Compares pixels, as servers send whole tiles of which only a part has changed, or
 * nothing: an update that changed no pixel answers no key. */
static void record_changes(struct picture *p, int64_t at_ns, const struct pixel_area *at)
{
	if (!p->before || p->before_width != p->width || p->before_height != p->height) {
		observations_add_update(p->seen, at_ns);
		copy_picture(p);
		return;
	}
	if (at->x < 0 || at->y < 0 || at->x + at->w > p->width || at->y + at->h > p->height)
		return;
	/* aligned for uint32_t: the pixels begin at a page */
	observations_record_changes(p->seen, at_ns, p->before, p->memory.at, (size_t)p->width, at);
}

void picture_record(struct picture *p, int64_t at_ns, const struct pixel_area *drawn)
{
	struct pixel_area at = area_is_empty(&p->region) ? *drawn : area_intersect(drawn, &p->region);

	if (area_is_empty(&at) || !p->memory.at) /* no pixels, as for a pointer shape, or no memory for them */
		return;
	atomic_fetch_add(&p->painted, (int64_t)at.w * at.h);
	if (!p->patch)
		record_changes(p, at_ns, &at);
	else
		observations_add_update(p->seen, at_ns);
	if (p->patch && p->found)
		read_patch(p, at_ns);
}

void picture_free(struct picture *p)
{
	apart_free(&p->memory);
	free(p->before);
	p->before = NULL;
}
