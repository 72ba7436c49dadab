// SPDX-License-Identifier: GPL-3.0-or-later
#include "region.h"
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 8	       /* changed pixels are grouped in blocks of 8 x 8 pixels */
#define REACH_X 3      /* blocks this near side by side belong to one group: letters of a line leave gaps */
#define REACH_Y 1      /* blocks this near above each other: lines are further apart */
#define CARET_WIDTH 40 /* pixels, rounded up to blocks: largest caret; most other things that blink are larger */
#define CARET_HEIGHT 80
#define CHARACTER_WIDTH 80 /* pixels: widest character, with the caret on its sides */

#define NOISE (REGION_BEFORE | REGION_AFTER)
#define KEY_BITS ((uint8_t) ~(NOISE | REGION_LEFT))

int region_parse(const char *text, struct pixel_area *out)
{
	int end = -1;
	struct pixel_area r;

	/* sscanf() would accept a sign before each number */
	if (strspn(text, "0123456789x+") != strlen(text) || *text == '+' || strstr(text, "x+") || strstr(text, "++") ||
	    strlen(text) >= REGION_TEXT || sscanf(text, "%5dx%5d+%5d+%5d%n", &r.w, &r.h, &r.x, &r.y, &end) != 4 || end < 0 ||
	    text[end] || area_is_empty(&r))
		return -EINVAL;
	*out = r;
	return 0;
}

void region_format(const struct pixel_area *r, char text[static REGION_TEXT])
{
	snprintf(text, REGION_TEXT, "%dx%d+%d+%d", r->w, r->h, r->x, r->y);
}

int region_pixel_change(uint32_t a, uint32_t b)
{
	int most = 0;

	for (int shift = 0; shift < 32; shift += 8) {
		int change = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));

		most = change > most ? change : most;
	}
	return most;
}

int region_same(const struct change_marks *m)
{
	return m->contrast / 4 > REGION_SAME ? m->contrast / 4 : REGION_SAME;
}

bool region_mark_changes(struct change_marks *m, const uint32_t *before, const uint32_t *after, uint8_t bit)
{
	int same = bit == REGION_LEFT ? region_same(m) : REGION_SAME;
	bool changed = false;

	for (int y = 0; y < m->h; y++) {
		size_t row = (size_t)y * (size_t)m->w;

		if (!memcmp(before + row, after + row, (size_t)m->w * sizeof(*before)))
			continue;
		for (size_t i = row; i < row + (size_t)m->w; i++) {
			int change = before[i] == after[i] ? 0 : region_pixel_change(before[i], after[i]);

			if (change <= same)
				continue;
			changed = changed || !(m->bits[i] & NOISE);
			m->bits[i] |= bit;
			if (!(m->bits[i] & NOISE) && change > m->contrast)
				m->contrast = change;
		}
	}
	return changed;
}

/* The picture divided into blocks. */
struct block_grid {
	const struct change_marks *marks;
	int w, h;      /* in blocks */
	uint8_t *bits; /* of each block: those of all its pixels */
	int *todo;     /* stack of blocks to visit, with room for all */
};

/* Bits of a pixel. For one that also changes without keys, or that BackSpace has not brought back, only the bits that say so. */
static uint8_t mark_bits(const struct change_marks *m, int x, int y)
{
	uint8_t bits = m->bits[(size_t)y * (size_t)m->w + (size_t)x];

	return bits & NOISE ? bits & NOISE : bits & REGION_LEFT ? REGION_LEFT : bits;
}

static void init_grid(struct block_grid *g, const struct change_marks *m)
{
	size_t n;

	*g = (struct block_grid){ .marks = m, .w = (m->w + BLOCK - 1) / BLOCK, .h = (m->h + BLOCK - 1) / BLOCK };
	n = (size_t)g->w * (size_t)g->h;
	g->bits = memory_new(n, sizeof(*g->bits));
	g->todo = memory_new(n, sizeof(*g->todo));
	for (int y = 0; y < m->h; y++)
		for (int x = 0; x < m->w; x++)
			g->bits[y / BLOCK * g->w + x / BLOCK] |= mark_bits(m, x, y);
}

/* Neighbouring blocks with changed pixels. */
struct block_group {
	uint8_t bits;
	int left, top, right, bottom; /* in pixels; right and bottom are one beyond the last */
};

static void add_block(const struct block_grid *g, int block, uint8_t wanted, struct block_group *out)
{
	int x0 = block % g->w * BLOCK, y0 = block / g->w * BLOCK;

	for (int y = y0; y < y0 + BLOCK && y < g->marks->h; y++) {
		for (int x = x0; x < x0 + BLOCK && x < g->marks->w; x++) {
			uint8_t bits = mark_bits(g->marks, x, y) & wanted;

			if (!bits)
				continue;
			out->left = !out->bits || x < out->left ? x : out->left;
			out->right = !out->bits || x >= out->right ? x + 1 : out->right;
			out->top = !out->bits || y < out->top ? y : out->top;
			out->bottom = !out->bits || y >= out->bottom ? y + 1 : out->bottom;
			out->bits |= bits;
		}
	}
}

/* Removes the group to which this block belongs from the grid and returns it. */
static struct block_group take_group(struct block_grid *g, int block, uint8_t wanted)
{
	struct block_group out = { 0 };
	int n = 0;

