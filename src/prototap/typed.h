/* SPDX-License-Identifier: GPL-3.0-or-later */
/* typed - the keys that were typed while a capture ran, as keyrepeat --log wrote them (schema keys/1), and the offset of the wall
 * clock at each, which puts packet times on the clock of the keys. */
#ifndef PROTOTAP_TYPED_H
#define PROTOTAP_TYPED_H

#include "clock.h"
#include "pairing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TYPED_MAX 1000000	/* keys: 14 hours at 20 a second, 100 MB */
#define TYPED_BLOCK_MAX 20	/* keys in a block: longer ones are no blocks */

struct typed {
	struct pair_key *key;		/* owned; in the order in which they were typed */
	int64_t *number;		/* owned; each key's number in the file */
	uint32_t *block;		/* owned; ascending; all 0 where the file does not say */
	struct clock_offset *wall;	/* owned; one reading a key that was sent */
	size_t n, walls;
	size_t unsent;			/* keys without a time when they were sent */
	bool in_blocks;			/* no block is longer than TYPED_BLOCK_MAX */
	size_t longest;			/* keys in the longest block */
};

/* 0; -ENOMEM; -E2BIG for over TYPED_MAX keys; -ENODATA for none that was sent, -ENOTSUP for one without an offset of the wall
 * clock; -EPROTO for what keyrepeat does not write, with its line. */
int typed_read(FILE *in, struct typed *out, unsigned long *line);
void typed_free(struct typed *t);

/* A packet's time on the clock of the keys. */
int64_t typed_time(const struct typed *t, int64_t wall_ns);

#endif
