/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stability - finds out since when the content of an application is stable, from a series of looks, each a hash of all its pixels.
 *
 * Content is stable when, for the quiet time, only one picture was seen; or two in turn, each at least twice, as with a blinking
 * caret. It is stable since the last change before: since that picture, or the first of the two, appeared. A third picture ends
 * stability; further turns of the two do not, but they may show that the last change was the caret's already, and then the time is
 * corrected. stability_update() must be called at least once in a quiet time. Pure: times and hashes are passed in. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct stability {
	int64_t quiet_ns;	 /* how long content must not change */
	bool any;		 /* there was a look */
	uint64_t now, before;	 /* hashes: of the last picture, and of the other one of the two seen last */
	int64_t now_ns, pair_ns; /* since when the last picture is shown; since when only these two pictures are */
	int turns;		 /* how often in a row the picture went from one of the two to the other */
	bool reached;		 /* content is stable, since stable_ns */
	int64_t stable_ns;
	/* after an event: pictures that do not count as a reaction to it */
	uint64_t known[2];
	int knowns;
	bool changed;		 /* another picture than the known ones was seen */
	int64_t first_change_ns; /* when such a picture was first seen */
	int64_t changes;	 /* looks that showed another picture than the look before */
};

void stability_init(struct stability *r, int64_t quiet_ns);
/* Starts anew after an event: content becomes stable only after a picture other than those with which `last` ended (one, or two in
 * turn). */
void stability_restart(struct stability *r, const struct stability *last, int64_t quiet_ns);
/* Adds a look, in ascending order of time. */
void stability_add_look(struct stability *r, int64_t at_ns, uint64_t picture);
/* When the last picture came, or where it takes turns with another, the first of the two. */
int64_t stability_last_change(const struct stability *r);
/* True if content is stable at now_ns, which is not before the last look; since when is in stable_ns. */
bool stability_update(struct stability *r, int64_t now_ns);
