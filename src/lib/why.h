/* SPDX-License-Identifier: GPL-3.0-or-later */
/* why - writes the reason of an error as one line into a buffer of the caller. */
#pragma once

#include <stddef.h>

/* Formats the reason into `why` and returns `err`: return fail_with_reason(-EINVAL, why, size, "...", ...); */
int fail_with_reason(int err, char *why, size_t size, const char *format, ...) __attribute__((format(printf, 4, 5)));
