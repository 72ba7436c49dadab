/* SPDX-License-Identifier: GPL-3.0-or-later */
/* region_search - finds the region in which echoes appear: watches without keys, types a few, watches again, and compares what
 * changed when (region.h). Before the run, and with the thread that sends only. */
#pragma once

#include "region.h"
#include "why.h"

struct region_search {
	void *self; /* the target */
	int w, h;   /* pixels of its picture */
	/* Copies the picture as it is now. False: it cannot be read now, or has another size. */
	bool (*read)(void *self, uint32_t *pixels, int w, int h);
	/* Presses (down) or releases a key. False: it no longer gets where it should. */
	bool (*type)(void *self, int key, bool down);
	int key;  /* the target's number of the key to type */
	int back; /* of BackSpace, typed after each key, which must take away what the key has shown; -1: keys stay */
};

/* 0, also after a stop signal, when the run ends at once (`out` is then as before); -EPIPE: type() failed; or -1 with a line in
 * `why`. With `back`, no further key is typed once one showed nothing, or was not taken away. */
int region_search(const struct region_search *cfg, struct pixel_area *out, struct why *why);
