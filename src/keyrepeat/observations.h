/* SPDX-License-Identifier: GPL-3.0-or-later */
/* observations - updates of the screen, recorded by the watching thread for the thread that sends keys.
 *
 * One thread adds, another may read at any time. Memory is allocated before the run; observations beyond it are counted as lost.
 * Changes are merged to updates as they come (pairing.h), so even a film on the display adds at most 1 / OBSERVATIONS_GAP_NS +
 * 1 / longest_ns updates a second. */
#pragma once

#include "area.h"
#include "blink_filter.h"
#include "field.h"
#include "pairing.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OBSERVATIONS_GAP_NS 10000000LL /* changes less than 10 ms apart are one update */

enum observations_phase {
	PHASE_BEFORE, /* no key was sent yet: changes are only learned */
	PHASE_IDLE,   /* no key is under way */
	PHASE_KEYS    /* keys are under way */
};

/* A frame that the server stamped. */
struct frame_stamp {
	int64_t at_ns; /* when it was seen */
	int64_t ms;    /* time of day by the clock of the server */
};

#define OBSERVATIONS_TAUGHT 4 /* keys, a character and BackSpace in turns, from which is learned how they look */

/* What is known of a character that is typed and erased in turns. All zero at first. */
struct erasing {
	struct field field;
	size_t learned;	  /* of `rests`, those whose picture is learned */
	size_t far;	  /* pixels from what the key is to show, while nothing of it is shown */
	int64_t begun_ns; /* since then some of it is; 0: none */
	int64_t first_ns, last_ns,
		taking_ns; /* while it is learned: first and latest change after the character; after BackSpace */
	size_t completed;  /* characters that something else follows, such as a completion, which goes with them */
};

struct observations {
	struct pair_update *update; /* last_ns of the latest one still changes, and is for the thread that adds only */
	struct shown_number *shown; /* each change of the patch's number */
	struct caret_step *step;    /* which pixels each change of the picture changed, changes not merged */
	struct frame_stamp *stamp;
	size_t update_room, shown_room, step_room, stamp_room; /* elements allocated */
	int64_t longest_ns;				       /* longest duration of an update */
	struct pair_merger merge;
	_Atomic bool erases;	    /* updates are those that show or take back a character */
	struct erasing erasing;	    /* used with `erases`, only by the thread that adds updates */
	bool filters;		    /* changes where the picture changes without keys are no updates; else all are */
	struct blink_filter filter; /* for the thread that adds */
	_Atomic int phase;	    /* enum observations_phase; set by the thread that sends */
	_Atomic int state;	    /* with `erases`: enum field_state */
	_Atomic bool blinks;	    /* the same: the field has had two pictures before the first key */
	_Atomic size_t rests;	    /* the same: keys taught, after which the field came to rest; set by the thread that sends */
	_Atomic int64_t sent_ns;    /* the same: of the latest key */
	_Atomic size_t own;	    /* changes left out since the first key */
	_Atomic size_t updates, shows, steps, stamps; /* elements used */
	_Atomic size_t lost;			      /* updates and numbers for which there was no room */
	_Atomic bool steps_lost;	/* a change found no room or could not be read: the way of the caret is not known */
	_Atomic int64_t last_change_ns; /* latest change of any pixel; 0: none yet */
	_Atomic int64_t number;		/* shown by the patch; -1: none seen yet */
	_Atomic int64_t unreadable;	/* readings of the patch that failed: half drawn or covered */
	_Atomic int64_t unread;		/* of these, those since it was read */
	_Atomic bool dropped;		/* the connection to the display is broken */
	_Atomic int crashed;		/* the signal by which the target crashed (`dropped` is set, too); 0: none */
	_Atomic int64_t covered_ns;	/* another window has been in front of what is watched since then; 0: none */
	_Atomic(const char *) left;	/* why keys no longer reach the chosen window, a static text; NULL: keys do */
};

/* Allocates room for so many elements, in memory that a child shares (apart.h); step_room is 0 for a target that reports no
 * steps. */
void observations_init(struct observations *s, int64_t longest_ns, size_t update_room, size_t shown_room, size_t step_room);
/* Makes room for stamps of frames, too. */
void observations_keep_stamps(struct observations *s, size_t room);
void observations_free(struct observations *s);
/* Clears all that was recorded while the target was opened, except `number`, the value that the patch shows. The watching thread
 * must not run meanwhile. */
void observations_clear(struct observations *s);

/* Records that pixels had changed when they were read at at_ns. */
void observations_add_update(struct observations *s, int64_t at_ns);
/* Records which pixels changed, for targets that compare pictures: an update, unless the place changes without keys. */
void observations_add_change(struct observations *s, const struct caret_step *step);
/* A picture begins, of which this area is watched. Once a field is learned (`rests`), no key reaches it any more (`left`). */
void observations_begin_picture(struct observations *s, const struct pixel_area *watched);
/* Records which of the pixels in an area changed between two pictures (rows of `stride` pixels), an update only if some did, and
 * copies the area to `before`. */
void observations_record_changes(struct observations *s, int64_t at_ns, uint32_t *before, const uint32_t *now, size_t stride,
				 const struct pixel_area *in);
/* At the end: leaves out what was recorded of places of which only later was seen that they change without keys. */
void observations_drop_own(struct observations *s);
/* Records the number that the patch showed at at_ns. */
void observations_add_number(struct observations *s, int64_t at_ns, uint32_t number);
/* Counts a reading of the patch that failed. Returns how many have failed since it was read. */
int64_t observations_add_unreadable(struct observations *s);
/* Records that what was seen at at_ns, later than any before, was of a frame with this stamp, if there is room and it is not 0. */
void observations_add_stamp(struct observations *s, int64_t at_ns, int64_t ms);
/* The stamp of the frame that was seen at at_ns; 0: it had none. */
int64_t observations_find_stamp(const struct observations *s, int64_t at_ns);
