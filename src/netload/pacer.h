/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pacer - when the next frames are due: an open loop on absolute times. Pure: the current time is a parameter.
 *
 * Frame k is due k frame times after the start; the schedule never moves, so a stall leaves no drift. As many frames as fit into
 * `burst_ns` (at least one) form a batch, due when its last frame is. A late sender sends up to a 25th of `catch_up_ns` at once
 * and then 25 % faster until it is on schedule again: a flood would fill the queue that is to be measured. Frames later than
 * `catch_up_ns` are given up and counted.
 *
 * With random intervals, frames come one by one at exponential intervals, stretched so that every block of about a second holds
 * exactly its frames: nearly a Poisson process in the short term, steady in the long term. Bursts are intended then, so nothing
 * slows them down. */
#pragma once

#include <stdint.h>

struct pacer {
	int64_t rate, frame_bits, catch_up_ns; /* rate: bits a second */
	int64_t batch;			       /* frames of a batch */
	int64_t start_ns;
	int64_t done; /* frames of the schedule so far, sent or given up */
	int64_t given_up;
	int64_t behind_ns;		/* greatest lateness of a batch */
	int64_t pause_ns;		/* no batch before this time, however late the schedule is */
	int64_t *offset, block, cached; /* random: due times within block number `cached`; frames of a block */
	uint64_t seed;
};

#define PACER_BLOCK_MAX 65536 /* most frames of a block */

/* rate and frame_bits must be above 0. */
void pacer_start(struct pacer *b, int64_t rate, int64_t frame_bits, int64_t burst_ns, int64_t catch_up_ns, int64_t now_ns);
/* Switches to random intervals. `room`: the caller's memory for PACER_BLOCK_MAX times. */
void pacer_use_random(struct pacer *b, uint64_t seed, int64_t *room);
/* How many frames to send at `now_ns`; 0: none before *wake_ns. */
int64_t pacer_take_due(struct pacer *b, int64_t now_ns, int64_t *wake_ns);
/* Counts frames that were sent, or refused: an open loop does not offer a frame twice. */
void pacer_count_done(struct pacer *b, int64_t frames);
/* Ends the load: frames due by now and not sent are given up. */
void pacer_give_up_rest(struct pacer *b, int64_t now_ns);
/* Due time of frame number `frame`, the first being 0. */
int64_t pacer_due_ns(struct pacer *b, int64_t frame);
/* Number of frames due by `now_ns`, frames given up included. */
int64_t pacer_frames_due(struct pacer *b, int64_t now_ns);
