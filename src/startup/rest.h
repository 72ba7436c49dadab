/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rest - when did what an application shows come to rest: from a series of looks at it, each a hash of all its pixels.
 *
 * Rest is reached when, for the quiet time, only one picture was seen; or two that took turns (each
 * seen at least twice), as those of a blinking caret do. Its time is that of the last change before
 * it: when the one picture came, or the first of the two that take turns. Once reached, a third
 * picture ends it, but not turns of these two: they may show that the last step before it was the
 * caret's already, and then its time is put right. To be asked at least once in a quiet time. Pure:
 * times and hashes come in. */
#ifndef STARTUP_REST_H
#define STARTUP_REST_H

#include <stdbool.h>
#include <stdint.h>

struct rest {
	int64_t quiet_ns;
	bool any;			/* a look was taken */
	uint64_t now, before;		/* the picture, and the other one of the two last seen */
	int64_t now_ns, pair_ns;	/* since when: this picture; nothing but these two */
	int turns;			/* changes from one of the two to the other, in a row */
	bool reached;
	int64_t rest_ns;		/* the last change before it */
	/* of an event: pictures that are no answer to it */
	uint64_t known[2];
	int knowns;
	bool changed;
	int64_t first_change_ns;	/* the first picture that was not known */
	int64_t changes;		/* pictures that followed another */
};

void rest_start(struct rest *r, int64_t quiet_ns);
/* The same, beginning with what `last` ended with (one picture, or two that took turns): rest is only reached after another
 * one has been seen. */
void rest_after(struct rest *r, const struct rest *last, int64_t quiet_ns);
/* A look; times ascend. A look that shows what the one before showed is no change. */
void rest_seen(struct rest *r, int64_t at_ns, uint64_t picture);
/* Is it at rest, `now_ns` being no earlier than the last look? Then rest_ns says since when. */
bool rest_reached(struct rest *r, int64_t now_ns);

#endif
