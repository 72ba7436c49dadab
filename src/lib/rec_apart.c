// SPDX-License-Identifier: GPL-3.0-or-later
#include "rec.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The name that the file has or will have, without links. */
static bool real_place(const char *path, char *out)
{
	char copy[PATH_MAX], folder[PATH_MAX];

	if (realpath(path, out))
		return true;
	if (strlen(path) >= sizeof(copy))
		return false;
	strcpy(copy, path);
	if (!realpath(dirname(copy), folder))
		return false;
	strcpy(copy, path);
	return snprintf(out, PATH_MAX, "%s/%s", folder, basename(copy)) < PATH_MAX;
}

static bool same_file(const char *a, const char *b)
{
	char x[PATH_MAX], y[PATH_MAX];
	struct stat s, t;

	if (!strcmp(a, "-") || !strcmp(b, "-"))
		return !strcmp(a, b);
	if (!stat(a, &s) && !stat(b, &t))	/* a file may have two names */
		return !S_ISCHR(s.st_mode) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
	return real_place(a, x) && real_place(b, y) && !strcmp(x, y);
}

void rec_check_apart(const struct rec_place *place, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (place[i].path && place[k].path && same_file(place[i].path, place[k].path))
				die_usage("%s and %s would both write %s; give each its own", place[k].option, place[i].option, place[i].path);
}
