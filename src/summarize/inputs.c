// SPDX-License-Identifier: GPL-3.0-or-later
#include "inputs.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 4300

int inputs_rows(const char *folder, const char *name, bool needed, inputs_table *read, void *into, char *why, size_t size)
{
	unsigned long line = 0;
	char path[PATH_ROOM];
	FILE *in;
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	in = fopen(path, "re");
	if (!in && errno == ENOENT && !needed)
		return 0;
	err = in ? read(in, into, &line) : -errno;
	if (in)
		fclose(in);
	if (err == -EPROTO)
		snprintf(why, size, "%s: line %lu cannot be read", path, line);
	else if (err)
		snprintf(why, size, "%s: %s", path, strerror(-err));
	return err;
}

struct json *inputs_json(const char *folder, const char *name, char *why, size_t size)
{
	char path[PATH_ROOM], what[256];
	struct json *j;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	j = json_read(path, what, sizeof(what));
	if (!j)
		snprintf(why, size, "%s: %s", path, what);
	return j;
}

bool inputs_there(const char *folder, const char *name)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

int inputs_cell(const char *folder, struct inputs_cell *out, char *why, size_t size)
{
	const char *word;

	*out = (struct inputs_cell){ 0 };
	if (!inputs_there(folder, "cell.json"))
		return 0;
	out->json = inputs_json(folder, "cell.json", why, size);
	if (!out->json)
		return -EPROTO;
	word = json_get_str(out->json, "state");
	out->complete = word && !strcmp(word, "complete");
	word = json_get_str(out->json, "marked");
	out->marked = word && *word;
	return 0;
}

double inputs_number(const struct json *j, const char *prefix, const char *key)
{
	char path[160];
	double v = NAN;

	snprintf(path, sizeof(path), "%s.%s", prefix, key);
	json_get_real(j, path, &v);
	return v;
}

const char *inputs_text(const struct json *j, const char *prefix, const char *key)
{
	char path[160];

	snprintf(path, sizeof(path), "%s.%s", prefix, key);
	return json_get_str(j, path);
}

bool inputs_is_name(const char *word)
{
	return *word && *word != '.' && !strchr(word, '/');
}
