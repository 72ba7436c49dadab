/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show - shows the animation in a window of its own, on an absolute schedule. */
#ifndef ANIMATE_SHOW_H
#define ANIMATE_SHOW_H

#include "picture.h"
#include "rec.h"
#include "sample.h"
#include "sequence.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum show_draw {
	SHOW_IMAGE,	/* every frame is sent to the display each time (XPutImage) */
	SHOW_PIXMAP	/* sent once, at the start, to pixmaps of the display, and copied there (XCopyArea): an application's own cache */
};
extern const char *const show_draws[];

struct show_cfg {
	const char *display;		/* NULL: $DISPLAY */
	struct picture picture;
	enum sequence_order order;
	int64_t frames, hot;		/* frames: how many different ones; not of a fresh order */
	double rate_per_s;
	int64_t time_ns;		/* 0: until told to stop */
	enum show_draw draw;
	int x, y;
	void (*ready)(void);		/* the first frame has been drawn */
	struct rows *log;		/* columns of show_columns; NULL: none */
};
extern const char *const show_columns[];

struct show_result {
	int64_t due, shown;		/* slots that began, frames that were drawn */
	int64_t late;			/* slots whose frame was not drawn within them */
	int64_t left_out;		/* of these: not drawn at all */
	int64_t redrawn;		/* drawn again because the display asked for it */
	int64_t frame_bytes;		/* of one frame as it is sent to the display, without the request's head */
	double information_bytes;	/* what lossless coding of a frame by itself takes at least (mean of those made) */
	int64_t start_ns, end_ns;	/* of the first slot, and when the last one was over */
	struct sample lateness_ns;	/* from when a frame was due until it was sent */
	bool stopped;			/* by a signal, before its time */
};

/* 0 or -errno, with a line in `why`; `out` is to be freed either way. */
int show_run(const struct show_cfg *cfg, struct show_result *out, char *why, size_t size);
void show_free(struct show_result *r);

#endif
