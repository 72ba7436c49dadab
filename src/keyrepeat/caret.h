/* SPDX-License-Identifier: GPL-3.0-or-later */
/* caret - how many characters a terminal has shown, read from how its caret walks.
 *
 * A key that types one character moves the caret by one cell. The pixels that an update changed
 * end, on the caret's line, at the right edge of the caret's cell; so the distance that this edge
 * has gone, over the width of a cell, is the number of keys echoed, also when one update echoes
 * several. A viewer may paint the letter first and the caret after it: the key counts with the
 * second, as all of its echo is there. The cell's width is the shortest step seen. Whether that was
 * right is known afterwards: in a drained train the caret must have gone as many cells as keys were sent. */
#ifndef KEYREPEAT_CARET_H
#define KEYREPEAT_CARET_H

#include "pairing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The pixels that one update changed, in pixels from the upper left; edges on the right are one beyond. */
struct caret_step {
	int64_t at_ns;
	int top, bottom;	/* the highest and the lowest row with a changed pixel */
	int top_left;		/* of the changed pixels in the highest row: where the caret stood before */
	int left, right;	/* of the changed pixels in that row: the caret's line */
	int all_left, all_right;	/* of all of them: where the new line begins, and where the line before it
					 * ended, when the caret went to a new one */
};

/* What lies further apart than this, in rows, is no caret on its way to the next line: a status
 * line, which is a step of its own. */
#define CARET_APART 64

/* Compares two pictures inside a rectangle that lies within both; 32-bit pixels, `stride` of them a row.
 * Fills all but at_ns, from the first changed row down to where CARET_APART unchanged ones follow:
 * what is below out->bottom is to be compared by another call. False when nothing changed there. */
bool caret_difference(const uint32_t *before, const uint32_t *after, size_t stride, int x, int y,
		      int w, int h, struct caret_step *out);

/* What came before the caret's first step (a pointer that hides, a greeting that goes) may stand at
 * the beginning, and what was drawn on other lines (a status line) in between: up to so many of
 * each. */
#define CARET_FOREIGN 4

/* What the caret showed after each step, for pair_patch() with base 0. `shown` has room for n. Returns how many it filled when the
 * steps are those of a caret that has gone `keys` cells; 0 when they are not (nothing is known then), and for a single key: a caret
 * that blinks looks the same. */
size_t caret_count(const struct caret_step *step, size_t n, size_t keys, struct pair_shown *shown);

#endif
