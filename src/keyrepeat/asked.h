/* SPDX-License-Identifier: GPL-3.0-or-later */
/* asked - keys that somebody asks for one by one, each answered when its echo is there.
 *
 * Sends a key when told to and waits for its echo, over a connection that stays. The watching thread is up (train_watch()); which
 * change is the echo is judged by lone.h, or read from the patch. Pure but for the clock, the target and the wait. */
#ifndef KEYREPEAT_ASKED_H
#define KEYREPEAT_ASKED_H

#include "lone.h"
#include "sender.h"

/* From being asked to the due time: the display is asked meanwhile whether the key goes where it is meant to. */
#define ASKED_LEAD_NS 3000000LL

enum asked_how {
	ASKED_NONE,	/* no echo in time (or nobody looks) */
	ASKED_PATCH,	/* the patch counted it */
	ASKED_CHANGE,	/* a change where nothing changes by itself */
	ASKED_DOUBT	/* a change that might be a caret's blink, and no better one followed */
};
extern const char *const asked_words[];		/* of asked_how, as they are written */

struct asked {
	struct sender sender;
	struct lone lone;
	int watch;		/* enum target_watch */
	bool steps_told;	/* the target tells what a change changed; otherwise any change is an echo */
	int64_t timeout_ns;
	uint32_t base, keys;	/* the patch's number at the start, keys sent since */
	size_t steps, updates, shows;	/* of seen, taken in */
};

/* When nobody else uses `seen`. */
void asked_start(struct asked *a, const struct target_ops *target, void *self, struct observations *seen, int watch,
		 int64_t timeout_ns);

/* Sends one key (target's number), due ASKED_LEAD_NS from now, and waits for its echo until timeout_ns after it was due, or until
 * sender_ended(). Fills in due, sent and answer, or censored_ns. */
enum asked_how asked_key(struct asked *a, int number, struct pair_key *key);

#endif
