#include "caret.h"

#include <string.h>

#define CELL_MIN 4		/* no terminal's cell is narrower; a mere blot must not be taken for one */

bool caret_difference(const uint32_t *before, const uint32_t *after, size_t stride, int x, int y, int w, int h, struct caret_step *out)
{
	bool changed = false;

	for (int row = y; row < y + h; row++) {
		const uint32_t *a = before + (size_t)row * stride, *b = after + (size_t)row * stride;
		int left = x, right = x + w;

		if (!memcmp(a + x, b + x, (size_t)w * sizeof(*a)))
			continue;
		while (a[left] == b[left])
			left++;
		while (a[right - 1] == b[right - 1])
			right--;
		out->bottom = row;
		out->left = left;
		out->right = right;
		out->all_left = changed && out->all_left < left ? out->all_left : left;
		out->all_right = changed && out->all_right > right ? out->all_right : right;
		changed = true;
	}
	return changed;
}

/* The shortest step on one line; 0 without any. */
static int cell_width(const struct caret_step *step, size_t n)
{
	int cell = step[0].right - step[0].left;	/* the cells that the caret left and entered, or more of them */

	cell = cell % 2 ? 0 : cell / 2;
	for (size_t i = 1; i < n; i++) {
		int by = step[i].right - step[i - 1].right;

		if (step[i].bottom == step[i - 1].bottom && by > 0 && (!cell || by < cell))
			cell = by;
	}
	return cell >= CELL_MIN ? cell : 0;
}

/* Cells gone from one step to the next; -1: this is no caret walking. */
static int gone(const struct caret_step *from, const struct caret_step *to, int cell)
{
	int by;

	if (to->bottom == from->bottom) {
		by = to->right - from->right;
		return by < 0 || by % cell ? -1 : by / cell;
	}
	/* The old line was filled up to its end; on the new one all cells up to the caret's are new. Ink may begin and
	 * end inside its cell, so both are counted in whole cells. */
	by = to->all_right - from->right;
	if (to->bottom < from->bottom || by < 0)
		return -1;
	return (by + cell - 1) / cell + (to->right - to->all_left + cell - 1) / cell;
}

bool caret_count(const struct caret_step *step, size_t n, size_t keys, struct pair_shown *shown)
{
	size_t count;
	int cell;

	if (!n || !keys)
		return false;
	cell = cell_width(step, n);
	if (!cell || (step[0].right - step[0].left) % cell)
		return false;
	/* before the first step the caret stood in the first of the cells that it changed */
	count = (size_t)((step[0].right - step[0].left) / cell - 1);
	shown[0] = (struct pair_shown){ step[0].at_ns, (uint32_t)count };
	for (size_t i = 1; i < n; i++) {
		int by = gone(&step[i - 1], &step[i], cell);

		if (by < 0)
			return false;
		count += (size_t)by;
		shown[i] = (struct pair_shown){ step[i].at_ns, (uint32_t)count };
	}
	return count == keys;
}
