// SPDX-License-Identifier: GPL-3.0-or-later
/* learn_boxes - covers a set of tiles with rectangles. */
#include "learn_core.h"

#include <stdlib.h>
#include <string.h>

static int box_area(const struct box *b)
{
	return b->w * b->h;
}

static void keep_box(struct box *boxes, int *n, int most, struct box b)
{
	int least = 0;

	if (*n < most) {
		boxes[(*n)++] = b;
		return;
	}
	for (int i = 1; i < *n; i++)
		if (box_area(&boxes[i]) < box_area(&boxes[least]))
			least = i;
	if (box_area(&b) > box_area(&boxes[least]))
		boxes[least] = b;
}

static int by_box_place(const void *a, const void *b)
{
	const struct box *p = a, *q = b;

	return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : (p->x > q->x) - (p->x < q->x);
}

/* Each rectangle is a run of tiles in a row, extended down as long as the rows below have the same run. */
int learn_boxes(const uint8_t *set, int w, int h, int width, int height, struct box *boxes, int most)
{
	uint8_t *left = malloc((size_t)w * (size_t)h + 1);
	int n = 0;

	if (!left)
		return 0;
	memcpy(left, set, (size_t)w * (size_t)h);
	for (int y = 0; y < h; y++) {
		for (int x = 0; x < w; x++) {
			uint8_t *row = left + (size_t)y * (size_t)w;
			int end = x, down = y;
			struct box b;

			if (!row[x])
				continue;
			while (end < w && row[end])
				end++;
			for (bool same = true; same && down < h; down += same) {
				row = left + (size_t)down * (size_t)w;
				same = (x == 0 || !row[x - 1]) && (end == w || !row[end]);
				for (int i = x; same && i < end; i++)
					same = row[i];
				if (same)
					memset(row + x, 0, (size_t)(end - x));
			}
			b = box_clip((struct box){ x * LEARN_TILE, y * LEARN_TILE, (end - x) * LEARN_TILE, (down - y) * LEARN_TILE }, width, height);
			keep_box(boxes, &n, most, b);
			x = end - 1;
		}
	}
	free(left);
	qsort(boxes, (size_t)n, sizeof(*boxes), by_box_place);
	return n;
}
