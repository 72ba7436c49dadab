// SPDX-License-Identifier: GPL-3.0-or-later
/* The fuzz target of vncplay under any compiler: over its seeds, and over many cut and changed ones, always the same. */
#include "../../../../../tests/unit/unit.h"
#include "../../fuzz/vncplay_fuzz.c"
#include "../../../../../tests/unit/seeds.h"

#define SEED_MAX 65536

static uint8_t seed[SEED_MAX];
static int seeds[KINDS], variants[KINDS];

/* Cut, with bits turned, bytes set to what lies at an edge, and a part of it there twice or not at all. The first byte stays. */
static void change(size_t n, uint32_t *state)
{
	static const uint8_t edge[] = { 0, 1, 127, 128, 255 };
	static uint8_t copy[2 * SEED_MAX];
	size_t size = n - seeds_draw(state, seeds_draw(state, 3) ? 1 : n - 3), from, to;

	memcpy(copy, seed, n);
	for (uint32_t i = 1 + seeds_draw(state, 5); i-- > 0;) {
		size_t at = 1 + seeds_draw(state, size - 1);

		copy[at] = (uint8_t)(seeds_draw(state, 2) ? copy[at] ^ 1u << seeds_draw(state, 8) : edge[seeds_draw(state, 5)]);
	}
	if (!seeds_draw(state, 4)) {
		from = 1 + seeds_draw(state, size - 1);
		to = 1 + seeds_draw(state, size - 1);
		memmove(copy + to, copy + from, size - from);
		size = size - from + to;
	}
	LLVMFuzzerTestOneInput(copy, size);
	variants[seed[0] % KINDS]++;
}

/* Of each kind so many, shared by its seeds. */
static const int wanted[KINDS] = { [LOG] = 1500, [STREAM] = 5500, [SIDE] = 2000, [TRACE] = 2000 };

static void as_it_is(size_t n, void *whose)
{
	(void)whose;
	assert_true(n > 4 && n < SEED_MAX);
	seeds[seed[0] % KINDS]++;
	LLVMFuzzerTestOneInput(seed, n);
}

static void changed(size_t n, void *dice)
{
	for (int i = 0; i <= wanted[seed[0] % KINDS] / seeds[seed[0] % KINDS]; i++)
		change(n, dice);
}

TEST(seeds_and_changes_to_them)
{
	uint32_t dice = 1;

	seeds_each("vncplay", seed, sizeof(seed), as_it_is, NULL);
	seeds_each("vncplay", seed, sizeof(seed), changed, &dice);
	for (int i = 0; i < KINDS; i++) {
		assert_true(seeds[i] > 0);
		assert_true(variants[i] >= wanted[i]);
	}
}

/* The seeds themselves are whole: changes to what is broken anyway would show little. */
TEST(seeds_are_sound)
{
	static const char *const names[] = { "xrgb.log", "565.log", "map.log", "quick.log" };
	static struct file side, log;

	large = true;
	set_file(&side, sent, sizeof(sent) - 1);
	for (int i = 0; i < 4; i++) {
		struct replay run = { .aux = side.path, .label = "seed" };
		size_t n = seeds_read("vncplay", names[i], seed, sizeof(seed));

		if (!n)
			skip();
		set_file(&log, seed + 1, n - 1);
		run.file = log.path;
		assert_int_equal(replay_read(&run), 0);
		if (run.cut)
			fail_msg("%s: %s", names[i], run.why.text);
		assert_true(run.updates >= 12);
		replay_free(&run);
	}
	close(log.fd);
	close(side.fd);
}
