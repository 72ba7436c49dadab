// SPDX-License-Identifier: GPL-3.0-or-later
#include "match.h"
#include "trace.h"

#include <stdlib.h>

#define SAME_PLACE 2	/* matches at places at most this many pixels apart are one match, blurred by the tolerance */
#define TEXTURE_LEAST 8 /* pixels (and a tenth of all) that must differ from the most frequent colour */

static bool pixels_differ(uint32_t a, uint32_t b, int tolerance)
{
	if (((a | b) & TRACE_ANY) == TRACE_ANY)
		return false;
	for (int shift = 0; shift < 24; shift += 8)
		if (abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) > tolerance)
			return true;
	return false;
}

static bool is_pixel_masked(const struct match_cfg *cfg, int x, int y)
{
	for (int i = 0; i < cfg->n_masks; i++)
		if (area_meets(&cfg->masks[i], &(struct pixel_area){ x, y, 1, 1 }))
			return true;
	return false;
}

struct mismatch_count match_count_mismatches(const struct match_cfg *cfg, const struct screen *s, struct pixel_area box,
					     const uint32_t *pixels, int dx, int dy, int most)
{
	struct mismatch_count seen = { 0 };
	bool masks = false;

	for (int i = 0; i < cfg->n_masks && !masks; i++)
		masks = area_meets(&cfg->masks[i], &(struct pixel_area){ box.x + dx, box.y + dy, box.w, box.h });
	for (int row = 0; row < box.h; row++) {
		int y = box.y + dy + row;

		for (int column = 0; column < box.w; column++) {
			int x = box.x + dx + column;

			if ((pixels[row * box.w + column] & TRACE_ANY) == TRACE_ANY || (masks && is_pixel_masked(cfg, x, y)))
				continue;
			seen.of++;
			if (x < 0 || y < 0 || x >= s->width || y >= s->height ||
			    pixels_differ(s->pixels[(size_t)y * (size_t)s->width + (size_t)x], pixels[row * box.w + column],
					  cfg->tolerance))
				seen.mismatched++;
		}
		if (seen.mismatched > most)
			break;
	}
	return seen;
}

const struct pixel_area *match_find_stray_mask(const struct pixel_area *masks, int n, int width, int height)
{
	for (int i = 0; i < n; i++)
		if (masks[i].x >= width || masks[i].y >= height)
			return &masks[i];
	return NULL;
}

bool match_is_close(const struct match_cfg *cfg, struct mismatch_count seen)
{
	return seen.mismatched * 100.0 <= cfg->share * seen.of;
}

/* Number of pixels of the snapshot that differ from the snapshot moved by dx, dy. */
static int count_shifted_diffs(struct pixel_area box, const uint32_t *pixels, int dx, int dy, int tolerance)
{
	int n = 0;

	for (int y = 0; y + dy < box.h; y++)
		for (int x = 0; x + dx < box.w; x++)
			n += pixels_differ(pixels[y * box.w + x], pixels[(y + dy) * box.w + x + dx], tolerance);
	return n;
}

static bool lacks_texture(const struct match_cfg *cfg, struct pixel_area box, const uint32_t *pixels)
{
	int n = box.w * box.h, step = 1 + n / 1024, seen = 0, most = 0, allowed = (int)(cfg->share * n / 100);

	for (int i = 0; i < n; i += step) { /* (a sample of at most 1024 pixels: enough to meet a colour of nine tenths) */
		int same = 0;

		for (int k = 0; k < n; k += step)
			same += !pixels_differ(pixels[i], pixels[k], cfg->tolerance);
		if (same > most)
			most = same;
		seen++;
	}
	if (seen - most < (seen / 10 > TEXTURE_LEAST ? seen / 10 : TEXTURE_LEAST))
		return true;
	/* A stripe looks the same when moved along itself: its place cannot be found. */
	return count_shifted_diffs(box, pixels, SAME_PLACE, 0, cfg->tolerance) <= allowed ||
	       count_shifted_diffs(box, pixels, 0, SAME_PLACE, cfg->tolerance) <= allowed;
}

enum match_found match_search(const struct match_cfg *cfg, const struct screen *s, struct pixel_area box, const uint32_t *pixels,
			      int radius, int *dx, int *dy, struct mismatch_count *seen)
{
	int allowed = (int)(cfg->share * (box.w * box.h) / 100), left = -1, top = 0, right = 0, bottom = 0;
	struct mismatch_count best = { 0 };

	if (lacks_texture(cfg, box, pixels))
		return MATCH_FLAT;
	for (int y = -radius; y <= radius; y++) {
		for (int x = -radius; x <= radius; x++) {
			struct mismatch_count here = match_count_mismatches(cfg, s, box, pixels, x, y, allowed);

			/* at least half of the snapshot must be compared: masks may hide the rest */
			if (!match_is_close(cfg, here) || 2 * here.of < box.w * box.h)
				continue;
			if (left < 0 || here.mismatched < best.mismatched) {
				best = here;
				*dx = x;
				*dy = y;
			}
			if (left < 0) {
				left = right = x + radius;
				top = bottom = y + radius;
			}
			left = x + radius < left ? x + radius : left;
			right = x + radius > right ? x + radius : right;
			bottom = y + radius;
		}
	}
	if (left < 0)
		return MATCH_NOWHERE;
	if (right - left > SAME_PLACE || bottom - top > SAME_PLACE)
		return MATCH_AMBIGUOUS;
	*seen = best;
	return MATCH_MOVED;
}
