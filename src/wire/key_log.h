/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_log - keys typed during a capture, as keyrepeat --log wrote them (schema keys/1), with the wall clock's offset at each key,
 * by which packet times are converted to the keys' clock. */
#pragma once

#include "clock.h"
#include "pairing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KEY_LOG_MAX 1000000  /* keys: 14 hours at 20 a second, 100 MB */
#define KEY_LOG_BLOCK_MAX 20 /* keys of a block; more in a row were not typed in blocks */

struct key_log {
	struct key_times *key;	   /* owned; in the order of typing */
	uint32_t *block;	   /* owned; each key's block, ascending; 0: the file does not tell */
	struct wall_reading *wall; /* owned; offsets of CLOCK_REALTIME, one for each key that was sent */
	size_t n, walls;	   /* keys, offsets */
	size_t unsent;		   /* keys without a time of sending */
	bool in_blocks;		   /* no block is longer than KEY_LOG_BLOCK_MAX */
	size_t longest;		   /* keys of the longest block */
};

/* 0; -E2BIG: over KEY_LOG_MAX keys; -ENODATA: no key was sent; -ENOTSUP: a key without an offset of the wall clock;
 * -EPROTO: not what keyrepeat writes, with the number of the line. */
int key_log_read(FILE *in, struct key_log *out, unsigned long *line);
void key_log_free(struct key_log *t);

/* Converts a packet's time (CLOCK_REALTIME) to the keys' clock (CLOCK_MONOTONIC). */
int64_t key_log_convert(const struct key_log *t, int64_t wall_ns);
