// SPDX-License-Identifier: GPL-3.0-or-later
#include "json_in.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A document is its root: struct json_document is never defined. */
struct json_document *json_read_file(const char *path, struct why *why)
{
	json_error_t error;
	json_t *root;
	int err;
	FILE *in = fopen(path, "re");

	if (!in) {
		why_say(why, "%s", strerror(errno));
		return NULL;
	}
	root = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
	err = ferror(in) ? errno : 0; /* to the parser, it is the end of the file */
	fclose(in);
	if (err) {
		json_decref(root);
		root = NULL;
		why_say(why, "%s", strerror(err));
	} else if (!root) {
		why_say(why, "line %d: %s", error.line, error.text);
	}
	return (struct json_document *)root;
}

void json_free(struct json_document *j)
{
	json_decref((json_t *)j);
}

static const json_t *find_value(const struct json_document *j, const char *path)
{
	const json_t *at = (const json_t *)j;
	char key[128];

	while (at && *path) {
		size_t n = strcspn(path, ".");
		const json_t *rest = json_object_get(at, path);

		if (rest)
			return rest;
		if (n >= sizeof(key))
			return NULL;
		memcpy(key, path, n);
		key[n] = '\0';
		path += n + (path[n] == '.');
		if (json_is_array(at)) {
			char *end;
			unsigned long i = strtoul(key, &end, 10);

			at = *end || end == key ? NULL : json_array_get(at, i);
		} else {
			at = json_object_get(at, key);
		}
	}
	return at;
}

bool json_get_real(const struct json_document *j, const char *path, double *out)
{
	const json_t *v = find_value(j, path);

	if (!json_is_number(v))
		return false;
	*out = json_number_value(v);
	return true;
}

bool json_get_int(const struct json_document *j, const char *path, int64_t *out)
{
	const json_t *v = find_value(j, path);

	if (!json_is_integer(v))
		return false;
	*out = json_integer_value(v);
	return true;
}

bool json_get_bool(const struct json_document *j, const char *path, bool *out)
{
	const json_t *v = find_value(j, path);

	if (!json_is_boolean(v))
		return false;
	*out = json_is_true(v);
	return true;
}

const char *json_get_str(const struct json_document *j, const char *path)
{
	return json_string_value(find_value(j, path));
}
