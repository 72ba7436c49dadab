// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_mutator - of rfb_fuzz's inputs. */
#include "mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_rfb(rfb_fuzz_walk(size ? data[0] : 0), 2, data, size, most, seed);
}
