/* SPDX-License-Identifier: GPL-3.0-or-later */
/* why - the reason of an error, one line for a person. */
#pragma once

/* Belongs to the caller. Longer reasons are cut. */
struct why {
	char text[1024];
};

/* Formats the reason into `why` and returns `err`: return why_fail(-EINVAL, why, "...", ...); */
int why_fail(int err, struct why *why, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define why_say(why, ...) ((void)why_fail(0, why, __VA_ARGS__)) /* formats the reason */
