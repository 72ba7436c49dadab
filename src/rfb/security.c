// SPDX-License-Identifier: GPL-3.0-or-later
#include "security.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { VNC_AUTHENTICATION = 2 };

static bool is_offered(const char *types, long type)
{
	for (char *end; *types; types = *end ? end + 1 : end)
		if (strtol(types, &end, 10) == type && end > types)
			return true;
	return false;
}

bool security_explain_offer(const char *message, bool password, struct why *why)
{
	const char *types = message + strlen(SECURITY_OFFER);

	if (strncmp(message, SECURITY_OFFER, strlen(SECURITY_OFFER)) != 0)
		return false;
	if (!password && is_offered(types, VNC_AUTHENTICATION))
		why_say(why, "the server wants a password: --password-file FILE");
	else
		why_say(why,
			"the server offers the security types %s only, which %s does not support; set None (1) or VncAuth (2) there",
			types, die_get_tool());
	return true;
}
