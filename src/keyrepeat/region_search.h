/* SPDX-License-Identifier: GPL-3.0-or-later */
/* region_search - finds the region in which echoes appear: watches without keys, types a few, watches again, and compares what
 * changed when (region.h). Before the run, and with the thread that sends only. */
#pragma once

#include "picture.h"
#include "target.h"

struct region_search {
	const struct target_cfg *target; /* its first_key is typed, and its `back`, if any, after each of these */
	void *self;			 /* the target */
	int w, h;			 /* pixels of its picture */
	_Atomic int64_t *painted;	 /* counts pixels that were painted, changed or not; NULL: not known */
	const char *hint;		 /* the end of the line about keys that show nowhere; NULL: nothing */
	/* Prepares a key (struct target_ops). */
	int (*act)(void *self, const struct input_act *act, struct why *why);
	/* Copies the picture as it is now. False: it cannot be read now, or has another size. */
	bool (*read)(void *self, uint32_t *pixels, int w, int h);
	/* Presses (down) or releases a key. False: it no longer gets where it should. */
	bool (*type)(void *self, int key, bool down);
};

/* 0, also after a stop signal, when the run ends at once (`out` is then as before); -EPIPE: type() failed; or -1 with a line in
 * `why`. With `back`, no further key is typed once one showed nothing, or two were not taken away. */
int region_search(const struct region_search *cfg, struct pixel_area *out, struct why *why);

/* The same in the picture that a library decodes, of which it becomes the region. */
int region_search_picture(struct region_search *cfg, struct picture *picture, struct why *why);
