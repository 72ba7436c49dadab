/* SPDX-License-Identifier: GPL-3.0-or-later */
/* count - counts the frames of an animation that really appear on a display, from the pixels of the screen. */
#pragma once

#include "frames.h"
#include "rec.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_count_cfg {
	const char *display;  /* NULL: $DISPLAY */
	int64_t loop;	      /* frames in one round of the animation; 0: unknown */
	int64_t wait_ns;      /* how long to look for the animation before giving up */
	int64_t time_ns;      /* how long to count; 0: until a stop signal */
	void (*ready)(void);  /* called once the animation has been found */
	struct row_file *log; /* one row for each frame seen, with the columns count_columns; NULL: none */
};
extern const char *const count_columns[];

struct count_result {
	struct frame_tally seen;
	int64_t looks, unreadable; /* readings of the frame number; of these: failed, the patch was half drawn or covered */
	int64_t start_ns, end_ns;
	int x, y;     /* upper left pixel of the animation on the screen */
	double cell;  /* pixels of a cell of the patch; FRAME_CELL when the animation is not scaled */
	bool stopped; /* by a signal, before time_ns was over */
};

/* 0 or -errno, with a line in `why`; count_result_free() in both cases. */
int count_frames(const struct frame_count_cfg *cfg, struct count_result *out, struct why *why);
void count_result_free(struct count_result *r);
