/* SPDX-License-Identifier: GPL-3.0-or-later */
/* frames - when each frame of an animation is due, and which frames were seen on a screen. Pure: times and numbers come in. */
#pragma once

#include "sample.h"

#include <stdbool.h>
#include <stdint.h>

/* Frame k has the time slot from start + k / rate to start + (k + 1) / rate, whatever happened before. A frame that is not drawn
 * within its slot is late. A frame whose slot is over before drawing begins is left out: an animation that cannot keep up does not
 * run slower. */
struct frame_slots {
	int64_t start_ns; /* CLOCK_MONOTONIC */
	double rate_per_s;
	int64_t next; /* number of the next slot */
};

/* When a slot begins (CLOCK_MONOTONIC). */
int64_t frame_due_ns(const struct frame_slots *s, int64_t slot);
/* True when the next slot is over already. */
bool frame_slot_is_over(const struct frame_slots *s, int64_t now_ns);

/* Counts frames by their numbers: a frame is seen when the number on the screen changes. */
struct frame_tally {
	int64_t loop;		   /* frames in one round of the animation; 0: unknown */
	int64_t frames, distinct;  /* frames seen; different numbers among them */
	int64_t missed;		   /* frames of the loop between two seen ones; rounds missed as a whole are not noticed */
	int64_t foreign;	   /* numbers that the loop does not have */
	int64_t first_ns, last_ns; /* when the first and the last frame were seen */
	uint32_t last;		   /* number of the last frame seen */
	struct sample gap;	   /* ns between one frame and the next */
	uint8_t *ever;		   /* one bit for each number: has been seen; owned */
};

void frame_tally_start(struct frame_tally *t, int64_t loop);
void frame_tally_free(struct frame_tally *t);
/* Takes the number on the screen at now_ns. True: another frame than at the last call. */
bool frame_tally_add(struct frame_tally *t, uint32_t number, int64_t now_ns);
