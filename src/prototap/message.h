/* SPDX-License-Identifier: GPL-3.0-or-later */
/* message - runs of payload in one direction: what can be counted as messages from outside.
 *
 * A wire message ends in PSH, in data of the other direction, or in a pause over MESSAGE_PAUSE_NS. It is counted when it begins.
 * Fed with new data in sequence order only (stream.h). Pure: time comes in as a number. */
#ifndef PROTOTAP_MESSAGE_H
#define PROTOTAP_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#define MESSAGE_PAUSE_NS (200 * 1000000LL)

/* Data that is handed over at one instant. It may hold several ends (PSH), when it waited behind a hole. */
struct message_part {
	uint64_t bytes;
	uint32_t ends;		/* how many of its segments carry PSH */
	bool open;		/* bytes follow the last of those ends */
};

/* Of one flow. */
struct message_run {
	int64_t last_ns;	/* of the open message's newest data */
	int8_t direction;	/* of the open message; -1: none is open */
};

void message_start(struct message_run *m);

/* How many messages begin with this part, 0 when it all continues the open one. `*fresh`: the part's first byte begins one. */
uint32_t message_take(struct message_run *m, int direction, int64_t time_ns, const struct message_part *part, bool *fresh);

#endif
