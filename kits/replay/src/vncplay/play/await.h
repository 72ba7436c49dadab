/* SPDX-License-Identifier: GPL-3.0-or-later */
/* await - waits until the screen shows a snapshot: decides when to go on, to move the pointer, to search elsewhere, to give up.
 * Pure: time comes in as a number, actions go out as a return value.
 *
 * A snapshot is compared from the moment that it is the next event, so that one that matches when its input is due costs no time.
 * A match must last for `settle_ns`. */
#pragma once

#include "vncplay/common/match.h"
#include "vncplay/common/trace.h"

#include <stdbool.h>
#include <stdint.h>

enum await_pointer { AWAIT_POINTER_AUTO, AWAIT_POINTER_NEVER, AWAIT_POINTER_ALWAYS };

struct snapshot_wait_cfg {
	struct match_cfg match;
	int64_t timeout_ns, settle_ns;
	int64_t patience_ns;	/* wait before searching elsewhere, or before masking the pointer's picture */
	int64_t wiggle_ns;	/* wait before the pointer is moved aside and back for the first time */
	int64_t wiggle_each_ns; /* wait before the pointer is moved aside and back again */
	int radius;		/* how far to search, pixels; 0: never search */
	int pointer;		/* enum await_pointer: when the pointer's picture is masked */
};

struct snapshot_wait {
	const struct snapshot_wait_cfg *cfg;
	const struct trace_event *shot; /* the snapshot */
	struct match_cfg match;		/* cfg->match, and a mask for the pointer's picture when pointer_masked */
	struct pixel_area masks[MATCH_MASKS + 1];
	int64_t since_ns;		    /* when the input of the snapshot was due; INT64_MAX: not yet */
	int64_t matched_ns;		    /* since when the screen matches; INT64_MAX: it does not */
	int64_t wiggle_at_ns, search_at_ns; /* when to move the pointer aside next, and when to search next */
	bool dirty;			    /* the screen near the snapshot was painted since the last comparison */
	bool out;			    /* the pointer is a pixel beside its place */
	bool pointer_masked, may_wiggle;
	bool held;		    /* a button is down: the pointer must not be moved, and a dragged object moves with it */
	int hint_dx, hint_dy;	    /* by how much the previous click was displaced, pixels */
	int dx, dy;		    /* displacement at which the snapshot is compared as well, pixels */
	struct mismatch_count seen; /* at the recorded place, or at the displacement when it matches there */
	int least;		    /* fewest mismatches at the recorded place; -1: not compared yet */
	enum match_found found;	    /* result of the last search */
	bool searched;
};

/* Begins with a snapshot. `held`: a button is down. `dx`, `dy`: by how much the previous click was displaced, pixels: the
 * snapshot is compared there as well, and only there while a button is down. The caller sets a->may_wiggle. */
void snapshot_wait_begin(struct snapshot_wait *a, const struct snapshot_wait_cfg *cfg, const struct trace_event *shot, bool held,
			 int dx, int dy);
void snapshot_wait_note_painted(struct snapshot_wait *a, struct pixel_area box); /* the server painted `box` */
void snapshot_wait_set_due(struct snapshot_wait *a, int64_t now_ns);		 /* the input of the snapshot is due now */

enum await_word {
	AWAIT_NOT_YET, /* do nothing before *wake_ns, or before something is painted */
	AWAIT_OK,      /* the snapshot matches, displaced by a->dx, a->dy */
	AWAIT_OUT,     /* move the pointer a pixel aside */
	AWAIT_BACK,    /* move the pointer back */
	AWAIT_THERE,   /* move the pointer to where the snapshot was found */
	AWAIT_TIMEOUT
};
/* Returns what to do now. `x`, `y`: the pointer; `drawn`: the server may draw the pointer into the screen (it never sent a
 * cursor shape). */
enum await_word snapshot_wait_step(struct snapshot_wait *a, const struct screen *s, int64_t now_ns, int x, int y, bool drawn,
				   int64_t *wake_ns);
