/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sender - presses keys when they are due, until a signal, a broken connection or a lost window ends that.
 *
 * Used by one thread, while another watches the same target. Allocates nothing and writes no files. */
#pragma once

#include "pairing.h"
#include "target.h"

enum sender_end {
	SENDER_COMPLETE,    /* all keys sent, or still sending */
	SENDER_INTERRUPTED, /* stop signal */
	SENDER_DROPPED,	    /* the connection is broken */
	SENDER_LEFT,	    /* the chosen window lost the keyboard */
	SENDER_UNSHOWN	    /* a key that BackSpace is to follow did not show, or BackSpace did not take it away */
};

struct key_sender {
	const struct target_ops *target;
	void *self; /* the open target */
	struct observations *seen;
	bool hold;	    /* keys stay down until sender_release_key() */
	int down;	    /* the target's number of the key that is down; -1: none */
	int64_t release_ns; /* when that key goes up; INT64_MAX: not before the end of the train */
	int64_t spin_ns;    /* the wait for a due time ends in a busy loop of so long */
	int64_t blocked_ns; /* longest wait of a due key because the server read nothing */
	int64_t handed_ns;  /* longest time until a key was handed over: to the X server, to a socket, to the library */
	enum sender_end end;
};

void sender_init(struct key_sender *s, const struct target_ops *target, void *self, struct observations *seen, bool hold);

/* Sets `end` if a signal, a broken connection or a lost window ends the sending. True: it has ended. */
bool sender_detect_end(struct key_sender *s);

/* Waits for a whole line on a descriptor. False: end of input, or sender_detect_end(). */
bool sender_await_line(struct key_sender *s, int fd);

/* Releases the key before, waits until this one is due and presses it. Sets key->sent_ns, which stays 0 if the key could not be
 * sent by give_up_ns. A tapped key is released 5 ms later: by the next call, or by sender_release_key(). */
void sender_press_key(struct key_sender *s, struct key_times *key, int number, int64_t give_up_ns);

/* Releases the key that is down; a held key not before held_until_ns, but at once where sender_detect_end(). */
void sender_release_key(struct key_sender *s, int64_t held_until_ns);

/* Presses and releases a key at once, also after a stop signal. */
void sender_tap_last(struct key_sender *s, int number);

/* The next length of the busy loop before a due time, where waking up took woke_ns: a wake-up that took longer than the loop adds
 * as much as 199 others take away, so that one in 200 is late. From 15 to 300 us. */
int64_t sender_learn_spin(int64_t spin_ns, int64_t woke_ns);

/* Sleeps until due_ns or a stop signal, also one that arrived just before. */
void sender_sleep(int64_t due_ns);
