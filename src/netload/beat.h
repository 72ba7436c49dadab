/* SPDX-License-Identifier: GPL-3.0-or-later */
/* beat - when the next frames are due: an open loop on absolute times. Pure: the time comes in as a number.
 *
 * Frame k is due k frame times after the start; the schedule never moves, so a stall leaves no
 * drift. As many frames as fit into `burst_ns` (at least one) go together, when the last of them is
 * due. Who is late sends up to a 25th of `catch_up_ns` at once, and then goes on a quarter faster
 * until the schedule is met again: a flood would fill the queue that is to be measured. What is
 * later than `catch_up_ns` is given up, and counted.
 *
 * At random instead: frames come one by one, at exponential distances that are stretched so that
 * every block of about a second holds what the rate says: from near a Poisson process, from afar as
 * steady as the other. Bursts are what is wanted then, so nothing slows them down. */
#ifndef THINPROBE_NETLOAD_BEAT_H
#define THINPROBE_NETLOAD_BEAT_H

#include <stdint.h>

struct beat {
	int64_t rate, frame_bits, catch_up_ns;	/* rate: bits a second */
	int64_t batch;			/* frames that go together */
	int64_t start_ns;
	int64_t done;			/* frames of the schedule, sent or given up */
	int64_t given_up;
	int64_t behind_ns;		/* the most that frames were late when asked for */
	int64_t pause_ns;		/* no batch before that, however late it is */
	int64_t *offset, block, cached;	/* at random: times within the block that is cached; frames of a block */
	uint64_t seed;
};

#define BEAT_BLOCK 65536		/* frames that a block may have */

/* rate and frame_bits > 0. */
void beat_start(struct beat *b, int64_t rate, int64_t frame_bits, int64_t burst_ns, int64_t catch_up_ns, int64_t now_ns);
/* At random from now on: `room` for BEAT_BLOCK times stays the caller's. */
void beat_random(struct beat *b, uint64_t seed, int64_t *room);
/* How many frames are to go at `now_ns`; 0: none before *wake_ns. */
int64_t beat_ask(struct beat *b, int64_t now_ns, int64_t *wake_ns);
/* So many have gone, or were refused: an open loop does not offer them again. */
void beat_done(struct beat *b, int64_t frames);
/* The load is over: what was due by then and has not gone is given up. */
void beat_give_up_rest(struct beat *b, int64_t now_ns);
/* When frame k is due. */
int64_t beat_due(struct beat *b, int64_t frame);
/* Frames that were due by then, those given up among them. */
int64_t beat_offered(struct beat *b, int64_t now_ns);

#endif
