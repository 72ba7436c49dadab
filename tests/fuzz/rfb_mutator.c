// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_mutator - of rfb_fuzz's inputs. */
#include "mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	static const uint8_t pixel[] = { 1, 2, 4, 4 };
	struct rfb_walk walk = { .client = false };

	if (size > 2) {
		walk.client = data[0] & 1;
		walk.format = (struct rfb_pixel_sizes){ pixel[data[0] >> 1 & 3], data[0] & 4 ? 3 : pixel[data[0] >> 1 & 3] };
	}
	return mutate_rfb(walk, 2, data, size, most, seed);
}
