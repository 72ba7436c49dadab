// SPDX-License-Identifier: GPL-3.0-or-later
#include "account.h"
#include "files.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int64_t parse_counter(const char *text)
{
	char unit[4] = "";
	int64_t n;

	if (!strncmp(text, "max", 3))
		return INT64_MAX;
	if (sscanf(text, "%" SCNd64 " %3s", &n, unit) < 1)
		return -1;
	return strcmp(unit, "kB") ? n : n > INT64_MAX / 1024 ? -1 : n * 1024;
}

int account_read_entries(const char *path, const struct account_entry *e, int n)
{
	FILE *in = fopen(path, "re");
	char line[512];
	int found = 0;
	int64_t v;

	if (!in)
		return -errno;
	while (found < n && fgets(line, sizeof(line), in)) {
		size_t length = strcspn(line, " \t");

		for (int i = 0; i < n; i++) {
			if (strlen(e[i].key) != length || strncmp(line, e[i].key, length) != 0)
				continue;
			v = parse_counter(line + length + strspn(line + length, " \t"));
			*e[i].into = v < 0 ? *e[i].into : v;
			found += v >= 0;
		}
	}
	fclose(in);
	return found;
}

int64_t account_read_number(const char *folder, const char *file, const char *key)
{
	char path[PATH_MAX], text[32];
	int64_t n = -1;

	if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
		return -1;
	if (!key)
		return files_read_all(path, text, sizeof(text)) ? -1 : parse_counter(text);
	account_read_entries(path, &(struct account_entry){ key, &n }, 1);
	return n;
}

static int64_t zero_unknown(int64_t n)
{
	return n > 0 ? n : 0;
}

static int64_t min_known(int64_t least, int64_t other)
{
	return other >= 0 && other < least ? other : least;
}

struct memory_limits account_read_limits(const char *folder)
{
	static const char *const of_version[][5] = {
		{ "memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file", "total_inactive_file", "-" },
		{ "memory.max", "memory.current", "active_file", "inactive_file", "slab_reclaimable" },
	};
	struct memory_limits all = { INT64_MAX, INT64_MAX };
	char at[PATH_MAX];

	if (snprintf(at, sizeof(at), "%s", folder) >= (int)sizeof(at))
		return all;
	for (char *end = at + strlen(at); end; end = strrchr(at, '/')) {
		*end = '\0';
		for (size_t v = 0; v < 2; v++) {
			int64_t limit = account_read_number(at, of_version[v][0], NULL);
			int64_t used = account_read_number(at, of_version[v][1], NULL);

			if (v) /* above it the kernel slows down what allocates */
				limit = min_known(limit, account_read_number(at, "memory.high", NULL));
			if (limit < 0 || limit == INT64_MAX)
				continue;
			limit = min_known(limit, account_read_number(at, "memory.stat", "hierarchical_memory_limit"));
			for (int key = 2; key < 5; key++)
				used -= zero_unknown(account_read_number(at, "memory.stat", of_version[v][key]));
			all.lowest = min_known(all.lowest, limit);
			all.room = min_known(all.room, zero_unknown(limit - zero_unknown(used)));
		}
	}
	return all;
}
