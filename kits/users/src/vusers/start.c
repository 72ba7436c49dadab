// SPDX-License-Identifier: GPL-3.0-or-later
#include "start.h"
#include "clock.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timex.h>
#include <time.h>

#define LATEST_S 9000000000LL	/* the year 2255: int64_t holds it in ns */

/* Reads a fraction such as ".25", if there is one. False: a dot without digits. */
static bool parse_fraction_of_second(const char **at, int64_t *ns)
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

/* Reads two digits, at most `most`. */
static bool parse_two_digits(const char **at, int most, int *value)
{
	if (!isdigit((unsigned char)(*at)[0]) || !isdigit((unsigned char)(*at)[1]))
		return false;
	*value = ((*at)[0] - '0') * 10 + (*at)[1] - '0';
	*at += 2;
	return *value <= most;
}

static bool parse_time_zone(const char **at, int *seconds)
{
	int sign = **at == '-' ? -1 : 1, hours, minutes;

	*seconds = 0;
	if (**at == 'Z')
		return (*at)++, true;
	if (**at != '+' && **at != '-')
		return false;
	(*at)++;
	if (!parse_two_digits(at, 23, &hours) || *(*at)++ != ':' || !parse_two_digits(at, 59, &minutes))
		return false;
	*seconds = sign * (hours * 3600 + minutes * 60);
	return true;
}

static bool parse_date_and_time(const char **at, int64_t *seconds)
{
	struct tm t = { 0 };
	int century, year, month;

	if (!parse_two_digits(at, 22, &century) || !parse_two_digits(at, 99, &year) || *(*at)++ != '-' || !parse_two_digits(at, 12,
															    &month) ||
	    *(*at)++ != '-' || !parse_two_digits(at, 31, &t.tm_mday) || *(*at)++ != 'T' || !parse_two_digits(at, 23, &t.tm_hour) ||
	    *(*at)++ != ':' || !parse_two_digits(at, 59, &t.tm_min) || *(*at)++ != ':' || !parse_two_digits(at, 59, &t.tm_sec))
		return false;
	t.tm_year = century * 100 + year - 1900;
	t.tm_mon = month - 1;
	*seconds = timegm(&t);
	return t.tm_mon == month - 1 && *seconds >= 0;	/* timegm() turns February 30 into March */
}

bool parse_start_time(const char *text, int64_t *ns)
{
	int64_t seconds, fraction;
	int zone = 0;

	if (*text == '@') {
		if (!isdigit((unsigned char)*++text))
			return false;
		for (seconds = 0; isdigit((unsigned char)*text) && seconds < LATEST_S; text++)
			seconds = seconds * 10 + (*text - '0');
		if (!parse_fraction_of_second(&text, &fraction))
			return false;
	} else if (!parse_date_and_time(&text, &seconds) || !parse_fraction_of_second(&text, &fraction) || !parse_time_zone(&text,
															    &zone)) {
		return false;
	}
	seconds -= zone;
	if (*text || seconds < 0 || seconds >= LATEST_S)
		return false;
	*ns = seconds * NS_PER_S + fraction;
	return true;
}

void format_start_time(int64_t ns, char text[START_TEXT])
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	struct tm t;
	size_t n;

	gmtime_r(&seconds, &t);
	n = strftime(text, START_TEXT, "%Y-%m-%dT%H:%M:%S", &t);
	snprintf(text + n, START_TEXT - n, ".%03dZ", (int)(ns % NS_PER_S / NS_PER_MS));
}

int64_t wall_clock_error_bound_ns(void)
{
	struct timex t = { 0 };
	int state = adjtimex(&t);

	return state < 0 || state == TIME_ERROR || (t.status & STA_UNSYNC) ? -1 : (int64_t)t.maxerror * NS_PER_US;
}
