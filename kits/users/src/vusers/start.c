// SPDX-License-Identifier: GPL-3.0-or-later
#include "start.h"
#include "clock.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#define DATE_AND_TIME "%Y-%m-%dT%H:%M:%S"
#define LATEST_S 9000000000LL /* the year 2255: int64_t holds it in ns */

/* Reads a fraction such as ".25", if there is one. False: a dot without digits. */
static bool parse_fraction(const char **at, int64_t *ns)
{
	int64_t unit = NS_PER_S / 10;

	*ns = 0;
	if (**at != '.')
		return true;
	if (!isdigit((unsigned char)*++*at))
		return false;
	for (; isdigit((unsigned char)**at); (*at)++, unit /= 10)
		*ns += unit * (**at - '0');
	return true;
}

/* Z or +HH:MM; strptime() would take +HH and +HHMM, too. */
static bool parse_time_zone(const char *text, int64_t *seconds)
{
	struct tm t = { 0 };
	const char *end = strptime(text, "%z", &t);

	*seconds = t.tm_gmtoff;
	return end && !*end && (end == text + 1 || (end == text + 6 && text[3] == ':'));
}

/* Accepts only a text that formats back to itself: strptime() takes single digits and February 30, too. */
static bool parse_date(const char **at, int64_t *seconds)
{
	struct tm t = { 0 };
	char again[24];
	size_t n;

	if (!strptime(*at, DATE_AND_TIME, &t))
		return false;
	*seconds = timegm(&t);
	n = strftime(again, sizeof(again), DATE_AND_TIME, &t);
	if (!n || strncmp(*at, again, n) != 0)
		return false;
	*at += n;
	return true;
}

bool start_parse_time(const char *text, int64_t *ns)
{
	int64_t seconds, fraction, zone = 0;

	if (*text == '@') {
		if (!isdigit((unsigned char)*++text))
			return false;
		for (seconds = 0; isdigit((unsigned char)*text) && seconds < LATEST_S; text++)
			seconds = seconds * 10 + (*text - '0');
		if (!parse_fraction(&text, &fraction) || *text)
			return false;
	} else if (!parse_date(&text, &seconds) || !parse_fraction(&text, &fraction) || !parse_time_zone(text, &zone)) {
		return false;
	}
	seconds -= zone;
	if (seconds < 0 || seconds >= LATEST_S)
		return false;
	*ns = seconds * NS_PER_S + fraction;
	return true;
}

void start_format_time(int64_t ns, char text[static START_TEXT])
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	struct tm t;
	size_t n;

	gmtime_r(&seconds, &t);
	n = strftime(text, START_TEXT, DATE_AND_TIME, &t);
	snprintf(text + n, START_TEXT - n, ".%03dZ", (int)(ns % NS_PER_S / NS_PER_MS));
}

int64_t start_clock_error(void)
{
	struct timex t = { 0 };
	int state = adjtimex(&t);

	return state < 0 || state == TIME_ERROR || (t.status & STA_UNSYNC) ? -1 : (int64_t)t.maxerror * NS_PER_US;
}
