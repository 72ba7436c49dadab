/* SPDX-License-Identifier: GPL-3.0-or-later */
/* caret - counts the characters that a terminal has shown by the movement of its caret.
 *
 * A key that types one character moves the caret by one cell. The pixels that an update changes end, on the caret's line, at the
 * right edge of the caret's cell. The movement of this edge, divided by the width of a cell, is the number of keys echoed, also
 * when one update echoes several. Where the letter is painted first and the caret after it, the key counts with the caret. The
 * width of a cell is the shortest step seen. At the end the count is checked: the caret must have gone as many cells as keys were
 * sent. */
#pragma once

#include "pairing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The pixels that one update changed: rows and columns counted from the upper left; right edges are one column beyond. */
struct caret_step {
	int64_t at_ns;
	int top, bottom;	 /* the highest and the lowest row with a changed pixel */
	int top_left;		 /* first changed column of the row `top`: where the caret stood before */
	int left, right;	 /* first and last changed column of the row `bottom`: the caret's line */
	int all_left, all_right; /* first and last changed column of all rows; when the caret went to a new line: where the new
					 * line begins, and where the line before ended */
};

/* Changes more than this many rows apart are two steps: a status line, for example, not the caret on its way to the next line. */
#define CARET_APART 64

/* Compares two pictures of 32-bit pixels, `stride` pixels a row, inside the w x h rectangle at x, y. Fills all of *out but at_ns
 * with the first group of changed rows, which ends before CARET_APART unchanged rows; rows below out->bottom need another call.
 * False: nothing has changed. */
bool caret_find_change(const uint32_t *before, const uint32_t *after, size_t stride, int x, int y, int w, int h,
		       struct caret_step *out);

/* Steps that are not the caret's: up to this many before its first step (a pointer that disappears), and as many on other lines
 * later (a status line). */
#define CARET_FOREIGN 4

/* Fills `shown`, which has room for n elements, with the characters shown after each step, for pair_patch_numbers() with
 * base 0. Returns the number of elements if the steps are those of a caret that went `keys` cells; 0 if not, and for keys == 1,
 * when a blinking caret looks the same. */
size_t caret_count_shown(const struct caret_step *step, size_t n, size_t keys, struct shown_number *shown);
