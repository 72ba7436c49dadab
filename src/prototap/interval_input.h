/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interval_input - tells the messages of a client that are input of a user from all others. Pure.
 *
 * Plain RFB and X11 are read: keys and buttons that go down. Of anything else (opaque: TLS, RDP) only sizes and times are seen. A
 * client may acknowledge frames, or ask for the next one: messages of a size of their own, each soon after an update, one for each.
 * So messages of one size are a kind, and a kind is learned from its first OPAQUE_LEAST messages: acknowledgements; or input that
 * updates follow (responsive); or input of which that is not known. Of the messages of a kind of input, every other one since the
 * latest rest is taken for a press, the next for its release, which has no effect. */
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
#define OPAQUE_ANSWERS 6	      /* least number of updates that answered a responsive kind */
#define OPAQUE_SOON_NS 60000000LL     /* an acknowledgement follows its update within the round trip and this */
#define OPAQUE_ANSWER_NS 1000000000LL /* an update answers what came so long before it at most */
#define OPAQUE_STOP_NS 10000000000LL  /* presses of a responsive kind that wait for so long count as one: the server stopped */
#define OPAQUE_REST_NS 400000000LL    /* longer than a key is usually held down */

struct opaque_kind {
	uint64_t bytes, n, soon;
	uint64_t presses, answered, open; /* open: presses since the latest update */
	uint64_t answers;		  /* updates that answered some */
	bool pressed;
	int64_t last_ns;	 /* latest message */
	uint64_t updates_before; /* the kind's first message */
	uint64_t update;	 /* latest update that one of the kind came after */
	int64_t open_ns;	 /* first of the open ones */
	bool acknowledges;
};

struct opaque_client {
	struct opaque_kind kind[OPAQUE_KINDS];
	int kinds;
	uint64_t messages;
};

/* Adds a message of the client, `since_update_ns` after the latest packet of update number `update` (0: none yet), on a way whose
 * shortest round trip is `trip_ns` (-1: not known). *learned: a kind was just found to be acknowledgements; what was seen before
 * counted them as input. REPLY, INPUT (a press of a responsive kind) or OPAQUE. */
enum client_message opaque_add_message(struct opaque_client *c, uint64_t bytes, int64_t time_ns, uint64_t update,
				       int64_t since_update_ns, int64_t trip_ns, bool *learned);
void opaque_add_update(struct opaque_client *c, int64_t time_ns);

/* OPAQUE_LEARNING: too few messages so far. OPAQUE_MIXED: one size for acknowledgements and input, so waits are no waits. */
enum opaque_state { OPAQUE_LEARNING, OPAQUE_TOLD, OPAQUE_MIXED };
enum opaque_state opaque_judge(const struct opaque_client *c, uint64_t updates);
