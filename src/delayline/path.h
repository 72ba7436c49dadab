/* SPDX-License-Identifier: GPL-3.0-or-later */
/* path - one direction of a link: which packet passes, and when it is at the other end. Pure.
 *
 * A packet comes to a queue before the link's rate, is sent in its turn, then travels for the delay:
 *
 *   begins = max(arrival, when the one before was sent)      dropped where begins - arrival > queue
 *   sent   = begins + bits / rate                            exact: what a division leaves is carried to the next
 *   due    = sent + delay + jitter * x                       x uniform in [-1, 1), or normal with sd 1 cut at 3; never before sent
 *
 * A lost packet is lost on its way: it took its turn in the queue. Each packet that arrives takes
 * exactly one number from the loss sequence, so the same seed and the same packets mean the same
 * losses, whatever the other settings; jitter has a sequence of its own. With the order kept, which
 * is the default, a packet waits for the one before: jitter then adds up in bursts and never
 * reorders. */
#ifndef THINPROBE_PATH_H
#define THINPROBE_PATH_H

#include <stdbool.h>
#include <stdint.h>

enum path_shape { PATH_UNIFORM, PATH_NORMAL };
extern const char *const path_shapes[];

struct path_cfg {
	int64_t rate_bits;	/* per second; 0: no rate, and no queue */
	int64_t queue_ns, delay_ns, jitter_ns;
	double loss;		/* 0 to 1 */
	int shape;		/* enum path_shape, of the jitter */
	bool reorder;		/* packets may overtake each other */
};

enum path_fate { PATH_PASSES, PATH_LOST, PATH_DROPPED, PATH_FATES };

struct path {
	struct path_cfg cfg;
	uint64_t loss_state, jitter_state;
	int64_t sent_ns;	/* when the packet before was sent */
	int64_t rest;		/* of its division by the rate */
	int64_t due_ns;		/* of the packet before */
};

void path_init(struct path *p, const struct path_cfg *cfg, uint64_t seed);
/* Both sequences from their beginning. */
void path_seed(struct path *p, uint64_t seed);
/* From now on; packets that are on their way keep their times. */
void path_set(struct path *p, const struct path_cfg *cfg);
/* A packet of so many bytes has arrived; times must not run backwards. *due_ns is set where it passes. */
enum path_fate path_take(struct path *p, int64_t now_ns, int64_t bytes, int64_t *due_ns);

#endif
