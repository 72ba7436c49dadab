// SPDX-License-Identifier: GPL-3.0-or-later
/* Messages byte by byte as RFC 6143, 7.5 has them, encodings by their words, and offers of security types. */
#include "why.h"
#include "../unit.h"
#include "rfb/messages.h"

#include <errno.h>

TEST(messages_are_those_of_the_rfc)
{
	static const int32_t list[] = { 16, 0 }, more[] = { -239 };
	uint8_t m[64];

	assert_int_equal(messages_put_key_stroke(m, 0xff0d), 16);
	assert_memory_equal(m, "\4\1\0\0\0\0\xff\x0d\4\0\0\0\0\0\xff\x0d", 16);
	assert_int_equal(messages_put_pointer(m, 1, 300, 2), 6);
	assert_memory_equal(m, "\5\1\1\54\0\2", 6);
	assert_int_equal(messages_put_pointer(m, 0, -1, 70000), 6);
	assert_memory_equal(m, "\5\0\0\0\xff\xff", 6);
	assert_int_equal(messages_put_update_request(m, true, 40, 20), 10);
	assert_memory_equal(m, "\3\1\0\0\0\0\0\50\0\24", 10);
	assert_int_equal(messages_put_pixel_format(m), 20);
	assert_memory_equal(m, "\0\0\0\0\40\30\0\1\0\xff\0\xff\0\xff\20\10\0\0\0\0", 20);
	assert_int_equal(messages_put_encodings(m, list, 2, more, 1), 16);
	assert_memory_equal(m, "\2\0\0\3\0\0\0\20\0\0\0\0\xff\xff\xff\x11", 16);
}

TEST(encodings_have_words)
{
	static const char *const bad[] = { "", "raw,", "raw,raw", "h264", "Raw", "zrl" };
	int32_t list[MESSAGES_ENCODINGS];
	struct why why;

	assert_int_equal(messages_parse_encodings("tight,zrle,raw", false, list, &why), 3);
	assert_int_equal(list[0], 7);
	assert_int_equal(list[1], 16);
	assert_int_equal(list[2], 0);
	assert_int_equal(messages_parse_encodings("zrle,hextile,copyrect,raw", true, list, &why), 4);
	assert_int_equal(messages_parse_encodings("tight", true, list, &why), -EINVAL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(messages_parse_encodings(bad[i], false, list, &why), -EINVAL);
}

/* Offers of known servers, in the words of libvncclient 0.9.14. */

TEST(an_offer_names_its_types_or_the_password_that_is_missing)
{
	struct why why;

	assert_true(security_explain_offer(SECURITY_OFFER "5, 129, 192", true, &why));
	assert_non_null(strstr(why.text, "5, 129, 192"));
	assert_true(security_explain_offer(SECURITY_OFFER "30, 33, 2, 35", false, &why));
	assert_non_null(strstr(why.text, "--password-file"));
	/* 2 is no part of another number */
	assert_true(security_explain_offer(SECURITY_OFFER "22, 12", false, &why));
	assert_non_null(strstr(why.text, "22, 12"));
	assert_false(security_explain_offer("VNC connection failed: full", false, &why));
}
