/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interval_input - tells the messages of a client that are input of a user from all others. Pure.
 *
 * Plain RFB and X11 are read: keys and buttons that go down. Of anything else (opaque: TLS, RDP) only sizes and times are seen, so
 * messages of one size are a kind. Of a kind of input, a message is a press where none is held down, else the release of one, which
 * has no effect. Where as many updates come as messages of a kind, each is a press: there are no releases (ssh). An update
 * that no press preceded shows that the message before it, taken for a release, was a press (two keys held at a time), if it comes
 * as soon as updates do.
 *
 * A client may acknowledge frames, or ask for the next one: a kind of its own, of which a message comes soon after each update,
 * also after those that no press preceded. A person who releases a key after its echo does much the same; then the time since the
 * press is steadier than the time since the update. A kind is told from its first OPAQUE_LEAST messages on. It may be input all the
 * same (a key for each update, released at once) where no other kind may, or where too many messages come later than at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum input_protocol { INTERVAL_OPAQUE, INTERVAL_RFB, INTERVAL_X11 };
/* INPUT: input of a user, which updates answer. REPLY: sent by the client itself after an update. OPAQUE: input or a reply, which
 * of them is not known. */
enum client_message { MESSAGE_INPUT, MESSAGE_REPLY, MESSAGE_OTHER, MESSAGE_OPAQUE };
/* `n` 0: the payload was not captured. *buttons: those of the pointer that are down (RFB). */
enum client_message input_classify_payload(enum input_protocol kind, const uint8_t *bytes, size_t n, uint8_t *buttons);

#define OPAQUE_KINDS 12
#define OPAQUE_LEAST 12
#define OPAQUE_RARER 3		      /* so many times rarer than its parts */
#define OPAQUE_ANSWERS 6	      /* least number of updates that answered a responsive kind */
#define OPAQUE_SOON_NS 60000000LL     /* an acknowledgement follows its update within the round trip and this */
#define OPAQUE_AT_ONCE_NS 15000000LL  /* ... no user is so quick each time */
#define OPAQUE_ANSWER_NS 3000000000LL /* an update answers what came so long before it at most */
#define OPAQUE_REST_NS 400000000LL    /* longer than a key is usually held down */
#define OPAQUE_CLOSE_NS 1000000000LL  /* the keys of a user come so close, what keeps a connection alive never does */
#define OPAQUE_CHAFF_NS 20000000LL    /* time between the messages with which ssh hides when keys are pressed */

struct opaque_kind {
	uint64_t bytes, n, soon, at_once, behind, more; /* soon after an update; at once; behind an update and a message of another
							 * kind; soon after an update, as another of the kind */
	uint64_t presses, answered, open;		/* open: presses since the latest update */
	uint64_t answers;				/* updates that answered some */
	int held;					/* presses without a release so far */
	int64_t first_ns, last_ns,
		doubt_ns;	  /* first message; latest; the same, taken for a release since the latest update; 0: none */
	double followed, regular; /* updates between a message and the next one, lately; share of messages OPAQUE_CHAFF_NS apart */
	double late;		  /* share of messages, lately, that came later than at once after an update */
	double since_update, since_other; /* times since these, and sums of their changes from one message to the next */
	double update_scatter, other_scatter;
	uint64_t updates_before;    /* the kind's first message */
	uint64_t first, left;	    /* update before that message; number of messages until the next one, up to 3 */
	uint64_t joined;	    /* messages of this size that were two */
	uint64_t close, steady;	    /* OPAQUE_CLOSE_NS after another of the kind; as long after it as that after the one before */
	int64_t apart_ns;	    /* between the latest two */
	uint64_t update;	    /* latest update that one of the kind came after */
	int64_t open_ns;	    /* first of the open ones */
	bool alone, once_alone;	    /* each is a press; was once */
	bool acknowledges, follows; /* follows: comes after updates, and is no input, but maybe no acknowledgement either */
};

struct opaque_client {
	struct opaque_kind kind[OPAQUE_KINDS];
	int kinds, latest;		       /* latest: kind of the latest message; -1: it has left */
	uint64_t messages, update, unanswered; /* unanswered: messages in a row without an update */
	int64_t last_ns;
	double own, own_s, own_now; /* updates of the picture in rests, and their length; in this rest */
	bool rare;		    /* of the latest message's kind little is known: it may hold a reply as well */
	bool released;		    /* the latest message was taken for the release of a responsive kind */
	bool doubtful;		    /* some messages counted as acknowledgements may have been input; the owner resets it */
};

/* What a client writes at once is one message: a rare one as large as one of a common kind and one that follows updates is both.
 * Returns the size of the first. */
uint64_t opaque_find_first(struct opaque_client *c, uint64_t bytes);
/* Adds a message of the client, `since_update_ns` after the latest packet of update number `update` (0: none yet), on a way whose
 * shortest round trip is `trip_ns` (-1: not known). *learned: a kind was just found to be no input, or to have no releases; what
 * was seen before counted other messages as input. REPLY, INPUT (a press of a responsive kind), OPAQUE (maybe a press), OTHER. */
enum client_message opaque_add_message(struct opaque_client *c, uint64_t bytes, int64_t time_ns, uint64_t update,
				       int64_t since_update_ns, int64_t trip_ns, bool *learned);
/* An update: returns when a message came that was taken for a release and is a press, which this update answers after `usual_ns` at
 * most; 0: none. `late`: those that wait as presses came too long before it. */
int64_t opaque_add_update(struct opaque_client *c, int64_t time_ns, int64_t usual_ns, bool late);

/* The most frequent kind that may be input; NULL: not known yet. */
const struct opaque_kind *opaque_main_kind(const struct opaque_client *c);

/* OPAQUE_LEARNING: too few messages so far. OPAQUE_MIXED: one size for acknowledgements and input; OPAQUE_CHAFF: messages at the
 * pace of a machine that hides those of a user. Then waits are no waits. */
enum opaque_state { OPAQUE_LEARNING, OPAQUE_TOLD, OPAQUE_MIXED, OPAQUE_CHAFF };
enum opaque_state opaque_judge(const struct opaque_client *c, uint64_t updates);
