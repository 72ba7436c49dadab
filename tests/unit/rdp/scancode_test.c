// SPDX-License-Identifier: GPL-3.0-or-later
/* Scancodes: the numbers of the first PC keyboards, as in Microsoft's "Keyboard Scan Code Specification" (set 1). Stamps of frames,
 * as in MS-RDPEGFX 2.2.2.11. */
#include "rdp/client.h"

#include "../unit.h"

TEST(test_keys)
{
	static const struct {
		uint32_t keysym;
		unsigned code;
		bool shift;
	} cases[] = {
		{ 'a', 0x1e, false },	  { 'A', 0x1e, true },	    { 'z', 0x2c, false },     { '1', 0x02, false },
		{ '0', 0x0b, false },	  { '!', 0x02, true },	    { '\\', 0x2b, false },    { '|', 0x2b, true },
		{ '`', 0x29, false },	  { '"', 0x28, true },	    { '/', 0x35, false },     { ' ', 0x39, false },
		{ 0xff0d, 0x1c, false },  { 0xff1b, 0x01, false },  { 0xff08, 0x0e, false },  { 0xff09, 0x0f, false },
		{ 0xffff, 0x153, false }, { 0xff50, 0x147, false }, { 0xff57, 0x14f, false }, { 0xff54, 0x150, false },
		{ 0xffbe, 0x3b, false },  { 0xffc7, 0x44, false },  { 0xffc8, 0x57, false },  { 0xffc9, 0x58, false },
		{ 0xffb5, 0x4c, false },  { 0xffe1, 0x2a, false },  { 0xffe4, 0x11d, false }, { 0xffec, 0x15c, false },
		{ 0xe4, 0, false },	  { 0x010020ac, 0, false }, { 0xff0a, 0, false },     { 0, 0, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		bool shift;

		if (scancode_find(cases[i].keysym, &shift) != cases[i].code || shift != cases[i].shift)
			fail_msg("0x%x", (unsigned)cases[i].keysym);
	}
}

TEST(test_every_printable_character_has_its_own_key)
{
	bool taken[2][0x60] = { { false } }, shift;

	for (uint32_t c = 0x20; c < 0x7f; c++) {
		unsigned code = scancode_find(c, &shift);

		assert_in_range(code, 1, 0x5f);
		assert_false(taken[shift][code]);
		taken[shift][code] = true;
	}
}

TEST(test_characters)
{
	assert_int_equal(scancode_find_character(0xe4), 0xe4);
	assert_int_equal(scancode_find_character(0x010020ac), 0x20ac);
	assert_int_equal(scancode_find_character(0x0101f600), 0); /* needs two units of UTF-16 */
	assert_int_equal(scancode_find_character(0xff0d), 0);
	assert_int_equal(scancode_find_character(0x85), 0);
}

static uint32_t pack_stamp(uint32_t hour, uint32_t minute, uint32_t second, uint32_t ms)
{
	return hour * 4194304 + minute * 65536 + second * 1024 + ms;
}

TEST(test_stamps)
{
	assert_int_equal(rdp_stamp_ms(pack_stamp(12, 34, 56, 789)), 45296789);
	assert_int_equal(rdp_stamp_ms(pack_stamp(23, 59, 59, 999)), 86399999);
	assert_int_equal(rdp_stamp_ms(1), 1);
}

TEST(test_what_is_no_time_of_day_is_no_stamp)
{
	assert_int_equal(rdp_stamp_ms(0), 0); /* of servers that do not stamp */
	assert_int_equal(rdp_stamp_ms(pack_stamp(24, 0, 0, 0)), 0);
	assert_int_equal(rdp_stamp_ms(pack_stamp(0, 60, 0, 0)), 0);
	assert_int_equal(rdp_stamp_ms(pack_stamp(0, 0, 60, 0)), 0);
	assert_int_equal(rdp_stamp_ms(pack_stamp(0, 0, 0, 1000)), 0);
	assert_int_equal(rdp_stamp_ms(UINT32_MAX), 0);
}
