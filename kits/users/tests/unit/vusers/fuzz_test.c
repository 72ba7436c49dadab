// SPDX-License-Identifier: GPL-3.0-or-later
/* The fuzz target of vusers under any compiler: over seeds written here after RFC 6143, and over
 * many cut and changed ones, always the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../fuzz/vusers_fuzz.c"

#define SEED_MAX 8192
#define CHANGES 3000	/* of each seed, each way */

static uint32_t draw(uint32_t *state, size_t below)
{
	*state = *state * 1664525 + 1013904223;
	return below ? (*state >> 8) % (uint32_t)below : 0;
}

#define RFB "RFB 003.008\n" "\1\1" "\0\0\0\0" "\0\210\0\60\40\30\0\1\0\377\0\377\0\377\20\10\0\0\0\0" "\0\0\0\4" "hand"
#define RFB_33 "RFB 003.003\n" "\0\0\0\1" "\0\50\0\24\40\30\0\1\0\377\0\377\0\377\20\10\0\0\0\0" "\0\0\0\0"
#define RFB_SECRET "RFB 003.007\n" "\2\22\2" "0123456789abcdef" "\0\0\0\0" \
		   "\0\50\0\24\40\30\0\1\0\377\0\377\0\377\20\10\0\0\0\0" "\0\0\0\0"
/* Messages: a cursor, a rectangle of each encoding, a new size, the last one; colours, a bell, a cut text. */
#define HEXTILE "\0\0\0\0\0\40\0\20\0\0\0\5" "\16" "bgfgbgfg" "\2" "xyxy" "\30" "\2" "ccccxyccccxy"
#define MESSAGES "\0\0\0\4" "\0\0\0\0\0\2\0\1\377\377\377\21" "12345678" "1" "\0\0\0\0\0\1\0\1\0\0\0\1" \
		 "abcd" HEXTILE "\0\0\0\0\0\1\0\1\0\0\0\20" "\0\0\0\3" "zip" \
		 "\1\0\0\0\0\1" "rrggbb" "\2" "\3\0\0\0\0\0\0\3" "cut" \
		 "\0\0\377\377" "\0\0\0\0\0\40\0\40\377\377\377\41" "\0\20\0\20\0\2\0\2\0\0\0\0" "0123456789abcdef" \
		 "\0\0\0\0\0\0\0\0\377\377\377\40" "\0\0\0\0"
#define GUEST "RFB 003.008\n" "\1" "\1" "\0\0\0\0\40\30\0\1\0\377\0\377\0\377\20\10\0\0\0\0" "\2\0\0\2" \
	      "\0\0\0\0" "\0\0\0\1" "\3\0\0\0\0\0\0\20\0\20" "\4\1\0\0\0\0\0\141" "\5\0\0\1\0\1" \
	      "\6\0\0\0\0\0\0\2" "ab"

static const struct {
	uint8_t ways[4];
	const char *said;
	size_t n;
} seeds[] = {
	{ { 0, 1, 2, 3 }, RFB MESSAGES, sizeof(RFB MESSAGES) - 1 },
	{ { 0, 1, 2, 3 }, RFB_33 MESSAGES, sizeof(RFB_33 MESSAGES) - 1 },
	{ { 16, 17, 18, 19 }, RFB_SECRET MESSAGES, sizeof(RFB_SECRET MESSAGES) - 1 },
	{ { 4, 4, 4, 4 }, GUEST GUEST, sizeof(GUEST GUEST) - 1 },
	{ { 12, 12, 12, 12 }, "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /y HTTP/1.1\r\n\r\n", 47 },
};

static void seeds_and_changes_to_them(void **state)
{
	static uint8_t bytes[2 * SEED_MAX];
	uint32_t dice = 1;

	(void)state;
	for (size_t s = 0; s < sizeof(seeds) / sizeof(*seeds); s++)
		for (int i = 0; i < 4 * CHANGES; i++) {
			size_t size = seeds[s].n, from, to;

			bytes[0] = seeds[s].ways[i % 4];
			bytes[1] = (uint8_t)(1 + draw(&dice, 60));
			memcpy(bytes + 2, seeds[s].said, size);
			size += 2;
			if (i >= 4)	/* the first of each way is as it is */
				for (uint32_t n = 1 + draw(&dice, 4); n-- > 0;)
					bytes[2 + draw(&dice, size - 2)] = (uint8_t)(draw(&dice, 2) ? draw(&dice, 256) : draw(&dice, 2) * 255);
			if (i >= 4 && !draw(&dice, 3)) {	/* a part of it there twice, or not at all */
				from = 2 + draw(&dice, size - 2);
				to = 2 + draw(&dice, size - 2);
				memmove(bytes + to, bytes + from, size - from);
				size = size - from + to;
			}
			LLVMFuzzerTestOneInput(bytes, size);
		}
}

/* A seed that is not understood would try nothing. */
static void the_seeds_are_read_to_their_ends(void **state)
{
	struct rfb_update_detector v;

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		struct heard h;

		vrfb_init_detector(&v, &known[seeds[s].ways[0] >> 4], NULL);
		h = hear(&v, (const uint8_t *)seeds[s].said, seeds[s].n, 1);
		assert_int_equal(h.err, 0);
		assert_int_equal(h.flags, VRFB_READY | VRFB_UPDATE);
		assert_int_equal(v.skip, 0);
		assert_int_equal(v.have, 0);
		assert_int_equal(v.width, 32);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_seeds_are_read_to_their_ends),
		cmocka_unit_test(seeds_and_changes_to_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
