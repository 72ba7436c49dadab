// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

static int read_cpu_number(const char **p)
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

int cli_read_cpus(const char *text, struct cli_cpus *out)
{
	bool chosen[CLI_CPUS_MAX] = { false };
	const char *p = text;

	do {
		int first = read_cpu_number(&p), last = first;

		if (first < 0)
			return first;
		if (*p == '-') {
			p++;
			last = read_cpu_number(&p);
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

void cli_write_cpus(const struct cli_cpus *cpus, char *text, size_t size)
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
