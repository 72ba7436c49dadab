// SPDX-License-Identifier: GPL-3.0-or-later
/* The fuzz target of prototap under any compiler: over its seeds, and over many small changes to them, always the same. */
#include "../unit.h"
#include "../../fuzz/prototap_fuzz.c"
#include "../seeds.h"

#define SEED_MAX 16384
/* Changes of packets; of files, each of which costs ten times as much. Under sanitizers all is ten times as slow. */
#ifdef __SANITIZE_ADDRESS__
#define CHANGES 300
#define CHANGES_OF_FILES 30
#else
#define CHANGES 2000
#define CHANGES_OF_FILES 200
#endif

static uint8_t seed[SEED_MAX];

static void change(size_t n, uint32_t *state)
{
	static const uint8_t edge[] = { 0, 1, 127, 128, 255 };
	static uint8_t copy[SEED_MAX];
	size_t size = n - seeds_draw(state, seeds_draw(state, 4) ? 1 : n);

	memcpy(copy, seed, n);
	for (uint32_t i = seeds_draw(state, 8); size && i-- > 0;)
		copy[seeds_draw(state, size)] = seeds_draw(state, 2) ? (uint8_t)seeds_draw(state, 256) : edge[seeds_draw(state, 5)];
	LLVMFuzzerTestOneInput(copy, size);
}

static void seed_and_changes(size_t n, void *dice)
{
	LLVMFuzzerTestOneInput(seed, n);
	for (int i = 0; i < ((seed[0] & 15) % KINDS < WHOLE_FILE ? CHANGES : CHANGES_OF_FILES); i++)
		change(n, dice);
}

TEST(seeds_and_changes_to_them)
{
	uint32_t dice = 1;

	assert_true(seeds_each("prototap", seed, sizeof(seed), seed_and_changes, &dice) >= 100);
}
