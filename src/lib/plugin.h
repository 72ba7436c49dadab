/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugin - a part of a program that is linked with libraries which not every machine has: a shared object beside the program. */
#pragma once

#include "why.h"

struct plugin {
	const char *file;     /* its name, in the folder of the program */
	const char *symbol;   /* the symbol that the program looks up */
	const char *scheme;   /* of the targets that need it */
	const char *absent;   /* why there is no such file, and the cure */
	const char *packages; /* of Debian, with its libraries */
};

/* Loads it and returns its symbol: before the program gives up its rights. NULL with a line in `why`. */
const void *plugin_load(const struct plugin *p, struct why *why);
