/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keep - large blocks of memory are kept from one input to the next: fresh ones cost more than most inputs, in page faults and in
 * shadow memory. Linked into each target (--wrap=malloc and so on). A write beyond a block is found as before; the use of a block
 * after it was freed is not. */
#pragma once

#include <stdbool.h>

/* The target has cleared what it used of a block from calloc(), which is about to be freed: the next calloc() need not. */
void keep_mark_clean(void *block);

/* Between these calls all memory and files are noted; what is left at the end is freed: a reader that ends in die() leaves them. */
void keep_track(bool begin);
