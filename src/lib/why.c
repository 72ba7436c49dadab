// SPDX-License-Identifier: GPL-3.0-or-later
#include "why.h"

#include <stdarg.h>
#include <stdio.h>

int why_fail(int err, struct why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return err;
}
