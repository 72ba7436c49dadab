/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sender - presses keys when they are due, and knows why no more can be sent.
 *
 * Used by one thread; another watches the same target. Neither allocates nor writes files. */
#ifndef KEYREPEAT_SENDER_H
#define KEYREPEAT_SENDER_H

#include "pairing.h"
#include "target.h"

enum sender_end { SENDER_COMPLETE, SENDER_INTERRUPTED, SENDER_DROPPED, SENDER_LEFT };	/* left: the window lost the keyboard */

struct sender {
	const struct target_ops *target;
	void *self;			/* the open target */
	struct observations *seen;
	bool hold;			/* keys stay down until sender_release() */
	int down;			/* target's number of the key that is down; -1: none */
	int64_t release_ns;		/* when it goes up again; INT64_MAX: not before the end */
	int64_t blocked_ns;		/* longest time a due key waited because the server read nothing */
	enum sender_end end;
};

void sender_start(struct sender *s, const struct target_ops *target, void *self, struct observations *seen, bool hold);

/* Whether it is over: a signal, a closed connection, a window that lost the keyboard. `end` says which. */
bool sender_ended(struct sender *s);

/* Waits until the key is due and presses it, the one before having gone up; fills in sent_ns, which stays 0 when it could not
 * be sent by give_up_ns. A tapped key goes up 5 ms later: at the next call, or in sender_release(). */
void sender_key(struct sender *s, struct pair_key *key, int number, int64_t give_up_ns);

/* Lets the key that is down go up; one that is held, not before held_until_ns. */
void sender_release(struct sender *s, int64_t held_until_ns);

/* A sleep that a signal ends even if it comes just before. */
void sender_sleep(int64_t due_ns);

#endif
