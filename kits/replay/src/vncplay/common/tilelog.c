// SPDX-License-Identifier: GPL-3.0-or-later
#include "tilelog.h"
#include "memory.h"
#include "random.h"

#include <pthread.h>

#define COST_MS (1000 / TILELOG_RATE)
#define FULL_MS (COST_MS * TILELOG_BURST)
#define NAP_MS 120 /* between two comparisons of a restless tile */

static uint32_t multiplier[TILE_SIDE * TILE_SIDE]; /* of each pixel in the hash: random and odd */

static void make_multipliers(void)
{
	uint64_t state = 0;

	for (size_t i = 0; i < TILE_SIDE * TILE_SIDE; i++)
		multiplier[i] = (uint32_t)(random_bits(&state) >> 32) | 1;
}

/* Linear: equal changes of tiles are equal differences of their hashes. */
uint64_t tilelog_hash(const uint32_t *pixels, int stride, int w, int h)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t sum = 0;

	pthread_once(&once, make_multipliers);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			sum += (uint64_t)pixels[(ptrdiff_t)y * stride + x] * multiplier[y * TILE_SIDE + x];
	return sum;
}

void tilelog_free(struct tilelog *t)
{
	free(t->tile);
	free(t->dirty);
	free(t->changed);
	free(t->content);
	free(t->update);
	*t = (struct tilelog){ 0 };
}

void tilelog_resize(struct tilelog *t, int width, int height)
{
	int columns = (width + TILE_SIDE - 1) / TILE_SIDE, rows = (height + TILE_SIDE - 1) / TILE_SIDE;
	size_t n = (size_t)columns * (size_t)rows;
	struct tile_state *tile = memory_new(n, sizeof(*tile));
	uint32_t *dirty = memory_new(n, sizeof(*dirty));

	for (int y = 0; y < rows && y < t->rows; y++)
		for (int x = 0; x < columns && x < t->columns; x++)
			tile[y * columns + x] = t->tile[y * t->columns + x];
	free(t->tile);
	free(t->dirty);
	t->tile = tile;
	t->dirty = dirty;
	t->columns = columns;
	t->rows = rows;
	t->n_dirty = 0;
	for (size_t i = 0; i < n; i++)
		tile[i].dirty = 0;
	tilelog_mark_dirty(t, (struct pixel_area){ 0, 0, width, height });
}

void tilelog_mark_dirty(struct tilelog *t, struct pixel_area box)
{
	int right, below;

	if (box.w <= 0 || box.h <= 0)
		return;
	right = (box.x + box.w - 1) / TILE_SIDE;
	below = (box.y + box.h - 1) / TILE_SIDE;
	for (int y = box.y / TILE_SIDE; y <= below && y < t->rows; y++) {
		for (int x = box.x / TILE_SIDE; x <= right && x < t->columns; x++) {
			uint32_t i = (uint32_t)(y * t->columns + x);

			if (t->tile[i].dirty)
				continue;
			t->tile[i].dirty = 1;
			t->dirty[t->n_dirty++] = i;
		}
	}
}

/* Whether a change is listed. A change that is not listed counts as well, up to FULL_MS, so that a tile that slows down is
 * listed again. */
static int count_tile_change(struct tile_state *s, uint32_t ms)
{
	if (s->quiet_ms < ms)
		s->quiet_ms = ms;
	s->quiet_ms += COST_MS;
	if (s->quiet_ms > ms + FULL_MS) {
		s->quiet_ms = ms + FULL_MS;
		s->restless = 1;
	} else if (s->restless && s->quiet_ms <= ms + FULL_MS / 2) {
		s->restless = 0;
	}
	return !s->restless;
}

static void compare_tile(struct tilelog *t, const struct screen *s, uint32_t i, uint32_t ms)
{
	int x = (int)i % t->columns * TILE_SIDE, y = (int)i / t->columns * TILE_SIDE;
	int w = s->width - x < TILE_SIDE ? s->width - x : TILE_SIDE, h = s->height - y < TILE_SIDE ? s->height - y : TILE_SIDE;
	struct tile_state *tile = &t->tile[i];
	uint64_t content;

	tile->dirty = 0;
	tile->looked_ms = ms;
	content = tilelog_hash(s->pixels + (ptrdiff_t)y * s->width + x, s->width, w, h);
	if (content == tile->content)
		return;
	tile->content = content;
	if (!count_tile_change(tile, ms)) {
		tile->unlisted++;
		t->unlisted++;
		return;
	}
	memory_more(t->changed, t->n);
	memory_more(t->content, t->n);
	t->changed[t->n] = (uint32_t)(y / TILE_SIDE * TILE_COLUMNS + x / TILE_SIDE);
	t->content[t->n++] = content;
}

void tilelog_compare(struct tilelog *t, const struct screen *s, int64_t us)
{
	uint32_t ms = (uint32_t)(us / 1000);
	size_t first = t->n, left = 0;

	if (!t->n_dirty || t->columns != (s->width + TILE_SIDE - 1) / TILE_SIDE ||
	    t->rows != (s->height + TILE_SIDE - 1) / TILE_SIDE)
		return;
	for (size_t i = 0; i < t->n_dirty; i++) {
		struct tile_state *tile = &t->tile[t->dirty[i]];

		if (tile->restless && ms - tile->looked_ms < NAP_MS)
			t->dirty[left++] = t->dirty[i];
		else
			compare_tile(t, s, t->dirty[i], ms);
	}
	t->n_dirty = left;
	if (t->n == first)
		return;
	memory_more(t->update, t->n_updates);
	t->update[t->n_updates++] = (struct tilelog_update){ us, ms, (uint32_t)first };
}
