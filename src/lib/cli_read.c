// SPDX-License-Identifier: GPL-3.0-or-later
/* Parsers of numbers, times, sizes, rates and CPU lists: the whole text must match. */
#include "cli.h"
#include "memory.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

int cli_parse_int(const char *text, int64_t *out)
{
	char *end;
	long long v;

	if (!isdigit((unsigned char)text[0]) && text[0] != '-' && text[0] != '+')
		return -EINVAL;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (end == text || *end)
		return -EINVAL;
	if (errno)
		return -ERANGE;
	*out = v;
	return 0;
}

/* Reads a decimal number; *end: the text behind it. Refuses hexadecimal, "inf" and "nan", which strtod() accepts. */
static int parse_decimal(const char *text, double *out, const char **end)
{
	const char *p = text;
	char *stop;

	if (*p == '-' || *p == '+')
		p++;
	if (!isdigit((unsigned char)*p) && *p != '.')
		return -EINVAL;
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		return -EINVAL;
	errno = 0;
	*out = strtod(text, &stop);
	if (stop == text)
		return -EINVAL;
	if (errno == ERANGE && fabs(*out) > 1)
		return -ERANGE;
	*end = stop;
	return 0;
}

int cli_parse_real(const char *text, double *out)
{
	const char *end;
	int err = parse_decimal(text, out, &end);

	return err ? err : *end ? -EINVAL : 0;
}

int cli_parse_percent(const char *text, double *out)
{
	const char *end;
	int err = parse_decimal(text, out, &end);

	return err ? err : *end && strcmp(end, "%") ? -EINVAL : 0;
}

struct unit_factor {
	const char *name;
	double factor;
};

static int parse_unit_number(const char *text, const struct unit_factor *units, int64_t *out)
{
	const char *end;
	double v;
	int err = parse_decimal(text, &v, &end);

	if (err)
		return err;
	for (; units->name; units++)
		if (!strcmp(units->name, end))
			break;
	if (!units->name)
		return -EINVAL;
	v = v * units->factor;
	if (!(fabs(v) < 9.2e18))
		return -ERANGE;
	*out = llround(v);
	return 0;
}

int cli_parse_ns(const char *text, int64_t *out)
{
	static const struct unit_factor units[] = {
		{ "s", 1e9 },	 { "ms", 1e6 },	  { "us", 1e3 },    { "ns", 1 }, { "m", 60e9 },
		{ "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 }, { NULL, 0 },
	};
	double bare;

	if (cli_parse_real(text, &bare))
		return parse_unit_number(text, units, out);
	if (bare != 0)
		return -EDOM;
	*out = 0;
	return 0;
}

int cli_parse_bytes(const char *text, int64_t *out)
{
	static const struct unit_factor units[] = {
		{ "", 1 },
		{ "B", 1 },
		{ "K", 1024.0 },
		{ "KB", 1024.0 },
		{ "KiB", 1024.0 },
		{ "M", 1048576.0 },
		{ "MB", 1048576.0 },
		{ "MiB", 1048576.0 },
		{ "G", 1073741824.0 },
		{ "GB", 1073741824.0 },
		{ "GiB", 1073741824.0 },
		{ "T", 1099511627776.0 },
		{ NULL, 0 },
	};

	return parse_unit_number(text, units, out);
}

int cli_parse_rate(const char *text, int64_t *out)
{
	static const struct unit_factor units[] = {
		{ "bit", 1 },	   { "bit/s", 1 },  { "kbit", 1e3 },   { "kbit/s", 1e3 }, { "mbit", 1e6 },
		{ "mbit/s", 1e6 }, { "gbit", 1e9 }, { "gbit/s", 1e9 }, { NULL, 0 },
	};
	/* ambiguous, also with K, M, G: bits in iperf3, bytes elsewhere; tc reads "bps" as bytes */
	static const char *const bits_or_bytes[] = { "", "b", "b/s", "bps", "/s", NULL };
	size_t digits = strspn(text, "0123456789."), length = strlen(text);
	char lower[40];
	const char *unit;

	if (!isdigit((unsigned char)text[0]) || length >= sizeof(lower))
		return -EINVAL;
	for (size_t i = 0; i <= length; i++)
		lower[i] = (char)tolower((unsigned char)text[i]);
	unit = lower + digits;
	unit += *unit && strchr("kmg", *unit) ? 1 : 0;
	for (const char *const *u = bits_or_bytes; *u; u++)
		if (unit > lower + digits || **u == 'b') {
			if (!strcmp(*u, unit))
				return -ENOTUNIQ;
		}
	return parse_unit_number(lower, units, out);
}

static int parse_listed_cpu(const char **p)
{
	long v = 0;

	if (!isdigit((unsigned char)**p))
		return -EINVAL;
	for (; isdigit((unsigned char)**p); (*p)++) {
		v = v * 10 + (**p - '0');
		if (v >= CLI_CPUS_MAX)
			return -ERANGE;
	}
	return (int)v;
}

int cli_parse_cpus(const char *text, struct cli_cpus *out)
{
	bool chosen[CLI_CPUS_MAX] = { false };
	const char *p = text;

	do {
		int first = parse_listed_cpu(&p), last = first;

		if (first < 0)
			return first;
		if (*p == '-') {
			p++;
			last = parse_listed_cpu(&p);
			if (last < first)
				return last < 0 ? last : -EINVAL;
		}
		for (int i = first; i <= last; i++)
			chosen[i] = true;
	} while (*p == ',' && p++);
	if (*p)
		return -EINVAL;
	out->n = 0;
	for (int i = 0; i < CLI_CPUS_MAX; i++)
		if (chosen[i])
			out->cpu[out->n++] = i;
	return 0;
}

int cli_add_pids(const char *text, struct cli_pids *out)
{
	char *end;

	do {
		long long pid = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;

		if (pid < 1 || pid > INT32_MAX || (*end && *end != ','))
			return -EINVAL;
		memory_more(out->pid, out->n);
		out->pid[out->n++] = (pid_t)pid;
		text = end + 1;
	} while (*end);
	return 0;
}

void cli_format_cpus(const struct cli_cpus *cpus, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (int first = 0, last; first < cpus->n && n < size; first = last + 1) {
		for (last = first; last + 1 < cpus->n && cpus->cpu[last + 1] == cpus->cpu[last] + 1; last++)
			;
		n += (size_t)snprintf(text + n, size - n, "%s%d", first ? "," : "", cpus->cpu[first]);
		if (last > first && n < size)
			n += (size_t)snprintf(text + n, size - n, "-%d", cpus->cpu[last]);
	}
}
