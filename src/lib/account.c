// SPDX-License-Identifier: GPL-3.0-or-later
#include "account.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int64_t parse_counter_value(const char *text)
{
	char unit[4] = "";
	int64_t n;

	if (!strncmp(text, "max", 3))
		return INT64_MAX;
	if (sscanf(text, "%" SCNd64 " %3s", &n, unit) < 1)
		return -1;
	return strcmp(unit, "kB") ? n : n > INT64_MAX / 1024 ? -1 : n * 1024;
}

int64_t account_read_number_behind_key(const char *folder, const char *file, const char *key)
{
	size_t n = key ? strlen(key) : 0;
	char path[PATH_MAX], line[512];
	int64_t found = -1;
	FILE *in;

	if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
		return -1;
	in = fopen(path, "re");
	while (in && found < 0 && fgets(line, sizeof(line), in)) {
		if (!key || (!strncmp(line, key, n) && (line[n] == ' ' || line[n] == '\t')))
			found = parse_counter_value(line + n + strspn(line + n, " \t"));
		if (!key)
			break;
	}
	if (in)
		fclose(in);
	return found;
}
