/* SPDX-License-Identifier: GPL-3.0-or-later */
/* echo - which keys a redraw answers, and when: the queue between keys read and patches shown. Pure: time comes in.
 *
 * A key read at r with a delay d is due at r + d, but never before the key ahead of it (keys become ready in order); delays
 * of several keys run side by side. A redraw begins when `batch` keys are due. It answers
 *	per redraw:	every key due when it begins; a key that becomes due while it works waits for the next one;
 *	per key:	exactly `batch` keys, though more be due: an application that coalesces nothing.
 * Keys left over, fewer than a batch, are answered together once no key has come for ECHO_DRAIN_NS.
 * A dropped key counts for no batch and starts no redraw; a redraw for a later key overtakes it, or nothing ever does.
 *
 * Life of a key: received -> (due) -> taken by a redraw -> drawn -> flushed, when it leaves the queue. */
#ifndef THINPROBE_REFECHO_ECHO_H
#define THINPROBE_REFECHO_ECHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ECHO_DRAIN_NS 1000000000LL

struct echo_key {
	uint32_t seq;			/* from 1 */
	unsigned char character;
	bool dropped;
	bool coalesced;			/* not dropped, but shown only through a later number */
	int64_t received_ns, due_ns, draw_ns, flushed_ns;	/* the last two 0: never */
};

struct echo_cfg {
	size_t batch;		/* at least 1 */
	bool per_key;
	size_t room;		/* keys that can wait */
};

struct echo {
	struct echo_cfg cfg;
	struct echo_key *key;		/* ring, owned */
	uint64_t flushed, drawn, taken, end;	/* key numbers: [flushed, drawn) wait for the flush, [drawn, taken) are being
						   drawn, [taken, end) wait */
	uint32_t shown;			/* number of the last drawing */
	int64_t last_received_ns, last_due_ns;
	uint64_t received, lost, redraws, flushes, dropped, coalesced;	/* lost: no room */
	uint64_t answered;	/* shown, be it through a later number; without dropped ones */
	uint64_t waiting;	/* at the end, without dropped ones */
};

typedef void echo_leave(const struct echo_key *key, void *arg);

/* 0 or -ENOMEM. */
int echo_open(struct echo *e, const struct echo_cfg *cfg);
void echo_close(struct echo *e);

/* A key has been read. Its number, or 0 when there is no room (counted). */
uint32_t echo_receive(struct echo *e, int64_t now_ns, int64_t delay_ns, bool drop, unsigned char character);

/* When the next redraw may begin; INT64_MAX: not before another key. Not between take and drawn. */
int64_t echo_next(const struct echo *e);

/* Begins a redraw: how many keys (without dropped ones) it answers, 0 when none is due yet. */
size_t echo_take(struct echo *e, int64_t now_ns);
/* Number `i` of the keys taken, dropped ones included; NULL beyond the last. */
const struct echo_key *echo_taken(const struct echo *e, size_t i);
/* The drawing of what was taken begins now: the number to show. */
uint32_t echo_drawn(struct echo *e, int64_t now_ns);

/* What was drawn so far is out: gives those keys to `leave`, in order. */
void echo_flushed(struct echo *e, int64_t now_ns, echo_leave *leave, void *arg);
/* The end: gives the keys that were never shown to `leave`. */
void echo_rest(struct echo *e, echo_leave *leave, void *arg);

#endif
