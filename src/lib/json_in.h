/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_in - reads JSON that other programs of the suite wrote.
 *
 * Values are asked for by a dotted path ("result.stalls.mean_ms"; a number is a place in an array; the last
 * key may hold dots itself). Whole numbers stay exact over the full range of int64_t, so nanoseconds survive. */
#ifndef THINPROBE_JSON_IN_H
#define THINPROBE_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json;

/* Reads the whole file. NULL when it cannot be opened or is no JSON: `why` says so in words ("line 3: ...").
 * Owned by the caller until json_free(). */
struct json *json_read(const char *path, char *why, size_t size);
void json_free(struct json *j);

/* False, and `out` untouched, when there is no such value, when it is null, or of another type. */
bool json_get_real(const struct json *j, const char *path, double *out);	/* whole numbers too */
bool json_get_int(const struct json *j, const char *path, int64_t *out);	/* whole numbers only */
bool json_get_bool(const struct json *j, const char *path, bool *out);
/* NULL likewise; owned by `j`. */
const char *json_get_str(const struct json *j, const char *path);

#endif
