// SPDX-License-Identifier: GPL-3.0-or-later
#include "caret.h"
#include "memory.h"

#define CELL_MIN 4 /* pixels: no cell of a terminal is narrower */

bool caret_find_change(const uint32_t *before, const uint32_t *after, size_t stride, int x, int y, int w, int h,
		       struct caret_step *out)
{
	bool changed = false;

	for (int row = y; row < y + h; row++) {
		const uint32_t *a = before + (size_t)row * stride, *b = after + (size_t)row * stride;
		int left = x, right = x + w;

		if (changed && row - out->bottom > CARET_APART)
			break;
		if (!memcmp(a + x, b + x, (size_t)w * sizeof(*a)))
			continue;
		while (a[left] == b[left])
			left++;
		while (a[right - 1] == b[right - 1])
			right--;
		if (!changed) {
			out->top = row;
			out->top_left = left;
		}
		out->bottom = row;
		out->left = left;
		out->right = right;
		out->all_left = changed && out->all_left < left ? out->all_left : left;
		out->all_right = changed && out->all_right > right ? out->all_right : right;
		changed = true;
	}
	return changed;
}

static int count_cells(int pixels, int cell)
{
	return (pixels + cell - 1) / cell;
}

static void keep_smallest_positive(int *cell, int step)
{
	if (step > 0 && (!*cell || step < *cell))
		*cell = step;
}

/* Finds the height of a line (the lowest step) and the width of a cell: the shortest way from one step to the next on the same
 * line; if no two steps share a line, half the width of a step, which changes the cell left and the cell entered. False: no cell
 * found. */
static bool measure_cell(const struct caret_step *step, size_t n, int *line, int *cell)
{
	*line = step[0].bottom - step[0].top + 1;
	for (size_t i = 1; i < n; i++)
		if (step[i].bottom - step[i].top + 1 < *line)
			*line = step[i].bottom - step[i].top + 1;
	*cell = 0;
	for (size_t i = 1; i < n; i++)
		if (step[i].bottom == step[i - 1].bottom)
			keep_smallest_positive(cell, step[i].right - step[i - 1].right);
	for (size_t i = 0; i < n && !*cell; i++)
		if (step[i].bottom - step[i].top + 1 == *line && (step[i].right - step[i].left) % 2 == 0)
			keep_smallest_positive(cell, (step[i].right - step[i].left) / 2);
	return *cell >= CELL_MIN;
}

/* Cells that the caret went with its first step; -1: not a caret. Within a line, the changed pixels reach from the cell left to the
 * cell entered. Across the end of a line, they reach from the cell left to the end of that line, and from the beginning of the new
 * line to the cell entered, rounded up to whole cells, as a letter may not fill its cell. */
static int first_step_cells(const struct caret_step *s, int line, int cell)
{
	if (s->bottom - s->top + 1 <= line)
		return (s->right - s->left) % cell ? -1 : (s->right - s->left) / cell - 1;
	return count_cells(s->all_right - s->top_left, cell) - 1 + count_cells(s->right - s->all_left, cell);
}

/* True if `to` changed only the line below that of `from`: the letter on the line above was drawn by a step of its own. */
static bool is_next_line_only(const struct caret_step *from, const struct caret_step *to)
{
	return to->top > from->bottom && to->top - from->bottom <= to->bottom - to->top + 1;
}

/* Cells that the caret went from one step to the next; -1: not a caret. */
static int step_cells(const struct caret_step *from, const struct caret_step *to, int cell)
{
	int by;

	if (to->bottom == from->bottom) {
		by = to->right - from->right;
		return by < 0 || by % cell ? -1 : by / cell;
	}
	by = to->all_right - from->right;
	if (is_next_line_only(from, to) || (by < 0 && by > -cell)) /* a letter may not fill its cell */
		by = 0;
	if (to->bottom < from->bottom || by < 0)
		return -1;
	return count_cells(by, cell) + count_cells(to->right - to->all_left, cell);
}

/* Cells that the caret went in all steps; -1: these are not the steps of a caret. */
static int64_t count_all_cells(const struct caret_step *step, size_t n, struct shown_number *shown)
{
	int line, cell, by;
	int64_t count = 0;

	if (!measure_cell(step, n, &line, &cell))
		return -1;
	for (size_t i = 0; i < n; i++) {
		by = i ? step_cells(&step[i - 1], &step[i], cell) : first_step_cells(&step[0], line, cell);
		if (by < 0)
			return -1;
		count += by;
		shown[i] = (struct shown_number){ step[i].at_ns, (uint32_t)count };
	}
	return count;
}

static bool are_same_line(const struct caret_step *a, const struct caret_step *b)
{
	return a->top <= b->bottom && b->top <= a->bottom;
}

/* True for a step of a status line or a clock: the steps before and after it share a line on which step `i` changed nothing. */
static bool is_foreign_line(const struct caret_step *step, size_t n, size_t i)
{
	if (!i || are_same_line(&step[i - 1], &step[i]))
		return false;
	return i + 1 == n || (are_same_line(&step[i - 1], &step[i + 1]) && !are_same_line(&step[i], &step[i + 1]));
}

static size_t skip_foreign_steps(const struct caret_step *step, size_t n, size_t keys, struct shown_number *shown)
{
	for (size_t foreign = 0; foreign < n && foreign <= CARET_FOREIGN; foreign++) {
		int64_t count = count_all_cells(step + foreign, n - foreign, shown);

		if (count >= 0)
			return count == (int64_t)keys ? n - foreign : 0;
	}
	return 0;
}

size_t caret_count_shown(const struct caret_step *step, size_t n, size_t keys, struct shown_number *shown)
{
	struct caret_step *own;
	size_t kept = 0, count;

	if (keys <= 1 || !n)
		return 0;
	count = skip_foreign_steps(step, n, keys, shown);
	if (count)
		return count;
	own = memory_new(n, sizeof(*own));
	for (size_t i = 0; i < n; i++)
		if (!is_foreign_line(step, n, i))
			own[kept++] = step[i];
	if (kept < n && n - kept <= CARET_FOREIGN)
		count = skip_foreign_steps(own, kept, keys, shown);
	free(own);
	return count;
}
