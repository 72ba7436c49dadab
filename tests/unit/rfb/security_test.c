// SPDX-License-Identifier: GPL-3.0-or-later
/* Offers of known servers, in the words of libvncclient 0.9.14. */
#include "../unit.h"
#include "rfb/security.h"

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
