/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show - shows the animation in a window, each frame at a time that does not depend on how long earlier frames took. */
#pragma once

#include "frame.h"
#include "rec.h"
#include "sample.h"
#include "sequence.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum show_draw {
	SHOW_IMAGE, /* sends each frame to the X server every time (XPutImage) */
	SHOW_PIXMAP /* sends each frame once, to a pixmap on the X server, and shows it by XCopyArea: like an application's cache */
};
extern const char *const show_draws[];

struct animation_cfg {
	const char *display; /* NULL: $DISPLAY */
	struct frame_cfg picture;
	enum sequence_order order;
	int64_t frames; /* different frames; unused with SEQUENCE_FRESH */
	int64_t hot;	/* frames shown most often, with SEQUENCE_HOT (sequence.h) */
	double rate_per_s;
	int64_t time_ns; /* how long to show; 0: until a stop signal */
	enum show_draw draw;
	int x, y;	      /* place of the window, in pixels */
	void (*ready)(void);  /* called once the first frame has been drawn */
	struct row_file *log; /* one row for each slot, with the columns show_columns; NULL: none */
};
extern const char *const show_columns[];

struct show_result {
	int64_t due, shown;	   /* slots that have begun, frames that were drawn */
	int64_t late;		   /* slots whose frame was drawn after the slot's end, or not at all */
	int64_t left_out;	   /* slots whose frame was not drawn at all */
	int64_t redrawn;	   /* frames drawn again because of an Expose event */
	int64_t frame_bytes;	   /* pixel data of one frame as sent to the display */
	double information_bytes;  /* least size of a frame after lossless coding (mean over the first frames made) */
	int64_t start_ns, end_ns;  /* begin of the first slot, end of the last (CLOCK_MONOTONIC) */
	struct sample lateness_ns; /* from when a frame was due until it was sent */
	bool stopped;		   /* by a signal, before time_ns was over */
};

/* 0 or -errno, with a line in `why`; show_result_free() in both cases. */
int show_animation(const struct animation_cfg *cfg, struct show_result *out, struct why *why);
void show_result_free(struct show_result *r);
