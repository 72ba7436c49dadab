/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nearest - how far a word is from a name, to find the name that was probably meant (as lab/nearest.sh). */
#pragma once

#include <stddef.h>

#define NEAREST_LETTERS 40 /* longer words are near no name */

/* Letters to add, leave out, change or swap with the next one, to make `name` of the first `n` letters of `word`; NEAREST_FAR: more
 * than a slip of the keyboard, which is one letter of a word of less than four, else two, and never all letters. */
size_t nearest_distance(const char *word, size_t n, const char *name);
#define NEAREST_FAR ((size_t)-1)
