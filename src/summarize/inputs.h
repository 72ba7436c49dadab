/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inputs - JSON files of a run folder, and their values. */
#ifndef THINPROBE_SUMMARIZE_INPUTS_H
#define THINPROBE_SUMMARIZE_INPUTS_H

#include "json_in.h"
#include "why.h"

#include <stdbool.h>

/* NULL: it cannot be read. Owned by the caller until json_free(). */
struct json *inputs_json(const char *folder, const char *name, struct why *why);
bool inputs_there(const char *folder, const char *name);

/* The number or the text at a path, as by printf(); NAN, NULL: there is none, or no `j`. */
double inputs_number(const struct json *j, const char *path, ...) __attribute__((format(printf, 2, 3)));
const char *inputs_text(const struct json *j, const char *path, ...) __attribute__((format(printf, 2, 3)));

#endif
