/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict - what made the waits of an interval longer than usual: the network, the server or the client. Pure.
 *
 * The wait of an input is split by what the tap can see: round trips of data and acknowledgement on both sides of the tap, the
 * client's replies to updates, and the rest, which is the server's. Each part is compared with its usual value, the least of the
 * last VERDICT_MEMORY slots. A part that makes up over half of the rise is the verdict. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define VERDICT_RISE_NS 20000000LL	/* a smaller rise is none; */
#define VERDICT_RISE_SHARE 0.5		/* as is one below this share of the usual wait */
#define VERDICT_DELAYED_NS 40000000LL	/* an acknowledgement may be delayed by this (Linux: TCP_DELACK_MIN) */
#define VERDICT_SLOT_NS 60000000000LL
#define VERDICT_MEMORY 16		/* slots */
#define VERDICT_FIRST 3			/* intervals with inputs before the first verdict */

enum verdict_word { VERDICT_IDLE, VERDICT_LEARNING, VERDICT_USUAL, VERDICT_NETWORK, VERDICT_SERVER, VERDICT_CLIENT, VERDICT_UNKNOWN,
		    VERDICTS };
extern const char *const verdict_words[];

/* What an interval showed, in ns; -1: not known. Parts of one wait: */
enum verdict_part { PART_WAIT, PART_CLIENT_ACK, PART_SERVER_ACK, PART_REPLY, VERDICT_PARTS };
struct verdict_interval_readings {
	int64_t part[VERDICT_PARTS];	/* input to update at the tap; data to acknowledgement; update to the client's reply */
	uint64_t packets, retransmitted, zero_windows;
	bool server_is_near;		/* no network between the server and the tap */
};

struct verdict_baseline {
	int64_t least[VERDICT_PARTS][VERDICT_MEMORY];	/* of each slot; -1: none */
	int64_t slot;			/* number of the current slot; 0: none yet */
	int intervals;			/* with inputs so far, up to VERDICT_FIRST */
};
void verdict_baseline_init(struct verdict_baseline *b);

struct verdict {
	enum verdict_word word;
	int64_t rise_ns;		/* of the wait at the client; -1: not known */
};
/* Judges an interval that began at `time_ns`, and learns from it. */
struct verdict verdict_judge_and_learn(struct verdict_baseline *b, int64_t time_ns, const struct verdict_interval_readings *seen);
