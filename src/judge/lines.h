/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines - are points on a straight line? Of claims of the kind "line NAME", which is the line's name. Pure.
 *
 * The line is that of least squares. It is straight where R squared is 0.98 or more; FAILS: it is not, and rises by twice as much
 * as its farthest point is off, or more. Where it does not, nothing is told: of points that scatter about one height R squared
 * is 0, whether they bend or not. UNTOLD: fewer than three points, or all of one x or one y. */
#pragma once

#include "claims.h"

#include <stdbool.h>

bool lines_has_claim(const struct claim *c);
/* Judges the claims of this kind among n: value, the line's y at the claim's x (also of a claim without a y, which is no point);
 * low, R squared; high, how far the farthest point is off. */
void lines_judge(struct claim *c, size_t n);
