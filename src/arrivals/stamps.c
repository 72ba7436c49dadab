// SPDX-License-Identifier: GPL-3.0-or-later
#include "stamps.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MOST (INT64_MAX / 4)

bool stamps_number(const char *text, size_t n, int64_t unit_ns, int64_t *out, int64_t *tick_ns)
{
	int64_t whole = 0, part = 0, step = unit_ns;
	size_t i = 0;

	for (; i < n && isdigit((unsigned char)text[i]); i++) {
		if (whole > (MOST / unit_ns - 9) / 10)
			return false;
		whole = whole * 10 + (text[i] - '0');
	}
	if (!i)
		return false;
	if (i < n && text[i] == '.')
		for (i++; i < n && isdigit((unsigned char)text[i]); i++) {
			step /= 10;
			part += step * (text[i] - '0');
		}
	*out = whole * unit_ns + part;
	*tick_ns = step > 1 ? step : 1;
	return i == n;
}

/* Days from 1970-01-01 to that date of the Gregorian calendar (Fliegel & Van Flandern 1968, in whole numbers). */
static int64_t days(int64_t year, int64_t month, int64_t day)
{
	int64_t a = (month - 14) / 12;

	return (1461 * (year + 4800 + a)) / 4 + (367 * (month - 2 - 12 * a)) / 12 - (3 * ((year + 4900 + a) / 100)) / 4 +
	       day - 32075 - 2440588;
}

bool stamps_clf(const char *text, int64_t *out)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int day, year, hour, minute, second, zone_h, zone_m, end = 0;
	char month[4], sign;
	const char *at;
	int64_t zone;

	if (sscanf(text, "%2d/%3[A-Za-z]/%4d:%2d:%2d:%2d %c%2d%2d%n", &day, month, &year, &hour, &minute,
		   &second, &sign, &zone_h, &zone_m, &end) != 9 || !end)
		return false;
	at = strlen(month) == 3 ? strstr(months, month) : NULL;
	if (!at || (at - months) % 3 || day < 1 || day > 31 || year < 1970 || year > 2200 || hour < 0 ||
	    hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 || (sign != '+' && sign != '-') ||
	    zone_h < 0 || zone_h > 15 || zone_m < 0 || zone_m > 59)
		return false;
	zone = (zone_h * 60 + zone_m) * 60;
	*out = (days(year, (at - months) / 3 + 1, day) * 86400 + hour * 3600 + minute * 60 + second -
		(sign == '+' ? zone : -zone)) * 1000000000;
	return *out >= 0;
}
