/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recorder_inside - shared by recorder.c (holds inputs back, sends and logs them), recorder_snapshot.c (decides which inputs need
 * a snapshot) and change_map.c (when each pixel last changed). */
#pragma once

#include "clock.h"
#include "recorder.h"

/* A change map knows when each pixel of the screen last changed, and which pixels blink. Pure: time comes in as a number.
 *
 * A copy of the screen tells which painted pixels differ from before. A pixel that changes repeatedly without any input (a caret,
 * a clock, an animation) says nothing about a response: it counts as blinking until it has been still for BLINK_MS. */
#define BLINK_MS 3000
#define BLINK_TIMES 2 /* changes without input after which a pixel counts as blinking */

enum change_cause {
	CHANGE_UNPROMPTED, /* no input shortly before */
	CHANGE_AFTER_MOVE, /* shortly before, the pointer moved, and nothing else */
	CHANGE_AFTER_PRESS /* a key or a button was pressed or released shortly before */
};

struct change_map {
	int width, height; /* pixels */
	uint32_t *seen;	   /* the screen at the last change_map_update; owned, as the other two */
	uint32_t *at_ms;   /* when each pixel changed, ms since the recording began, from 1; 0: never */
	uint8_t *alone;	   /* for each pixel: changes without input since its last change after a press */
};

/* Begins with the present screen, no pixel of which has changed; also when the screen's size changes. 0 or -ENOMEM. */
int change_map_restart(struct change_map *f, const struct screen *s);
void change_map_free(struct change_map *f);
/* The server painted `box`. */
void change_map_update(struct change_map *f, const struct screen *s, struct pixel_area box, uint32_t now_ms,
		       enum change_cause cause);

bool change_map_blinks(const struct change_map *f, size_t i, uint32_t now_ms); /* pixel i of the screen */
struct changed_pixels { /* those that changed at `since_ms` or later and do not blink */
	int n;
	struct pixel_area around;
	uint32_t last_ms; /* when the last of them changed; 0: none */
};
struct changed_pixels change_map_find_changed(const struct change_map *f, struct pixel_area within, uint32_t since_ms,
					      uint32_t now_ms);
/* The part of `within`, of at most `most` pixels, that has most of the pixels changed at `since_ms` or later and not blinking:
 * their bounding box, halved across its longer side until it is small enough, the half with more of them each time. */
struct pixel_area change_map_find_area(const struct change_map *f, struct pixel_area within, uint32_t since_ms, uint32_t now_ms,
				       int most);

struct queued_input { /* an input that waits to be sent; no snapshot */
	struct trace_event e;
	int mask; /* pointer buttons that are down after this input: bit 0 is button 1 */
};

struct past_input { /* an input that was sent */
	struct trace_event e;
	int64_t sent_ns; /* CLOCK_MONOTONIC; INT64_MIN: none was sent yet */
};

struct recorder {
	struct recorder_cfg cfg;
	struct recorder_callbacks out;
	void *whose;
	const struct screen *screen;
	struct change_map changes;
	int64_t start_ns;   /* when the recording began, CLOCK_MONOTONIC, as all times here */
	int64_t changed_ns; /* when a pixel that does not blink last changed */

	struct queued_input *queue; /* `n` elements, of which those from `first` on wait to be sent */
	int first, n;
	int mask, x, y; /* buttons and pointer after the last input in the queue */
	int64_t at_ns;	/* when the user made the last input in the queue */

	struct past_input any, press, key, move; /* the last input, press of a button, press of a key and move that were sent */
	int buttons;				 /* buttons down on the server */
	struct held_keys down;			 /* keys down on the server */
	int64_t anchor_ns;			 /* changes since then are the response to the last press or run of keys */
	struct pixel_area soon;			 /* the part of that response that came within 300 ms of an input */
	struct pixel_area keyed;		 /* the area of the snapshot before the last run of keys */

	bool looked; /* needs_snapshot, why and area are set for the first input in the queue */
	bool needs_snapshot;
	enum trace_why why;
	struct pixel_area area; /* the area of that snapshot */
	int64_t ready_ns;	/* when the first input in the queue could have been sent without a snapshot */
	bool waited;		/* the first input in the queue was held back */
	struct recorder_statistics count;
};

/* A time of CLOCK_MONOTONIC as change_map counts it. */
static inline uint32_t recorder_ms(const struct recorder *r, int64_t ns)
{
	return ns <= r->start_ns ? 1 : (uint32_t)((ns - r->start_ns) / NS_PER_MS) + 1;
}
/* Sets needs_snapshot, why and area for the first input in the queue. */
void recorder_plan_snapshot(struct recorder *r, const struct queued_input *h, int64_t now_ns);
/* When the area will have settled if nothing more changes, CLOCK_MONOTONIC. */
int64_t recorder_settle_ns(const struct recorder *r, int64_t now_ns);
/* Takes and logs the snapshots of an input. `restless`: the area did not settle in time. 0 or -errno. */
int recorder_take_snapshots(struct recorder *r, const struct queued_input *h, int64_t now_ns, bool restless);
