/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mutate - a fuzzer's changes to inputs that are made of parts (packets, blocks, messages): one part is changed, doubled, moved or
 * left out, and lengths stay right. Of libFuzzer's own changes nearly all break the first length that they meet. And what the
 * inputs of rfb_fuzz and vnc_fuzz begin with, which their mutators leave alone. */
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

/* The stream that the first byte of an input of rfb_fuzz chooses. */
static inline struct rfb_walk rfb_fuzz_walk(uint8_t how)
{
	static const uint8_t pixel[] = { 1, 2, 4, 4 };

	return (struct rfb_walk){ .client = how & 1, .format = { pixel[how >> 1 & 3], how & 4 ? 3 : pixel[how >> 1 & 3] } };
}

/* Of vnc_fuzz. */
#define VNC_FUZZ_HEAD 3		  /* bytes before what the server says */
#define VNC_FUZZ_MOST (64u << 10) /* longest input: must fit into the socket's buffer */
#define VNC_FUZZ_GREETS 4	  /* bit of the first byte: the input has the greeting, too */