	g->todo[n++] = block;
	add_block(g, block, wanted, &out);
	g->bits[block] &= (uint8_t)~wanted;
	while (n) {
		int at = g->todo[--n], x0 = at % g->w, y0 = at / g->w;

		for (int y = y0 - REACH_Y; y <= y0 + REACH_Y; y++) {
			for (int x = x0 - REACH_X; x <= x0 + REACH_X; x++) {
				if (x < 0 || y < 0 || x >= g->w || y >= g->h || !(g->bits[y * g->w + x] & wanted))
					continue;
				add_block(g, y * g->w + x, wanted, &out);
				g->bits[y * g->w + x] &= (uint8_t)~wanted;
				g->todo[n++] = y * g->w + x;
			}
		}
	}
	return out;
}

static int count_group_keys(const struct block_group *group)
{
	int n = 0;

	for (int i = 0; i < REGION_KEYS && !(group->bits & REGION_LEFT); i++)
		n += !!(group->bits & REGION_KEY(i));
	return n;
}

#define GROUPS_MAX 256 /* more groups: the whole screen changes, as in a film */

/* Appends all groups that have one of the wanted bits to the n groups in `group`. Returns the new number of groups. */
static int take_wanted_groups(struct block_grid *g, uint8_t wanted, struct block_group *group, int n)
{
	for (int i = 0; i < g->w * g->h && n < GROUPS_MAX; i++)
		if (g->bits[i] & wanted)
			group[n++] = take_group(g, i, wanted);
	return n;
}

static bool is_line_caret(const struct block_group *line, const struct block_group *noise)
{
	int reach = REACH_X * BLOCK;

	return noise->right - noise->left <= CARET_WIDTH && noise->bottom - noise->top <= CARET_HEIGHT &&
	       noise->left <= line->right + reach && noise->right >= line->left - reach && noise->top < line->bottom + BLOCK &&
	       noise->bottom > line->top - BLOCK;
}

/* Extends the region from a line of text to where further text will appear: to the right, in new lines from the left edge, and
 * down. */
static void extend_region(const struct change_marks *m, const struct block_group *line, const struct block_group *other, int n,
			  struct pixel_area *out)
{
	int left = 0, right = m->w, bottom = m->h;

	for (int i = 0; i < n; i++) {
		const struct block_group *o = &other[i];

		if (!(o->bits & KEY_BITS) && (o->bits & NOISE) != NOISE)
			continue;
		if (o->top >= line->bottom)
			bottom = o->top < bottom ? o->top : bottom;
		else if (o->bottom > line->top && o->left >= line->right)
			right = o->left < right ? o->left : right;
		else if (o->bottom > line->top && o->right <= line->left)
			left = o->right > left ? o->right : left;
	}
	*out = (struct pixel_area){ left, line->top, right - left, bottom - line->top };
}

/* Marks a group beside which, on the same line, BackSpace has left something that follows keys: the letter, where only the caret
 * goes back. (A mark of a changed text elsewhere stays, too, as does what the first key opened, but these follow no later key.) */
static void mark_left(const struct change_marks *m, struct block_group *group)
{
	int from = group->left > CARET_WIDTH ? group->left - CARET_WIDTH : 0;

	for (int y = group->top; y < group->bottom; y++)
		for (int x = from; x < group->right + CARET_WIDTH && x < m->w; x++)
			if (mark_bits(m, x, y) == REGION_LEFT && m->bits[(size_t)y * (size_t)m->w + (size_t)x] & KEY_BITS)
				group->bits |= REGION_LEFT;
}

/* True if group `a` is more likely the text than `b`: it follows more keys. Of two, text that grows is the wider one. A character
 * that is erased has a caret beside it, if one blinks; a title that marks the text as changed is far wider, a counter narrower. */
static bool is_better_line(const struct change_marks *m, const struct block_group *a, const struct block_group *b,
			   const struct block_group *noise, int n)
{
	int more = count_group_keys(a) - count_group_keys(b), caret = 0;
	bool wide = a->right - a->left > CHARACTER_WIDTH, too = b->right - b->left > CHARACTER_WIDTH;

	for (int i = 0; i < n; i++)
		caret += is_line_caret(a, &noise[i]) - is_line_caret(b, &noise[i]);
	if (more || !m->erased)
		return more > 0 || (!more && a->right - a->left > b->right - b->left);
	if (caret)
		return caret > 0;
	return wide != too ? too : a->right - a->left > b->right - b->left;
}

bool region_find_echoes(const struct change_marks *m, struct pixel_area *out)
{
	struct block_group group[GROUPS_MAX], line;
	struct block_grid grid;
	int n, keyed, best = 0;

	init_grid(&grid, m);
	keyed = take_wanted_groups(&grid, KEY_BITS, group, 0);
	n = take_wanted_groups(&grid, NOISE, group, keyed);
	free(grid.bits);
	free(grid.todo);
	for (int i = 0; i < keyed; i++)
		mark_left(m, &group[i]);
	for (int i = 1; i < keyed; i++)
		if (is_better_line(m, &group[i], &group[best], &group[keyed], n - keyed))
			best = i;
	if (!keyed || count_group_keys(&group[best]) < 2)
		return false;
	line = group[best];
	group[best].bits = 0;
	for (int i = keyed; i < n; i++) {
		if (!is_line_caret(&line, &group[i]))
			continue;
		line.left = group[i].left < line.left ? group[i].left : line.left;
		line.right = group[i].right > line.right ? group[i].right : line.right;
		line.top = group[i].top < line.top ? group[i].top : line.top;
		line.bottom = group[i].bottom > line.bottom ? group[i].bottom : line.bottom;
		group[i].bits = 0;
	}
	if (m->erased)
		*out = (struct pixel_area){ line.left, line.top, line.right - line.left, line.bottom - line.top };
	else
		extend_region(m, &line, group, n, out);
	return true;
}
