/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sure - is a percentile known well enough (--until-sure), or do more keys tell more of it?
 *
 * Well enough: its interval is at most `width` (a share of the figure) to each side, and was so without the last repeat, too:
 * a stop at the first narrow interval picks those that are too narrow by chance, above all where repeats differ. */
#pragma once

#include "figure.h"

enum sure_word {
	SURE_UNTOLD, /* no number of keys tells it: overloaded, a range, a lower bound, not measured */
	SURE_KNOWN,
	SURE_ONCE, /* narrow enough, but not without the last repeat */
	SURE_WIDE,
	SURE_BARE, /* no interval yet */
	SURE_FEW,  /* too few keys for the percentile */
};

/* before: the figure without the last repeat. */
enum sure_word sure_judge(const struct figure *now, const struct figure *before, double width);

/* The conditions of a run. */
struct sure_run {
	size_t open;
	char why[64];	  /* why the worst of them is open */
	char untold[128]; /* "a range in 2 conditions, overloaded in 1"; empty: none is */
};
struct sure_run sure_count(const struct figure *now, const struct figure *before, size_t n, double width);
