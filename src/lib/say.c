// SPDX-License-Identifier: GPL-3.0-or-later
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS 32
#define TEXT_SIZE 64

static char *next_buffer(void)
{
	static char text[TEXTS][TEXT_SIZE];
	static unsigned at;

	return text[at++ % TEXTS];
}

/* Rounds to the digits that are printed, so that unit and decimals are chosen for the rounded value. */
static double round_printed(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*e", fabs(value) < 0.9995 ? 1 : 2, value);
	return strtod(text, NULL);
}

static void group_thousands(char *digits)
{
	size_t n = strspn(digits, "0123456789");

	for (size_t at = n; at > 3 && strlen(digits) + 1 < TEXT_SIZE - 1;) {
		at -= 3;
		memmove(digits + at + 1, digits + at, strlen(digits + at) + 1);
		digits[at] = ',';
	}
}

const char *number_text(double value)
{
	char *text = next_buffer();
	double size;
	int decimals;

	if (!isfinite(value) || fabs(value) >= 1e18) {
		strcpy(text, "-");
		return text;
	}
	value = round_printed(value);
	size = fabs(value);
	if (size < 1e-9) {
		strcpy(text, "0");
		return text;
	}
	if (size >= 1)
		decimals = size < 10 ? 2 : size < 100 ? 1 : 0;
	else
		decimals = 1 - (int)floor(log10(size) + 1e-9);
	snprintf(text, TEXT_SIZE, "%.*f", decimals > 9 ? 9 : decimals, value);
	group_thousands(text + (*text == '-'));
	return text;
}

static char *grouped_count(int64_t value)
{
	char *text = next_buffer();

	snprintf(text, TEXT_SIZE, "%lld", (long long)value);
	group_thousands(text + (*text == '-'));
	return text;
}

const char *count_text(int64_t value)
{
	return grouped_count(value);
}

const char *counted_text(int64_t value, const char *noun)
{
	char *text = grouped_count(value);
	size_t n = strlen(text);

	snprintf(text + n, TEXT_SIZE - n, " %s%s", noun, value == 1 ? "" : "s");
	return text;
}

struct unit_factor {
	double factor;
	const char *name;
};

static const char *unit_text(double value, const struct unit_factor *units)
{
	char *text = next_buffer();

	if (!isfinite(value)) {
		strcpy(text, "-");
		return text;
	}
	while (units[1].name && round_printed(fabs(value) / units[1].factor) >= 1)
		units++;
	snprintf(text, TEXT_SIZE, "%s %s", number_text(value / units->factor), units->name);
	return text;
}

const char *ns_text(double ns)
{
	static const struct unit_factor units[] = { { 1, "ns" }, { 1e3, "µs" }, { 1e6, "ms" }, { 1e9, "s" }, { 0, NULL } };
	static const struct unit_factor zero[] = { { 1, "s" }, { 0, NULL } };
	char *text;
	long long s;

	if (fabs(ns) < 0.5)
		return unit_text(0, zero);
	if (!(fabs(ns) >= 119.5e9) || !(fabs(ns) < 1e18))
		return unit_text(ns, units);
	text = next_buffer();
	s = llround(fabs(ns) / 1e9);
	if (s < 7200)
		snprintf(text, TEXT_SIZE, "%s%lld min %lld s", ns < 0 ? "-" : "", s / 60, s % 60);
	else
		snprintf(text, TEXT_SIZE, "%s%lld h %lld min", ns < 0 ? "-" : "", s / 3600, s % 3600 / 60);
	return text;
}

const char *bytes_text(double bytes)
{
	static const struct unit_factor units[] = { { 1, "B" },	   { 1e3, "kB" },  { 1e6, "MB" },
						    { 1e9, "GB" }, { 1e12, "TB" }, { 0, NULL } };

	return unit_text(bytes, units);
}

const char *memory_text(double bytes)
{
	static const struct unit_factor units[] = {
		{ 1, "B" }, { 1024, "KiB" }, { 1048576, "MiB" }, { 1073741824, "GiB" }, { 1099511627776, "TiB" }, { 0, NULL },
	};

	return unit_text(bytes, units);
}

const char *bit_rate_text(double bits_per_s)
{
	static const struct unit_factor units[] = {
		{ 1, "bit/s" }, { 1e3, "kbit/s" }, { 1e6, "Mbit/s" }, { 1e9, "Gbit/s" }, { 0, NULL },
	};

	return unit_text(bits_per_s, units);
}

const char *figure_text(const struct figure *f, double unit)
{
	char *text = next_buffer();

	if (!figure_known(f))
		strcpy(text, "-");
	else if (!figure_is_range(f) || f->above)
		snprintf(text, TEXT_SIZE, "%s%s", f->above ? ">" : "",
			 number_text((figure_is_range(f) ? f->from : f->value) / unit));
	else
		snprintf(text, TEXT_SIZE, "%s to %s", number_text(f->from / unit), number_text(f->to / unit));
	return text;
}

const char *stat_text(struct sample *s, double p, double unit)
{
	struct figure f = figure_statistic(p <= 0 ? sample_min(s) : p >= 1 ? sample_max(s) : sample_quantile(s, p));

	if (p > 0 && p < 1 && !sample_supports(s, p))
		f = FIGURE_ABSENT;
	return figure_text(&f, unit);
}
