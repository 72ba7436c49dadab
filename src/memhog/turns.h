/* SPDX-License-Identifier: GPL-3.0-or-later */
/* turns - which pages are touched when: an order and a rate, handed out in turns to however many
 * threads there are. Pure: time comes in.
 *
 * A round touches every page once: in their order, or in a random one that is another one each round. */
#ifndef THINPROBE_TURNS_H
#define THINPROBE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

enum turns_order { TURNS_SEQ, TURNS_RANDOM };

struct turns {
	uint64_t pages, seed;
	enum turns_order order;
	double page_ns;		/* one page in this time, of all threads together; 0: as fast as can be */
	uint64_t next;		/* touches handed out */
	int64_t origin_ns;	/* when touch 0 was due, moved on by what was given up */
	int64_t given_up_ns;	/* time by which the touches fell behind their rate for good */
};

struct turn {
	uint64_t first;		/* touches first .. first + count - 1 */
	uint64_t count;
	int64_t due_ns;		/* of the first; 0: now */
};

/* rate: bytes per second, of pages of page_bytes; 0: none. pages > 0. */
void turns_start(struct turns *t, enum turns_order order, uint64_t pages, uint64_t page_bytes,
		 double rate, uint64_t seed, int64_t now_ns);

/* The next turn: about a millisecond's work, or 256 pages. What is late by more than 100 ms is not
 * made up for, since a hog that was stopped by a slow swap would come back as a burst; it is
 * counted. Not for several threads at once. */
void turns_take(struct turns *t, int64_t now_ns, struct turn *out);

/* The page of touch number `touch`, and which round that is. */
uint64_t turns_page(const struct turns *t, uint64_t touch);
uint64_t turns_round(const struct turns *t, uint64_t touch);

#endif
