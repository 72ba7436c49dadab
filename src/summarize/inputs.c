// SPDX-License-Identifier: GPL-3.0-or-later
#include "inputs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define PATH_ROOM 4300

struct json *inputs_json(const char *folder, const char *name, struct why *why)
{
	char path[PATH_ROOM], what[256];
	struct json *j;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	j = json_read(path, what, sizeof(what));
	if (!j)
		why_set(why, -1, "%s: %s", path, what);
	return j;
}

bool inputs_there(const char *folder, const char *name)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

double inputs_number(const struct json *j, const char *path, ...)
{
	double v = NAN;
	char full[160];
	va_list list;

	va_start(list, path);
	vsnprintf(full, sizeof(full), path, list);
	va_end(list);
	if (j)
		json_get_real(j, full, &v);
	return v;
}

const char *inputs_text(const struct json *j, const char *path, ...)
{
	char full[160];
	va_list list;

	va_start(list, path);
	vsnprintf(full, sizeof(full), path, list);
	va_end(list);
	return j ? json_get_str(j, full) : NULL;
}
