// SPDX-License-Identifier: GPL-3.0-or-later
#include "tilelog.h"
#include "array.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define COST_MS (1000 / TILELOG_RATE)
#define FULL_MS (COST_MS * TILELOG_BURST)
#define NAP_MS 120		/* between two comparisons of a restless tile */

#define PAIRS (TILE_SIDE * TILE_SIDE / 2)

/* Multipliers of the hash: random 32-bit numbers, by splitmix64. */
static uint64_t key[2][PAIRS];	/* for the left and the right pixel of each pair */

static void make_hash_multipliers(void)
{
	for (uint64_t i = 0; i < 2 * PAIRS; i++) {
		uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		key[i % 2][i / 2] = (z >> 32) | 1;
	}
}

#ifdef __SSE2__
static uint64_t hash_whole_tile(const uint32_t *p, int stride)
{
	__m128i sum[2] = { _mm_setzero_si128(), _mm_setzero_si128() };
	uint64_t out[2];

	for (size_t k = 0; k < PAIRS; k += TILE_SIDE / 2, p += stride) {
		for (size_t i = 0; i < 4; i++) {
			__m128i four = _mm_loadu_si128((const __m128i *)(const void *)(p + 4 * i));
			__m128i left = _mm_loadu_si128((const __m128i *)(const void *)&key[0][k + 2 * i]),
				right = _mm_loadu_si128((const __m128i *)(const void *)&key[1][k + 2 * i]);

			sum[0] = _mm_add_epi64(sum[0], _mm_mul_epu32(four, left));
			sum[1] = _mm_add_epi64(sum[1], _mm_mul_epu32(_mm_srli_epi64(four, 32), right));
		}
	}
	_mm_storeu_si128((__m128i *)(void *)out, _mm_add_epi64(sum[0], sum[1]));
	return out[0] + out[1];
}
#else
static uint64_t hash_whole_tile(const uint32_t *p, int stride)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < PAIRS; k += TILE_SIDE / 2, p += stride)
		for (size_t i = 0; i < TILE_SIDE / 2; i++)
			sum += p[2 * i] * key[0][k + i] + p[2 * i + 1] * key[1][k + i];
	return sum;
}
#endif

uint64_t tilelog_hash_tile(const uint32_t *pixels, int stride, int w, int h)
{
	uint32_t whole[2 * PAIRS] = { 0 };	/* a tile cut by the screen's edge is completed with black */
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_hash_multipliers);
	if (w == TILE_SIDE && h == TILE_SIDE)
		return hash_whole_tile(pixels, stride);
	for (int y = 0; y < h; y++)
		memcpy(whole + y * TILE_SIDE, pixels + (ptrdiff_t)y * stride, (size_t)w * sizeof(*whole));
	return hash_whole_tile(whole, TILE_SIDE);
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
	struct tile_state *tile = calloc(n ? n : 1, sizeof(*tile));
	uint32_t *dirty = calloc(n ? n : 1, sizeof(*dirty));

	if (!tile || !dirty) {
		free(tile);
		free(dirty);
		t->err = -ENOMEM;
		return;
	}
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
	tilelog_mark_painted(t, (struct box){ 0, 0, width, height });
}

void tilelog_mark_painted(struct tilelog *t, struct box box)
{
	int right, below;

	if (box.w <= 0 || box.h <= 0 || t->err)
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
static int tile_rate_permits_logging_change(struct tile_state *s, uint32_t ms)
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

static void log_tile_if_changed(struct tilelog *t, const struct screen *s, uint32_t i, uint32_t ms)
{
	int x = (int)i % t->columns * TILE_SIDE, y = (int)i / t->columns * TILE_SIDE;
	int w = s->width - x < TILE_SIDE ? s->width - x : TILE_SIDE, h = s->height - y < TILE_SIDE ? s->height - y : TILE_SIDE;
	struct tile_state *tile = &t->tile[i];
	uint64_t content;

	tile->dirty = 0;
	tile->looked_ms = ms;
	content = tilelog_hash_tile(s->pixels + (ptrdiff_t)y * s->width + x, s->width, w, h);
	if (content == tile->content)
		return;
	tile->content = content;
	if (!tile_rate_permits_logging_change(tile, ms)) {
		tile->unlisted++;
		t->unlisted++;
		return;
	}
	if (array_room(&t->changed, t->n) || array_room(&t->content, t->n)) {
		t->err = -ENOMEM;
		return;
	}
	t->changed[t->n] = (uint32_t)(y / TILE_SIDE * TILE_COLUMNS + x / TILE_SIDE);
	t->content[t->n++] = content;
}

void tilelog_compare_dirty_tiles(struct tilelog *t, const struct screen *s, uint32_t ms)
{
	size_t first = t->n, left = 0;

	if (!t->n_dirty || t->err || t->columns != (s->width + TILE_SIDE - 1) / TILE_SIDE ||
	    t->rows != (s->height + TILE_SIDE - 1) / TILE_SIDE)
		return;
	for (size_t i = 0; i < t->n_dirty && !t->err; i++) {
		struct tile_state *tile = &t->tile[t->dirty[i]];

		if (tile->restless && ms - tile->looked_ms < NAP_MS)
			t->dirty[left++] = t->dirty[i];
		else
			log_tile_if_changed(t, s, t->dirty[i], ms);
	}
	t->n_dirty = left;
	if (t->n == first)
		return;
	if (array_room(&t->update, t->n_updates)) {
		t->err = -ENOMEM;
		return;
	}
	t->update[t->n_updates++] = (struct tilelog_changes_of_one_ms){ ms, (uint32_t)first };
}
