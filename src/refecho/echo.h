/* SPDX-License-Identifier: GPL-3.0-or-later */
/* echo - the queue of keys from reception to display, which decides when a redraw begins and which keys it answers. Pure: times are
 * passed in.
 *
 * A key received at r with a delay d is due at r + d, but never before the key ahead of it; the delays of several keys run at the
 * same time. A redraw begins when `batch` keys are due. It answers
 *	per redraw:	all keys due when the redraw begins; keys that become due meanwhile wait for the next redraw;
 *	per key:	exactly `batch` keys, even if more are due, like an application that does not coalesce keys.
 * Fewer keys than a batch are answered together once no key has come for ECHO_DRAIN_NS.
 * A dropped key does not count for a batch and starts no redraw; it leaves the queue with the next redraw for a later key.
 *
 * States of a key: received -> due -> taken by a redraw -> drawn -> flushed to the display, when it leaves the queue; with
 * `presents` -> presented, and only then. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ECHO_DRAIN_NS 1000000000LL
#define ECHO_UNTOLD 32 /* keys after which a compositor that told of no presentation is taken for one that never does */

struct echo_key {
	uint32_t seq;		     /* number of the key, from 1 */
	unsigned char character;     /* 0: not an ASCII character */
	bool dropped;		     /* never to be drawn */
	bool coalesced;		     /* its own number was not shown, only that of a later key */
	int64_t received_ns, due_ns; /* CLOCK_MONOTONIC */
	int64_t draw_ns, flushed_ns; /* 0: never */
	int64_t presented_ns;	     /* 0: never, or nobody tells */
};

struct echo_queue_cfg {
	size_t batch;  /* keys due before a redraw begins, at least 1 */
	bool per_key;  /* a redraw answers `batch` keys, not all that are due */
	size_t room;   /* keys that the queue holds */
	bool presents; /* keys wait for echo_mark_presented(), unless ECHO_UNTOLD of them have waited and none was presented yet */
};

struct echo_queue {
	struct echo_queue_cfg cfg;
	struct echo_key *key; /* ring buffer of `room` keys, owned */
	/* positions in the queue: [left, flushed) wait for their presentation, [flushed, drawn) for the flush, [drawn, taken) are being
	 * drawn, [taken, end) wait */
	uint64_t left, flushed, drawn, taken, end;
	uint32_t shown; /* number drawn last; 0: none yet */
	int64_t last_received_ns, last_due_ns;
	uint64_t received, redraws, flushes, dropped, coalesced;
	bool told;	   /* some key was presented */
	uint64_t lost;	   /* keys that the full queue did not take */
	uint64_t answered; /* keys shown, coalesced ones included, dropped ones not */
	uint64_t waiting;  /* keys not shown at the end, without dropped ones */
};

/* Called for each key that leaves the queue. */
typedef void echo_leave(const struct echo_key *key, void *arg);

void echo_queue_init(struct echo_queue *e, const struct echo_queue_cfg *cfg);
void echo_queue_free(struct echo_queue *e);

/* Adds a key received at now_ns to the queue. Returns the key's number; 0: the queue is full. */
uint32_t echo_add_key(struct echo_queue *e, int64_t now_ns, int64_t delay_ns, bool drop, unsigned char character);

/* When the next redraw may begin; INT64_MAX: not before another key. Not to be called between echo_begin_redraw()
 * and echo_end_redraw(). */
int64_t echo_next_due_ns(const struct echo_queue *e);

/* Begins a redraw. Returns how many keys it answers, without dropped ones; 0: none is due yet. */
size_t echo_begin_redraw(struct echo_queue *e, int64_t now_ns);
/* Key `i` (from 0) of those that the redraw took, dropped ones included; NULL beyond the last. */
const struct echo_key *echo_redraw_key(const struct echo_queue *e, size_t i);
/* Marks the keys that the redraw took as drawn from now_ns on. Returns the number to draw. */
uint32_t echo_end_redraw(struct echo_queue *e, int64_t now_ns);

/* All keys drawn so far have reached the display at now_ns: passes them to `leave`, in order (not with `presents`). */
void echo_mark_flushed(struct echo_queue *e, int64_t now_ns, echo_leave *leave, void *arg);
/* The picture with this number was on the screen at now_ns, and so were all flushed keys before it: passes them to `leave`. */
void echo_mark_presented(struct echo_queue *e, uint32_t number, int64_t now_ns, echo_leave *leave, void *arg);
/* At the end of the run: passes the keys that are still there to `leave`. */
void echo_drop_unshown(struct echo_queue *e, echo_leave *leave, void *arg);
