// SPDX-License-Identifier: GPL-3.0-or-later
/* Finds the region in which echoes appear: watches without keys, types a few keys, watches again, and compares what changed when
 * (region.h). */
#include "x11.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"

#include <stdio.h>

#define NO_KEYS_NS (2500 * NS_PER_MS) /* watching without keys: the caret of any system blinks within it */
#define ECHO_NS (400 * NS_PER_MS)     /* shortest wait for the changes after a key; on a busy machine the first may come later */
#define QUIET_NS (250 * NS_PER_MS)    /* after a change the wait goes on until nothing changed for this long ... */
#define ECHO_MAX_NS (3 * NS_PER_S)    /* ... but ends here, where something changes all the time, or nothing does */
#define READ_NS (25 * NS_PER_MS)      /* between two readings of the screen */
#define DOWN_NS (5 * NS_PER_MS)	      /* how long a key is held down */

struct region_finder {
	struct x11_target *self;
	struct change_marks marks;
	uint32_t *last, *now; /* pixels of the last reading and of this one */
};

/* Marks the pixels that changed since the last call. True when some did. */
static bool mark_new_changes(struct region_finder *f, uint8_t bit)
{
	uint32_t *swap = f->last;
	bool changed;

	if (!x11_pixels_read(&f->self->picture, &f->self->area))
		return false;
	x11_pixels_copy(&f->self->picture, f->marks.w, f->marks.h, f->now, (size_t)f->marks.w);
	changed = region_mark_changes(&f->marks, f->last, f->now, bit);
	f->last = f->now;
	f->now = swap;
	return changed;
}

static void mark_keyless_changes(struct region_finder *f, uint8_t bit)
{
	int64_t until = clock_now() + NO_KEYS_NS;

	while (clock_now() < until && !proc_stop) {
		mark_new_changes(f, bit);
		proc_sleep(clock_now() + READ_NS);
	}
}

/* Types a key and marks the pixels that change. False: the window has lost the keyboard, or the connection is broken. */
static bool type_and_mark(struct region_finder *f, int key, uint8_t bit)
{
	int64_t begin, changed = 0;

	if (x11_check_keyboard(f->self, clock_now() + ECHO_MAX_NS) || x11_send_act(f->self, key, true))
		return false;
	proc_sleep(clock_now() + DOWN_NS);
	x11_send_act(f->self, key, false);
	begin = clock_now();
	while (!proc_stop && clock_now() - begin < ECHO_MAX_NS &&
	       (!changed || clock_now() - begin < ECHO_NS || clock_now() - changed < QUIET_NS)) {
		if (mark_new_changes(f, bit))
			changed = clock_now();
		proc_sleep(clock_now() + READ_NS);
	}
	return true;
}

static int type_and_find(struct region_finder *f, int key, struct why *why)
{
	struct pixel_area found;

	mark_new_changes(f, 0); /* the first picture has no other to be compared with */
	mark_keyless_changes(f, REGION_BEFORE);
	for (int i = 0; i < REGION_KEYS && !proc_stop; i++) {
		if (!type_and_mark(f, key, (uint8_t)REGION_KEY(i)))
			return why_fail(-1, why, "the window lost the keyboard: leave it alone while it is measured");
	}
	mark_keyless_changes(f, REGION_AFTER);
	if (proc_stop)
		return 0; /* the run then ends at once, with a report */
	if (!region_find_echoes(&f->marks, &found)) {
		why_say(why,
			"no place follows the keys typed: put the caret into a text field in sight, or mark the place with --region");
		return -1;
	}
	f->self->area = (struct pixel_area){ f->self->area.x + found.x, f->self->area.y + found.y, found.w, found.h };
	f->self->limited = true;
	f->self->from = "found by typing";
	return 0;
}

int x11_find_region(struct x11_target *self, const struct target_cfg *cfg, struct why *why)
{
	size_t pixels = (size_t)self->area.w * (size_t)self->area.h;
	struct region_finder f = { .self = self,
				   .marks = { self->area.w, self->area.h, memory_new(pixels, 1) },
				   .last = memory_new(pixels, sizeof(*f.last)),
				   .now = memory_new(pixels, sizeof(*f.now)) };
	int key = x11_add_act(self, cfg->first_key, why), err = -1;

	if (key >= 0 && !x11_pixels_alloc(&self->picture, &self->watch, self->area.w, self->area.h))
		why_say(why, "cannot read the pixels of x11:%s", cfg->where);
	else if (key >= 0)
		err = type_and_find(&f, key, why);
	x11_pixels_free(&self->picture);
	free(f.marks.bits);
	free(f.last);
	free(f.now);
	return err;
}
