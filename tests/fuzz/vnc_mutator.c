// SPDX-License-Identifier: GPL-3.0-or-later
/* vnc_mutator - of vnc_fuzz's inputs. */
#include "mutate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct rfb_walk walk = { .format = { 4, 4 } };

	if (!size || data[0] & VNC_FUZZ_GREETS)
		return LLVMFuzzerMutate(data, size, most);
	return mutate_rfb(walk, VNC_FUZZ_HEAD, data, size, most, seed);
}
