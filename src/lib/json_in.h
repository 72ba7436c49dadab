/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_in - reads JSON reports of other thinprobe programs.
 *
 * Values are found by a dotted path ("result.stalls.mean_ms"; a number is an array index; the last key may contain dots). Whole
 * numbers are exact over the range of int64_t. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_document;

/* Reads a file. NULL if it cannot be opened or is no JSON, with the reason in `why` ("line 3: ..."). The caller frees it with
 * json_free(). */
struct json_document *json_read_file(const char *path, struct why *why);
void json_free(struct json_document *j);

/* False with *out unchanged if the value is missing, null or of another type. */
bool json_get_real(const struct json_document *j, const char *path, double *out); /* whole numbers too */
bool json_get_int(const struct json_document *j, const char *path, int64_t *out); /* whole numbers only */
bool json_get_bool(const struct json_document *j, const char *path, bool *out);
/* NULL if the value is missing or no string; owned by `j`. */
const char *json_get_str(const struct json_document *j, const char *path);
