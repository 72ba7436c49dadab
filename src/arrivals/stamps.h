/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stamps - times as logs write them: decimal numbers in some unit, and the date of the Common Log Format. */
#ifndef THINPROBE_ARRIVALS_STAMPS_H
#define THINPROBE_ARRIVALS_STAMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal number of `n` characters ("1700000000.123") times `unit_ns`, exactly; what is below a
 * ns is cut off. *tick_ns: the smallest step that so many decimals can tell, 1 at the least. False
 * for anything else, and for what is negative or over INT64_MAX / 4. */
bool stamps_number(const char *text, size_t n, int64_t unit_ns, int64_t *out, int64_t *tick_ns);

/* "10/Oct/2000:13:55:36 -0700" (Apache's %t, without the brackets), as ns since 1970. False for anything else. */
bool stamps_clf(const char *text, int64_t *out);

#endif
