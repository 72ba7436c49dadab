/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mutate - a fuzzer's changes to inputs that are made of parts (packets, blocks, messages): one part is changed, doubled, moved or
 * left out, and lengths stay right. Of libFuzzer's own changes nearly all break the first length that they meet. */
#pragma once

#include "rfb/walk.h"

#include <stddef.h>

#define MUTATE_PARTS 128

struct mutate_parts {
	size_t at[MUTATE_PARTS + 1], n;				   /* part i: at[i] to at[i + 1] */
	size_t (*seal)(uint8_t *part, size_t length, size_t room); /* sets length fields, returns the length; may be NULL */
};

/* As LLVMFuzzerCustomMutator(), of which it takes all but the first argument; where there are no parts, as libFuzzer by itself. */
size_t mutate_parts(const struct mutate_parts *parts, uint8_t *data, size_t size, size_t most, unsigned seed);

/* The same for a stream of RFB from its byte `head` on, of which each message is a part; `walk`: its direction and format. */
size_t mutate_rfb(struct rfb_walk walk, size_t head, uint8_t *data, size_t size, size_t most, unsigned seed);
