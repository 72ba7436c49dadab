/* SPDX-License-Identifier: GPL-3.0-or-later */
/* link_path - one direction of the emulated link: which packet is lost or dropped, and when each other one is delivered. Pure.
 *
 * A packet waits in a queue for the link's rate, is transmitted in its turn, and then travels for the delay:
 *
 *   begins = max(arrival, end of the previous transmission)  dropped if begins - arrival > queue
 *   sent   = begins + bits / rate                            exact: the remainder of the division goes to the next packet
 *   due    = sent + delay + jitter * x                       x uniform in [-1, 1), or normal with sd 1 cut at 3; due >= sent
 *
 * A lost packet has been transmitted before. Each packet that arrives takes exactly one random number for loss, so the same seed
 * and packets give the same losses at any other setting; jitter has its own random numbers. Unless reordering is allowed, a packet
 * is not due before the previous one: jitter then delays bursts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum jitter_shape { JITTER_UNIFORM, JITTER_NORMAL };
extern const char *const jitter_shapes[];

struct link_settings {
	int64_t rate_bits; /* bits per second; 0: no limit, and no queue */
	int64_t queue_ns, delay_ns, jitter_ns;
	double loss;  /* probability, 0 to 1 */
	int shape;    /* enum jitter_shape */
	bool reorder; /* jitter may let packets overtake each other */
};

enum link_fate { LINK_PASSES, LINK_LOSES, LINK_QUEUE_FULL, LINK_FATES };

struct link_path {
	struct link_settings cfg;
	uint64_t loss_state, jitter_state; /* of the two random number generators */
	int64_t sent_ns;		   /* end of the previous packet's transmission */
	int64_t remainder;		   /* of the previous packet's division by the rate, in bits times ns per s */
	int64_t due_ns;			   /* delivery time of the previous packet */
};

void link_path_init(struct link_path *p, const struct link_settings *cfg, uint64_t seed);
/* Restarts both random number generators. */
void link_path_set_seed(struct link_path *p, uint64_t seed);
/* Changes the settings for packets that arrive from now on. */
void link_path_configure(struct link_path *p, const struct link_settings *cfg);
/* Decides on a packet of `bytes` that arrived at `now_ns`, which must not decrease. Sets *due_ns for LINK_PASSES. */
enum link_fate link_path_schedule(struct link_path *p, int64_t now_ns, int64_t bytes, int64_t *due_ns);
