// SPDX-License-Identifier: GPL-3.0-or-later
/* vncplay_mutator - of vncplay_fuzz's inputs: messages of a stream; the rest as libFuzzer does. */
#include "../../../../tests/fuzz/mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { KINDS = 5, STREAM = 1 }; /* as in vncplay_fuzz.c */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct mutate_parts none = { .n = 0 };
	uint8_t how, pixel;

	if (size <= 2 || (data[0] & 127) % KINDS != STREAM)
		return mutate_parts(&none, data, size, most, seed);
	how = data[1];
	pixel = how & 128 ? 1 : how & 2 ? 4 : how & 1 ? 2 : 1;
	return mutate_rfb((struct rfb_walk){ .format = { pixel, pixel == 4 ? 3 : pixel } }, 2, data, size, most, seed);
}
