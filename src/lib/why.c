// SPDX-License-Identifier: GPL-3.0-or-later
#include "why.h"

#include <stdarg.h>
#include <stdio.h>

int fail_with_reason(int err, char *why, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return err;
}
