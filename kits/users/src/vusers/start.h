/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start - the absolute time at which several load generators begin together. Times are ns of CLOCK_REALTIME. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define START_TEXT 40 /* bytes that hold any time of start_format_time() */

/* Reads @SECONDS[.FRACTION] since 1970, or ISO 8601: YYYY-MM-DDTHH:MM:SS[.FRACTION] with Z or +HH:MM. A time without a zone means
 * another instant on another host, so it is refused. Digits beyond ns are cut off. False: not such a time. */
bool start_parse_time(const char *text, int64_t *ns);
/* The time as ISO 8601 in UTC, with ms. */
void start_format_time(int64_t ns, char text[static START_TEXT]);
/* The kernel's bound on the error of CLOCK_REALTIME, which NTP or chrony maintains; -1: the clock is not synchronised. */
int64_t start_clock_error(void);
