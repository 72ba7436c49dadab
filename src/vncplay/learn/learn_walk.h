/* SPDX-License-Identifier: GPL-3.0-or-later */
/* learn_walk - a log, together with the inputs that were sent meanwhile. */
#ifndef THINPROBE_LEARN_WALK_H
#define THINPROBE_LEARN_WALK_H

#include "vncplay/common/rfb.h"

struct learn_walk {
	void *whose;
	int (*sized)(void *whose, int width, int height);	/* once; 0 or -errno ends it */
	void (*changed)(void *whose, int tile, int64_t at_us);	/* a tile (row by row) shows something else */
	/* before what came after it; a block of the same millisecond came after it */
	void (*sent)(void *whose, int input, const struct screen *s);
};

/* 0; -EPROTO with `why`; -errno. */
int learn_walk(const struct learn_walk *w, const char *log, const int64_t *sent_us, int inputs, char *why, size_t size);

#endif
