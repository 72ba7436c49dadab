/* SPDX-License-Identifier: GPL-3.0-or-later */
/* field - tells from pixels whether a text field shows the character that is typed into it and erased in turns. Pure.
 *
 * Pictures of the field without it, and with it, are learned first: two of each, since a caret may blink, and one more of how a
 * character looks at first. Then a picture is one of these if hardly a pixel differs by more than a quarter of the contrast of the
 * character: a lossy picture, or one that is refined later, is as good as an exact one. A picture on the way from one to the other,
 * as where a caret goes first, is neither.
 */
#pragma once

#include "area.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_state { FIELD_EMPTY, FIELD_TYPED, FIELD_STATES };

#define FIELD_PICTURES 3 /* the last is for how a character looks at first */

struct field {
	struct pixel_area at; /* of the picture; set by the caller */
	uint32_t *picture[FIELD_STATES][FIELD_PICTURES];
	size_t n[FIELD_STATES]; /* pictures learned */
	uint32_t *first;	/* how a character looked at first, before what came later, such as a completion */
	bool *changes;		/* of each pixel: it is not compared, since it changes by itself */
	int same;		/* by how much a pixel may differ */
	size_t slack;		/* how many pixels may differ by more */
};

/* Frees what was learned; `at` stays. */
void field_forget(struct field *f);
/* Learns how the field looks at rest, in a picture of rows of `stride` pixels. again: as it did before, so that what is different
 * now is compared no more. */
void field_learn(struct field *f, enum field_state state, const uint32_t *picture, size_t stride, bool again);
/* Keeps how a character looks at first; with field_prefer_first(), that picture shows it, too. */
void field_keep_first(struct field *f, const uint32_t *picture, size_t stride);
void field_prefer_first(struct field *f);
/* To be called when more was learned: sets how much may differ. False: the two states look alike. */
bool field_compare_states(struct field *f);
/* Pixels in which the picture differs from the nearest of that state. */
size_t field_count_differing(const struct field *f, enum field_state state, const uint32_t *picture, size_t stride);
