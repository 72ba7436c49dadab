/* SPDX-License-Identifier: GPL-3.0-or-later */
/* seen - what the watcher saw of the display, handed to the thread that sends keys.
 *
 * One thread adds, another may read at any time. Room is made before the run; what finds none is counted. Updates are merged as
 * they come (pairing.h), so a film on the display fills at most 1 / gap + 1 / longest rows a second. */
#ifndef KEYREPEAT_SEEN_H
#define KEYREPEAT_SEEN_H

#include "caret.h"
#include "pairing.h"

#include <stdatomic.h>

#define SEEN_GAP_NS 10000000LL	/* changes closer than this are one update, under every schedule */

struct observations {
	int64_t *update_ns;		/* owned: beginning of each update */
	struct pair_shown *shown;	/* owned: each change of the patch's number */
	struct caret_step *step;	/* owned: what each picture change changed, not merged */
	size_t update_room, shown_room, step_room;
	int64_t longest_ns;		/* no update is longer */
	struct pair_merge merge;
	_Atomic size_t updates, shows, steps, lost;
	_Atomic bool steps_lost;	/* one found no room, or could not be read: the caret's way is not known */
	_Atomic int64_t last_change_ns;	/* latest change of any pixel; 0: none yet */
	_Atomic int64_t number;		/* what the patch shows; -1: none seen yet */
	_Atomic int64_t unreadable;	/* looks at the patch that found it torn or covered */
	_Atomic bool dropped;		/* the connection is gone */
	_Atomic(const char *) left;	/* keys would no longer go where they are meant to: why, in static words; NULL: they do */
};

/* 0 or -ENOMEM. No room for steps where nobody will tell of any. */
int observations_init(struct observations *s, int64_t longest_ns, size_t update_room, size_t shown_room, size_t step_room);
void observations_free(struct observations *s);
/* Clears what was recorded during connection set-up, but keeps `number`, the value that the patch shows. The watching thread
 * must not run meanwhile. */
void observations_restart(struct observations *s);

/* Pixels changed and were read at at_ns. */
void observations_update(struct observations *s, int64_t at_ns);
/* This changed (beside observations_update(); only from targets that hold a picture to compare with). */
void observations_step(struct observations *s, const struct caret_step *step);
/* The patch was readable at at_ns and showed this number. */
void observations_number(struct observations *s, int64_t at_ns, uint32_t number);

#endif
