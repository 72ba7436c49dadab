// SPDX-License-Identifier: GPL-3.0-or-later
/* walk and skip_parser - steps through a stream in any pieces; and the fuzz target under any compiler: over its seeds,
 * whose lengths are known, and over many changes to them, always the same. */
#include "../unit.h"
#include "../../fuzz/rfb_fuzz.c"
#include "../seeds.h"

#define SEED_MAX 32768
#define CHANGES 3000

/* Names of a length byte and that many bytes; `2` is a stop. */
struct names {
	uint64_t bytes[2];
	int n;
};

static void name_step(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	struct names *names = context;

	if (!n) {
		skip_parser_set_counter(w, NULL);
		skip_parser_expect(w, 0, 1);
	} else if (piece[0] == 2) {
		skip_parser_stop(w, "two");
	} else {
		skip_parser_set_counter(w, &names->bytes[piece[0] & 1]);
		names->n++;
		skip_parser_expect(w, piece[0], 0);
	}
}

TEST(steps_in_any_pieces)
{
	static const uint8_t stream[] = { 3, 'a', 'b', 'c', 0, 4, 'd', 'e', 'f', 'g', 1, 'h', 2, 'i', 'j' };

	for (uint32_t piece = 1; piece <= sizeof(stream); piece++) {
		struct names names = { { 0, 0 }, 0 };
		struct skip_parser w = { .want = 1 };

		for (uint32_t at = 0; at < sizeof(stream); at += piece) {
			uint32_t n = piece < sizeof(stream) - at ? piece : (uint32_t)sizeof(stream) - at;

			skip_parser_feed(&w, stream + at, n, n, name_step, &names);
		}
		assert_int_equal(names.n, 4);
		assert_int_equal(names.bytes[1], 6);
		assert_int_equal(names.bytes[0], 6);
		assert_int_equal(w.undecoded, 3);
		assert_string_equal(w.stopped, "two");
	}
}

static uint8_t seed[SEED_MAX];

/* Each seed ends with a whole message: all its bytes have a kind. */
static void seed_and_changes(size_t n, void *dice)
{
	static uint8_t copy[SEED_MAX];
	struct heard h;

	feed(&h, seed[0], seed + 2, (uint32_t)n - 2, seed[1]);
	assert_null(h.in.stopped);
	assert_int_equal(h.told, n - 2);
	assert_int_equal(h.in.skip + h.in.have + h.walk.rectangles, 0);
	LLVMFuzzerTestOneInput(seed, n);
	for (int i = 0; i < CHANGES; i++) {
		size_t size = n - seeds_draw(dice, seeds_draw(dice, 4) ? 1 : n - 2);

		memcpy(copy, seed, n);
		copy[1] = (uint8_t)(1 + seeds_draw(dice, 60));
		for (uint32_t changes = 1 + seeds_draw(dice, 6); changes-- > 0;)
			copy[seeds_draw(dice, 4) ? 2 + seeds_draw(dice, size - 2) : 0] =
				(uint8_t)(seeds_draw(dice, 2) ? seeds_draw(dice, 256) : seeds_draw(dice, 2) * 255);
		LLVMFuzzerTestOneInput(copy, size);
	}
}

TEST(seeds_and_changes_to_them)
{
	uint32_t dice = 1;

	assert_int_equal(seeds_each("rfb", seed, sizeof(seed), seed_and_changes, &dice), 3);
}
